"""Hermite data: where the surface crosses an edge of a cell, and which primitive it belongs to there (Ju, Losasso,
Schaefer and Warren 2002). Both are computed from the primitives themselves.

At each end of a crossed edge, the field is the distance of one primitive. The crossing belongs to one of these two: if
distances change linearly along the edge, no third primitive can come first. If the edge crosses both, the crossing
nearer to the inside end counts where the greater field does, and the one nearer to the outside end where the lesser
does. Two triangles meet at an unknown angle: of their crossings, the one nearer to its triangle counts.

An edge has length 1. It runs along an axis (0 is x) from a point (x, y, z), in voxels from the grid's origin.
Primitives are numbered as in `Field.nearest`. These numbers are called codes here.
"""

from ..model.bricks import LOWEST, NO_PRIMITIVE
from .language import Primitives, Rule, real
from .swept_body import value as segment_value
from .triangle import plane_value
from .triangle import squared_distance as triangle_square

CROSSING_STEPS = 6
ON_SURFACE = 0.01  # voxels: a step from here leaves an error of its square divided by twice a radius
ROUNDING = 1e-9  # of float64, generously
ROUNDING_32 = 1e-4  # of the float32 distances that decide which end is inside

ZERO = 0.0
ONE = 1.0
TWO = 2.0
NOWHERE = -1.0


def plane_crossing(primitives: Primitives, k: int, x: float, y: float, z: float, axis: int) -> float:
    """Where an edge crosses the plane of triangle k, from 0 to 1; -1 if it does not."""
    steepness = primitives.normal[k, axis]
    if abs(steepness) < ROUNDING:
        return NOWHERE
    t = -plane_value(primitives, k, x, y, z) / steepness
    if t < -ROUNDING_32 or t > ONE + ROUNDING_32:
        return NOWHERE
    return min(max(t, ZERO), ONE)


def segment_crossing(
    primitives: Primitives, j: int, x: float, y: float, z: float, axis: int, first_is_low: bool, guess: float
) -> float:
    """Where an edge crosses the surface of segment j, from 0 to 1; -1 if both its ends lie on one side.

    Newton's method, with bisection to stay between the ends.

    Args:
        first_is_low: whether the first end is nearer to the axis of the segment.
        guess: where to start; less than 0 if unknown.
    """
    dx, dy, dz = ONE if axis == 0 else ZERO, ONE if axis == 1 else ZERO, ONE if axis == 2 else ZERO
    low, high, t = real(ZERO), real(ONE), real(guess)
    sign = ONE if first_is_low else -ONE
    if guess < ZERO:
        first, _x, _y, _z = segment_value(primitives.segments, j, x, y, z)
        last, _x, _y, _z = segment_value(primitives.segments, j, x + dx, y + dy, z + dz)
        first, last = sign * first, sign * last
        if first > ROUNDING_32 or last < -ROUNDING_32:
            return NOWHERE
        t = -first / max(last - first, ROUNDING)
    t = min(max(t, ZERO), ONE)
    for _ in range(CROSSING_STEPS):
        value, nx, ny, nz = segment_value(primitives.segments, j, x + t * dx, y + t * dy, z + t * dz)
        value = sign * value
        if value > ZERO:
            high = t
        else:
            low = t
        steepness = sign * (nx * dx + ny * dy + nz * dz)
        step = t - value / steepness if steepness > ROUNDING else NOWHERE
        if abs(value) < ON_SURFACE:
            return min(max(step, ZERO), ONE) if steepness > ROUNDING else t
        t = step if low < step and step < high else (low + high) / TWO
    return t


def cross_edge(
    primitives: Primitives,
    rule: Rule,
    first: float,
    last: float,
    first_code: int,
    last_code: int,
    x: float,
    y: float,
    z: float,
    axis: int,
) -> tuple[float, int]:
    """Where the surface crosses an edge, from 0 to 1, and the code of its primitive there.

    Args:
        first, last: distances at the ends of the edge; one is 0 or less, the other is greater.
        first_code, last_code: the primitives that they belong to.
    """
    first_inside = first <= ZERO
    inner = first_code if first_inside else last_code
    outer = last_code if first_inside else first_code
    straight = first / (first - last)
    inner_place, outer_place = real(NOWHERE), real(NOWHERE)
    for end in range(2):
        code = inner if end == 0 else outer
        place = real(NOWHERE)
        if code >= 0 and code != NO_PRIMITIVE:
            place = plane_crossing(primitives, code, x, y, z, axis)
        elif code < 0 and code != LOWEST:
            guess = straight if inner == outer else NOWHERE
            place = segment_crossing(primitives, -1 - code, x, y, z, axis, first_inside != rule.carves, guess)
        if inner == outer:
            return place if place >= ZERO else straight, inner
        if end == 0:
            inner_place = place
        else:
            outer_place = place
    if inner_place < ZERO and outer_place < ZERO:
        return straight, outer if rule.greatest else inner
    by_inner = outer_place < ZERO
    if inner_place >= ZERO and outer_place >= ZERO:
        if inner >= 0 and outer >= 0:
            dx, dy, dz = ONE if axis == 0 else ZERO, ONE if axis == 1 else ZERO, ONE if axis == 2 else ZERO
            other = triangle_square(primitives, outer, x + outer_place * dx, y + outer_place * dy, z + outer_place * dz)
            by_inner = other > ROUNDING
            if by_inner:  # else nothing is nearer by that much
                own = triangle_square(
                    primitives, inner, x + inner_place * dx, y + inner_place * dy, z + inner_place * dz
                )
                by_inner = own < other - ROUNDING
        else:
            both_paths = inner < 0 and outer < 0
            nearer_inside = rule.carves or (rule.greatest and not both_paths)
            by_inner = (inner_place < outer_place) == (first_inside == nearer_inside)
    return inner_place if by_inner else outer_place, inner if by_inner else outer
