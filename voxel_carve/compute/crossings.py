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
from .threads import map_blocks
from .triangles import Triangles

Array = npt.NDArray[np.float64]
Indices = npt.NDArray[np.int64]

# Of rows of columns: triangle, y, first x, number of x; all (R,).
_Rows = tuple[Indices, Indices, Indices, Indices]

BLOCK = 1 << 15  # columns tried at once by one thread


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
    column: Indices
    height: Indices
    sign: Indices
    total: Indices
    start: Indices

    @classmethod
    def of(cls, triangles: Triangles, shape: tuple[int, int, int]) -> "Crossings":
        """Pass the columns of a grid of `shape` voxels, where `triangles` are in its voxel units."""
        edges = [_Edge.of(triangles, i) for i in range(3)]
        found = list(
            map_blocks(lambda rows: _crossings_of_rows(triangles, edges, rows, shape), _rows(triangles, shape))
        )
        found.append((np.empty(0, np.int64),) * 3)
        column, height, sign = (np.concatenate(part) for part in zip(*found, strict=True))
        return cls.sorted(shape, column, height, sign)

    @classmethod
    def sorted(
        cls,
        shape: tuple[int, int, int],
        column: Indices,
        height: Indices,
        sign: Indices,
    ) -> "Crossings":
        """Put crossings (H,) in any order into theirs."""
        # A crossing is one number, and these are sorted faster than an order of them is found.
        key = np.sort((column * (shape[0] + 1) + height) * 2 + (sign > 0))
        sign, key = (key & 1) * 2 - 1, key >> 1
        column = key // (shape[0] + 1)
        height = key - column * (shape[0] + 1)
        start = np.concatenate([[0], np.cumsum(np.bincount(column, minlength=shape[1] * shape[2]))])
        return cls(shape, column, height, sign, np.concatenate([[0], np.cumsum(sign)]), start)

    def volume(self) -> int:
        """Signed volume of a closed mesh, in voxels: negative where it looks inward."""
        return int(self.sign @ self.height)

    def above(self, z: npt.NDArray[np.integer], column: npt.NDArray[np.integer]) -> Indices:
        """Signed crossings above the voxels with index z in `column` (y * X + x), all of shape (N,)."""
        stride = self.shape[0] + 2
        z = np.minimum(z, self.shape[0])  # a brick may stand out over the grid: nothing is counted above that
        key = self.column * stride + self.height
        first = np.searchsorted(key, np.asarray(column, dtype=np.int64) * stride + z, side="right")
        return self.total[self.start[column + 1]] - self.total[first]

    def in_bricks(self, bricks: Indices, table: BrickTable) -> npt.NDArray[np.int16]:
        """(B, 512) signed crossings above each voxel of `bricks` (B,), ids in ascending order."""
        if len(bricks) == 0:
            return np.zeros((0, BRICK_VOXELS), dtype=np.int16)
        corner = table.coordinates(bricks) * BRICK_SIZE
        steps = np.arange(BRICK_SIZE)
        y = np.minimum(corner[:, 1, None, None] + steps[:, None], self.shape[1] - 1)
        x = np.minimum(corner[:, 2, None, None] + steps, self.shape[2] - 1)
        column = y * self.shape[2] + x
        return _below(self, column.reshape(-1), np.repeat(corner[:, 0], BRICK_SIZE**2)).reshape(-1, BRICK_VOXELS)


