"""The radius of the tool along each path, as far as it is known without reading the paths."""

import math
from collections.abc import Sequence
from typing import Any

import bpy
import numpy as np
import numpy.typing as npt

from ...scene.reading.outlines import is_outline
from ...scene.reading.read import own_radius
from ...settings import AUTOMATIC_RADIUS, Own

Floats = npt.NDArray[np.float64]

# The radii of texts and filled curves that were read last.
_outline_radii: dict[tuple[object, ...], float] = {}
MOST_OUTLINES = 256


def own_radii(paths: Sequence[bpy.types.Object]) -> Floats:
    """(N,) the paths' own radii in world space, by the mean scale; 0 for none."""
    return np.array([_own_radius(path) for path in paths], dtype=np.float64)


def point_factors(paths: Sequence[bpy.types.Object]) -> Floats:
    """(N,) the greatest radius of a point of each path, where it is a factor; 1 where it is a length, or unknown."""
    return np.array([_point_factor(path) for path in paths], dtype=np.float64)


def tool_radii(
    own: Floats, points: Floats, listed: Sequence[Own], longest: float, given: float | None, factor: float
) -> Floats:
    """(N,) the greatest radius of the tool along each path.

    Args:
        own: (N,) as `own_radii`.
        points: (N,) as `point_factors`.
        listed: what each path has of its own in a list.
        longest: the longest side of the stock.
        given: one radius for all paths; None for their own.
        factor: multiplies every radius.
    """
    usual = np.where(own > 0, own, AUTOMATIC_RADIUS * longest) if given is None else np.full(len(own), given)
    each = zip(listed, usual, strict=True)
    radii = np.array([radius if item.radius is None else item.radius for item, radius in each], dtype=np.float64)
    return factor * points * radii


def least_radius(radii: Floats, boxes: Floats, bounds: Floats) -> float:
    """The least radius (N,) among the paths that may touch a stock; infinite if none does.

    Args:
        radii: as `tool_radii`.
        boxes: (N, 2, 3) around the paths: see `world_boxes`. An empty's has no size, and may hold anything.
        bounds: (2, 3) around the stock.
    """
    reach = radii[:, None]
    touches = ((boxes[:, 0] - reach <= bounds[1]) & (boxes[:, 1] + reach >= bounds[0])).all(axis=1)
    touches |= (boxes[:, 0] == boxes[:, 1]).all(axis=1)
    return float(radii[touches].min(initial=math.inf))


def world_boxes(objs: Sequence[bpy.types.Object]) -> Floats:
    """(N, 2, 3): the world-space boxes around the local bounding boxes of objects."""
    if not objs:
        return np.empty((0, 2, 3))
    corners = np.array([[corner[:] for corner in obj.bound_box] for obj in objs], dtype=np.float64)
    matrices = np.array([obj.matrix_world for obj in objs], dtype=np.float64)
    corners = corners @ matrices[:, :3, :3].transpose(0, 2, 1) + matrices[:, None, :3, 3]
    return np.stack([corners.min(axis=1), corners.max(axis=1)], axis=1)


def _point_factor(path: bpy.types.Object) -> float:
    curve: Any = path.data if path.type == "CURVE" else None
    greatest = 0.0
    for spline in curve.splines if curve else ():
        points = spline.bezier_points if spline.type == "BEZIER" else spline.points
        radii = np.empty(len(points), dtype=np.float32)
        points.foreach_get("radius", radii)
        greatest = max(greatest, float(radii.max(initial=0.0)))
    return greatest or 1.0


def _own_radius(path: bpy.types.Object) -> float:
    radius = _outline_radius(path) if is_outline(path) else own_radius(path)
    if not radius:
        return 0.0
    return float(radius * abs(np.linalg.det(np.array(path.matrix_world, dtype=np.float64)[:3, :3])) ** (1 / 3))


def _outline_radius(path: bpy.types.Object) -> float:
    """The radius of a text or filled curve. It is read once for each text and box, because that takes a while."""
    data: Any = path.data
    key = (data.session_uid, getattr(data, "body", ""), *(tuple(corner) for corner in path.bound_box))
    if key not in _outline_radii:
        while len(_outline_radii) >= MOST_OUTLINES:
            del _outline_radii[next(iter(_outline_radii))]
        _outline_radii[key] = own_radius(path)
    return _outline_radii[key]
