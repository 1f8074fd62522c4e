"""A terrain and a road over its border: what the panel says, one click on Carve, and what is open."""

import json
from math import radians, sin

import bpy
from inside.facts import note
from inside.jobs import kernels_are_ready, running_job
from inside.places import find_operator, open_sidebar, view3d
from inside.scenes import objects, open_edges, reports
from inside.user import click, look, until


def steps():
    prepare()
    yield 1.0
    sidebar = yield from open_sidebar("Voxel Carve")
    note(open_before=open_edges(bpy.data.objects["Terrain"]))
    yield from look("1_before")
    carve = yield from find_operator("bpy.ops.object.voxel_carve(", sidebar)
    yield from click(*carve)
    yield from until(lambda: "Terrain Carved" in objects() and not running_job(), 300, "a result")
    yield from until(kernels_are_ready, 300, "compiled kernels")
    yield 1.0
    yield from look("2_carved")
    result = bpy.data.objects["Terrain Carved"]
    note(open_after=open_edges(result), report=json.loads(result["voxel_carve_report"]), reports=reports())
    bpy.ops.object.select_all(action="DESELECT")
    for name in ("Road", "Terrain"):
        obj = bpy.data.objects[name]
        obj.hide_set(False)
        obj.select_set(True)
        bpy.context.view_layer.objects.active = obj
    yield 1.0
    yield from look("3_told")


def height(x: float, y: float) -> float:
    return 0.15 * sin(2 * x + 1) * sin(3 * y) + 0.1 * sin(3 * x - y)


def prepare() -> None:
    with bpy.context.temp_override(**view3d()):
        bpy.data.objects.remove(bpy.data.objects["Cube"])
        bpy.ops.mesh.primitive_grid_add(x_subdivisions=60, y_subdivisions=60, size=4)
        terrain = bpy.context.object
        terrain.name = "Terrain"
        for vertex in terrain.data.vertices:
            vertex.co.z = height(vertex.co.x, vertex.co.y)
        data = bpy.data.curves.new("Road", "CURVE")
        data.dimensions, data.bevel_depth = "3D", 0.15
        line = data.splines.new("POLY")
        line.points.add(60)
        for number, point in enumerate(line.points):
            x = -2.4 + 0.08 * number
            y = 0.6 * sin(x)
            point.co = (x, y, height(x, y), 1)
        road = bpy.data.objects.new("Road", data)
        bpy.context.collection.objects.link(road)
        road.select_set(True)
        terrain.select_set(True)
        bpy.context.view_layer.objects.active = terrain
        bpy.context.scene.voxel_carve.resolution = 128
        bpy.ops.view3d.view_orbit(angle=radians(35), type="ORBITLEFT")
        bpy.ops.view3d.view_selected()
        bpy.ops.ed.undo_push(message="Terrain and road")
