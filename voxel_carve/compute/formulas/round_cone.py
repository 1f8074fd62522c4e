"""The round cone: the union of balls along an axis whose radius changes evenly. All lengths are in voxels.

A row (10,) holds a cone, as `segments.Segments` describes it: start and axis (x, y, z), length, radius, slope, tangent.

The distance from a point to the ball at place s of the axis is convex in s. It is least where the line to the ball's
centre is perpendicular to the cone's side: at `along - across * tangent`, for a point at `along` the axis and `across`
from it. At the ends of the axis, s is clamped.
"""

from .vector import dot, length
from .words import Rows, sqrt, where

ZERO = 0.0
ONE = 1.0
TINY = 1e-300
# A larger ball is replaced, brick by brick, by one of this radius that touches it in the point nearest to the brick's
# centre. Then float32 costs a thousandth of a voxel, and the other curvature another one in the farthest corner.
LARGEST_RADIUS = 2.0**14


def nearest_ball(cones: Rows, j: int, x: float, y: float, z: float) -> tuple[float, float, float, float]:
    """The ball of cone j whose surface is nearest to a point: its place along the axis, and the vector from its centre
    to the point."""
    ax, ay, az = cones[j, 3], cones[j, 4], cones[j, 5]
    ox, oy, oz = x - cones[j, 0], y - cones[j, 1], z - cones[j, 2]
    along = dot(ox, oy, oz, ax, ay, az)
    across = length(ox - along * ax, oy - along * ay, oz - along * az)
    place = min(max(along - across * cones[j, 9], ZERO), cones[j, 6])
    return place, ox - place * ax, oy - place * ay, oz - place * az


def radius_at(cones: Rows, j: int, place: float) -> float:
    """Radius of the ball at a place along the axis of cone j."""
    return cones[j, 7] - place * cones[j, 8]


def distance(cones: Rows, j: int, x: float, y: float, z: float) -> float:
    """Signed distance of a point from cone j."""
    place, ox, oy, oz = nearest_ball(cones, j, x, y, z)
    return length(ox, oy, oz) - radius_at(cones, j, place)


def value(cones: Rows, j: int, x: float, y: float, z: float) -> tuple[float, float, float, float]:
    """Signed distance of a point from cone j, and its gradient (x, y, z), which is 0 on the axis."""
    place, ox, oy, oz = nearest_ball(cones, j, x, y, z)
    to_centre = length(ox, oy, oz)
    scale = where(to_centre > ZERO, ONE / max(to_centre, TINY), ZERO)
    return to_centre - radius_at(cones, j, place), ox * scale, oy * scale, oz * scale


def end(cones: Rows, j: int, axis: int) -> float:
    """Coordinate along x, y or z (0, 1, 2) of the centre of the last ball of cone j."""
    return cones[j, axis] + cones[j, 3 + axis] * cones[j, 6]


def lowest(cones: Rows, j: int, axis: int) -> float:
    """Least coordinate of cone j along x, y or z."""
    return min(cones[j, axis] - cones[j, 7], end(cones, j, axis) - radius_at(cones, j, cones[j, 6]))


def highest(cones: Rows, j: int, axis: int) -> float:
    """Greatest coordinate of cone j along x, y or z."""
    return max(cones[j, axis] + cones[j, 7], end(cones, j, axis) + radius_at(cones, j, cones[j, 6]))


def anchored(cones: Rows, j: int, x: float, y: float, z: float) -> tuple[float, float, float, float, float, float]:
    """Cone j, anchored at its ball nearest to a brick's centre: numbers about as small as the radius, which float32
    holds well wherever the brick lies along a long cone.

    Returns:
        The vector (x, y, z) from the anchor to the brick's centre; the least and the greatest place along the axis,
        counted from the anchor; the radius there. See `offset_distance`, which takes axis, slope and tangent too.
    """
    place, ox, oy, oz = nearest_ball(cones, j, x, y, z)
    radius = radius_at(cones, j, place)
    scale = ONE
    if radius > LARGEST_RADIUS:
        nearer = radius - LARGEST_RADIUS
        scale = ONE - min(nearer / max(length(ox, oy, oz), ONE), ONE)
        radius = radius - nearer
    return ox * scale, oy * scale, oz * scale, -place, cones[j, 6] - place, radius


def offset_distance(
    x: float, y: float, z: float, ax: float, ay: float, az: float, low: float, high: float, radius: float, slope: float,
    tangent: float,
) -> tuple[float, float, float]:  # fmt: skip
    """Signed distance at a vector (x, y, z) from the anchor of a cone: see `anchored`.

    Returns:
        The distance; the place along the axis of the nearest ball; the distance from its centre.
    """
    along = dot(ax, ay, az, x, y, z)
    square = dot(x, y, z, x, y, z)
    across = sqrt(max(square - along * along, ZERO))
    place = min(max(along - across * tangent, low), high)
    to_centre = sqrt(max(square - place * (along + along - place), ZERO))
    return to_centre - (radius - place * slope), place, to_centre
