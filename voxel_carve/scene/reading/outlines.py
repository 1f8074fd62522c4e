"""The radius of texts and filled curves that have no bevel: it follows the width of their strokes."""

from collections.abc import Sequence

import bpy
import numpy as np
import numpy.typing as npt

from .bevels import bevel_radius
from .curves import Spline, outline_in_plane
from .splines import is_filled, legacy_curve, object_splines

Floats = npt.NDArray[np.float64]

# The radius, relative to the width of a stroke. A groove along each side then leaves half of the stroke between them.
RADIUS_SHARE = 0.25


def is_outline(obj: bpy.types.Object) -> bool:
    """Whether an object is a text or a filled curve, without a bevel."""
    curve = legacy_curve(obj)
    if curve is None or bevel_radius(obj):
        return False
    return obj.type == "FONT" or is_filled(curve)


def outline_radius(splines: Sequence[Spline]) -> float:
    """The radius for the outlines of filled strokes; 0 if they enclose nothing.

    A long strip of width w and length l has the area w l and the perimeter 2 l. So the mean width of strokes is twice
    their area over the length of their outlines.
    """
    outlines = [outline_in_plane(spline) for spline in splines if spline.cyclic and len(spline.points) > 1]
    area = sum(_area(outline) * (-1) ** depth for outline, depth in zip(outlines, _depths(outlines), strict=True))
    length = sum(float(np.linalg.norm(each - np.roll(each, 1, axis=0), axis=1).sum()) for each in outlines)
    return RADIUS_SHARE * 2 * abs(area) / length if length else 0.0


def object_outline_radius(obj: bpy.types.Object) -> float:
    """The radius for a text or filled curve without a bevel, in its own space; 0 for others."""
    if not is_outline(obj):
        return 0.0
    depsgraph = bpy.context.evaluated_depsgraph_get()
    return outline_radius(object_splines(obj.evaluated_get(depsgraph), depsgraph))


def _area(outline: Floats) -> float:
    """The area inside a polygon, which need not be convex."""
    x, y = (outline - outline[0]).T
    return abs(float(x @ np.roll(y, -1) - y @ np.roll(x, -1))) / 2


def _depths(outlines: Sequence[Floats]) -> list[int]:
    """How many other outlines enclose each; an odd number for a hole."""
    if not outlines:
        return []
    low, high = (np.array([bound(outline, axis=0) for outline in outlines]) for bound in (np.min, np.max))
    depths = []
    for number, outline in enumerate(outlines):
        around = ((low <= outline[0]) & (outline[0] <= high)).all(axis=1)
        around[number] = False
        depths.append(sum(_encloses(outlines[other], outline[0]) for other in np.flatnonzero(around)))
    return depths


def _encloses(outline: Floats, point: Floats) -> bool:
    """Whether a point lies inside a polygon, by the crossings of a ray along x."""
    (x, y), (next_x, next_y) = outline.T - point[:, None], np.roll(outline, -1, axis=0).T - point[:, None]
    crossing = (y > 0) != (next_y > 0)
    right = x * next_y - next_x * y
    return bool(np.count_nonzero(crossing & ((right > 0) == (next_y > y))) % 2)
