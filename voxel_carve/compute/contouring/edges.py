"""Where the surface of the result crosses an edge of the grid, and on which primitives.

Along an edge, the stock and the sweep are each inside or outside between *events*. An event of the stock is a crossing
with a triangle, and changes the winding number. The events of the sweep are the ends of the spans that lie in the
segments nearest to the two ends of the edge. The operation combines both. Where its value changes, the result's surface
crosses the edge.

An edge has length 1. It runs along an axis (0 is x) from a voxel centre (x, y, z). Places on it go from 0 to 1.
"""

from ..formulas.language import Edge, Listed, Primitives, Rows, Rule, ceil, floor, real, sqrt
from ..formulas.swept_body import value as segment_value
from ..formulas.triangle import squared_distance as triangle_square
from ..formulas.z_columns import line_place
from ..model.bricks import NO_PRIMITIVE
from .drifting import INSIDE, do_drift, drift_of, settle_drifting

STOCK_EVENTS = 10  # of an edge that are kept
MOST_EVENTS = STOCK_EVENTS + 4  # with those of the sweep

STEPS = 8  # of Newton's method
SETTLED = 1e-7  # voxels
NEAREST, FARTHEST = 0.1, 0.9  # of the way between two bounds
BESIDE = 1e-6  # squared: a triangle so near to an end of an edge is crossed there
NO_WIDTH = 1e-5  # voxels: a wall or a gap that is thinner is none
THIN = 2.0  # voxels: a thinner segment may pass between the ends of an edge

ZERO = 0.0
HALF = 0.5
ONE = 1.0
TWO = 2.0
TINY = 1e-12


def in_result(stock: bool, swept: bool, rule: Rule) -> bool:
    """Whether a point is inside the result, from whether it is inside the stock and the sweep."""
    if rule.carves:
        return stock and not swept
    if rule.greatest:
        return stock and swept
    return stock or swept


def surface_place(
    primitives: Primitives, j: int, x: float, y: float, z: float, axis: int, low: float, high: float, rising: bool
) -> float:
    """Where an edge crosses the surface of segment j between two places: Newton's method, and bisection beside it.

    Args:
        rising: whether the edge leaves the segment.
    """
    dx, dy, dz = ONE if axis == 0 else ZERO, ONE if axis == 1 else ZERO, ONE if axis == 2 else ZERO
    sign = ONE if rising else -ONE
    first, last, t = real(low), real(high), real(low + (high - low) / TWO)
    for _ in range(STEPS):
        value, nx, ny, nz = segment_value(primitives.segments, j, x + t * dx, y + t * dy, z + t * dz)
        value = sign * value
        if value > ZERO:
            last = t
        else:
            first = t
        slope = sign * (nx * dx + ny * dy + nz * dz)
        if abs(value) < SETTLED:
            break
        step = t - value / slope if slope > TINY else first - ONE
        t = step if first <= step and step <= last else (first + last) / TWO
    return min(max(t, low), high)


def nearest_place(primitives: Primitives, j: int, x: float, y: float, z: float, axis: int) -> float:
    """The place on an edge that is nearest to segment j, -1 if it is an end. The distance is convex: by bisection."""
    dx, dy, dz = ONE if axis == 0 else ZERO, ONE if axis == 1 else ZERO, ONE if axis == 2 else ZERO
    low, high = real(ZERO), real(ONE)
    _value, nx, ny, nz = segment_value(primitives.segments, j, x, y, z)
    _last, mx, my, mz = segment_value(primitives.segments, j, x + dx, y + dy, z + dz)
    before, after = nx * dx + ny * dy + nz * dz, mx * dx + my * dy + mz * dz
    if before >= ZERO or after <= ZERO:
        return -ONE
    t = before / (before - after)
    for _ in range(STEPS):
        value, nx, ny, nz = segment_value(primitives.segments, j, x + t * dx, y + t * dy, z + t * dz)
        slope = nx * dx + ny * dy + nz * dz
        if value < ZERO:
            break
        if slope < ZERO:
            low = t
            before = slope
        else:
            high = t
            after = slope
        t = low + (high - low) * min(max(before / min(before - after, -TINY), NEAREST), FARTHEST)
    return t


