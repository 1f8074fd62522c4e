"""Keep Stock and Volume are chosen in the panel; then Carve. A volume needs a file that is saved."""

import json
from collections.abc import Iterator
from pathlib import Path

import bpy
from inside.facts import note
from inside.places import Rectangle, find_operator, find_property, open_sidebar, rectangle, view3d
from inside.scenes import objects, open_edges, sphere_and_curve
from inside.user import STAGE, click, look, move, press, until

STOCK, RESULT = "Icosphere", "Icosphere Carved"


def steps():
    yield from sphere_and_curve()
    sidebar = yield from open_sidebar("Voxel Carve")
    yield from keep(sidebar)
    result, stock = bpy.data.objects[RESULT], bpy.data.objects[STOCK]
    bpy.data.objects.remove(result)
    stock.hide_set(False)
    for each in (stock, *(obj for obj in bpy.data.objects if obj.type == "CURVE")):
        each.select_set(True)
    bpy.context.view_layer.objects.active = stock
    yield 1.0
    yield from volume(sidebar)


def choose(sidebar: Rectangle, letter: str) -> Iterator[float]:
    """Choose the result with this letter from the menu; return how far down the menu is."""
    x, y = yield from find_property("voxel_carve.result", sidebar)
    yield from click(x, y)
    yield from look(f"menu_{letter}")
    yield from press(letter)
    return y


def keep(sidebar: Rectangle) -> Iterator[float]:
    y = yield from choose(sidebar, "k")
    note(chosen=bpy.context.scene.voxel_carve.result)
    carve = yield from find_operator("bpy.ops.object.voxel_carve(", sidebar.below(y))
    yield from click(*carve)
    yield from until(lambda: RESULT in objects(), 300, "a result")
    yield from look("kept")
    result, stock = bpy.data.objects[RESULT], bpy.data.objects[STOCK]
    corners = {vertex.co.copy().freeze() for vertex in result.data.vertices}
    kept = sum(vertex.co.copy().freeze() in corners for vertex in stock.data.vertices)
    note(open_edges=open_edges(result), report=json.loads(result["voxel_carve_report"]))
    note(stock_vertices=len(stock.data.vertices), kept_vertices=kept)


def volume(sidebar: Rectangle) -> Iterator[float]:
    y = yield from choose(sidebar, "v")
    note(then=bpy.context.scene.voxel_carve.result)
    yield from look("volume")
    carve = yield from find_operator("bpy.ops.object.voxel_carve(", sidebar.below(y))
    yield from click(*carve)
    yield 2.0
    note(refused=objects())
    yield from look("refused")
    yield from press("Escape")  # closes the message
    yield from move(*rectangle().at(0.2, 0.2))
    yield 1.0
    yield from look("closed")
    file = str(STAGE / "volume.blend")
    with bpy.context.temp_override(**view3d()):
        bpy.ops.wm.save_as_mainfile(filepath=file)
    yield from click(*carve)
    yield from until(lambda: RESULT in objects(), 60, "a volume")
    yield from look("carved")
    with bpy.context.temp_override(**view3d()):
        bpy.ops.wm.save_mainfile()
        bpy.ops.wm.open_mainfile(filepath=file)
    yield 2.0
    made = bpy.data.objects[RESULT]
    note(file=made.data.filepath, exists=Path(bpy.path.abspath(made.data.filepath)).is_file())
    note(loads=made.data.grids.load(), volume_report=json.loads(made["voxel_carve_report"]))
    mesh = bpy.data.objects.new("As Mesh", bpy.data.meshes.new("As Mesh"))
    bpy.context.scene.collection.objects.link(mesh)
    modifier = mesh.modifiers.new("Volume to Mesh", "VOLUME_TO_MESH")
    modifier.object, modifier.grid_name, modifier.threshold = made, "surface", 0.0
    made.hide_set(True)
    yield 2.0
    yield from look("as_mesh")
