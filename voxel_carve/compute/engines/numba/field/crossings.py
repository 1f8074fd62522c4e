"""Kernels for signed crossings. See `primitives.crossings` for the rules."""

import math

import numpy as np
import numpy.typing as npt

from ....formulas import z_columns
from ....model.bricks import BRICK_SIZE, BRICK_VOXELS, BrickTable
from ....primitives.crossings import Crossings
from ....primitives.triangles import Triangles
from ....runtime.progress import progress_range
from ....runtime.threads import in_runs
from ..compiler.decorators import kernel
from ..compiler.formulas import DOUBLE

column_crossing = DOUBLE(z_columns.column_crossing)

TRIANGLES_PER_RUN = 1 << 12
BRICKS_PER_RUN = 1 << 10


@kernel
def pass_columns(start, stop, points, triangles, shape, first, count, column, height, sign):  # type: ignore[no-untyped-def]
    """Find the crossings of each triangle with the z columns, and set count (M,) to their number per triangle.

    The crossings of triangle t are written from first[t] on. Empty arrays mean: only count.
    """
    for t in range(start, stop):
        a, b, c = triangles[t, 0], triangles[t, 1], triangles[t, 2]
        low_x, high_x = min(points[a, 0], points[b, 0], points[c, 0]), max(points[a, 0], points[b, 0], points[c, 0])
        low_y, high_y = min(points[a, 1], points[b, 1], points[c, 1]), max(points[a, 1], points[b, 1], points[c, 1])
        first_x, last_x = math.ceil(max(low_x - 0.5, 0.0)), math.floor(min(high_x - 0.5, shape[2] - 1.0))
        first_y, last_y = math.ceil(max(low_y - 0.5, 0.0)), math.floor(min(high_y - 0.5, shape[1] - 1.0))
        found = 0
        for y in range(first_y, last_y + 1):
            for x in range(first_x, last_x + 1):
                up, above = column_crossing(points, a, b, c, x + 0.5, y + 0.5)
                if up == 0:
                    continue
                if len(column):
                    column[first[t] + found] = y * shape[2] + x
                    height[first[t] + found] = int(min(max(above, 0.0), float(shape[0])))
                    sign[first[t] + found] = up
                found += 1
        count[t] = found


@kernel
def sort_crossings(column, height, sign, start, end, key, total):  # type: ignore[no-untyped-def]
    """Sort crossings by column, then by height, then by sign, negative first. See `Crossings` for the arrays.

    Args:
        start, total: (C + 1,) and (N + 1,), output; all 0 before.
        end, key: (C,) and (N,), scratch buffers.
    """
    for n in range(len(column)):
        start[column[n] + 1] += 1
    for k in range(1, len(start)):
        start[k] += start[k - 1]
    for k in range(len(end)):
        end[k] = start[k]
    for n in range(len(column)):
        k, own = column[n], 2 * height[n] + (sign[n] > 0)
        to = end[k]
        end[k] += 1
        while to > start[k] and key[to - 1] > own:
            key[to] = key[to - 1]
            to -= 1
        key[to] = own
    for k in range(len(start) - 1):
        for n in range(start[k], start[k + 1]):
            column[n], height[n], sign[n] = k, key[n] >> 1, 2 * (key[n] & 1) - 1
            total[n + 1] = total[n] + sign[n]


@kernel
def crossings_in_bricks(run, stop, corners, shape, start, height, total, out):  # type: ignore[no-untyped-def]
    """Set out (B, 512) to the signed crossings above each voxel. corners (B, 3) are first voxels as (z, y, x)."""
    for b in range(run, stop):
        for j in range(BRICK_SIZE):
            y = min(corners[b, 1] + j, shape[1] - 1)
            for i in range(BRICK_SIZE):
                column = y * shape[2] + min(corners[b, 2] + i, shape[2] - 1)
                hit, end = start[column + 1], start[column + 1]
                for k in range(BRICK_SIZE - 1, -1, -1):
                    while hit > start[column] and height[hit - 1] > corners[b, 0] + k:
                        hit -= 1
                    out[b, (k * BRICK_SIZE + j) * BRICK_SIZE + i] = total[end] - total[hit]


def crossings_of(triangles: Triangles, shape: tuple[int, int, int]) -> Crossings:
    """See `Backend.pass_columns`."""
    count, columns = np.empty(len(triangles.triangles), dtype=np.int64), shape[1] * shape[2]
    nothing, arguments = np.empty(0, dtype=np.int64), (triangles.points, triangles.triangles, shape)
    with progress_range(0.0, 0.4):
        in_runs(pass_columns, len(count), TRIANGLES_PER_RUN, *arguments, nothing, count, nothing, nothing, nothing)
    first = np.cumsum(count) - count
    column, height, sign = (np.empty(int(count.sum()), dtype=np.int64) for _ in range(3))
    with progress_range(0.4, 0.9):
        in_runs(pass_columns, len(count), TRIANGLES_PER_RUN, *arguments, first, count, column, height, sign)
    start, total = np.zeros(columns + 1, dtype=np.int64), np.zeros(len(column) + 1, dtype=np.int64)
    sort_crossings(column, height, sign, start, np.empty(columns, np.int64), np.empty(len(column), np.int64), total)
    return Crossings(shape, column, height, sign, total, start)


def in_bricks(crossings: Crossings, bricks: npt.NDArray[np.int64], table: BrickTable) -> npt.NDArray[np.int16]:
    """See `Backend.crossings_in_bricks`."""
    corners, out = table.coordinates(bricks) * BRICK_SIZE, np.empty((len(bricks), BRICK_VOXELS), dtype=np.int16)
    columns = (crossings.shape, crossings.start, crossings.height, crossings.total)
    in_runs(crossings_in_bricks, len(corners), BRICKS_PER_RUN, corners, *columns, out)
    return out
