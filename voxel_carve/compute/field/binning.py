"""Binning: which primitives matter in which bricks.

Pairs (tile, primitive) are refined in levels, from tiles of 64 voxels to bricks of 8. A pair is kept only if, by the
distance from the tile's centre, the primitive's surface (for a sweep, its body) may reach the tile. A tile wholly
inside one segment is SOLID, and its pairs are dropped at once.

Finally, each brick's list is pruned by the segment nearest to its centre. The distance d to a segment is convex. With
its gradient g at the centre, it is at least d + g.u at an offset u. So the segment is not near if d - h |g|_1 > BAND,
where h is the half extent of the voxel centres. The nearest segment's ball that is nearest to the centre, at a distance
rho, is at most d + g.u + |u|^2 / (2 rho) away. So segment i is never the nearest if
d_i - d_j > h |g_i - g_j|_1 + 1.5 h^2 / rho_j. On a segment's axis the gradient is undefined, and the segment is kept. A
segment that contains the corners of a brick contains all of it.

A triangle matters if it comes within BAND of a voxel centre. Its plane excludes more bricks than the distance from the
brick's centre does: the slab around the plane must reach the box of the voxel centres.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ..model.bricks import BAND, BRICK_SIZE, Bins, BrickTable
from ..runtime.threads import slices

Array = npt.NDArray[np.float64]

LEVELS = (64, 32, 16, 8)  # edges of the tiles, in voxels
BOXES_AT_ONCE = 1 << 14


@dataclass(frozen=True)
class BinnedSweep:
    """Where a sweep's surface can be.

    Attributes:
        states: (Z, Y, X) uint8 table of `State`.
        bins: segments of the NEAR bricks.
    """

    states: npt.NDArray[np.uint8]
    bins: Bins


def half_diagonal(tile: int) -> float:
    """Largest distance of a voxel centre from the centre of its tile, in voxels."""
    return float(np.sqrt(3.0) * (tile - 1) / 2)


def widened(bounds: tuple[Array, Array]) -> tuple[Array, Array]:
    """Boxes (N, 3), (N, 3), enlarged by BAND."""
    return bounds[0] - BAND, bounds[1] + BAND


def tile_shape(table: BrickTable, tile: int) -> tuple[int, int, int]:
    """The number of tiles of `tile` voxels a side that cover the table, as (Z, Y, X)."""
    bricks = tile // BRICK_SIZE
    z, y, x = (-(-side // bricks) for side in table.shape)
    return z, y, x


def tiles_of_boxes(
    low: Array, high: Array, tile: int, shape: tuple[int, int, int]
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int32]]:
    """All pairs (tile, primitive) where the primitive's box, from low to high (N, 3), overlaps that of the tile's voxel
    centres."""
    first, extent = _tile_ranges(low, high, tile, shape)
    count = extent[:, 0] * extent[:, 1] * extent[:, 2]
    owner = np.repeat(np.arange(len(low), dtype=np.int32), count)
    step = np.arange(len(owner)) - np.repeat(np.cumsum(count) - count, count)
    width, height = extent[owner, 0].astype(np.int32), extent[owner, 1].astype(np.int32)
    step = step.astype(np.int32)
    rows = step // width
    z = rows // height
    x, y, z = step - rows * width + first[owner, 0], rows - z * height + first[owner, 1], z + first[owner, 2]
    return (z * shape[1] + y) * shape[2] + x, owner


def tiles_in_boxes(low: Array, high: Array, tile: int, table: BrickTable) -> Array:
    """(N,) the number of tiles whose voxel centres overlap each box, from low to high (N, 3)."""
    _, extent = _tile_ranges(low, high, tile, tile_shape(table, tile))
    return extent.prod(axis=1, dtype=np.float64)


def _tile_ranges(
    low: Array, high: Array, tile: int, shape: tuple[int, int, int]
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """The first of the tiles (x, y, z) that overlap each box, and their number along each axis, (N, 3) each."""
    last = np.array(shape[::-1]) - 1
    first, extent = np.empty((2, len(low), 3), dtype=np.int64)
    # A part at a time stays in the cache.
    for part in slices(len(low), BOXES_AT_ONCE):
        # A tile's centres run from 0.5 to tile - 0.5.
        first[part] = np.clip(np.ceil((low[part] - (tile - 0.5)) / tile), 0, last + 1)
        stop = np.clip(np.floor((high[part] - 0.5) / tile), -1, last).astype(np.int64) + 1
        extent[part] = np.maximum(stop - first[part], 0)
    return first, extent


def bricks_of_tiles(tiles: npt.NDArray[np.int64], tile: int, table: BrickTable) -> npt.NDArray[np.int64]:
    """The bricks (M, 4) of the table in tiles (N, 4) of `tile` voxels a side: (z, y, x), and what else a tile has."""
    bricks = tile // BRICK_SIZE
    steps = np.stack(np.meshgrid(*[np.arange(bricks)] * 3, [0], indexing="ij"), axis=-1).reshape(-1, 4)
    inside = (tiles[:, None] * (bricks, bricks, bricks, 1) + steps).reshape(-1, 4)
    return inside[(inside[:, :3] < table.shape).all(axis=1)]
