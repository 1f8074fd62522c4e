"""The fused pass: it visits each NEAR brick once, while both of its fields are in the L1 cache."""

from functools import partial
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ....field.fields import Field, Fields, Loss
from ....formulas import combining
from ....model.bricks import BRICK_SIZE, BRICK_VOXELS, State
from ....model.combining import Operation
from ....primitives.boundary import INSIDE
from ....primitives.primitives import Primitives
from ....runtime.threads import in_runs
from ..compiler.decorators import CLAMP, NONE, ONE, ZERO, kernel, subroutine
from ..compiler.formulas import SINGLE
from .segment_distance import SegmentScratch, measure_segments
from .triangle_distance import frame_scratch, measure_triangles

BRICKS_PER_RUN = 64

sweep_operand, is_from_sweep, inside_fraction = (
    SINGLE(combining.sweep_operand),
    SINGLE(combining.is_from_sweep),
    SINGLE(combining.inside_fraction),
)

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
def combine_brick(stock, triangle, sweep, segment, sign, inner, lost, distance, nearest):  # type: ignore[no-untyped-def]
    """Combine two distances (512,) and their nearest primitives (512,). See `combining`. lost (512,) is scratch.

    `sign` is -1 if the sweep is subtracted, else 1. `inner` is true if the lesser distance counts, not the greater.

    Returns:
        The volume that the stock lost, in voxels, and the number of its voxels inside.
    """
    inside = 0
    for voxel in range(BRICK_VOXELS):
        here, other = stock[voxel], sweep_operand(sweep[voxel], sign)
        from_path = is_from_sweep(here, other, inner)
        result = other if from_path else here
        distance[voxel] = result
        nearest[voxel] = MINUS_ONE - segment[voxel] if from_path else triangle[voxel]
        lost[voxel] = inside_fraction(here) - inside_fraction(result)
        inside += 1 if here <= ZERO else 0
    # Four independent sums let the processor overlap the additions.
    one, two, three, four = 0.0, 0.0, 0.0, 0.0
    for voxel in range(0, BRICK_VOXELS, 4):
        one, two = one + lost[voxel], two + lost[voxel + 1]
        three, four = three + lost[voxel + 2], four + lost[voxel + 3]
    return (one + two) + (three + four), inside


class BrickScratch(NamedTuple):
    """Scratch buffers for one brick.

    Attributes:
        stock, sweep, lost: (512,) float32.    triangle, segment: (512,) int32, the nearest primitives.
        centre: (3,).    frame: see `frame_scratch`.    segments: see `SegmentScratch`.
    """

    stock: npt.NDArray[np.float32]
    sweep: npt.NDArray[np.float32]
    lost: npt.NDArray[np.float32]
    triangle: npt.NDArray[np.int32]
    segment: npt.NDArray[np.int32]
    centre: npt.NDArray[np.float64]
    frame: npt.NDArray[np.float32]
    segments: SegmentScratch

    @classmethod
    def of(cls, segment_first: npt.NDArray[np.int64]) -> "BrickScratch":
        """Buffers for the lists of segments that begin at segment_first (B + 1,)."""
        stock, sweep, lost = np.empty((3, BRICK_VOXELS), np.float32)
        triangle, segment = np.empty((2, BRICK_VOXELS), np.int32)
        frame, segments = frame_scratch(), SegmentScratch.of(segment_first)
        return cls(stock, sweep, lost, triangle, segment, np.empty(3), frame, segments)


@subroutine
def fill(distances, names, distance):  # type: ignore[no-untyped-def]
    """Set distances (512,) to one value, and names (512,) to no primitive."""
    for voxel in range(BRICK_VOXELS):
        distances[voxel], names[voxel] = distance, NONE


class Bricks(NamedTuple):
    """Bricks to evaluate: their first voxels (B, 3) as (z, y, x), and their `State` (B,) in both fields."""

    corners: Any
    stock: Any
    sweep: Any


class Result(NamedTuple):
    """Output: distance and nearest (B, 512), removed and inside (B,)."""

    distance: Any
    nearest: Any
    removed: Any
    inside: Any


@kernel
def evaluate_bricks(  # type: ignore[no-untyped-def]
    run, stop, bricks, primitives, triangles, columns, sums, segments, sign, inner, result, scratch
):
    """Set the result of some bricks from their lists of triangles and segments. See `combine_brick` for the rule."""
    stock, sweep, lost, triangle, segment, centre, frame, segment_scratch = scratch
    for b in range(run, stop):
        for k in range(3):
            centre[k] = bricks.corners[b, 2 - k] + BRICK_SIZE / 2
        row = sums.row[b]
        if bricks.stock[b] == NEAR:
            which = triangles.primitive[triangles.first[b] : triangles.first[b + 1]]
            measure_triangles(centre, which, primitives, frame, stock, triangle)
            if row >= 0:
                for voxel in range(BRICK_VOXELS):
                    if sums.to_cap[row, voxel] < stock[voxel]:
                        stock[voxel] = sums.to_cap[row, voxel]
                        triangle[voxel] = NONE
            apply_signs(bricks.corners[b], columns, sums, b, stock)
        else:
            fill(stock, triangle, -CLAMP if bricks.stock[b] == SOLID else CLAMP)
        if bricks.sweep[b] == NEAR:
            which = segments.primitive[segments.first[b] : segments.first[b + 1]]
            measure_segments(centre, which, primitives.segments, segment_scratch, sweep, segment)
        else:
            fill(sweep, segment, -CLAMP if bricks.sweep[b] == SOLID else CLAMP)
        result.removed[b], result.inside[b] = combine_brick(
            stock, triangle, sweep, segment, sign, inner, lost, result.distance[b], result.nearest[b]
        )


def evaluate(fields: Fields, operation: Operation) -> tuple[Field, Loss]:
    """See `Backend.evaluate`."""
    count = len(fields)
    loss = Loss(np.empty(count), np.empty(count, dtype=np.int64))
    distance, nearest = np.empty((count, BRICK_VOXELS), np.float32), np.empty((count, BRICK_VOXELS), np.int32)
    in_runs(
        evaluate_bricks, count, BRICKS_PER_RUN,
        Bricks(fields.table.coordinates(fields.bricks) * BRICK_SIZE, fields.stock_state, fields.sweep_state),
        Primitives.of(fields.segments, fields.triangles),
        fields.triangle_bins, fields.crossings, fields.sums, fields.segment_bins,
        np.float32(-1 if operation == "subtract" else 1), operation == "union",
        Result(distance, nearest, loss.removed, loss.inside),
        scratch=partial(BrickScratch.of, fields.segment_bins.first),
    )  # fmt: skip
    return fields.combined(distance, nearest, operation), loss
