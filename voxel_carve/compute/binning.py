"""Binning: which primitives matter in which bricks.

Pairs (tile, primitive) go down in levels, from tiles of 64 voxels to bricks of 8. A pair goes on only where the
distance from the tile's centre to the primitive says that its surface, or for a sweep its body, may reach the tile.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from .bricks import BAND, BRICK_SIZE, Bins, BrickTable, State
from .grid import Grid
from .segments import Segments
from .triangles import Triangles

Array = npt.NDArray[np.float64]
Distance = Callable[[npt.NDArray[np.integer], Array], Array]

LEVELS = (64, 32, 16, 8)  # edges of the tiles, in voxels
BLOCK = 1 << 15  # pairs per distance call: temporaries stay in the cache

# Slack of the pruning bounds over the float32 rounding of the distances that they stand for, in voxels.
PRUNING_SLACK = 1e-3

# Nearer to a segment's axis than this, in voxels, rounding may turn the gradient.
ON_AXIS = 1e-3


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
    """Greatest distance of a voxel centre from the centre of its tile, in voxels."""
    return float(np.sqrt(3.0) * (tile - 1) / 2)


def bin_triangles(triangles: Triangles, grid: Grid) -> Bins:
    """The triangles within BAND of some voxel centre of each brick, for all bricks that have any."""
    table = BrickTable.over(grid)
    tile_ids, primitive = np.empty(0, np.int64), np.empty(0, np.int32)
    boxes = widened(triangles.bounds())
    for tile, starters in _levels(*boxes):
        shape = tile_shape(table, tile)
        tile_ids, primitive = _join((tile_ids, primitive), tiles_of_boxes(starters, tile, shape))
        if tile == BRICK_SIZE:
            met = _meets(boxes, primitive, tile_ids, table)
            tile_ids, primitive = tile_ids[met], primitive[met]
        distance = _distances(triangles.distance, tile_ids, primitive, tile, shape)
        near = distance <= half_diagonal(tile) + BAND
        tile_ids, primitive = tile_ids[near], primitive[near]
        if tile > BRICK_SIZE:
            tile_ids, primitive = _children(tile_ids, primitive, shape, tile_shape(table, tile // 2))
    return Bins.from_pairs(tile_ids, primitive)


def bin_segments(segments: Segments, grid: Grid) -> BinnedSweep:
    """The segments that can be nearest to some voxel centre of each brick that the sweep's surface can reach.

    A tile wholly inside one segment is SOLID, and its pairs are dropped at once.
    """
    table = BrickTable.over(grid)
    states = np.full(table.shape, State.EMPTY, dtype=np.uint8)
    tile_ids, primitive, distance = np.empty(0, np.int64), np.empty(0, np.int32), np.empty(0)
    boxes = widened(segments.bounds())
    for tile, starters in _levels(*boxes):
        shape = tile_shape(table, tile)
        tile_ids, primitive = _join((tile_ids, primitive), tiles_of_boxes(starters, tile, shape))
        if tile == BRICK_SIZE:
            met = _meets(boxes, primitive, tile_ids, table)
            tile_ids, primitive = tile_ids[met], primitive[met]
        distance = _distances(segments.distance, tile_ids, primitive, tile, shape)
        half = half_diagonal(tile)
        least = np.full(shape[0] * shape[1] * shape[2], np.inf)
        np.minimum.at(least, tile_ids, distance)
        solid = least < -(half + BAND)
        mark_solid(states, np.argwhere(solid.reshape(shape)), tile)
        reach = np.minimum(half + BAND, least[tile_ids] + 2 * half + PRUNING_SLACK)
        keep = (distance <= reach) & ~solid[tile_ids]
        tile_ids, primitive, distance = tile_ids[keep], primitive[keep], distance[keep]
        if tile > BRICK_SIZE:
            tile_ids, primitive = _children(tile_ids, primitive, shape, tile_shape(table, tile // 2))
    outside_void = states.ravel()[tile_ids] != State.SOLID
    tile_ids, primitive, distance = tile_ids[outside_void], primitive[outside_void], distance[outside_void]
    keep = _can_be_nearest(segments, table, tile_ids, primitive, distance)
    bins = Bins.from_pairs(tile_ids[keep], primitive[keep])
    states.ravel()[bins.bricks] = State.NEAR
    return BinnedSweep(states, bins)


def _can_be_nearest(
    segments: Segments, table: BrickTable, ids: npt.NDArray[np.int64], primitive: npt.NDArray[np.int32], distance: Array
) -> npt.NDArray[np.bool_]:
    """Prune each brick's list by the segment nearest to its centre.

    A distance is convex: at an offset u from the centre it is at least d + g.u, with its gradient g there. The ball of
    the nearest segment that is nearest to the centre, at a distance rho from it, is at most
    d + g.u + |u|^2 / (2 rho) away. So segment i is never nearest where d_i - d_j > h |g_i - g_j|_1 + 1.5 h^2 / rho_j,
    with h the half extent of the voxel centres. On a segment's axis the gradient has no direction: nothing is dropped.
    """
    half = (BRICK_SIZE - 1) / 2
    toward = np.empty((len(ids), 3))
    for block in _blocks(len(ids)):
        toward[block] = segments.nearest_ball(primitive[block], table.centres(ids[block]))[1]
    rho = np.linalg.norm(toward, axis=1)
    gradient = toward / np.maximum(rho, 1e-12)[:, None]

    order = np.lexsort((primitive, distance, ids))
    nearest = np.zeros(len(table), dtype=np.int64)
    first = order[np.flatnonzero(np.diff(ids[order], prepend=-1))]
    nearest[ids[first]] = first
    j = nearest[ids]
    bound = half * np.abs(gradient - gradient[j]).sum(axis=1) + 1.5 * half**2 / np.maximum(rho[j], 1e-12)
    return (distance - distance[j] <= bound + PRUNING_SLACK) | (rho < ON_AXIS)


def widened(bounds: tuple[Array, Array]) -> tuple[Array, Array]:
    """Boxes (N, 3), (N, 3) with BAND around them."""
    return bounds[0] - BAND, bounds[1] + BAND


def _meets(
    boxes: tuple[Array, Array], primitive: npt.NDArray[np.int32], ids: npt.NDArray[np.int64], table: BrickTable
) -> npt.NDArray[np.bool_]:
    """(P,): whether the primitive's box meets the box of the brick's voxel centres."""
    half, centres = (BRICK_SIZE - 1) / 2, table.centres(ids)
    low, high = boxes[0][primitive], boxes[1][primitive]
    met = (low <= centres + half) & (high >= centres - half)
    return np.asarray(met.all(axis=1))


def _levels(low: Array, high: Array) -> Iterator[tuple[int, tuple[npt.NDArray[np.int32], Array, Array]]]:
    """For each level: the tile's edge, and the primitives that start there, with their boxes (N, 3), (N, 3).

    A primitive starts at the finest level whose tiles are no smaller than its box, so that it meets few of them.
    """
    extent = (high - low).max(axis=1)
    start = np.zeros(len(low), dtype=int)
    for depth, tile in enumerate(LEVELS):
        start[extent <= tile] = depth
    for depth, tile in enumerate(LEVELS):
        which = np.flatnonzero(start == depth)
        yield tile, (which.astype(np.int32), low[which], high[which])


def tile_shape(table: BrickTable, tile: int) -> tuple[int, int, int]:
    """How many tiles of `tile` voxels a side cover the table, as (Z, Y, X)."""
    bricks = tile // BRICK_SIZE
    z, y, x = (-(-side // bricks) for side in table.shape)
    return z, y, x


def tiles_of_boxes(
    starters: tuple[npt.NDArray[np.int32], Array, Array], tile: int, shape: tuple[int, int, int]
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int32]]:
    """All pairs (tile, primitive) where the primitive's box meets the box of the tile's voxel centres."""
    which, low, high = starters
    last = np.array(shape[::-1]) - 1
    # A tile's centres run from 0.5 to tile - 0.5.
    first = np.clip(np.ceil((low - (tile - 0.5)) / tile), 0, last + 1).astype(np.int64)
    stop = np.clip(np.floor((high - 0.5) / tile), -1, last).astype(np.int64) + 1
    extent = np.maximum(stop - first, 0)
    count = extent.prod(axis=1)
    owner = np.repeat(np.arange(len(which)), count)
    step = np.arange(len(owner)) - np.repeat(np.cumsum(count) - count, count)
    rows, x = np.divmod(step, extent[owner, 0])
    z, y = np.divmod(rows, extent[owner, 1])
    x, y, z = x + first[owner, 0], y + first[owner, 1], z + first[owner, 2]
    return (z * shape[1] + y) * shape[2] + x, which[owner]


def _join(
    a: tuple[npt.NDArray[np.int64], npt.NDArray[np.int32]], b: tuple[npt.NDArray[np.int64], npt.NDArray[np.int32]]
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int32]]:
    return np.concatenate([a[0], b[0]]), np.concatenate([a[1], b[1]])


def _children(
    tile_ids: npt.NDArray[np.int64],
    primitive: npt.NDArray[np.int32],
    shape: tuple[int, int, int],
    child_shape: tuple[int, int, int],
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int32]]:
    """Pairs of the eight tiles of half the size in each tile, those outside the table left out."""
    parent = BrickTable(shape).coordinates(tile_ids)
    corner = np.stack(np.meshgrid((0, 1), (0, 1), (0, 1), indexing="ij"), axis=-1).reshape(8, 3)
    child = (2 * parent[:, None] + corner).reshape(-1, 3)
    inside = (child < child_shape).all(axis=1)
    return BrickTable(child_shape).ids(child[inside]), np.repeat(primitive, 8)[inside]


def _blocks(length: int) -> Iterator[slice]:
    return (slice(start, start + BLOCK) for start in range(0, length, BLOCK))


def _distances(
    distance: Distance,
    tile_ids: npt.NDArray[np.int64],
    primitive: npt.NDArray[np.int32],
    tile: int,
    shape: tuple[int, int, int],
) -> Array:
    """(P,) distance of each pair's primitive from the centre of its tile, in voxels."""
    out = np.empty(len(tile_ids))
    tiles = BrickTable(shape)
    for block in _blocks(len(tile_ids)):
        centres = (tiles.coordinates(tile_ids[block])[:, ::-1].astype(np.float64) + 0.5) * tile
        out[block] = distance(primitive[block], centres)
    return out


def mark_solid(states: npt.NDArray[np.uint8], tiles: npt.NDArray[np.int64], tile: int) -> None:
    """Mark the bricks of tiles (N, 3) as (z, y, x), of `tile` voxels a side, as SOLID."""
    bricks = tile // BRICK_SIZE
    steps = np.stack(np.meshgrid(*[np.arange(bricks)] * 3, indexing="ij"), axis=-1).reshape(-1, 3)
    inside = (tiles[:, None] * bricks + steps).reshape(-1, 3)
    inside = inside[(inside < states.shape).all(axis=1)]
    states[tuple(inside.T)] = State.SOLID
