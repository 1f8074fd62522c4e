"""Binning: which primitives matter in which bricks.

Pairs (tile, primitive) go down in levels, from tiles of 64 voxels to bricks of 8. A pair goes on only where the
distance from the tile's centre to the primitive says that its surface, or for a sweep its body, may reach the tile.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from .bricks import BAND, BRICK_SIZE, Bins, BrickTable, State
from .grid import Grid
from .progress import steps
from .segments import Segments, nearest_ball, vector_length
from .threads import map_blocks, slices
from .triangles import Triangles, dot

Array = npt.NDArray[np.float64]
Starters = tuple[npt.NDArray[np.int32], Array, Array]  # primitives, and their boxes (N, 3), (N, 3)

LEVELS = (64, 32, 16, 8)  # edges of the tiles, in voxels
BLOCK = 1 << 15  # pairs per distance call: temporaries stay in the cache

STARTERS_PER_BLOCK = 1 << 13

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
    low, high = widened(triangles.bounds())
    boxes, found = (np.ascontiguousarray(low.T), np.ascontiguousarray(high.T)), []
    for tile, starters in steps(_levels(low, high), len(LEVELS)):
        shape = tile_shape(table, tile)
        if tile == BRICK_SIZE:
            found = _near_starters(triangles, starters, shape)
        else:
            tile_ids, primitive = _join((tile_ids, primitive), tiles_of_boxes(starters, tile, shape))
        near = _near(triangles, tile_ids, primitive, tile, shape)
        tile_ids, primitive = tile_ids[near], primitive[near]
        if tile > BRICK_SIZE:
            tile_ids, primitive = _children(boxes, tile_ids, primitive, tile, table)
    found.append((tile_ids, primitive))
    return Bins.from_pairs(*(np.concatenate(part) for part in zip(*found, strict=True)))


def _near_starters(
    triangles: Triangles, starters: Starters, shape: tuple[int, int, int]
) -> list[tuple[npt.NDArray[np.int64], npt.NDArray[np.int32]]]:
    """Pairs (brick, triangle) that are near, of the triangles that start with bricks."""
    which, low, high = starters

    def pairs(block: slice) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int32]]:
        tile_ids, primitive = tiles_of_boxes((which[block], low[block], high[block]), BRICK_SIZE, shape)
        near = _near_in_block(triangles, tile_ids, primitive, BRICK_SIZE, shape)
        return tile_ids[near], primitive[near]

    return list(map_blocks(pairs, slices(len(which), STARTERS_PER_BLOCK)))


def _near(
    triangles: Triangles,
    tile_ids: npt.NDArray[np.int64],
    primitive: npt.NDArray[np.int32],
    tile: int,
    shape: tuple[int, int, int],
) -> npt.NDArray[np.bool_]:
    """(P,): whether the triangle comes within BAND of the tile's voxel centres, by two tests that it must pass."""

    def test(block: slice) -> npt.NDArray[np.bool_]:
        return _near_in_block(triangles, tile_ids[block], primitive[block], tile, shape)

    parts = list(map_blocks(test, slices(len(tile_ids), BLOCK)))
    return np.concatenate([np.empty(0, dtype=bool), *parts])


def _near_in_block(
    triangles: Triangles,
    tile_ids: npt.NDArray[np.int64],
    primitive: npt.NDArray[np.int32],
    tile: int,
    shape: tuple[int, int, int],
) -> npt.NDArray[np.bool_]:
    centres = _centres(tile_ids, tile, shape)
    corner, normal = triangles.columns[:3].take(primitive, axis=1), triangles.columns[9:].take(primitive, axis=1)
    corner -= centres
    near = np.ones(len(tile_ids), dtype=bool)
    if tile == BRICK_SIZE:
        # The slab of the triangle's plane must reach the box of the voxel centres.
        near = np.abs(dot(normal, corner)) <= (tile - 1) / 2 * np.abs(normal).sum(axis=0) + BAND
    reach = half_diagonal(tile) + BAND
    # Where a corner is near enough, so is the triangle.
    open_ = np.flatnonzero(near & (dot(corner, corner) > reach * reach))
    near[open_] = triangles.distance(primitive[open_], centres[:, open_].T) <= reach
    return near


