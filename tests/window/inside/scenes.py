"""Scenes to carve in, and their contents."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from math import radians, sin

import bmesh
import bpy

from inside.places import view3d


def suzanne_and_curve() -> Iterator[float]:
    """Suzanne and a Bezier curve on her forehead."""
    yield from _stock_and_curve(
        bpy.ops.mesh.primitive_monkey_add, location=(0, -0.76, 0.5), rotation=(radians(90), 0, 0)
    )


def sphere_and_curve() -> Iterator[float]:
    """A sphere, which unlike Suzanne is closed, and a Bezier curve through it."""
    yield from _stock_and_curve(lambda: bpy.ops.mesh.primitive_ico_sphere_add(subdivisions=4), location=(0, -0.4, 0))


def _stock_and_curve(add_stock: Callable[[], object], **place: tuple[float, ...]) -> Iterator[float]:
    """Objects from the Add menu instead of all meshes and curves; both selected, in front view."""
    with bpy.context.temp_override(**view3d()):
        _remove_meshes_and_curves()
        add_stock()
        stock = bpy.context.object
        bpy.ops.curve.primitive_bezier_curve_add(**place)
        stock.select_set(True)
        bpy.context.view_layer.objects.active = stock
        bpy.ops.view3d.view_orbit(angle=radians(50), type="ORBITLEFT")
        bpy.ops.view3d.view_selected()
        bpy.ops.ed.undo_push(message="Stock and curve")
    yield 1.0


def terrain_and_road() -> Iterator[float]:
    """A relief, and a curve along it from beyond one side to beyond the other, instead of all meshes and curves."""
    with bpy.context.temp_override(**view3d()):
        _remove_meshes_and_curves()
        bpy.ops.mesh.primitive_grid_add(x_subdivisions=60, y_subdivisions=60, size=4)
        terrain = bpy.context.object
        terrain.name = "Terrain"
        for vertex in terrain.data.vertices:
            vertex.co.z = _height(vertex.co.x, vertex.co.y)
        data = bpy.data.curves.new("Road", "CURVE")
        data.dimensions, data.bevel_depth = "3D", 0.15
        line = data.splines.new("POLY")
        line.points.add(60)
        for number, point in enumerate(line.points):
            x = -2.4 + 0.08 * number
            y = 0.6 * sin(x)
            point.co = (x, y, _height(x, y), 1)
        road = bpy.data.objects.new("Road", data)
        bpy.context.collection.objects.link(road)
        road.select_set(True)
        terrain.select_set(True)
        bpy.context.view_layer.objects.active = terrain
        bpy.ops.view3d.view_orbit(angle=radians(35), type="ORBITLEFT")
        bpy.ops.view3d.view_selected()
        bpy.ops.ed.undo_push(message="Terrain and road")
    yield 1.0


def _remove_meshes_and_curves() -> None:
    for obj in [each for each in bpy.data.objects if each.type in {"MESH", "CURVE"}]:
        bpy.data.objects.remove(obj)


def _height(x: float, y: float) -> float:
    return 0.15 * sin(2 * x + 1) * sin(3 * y) + 0.1 * sin(3 * x - y)


def objects() -> list[str]:
    """The names of all objects."""
    return sorted(each.name for each in bpy.data.objects)


def open_edges(obj: bpy.types.Object) -> int:
    """The number of edges of a mesh that do not have two faces."""
    mesh = bmesh.new()
    try:
        mesh.from_mesh(obj.data)
        return sum(len(edge.link_faces) != 2 for edge in mesh.edges)
    finally:
        mesh.free()


def is_seen(name: str) -> bool:
    """Whether an object is seen."""
    return bpy.data.objects[name].visible_get()


def body(name: str) -> dict[str, object]:
    """What a mesh is as a body in world space: volume, lowest and highest corner, separate parts, open edges."""
    with _in_world(name) as mesh:
        return {
            "volume": mesh.calc_volume(),
            "low": [min(vertex.co[axis] for vertex in mesh.verts) for axis in range(3)],
            "high": [max(vertex.co[axis] for vertex in mesh.verts) for axis in range(3)],
            "parts": _groups(mesh.faces),
            "open_edges": sum(len(edge.link_faces) != 2 for edge in mesh.edges),
        }


def grooves(name: str, below: float) -> dict[str, float]:
    """The grooves in the top of a mesh, at a height: how many are separate, and the depth of the deepest."""
    with _in_world(name) as mesh:
        mesh.normal_update()
        found = [face for face in mesh.faces if face.normal.z > 0.05 and face.calc_center_median().z < below - 1e-4]
        lowest = min(vertex.co.z for face in found for vertex in face.verts)
        return {"grooves": _groups(found), "depth": below - lowest}


@contextmanager
def _in_world(name: str) -> Iterator[bmesh.types.BMesh]:
    obj, mesh = bpy.data.objects[name], bmesh.new()
    try:
        mesh.from_mesh(obj.data)
        mesh.transform(obj.matrix_world)
        yield mesh
    finally:
        mesh.free()


def _groups(faces: Iterable[bmesh.types.BMFace]) -> int:
    """How many groups these faces form, those of a group joined by edges."""
    left, found = set(faces), 0
    while left:
        found += 1
        reached = [left.pop()]
        while reached:
            beside = {face for edge in reached.pop().edges for face in edge.link_faces} & left
            left -= beside
            reached += beside
    return found


def lines(*names: str) -> list[list[list[float]]]:
    """The ends of edges that objects have, as Blender evaluates them, in world space; of filled ones, the outlines."""
    found = []
    for name in names:
        obj = bpy.data.objects[name].evaluated_get(bpy.context.evaluated_depsgraph_get())
        mesh = obj.to_mesh()
        points = [list(obj.matrix_world @ vertex.co) for vertex in mesh.vertices]
        faces = Counter(key for face in mesh.polygons for key in face.edge_keys)
        found += [[points[end] for end in edge.vertices] for edge in mesh.edges if faces[edge.key] < 2]
        obj.to_mesh_clear()
    return found


def reports() -> list[str]:
    """The reports in the Info editor, newest last."""
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
