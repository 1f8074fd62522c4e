"""Paths to a curve object."""

from collections.abc import Sequence

import bpy
import numpy as np
from mathutils import Vector

from ...compute import Path
from ...formats import float32_origin


def write_paths(collection: bpy.types.Collection, name: str, paths: Sequence[Path], radius: float) -> bpy.types.Object:
    """Polylines in world space as a curve object whose bevel depth is the radius.

    Args:
        collection: the collection the object is linked to.
        name: the name of the object and its curve.
        paths: one or more; each becomes a spline.
        radius: the length of a point radius of 1, positive.
    """
    points = np.concatenate([path.points for path in paths])
    origin = float32_origin(np.stack([points.min(axis=0), points.max(axis=0)]))
    curve = bpy.data.curves.new(name, "CURVE")
    curve.dimensions, curve.bevel_depth = "3D", radius
    for path in paths:
        spline = curve.splines.new("POLY")
        spline.points.add(len(path.points) - 1)
        control = np.column_stack([path.points - origin, np.ones(len(path.points))])
        spline.points.foreach_set("co", control.astype(np.float32).ravel())
        spline.points.foreach_set("radius", (np.broadcast_to(path.radii, len(path.points)) / radius).tolist())
        spline.use_cyclic_u = path.cyclic
    obj = bpy.data.objects.new(name, curve)
    obj.location = Vector(origin.tolist())
    collection.objects.link(obj)
    return obj
