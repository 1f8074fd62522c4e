"""A thread: a cylinder, and a helix that the modifier Screw makes of one vertex; one radius for it."""

import bpy
from drivers.day.hands import CARVE, add, new_scene, press_button, select, to_the_view
from inside.facts import note
from inside.places import find_property, rectangle
from inside.scenes import body, lines
from inside.user import click, look, press, write

RADIUS, PITCH, TURNS = 0.12, 0.4, 6


def steps():
    yield from new_scene()
    yield from to_the_view()
    yield from press("Delete")
    yield from add("cylinder")
    helix()
    yield from select((0.75, -0.66, 0), more=True)
    yield from click(*(yield from find_property("voxel_carve.radius_mode", rectangle("UI"), right=0.8)))
    yield from click(*(yield from find_property("voxel_carve.radius", rectangle("UI"))), times=2)
    yield from press("ctrl+a")
    yield from write(str(RADIUS))
    yield from press("Return")
    yield from to_the_view()
    yield from look("bolt_1_before")
    yield from press_button(CARVE)
    yield from look("bolt_2_threaded")
    note(
        bolt={
            "radius": RADIUS,
            "stock": body("Cylinder"),
            "paths": lines("Helix"),
            "result": body("Cylinder Carved"),
        }
    )


def helix() -> None:
    """One vertex, and the modifier Screw; selected alone, as after Add."""
    mesh = bpy.data.meshes.new("Helix")
    mesh.from_pydata([(1, 0, -PITCH * TURNS / 2)], [], [])
    obj = bpy.data.objects.new("Helix", mesh)
    bpy.context.collection.objects.link(obj)
    screw = obj.modifiers.new("Screw", "SCREW")
    screw.screw_offset, screw.iterations, screw.steps = PITCH, TURNS, 32
    bpy.ops.object.select_all(action="DESELECT")
    obj.select_set(True)
    bpy.context.view_layer.objects.active = obj
    bpy.ops.ed.undo_push(message="Helix")
