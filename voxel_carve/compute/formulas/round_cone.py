"""The round cone: the union of balls along an axis, with linearly changing radius. All lengths are in voxels.

A row (10,) holds a cone: start and axis (x, y, z), length, radius, slope, tangent. See `segments.Segments`.

The distance from a point to the ball at place s of the axis is convex in s. It is least where the line to the ball's
centre is perpendicular to the cone's side. For a point at `along` the axis and `across` from it, that is at
`along - across * tangent`, clamped to the ends of the axis.
"""

from .language import Rows, Singles, single, some, sqrt, where
from .vector import dot, length

ZERO = 0.0
ONE = 1.0
ROW = 10  # numbers of a cone
NUMBERS = 11  # of `anchor`
TINY = 1e-300
# In each brick, a larger ball is replaced by one of this radius that touches it at the point nearest to the brick's
# centre. Then float32 costs a thousandth of a voxel, and the changed curvature another one in the farthest corner.
LARGEST_RADIUS = 2.0**14

# Nearer to an axis than this, rounding may change the gradient's direction.
ON_AXIS = 1e-3
# Slack of the bounds in `can_be_nearest` for the float32 rounding of the distances.
PRUNING_SLACK = 1e-3
BENDING = 1.5


def nearest_ball(cones: Rows, j: int, x: float, y: float, z: float) -> tuple[float, float, float, float]:
    """The ball of cone j with the surface nearest to a point: its place along the axis, and the vector from its centre
    to the point."""
    ax, ay, az = cones[j, 3], cones[j, 4], cones[j, 5]
    ox, oy, oz = x - cones[j, 0], y - cones[j, 1], z - cones[j, 2]
    along = dot(ox, oy, oz, ax, ay, az)
    if some(cones[j, 9] != ZERO):
        across = length(ox - along * ax, oy - along * ay, oz - along * az)
        along = along - across * cones[j, 9]
    place = min(max(along, ZERO), cones[j, 6])
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


def side_normal(cones: Rows, j: int, x: float, y: float, z: float) -> tuple[float, float, float]:
    """The gradient of the distance of a point from cone j, if it had no ends; 0 on the axis."""
    ax, ay, az = cones[j, 3], cones[j, 4], cones[j, 5]
    ox, oy, oz = x - cones[j, 0], y - cones[j, 1], z - cones[j, 2]
    along = dot(ox, oy, oz, ax, ay, az)
    ox, oy, oz = ox - along * ax, oy - along * ay, oz - along * az
    beside = cones[j, 9] * length(ox, oy, oz)
    ox, oy, oz = ox + beside * ax, oy + beside * ay, oz + beside * az
    whole = max(length(ox, oy, oz), TINY)
    return ox / whole, oy / whole, oz / whole


def lean(cones: Rows, j: int, x: float, y: float, z: float) -> float:
    """The cosine between the gradient at a point and the axis of cone j, less that of `side_normal`: 0 beside the axis,
    and not around an end."""
    _value, nx, ny, nz = value(cones, j, x, y, z)
    return dot(nx, ny, nz, cones[j, 3], cones[j, 4], cones[j, 5]) - cones[j, 8]


def end(cones: Rows, j: int, axis: int) -> float:
    """Coordinate along x, y or z (0, 1, 2) of the centre of the last ball of cone j."""
    return cones[j, axis] + cones[j, 3 + axis] * cones[j, 6]


def lowest(cones: Rows, j: int, axis: int) -> float:
    """Least coordinate of cone j along x, y or z."""
    return min(cones[j, axis] - cones[j, 7], end(cones, j, axis) - radius_at(cones, j, cones[j, 6]))


def highest(cones: Rows, j: int, axis: int) -> float:
    """Greatest coordinate of cone j along x, y or z."""
    return max(cones[j, axis] + cones[j, 7], end(cones, j, axis) + radius_at(cones, j, cones[j, 6]))


