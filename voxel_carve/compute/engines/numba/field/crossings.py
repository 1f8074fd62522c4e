"""Kernels for signed crossings. See `primitives.crossings` for the rules."""

import numpy as np
import numpy.typing as npt

from ....formulas import z_columns
from ....model.bricks import BRICK_SIZE, BRICK_VOXELS, BrickTable
from ....primitives.crossings import Crossings, keys_in_column
from ....primitives.triangles import Triangles
from ....runtime.threads import in_runs, over_rows
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
LISTED_AT_ONCE = 1 << 15
BRICKS_PER_RUN = 1 << 10


@kernel
def pass_columns(start, stop, points, triangles, shape, place, listed):  # type: ignore[no-untyped-def]
    """List crossings of triangles with the z columns until `listed` (L,) may be full. Return their number.

    Each is column * `keys_in_column(shape)` + key: see `Crossings.of`.

    Args:
        place: (2,) the triangle and the row of columns to begin with; then, those to go on with.
    """
    found, row = np.int64(0), place[1]
    for t in range(max(start, place[0]), stop):
        a, b, c = triangles[t, 0], triangles[t, 1], triangles[t, 2]
        low_x, high_x = min(points[a, 0], points[b, 0], points[c, 0]), max(points[a, 0], points[b, 0], points[c, 0])
        low_y, high_y = min(points[a, 1], points[b, 1], points[c, 1]), max(points[a, 1], points[b, 1], points[c, 1])
        first_x, last_x = column_range(low_x, high_x, float(shape[2]))
        first_y, last_y = column_range(low_y, high_y, float(shape[1]))
        for y in range(max(first_y, row), last_y + 1):
            if found + shape[2] > len(listed):
                place[0], place[1] = t, y
                return found
            for x in range(first_x, last_x + 1):
                up, above = column_crossing(points, a, b, c, x + 0.5, y + 0.5)
                if up == 0:
                    continue
                key = 2 * int(height_in(above, float(shape[0]))) + (1 if up > 0 else 0)
                listed[found] = (y * shape[2] + x) * keys(shape) + key
                found += 1
        row = np.int64(0)
    place[0], place[1] = stop, 0
    return found


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
    listed = np.concatenate(_in_runs(triangles, shape))
    # A sort of whole numbers is several times as fast as one by three keys.
    listed.sort()
    column = listed // keys_in_column(shape)
    listed %= keys_in_column(shape)
    start = np.append(0, np.cumsum(np.bincount(column, minlength=shape[1] * shape[2])))
    del column
    return Crossings.of(shape, listed, start)


def _in_runs(triangles: Triangles, shape: tuple[int, int, int]) -> list[npt.NDArray[np.int64]]:
    """The crossings of runs of triangles, as `pass_columns` lists them."""

    def run(start: int, stop: int, buffer: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        place, parts = np.array([start, 0]), [np.empty(0, dtype=np.int64)]
        while place[0] < stop:
            found = pass_columns(start, stop, triangles.points, triangles.triangles, shape, place, buffer)
            parts.append(buffer[:found].copy())
        return np.concatenate(parts)

    # Few triangles are large ones.
    size = max(1, min(TRIANGLES_PER_RUN, len(triangles.triangles) // LEAST_RUNS))
    return in_runs(run, len(triangles.triangles), size, scratch=lambda: np.empty(LISTED_AT_ONCE + shape[2], np.int64))


def in_bricks(crossings: Crossings, bricks: npt.NDArray[np.int64], table: BrickTable) -> npt.NDArray[np.int16]:
    """See `Backend.crossings_in_bricks`."""
    corners, out = table.coordinates(bricks) * BRICK_SIZE, np.empty((len(bricks), BRICK_VOXELS), dtype=np.int16)
    columns = (crossings.shape, crossings.start, crossings.height, crossings.total)
    over_rows(crossings_in_bricks, len(corners), BRICKS_PER_RUN, corners, *columns, out)
    return out
