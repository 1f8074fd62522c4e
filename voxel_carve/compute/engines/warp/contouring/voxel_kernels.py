"""Warp kernels for what lies inside: the stock, the sweep, and the result. See `contouring.edges`.

B is the number of bricks; for rows see `layout`.
"""

# mypy: disable-error-code="name-defined"

from __future__ import annotations

from ....contouring.drifting import INSIDE
from ....contouring.edges import THIN, in_result
from ....formulas.language import Rule
from ....model.bricks import BRICK_SIZE, NO_PRIMITIVE, REACH, State
from ..device.formulas import function, kernel, single
from ..device.functions import BRICK_BLOCK_DIM, Pairs, nearest_segment, voxel_step
from ..device.structs import wp
from ..field.field_kernels import Columns, crossings_above
from .layout import SOLID, Layout, locate, moved, row_start, state_at
from .structs import looped

BLOCK_DIM = BRICK_BLOCK_DIM
NEAR = int(State.NEAR)
ZERO = 0.0
ONE = 1.0


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
def sample_sweep(pairs: Pairs, segments: wp.array2d[wp.float64], start: wp.int32, swept: Swept) -> None:
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
