"""The caps that close the holes of an open stock: where the absolute winding number |w| crosses 0.5.

A cap can lie far from every triangle. Away from the boundary, the fractional part of the boundary sum b is smooth. If
it cannot reach 0.5 in a block of voxels, the block is *settled*: one value gives the side of all of it. If it can, the
cap is part of the surface. Blocks go down in levels: see `boundary_tiles`.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ..model.bricks import BAND, BRICK_SIZE, BRICK_VOXELS, REACH, BrickTable
from ..primitives.boundary import Boundary, BoundarySums
from ..primitives.boundary_loops import small_loops
from ..primitives.crossings import Crossings
from ..runtime.progress import progress_range, with_progress
from ..runtime.threads import slices
from .binning import half_diagonal
from .boundary_tiles import CENTRE, EIGHTHS, ERROR, Tiles, whole_tiles
from .cap_planes import Caps
from .protocol import Backend

Array = npt.NDArray[np.float64]
Indices = npt.NDArray[np.int64]

BRICKS_PER_RUN = 4096
BLOCKS_PER_RUN = 2048
BLOCK_SIZE = BRICK_SIZE // 2
TOUCHES = 1e-6  # tiles: an edge that is so near to a column of tiles counts as above it
BLOCK_CENTRES = (EIGHTHS[:, ::-1] - 0.5) * BLOCK_SIZE  # (8, 3) from the centre of a brick


class Blocks(NamedTuple):
    """The blocks of T bricks.

    Attributes:
        b, slope: (T, 8), (T, 8, 3) the boundary sum at their centres, and its gradient.
        settled: (T, 8) whether b cannot reach 0.5 within BAND of a voxel centre there.
    """

    b: Array
    slope: Array
    settled: npt.NDArray[np.bool_]

    @classmethod
    def unknown(cls, count: int) -> "Blocks":
        """Those of bricks of which nothing is known yet."""
        return cls(np.zeros((count, 8)), np.zeros((count, 8, 3)), np.ones((count, 8), dtype=np.bool_))

    def put(self, rows: Indices, b: Array, slope: Array, settled: npt.NDArray[np.bool_]) -> None:
        """Set those of some bricks (N,)."""
        self.b[rows], self.slope[rows], self.settled[rows] = b, slope, settled

    def at(self, rows: Indices) -> "Blocks":
        """Those of some bricks (N,)."""
        return Blocks(self.b[rows], self.slope[rows], self.settled[rows])


@dataclass(frozen=True)
class CapSearch:
    """What the search for caps found in B bricks: in those of triangles, and in all that a cap may pass.

    Attributes:
        boundary: the open boundary.    table: the bricks of the grid.
        bricks: (B,) their ids, in ascending order.
        b: (B,) a boundary sum for each: one with which no voxel is on the wrong side, if it has no tile.
        tile: (B,) the tile of each brick that is not settled, or lies below edges; else -1.
        tiles: these bricks.
        blocks: what is known of their blocks, if they are not settled.
        caps: the same for the planes of the caps.
        settled: (T,) whether, in a tile, b cannot reach 0.5 within BAND of a voxel centre.
        cap_bricks: (C,) ids of those where, away from the triangles, |w| can be 0.5 there.
    """

    boundary: Boundary
    table: BrickTable
    bricks: Indices
    b: Array
    tile: Indices
    tiles: Tiles
    blocks: Blocks
    caps: Caps
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
        b, _, settled = _settle_whole(tiles, BAND, backend)
        jumps, tile = _below_edges(boundary, table, tiles.corner, tiles.size), tiles.holding(corners)
        known = np.flatnonzero(tile >= 0)
        b_of_brick[known] = b[tile[known]]
        has_triangles = np.zeros(len(tiles), dtype=np.bool_)
        has_triangles[tile[known]] = True
        left = np.flatnonzero(~settled | (has_triangles & jumps))
        tiles, settled = tiles.at(left).with_far_loops(backend), settled[left]
        if tiles.size == BRICK_SIZE:
            break
        tiles = tiles.eighths()
        tiles = tiles.at(np.flatnonzero((tiles.corner < np.array(table.shape) * BRICK_SIZE).all(axis=1)))
    # Blocks are nearer to their centres, so they often are settled where a brick is not.
    blocks, unsettled = Blocks.unknown(len(tiles)), np.flatnonzero(~settled)
    blocks.put(unsettled, *_settle(tiles.at(unsettled), BLOCK_CENTRES, half_diagonal(BLOCK_SIZE) + BAND, backend))
    settled |= blocks.settled.all(axis=1)
    left = np.flatnonzero(~settled | (has_triangles & jumps)[left])
    ids = table.ids(tiles.corner[left] // BRICK_SIZE)
    left = left[np.argsort(ids)]
    ids, tiles, settled, blocks = np.sort(ids), tiles.at(left), settled[left], blocks.at(left)
    both = np.union1d(bricks, ids)
    b_of_both, tile_of_both = np.zeros(len(both)), np.full(len(both), -1)
    b_of_both[np.searchsorted(both, bricks)] = b_of_brick
    tile_of_both[np.searchsorted(both, ids)] = np.arange(len(ids))
    return CapSearch(boundary, table, both, b_of_both, tile_of_both, tiles, blocks, Caps(tiles), settled, ids[~settled])


def boundary_sums(search: CapSearch, bricks: Indices, backend: Backend) -> BoundarySums:
    """The boundary sum in some of the bricks, ids (B,) in ascending order, with an error that cannot move |w| across
    0.5, and without distances to caps: see `cap_distances`.

    A settled brick takes the sum at its centre; a settled block too, with its gradient. If a boundary edge lies above
    them, each column takes its own sum: there both the sum and the crossings jump between columns.
    """
    if len(bricks) == 0:
        return BoundarySums.none(0)
    rows = np.searchsorted(search.bricks, bricks)
    runs = slices(len(rows), BRICKS_PER_RUN)
    return BoundarySums.joined([_sums_of_run(search, rows[run], backend) for run in with_progress(runs)])


def _sums_of_run(search: CapSearch, rows: Indices, backend: Backend) -> BoundarySums:
    """As `boundary_sums`, for a run of rows of the search."""
    tile = search.tile[rows]
    row = np.where(tile < 0, -1, np.cumsum(tile >= 0) - 1).astype(np.int32)
    tile, slot = tile[tile >= 0], row[row >= 0]
    by_voxel = np.empty((len(tile), *[BRICK_SIZE] * 3))
    settled = search.settled[tile]
    with progress_range(0.0, 0.2):
        columns = search.tiles.at(tile[settled]).sums(_columns(BRICK_SIZE), backend)
        by_voxel[slot[settled]] = columns.reshape(-1, 1, BRICK_SIZE, BRICK_SIZE)
    with progress_range(0.2, 1.0):
        _fill_blocks(search, tile[~settled], slot[~settled], by_voxel, backend)
    to_cap = np.full((len(tile), BRICK_VOXELS), REACH, dtype=np.float32)
    return BoundarySums(search.b[rows], row, by_voxel.reshape(-1, BRICK_VOXELS), to_cap)


def _fill_blocks(
    search: CapSearch, tile: Indices, slot: npt.NDArray[np.int32], by_voxel: Array, backend: Backend
) -> None:
    """Set b in the voxels of bricks, which are tiles (N,), at slots (N,)."""
    tiles, known = search.tiles.at(tile), search.blocks.at(tile)
    row, block = (index.ravel() for index in np.indices(known.b.shape))
    z, y, x = EIGHTHS[block].T
    b, slope, slot = known.b.ravel(), known.slope.reshape(-1, 3), slot[row]
    with progress_range(0.0, 0.2):
        rest = _rests(tiles, known, backend).ravel()
    jumps = _below_edges(search.boundary, search.table, tiles.corner[row] + EIGHTHS[block] * BLOCK_SIZE, BLOCK_SIZE)
    settled = _from_half(b) > half_diagonal(BLOCK_SIZE) * np.linalg.norm(slope, axis=1) + rest + ERROR
    one, each, left = np.flatnonzero(settled & ~jumps), np.flatnonzero(settled & jumps), np.flatnonzero(~settled)
    rest[jumps] = np.inf  # b is no linear function there
    blocks = _blocks_of(by_voxel)

    def fill(some: Indices, sums: Array) -> None:
        blocks[slot[some], z[some], :, y[some], :, x[some], :] = sums

    fill(one, _linear(b[one], slope[one], BLOCK_SIZE))
    columns = BLOCK_CENTRES[:, None] + _columns(BLOCK_SIZE)
    fill(each, tiles.sums_at(row[each], columns, block[each], backend).reshape(-1, 1, BLOCK_SIZE, BLOCK_SIZE))
    with progress_range(0.3, 1.0):
        for part in with_progress([left[run] for run in slices(len(left), BLOCKS_PER_RUN)]):
            at = _voxel_sums(search, tiles, row[part], block[part], b[part], slope[part], rest[part], backend)
            fill(part, at.reshape(-1, *[BLOCK_SIZE] * 3))


def _rests(tiles: Tiles, known: Blocks, backend: Backend) -> Array:
    """(N, 8) how far b departs, within blocks that are not settled, from a linear function, at most; 0 in others."""
    rests, reach = np.zeros(known.b.shape), half_diagonal(BLOCK_SIZE)
    row, block = np.nonzero(~known.settled)
    points = tiles.centre[row] + BLOCK_CENTRES[block]
    near = backend.change_bound(points, tiles.loops.boundary, reach, tiles.lists_at(row))[:, 3]
    rests[row, block] = near + tiles.bends(BLOCK_CENTRES, reach)[row] * reach**2 / 2
    return rests


def _linear(b: Array, slope: Array, size: int) -> Array:
    """(..., size, size, size) the sum at the voxels of tiles, from that at their centres (...) and its gradient."""
    made: Array = b[..., None] + slope @ _voxels(size).T
    return made.reshape(*b.shape, *[size] * 3)


def cap_distances(
    search: CapSearch, crossings: Crossings, sums: BoundarySums, bricks: Indices, backend: Backend
) -> npt.NDArray[np.float32]:
    """(S, 512) distances to the cap, to first order, in voxels, clamped to REACH, for the rows of `sums`.

    Args:
        bricks: ids (B,) of the bricks of the sums, in ascending order.
    """
    to_cap = np.full((len(sums.voxel_sum), *[BRICK_SIZE] * 3), REACH, dtype=np.float32)
    tile = search.tile[np.searchsorted(search.bricks, bricks)]
    kept = np.flatnonzero(tile >= 0)
    kept = kept[~search.settled[tile[kept]]]
    for run in with_progress(slices(len(kept), BRICKS_PER_RUN)):
        tiles = search.tiles.at(tile[kept[run]]).eighths()
        slot = np.repeat(sums.row[kept[run]], 8)
        left = np.flatnonzero(~_settle_whole(tiles, REACH, backend)[2])
        tiles, slot = tiles.at(left), slot[left]
        z, y, x = (tiles.corner // BLOCK_SIZE % 2).T
        at = slot, z, slice(None), y, slice(None), x, slice(None)
        above = _crossings_above(tiles, crossings)
        w = tiles.sums(_voxels(BLOCK_SIZE), backend).reshape(above.shape) + above
        slopes = np.linalg.norm(tiles.gradients(_voxels(BLOCK_SIZE), backend), axis=2)
        far = np.abs(0.5 - np.abs(w)) / np.maximum(slopes.reshape(w.shape), 1e-12)
        _blocks_of(to_cap)[at] = np.minimum(far, REACH)
    return to_cap.reshape(-1, BRICK_VOXELS)


def _voxel_sums(
    search: CapSearch,
    tiles: Tiles,
    tile: Indices,
    block: Indices,
    b: Array,
    slope: Array,
    rest: Array,
    backend: Backend,
) -> Array:
    """(M, 64) b at the voxels of blocks. Where a linear function cannot say on which side of 0.5 it is, edges are
    summed; and all edges, where the error of that might matter.

    Args:
        tile, block: (M,) the tiles, and the blocks in these.
        b, slope, rest: (M,), (M, 3), (M,) the linear function, and how far b departs from it in the block at most.
    """
    voxels = _voxels(BLOCK_SIZE)
    sums = b[:, None] + slope @ voxels.T
    share = (voxels * voxels).sum(axis=1) / half_diagonal(BLOCK_SIZE) ** 2  # the rest grows with the square of the way
    is_open = _from_half(sums) <= rest[:, None] * share + ERROR
    at = BLOCK_CENTRES[:, None] + voxels
    found = tiles.some_sums_at(tile, at, block, is_open, backend)
    close = np.flatnonzero(_from_half(found) < ERROR)
    row, voxel = (index[close] for index in np.nonzero(is_open))
    found[close] = backend.boundary_winding(tiles.centre[tile[row]] + at[block[row], voxel], search.boundary)
    sums[is_open] = found
    return sums


def _from_half(sums: Array) -> Array:
    """How far the fractions of sums are from 0.5."""
    distance: Array = np.abs(sums - np.floor(sums) - 0.5)
    return distance


def _crossings_above(tiles: Tiles, crossings: Crossings) -> npt.NDArray[np.integer]:
    """(N, 4, 4, 4) signed crossings above the voxels of blocks."""
    steps = np.stack(np.meshgrid(*[np.arange(tiles.size)] * 3, indexing="ij"))
    z, y, x = tiles.corner.T[:, :, None, None, None] + steps[:, None]
    rows, columns = np.minimum(y, crossings.shape[1] - 1), np.minimum(x, crossings.shape[2] - 1)
    found: npt.NDArray[np.integer] = crossings.above(z.ravel(), (rows * crossings.shape[2] + columns).ravel())
    return found.reshape(z.shape)


def _settle_whole(tiles: Tiles, band: float, backend: Backend) -> tuple[Array, Array, npt.NDArray[np.bool_]]:
    """As `_settle`, for all within `band` of a voxel centre: (N,), (N, 3) and (N,)."""
    b, slope, settled = _settle(tiles, CENTRE, half_diagonal(tiles.size) + band, backend)
    return b[:, 0], slope[:, 0], settled[:, 0]


def _settle(tiles: Tiles, offsets: Array, reach: float, backend: Backend) -> tuple[Array, Array, npt.NDArray[np.bool_]]:
    """(N, K) b at the same offsets (K, 3) from the centres of tiles; (N, K, 3) its gradient; and (N, K) whether its
    fractional part cannot reach 0.5 within `reach` of there."""
    with progress_range(0.0, 0.4):
        b = tiles.sums(offsets, backend)
    with progress_range(0.4, 1.0):
        slope, change = tiles.change_bounds(offsets, reach, backend)
    return b, slope, _from_half(b) > change + ERROR


def _voxels(size: int) -> Array:
    """(size^3, 3) the voxels of a tile relative to its centre: x, y, z, in (Z, Y, X) order."""
    steps = np.arange(size) + 0.5 - size / 2
    z, y, x = np.meshgrid(steps, steps, steps, indexing="ij")
    return np.stack([x, y, z], axis=-1).reshape(-1, 3)


def _blocks_of(voxels: npt.NDArray[np.floating]) -> npt.NDArray[np.floating]:
    """(S, 2, 4, 2, 4, 2, 4): a view of (S, 8, 8, 8) by blocks."""
    return voxels.reshape(-1, *[BRICK_SIZE // BLOCK_SIZE, BLOCK_SIZE] * 3)


def _columns(size: int) -> Array:
    """(size^2, 3) the columns of a tile, at half height, relative to its centre. There b is that of all their voxels:
    it jumps only between columns."""
    steps = np.arange(size) + 0.5 - size / 2
    y, x = np.meshgrid(steps, steps, indexing="ij")
    return np.stack([x, y, np.zeros_like(x)], axis=-1).reshape(-1, 3)


def _below_edges(boundary: Boundary, table: BrickTable, corner: Indices, size: int) -> npt.NDArray[np.bool_]:
    """(N,): whether a boundary edge may lie above a tile, so that b jumps between its columns.

    Args:
        corner: (N, 3) the first voxel of each tile, as (z, y, x).    size: of all, in voxels.
    """
    shape = -(-np.array(table.shape[1:]) * BRICK_SIZE // size)
    edge, y, x = _columns_below(boundary.low[:, :2] / size, boundary.high[:, :2] / size)
    is_there = (y >= 0) & (y < shape[0]) & (x >= 0) & (x < shape[1])
    top = np.full(shape, -np.inf)
    highest = np.maximum(boundary.low, boundary.high)[:, 2]
    np.maximum.at(top, (y[is_there], x[is_there]), highest[edge[is_there]])
    covered: npt.NDArray[np.bool_] = top[corner[:, 1] // size, corner[:, 2] // size] >= corner[:, 0]
    return covered


def _columns_below(low: Array, high: Array) -> tuple[Indices, Indices, Indices]:
    """The unit squares that line segments from low (E, 2) to high (E, 2), as (x, y), pass or touch: the segment, y and
    x of each (S,)."""
    along = high - low
    first, last = np.minimum(low, high) - TOUCHES, np.maximum(low, high) + TOUCHES
    edge, y = _spread(np.floor(first[:, 1]), np.floor(last[:, 1]))
    # The part of a segment in a row of squares.
    rise = np.where(along[edge, 1] == 0.0, 1.0, along[edge, 1])
    ends = (np.stack([y, y + 1.0]) - low[edge, 1]) / rise
    ends = np.where(along[edge, 1] == 0.0, np.array([[0.0], [1.0]]), np.clip(ends, 0.0, 1.0))
    at = low[edge, 0] + ends * along[edge, 0]
    row, x = _spread(np.floor(at.min(axis=0) - TOUCHES), np.floor(at.max(axis=0) + TOUCHES))
    return edge[row], y[row], x


def _spread(first: Array, last: Array) -> tuple[Indices, Indices]:
    """The whole numbers from first (N,) to last (N,), one after the other: whose each is, and the number."""
    count = (last - first).astype(np.int64) + 1
    owner = np.repeat(np.arange(len(count)), count)
    return owner, first[owner].astype(np.int64) + np.arange(len(owner)) - (np.cumsum(count) - count)[owner]