def bin_segments(segments: Segments, grid: Grid) -> BinnedSweep:
    """The segments that can be nearest to some voxel centre of each brick that the sweep's surface can reach.

    A tile wholly inside one segment is SOLID, and its pairs are dropped at once.
    """
    table = BrickTable.over(grid)
    states = np.full(table.shape, State.EMPTY, dtype=np.uint8)
    tile_ids, primitive = np.empty(0, np.int64), np.empty(0, np.int32)
    low, high = widened(segments.bounds())
    boxes = np.ascontiguousarray(low.T), np.ascontiguousarray(high.T)
    for tile, starters in steps(_levels(low, high), len(LEVELS)):
        shape = tile_shape(table, tile)
        tile_ids, primitive = _join((tile_ids, primitive), tiles_of_boxes(starters, tile, shape))
        if tile == BRICK_SIZE:
            break
        distance = _distances(segments, tile_ids, primitive, tile, shape)
        half = half_diagonal(tile)
        least = np.full(shape[0] * shape[1] * shape[2], np.inf)
        np.minimum.at(least, tile_ids, distance)
        solid = least < -(half + BAND)
        mark_solid(states, np.argwhere(solid.reshape(shape)), tile)
        reach = np.minimum(half + BAND, least[tile_ids] + 2 * half + PRUNING_SLACK)
        keep = np.flatnonzero((distance <= reach) & ~solid[tile_ids])
        tile_ids, primitive = _children(boxes, tile_ids[keep], primitive[keep], tile, table)
    outside_void = states.ravel()[tile_ids] != State.SOLID
    bins = Bins.from_pairs(tile_ids[outside_void], primitive[outside_void])
    blocks = blocks_of_pairs(bins.first, BLOCK)
    settled = list(map_blocks(lambda rows: _settle(segments, bins.part(rows.start, rows.stop), table), blocks))
    settled.append((np.empty(0, dtype=bool), np.empty(0, dtype=bool)))
    keep, solid = (np.concatenate(part) for part in zip(*settled, strict=True))
    states.ravel()[bins.bricks[solid]] = State.SOLID
    total = np.concatenate([[0], np.cumsum(keep)])[bins.first]
    near = np.diff(total) > 0
    bins = Bins(bins.bricks[near], np.append(total[:-1][near], total[-1]), bins.primitive[keep])
    states.ravel()[bins.bricks] = State.NEAR
    return BinnedSweep(states, bins)


def blocks_of_pairs(first: npt.NDArray[np.int64], pairs: int, bricks: int = 1 << 30) -> Iterator[slice]:
    """Blocks of bricks with about so many pairs each, and no more than so many bricks; see `Bins.first`."""
    start, last = 0, len(first) - 1
    while start < last:
        enough = int(np.searchsorted(first, first[start] + pairs))
        stop = min(max(enough, start + 1), start + bricks, last)
        yield slice(start, stop)
        start = stop


def _settle(segments: Segments, bins: Bins, table: BrickTable) -> tuple[npt.NDArray[np.bool_], npt.NDArray[np.bool_]]:
    """The last of binning: (P,) which pairs can be nearest to a voxel centre, (B,) which bricks are wholly inside.

    Each brick's list is pruned by the segment nearest to its centre. A distance is convex: at an offset u from the
    centre it is at least d + g.u, with its gradient g there. So a segment does not come near where d - h |g|_1 > BAND,
    with h the half extent of the voxel centres. The ball of the nearest segment that is nearest to the centre, at a
    distance rho from it, is at most d + g.u + |u|^2 / (2 rho) away. So segment i is never nearest where
    d_i - d_j > h |g_i - g_j|_1 + 1.5 h^2 / rho_j. On a segment's axis the gradient has no direction: it is not dropped.
    And a segment that holds the corners of the brick holds all of it.
    """
    half, diagonal = (BRICK_SIZE - 1) / 2, half_diagonal(BRICK_SIZE)
    owner, start = bins.owner(), bins.first[:-1]
    centres = table.centres(bins.bricks).T.take(owner, axis=1)
    columns = segments.columns.take(bins.primitive, axis=1)
    s, toward = nearest_ball(columns, centres)
    rho = vector_length(toward)
    distance = rho - (columns[7] - s * columns[8])
    gradient = toward / np.maximum(rho, 1e-12)
    least = np.minimum.reduceat(distance, start)

    deep = np.flatnonzero(distance < -(BAND + half))
    for corner in range(8):
        step = np.array([[half if corner >> axis & 1 else -half] for axis in range(3)])
        inside = segments.distance(bins.primitive[deep], (centres[:, deep] + step).T) < -BAND
        deep = deep[inside]
    solid = np.zeros(len(start), dtype=bool)
    solid[owner[deep]] = True

    # The first of those with the least distance.
    at = np.flatnonzero(distance == least[owner])[::-1]
    nearest = np.zeros(len(start), dtype=np.int64)
    nearest[owner[at]] = at
    j = nearest[owner]
    apart = np.abs(gradient - gradient[:, j]).sum(axis=0)
    bound = half * apart + (1.5 * half**2 / np.maximum(rho[nearest], 1e-12))[owner]
    near = distance - half * np.abs(gradient).sum(axis=0) <= BAND
    keep = (near & (distance - least[owner] <= bound + PRUNING_SLACK)) | (rho < ON_AXIS)
    keep &= distance <= np.minimum(diagonal + BAND, least[owner] + 2 * diagonal + PRUNING_SLACK)
    return keep & ~solid[owner], solid


