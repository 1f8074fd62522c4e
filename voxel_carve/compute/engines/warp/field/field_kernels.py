"""Warp kernels of the fused pass, which evaluates and combines both fields of a brick."""

# mypy: disable-error-code="name-defined"

from __future__ import annotations

from ....formulas.combining import is_from_sweep, sweep_operand
from ....model.bricks import NO_PRIMITIVE, REACH, State
from ....primitives.boundary import INSIDE
from ..device.formulas import double, function, kernel, single
from ..device.functions import (
    BRICK_BLOCK_DIM,
    Pairs,
    nearest_segment,
    nearest_triangle,
    voxel_at,
    voxel_step,
)
from ..device.structs import wp

BLOCK_DIM = BRICK_BLOCK_DIM
NEAR, SOLID = int(State.NEAR), int(State.SOLID)


class Bricks:
    """(B,) each: index (z, y, x) of the first voxel, and the `State` in both fields."""

    corner: wp.array[wp.vec3i]
    stock: wp.array[wp.uint8]
    sweep: wp.array[wp.uint8]


class Columns:
    """See `crossings.Crossings`."""

    shape: wp.vec3i
    start: wp.array[wp.int32]
    height: wp.array[wp.int32]
    total: wp.array[wp.int32]


class Sums:
    """See `boundary.BoundarySums`, with only the rows of these bricks."""

    sum: wp.array[wp.float64]
    row: wp.array[wp.int32]
    voxel_sum: wp.array2d[wp.float64]
    to_cap: wp.array2d[wp.float32]


@function(double)
def is_inside(crossings: wp.int32, boundary_sum: wp.float64) -> wp.bool:
    """Whether a voxel is inside the stock: see `primitives.boundary`."""
    return wp.abs(wp.float64(crossings) + boundary_sum) > INSIDE


@function(single)
def crossings_above(columns: Columns, corner: wp.vec3i, voxel: wp.int32) -> wp.int32:
    """Signed crossings above a voxel of a brick, which may extend beyond the grid."""
    at = voxel_at(corner, voxel)
    column = wp.min(at[1], columns.shape[1] - 1) * columns.shape[2] + wp.min(at[2], columns.shape[2] - 1)
    low = columns.start[column]
    end = columns.start[column + 1]
    high = end
    while low < high:
        middle = low + (high - low) // 2
        if columns.height[middle] > at[0]:
            high = middle
        else:
            low = middle + 1
    return columns.total[end] - columns.total[low]


@function(single)
def far_distance(state: wp.int32) -> wp.float32:
    """The distance in a brick that is not NEAR."""
    return wp.where(state == SOLID, -REACH, REACH)


@kernel(single)
def evaluate_bricks(
    bricks: Bricks,
    triangles: Pairs,
    columns: Columns,
    sums: Sums,
    segments: Pairs,
    sign: wp.float32,
    inner: wp.bool,
    distance: wp.array2d[wp.float32],
    nearest: wp.array2d[wp.int32],
) -> None:
    """Evaluate and combine both fields at each voxel.

    Launch with (B, 512).

    Args:
        bricks, triangles, columns, sums, segments: of B bricks.
        sign, inner: how the fields are combined: see `formulas.combining`.
        distance: (B, 512) signed distance to the result, in voxels.
        nearest: (B, 512) nearest primitive: see `fields.Field`.
    """
    brick, voxel = wp.tid()
    step = voxel_step(voxel)
    state = int(bricks.stock[brick])
    here = far_distance(state)
    triangle = int(NO_PRIMITIVE)
    if state == NEAR:
        here, triangle = nearest_triangle(triangles, brick, step)
        b = sums.sum[brick]
        row = sums.row[brick]
        if row >= 0:
            b = sums.voxel_sum[row, voxel]
            to_cap = sums.to_cap[row, voxel]
            if to_cap < here:
                here = to_cap
                triangle = NO_PRIMITIVE
        if is_inside(crossings_above(columns, bricks.corner[brick], voxel), b):
            here = -here
    state = int(bricks.sweep[brick])
    other = far_distance(state)
    segment = int(NO_PRIMITIVE)
    if state == NEAR:
        other, segment = nearest_segment(segments, brick, step)
    other = sweep_operand(other, sign)
    by_sweep = is_from_sweep(here, other, inner)
    distance[brick, voxel] = wp.where(by_sweep, other, here)
    nearest[brick, voxel] = wp.where(by_sweep, -1 - segment, triangle)
