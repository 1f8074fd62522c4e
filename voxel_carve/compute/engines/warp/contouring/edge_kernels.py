"""Warp kernels for the crossings of the result's surface with the edges of the grid: see `contouring.edges`.

B is the number of bricks, and N that of the edges that may be crossed. For rows and edges of a brick see `layout`. A
kernel that is launched with (N,) handles the edges from `start` on.
"""

# mypy: disable-error-code="name-defined"

from __future__ import annotations

from ....contouring.edges import (
    INSIDE,
    STOCK_EVENTS,
    THIN,
    add_event,
    add_sweep,
    combine_events,
    in_result,
    line_event,
    may_pass,
    put_lost_event,
    settle_stock,
)
from ....formulas.language import Primitives, Rule
from ....formulas.vector import greatest, least
from ....model.bricks import BRICK_SIZE, NO_PRIMITIVE, REACH, State
from ..device.formulas import function, kernel, single
from ..device.functions import Pairs, nearest_segment, voxel_step
from ..device.structs import wp
from ..field.field_kernels import Columns, crossings_above
from .layout import ALL_ROWS, BITS, HALF, ROWS, SOLID, Layout, Lists, centre_of, locate, moved, row_start, state_at
from .structs import Edge, looped

BLOCK_DIM = 128
NEAR = int(State.NEAR)
ZERO = 0.0
ONE = 1.0
SIZE = float(BRICK_SIZE)


class Stock:
    """What says where the stock is.

    `states` of all bricks, and `state` (B,) of those of the result; and the boundary sums, with only the rows of these:
    see `boundary.BoundarySums`. The columns are elsewhere.
    """

    states: wp.array3d[wp.uint8]
    state: wp.array[wp.uint8]
    sum: wp.array[wp.float64]
    row: wp.array[wp.int32]
    voxel_sum: wp.array2d[wp.float64]


class Swept:
    """What says where the sweep is.

    `states` and `state` as in `Stock`. In bricks that are NEAR: distance and nearest segment (B, 512), and `thin` (B,),
    1 if a segment thinner than THIN is near; it is 0 in others.
    """

    states: wp.array3d[wp.uint8]
    state: wp.array[wp.uint8]
    distance: wp.array2d[wp.float32]
    nearest: wp.array2d[wp.int32]
    thin: wp.array[wp.uint8]


class Masks:
    """The bits (B, 64) of the voxels in the stock, in the sweep, and in the result."""

    stock: wp.array2d[wp.uint8]
    swept: wp.array2d[wp.uint8]
    inside: wp.array2d[wp.uint8]


@kernel(single)
def sample_sweep(
    pairs: Pairs, segments: wp.array2d[wp.float64], start: wp.int32, swept: Swept
) -> None:
    """Set `distance`, `nearest` and `thin` of some bricks, from `start` on, whose pairs these are.

    Launch with (N, 512).
    """
    i, voxel = wp.tid()
    brick = start + i
    if int(swept.state[brick]) != NEAR:
        return
    distance, nearest = nearest_segment(pairs, i, voxel_step(voxel))
    swept.distance[brick, voxel] = distance
    swept.nearest[brick, voxel] = nearest
    if voxel == 0:
        shift = pairs.shift[i]
        thin = wp.uint8(0)
        for pair in range(pairs.first[i], pairs.first[i + 1]):
            j = pairs.listed[pair + shift]
            last = segments[j, 7] - segments[j, 6] * segments[j, 8]
            if wp.min(segments[j, 7], last) < wp.float64(THIN):
                thin = wp.uint8(1)
        swept.thin[brick] = thin


@function(looped)
def winding_at(layout: Layout, stock: Stock, columns: Columns, at: wp.vec3i) -> wp.float64:
    """The stock's winding number at a voxel."""
    state = state_at(stock.states, at)
    if state != NEAR:
        return wp.where(state == SOLID, ONE, ZERO)
    place = locate(layout, at)
    corner = wp.vec3i((at[0] >> 3) << 3, (at[1] >> 3) << 3, (at[2] >> 3) << 3)
    winding = wp.float64(crossings_above(columns, corner, place[1]))
    if place[0] >= 0:
        row = stock.row[place[0]]
        if row >= 0:
            return winding + stock.voxel_sum[row, place[1]]
        return winding + stock.sum[place[0]]
    return winding