def segment_span(
    primitives: Primitives, j: int, x: float, y: float, z: float, axis: int, first_inside: bool, last_inside: bool
) -> tuple[float, float]:
    """The places from which and to which an edge lies in segment j; the second is less if it does not."""
    if first_inside and last_inside:
        return ZERO, ONE
    if first_inside:
        return ZERO, surface_place(primitives, j, x, y, z, axis, ZERO, ONE, True)
    if last_inside:
        return surface_place(primitives, j, x, y, z, axis, ZERO, ONE, False), ONE
    t = nearest_place(primitives, j, x, y, z, axis)
    if t < ZERO:
        return ONE, ZERO
    dx, dy, dz = ONE if axis == 0 else ZERO, ONE if axis == 1 else ZERO, ONE if axis == 2 else ZERO
    value, _x, _y, _z = segment_value(primitives.segments, j, x + t * dx, y + t * dy, z + t * dz)
    if value > -SETTLED:
        return ONE, ZERO
    low = surface_place(primitives, j, x, y, z, axis, ZERO, t, False)
    return low, surface_place(primitives, j, x, y, z, axis, t, ONE, True)


def chord_reach(radius: float) -> float:
    """How far the two ends of an edge are from a ball of this radius, in all, if both lie outside and it goes through:
    at most. The edge's line passes the centre at a distance less than the radius."""
    return sqrt(radius * radius + ONE) - radius


def add_event(edge: Edge, count: int, place: float, code: int, change: int) -> int:
    """Insert an event into the first `count`, which are in order. Return their new number; events beyond
    MOST_EVENTS are left out."""
    if count == MOST_EVENTS:
        return count
    n = int(count)
    while n > 0 and (edge.place[n - 1] > place or (edge.place[n - 1] == place and edge.code[n - 1] > code)):
        edge.place[n] = edge.place[n - 1]
        edge.code[n] = edge.code[n - 1]
        edge.change[n] = edge.change[n - 1]
        n -= 1
    edge.place[n] = place
    edge.code[n] = code
    edge.change[n] = change
    return count + 1


def settle_stock(edge: Edge, count: int, winding: float, last: float) -> int:
    """Keep those of the stock's events where its inside begins or ends. Return their number; -1 if there should be one
    more than there is.

    Their number is odd exactly where the two ends differ. Rounding may break this next to an edge of a triangle, or to
    a voxel centre on the surface: then the last one goes.

    Args:
        winding, last: the winding numbers at the ends.
    """
    kept = int(0)
    w = real(winding)
    inside, last_inside = abs(w) > INSIDE, abs(last) > INSIDE
    if inside != last_inside:
        drift = drift_of(edge, count, winding, last)
        if do_drift(drift, count):
            return settle_drifting(edge, count, winding, last, drift)
    if count == 1 and inside != last_inside:
        return count
    for n in range(count):
        w -= real(edge.change[n])
        now = abs(w) > INSIDE
        if now != inside:
            edge.place[kept] = edge.place[n]
            edge.code[kept] = edge.code[n]
            edge.change[kept] = 0
            kept += 1
            inside = now
    if inside != last_inside:
        kept -= 1
    return kept


def fill_gap(
    primitives: Primitives,
    listed: Listed,
    start: int,
    stop: int,
    edge: Edge,
    x: float,
    y: float,
    z: float,
    axis: int,
) -> bool:
    """Narrow the gap between two spans of an edge by all segments that are near. Return whether any of it is left.

    The gap is from edge.gap[0] to edge.gap[1], and ends at the segments edge.gap_code[0] and edge.gap_code[1].

    Args:
        listed: the segments are those from listed[start] to listed[stop - 1].
    """
    dx, dy, dz = ONE if axis == 0 else ZERO, ONE if axis == 1 else ZERO, ONE if axis == 2 else ZERO
    for _ in range(2):  # a segment may reach only what another has left
        for n in range(start, stop):
            j = listed[n]
            t = (edge.gap[0] + edge.gap[1]) / TWO
            half = t - edge.gap[0]
            value, _x, _y, _z = segment_value(primitives.segments, j, x + t * dx, y + t * dy, z + t * dz)
            if value < half - SETTLED:
                first, _x, _y, _z = segment_value(primitives.segments, j, x, y, z)
                last, _x, _y, _z = segment_value(primitives.segments, j, x + dx, y + dy, z + dz)
                low, high = segment_span(primitives, j, x, y, z, axis, first <= ZERO, last <= ZERO)
                if low <= edge.gap[0] and high > edge.gap[0]:
                    edge.gap[0] = high
                    edge.gap_code[0] = -1 - j
                if high >= edge.gap[1] and low < edge.gap[1]:
                    edge.gap[1] = low
                    edge.gap_code[1] = -1 - j
                if edge.gap[0] >= edge.gap[1]:
                    return False
    return True


