"""The first part of the winding number of a stock: signed crossings of the rays from all voxel centres toward +z.

The crossings of a z column serve all its voxels. Edge functions in float64 decide whether a column crosses a triangle.
Their end points are ordered by coordinates alone. Ties are broken as if each column were moved by (e, e^2), for an
infinitesimal e (Edelsbrunner and Mücke 1990). So a column exactly through an edge crosses exactly one of its two
triangles.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ..formulas import z_columns
from ..formulas.binding import ON_ARRAYS
from ..runtime.progress import with_progress

Array = npt.NDArray[np.float64]
Indices = npt.NDArray[np.int64]

column_crossing = ON_ARRAYS(z_columns.column_crossing)


class Crossings(NamedTuple):
    """Where z columns cross triangles, sorted by column, then by height. A large grid has millions of them.

    Attributes:
        shape: of the grid, (Z, Y, X).
        height: (H,) int32: the crossing is above the voxels with index z < height.
        total: (H + 1,) int32: sums of the signs before each crossing; +1 if its triangle faces up, -1 if it faces down.
        start: (Y * X + 1,) int64: column i, which is y * X + x, has the crossings start[i] to start[i + 1].
    """

    shape: tuple[int, int, int]
    height: npt.NDArray[np.int32]
    total: npt.NDArray[np.int32]
    start: Indices

    @classmethod
    def of(cls, shape: tuple[int, int, int], key: npt.NDArray[np.integer], start: Indices) -> "Crossings":
        """Crossings that are sorted by their columns, then by their keys (H,): twice the height, plus 1 if the triangle
        faces up."""
        total = np.zeros(len(key) + 1, dtype=np.int32)
        np.cumsum(2 * (key & 1) - 1, out=total[1:])
        return cls(shape, (key >> 1).astype(np.int32), total, start)

    def volume(self) -> int:
        """Signed volume of a closed mesh, in voxels; negative if it faces inward."""
        return int(np.multiply(np.diff(self.total), self.height, dtype=np.int64).sum())

    def above(self, z: npt.NDArray[np.integer], column: npt.NDArray[np.integer]) -> npt.NDArray[np.int32]:
        """Signed crossings above the voxels with index z in `column` (y * X + x), all of shape (N,)."""
        z = np.minimum(z, self.shape[0])  # a brick may extend beyond the grid, where no crossing counts
        low, end = self.start[column], self.start[column + 1]
        high = end
        while (searching := low < high).any():
            middle = (low + high) >> 1
            below = searching.copy()
            below[searching] = self.height[middle[searching]] <= z[searching]
            low, high = np.where(below, middle + 1, low), np.where(searching & ~below, middle, high)
        return self.total[end] - self.total[low]


def keys_in_column(shape: tuple[int, int, int]) -> int:
    """How many keys a crossing in a column can have: see `Crossings.of`."""
    return 2 * shape[0] + 2


def signed_crossings(
    points: Array, triangles: npt.NDArray[np.integer], shape: tuple[int, int, int]
) -> npt.NDArray[np.int32]:
    """(Z, Y, X) signed crossings above each voxel of a grid, found triangle by triangle.

    Args:
        points: (N, 3) in voxel units from the grid's origin, in lexicographic order.
        triangles: (M, 3) indices of points.
        shape: of the grid.
    """
    count = np.zeros(shape, dtype=np.int32)
    for triangle in with_progress(triangles):
        corners = points[triangle, :2]
        first = np.maximum(np.ceil(corners.min(axis=0) - 0.5), 0).astype(np.int64)
        last = np.minimum(np.floor(corners.max(axis=0) - 0.5), np.array(shape[:0:-1]) - 1).astype(np.int64)
        y, x = (np.arange(first[axis], last[axis] + 1) for axis in (1, 0))
        sign, height = column_crossing(points, *triangle, x + 0.5, y[:, None] + 0.5)
        row, column = np.nonzero((sign != 0) & (height > 0))
        top = np.minimum(height[row, column], shape[0]).astype(np.int64) - 1
        count[top, y[row], x[column]] += sign[row, column]
    return np.cumsum(count[::-1], axis=0, dtype=np.int32)[::-1]
