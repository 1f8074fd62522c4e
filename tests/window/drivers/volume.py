"""Result: Volume is chosen in the panel with the mouse, first in a file that is not saved; then Carve, and reopen."""

import json
from pathlib import Path

import bpy
from inside.facts import note
from inside.places import find_operator, find_property, open_sidebar, rectangle, view3d
from inside.scenes import objects, sphere_and_curve
from inside.user import STAGE, click, look, move, until

RESULT = "Icosphere Carved"


def steps():
    yield from sphere_and_curve()
    sidebar = yield from open_sidebar("Voxel Carve")
    x, y = yield from find_property("voxel_carve.result", sidebar, right=0.85)  # the right one of three
    yield from click(x, y)
    note(chosen=bpy.context.scene.voxel_carve.result)
    carve = yield from find_operator("bpy.ops.object.voxel_carve(", sidebar.below(y))
    yield from click(*carve)
    yield 2.0
    note(refused=objects())
    yield from look("refused")
    yield from move(*rectangle().at(0.2, 0.2))  # which closes the message
    yield 1.0
    file = str(STAGE / "volume.blend")
    with bpy.context.temp_override(**view3d()):
        bpy.ops.wm.save_as_mainfile(filepath=file)
    yield from click(*carve)
    yield from until(lambda: RESULT in objects(), 300, "a result")
    yield from look("carved")
    with bpy.context.temp_override(**view3d()):
        bpy.ops.wm.save_mainfile()
        bpy.ops.wm.open_mainfile(filepath=file)
    yield 2.0
    volume = bpy.data.objects[RESULT]
    note(file=volume.data.filepath, exists=Path(bpy.path.abspath(volume.data.filepath)).is_file())
    note(loads=volume.data.grids.load(), report=json.loads(volume["voxel_carve_report"]))
    mesh = bpy.data.objects.new("As Mesh", bpy.data.meshes.new("As Mesh"))
    bpy.context.scene.collection.objects.link(mesh)
    modifier = mesh.modifiers.new("Volume to Mesh", "VOLUME_TO_MESH")
    modifier.object, modifier.grid_name, modifier.threshold = volume, "surface", 0.0
    volume.hide_set(True)
    yield 2.0
    yield from look("as_mesh")