def _below(crossings: Crossings, column: Indices, low: Indices) -> npt.NDArray[np.int16]:
    """(B, 8, 64) signed crossings above the BRICK_SIZE voxels over index z = `low` of each column (64 B,)."""
    # Sums of the signs by height, counted from `low`; whatever is higher counts as 8.
    by_height = np.zeros((BRICK_SIZE + 1, len(column)), dtype=np.int16)
    first, here = crossings.start[column], crossings.start[column + 1]
    left = np.arange(len(column))
    while True:
        # The highest crossing of each column, then the second, as far down as they are over `low`.
        left = left[here[left] > first[left]]
        here[left] -= 1
        height = crossings.height[here[left]] - low[left]
        left = left[height > 0]
        if len(left) == 0:
            break
        height = np.minimum(height[height > 0], BRICK_SIZE)
        by_height[height, left] += crossings.sign[here[left]].astype(np.int16)
    above = np.empty((len(column) // BRICK_SIZE**2, BRICK_SIZE, BRICK_SIZE**2), dtype=np.int16)
    total = by_height[BRICK_SIZE]
    for z in range(BRICK_SIZE - 1, -1, -1):
        above[:, z] = total.reshape(-1, BRICK_SIZE**2)
        total += by_height[z]
    return above


@dataclass(frozen=True)
class _Edge:
    """One side of each triangle, from the end with the lower index to that with the higher one.

    Attributes, all (M,):
        x, y: float64, where it starts.    dx, dy: float64, how it runs.
        turned: bool, whether the triangle runs it the other way.
    """

    x: Array
    y: Array
    dx: Array
    dy: Array
    turned: npt.NDArray[np.bool_]

    @classmethod
    def of(cls, triangles: Triangles, corner: int) -> "_Edge":
        """The sides that start at a corner, 0 to 2."""
        i, j = corner, (corner + 1) % 3
        turned = triangles.triangles[:, i] > triangles.triangles[:, j]
        (x, y), (end_x, end_y) = (triangles.columns[3 * k : 3 * k + 2] for k in (i, j))
        x, end_x = np.where(turned, end_x, x), np.where(turned, x, end_x)
        y, end_y = np.where(turned, end_y, y), np.where(turned, y, end_y)
        return cls(x, y, end_x - x, end_y - y, turned)

    def function(self, which: Indices, px: Array, py: Array) -> tuple[Array, npt.NDArray[np.bool_]]:
        """Twice the signed area of each side and p seen from +z, as it runs here; whether p lies to the left of it, as
        the triangle runs it, with ties broken."""
        dx, dy = self.dx[which], self.dy[which]
        value = dx * (py - self.y[which]) - dy * (px - self.x[which])
        left = value > 0
        tie = np.flatnonzero(value == 0)
        left[tie] = np.where(dy[tie] != 0, dy[tie] < 0, dx[tie] > 0)
        return value, left ^ self.turned[which]


def _rows(triangles: Triangles, shape: tuple[int, int, int]) -> Iterator[_Rows]:
    """Blocks of rows of columns under the boxes of the triangles."""
    a, b, c = (triangles.columns[3 * i : 3 * i + 2] for i in range(3))
    limit = np.array(shape[2:0:-1])[:, None]
    first = np.clip(np.ceil(np.minimum(np.minimum(a, b), c) - 0.5), 0, limit).astype(np.int64)
    stop = np.clip(np.floor(np.maximum(np.maximum(a, b), c) - 0.5) + 1, 0, limit).astype(np.int64)
    extent = np.maximum(stop - first, 0)
    met = np.flatnonzero(extent[0] * extent[1])
    done = np.cumsum((extent[0] * extent[1])[met])
    # A triangle whose box alone holds more columns than a block is one block, cut by rows.
    for group in np.split(met, np.flatnonzero(np.diff(done // BLOCK)) + 1):
        rows = np.repeat(group, extent[1, group])
        y = expand_ranges(first[1, group], extent[1, group])
        columns = np.cumsum(extent[0, rows]) // BLOCK
        for part in np.split(np.arange(len(rows)), np.flatnonzero(np.diff(columns)) + 1):
            yield rows[part], y[part], first[0, rows[part]], extent[0, rows[part]]


def _crossings_of_rows(
    triangles: Triangles, edges: list[_Edge], rows: _Rows, shape: tuple[int, int, int]
) -> tuple[Indices, Indices, Indices]:
    """Column, height and sign of the crossings."""
    triangle, y, first, count = rows
    x = expand_ranges(first, count)
    triangle, y = np.repeat(triangle, count), np.repeat(y, count)
    px, py = x.astype(np.float64) + 0.5, y.astype(np.float64) + 0.5
    # The side from corner 1 to 2 weighs corner 0, and so on.
    (wa, left_a), (wb, left_b), (wc, left_c) = (edges[i].function(triangle, px, py) for i in (1, 2, 0))
    hit = np.flatnonzero((left_a == left_b) & (left_b == left_c))
    triangle, up = triangle[hit], left_a[hit]
    weights = [np.where(edges[i].turned[triangle], -w[hit], w[hit]) for i, w in ((1, wa), (2, wb), (0, wc))]
    heights = triangles.columns[2:9:3].take(triangle, axis=1)
    total = weights[0] + weights[1] + weights[2]
    z = weights[0] * heights[0] + weights[1] * heights[1] + weights[2] * heights[2]
    z = np.where(total != 0, z / np.where(total != 0, total, 1.0), heights[0])
    z = np.clip(z, heights.min(axis=0), heights.max(axis=0)) - 0.5
    # A voxel centre exactly on the surface is inside, below an upper face and above a lower one.
    height = np.where(up, np.floor(z) + 1, np.ceil(z))
    height = np.clip(height, 0, shape[0]).astype(np.int64)
    return y[hit] * shape[2] + x[hit], height, np.where(up, 1, -1)
