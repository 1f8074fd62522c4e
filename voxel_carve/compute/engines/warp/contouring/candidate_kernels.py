"""Warp kernels that find the edges of the grid that may be crossed: see `contouring.edges`.

B is the number of bricks, and N that of these edges. For rows and edges of a brick see `layout`.
"""

# mypy: disable-error-code="name-defined"

from __future__ import annotations

from ....contouring.drifting import INSIDE
from ....contouring.edges import line_event, may_pass
from ....formulas.language import Primitives, Rule
from ....formulas.vector import greatest, least
from ....model.bricks import BRICK_SIZE, NO_PRIMITIVE
from ..device.formulas import function, kernel, single
from ..device.structs import wp
from ..field.field_kernels import Columns
from .layout import ALL_ROWS, BITS, HALF, ROWS, SOLID, Layout, Lists, locate, made_bits, moved, row_start, state_at
from .structs import looped
from .voxel_kernels import NEAR, ZERO, Masks, Stock, Swept, swept_at, winding_at

BLOCK_DIM = 128
SIZE = float(BRICK_SIZE)


@function(looped)
def lies_beside(
    points: wp.array2d[wp.float64], a: wp.int32, b: wp.int32, c: wp.int32, axis: wp.int32, low: wp.float64,
    first: wp.float64, last: wp.float64,
) -> wp.bool:  # fmt: skip
    """Whether the triangle (a, b, c) lies, along an axis, beside the voxels from `first` to `last`, after that at
    `low`."""
    if greatest(points[a, axis], points[b, axis], points[c, axis]) - low - HALF < first:
        return wp.bool(True)
    return least(points[a, axis], points[b, axis], points[c, axis]) - low - HALF > last


@function(looped)
def event_in(
    primitives: Primitives, t: wp.int32, corner: wp.vec3i, axis: wp.int32, i: wp.int32, j: wp.int32
) -> tuple[wp.int32, wp.int32, wp.float64]:
    """What the line along an axis of a brick has of triangle t: see `line_event`. The change is 0 if the crossing lies
    on none of the brick's edges.

    Args:
        corner: the brick's first voxel.
        i, j: the place of the line along the other two axes, in ascending order.
    """
    u = wp.where(axis == 0, 1, 0)
    v = wp.where(axis == 2, 1, 2)
    low, low_u, low_v = wp.float64(corner[2 - axis]), wp.float64(corner[2 - u]), wp.float64(corner[2 - v])
    a, b, c = primitives.triangles[t, 0], primitives.triangles[t, 1], primitives.triangles[t, 2]
    pu, pv = wp.float64(i), wp.float64(j)
    if lies_beside(primitives.points, a, b, c, u, low_u, pu, pu):
        return 0, 0, ZERO
    if lies_beside(primitives.points, a, b, c, v, low_v, pv, pv):
        return 0, 0, ZERO
    if lies_beside(primitives.points, a, b, c, axis, low, ZERO, SIZE):
        return 0, 0, ZERO
    change, voxel, place = line_event(primitives.points, a, b, c, axis, low_u + pu + HALF, low_v + pv + HALF, low)
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
def swept_after(layout: Layout, swept: Swept, masks: Masks, brick: wp.int32, row: wp.int32, axis: wp.int32) -> wp.int32:
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
                distance, nearest = (
                    swept.distance[brick, row * BRICK_SIZE + x],
                    swept.nearest[brick, row * BRICK_SIZE + x],
                )
                if nearest != NO_PRIMITIVE:
                    beyond, other = swept_at(layout, swept, moved(moved(start, 0, x), axis, 1))
                    if may_pass(primitives, nearest, other, wp.float64(distance + beyond), is_thin):
                        of_sweep = of_sweep | bit
    made = made_bits(layout, brick, 0, row)
    of_stock = of_stock & made
    of_sweep = of_sweep & made
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
