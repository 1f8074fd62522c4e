"""Objects in an empty Blender scene, for the tests that use bpy."""

from collections.abc import Iterable, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import bpy
import numpy as np
import numpy.typing as npt

# How much farther than OpenVDB says Blender 4.5 shows volumes, along each axis, in their voxels.
VOLUME_SHIFT = 0.5 if bpy.app.version < (5, 0, 0) else 0.0
BOX_QUADS = [(0, 3, 2, 1), (4, 5, 6, 7), (0, 1, 5, 4), (1, 2, 6, 5), (2, 3, 7, 6), (3, 0, 4, 7)]


def link(name: str, data: bpy.types.ID | None) -> Any:
    """A new object in the scene's own collection; Any, because its data has many types."""
    obj = bpy.data.objects.new(name, data)
    context: Any = bpy.context
    context.scene.collection.objects.link(obj)
    return obj


def mesh_object(
    name: str,
    points: npt.ArrayLike,
    edges: Iterable[Sequence[int]] = (),
    faces: Iterable[Sequence[int]] = (),
) -> Any:
    mesh = bpy.data.meshes.new(name)
    mesh.from_pydata(np.reshape(points, (-1, 3)).tolist(), list(edges), list(faces))
    return link(name, mesh)


def box(name: str = "Box", size: Sequence[float] = (2, 2, 2), centre: Sequence[float] = (0, 0, 0)) -> Any:
    """A closed box of six quads, its faces outward."""
    corners = np.array([(x, y, z) for z in (-1, 1) for x, y in ((-1, -1), (1, -1), (1, 1), (-1, 1))]) / 2
    return mesh_object(name, corners * size + centre, faces=BOX_QUADS)


def poly_curve(
    points: npt.ArrayLike,
    radii: Sequence[float] | None = None,
    cyclic: bool = False,
    name: str = "Path",
    kind: str = "POLY",
    dimensions: str = "3D",
) -> Any:
    """A curve object with one POLY or NURBS spline."""
    points = np.asarray(points, dtype=float)
    curve: Any = bpy.data.curves.new(name, "CURVE")
    curve.dimensions = dimensions
    spline = curve.splines.new(kind)
    spline.points.add(len(points) - 1)
    spline.points.foreach_set("co", np.column_stack([points, np.ones(len(points))]).astype(np.float32).ravel())
    spline.points.foreach_set("radius", np.ones(len(points)) if radii is None else radii)
    spline.use_cyclic_u = cyclic
    return link(name, curve)


def bezier_curve(
    points: npt.ArrayLike,
    left: npt.ArrayLike,
    right: npt.ArrayLike,
    radii: Sequence[float] | None = None,
    cyclic: bool = False,
    name: str = "Path",
) -> Any:
    """A curve object with one Bezier spline of free handles."""
    points = np.asarray(points, dtype=float)
    curve: Any = bpy.data.curves.new(name, "CURVE")
    curve.dimensions = "3D"
    spline = curve.splines.new("BEZIER")
    spline.bezier_points.add(len(points) - 1)
    for point in spline.bezier_points:
        point.handle_left_type = point.handle_right_type = "FREE"
    for attribute, values in (("co", points), ("handle_left", left), ("handle_right", right)):
        spline.bezier_points.foreach_set(attribute, np.asarray(values, np.float32).ravel())
    spline.bezier_points.foreach_set("radius", np.ones(len(points)) if radii is None else radii)
    spline.use_cyclic_u = cyclic
    return link(name, curve)


def curves_object(
    points: npt.ArrayLike,
    kind: str = "POLY",
    sizes: Sequence[int] | None = None,
    name: str = "Curves",
    attributes: dict[str, tuple[str, str, npt.ArrayLike]] | None = None,
) -> Any:
    """An object of the Curves type; attributes as name: (type, domain, values)."""
    points = np.asarray(points, dtype=np.float32)
    data: Any = bpy.data.hair_curves.new(name)
    data.add_curves(list(sizes or [len(points)]))
    data.set_types(type=kind)
    data.position_data.foreach_set("vector", points.ravel())
    for attribute_name, (data_type, domain, values) in (attributes or {}).items():
        attribute = data.attributes.get(attribute_name) or data.attributes.new(attribute_name, data_type, domain)
        attribute.data.foreach_set("vector" if data_type == "FLOAT_VECTOR" else "value", np.ravel(values))
    return link(name, data)