@function(looped)
def winding_around(layout: Layout, stock: Stock, columns: Columns, brick: wp.int32, at: wp.vec3i) -> wp.float64:
    """The same at a voxel of a brick, or beside it. The surface does not come near a brick that is not NEAR."""
    state = int(stock.state[brick])
    if state != NEAR:
        return wp.where(state == SOLID, ONE, ZERO)
    return winding_at(layout, stock, columns, at)


@function(single)
def swept_at(layout: Layout, swept: Swept, at: wp.vec3i) -> tuple[wp.float32, wp.int32]:
    """The distance of a voxel from the sweep, clamped to REACH, and the nearest segment or NO_PRIMITIVE."""
    place = locate(layout, at)
    if place[0] >= 0:  # noqa: SIM102
        if int(swept.state[place[0]]) == NEAR:
            return swept.distance[place[0], place[1]], swept.nearest[place[0], place[1]]
    return wp.where(state_at(swept.states, at) == SOLID, -REACH, REACH), NO_PRIMITIVE


@kernel(looped)
def mark_voxels(layout: Layout, stock: Stock, columns: Columns, swept: Swept, rule: Rule, masks: Masks) -> None:
    """Set `masks`. Launch with (B, 64)."""
    brick, row = wp.tid()
    start = row_start(layout, brick, row)
    near = int(swept.state[brick]) == NEAR
    is_swept = int(swept.state[brick]) == SOLID
    in_stock = wp.int32(0)
    in_sweep = wp.int32(0)
    inside = wp.int32(0)
    for x in range(BRICK_SIZE):
        bit = 1 << x
        of_stock = wp.abs(winding_around(layout, stock, columns, brick, moved(start, 0, x))) > wp.float64(INSIDE)
        of_sweep = is_swept
        if near:
            of_sweep = swept.distance[brick, row * BRICK_SIZE + x] <= wp.float32(0.0)
        if of_stock:
            in_stock = in_stock | bit
        if of_sweep:
            in_sweep = in_sweep | bit
        if in_result(of_stock, of_sweep, rule):
            inside = inside | bit
    masks.stock[brick, row] = wp.uint8(in_stock)
    masks.swept[brick, row] = wp.uint8(in_sweep)
    masks.inside[brick, row] = wp.uint8(inside)


@function(looped)
def event_in(
    primitives: Primitives, t: wp.int32, corner: wp.vec3i, axis: wp.int32, i: wp.int32, j: wp.int32
) -> tuple[wp.int32, wp.int32, wp.float64]:
    """What the line along an axis of a brick has of triangle t: see `line_event`. The change is 0 if the crossing lies on
    none of the brick's edges.

    Args:
        corner: the brick's first voxel.
        i, j: the place of the line along the other two axes, in ascending order.
    """
    u = wp.where(axis == 0, 1, 0)
    v = wp.where(axis == 2, 1, 2)
    low, low_u, low_v = wp.float64(corner[2 - axis]), wp.float64(corner[2 - u]), wp.float64(corner[2 - v])
    a, b, c = primitives.triangles[t, 0], primitives.triangles[t, 1], primitives.triangles[t, 2]
    pa, pb, pc = primitives.points[a, u], primitives.points[b, u], primitives.points[c, u]
    if least(pa, pb, pc) - low_u - HALF > wp.float64(i) or greatest(pa, pb, pc) - low_u - HALF < wp.float64(i):
        return 0, 0, ZERO
    pa, pb, pc = primitives.points[a, v], primitives.points[b, v], primitives.points[c, v]
    if least(pa, pb, pc) - low_v - HALF > wp.float64(j) or greatest(pa, pb, pc) - low_v - HALF < wp.float64(j):
        return 0, 0, ZERO
    pa, pb, pc = primitives.points[a, axis], primitives.points[b, axis], primitives.points[c, axis]
    if greatest(pa, pb, pc) - low - HALF < ZERO or least(pa, pb, pc) - low - HALF > SIZE:
        return 0, 0, ZERO
    pu, pv = low_u + wp.float64(i) + HALF, low_v + wp.float64(j) + HALF
    change, voxel, place = line_event(primitives.points, a, b, c, axis, pu, pv, low)
    if change == 0 or voxel < ZERO or voxel >= SIZE:
        return 0, 0, ZERO
    return change, int(voxel), place


