"""Paths to a curve object, and balls to loose vertices."""

from collections.abc import Sequence
from typing import cast

import bpy
import numpy as np
import numpy.typing as npt
from mathutils import Vector

from ...compute import Path
from ...formats import float32_origin

Floats = npt.NDArray[np.float64]


def write_paths(collection: bpy.types.Collection, name: str, paths: Sequence[Path], radius: float) -> bpy.types.Object:
    """Polylines in world space as a curve object whose bevel depth is the radius.

    Args:
        collection: the collection the object is linked to.
        name: the name of the object and its curve.
        paths: one or more; each becomes a spline.
        radius: the length of a point radius of 1, positive.
    """
    origin = _origin(np.concatenate([path.points for path in paths]))
    curve = bpy.data.curves.new(name, "CURVE")
    curve.dimensions, curve.bevel_depth = "3D", radius
    for path in paths:
        spline = curve.splines.new("POLY")
        spline.points.add(len(path.points) - 1)
        control = np.column_stack([path.points - origin, np.ones(len(path.points))])
        spline.points.foreach_set("co", control.astype(np.float32).ravel())
        spline.points.foreach_set("radius", (np.broadcast_to(path.radii, len(path.points)) / radius).tolist())
        spline.use_cyclic_u = path.cyclic
    return _placed(collection, name, curve, origin)


def write_balls(collection: bpy.types.Collection, name: str, points: Floats, radii: Floats | None) -> bpy.types.Object:
    """Balls in world space as a mesh object of loose vertices.

    Args:
        collection: the collection the object is linked to.
        name: the name of the object and its mesh.
        points: (N, 3) their centres, one or more.
        radii: (N,) the attribute "radius" of the vertices; None leaves the radius to the carve.
    """
    origin, mesh = _origin(points), bpy.data.meshes.new(name)
    mesh.vertices.add(len(points))
    mesh.vertices.foreach_set("co", (points - origin).astype(np.float32).ravel())
    if radii is not None:
        attribute = cast(bpy.types.FloatAttribute, mesh.attributes.new("radius", "FLOAT", "POINT"))
        attribute.data.foreach_set("value", radii.astype(np.float32))
    return _placed(collection, name, mesh, origin)


def _origin(points: Floats) -> Floats:
    return float32_origin(np.stack([points.min(axis=0), points.max(axis=0)]))


def _placed(collection: bpy.types.Collection, name: str, data: bpy.types.ID, origin: Floats) -> bpy.types.Object:
    obj = bpy.data.objects.new(name, data)
    obj.location = Vector(origin.tolist())
    collection.objects.link(obj)
    return obj
