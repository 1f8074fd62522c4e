"""Scenes to carve in, and what is in them."""

from collections.abc import Iterator

import bmesh
import bpy

from inside.places import view3d


def suzanne_and_curve() -> Iterator[float]:
    """The default scene with Suzanne and a Bezier curve through her, as the Add menu makes them, both selected."""
    with bpy.context.temp_override(**view3d()):
        bpy.data.objects.remove(bpy.data.objects["Cube"])
        bpy.ops.mesh.primitive_monkey_add()
        suzanne = bpy.context.object
        bpy.ops.curve.primitive_bezier_curve_add()
        suzanne.select_set(True)
        bpy.context.view_layer.objects.active = suzanne
        bpy.ops.view3d.view_selected()
        bpy.ops.ed.undo_push(message="Suzanne and a curve")
    yield 1.0


def objects() -> list[str]:
    """The names of all objects."""
    return sorted(each.name for each in bpy.data.objects)


def open_edges(thing: bpy.types.Object) -> int:
    """How many edges of a mesh do not have two faces."""
    mesh = bmesh.new()
    try:
        mesh.from_mesh(thing.data)
        return sum(len(edge.link_faces) != 2 for edge in mesh.edges)
    finally:
        mesh.free()


def reports() -> list[str]:
    """What the Info editor lists, the newest last."""
    with bpy.context.temp_override(**view3d()):
        shown = bpy.context.area
        kind, shown.type = shown.type, "INFO"
        try:
            with bpy.context.temp_override(area=shown, region=next(r for r in shown.regions if r.type == "WINDOW")):
                bpy.ops.info.select_all(action="SELECT")
                bpy.ops.info.report_copy()
                bpy.ops.info.select_all(action="DESELECT")
        finally:
            shown.type = kind
    return bpy.context.window_manager.clipboard.splitlines()
