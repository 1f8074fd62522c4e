"""Where the surface crosses the edges of cells, and whose surface it is there, compiled by numba: see `hermite`."""

import numpy as np

from .formulas import round_cone, triangle
from .hermite import CROSSING_STEPS, LOWEST, ON_SURFACE, ROUNDING, ROUNDING_32
from .numba_formulas import DOUBLE
from .numba_kernels import NONE, merged, part

# As numba compiles them: merged into what calls them where that is called for each edge, else called.
plane_value = DOUBLE(triangle.plane_value)
segment_value_of = DOUBLE(round_cone.value)
square_to_triangle = DOUBLE(triangle.square_to)


@part
def segment_value(primitives, j, x, y, z):  # type: ignore[no-untyped-def]
    """`round_cone.value` of segment j."""
    return segment_value_of(primitives.segments, j, x, y, z)


@part
def plane_crossing(primitives, k, x, y, z, axis):  # type: ignore[no-untyped-def]
    """Where the edge of length 1 from a point along an axis meets the plane of triangle k; -1 where it does not."""
    steepness = primitives.normal[k, axis]
    if abs(steepness) < ROUNDING:
        return -1.0
    t = -plane_value(primitives, k, x, y, z) / steepness
    return min(max(t, 0.0), 1.0) if -ROUNDING_32 <= t <= 1.0 + ROUNDING_32 else -1.0


@merged
def segment_crossing(primitives, j, x, y, z, axis, first_is_low, guess):  # type: ignore[no-untyped-def]
    """Where the edge of length 1 from a point along an axis passes through the surface of segment j; -1 where both its
    ends lie on one side. `first_is_low`: the first end is the one nearer to the axis of the segment.

    `guess` is where to begin, or less than 0 where nothing is known.
    """
    dx, dy, dz = 1.0 if axis == 0 else 0.0, 1.0 if axis == 1 else 0.0, 1.0 if axis == 2 else 0.0
    low, high, t = 0.0, 1.0, guess
    turn = 1.0 if first_is_low else -1.0
    if guess < 0.0:
        first = turn * segment_value(primitives, j, x, y, z)[0]
        last = turn * segment_value(primitives, j, x + dx, y + dy, z + dz)[0]
        if first > ROUNDING_32 or last < -ROUNDING_32:
            return -1.0
        t = -first / max(last - first, ROUNDING)
    t = min(max(t, 0.0), 1.0)
    for _ in range(CROSSING_STEPS):
        value, nx, ny, nz = segment_value(primitives, j, x + t * dx, y + t * dy, z + t * dz)
        value *= turn
        if value > 0.0:
            high = t
        else:
            low = t
        steepness = turn * (nx * dx + ny * dy + nz * dz)
        step = t - value / steepness if steepness > ROUNDING else -1.0
        if abs(value) < ON_SURFACE:
            return min(max(step, 0.0), 1.0) if steepness > ROUNDING else t
        t = step if low < step < high else (low + high) / 2
    return t


@merged
def cross_edge(primitives, rule, first, last, first_code, last_code, x, y, z, axis):  # type: ignore[no-untyped-def]
    """Where the surface crosses the edge of length 1 from the point (x, y, z) along an axis, and whose surface it is.

    `first` and `last` are the distances at its ends, and the codes whose they are. See `vertices.cross_edges`.
    """
    first_inside = first <= 0.0
    inner, outer = (first_code, last_code) if first_inside else (last_code, first_code)
    straight = np.float64(first) / (np.float64(first) - np.float64(last))
    inner_place, outer_place = -1.0, -1.0
    for end in range(2):
        code = inner if end == 0 else outer
        place = -1.0
        if code >= 0 and code != NONE:
            place = plane_crossing(primitives, code, x, y, z, axis)
        elif code < 0 and code != LOWEST:
            guess = straight if inner == outer else -1.0
            place = segment_crossing(primitives, -1 - code, x, y, z, axis, first_inside != rule.carves, guess)
        if inner == outer:
            if place < 0.0:
                return straight, outer if rule.greatest else inner
            return place, code
        if end == 0:
            inner_place = place
        else:
            outer_place = place
    if inner_place < 0.0 and outer_place < 0.0:
        return straight, outer if rule.greatest else inner
    by_inner = outer_place < 0.0
    if inner_place >= 0.0 and outer_place >= 0.0:
        if inner >= 0 and outer >= 0:
            dx, dy, dz = 1.0 if axis == 0 else 0.0, 1.0 if axis == 1 else 0.0, 1.0 if axis == 2 else 0.0
            own = square_to_triangle(
                primitives, inner, x + inner_place * dx, y + inner_place * dy, z + inner_place * dz
            )
            other = square_to_triangle(
                primitives, outer, x + outer_place * dx, y + outer_place * dy, z + outer_place * dz
            )
            by_inner = own < other - ROUNDING
        else:
            both_paths = inner < 0 and outer < 0
            nearer_inside = rule.carves or (rule.greatest and not both_paths)
            by_inner = (inner_place < outer_place) == (first_inside == nearer_inside)
    return (inner_place, inner) if by_inner else (outer_place, outer)
