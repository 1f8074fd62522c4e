"""One click on Carve, with Suzanne and a curve selected; undo and redo by keys; then a terrain and a road over its
border."""

import json

import bpy
from inside.facts import note
from inside.jobs import kernels_are_ready, running_job
from inside.places import find_operator, open_sidebar, rectangle
from inside.scenes import objects, open_edges, reports, suzanne_and_curve, terrain_and_road
from inside.user import click, look, move, press, until


def steps():
    yield from suzanne_and_curve()
    sidebar = yield from open_sidebar("Voxel Carve")
    yield from look("1_before")
    before = objects()
    carve = yield from find_operator("bpy.ops.object.voxel_carve(", sidebar)
    yield from click(*carve)
    yield from until(lambda: len(objects()) > len(before), 300, "a result")  # kernels first
    yield from until(kernels_are_ready, 300, "compiled kernels")  # the panel tells of them
    yield 1.0
    yield from look("2_carved")
    after = objects()
    result = bpy.data.objects[(set(after) - set(before)).pop()]
    note(before=before, after=after, open_edges=open_edges(result), report=json.loads(result["voxel_carve_report"]))
    note(hidden=bpy.data.objects["Suzanne"].hide_get(), active=bpy.context.view_layer.objects.active.name)

    yield from move(*rectangle().at(0.3, 0.6))
    yield from press("ctrl+z")
    yield from until(lambda: objects() == before, what="as before the carve")
    note(shown_again=not bpy.data.objects["Suzanne"].hide_get())
    yield from look("3_undone")
    yield from press("ctrl+shift+z")
    yield from until(lambda: objects() == after, what="as after the carve")
    note(redone_open_edges=open_edges(bpy.data.objects["Suzanne Carved"]))
    yield from look("4_redone")
    note(reports=reports())

    yield from terrain_and_road()
    note(open_before=open_edges(bpy.data.objects["Terrain"]))
    yield from look("5_terrain")
    carve = yield from find_operator("bpy.ops.object.voxel_carve(", sidebar)
    yield from click(*carve)
    yield from until(lambda: "Terrain Carved" in objects() and not running_job(), 300, "a carved terrain")
    yield 1.0
    yield from look("6_carved_terrain")
    result = bpy.data.objects["Terrain Carved"]
    note(
        terrain={"open": open_edges(result), "report": json.loads(result["voxel_carve_report"])},
        terrain_reports=reports(),
    )