@kernel(looped)
def mark_events(layout: Layout, lists: Lists, primitives: Primitives, events: wp.array2d[wp.uint8]) -> None:
    """Set events (B, 192) to the edges of each line that triangles cross. Launch with (B, 192).

    Args:
        lists: of triangles.
        events: line 64 a + 8 v + u of a brick runs along axis a, at u and v along the other two, in ascending order.
    """
    brick, line = wp.tid()
    corner = layout.corner[brick]
    bits = wp.int32(0)
    shift = lists.shift[brick]
    for n in range(lists.first[brick] + shift, lists.first[brick + 1] + shift):
        change, voxel, _place = event_in(primitives, lists.listed[n], corner, line >> 6, line & 7, (line >> 3) & 7)
        if change != 0:
            bits = bits | (1 << voxel)
    events[brick, line] = wp.uint8(bits)


@function(single)
def events_of(events: wp.array2d[wp.uint8], brick: wp.int32, axis: wp.int32, row: wp.int32) -> wp.int32:
    """The events on the edges along an axis from the voxels of a row, 0 to 63: see `mark_events`."""
    if axis == 0:
        return int(events[brick, row])
    # Lines along y and z cross the row. Such a line lies at (x, z), or at (x, y).
    bits = wp.int32(0)
    across = wp.where(axis == 1, row >> 3, row & 7)
    along = wp.where(axis == 1, row & 7, row >> 3)
    for x in range(BRICK_SIZE):
        bits = bits | (((int(events[brick, axis * ROWS + across * BRICK_SIZE + x]) >> along) & 1) << x)
    return bits


@function(looped)
def stock_bit(layout: Layout, stock: Stock, columns: Columns, masks: Masks, at: wp.vec3i) -> wp.int32:
    """1 if a voxel is inside the stock, else 0."""
    place = locate(layout, at)
    if place[0] >= 0:
        return (int(masks.stock[place[0], place[1] >> 3]) >> (place[1] & 7)) & 1
    return wp.where(wp.abs(winding_at(layout, stock, columns, at)) > wp.float64(INSIDE), 1, 0)


@function(looped)
def stock_after(
    layout: Layout, stock: Stock, columns: Columns, masks: Masks, brick: wp.int32, row: wp.int32, axis: wp.int32
) -> wp.int32:
    """The bits of the stock one step along an axis from the voxels of a row, 0 to 63."""
    here = int(masks.stock[brick, row])
    if int(stock.state[brick]) != NEAR:
        return here
    start = row_start(layout, brick, row)
    if axis == 0:
        return (here >> 1) | (stock_bit(layout, stock, columns, masks, moved(start, 0, BRICK_SIZE)) << 7)
    start = moved(start, axis, 1)
    place = locate(layout, start)
    if place[0] >= 0:
        return int(masks.stock[place[0], place[1] >> 3])
    bits = wp.int32(0)
    for x in range(BRICK_SIZE):
        bits = bits | (stock_bit(layout, stock, columns, masks, moved(start, 0, x)) << x)
    return bits


@function(single)
def swept_after(
    layout: Layout, swept: Swept, masks: Masks, brick: wp.int32, row: wp.int32, axis: wp.int32
) -> wp.int32:
    """The same for the sweep."""
    here = int(masks.swept[brick, row])
    if int(swept.state[brick]) != NEAR:
        return here
    start = moved(row_start(layout, brick, row), axis, wp.where(axis == 0, BRICK_SIZE, 1))
    place = locate(layout, start)
    bits = wp.where(state_at(swept.states, start) == SOLID, BITS, 0)
    if place[0] >= 0:
        bits = int(masks.swept[place[0], place[1] >> 3])
    if axis == 0:
        return (here >> 1) | ((bits & 1) << 7)
    return bits


