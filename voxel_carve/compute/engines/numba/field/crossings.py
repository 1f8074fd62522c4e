"""Kernels for signed crossings. See `primitives.crossings` for the rules."""

import numpy as np
import numpy.typing as npt

from ....formulas import z_columns
from ....model.bricks import BRICK_SIZE, BRICK_VOXELS, BrickTable
from ....primitives.crossings import Crossings, keys_in_column
from ....primitives.triangles import Triangles
from ....runtime.progress import progress_range
from ....runtime.threads import over_rows
from ..compiler.decorators import kernel, subroutine
from ..compiler.formulas import DOUBLE

column_crossing, column_range, height_in = (
    DOUBLE(z_columns.column_crossing),
    DOUBLE(z_columns.column_range),
    DOUBLE(z_columns.height_in),
)
keys = subroutine(keys_in_column)

TRIANGLES_PER_RUN = 1 << 12
LEAST_RUNS = 16
BRICKS_PER_RUN = 1 << 10


@kernel
def pass_columns(start, stop, points, triangles, shape, first, count, listed):  # type: ignore[no-untyped-def]
    """Find the crossings of each triangle with the z columns, and set count (M,) to their number per triangle.

    The crossings of triangle t are listed from first[t] on, each as column * `keys_in_column(shape)` + key: see
    `Crossings.of`. Empty arrays mean: only count.
    """
    for t in range(start, stop):
        a, b, c = triangles[t, 0], triangles[t, 1], triangles[t, 2]
        low_x, high_x = min(points[a, 0], points[b, 0], points[c, 0]), max(points[a, 0], points[b, 0], points[c, 0])
        low_y, high_y = min(points[a, 1], points[b, 1], points[c, 1]), max(points[a, 1], points[b, 1], points[c, 1])
        first_x, last_x = column_range(low_x, high_x, float(shape[2]))
        first_y, last_y = column_range(low_y, high_y, float(shape[1]))
        found = 0
        for y in range(first_y, last_y + 1):
            for x in range(first_x, last_x + 1):
                up, above = column_crossing(points, a, b, c, x + 0.5, y + 0.5)
                if up == 0:
                    continue
                if len(listed):
                    key = 2 * int(height_in(above, float(shape[0]))) + (1 if up > 0 else 0)
                    listed[first[t] + found] = (y * shape[2] + x) * keys(shape) + key
                found += 1
        count[t] = found


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
    count = np.empty(len(triangles.triangles), dtype=np.int64)
    nothing, arguments = np.empty(0, dtype=np.int64), (triangles.points, triangles.triangles, shape)
    # Few triangles are large ones.
    size = max(1, min(TRIANGLES_PER_RUN, len(count) // LEAST_RUNS))
    with progress_range(0.0, 0.4):
        over_rows(pass_columns, len(count), size, *arguments, nothing, count, nothing)
    first = np.cumsum(count) - count
    listed = np.empty(int(count.sum()), dtype=np.int64)
    with progress_range(0.4, 0.9):
        over_rows(pass_columns, len(count), size, *arguments, first, count, listed)
    # A sort of whole numbers is several times as fast as one by three keys. Those of a triangle ascend already.
    listed.sort(kind="stable")
    column = listed // keys_in_column(shape)
    listed %= keys_in_column(shape)
    start = np.append(0, np.cumsum(np.bincount(column, minlength=shape[1] * shape[2])))
    del column
    return Crossings.of(shape, listed, start)


def in_bricks(crossings: Crossings, bricks: npt.NDArray[np.int64], table: BrickTable) -> npt.NDArray[np.int16]:
    """See `Backend.crossings_in_bricks`."""
    corners, out = table.coordinates(bricks) * BRICK_SIZE, np.empty((len(bricks), BRICK_VOXELS), dtype=np.int16)
    columns = (crossings.shape, crossings.start, crossings.height, crossings.total)
    over_rows(crossings_in_bricks, len(corners), BRICKS_PER_RUN, corners, *columns, out)
    return out