def point_cloud(points: npt.ArrayLike, radii: Sequence[float] | None = None, name: str = "Cloud") -> Any:
    """A point cloud object, with the attribute "radius" if radii are given."""
    obj = mesh_object(name, points)
    if radii is not None:
        obj.data.attributes.new("radius", "FLOAT", "POINT").data.foreach_set("value", radii)
    select(obj)
    bpy.ops.object.convert(target="POINTCLOUD")  # Blender 4.5 cannot give a new point cloud its points
    context: Any = bpy.context
    obj = context.view_layer.objects.active
    if radii is None and "radius" in obj.data.attributes:
        obj.data.attributes.remove(obj.data.attributes["radius"])
    return obj


def volume_object(file: Path, name: str = "Volume") -> Any:
    """A volume object with the grids of a file."""
    data = bpy.data.volumes.new(name)
    data.filepath = str(file)
    return link(name, data)


def select(*objs: bpy.types.Object) -> None:
    """Select exactly these objects, with the first one active."""
    bpy.ops.object.select_all(action="DESELECT")
    for obj in objs:
        obj.select_set(True)
    context: Any = bpy.context
    context.view_layer.objects.active = objs[0] if objs else None


def collection_of(*objs: Any, name: str = "Parts") -> Any:
    """A collection with these objects that is in no scene."""
    collection = bpy.data.collections.new(name)
    context: Any = bpy.context
    for obj in objs:
        collection.objects.link(obj)
        if obj.name in context.scene.collection.objects:
            context.scene.collection.objects.unlink(obj)
    return collection


def instancer(collection: Any, name: str = "Instance") -> Any:
    """An empty that instances a collection."""
    obj = link(name, None)
    obj.instance_type, obj.instance_collection = "COLLECTION", collection
    return obj


def nodes_modifier(obj: Any, name: str = "Nodes") -> Any:
    """Add a Geometry Nodes modifier with an empty group; return the group, its input node and its output node."""
    group: Any = bpy.data.node_groups.new(name, "GeometryNodeTree")
    for in_out in ("INPUT", "OUTPUT"):
        group.interface.new_socket("Geometry", in_out=in_out, socket_type="NodeSocketGeometry")
    obj.modifiers.new(name, "NODES").node_group = group
    return group, group.nodes.new("NodeGroupInput"), group.nodes.new("NodeGroupOutput")


def grease_pencil(
    strokes: Sequence[Sequence[Sequence[float]]],
    radii: Sequence[Sequence[float]] | None = None,
    cyclic: bool = False,
    name: str = "Strokes",
) -> Any:
    """A Grease Pencil object with one layer and strokes at frame 1."""
    # In Blender 4.5 the shorter name is that of the later annotations.
    pencils: Any = getattr(bpy.data, "grease_pencils_v3" if bpy.app.version < (5, 0) else "grease_pencils")
    obj = link(name, pencils.new(name))
    draw_strokes(obj.data.layers.new("Layer"), strokes, radii, cyclic)
    return obj


def draw_strokes(
    layer: Any,
    strokes: Sequence[Sequence[Sequence[float]]],
    radii: Sequence[Sequence[float]] | None = None,
    cyclic: bool = False,
    frame: int = 1,
) -> Any:
    """Draw strokes in a new keyframe of a layer; return its drawing."""
    drawing = layer.frames.new(frame).drawing
    drawing.add_strokes([len(points) for points in strokes])
    for number, points in enumerate(strokes):
        stroke = drawing.strokes[number]
        stroke.cyclic = cyclic
        for i, position in enumerate(points):
            stroke.points[i].position = position
            if radii is not None:
                stroke.points[i].radius = radii[number][i]
    return drawing


def read(collection, name, width, kind=np.float32):
    found = np.empty(width * len(collection), dtype=kind)
    collection.foreach_get(name, found)
    return found.reshape(-1, width).astype(float) if kind == np.float32 else found