@kernel(looped)
def mark_candidates(
    layout: Layout,
    stock: Stock,
    columns: Columns,
    swept: Swept,
    primitives: Primitives,
    rule: Rule,
    masks: Masks,
    events: wp.array2d[wp.uint8],
    by_stock: wp.array2d[wp.uint8],
    by_sweep: wp.array2d[wp.uint8],
    count: wp.array[wp.int32],
) -> None:
    """Find the edges that may be crossed. Launch with (B, 192).

    Args:
        by_stock, by_sweep: (B, 192) those where the stock, and the sweep, may have events.
        count: (192 B + 1,) how many of them start in each row.
    """
    brick, edge_row = wp.tid()
    axis, row = edge_row >> 6, edge_row & 63
    here = int(masks.stock[brick, row])
    of_stock = (here ^ stock_after(layout, stock, columns, masks, brick, row, axis)) | events_of(
        events, brick, axis, row
    )
    of_sweep = wp.int32(0)
    if int(swept.state[brick]) == NEAR:
        # Where the stock does not change, the sweep's events count on one side of it only.
        counts = of_stock | wp.where(rule.greatest, here, BITS - here)
        of_sweep = (int(masks.swept[brick, row]) ^ swept_after(layout, swept, masks, brick, row, axis)) & counts
        start = row_start(layout, brick, row)
        is_thin = int(swept.thin[brick]) == 1
        for x in range(BRICK_SIZE):
            bit = 1 << x
            if (counts & bit) != 0 and (of_sweep & bit) == 0:
                distance, nearest = swept.distance[brick, row * BRICK_SIZE + x], swept.nearest[brick, row * BRICK_SIZE + x]
                if nearest != NO_PRIMITIVE:
                    beyond, other = swept_at(layout, swept, moved(moved(start, 0, x), axis, 1))
                    if may_pass(primitives, nearest, other, wp.float64(distance + beyond), is_thin):
                        of_sweep = of_sweep | bit
    by_stock[brick, edge_row] = wp.uint8(of_stock)
    by_sweep[brick, edge_row] = wp.uint8(of_sweep)
    count[brick * ALL_ROWS + edge_row] = wp.bit_count(of_stock | of_sweep)


@kernel(single)
def list_marked(
    masks: wp.array2d[wp.uint8], more: wp.array2d[wp.uint8], first: wp.array[wp.int32], listed: wp.array[wp.vec2i]
) -> None:
    """List the edges, or faces, with a bit in either of two arrays. Launch with (B, 192).

    Args:
        masks, more: (B, 192).
        first: (192 B + 1,) where the list of each row begins.
        listed: (N,) the brick and the edge, 0 to 1535, of each.
    """
    brick, row = wp.tid()
    bits = int(masks[brick, row]) | int(more[brick, row])
    to = first[brick * ALL_ROWS + row]
    for x in range(BRICK_SIZE):
        if (bits >> x) & 1 == 1:
            listed[to] = wp.vec2i(brick, row * BRICK_SIZE + x)
            to += 1


@function(looped)
def add_stock(
    primitives: Primitives,
    lists: Lists,
    brick: wp.int32,
    corner: wp.vec3i,
    axis: wp.int32,
    voxel: wp.int32,
    edge: Edge,
) -> wp.int32:
    """Set the events of an edge to its crossings with triangles. Return their number."""
    x, y, z = voxel & 7, (voxel >> 3) & 7, voxel >> 6
    i, j = wp.where(axis == 0, y, x), wp.where(axis == 2, y, z)
    along = wp.where(axis == 0, x, wp.where(axis == 1, y, z))
    count = wp.int32(0)
    shift = lists.shift[brick]
    for n in range(lists.first[brick] + shift, lists.first[brick + 1] + shift):
        t = lists.listed[n]
        change, at, place = event_in(primitives, t, corner, axis, i, j)
        if change != 0 and at == along and count < STOCK_EVENTS:
            count = add_event(edge, count, place, t, change)
    return count


@function(looped)
def find_events(
    layout: Layout,
    stock: Stock,
    columns: Columns,
    triangles: Lists,
    swept: Swept,
    segments: Lists,
    primitives: Primitives,
    rule: Rule,
    masks: Masks,
    brick: wp.int32,
    axis: wp.int32,
    voxel: wp.int32,
    is_stock: wp.bool,
    is_swept: wp.bool,
    edge: Edge,
) -> wp.int32:
    """Set the crossings of an edge with the result's surface. Return their number.

    Args:
        is_stock, is_swept: whether the stock, and the sweep, may have events on it.
    """
    corner = layout.corner[brick]
    at = wp.vec3i(corner[0] + (voxel >> 6), corner[1] + ((voxel >> 3) & 7), corner[2] + (voxel & 7))
    end = moved(at, axis, 1)
    centre = centre_of(at)
    count = wp.int32(0)
    if is_stock:
        first = winding_around(layout, stock, columns, brick, at)
        last = winding_around(layout, stock, columns, brick, end)
        count = add_stock(primitives, triangles, brick, corner, axis, voxel, edge)
        count = settle_stock(edge, count, first, wp.abs(last) > INSIDE)
        if count < 0:
            count = 1
            shift = triangles.shift[brick]
            start, stop = triangles.first[brick] + shift, triangles.first[brick + 1] + shift
            put_lost_event(
                primitives, triangles.listed, start, stop, edge, centre[0], centre[1], centre[2], axis, first, last
            )
    in_sweep = ((int(masks.swept[brick, voxel >> 3]) >> (voxel & 7)) & 1) == 1
    if is_swept:
        _distance, nearest = swept_at(layout, swept, at)
        beyond, other = swept_at(layout, swept, end)
        first_code = wp.where(nearest == NO_PRIMITIVE, 0, -1 - nearest)
        last_code = wp.where(other == NO_PRIMITIVE, 0, -1 - other)
        shift = segments.shift[brick]
        start, stop = segments.first[brick] + shift, segments.first[brick + 1] + shift
        count = add_sweep(
            primitives, segments.listed, start, stop, edge, count, centre[0], centre[1], centre[2], axis, first_code,
            last_code, in_sweep, beyond <= wp.float32(0.0),
        )  # fmt: skip
    in_stock = ((int(masks.stock[brick, voxel >> 3]) >> (voxel & 7)) & 1) == 1
    return combine_events(edge, count, in_stock, in_sweep, rule)


