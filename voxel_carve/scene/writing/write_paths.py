"""Paths to a curve object, new or there already, and balls to loose vertices."""

from collections.abc import Sequence
from typing import cast

import bpy
import numpy as np
import numpy.typing as npt
from mathutils import Vector

from ...compute import Path
from ...formats import float32_origin
from ..reading.bevels import bevel_radius
from ..reading.meshes import mean_scale, to_world

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
        _set_points(spline, path.points - origin, path.radii / radius)
        spline.use_cyclic_u = path.cyclic
    return _placed(collection, name, curve, origin)


def rewrite_paths(obj: bpy.types.Object, paths: Sequence[Path]) -> None:
    """Give each spline of a curve object the points and radii of a polyline in world space.

    If one is no polyline, or has another number of points, all become new polylines, which look as they did.

    Args:
        obj: a curve that is not scaled to zero. Without a bevel, it gets one of the first radius.
        paths: one for each spline.
    """
    curve, matrix = cast(bpy.types.Curve, obj.data), np.array(obj.matrix_world, dtype=np.float64)
    scale, inverse = mean_scale(matrix), np.linalg.inv(matrix).astype(np.float64)
    if not bevel_radius(obj):
        curve.bevel_mode, curve.bevel_depth = "ROUND", float(paths[0].radii[0]) / scale
    curve.dimensions = "3D"
    unit = bevel_radius(obj) * scale
    splines = list(curve.splines)
    if any(
        spline.type != "POLY" or len(spline.points) != len(path.points)
        for spline, path in zip(splines, paths, strict=True)
    ):
        splines = [_polyline_like(curve, spline, len(path.points)) for spline, path in zip(splines, paths, strict=True)]
    for spline, path in zip(splines, paths, strict=True):
        _set_points(spline, to_world(inverse, path.points), path.radii / unit)


def _polyline_like(curve: bpy.types.Curve, spline: bpy.types.Spline, count: int) -> bpy.types.Spline:
    """A new polyline, the last of the splines, that looks like another one, which is removed."""
    new = curve.splines.new("POLY")
    new.points.add(count - 1)
    new.material_index, new.use_smooth = spline.material_index, spline.use_smooth
    new.use_cyclic_u = spline.use_cyclic_u
    curve.splines.remove(spline)
    return new


def _set_points(spline: bpy.types.Spline, points: Floats, radii: Floats) -> None:
    """Set points (N, 3) and radii (N,) of a polyline."""
    control = np.column_stack([points, np.ones(len(points))])
    spline.points.foreach_set("co", control.astype(np.float32).ravel())
    spline.points.foreach_set("radius", radii.tolist())


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