def unit(vectors):
    return vectors / np.linalg.norm(vectors, axis=-1, keepdims=True)


class Shown:
    """What Blender shows of an object, in world space: points (N, 3), corners (L,) of faces with normals (L, 3)."""

    def __init__(self, obj):
        mesh, matrix = obj.data, np.array(obj.matrix_world)
        self.mesh = mesh
        outward = np.linalg.inv(matrix[:3, :3])
        self.points = read(mesh.attributes["position"].data, "vector", 3) @ matrix[:3, :3].T + matrix[:3, 3]
        self.corners = read(mesh.attributes[".corner_vert"].data, "value", 1, np.int32)
        self.normals = unit(read(mesh.corner_normals, "vector", 3) @ outward)
        start, sides = (read(mesh.polygons, name, 1, np.int32) for name in ("loop_start", "loop_total"))
        self.face = np.repeat(np.arange(len(sides)), sides)
        after = np.arange(len(self.corners)) + 1
        after[start + sides - 1] = start
        areas = np.cross(self.points[self.corners], self.points[self.corners[after]])
        facing = np.sign(np.linalg.det(matrix[:3, :3]))
        self.face_normals = unit(facing * np.add.reduceat(areas, start))
        mesh.calc_loop_triangles()
        self.triangles = read(mesh.loop_triangles, "loops", 3, np.int32).reshape(-1, 3)
        source = mesh.attributes.get("voxel_carve_source")
        self.source = None if source is None else read(source.data, "value", 1, np.int32)[self.face]
        segment = mesh.attributes.get("voxel_carve_segment")
        self.segment = None if segment is None else read(segment.data, "value", 1, np.int32)[self.face]

    def at(self, corners):
        return self.points[self.corners[corners]]

    def nearest(self, points, which=slice(None)):
        """(P, 3) normals at the nearest places on some triangles, by brute force."""
        triangles = self.triangles[which]
        corner, normals = self.points[self.corners[triangles]], self.normals[triangles]
        return unit(np.array([np.einsum("k,kj->j", *nearest_place(point, corner, normals)) for point in points]))


def nearest_place(point, corner, normals):
    """The weights (3,) of the place nearest to a point on triangles (T, 3, 3), and the normals there (3, 3)."""
    a, b, c = corner[:, 0], corner[:, 1], corner[:, 2]
    sides = np.stack([b - a, c - a], axis=2)
    u, v = np.moveaxis(np.linalg.pinv(sides) @ (point - a)[:, :, None], 0, -1)[:, 0]
    places = [np.stack([1 - u - v, u, v], axis=1)]
    inside = (places[0] >= 0).all(axis=1)
    for k in range(3):
        start, stop = corner[:, k], corner[:, (k + 1) % 3]
        along = ((point - start) * (stop - start)).sum(axis=1) / ((stop - start) ** 2).sum(axis=1)
        weights = np.zeros((len(corner), 3))
        weights[:, (k + 1) % 3] = np.clip(along, 0, 1)
        weights[:, k] = 1 - weights[:, (k + 1) % 3]
        places.append(weights)
    distance = [np.linalg.norm(np.einsum("tk,tkj->tj", each, corner) - point, axis=1) for each in places]
    distance[0] = np.where(inside, distance[0], np.inf)
    place, triangle = np.unravel_index(np.argmin(distance), (4, len(corner)))
    return places[place][triangle], normals[triangle]


def gradients(points, path, segment=None):
    """(P, 3) gradients of the distance from one of the capsules along a path: segment (P,), or the nearest."""
    path = np.asarray(path, float)
    feet = []
    for a, b in pairwise(path):
        along = np.clip((points - a) @ (b - a) / ((b - a) @ (b - a)), 0, 1)
        feet.append(a + along[:, None] * (b - a))
    off = points - np.array(feet)
    if segment is None:
        segment = np.linalg.norm(off, axis=2).argmin(axis=0)
    return unit(off[segment, np.arange(len(points))])


def degrees(one, other):
    return np.degrees(np.arccos(np.clip((one * other).sum(axis=-1), -1, 1)))