@kernel(looped)
def cross_edges(
    layout: Layout,
    stock: Stock,
    columns: Columns,
    triangles: Lists,
    swept: Swept,
    segments: Lists,
    primitives: Primitives,
    rule: Rule,
    masks: Masks,
    by_stock: wp.array2d[wp.uint8],
    by_sweep: wp.array2d[wp.uint8],
    listed: wp.array[wp.vec2i],
    start: wp.int32,
    number: wp.array[wp.int32],
    place: wp.array[wp.vec2],
    code: wp.array[wp.vec2i],
) -> None:
    """Find the crossings of the edges that may be crossed. Launch with (N,).

    Args:
        triangles, segments: the lists.
        listed: (N,) the edges: see `list_marked`.
        number: (N + 1,) of the crossings of each.
        place, code: (N,) where they are, from 0 to 1 along the edge, and on which primitives.
    """
    i = start + wp.tid()
    brick, which = listed[i][0], listed[i][1]
    voxel = which & 511
    is_stock = ((int(by_stock[brick, which >> 3]) >> (which & 7)) & 1) == 1
    is_swept = ((int(by_sweep[brick, which >> 3]) >> (which & 7)) & 1) == 1
    edge = Edge()
    number[i] = find_events(
        layout, stock, columns, triangles, swept, segments, primitives, rule, masks, brick, which >> 9, voxel, is_stock,
        is_swept, edge,
    )  # fmt: skip
    place[i] = wp.vec2(wp.float32(edge.place[0]), wp.float32(edge.place[1]))
    code[i] = wp.vec2i(edge.code[0], edge.code[1])


@kernel(single)
def mark_crossed(
    by_stock: wp.array2d[wp.uint8],
    by_sweep: wp.array2d[wp.uint8],
    first: wp.array[wp.int32],
    number: wp.array[wp.int32],
    crossed: wp.array2d[wp.uint8],
    twice: wp.array2d[wp.uint8],
) -> None:
    """Set crossed and twice (B, 192) to the edges with a crossing, and with two. Launch with (B, 192).

    Args:
        first: (192 B + 1,) the first edge of each row that may be crossed.    number: (N + 1,) see `cross_edges`.
    """
    brick, row = wp.tid()
    bits = int(by_stock[brick, row]) | int(by_sweep[brick, row])
    n = first[brick * ALL_ROWS + row]
    once = wp.int32(0)
    both = wp.int32(0)
    for x in range(BRICK_SIZE):
        if (bits >> x) & 1 == 1:
            if number[n] > 0:
                once = once | (1 << x)
            if number[n] > 1:
                both = both | (1 << x)
            n += 1
    crossed[brick, row] = wp.uint8(once)
    twice[brick, row] = wp.uint8(both)


@kernel(single)
def gather_crossings(
    listed: wp.array[wp.vec2i],
    before: wp.array[wp.int32],
    found_place: wp.array[wp.vec2],
    found_code: wp.array[wp.vec2i],
    place: wp.array[wp.float32],
    code: wp.array[wp.int32],
) -> None:
    """Leave out what is not crossed. Launch with (N,).

    Args:
        before: (N + 1,) the crossings before those of each edge.
        found_place, found_code: (N,) from `cross_edges`.
        place, code: (C,) of each crossing.
    """
    i = wp.tid()
    first = before[i]
    for n in range(before[i + 1] - first):
        place[first + n] = found_place[i][n]
        code[first + n] = found_code[i][n]
