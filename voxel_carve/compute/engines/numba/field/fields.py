"""The fused pass: it visits each NEAR brick once, while both of its fields are in the L1 cache."""

from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from ....field.fields import Field, Fields
from ....formulas import combining, triangle
from ....model.bricks import BRICK_SIZE, BRICK_VOXELS, State
from ....model.combining import Operation
from ....primitives.boundary import INSIDE
from ....primitives.primitives import Primitives
from ....runtime.threads import over_rows
from ..compiler.decorators import CLAMP, NONE, ONE, kernel, subroutine
from ..compiler.formulas import SINGLE
from .segment_distance import measure_segments, segment_scratch
from .triangle_distance import measure_triangles

BRICKS_PER_RUN = 64

sweep_operand, is_from_sweep = SINGLE(combining.sweep_operand), SINGLE(combining.is_from_sweep)

NEAR, SOLID = int(State.NEAR), int(State.SOLID)
MINUS_ONE = np.int32(-1)


@subroutine
def apply_signs(corner, columns, sums, b, out):  # type: ignore[no-untyped-def]
    """Negate the distances out (512,) of the voxels inside, in brick b with first voxel `corner` (z, y, x)."""
    start, height, total, row = columns.start, columns.height, columns.total, sums.row[b]
    for j in range(BRICK_SIZE):
        y = min(corner[1] + j, columns.shape[1] - 1)
        for i in range(BRICK_SIZE):
            column = y * columns.shape[2] + min(corner[2] + i, columns.shape[2] - 1)
            first, end = start[column], start[column + 1]
            hit = end
            while hit > first and height[hit - 1] > corner[0] + BRICK_SIZE - 1:
                hit -= 1
            voxel = (BRICK_SIZE * BRICK_SIZE * (BRICK_SIZE - 1)) + j * BRICK_SIZE + i
            if row < 0 and (hit == first or height[hit - 1] <= corner[0]):
                if abs(total[end] - total[hit] + sums.sum[b]) > INSIDE:
                    for k in range(BRICK_SIZE):
                        out[voxel - k * BRICK_SIZE * BRICK_SIZE] *= -ONE
                continue
            for k in range(BRICK_SIZE - 1, -1, -1):
                while hit > first and height[hit - 1] > corner[0] + k:
                    hit -= 1
                w = total[end] - total[hit] + (sums.voxel_sum[row, voxel] if row >= 0 else sums.sum[b])
                if abs(w) > INSIDE:
                    out[voxel] *= -ONE
                voxel -= BRICK_SIZE * BRICK_SIZE


@subroutine
def combine_brick(stock, triangle, sweep, segment, sign, inner, distance, nearest):  # type: ignore[no-untyped-def]
    """Combine two distances (512,) and their nearest primitives (512,). See `combining`.

    `sign` is -1 if the sweep is subtracted, else 1. `inner` is true if the lesser distance counts, not the greater.
    """
    for voxel in range(BRICK_VOXELS):
        here, other = stock[voxel], sweep_operand(sweep[voxel], sign)
        from_path = is_from_sweep(here, other, inner)
        distance[voxel] = other if from_path else here
        nearest[voxel] = MINUS_ONE - segment[voxel] if from_path else triangle[voxel]


def brick_scratch(segment_first: npt.NDArray[np.int64]) -> tuple[Any, ...]:
    """Scratch buffers for one brick, for lists of segments that begin at segment_first (B + 1,).

    Returns:
        Distances (2, 512) float32, and primitives (2, 512) int32; the centre (3,); the numbers of a triangle (34, 1);
        and `segment_scratch`.
    """
    distances, names = np.empty((2, BRICK_VOXELS), np.float32), np.empty((2, BRICK_VOXELS), np.int32)
    frame = np.empty((triangle.NUMBERS, 1), np.float32)
    return distances, names, np.empty(3), frame, segment_scratch(segment_first)


@subroutine
def fill(distances, names, distance):  # type: ignore[no-untyped-def]
    """Set distances (512,) to one value, and names (512,) to no primitive."""
    for voxel in range(BRICK_VOXELS):
        distances[voxel], names[voxel] = distance, NONE


@kernel
def evaluate_bricks(  # type: ignore[no-untyped-def]
    run, stop, corners, stock_state, sweep_state, primitives, triangles, columns, sums, segments, sign, inner,
    distance, nearest, scratch,
):  # fmt: skip
    """Set distance and nearest (B, 512) of some bricks. See `combine_brick` for the rule.

    Args:
        corners: (B, 3) first voxels as (z, y, x).    stock_state, sweep_state: (B,) `State` in both fields.
        triangles, segments: `Bins`.    columns: `Crossings`.    sums: `BoundarySums`.
    """
    distances, names, centre, frame, segment_scratch = scratch
    stock, sweep, triangle, segment = distances[0], distances[1], names[0], names[1]
    for b in range(run, stop):
        for k in range(3):
            centre[k] = corners[b, 2 - k] + BRICK_SIZE / 2
        row = sums.row[b]
        if stock_state[b] == NEAR:
            which = triangles.primitive[triangles.first[b] : triangles.first[b + 1]]
            measure_triangles(centre, which, primitives, frame, stock, triangle)
            if row >= 0:
                for voxel in range(BRICK_VOXELS):
                    if sums.to_cap[row, voxel] < stock[voxel]:
                        stock[voxel] = sums.to_cap[row, voxel]
                        triangle[voxel] = NONE
            apply_signs(corners[b], columns, sums, b, stock)
        else:
            fill(stock, triangle, -CLAMP if stock_state[b] == SOLID else CLAMP)
        if sweep_state[b] == NEAR:
            which = segments.primitive[segments.first[b] : segments.first[b + 1]]
            measure_segments(centre, which, primitives.segments, segment_scratch, sweep, segment)
        else:
            fill(sweep, segment, -CLAMP if sweep_state[b] == SOLID else CLAMP)
        combine_brick(stock, triangle, sweep, segment, sign, inner, distance[b], nearest[b])


def evaluate(fields: Fields, operation: Operation) -> Field:
    """See `Backend.evaluate`."""
    count = len(fields)
    distance, nearest = np.empty((count, BRICK_VOXELS), np.float32), np.empty((count, BRICK_VOXELS), np.int32)
    over_rows(
        evaluate_bricks, count, BRICKS_PER_RUN,
        fields.table.coordinates(fields.bricks) * BRICK_SIZE, fields.stock_state, fields.sweep_state,
        Primitives.of(fields.segments, fields.triangles),
        fields.triangle_bins, fields.crossings, fields.sums, fields.segment_bins,
        np.float32(-1 if operation == "subtract" else 1), operation == "union",
        distance, nearest, scratch=partial(brick_scratch, fields.segment_bins.first),
    )  # fmt: skip
    return fields.combined(distance, nearest, operation)
