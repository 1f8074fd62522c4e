"""The first half of the sign of a stock: signed crossings of the rays from all voxel centres toward +z.

One raster of the z columns serves all voxels of a column. Whether a column passes a triangle is decided by float64 edge
functions in an order of the end points that depends on where they are alone, with ties broken as if each column were
moved by (e, e^2) for an e smaller than every number (Edelsbrunner and Mücke 1990). So a column that passes exactly
through an edge crosses exactly one of its two triangles.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from .bricks import BRICK_SIZE, BRICK_VOXELS, BrickTable, expand_ranges
from .triangles import Triangles

BLOCK = 1 << 19  # columns tried at once


@dataclass(frozen=True)
class Crossings:
    """Where z columns pass through triangles, sorted by column, then by height.

    Attributes:
        shape: of the grid, (Z, Y, X).
        column: (H,) int64, y * X + x.
        height: (H,) int64: the voxels of the column with index z < height see the crossing above them.
        sign: (H,) int64: +1 where the triangle looks up, -1 where it looks down.
        total: (H + 1,) int64: sums of the signs before each crossing.
        start: (Y * X + 1,) int64: the crossings of column i are start[i] to start[i + 1].
    """

    shape: tuple[int, int, int]
    column: npt.NDArray[np.int64]
    height: npt.NDArray[np.int64]
    sign: npt.NDArray[np.int64]
    total: npt.NDArray[np.int64]
    start: npt.NDArray[np.int64]

    @classmethod
    def of(cls, triangles: Triangles, shape: tuple[int, int, int]) -> "Crossings":
        """Pass the columns of a grid of `shape` voxels, where `triangles` are in its voxel units."""
        found = [_crossings_of_rows(triangles, rows, shape) for rows in _rows(triangles, shape)]
        found.append((np.empty(0, np.int64),) * 3)
        column, height, sign = (np.concatenate(part) for part in zip(*found, strict=True))
        return cls.sorted(shape, column, height, sign)

    @classmethod
    def sorted(
        cls,
        shape: tuple[int, int, int],
        column: npt.NDArray[np.int64],
        height: npt.NDArray[np.int64],
        sign: npt.NDArray[np.int64],
    ) -> "Crossings":
        """Put crossings (H,) in any order into theirs."""
        key = (column * (shape[0] + 1) + height) * 2 + (sign > 0)
        order = np.argsort(key, kind="stable")
        column, height, sign = column[order], height[order], sign[order]
        start = np.concatenate([[0], np.cumsum(np.bincount(column, minlength=shape[1] * shape[2]))])
        return cls(shape, column, height, sign, np.concatenate([[0], np.cumsum(sign)]), start)

    def volume(self) -> int:
        """Signed volume of a closed mesh, in voxels: negative where it looks inward."""
        return int(self.sign @ self.height)

    def above(self, z: npt.NDArray[np.integer], column: npt.NDArray[np.integer]) -> npt.NDArray[np.int64]:
        """Signed crossings above the voxels with index z in `column` (y * X + x), all of shape (N,)."""
        stride = self.shape[0] + 2
        z = np.minimum(z, self.shape[0])  # a brick may stand out over the grid: nothing is counted above that
        key = self.column * stride + self.height
        first = np.searchsorted(key, np.asarray(column, dtype=np.int64) * stride + z, side="right")
        return self.total[self.start[column + 1]] - self.total[first]

    def in_bricks(self, bricks: npt.NDArray[np.int64], table: BrickTable) -> npt.NDArray[np.int16]:
        """(B, 512) signed crossings above each voxel of `bricks` (B,), ids in ascending order."""
        if len(bricks) == 0:
            return np.zeros((0, BRICK_VOXELS), dtype=np.int16)
        corner = table.coordinates(bricks) * BRICK_SIZE
        steps = np.arange(BRICK_SIZE)
        y = np.minimum(corner[:, 1, None, None] + steps[:, None], self.shape[1] - 1)
        x = np.minimum(corner[:, 2, None, None] + steps, self.shape[2] - 1)
        column = y * self.shape[2] + x
        top = np.broadcast_to(corner[:, 0, None, None] + BRICK_SIZE, column.shape)
        count = np.zeros((len(bricks), BRICK_SIZE, BRICK_SIZE, BRICK_SIZE), dtype=np.int16)
        count[:, -1] = self.above(top.ravel(), column.ravel()).reshape(column.shape)

        z, (y, x) = self.height - 1, np.divmod(self.column, self.shape[2])
        inner = z >= 0
        z, y, x, sign = z[inner], y[inner], x[inner], self.sign[inner]
        ids = table.ids(np.stack([z, y, x], axis=1) // BRICK_SIZE)
        slot = np.minimum(np.searchsorted(bricks, ids), len(bricks) - 1)
        here = bricks[slot] == ids
        slot, z, y, x = slot[here], z[here] % BRICK_SIZE, y[here] % BRICK_SIZE, x[here] % BRICK_SIZE
        np.add.at(count, (slot, z, y, x), sign[here].astype(np.int16))
        return count[:, ::-1].cumsum(axis=1, dtype=np.int16)[:, ::-1].reshape(len(bricks), BRICK_VOXELS)


def _rows(
    triangles: Triangles, shape: tuple[int, int, int]
) -> Iterator[tuple[npt.NDArray[np.int64], npt.NDArray[np.int64], npt.NDArray[np.int64], npt.NDArray[np.int64]]]:
    """Blocks of rows of columns under the boxes of the triangles: (triangle, y, first x, number of x)."""
    low, high = triangles.bounds()
    first = np.clip(np.ceil(low[:, :2] - 0.5), 0, shape[2:0:-1]).astype(np.int64)
    stop = np.clip(np.floor(high[:, :2] - 0.5) + 1, 0, shape[2:0:-1]).astype(np.int64)
    extent = np.maximum(stop - first, 0)
    met = np.flatnonzero(extent.all(axis=1))
    done = np.cumsum(extent[met].prod(axis=1))
    # A triangle whose box alone holds more columns than a block is one block, cut by rows.
    for group in np.split(met, np.flatnonzero(np.diff(done // BLOCK)) + 1):
        rows = np.repeat(group, extent[group, 1])
        y = expand_ranges(first[group, 1], extent[group, 1])
        columns = np.cumsum(extent[rows, 0]) // BLOCK
        for part in np.split(np.arange(len(rows)), np.flatnonzero(np.diff(columns)) + 1):
            yield rows[part], y[part], first[rows[part], 0], extent[rows[part], 0]


def _crossings_of_rows(
    triangles: Triangles,
    rows: tuple[npt.NDArray[np.int64], npt.NDArray[np.int64], npt.NDArray[np.int64], npt.NDArray[np.int64]],
    shape: tuple[int, int, int],
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    triangle, y, first, count = rows
    x = expand_ranges(first, count)
    triangle, y = np.repeat(triangle, count), np.repeat(y, count)
    index = triangles.triangles[triangle]
    px, py = x.astype(np.float64) + 0.5, y.astype(np.float64) + 0.5
    values, signs = [], []
    for i, j in ((1, 2), (2, 0), (0, 1)):
        value, sign = _edge_function(triangles.points, index[:, i], index[:, j], px, py)
        values.append(value)
        signs.append(sign)
    hit = (signs[0] == signs[1]) & (signs[1] == signs[2]) & (signs[0] != 0)
    weights = np.stack([value[hit] for value in values])
    heights = triangles.points[index[hit], 2].T
    total = weights.sum(axis=0)
    z = np.where(total != 0, (weights * heights).sum(axis=0) / np.where(total != 0, total, 1.0), heights[0])
    z = np.clip(z, heights.min(axis=0), heights.max(axis=0)) - 0.5
    sign = signs[0][hit].astype(np.int64)
    # A voxel centre exactly on the surface is inside, below an upper face and above a lower one.
    height = np.where(sign > 0, np.floor(z) + 1, np.ceil(z))
    height = np.clip(height, 0, shape[0]).astype(np.int64)
    return y[hit] * shape[2] + x[hit], height, sign


def _edge_function(
    points: npt.NDArray[np.float64],
    i: npt.NDArray[np.int64],
    j: npt.NDArray[np.int64],
    px: npt.NDArray[np.float64],
    py: npt.NDArray[np.float64],
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.int8]]:
    """Twice the signed area of (i, j, p) seen from +z, and its sign, never 0 unless i and j share x and y."""
    turned = i > j
    low, high = points[np.where(turned, j, i)], points[np.where(turned, i, j)]
    dx, dy = high[:, 0] - low[:, 0], high[:, 1] - low[:, 1]
    value = dx * (py - low[:, 1]) - dy * (px - low[:, 0])
    sign = np.where(value != 0, np.sign(value), np.where(dy != 0, -np.sign(dy), np.sign(dx)))
    return np.where(turned, -value, value), np.where(turned, -sign, sign).astype(np.int8)