def widened(bounds: tuple[Array, Array]) -> tuple[Array, Array]:
    """Boxes (N, 3), (N, 3) with BAND around them."""
    return bounds[0] - BAND, bounds[1] + BAND


def _levels(low: Array, high: Array) -> Iterator[tuple[int, Starters]]:
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
    starters: Starters, tile: int, shape: tuple[int, int, int]
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
    width, height = extent[owner, 0].astype(np.int32), extent[owner, 1].astype(np.int32)
    step = step.astype(np.int32)
    rows = step // width
    z = rows // height
    x, y, z = step - rows * width + first[owner, 0], rows - z * height + first[owner, 1], z + first[owner, 2]
    return (z * shape[1] + y) * shape[2] + x, which[owner]


def _join(
    a: tuple[npt.NDArray[np.int64], npt.NDArray[np.int32]], b: tuple[npt.NDArray[np.int64], npt.NDArray[np.int32]]
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int32]]:
    return np.concatenate([a[0], b[0]]), np.concatenate([a[1], b[1]])


def _children(
    boxes: tuple[Array, Array],
    tile_ids: npt.NDArray[np.int64],
    primitive: npt.NDArray[np.int32],
    tile: int,
    table: BrickTable,
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int32]]:
    """Pairs of the eight tiles of half the size in each tile, those left out whose voxel centres the box does not meet.

    boxes: (3, N), (3, N); tile: edge of the tiles that are split.
    """
    shape, child_shape = tile_shape(table, tile), tile_shape(table, tile // 2)
    size, half = tile // 2, (tile // 2 - 1) / 2

    def split(block: slice) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int32]]:
        parent, which = _coordinates(tile_ids[block], shape), primitive[block]
        met = []
        for axis in range(3):
            low, high = boxes[0][axis].take(which), boxes[1][axis].take(which)
            first = 2 * parent[axis].astype(np.int64)
            for child in (first, first + 1):
                centre = (child + 0.5) * size
                within = child < child_shape[2 - axis]
                met.append((low <= centre + half) & (high >= centre - half) & within)
        x, y, z = (2 * coordinate.astype(np.int64) for coordinate in parent)
        corner = (z * child_shape[1] + y) * child_shape[2] + x
        ids, owners = [], []
        for k in range(8):
            kept = np.flatnonzero(met[k & 1] & met[2 + (k >> 1 & 1)] & met[4 + (k >> 2)])
            ids.append(corner[kept] + (((k >> 2) * child_shape[1] + (k >> 1 & 1)) * child_shape[2] + (k & 1)))
            owners.append(which[kept])
        return np.concatenate(ids), np.concatenate(owners)

    parts = list(map_blocks(split, slices(len(tile_ids), BLOCK)))
    parts.append((np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int32)))
    ids, owners = zip(*parts, strict=True)
    return np.concatenate(ids), np.concatenate(owners)


def _centres(tile_ids: npt.NDArray[np.int64], tile: int, shape: tuple[int, int, int]) -> Array:
    """(3, N) centres (x, y, z) of tiles, in voxels."""
    return (_coordinates(tile_ids, shape).astype(np.float64) + 0.5) * tile


def _coordinates(tile_ids: npt.NDArray[np.int64], shape: tuple[int, int, int]) -> npt.NDArray[np.integer]:
    """(3, N) coordinates (x, y, z) of tiles."""
    rows, x = _divided(tile_ids, shape[2])
    z, y = _divided(rows, shape[1])
    return np.stack([x, y, z])


def _divided(number: npt.NDArray[np.integer], by: int) -> tuple[npt.NDArray[np.integer], npt.NDArray[np.integer]]:
    """Quotient and rest: with 32 bits where these are enough, which is many times as fast."""
    quotient = number.astype(np.int32) // np.int32(by) if number.max(initial=0) < 2**31 else number // by
    return quotient, number - quotient * by


def _distances(
    segments: Segments,
    tile_ids: npt.NDArray[np.int64],
    primitive: npt.NDArray[np.int32],
    tile: int,
    shape: tuple[int, int, int],
) -> Array:
    """(P,) distance of each pair's segment from the centre of its tile, in voxels."""

    def distance(block: slice) -> Array:
        return segments.distance(primitive[block], _centres(tile_ids[block], tile, shape).T)

    return np.concatenate([np.empty(0), *map_blocks(distance, slices(len(tile_ids), BLOCK))])


def mark_solid(states: npt.NDArray[np.uint8], tiles: npt.NDArray[np.int64], tile: int) -> None:
    """Mark the bricks of tiles (N, 3) as (z, y, x), of `tile` voxels a side, as SOLID."""
    bricks = tile // BRICK_SIZE
    steps = np.stack(np.meshgrid(*[np.arange(bricks)] * 3, indexing="ij"), axis=-1).reshape(-1, 3)
    inside = (tiles[:, None] * bricks + steps).reshape(-1, 3)
    inside = inside[(inside < states.shape).all(axis=1)]
    states[tuple(inside.T)] = State.SOLID