def add_sweep(
    primitives: Primitives,
    listed: Listed,
    start: int,
    stop: int,
    edge: Edge,
    count: int,
    x: float,
    y: float,
    z: float,
    axis: int,
    first_code: int,
    last_code: int,
    first_inside: bool,
    last_inside: bool,
) -> int:
    """Add the events of the sweep to the first `count`. Return their new number.

    Args:
        listed, start, stop: the segments that are near: see `fill_gap`.
        first_code, last_code: those nearest to the two ends; 0 or more for none.
        first_inside, last_inside: whether the ends are inside the sweep.
    """
    low, high = real(ONE), real(ZERO)
    if first_code < 0:
        also_last = last_inside and first_code == last_code
        if last_inside and not also_last:
            dx, dy, dz = ONE if axis == 0 else ZERO, ONE if axis == 1 else ZERO, ONE if axis == 2 else ZERO
            value, _x, _y, _z = segment_value(primitives.segments, -1 - first_code, x + dx, y + dy, z + dz)
            also_last = value <= ZERO
        low, high = segment_span(primitives, -1 - first_code, x, y, z, axis, first_inside, also_last)
    other_low, other_high = real(ONE), real(ZERO)
    if last_code < 0 and last_code != first_code:
        also_first = bool(False)
        if first_inside:
            value, _x, _y, _z = segment_value(primitives.segments, -1 - last_code, x, y, z)
            also_first = value <= ZERO
        other_low, other_high = segment_span(primitives, -1 - last_code, x, y, z, axis, also_first, last_inside)
    low_code, high_code = int(first_code), int(first_code)
    if other_low <= other_high:
        if low > high:
            low, high = other_low, other_high
            low_code, high_code = last_code, last_code
        elif other_low <= high and low <= other_high:  # both spans are one
            if other_low < low:
                low, low_code = other_low, last_code
            if other_high > high:
                high, high_code = other_high, last_code
        elif first_inside and last_inside:
            edge.gap[0] = high
            edge.gap[1] = other_low
            edge.gap_code[0] = first_code
            edge.gap_code[1] = last_code
            if fill_gap(primitives, listed, start, stop, edge, x, y, z, axis):
                count = add_event(edge, count, edge.gap[0], edge.gap_code[0], 1)
                count = add_event(edge, count, edge.gap[1], edge.gap_code[1], 1)
            return count
        else:
            if not (first_inside and other_low <= ZERO):
                count = add_event(edge, count, other_low, last_code, 1)
            if not (last_inside and other_high >= ONE):
                count = add_event(edge, count, other_high, last_code, 1)
    if low <= high:
        if not (first_inside and low <= ZERO):
            count = add_event(edge, count, low, low_code, 1)
        if not (last_inside and high >= ONE):
            count = add_event(edge, count, high, high_code, 1)
    return count


