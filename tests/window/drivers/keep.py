"""Keep Stock is chosen in the panel with the mouse; then Carve."""

import json

import bpy
from inside.facts import note
from inside.places import find_operator, find_property, open_sidebar
from inside.scenes import objects, open_edges, sphere_and_curve
from inside.user import click, look, until


def steps():
    yield from sphere_and_curve()
    sidebar = yield from open_sidebar("Voxel Carve")
    x, y = yield from find_property("voxel_carve.result", sidebar, right=0.55)  # the middle one of three
    yield from click(x, y)
    note(chosen=bpy.context.scene.voxel_carve.result)
    carve = yield from find_operator("bpy.ops.object.voxel_carve(", sidebar.below(y))
    yield from click(*carve)
    yield from until(lambda: "Icosphere Carved" in objects(), 60, "a result")
    yield from look("carved")
    result, stock = bpy.data.objects["Icosphere Carved"], bpy.data.objects["Icosphere"]
    corners = {vertex.co.copy().freeze() for vertex in result.data.vertices}
    kept = sum(vertex.co.copy().freeze() in corners for vertex in stock.data.vertices)
    note(open_edges=open_edges(result), report=json.loads(result["voxel_carve_report"]))
    note(stock_vertices=len(stock.data.vertices), kept_vertices=kept)
