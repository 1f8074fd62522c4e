"""The first part of the winding number of a stock: signed crossings of the rays from all voxel centres toward +z.

The crossings of a z column serve all its voxels. Edge functions in float64 decide whether a column crosses a triangle.
Their end points are ordered by coordinates alone. Ties are broken as if each column were moved by (e, e^2), for an
infinitesimal e (Edelsbrunner and Mücke 1990). So a column exactly through an edge crosses exactly one of its two
triangles.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ..runtime.progress import with_progress

Array = npt.NDArray[np.float64]
Indices = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Crossings:
    """Where z columns cross triangles, sorted by column, then by height.

    Attributes:
        shape: of the grid, (Z, Y, X).
        column: (H,) int64, y * X + x.
        height: (H,) int64: the crossing is above the voxels with index z < height.
        sign: (H,) int64: +1 if the triangle faces up, -1 if it faces down.
        total: (H + 1,) int64: sums of the signs before each crossing.
        start: (Y * X + 1,) int64: column i has the crossings start[i] to start[i + 1].
    """

    shape: tuple[int, int, int]
    column: Indices
    height: Indices
    sign: Indices
    total: Indices
    start: Indices

    def volume(self) -> int:
        """Signed volume of a closed mesh, in voxels; negative if it faces inward."""
        return int(self.sign @ self.height)

    def above(self, z: npt.NDArray[np.integer], column: npt.NDArray[np.integer]) -> Indices:
        """Signed crossings above the voxels with index z in `column` (y * X + x), all of shape (N,)."""
        stride = self.shape[0] + 2
        z = np.minimum(z, self.shape[0])  # a brick may extend beyond the grid, where no crossing counts
        key = self.column * stride + self.height
        first = np.searchsorted(key, np.asarray(column, dtype=np.int64) * stride + z, side="right")
        return self.total[self.start[column + 1]] - self.total[first]


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
        height, sign = crossings_of_columns(points, triangle, x + 0.5, y[:, None] + 0.5)
        row, column = np.nonzero((sign != 0) & (height > 0))
        top = np.minimum(height[row, column], shape[0]).astype(np.int64) - 1
        count[top, y[row], x[column]] += sign[row, column]
    return np.cumsum(count[::-1], axis=0, dtype=np.int32)[::-1]


def crossings_of_columns(
    points: Array, corners: npt.NDArray[np.integer], x: npt.ArrayLike, y: npt.ArrayLike
) -> tuple[Array, Indices]:
    """Where z columns at (x, y) cross triangles with these corners (3, ...).

    Returns:
        height: as `Crossings.height`, not clamped to the grid.
        sign: 1 if the triangle faces up, -1 if it faces down, 0 if the column misses it.
    """
    a, b, c = corners
    # The barycentric weight of corner a is the edge function of the side from b to c, and so on.
    (wa, sign), (wb, sign_b), (wc, sign_c) = (_edge(points, i, j, x, y) for i, j in ((b, c), (c, a), (a, b)))
    low, high = (ends(points[corners, 2], axis=0) for ends in (np.min, np.max))
    total = wa + wb + wc
    z = (wa * points[a, 2] + wb * points[b, 2] + wc * points[c, 2]) / np.where(total != 0, total, 1.0)
    z = np.clip(np.where(total != 0, z, points[a, 2]), low, high) - 0.5
    # A voxel centre exactly on the surface is inside, below an upper face and above a lower one.
    return np.where(sign > 0, np.floor(z) + 1, np.ceil(z)), np.where((sign == sign_b) & (sign == sign_c), sign, 0)


def _edge(
    points: Array, i: npt.NDArray[np.integer], j: npt.NDArray[np.integer], x: npt.ArrayLike, y: npt.ArrayLike
) -> tuple[Array, Indices]:
    """Twice the signed area of (i, j, p) seen from +z, and its sign with ties broken."""
    low, high, order = points[np.minimum(i, j)], points[np.maximum(i, j)], np.where(i < j, 1, -1)
    dx, dy = high[..., 0] - low[..., 0], high[..., 1] - low[..., 1]
    value = dx * (y - low[..., 1]) - dy * (x - low[..., 0])
    side = np.where(value != 0, value, np.where(dy != 0, -dy, dx))
    return order * value, order * np.sign(side).astype(np.int64)