def combine_events(edge: Edge, count: int, stock: bool, swept: bool, rule: Rule) -> int:
    """Keep those of the first `count` events where the result's inside begins or ends, two at most. Return their
    number.

    Of an odd number, the first is kept; of more than two, the first and the last. Two at one place are none.

    Args:
        stock, swept: whether the first end is inside the stock, and the sweep.
    """
    found = int(0)
    in_stock, in_sweep = bool(stock), bool(swept)
    inside = in_result(stock, swept, rule)
    for n in range(count):
        if edge.code[n] < 0:
            in_sweep = not in_sweep
        else:
            in_stock = not in_stock
        now = in_result(in_stock, in_sweep, rule)
        if now != inside:
            kept = min(found, 1)
            edge.place[kept] = edge.place[n]
            edge.code[kept] = edge.code[n]
            found += 1
            inside = now
    if found > 0 and found % 2 == 0 and edge.place[1] - edge.place[0] < NO_WIDTH:
        return 0
    return found if found < 3 else 2 - found % 2


def line_event(
    points: Rows, a: int, b: int, c: int, axis: int, pu: float, pv: float, first: float
) -> tuple[int, float, float]:
    """What the line of voxel centres along an axis has of the triangle (a, b, c) of points (N, 3).

    Args:
        pu, pv: the line's coordinates along the other two axes, in ascending order.
        first: where the voxel 0 of the line begins.

    Returns:
        What the winding number loses along the line, 0 if the line misses the triangle; the index of the voxel that the
        edge with the crossing starts at; and the place on that edge.
    """
    # A positive order of u and v, but for y: ties are broken first along x there too.
    u, v = 1 if axis == 0 else 0, 1 if axis == 2 else 2
    sign, height = line_place(points, a, b, c, u, v, axis, pu, pv)
    change = -sign if axis == 1 else sign
    place = height - first - HALF
    # A voxel centre on the surface is inside below an upper face, and above a lower one; a line along x or y passes it
    # as if it were moved along that axis.
    voxel = real(floor(place)) if axis == 2 and change > 0 else real(ceil(place)) - ONE
    return change, voxel, place - voxel


def may_pass(primitives: Primitives, first: int, last: int, whole: float, is_thin: bool) -> bool:
    """Whether an edge whose ends are both inside the sweep, or both outside, may leave it and enter it again, or the
    other way round.

    Args:
        first, last: the segments nearest to the ends; NO_PRIMITIVE for none.
        whole: the sum of the distances of the ends.
        is_thin: whether a segment thinner than THIN is near.
    """
    if first == NO_PRIMITIVE or last == NO_PRIMITIVE:
        return False
    if first != last and whole <= ZERO and whole > -ONE:
        return True
    if not is_thin or whole < ZERO or whole > ONE:
        return False
    cones = primitives.segments
    radius = min(
        min(cones[first, 7], cones[first, 7] - cones[first, 6] * cones[first, 8]),
        min(cones[last, 7], cones[last, 7] - cones[last, 6] * cones[last, 8]),
    )
    return whole < chord_reach(max(radius, ZERO))


def put_lost_event(
    primitives: Primitives,
    listed: Listed,
    start: int,
    stop: int,
    edge: Edge,
    x: float,
    y: float,
    z: float,
    axis: int,
    first: float,
    last: float,
) -> None:
    """Set the first event of an edge where the stock's inside ends, though no triangle lies there: on the cap of a
    hole; or at an end, where rounding has lost the crossing with a triangle: with that, of those there, which faces
    along the edge most.

    Args:
        listed: the triangles that are near are those from listed[start] to listed[stop - 1].
        first, last: the winding numbers at the ends.
    """
    most, least, place = real(-TWO), real(BESIDE), real(ZERO)
    found = int(NO_PRIMITIVE)
    for n in range(start, stop):
        t = listed[n]
        facing = primitives.normal[t, axis] * (first - last)
        for end in range(2):
            at = real(end)
            square = triangle_square(
                primitives,
                t,
                x + (at if axis == 0 else ZERO),
                y + (at if axis == 1 else ZERO),
                z + (at if axis == 2 else ZERO),
            )
            is_nearer = square < least or (square == least and t < found)
            if square < BESIDE and (facing > most or (facing == most and is_nearer)):
                most = facing
                least = square
                found = t
                place = at
    if found == NO_PRIMITIVE:
        low, high = abs(first), abs(last)
        place = min(max((INSIDE - low) / (high - low), ZERO), ONE)
    edge.place[0] = place
    edge.code[0] = found
    edge.change[0] = 0