def contains_cube(cones: Rows, j: int, x: float, y: float, z: float, half: float, depth: float) -> bool:
    """Whether the cube of half extent `half` around a point lies in cone j, everywhere deeper than `depth`."""
    deep = int(0)
    for corner in range(8):
        cx = x + where((corner & 1) == 1, half, -half)
        cy = y + where(((corner >> 1) & 1) == 1, half, -half)
        cz = z + where((corner >> 2) == 1, half, -half)
        if distance(cones, j, cx, cy, cz) < -depth:
            deep += 1
    return deep == 8


def can_be_nearest(
    here: float, x: float, y: float, z: float, least: float, nx: float, ny: float, nz: float, rho: float, half: float,
    band: float,
) -> bool:  # fmt: skip
    """Whether a cone can be the nearest one, and within `band`, in the cube of half extent `half` around a point.

    The bounds are those of `field.binning`.

    Args:
        here, x, y, z: the point's distance from the cone, and the vector to it from the centre of the nearest ball.
        least, nx, ny, nz, rho: the distance from the cone nearest to the point, its gradient there, and the length of
            the vector.
    """
    own = length(x, y, z)
    if own < ON_AXIS:
        return True
    if here - half * (abs(x) + abs(y) + abs(z)) / own > band:
        return False
    bend = abs(x / own - nx) + abs(y / own - ny) + abs(z / own - nz)
    return here - least <= half * bend + BENDING * half * half / rho + PRUNING_SLACK


def anchor(cones: Rows, j: int, x: float, y: float, z: float, out: Singles, n: int) -> None:
    """Set column n of out (11, N) to the numbers of cone j that `distance_from` needs near a brick's centre (x, y, z).

    The cone is anchored at its ball nearest to the centre. No number is then much larger than the radius, wherever the
    brick lies along a long cone, so float32 holds them well.

    The numbers are: the vector (x, y, z) from the anchor to the centre; the axis (x, y, z); the least and the greatest
    place along it, relative to the anchor; the radius there; slope and tangent. On whole arrays, n is slice(None).
    """
    place, ox, oy, oz = nearest_ball(cones, j, x, y, z)
    radius = radius_at(cones, j, place)
    nearer = max(radius - LARGEST_RADIUS, ZERO)
    scale = ONE - min(nearer / max(length(ox, oy, oz), ONE), ONE)
    out[0, n] = single(ox * scale)
    out[1, n] = single(oy * scale)
    out[2, n] = single(oz * scale)
    out[3, n] = single(cones[j, 3])
    out[4, n] = single(cones[j, 4])
    out[5, n] = single(cones[j, 5])
    out[6, n] = single(-place)
    out[7, n] = single(cones[j, 6] - place)
    out[8, n] = single(radius - nearer)
    out[9, n] = single(cones[j, 8])
    out[10, n] = single(cones[j, 9])


def offset_distance(
    x: float, y: float, z: float, ax: float, ay: float, az: float, low: float, high: float, radius: float, slope: float,
    tangent: float,
) -> tuple[float, float, float]:  # fmt: skip
    """Signed distance at a vector (x, y, z) from the anchor of a cone: see `anchor`.

    Returns:
        The distance; the place of the nearest ball along the axis; the distance from its centre.
    """
    along = dot(ax, ay, az, x, y, z)
    square = dot(x, y, z, x, y, z)
    place = along
    if some(tangent != ZERO):
        place = along - sqrt(max(square - along * along, ZERO)) * tangent
    place = min(max(place, low), high)
    to_centre = sqrt(max(square - place * (along + along - place), ZERO))
    return to_centre - (radius - place * slope), place, to_centre


def distance_from(anchors: Singles, n: int, x: float, y: float, z: float) -> tuple[float, float, float]:
    """`offset_distance` for column n, at a vector (x, y, z) from the brick's centre: see `anchor`."""
    return offset_distance(
        anchors[0, n] + x, anchors[1, n] + y, anchors[2, n] + z, anchors[3, n], anchors[4, n], anchors[5, n],
        anchors[6, n], anchors[7, n], anchors[8, n], anchors[9, n], anchors[10, n],
    )  # fmt: skip
