"""The caps that close the holes of an open stock: where the absolute winding number |w| crosses 0.5.

A cap can lie far from every triangle. Away from the boundary, the fractional part of the boundary sum b is smooth. If
it cannot reach 0.5 in a block of voxels, the block is *settled*: one value gives the side of all of it. If it can, the
cap is part of the surface. Blocks go down in levels: see `boundary_tiles`.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ..model.bricks import BAND, BRICK_SIZE, BRICK_VOXELS, REACH, BrickTable
from ..primitives.boundary import Boundary, BoundarySums
from ..primitives.boundary_loops import small_loops
from ..primitives.crossings import Crossings
from ..runtime.progress import progress_range, with_progress
from ..runtime.threads import slices
from .binning import half_diagonal
from .boundary_tiles import CENTRE, ERROR, Tiles, whole_tiles
from .protocol import Backend

Array = npt.NDArray[np.float64]
Indices = npt.NDArray[np.int64]

BRICKS_PER_RUN = 4096
BLOCK_SIZE = BRICK_SIZE // 2


@dataclass(frozen=True)
class CapSearch:
    """What the search for caps found in B bricks: in those of triangles, and in all that a cap may pass.

    Attributes:
        boundary: the open boundary.    table: the bricks of the grid.
        bricks: (B,) their ids, in ascending order.
        b: (B,) a boundary sum for each: one with which no voxel is on the wrong side, if it has no tile.
        tile: (B,) the tile of each brick that is not settled, or lies below edges; else -1.
        tiles: these bricks.
        settled: (T,) whether, in a tile, b cannot reach 0.5 within REACH of a voxel centre.
        cap_bricks: (C,) ids of those where, away from the triangles, |w| can be 0.5 within BAND of a voxel centre.
    """

    boundary: Boundary
    table: BrickTable
    bricks: Indices
    b: Array
    tile: Indices
    tiles: Tiles
    settled: npt.NDArray[np.bool_]
    cap_bricks: Indices


def search_caps(boundary: Boundary, table: BrickTable, bricks: Indices, backend: Backend) -> CapSearch:
    """Search for the caps of a boundary with at least one edge.

    Args:
        bricks: ids (N,) of the bricks with triangles, in ascending order.
    """
    corners, b_of_brick = table.coordinates(bricks) * BRICK_SIZE, np.zeros(len(bricks))
    tiles = whole_tiles(small_loops(boundary), tuple(side * BRICK_SIZE for side in table.shape), backend)
    while True:
        b, settled, _ = _settle(tiles, BAND, backend)
        jumps, tile = _below_edges(boundary, table, tiles), tiles.holding(corners)
        known = np.flatnonzero(tile >= 0)
        b_of_brick[known] = b[tile[known]]
        has_triangles = np.zeros(len(tiles), dtype=np.bool_)
        has_triangles[tile[known]] = True
        left = np.flatnonzero(~settled | (has_triangles & jumps))
        if tiles.size == BRICK_SIZE:
            break
        tiles = tiles.at(left).with_far_loops(backend).eighths()
        tiles = tiles.at(np.flatnonzero((tiles.corner < np.array(table.shape) * BRICK_SIZE).all(axis=1)))
    ids = table.ids(tiles.corner[left] // BRICK_SIZE)
    left = left[np.argsort(ids)]
    ids, tiles, b, settled = np.sort(ids), tiles.at(left), b[left], settled[left]
    cap_bricks, unsettled = ids[~settled], np.flatnonzero(~settled)
    settled[unsettled] = _settle(tiles.at(unsettled), REACH, backend)[1]
    both = np.union1d(bricks, ids)
    b_of_both, tile_of_both = np.empty(len(both)), np.full(len(both), -1)
    b_of_both[np.searchsorted(both, bricks)] = b_of_brick
    place = np.searchsorted(both, ids)
    b_of_both[place], tile_of_both[place] = b, np.arange(len(ids))
    return CapSearch(boundary, table, both, b_of_both, tile_of_both, tiles, settled, cap_bricks)


def boundary_sums(search: CapSearch, crossings: Crossings, bricks: Indices, backend: Backend) -> BoundarySums:
    """The boundary sum in some of the bricks, ids (B,) in ascending order: exact near a cap; elsewhere with an error
    that cannot move |w| across 0.5.

    A settled block takes the sum at its centre. If a boundary edge lies above it, each column takes its own sum: there
    both the sum and the crossings jump between columns.
    """
    if len(bricks) == 0:
        return BoundarySums.none(0)
    rows = np.searchsorted(search.bricks, bricks)
    runs = slices(len(rows), BRICKS_PER_RUN)
    return BoundarySums.joined([_sums_of_run(search, crossings, rows[run], backend) for run in with_progress(runs)])


def _sums_of_run(search: CapSearch, crossings: Crossings, rows: Indices, backend: Backend) -> BoundarySums:
    """As `boundary_sums`, for a run of rows of the search."""
    tile = search.tile[rows]
    row = np.where(tile < 0, -1, np.cumsum(tile >= 0) - 1).astype(np.int32)
    tile, slot = tile[tile >= 0], row[row >= 0]
    by_voxel = np.empty((len(tile), *[BRICK_SIZE] * 3))
    to_cap = np.full(by_voxel.shape, REACH, dtype=np.float32)
    settled = search.settled[tile]
    with progress_range(0.0, 0.2):
        by_voxel[slot[settled]] = _column_sums(search.tiles.at(tile[settled]), backend)
    bricks = search.tiles.at(tile[~settled]).with_far_loops(backend)
    with progress_range(0.2, 1.0):
        _fill_blocks(search, crossings, bricks, slot[~settled], by_voxel, to_cap, backend)
    return BoundarySums(search.b[rows], row, by_voxel.reshape(-1, BRICK_VOXELS), to_cap.reshape(-1, BRICK_VOXELS))


def _fill_blocks(
    search: CapSearch,
    crossings: Crossings,
    bricks: Tiles,
    slot: npt.NDArray[np.int32],
    by_voxel: Array,
    to_cap: npt.NDArray[np.float32],
    backend: Backend,
) -> None:
    """Set b and the distance to the cap in the voxels of bricks (N,), at slots (N,)."""
    tiles = bricks.eighths()
    slot = np.repeat(slot, 8)
    z, y, x = (tiles.corner // BLOCK_SIZE % 2).T
    with progress_range(0.0, 0.3):
        b, settled, steepest = _settle(tiles, REACH, backend)
    jumps = _below_edges(search.boundary, search.table, tiles)
    one, each = settled & ~jumps, settled & jumps
    blocks = _blocks_of(by_voxel)
    blocks[slot[one], z[one], :, y[one], :, x[one], :] = b[one, None, None, None]
    blocks[slot[each], z[each], :, y[each], :, x[each], :] = _column_sums(tiles.at(each), backend)

    left = np.flatnonzero(~settled)
    tiles, steepest = tiles.at(left), steepest[left]
    with progress_range(0.3, 0.7):
        sums = _voxel_sums(search.boundary, tiles, backend)
    blocks[slot[left], z[left], :, y[left], :, x[left], :] = sums
    off = np.abs(0.5 - np.abs(sums + _crossings_above(tiles, crossings)))
    near = np.flatnonzero(off.min(axis=(1, 2, 3), initial=np.inf) < REACH * steepest)
    slopes = tiles.at(near).gradients(_voxels(BLOCK_SIZE), backend)
    far = off[near] / np.maximum(np.linalg.norm(slopes, axis=2).reshape(-1, *off.shape[1:]), 1e-12)
    left = left[near]
    _blocks_of(to_cap)[slot[left], z[left], :, y[left], :, x[left], :] = np.minimum(far, REACH)


def _voxel_sums(boundary: Boundary, tiles: Tiles, backend: Backend) -> Array:
    """(N, 4, 4, 4) b at the voxels of blocks. Where its error might move |w| across 0.5, all edges are summed."""
    offsets = _voxels(BLOCK_SIZE)
    sums = tiles.sums(offsets, backend)
    tile, voxel = np.nonzero(np.abs(sums % 1.0 - 0.5) < ERROR)
    sums[tile, voxel] = backend.boundary_winding(tiles.centre[tile] + offsets[voxel], boundary)
    return sums.reshape(-1, *[BLOCK_SIZE] * 3)


def _crossings_above(tiles: Tiles, crossings: Crossings) -> npt.NDArray[np.integer]:
    """(N, 4, 4, 4) signed crossings above the voxels of blocks."""
    steps = np.stack(np.meshgrid(*[np.arange(tiles.size)] * 3, indexing="ij"))
    z, y, x = tiles.corner.T[:, :, None, None, None] + steps[:, None]
    rows, columns = np.minimum(y, crossings.shape[1] - 1), np.minimum(x, crossings.shape[2] - 1)
    found: npt.NDArray[np.integer] = crossings.above(z.ravel(), (rows * crossings.shape[2] + columns).ravel())
    return found.reshape(z.shape)


def _settle(tiles: Tiles, band: float, backend: Backend) -> tuple[Array, npt.NDArray[np.bool_], Array]:
    """(N,) b at the centres of tiles; whether its fractional part cannot reach 0.5 within `band` of a voxel centre; and
    an upper bound of its steepness there."""
    with progress_range(0.0, 0.4):
        b = tiles.sums(CENTRE, backend)[:, 0]
    with progress_range(0.4, 1.0):
        change, steepest = tiles.change_bounds(half_diagonal(tiles.size) + band, backend)
    return b, np.abs(b % 1.0 - 0.5) > change + ERROR, steepest


def _voxels(size: int) -> Array:
    """(size^3, 3) the voxels of a tile relative to its centre: x, y, z, in (Z, Y, X) order."""
    steps = np.arange(size) + 0.5 - size / 2
    z, y, x = np.meshgrid(steps, steps, steps, indexing="ij")
    return np.stack([x, y, z], axis=-1).reshape(-1, 3)


def _blocks_of(voxels: npt.NDArray[np.floating]) -> npt.NDArray[np.floating]:
    """(S, 2, 4, 2, 4, 2, 4): a view of (S, 8, 8, 8) by blocks."""
    return voxels.reshape(-1, *[BRICK_SIZE // BLOCK_SIZE, BLOCK_SIZE] * 3)


def _column_sums(tiles: Tiles, backend: Backend) -> Array:
    """(N, 1, size, size): b of each column of tiles, at half height. It jumps only between columns."""
    steps = np.arange(tiles.size) + 0.5 - tiles.size / 2
    y, x = np.meshgrid(steps, steps, indexing="ij")
    offsets = np.stack([x, y, np.zeros_like(x)], axis=-1).reshape(-1, 3)
    return tiles.sums(offsets, backend).reshape(-1, 1, tiles.size, tiles.size)


def _below_edges(boundary: Boundary, table: BrickTable, tiles: Tiles) -> npt.NDArray[np.bool_]:
    """(N,): whether a boundary edge may lie above a tile, so that b jumps between its columns."""
    size = tiles.size
    shape = -(-np.array(table.shape[1:]) * BRICK_SIZE // size)
    low = np.minimum(boundary.low, boundary.high)[:, 1::-1]
    high = np.maximum(boundary.low, boundary.high)[:, 1::-1]
    first = np.clip(np.floor(low / size), 0, shape).astype(int)
    stop = np.clip(np.floor(high / size) + 1, 0, shape).astype(int)
    # The rectangle of blocks under each edge, marked by its corners in a summed-area table.
    marks = np.zeros(shape + 1, dtype=np.int64)
    for y, x, sign in ((first, first, 1), (first, stop, -1), (stop, first, -1), (stop, stop, 1)):
        np.add.at(marks, (y[:, 0], x[:, 1]), sign)
    covered = marks.cumsum(axis=0).cumsum(axis=1) > 0
    return covered[tiles.corner[:, 1] // size, tiles.corner[:, 2] // size]
