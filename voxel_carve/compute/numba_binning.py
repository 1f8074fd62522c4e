"""Binning compiled by numba: see `binning` for what it does, and why it may drop a pair."""

import math
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import numba
import numpy as np
import numpy.typing as npt

from .binning import (
    LEVELS,
    ON_AXIS,
    PRUNING_SLACK,
    BinnedSweep,
    half_diagonal,
    mark_solid,
    tile_shape,
    tiles_of_boxes,
    widened,
)
from .bricks import BAND, BRICK_SIZE, Bins, BrickTable, State
from .grid import Grid
from .numba_kernels import inlined, nearest_ball, parallel, serial
from .segments import Segments
from .triangles import Triangles

Array = npt.NDArray[np.float64]

Pairs = tuple[npt.NDArray[np.int64], npt.NDArray[np.int64], npt.NDArray[np.int32]]

PAIRS_PER_RUN = 1 << 18
SMALL_BOX = 27  # bricks; a triangle whose box holds more goes down in levels


@inlined
def meets(low, high, i, x, y, z, half):  # type: ignore[no-untyped-def]
    """Whether box i meets the cube of half extent `half` around a point."""
    return (
        low[i, 0] <= x + half and high[i, 0] >= x - half
        and low[i, 1] <= y + half and high[i, 1] >= y - half
        and low[i, 2] <= z + half and high[i, 2] >= z - half
    )  # fmt: skip


@parallel
def segment_distances(tiles, first, primitive, size, low, high, start, axis, length, radius, slope, tangent):  # type: ignore[no-untyped-def]
    """(P, 8) signed distance of each pair's segment from the centres of the eight children of its tile, inf where its
    box (low, high) does not meet the child's voxel centres.

    tiles (T, 3) int64 as (z, y, x), in tiles; first (T + 1,); primitive (P,); size, of a child, in voxels.
    """
    out = np.empty((len(primitive), 8))
    for t in numba.prange(len(tiles)):
        for child in range(8):
            x = (2 * tiles[t, 2] + (child & 1) + 0.5) * size
            y = (2 * tiles[t, 1] + (child >> 1 & 1) + 0.5) * size
            z = (2 * tiles[t, 0] + (child >> 2) + 0.5) * size
            for pair in range(first[t], first[t + 1]):
                i = primitive[pair]
                if not meets(low, high, i, x, y, z, (size - 1) / 2):
                    out[pair, child] = np.inf
                    continue
                s, ax, ay, az = nearest_ball(start, axis, length, tangent, i, x, y, z)
                out[pair, child] = math.sqrt(ax * ax + ay * ay + az * az) - (radius[i] - s * slope[i])
    return out


@inlined
def square_to_triangle(points, triangle, normal, x, y, z):  # type: ignore[no-untyped-def]
    """Square of the distance from a point to a triangle."""
    inside = True
    nearest = np.inf
    for side in range(3):
        a, b = triangle[side], triangle[(side + 1) % 3]
        px, py, pz = points[a, 0] - x, points[a, 1] - y, points[a, 2] - z
        ex, ey, ez = points[b, 0] - points[a, 0], points[b, 1] - points[a, 1], points[b, 2] - points[a, 2]
        ux = normal[1] * ez - normal[2] * ey
        uy = normal[2] * ex - normal[0] * ez
        uz = normal[0] * ey - normal[1] * ex
        inside = inside and ux * px + uy * py + uz * pz < 0.0
        t = min(max(-(px * ex + py * ey + pz * ez) / max(ex * ex + ey * ey + ez * ez, 1e-30), 0.0), 1.0)
        fx, fy, fz = px + t * ex, py + t * ey, pz + t * ez
        nearest = min(nearest, fx * fx + fy * fy + fz * fz)
    if inside:
        a = triangle[0]
        height = normal[0] * (points[a, 0] - x) + normal[1] * (points[a, 1] - y) + normal[2] * (points[a, 2] - z)
        nearest = height * height
    return nearest


@parallel
def triangle_distances(tiles, first, primitive, size, low, high, points, triangles, normal):  # type: ignore[no-untyped-def]
    """(P, 8) unsigned distance of each pair's triangle from the centres of the eight children of its tile, likewise."""
    out = np.empty((len(primitive), 8))
    for t in numba.prange(len(tiles)):
        for child in range(8):
            x = (2 * tiles[t, 2] + (child & 1) + 0.5) * size
            y = (2 * tiles[t, 1] + (child >> 1 & 1) + 0.5) * size
            z = (2 * tiles[t, 0] + (child >> 2) + 0.5) * size
            for pair in range(first[t], first[t + 1]):
                i = primitive[pair]
                if not meets(low, high, i, x, y, z, (size - 1) / 2):
                    out[pair, child] = np.inf
                    continue
                out[pair, child] = math.sqrt(square_to_triangle(points, triangles[i], normal[i], x, y, z))
    return out


@parallel
def count_children(tiles, first, distance, shape, reach, spread, void):  # type: ignore[no-untyped-def]
    """What goes on from each child of each tile.

    A pair does where its distance is at most `reach`, and at most `spread` above the least of its child. A child whose
    least distance is under -`void` has no pairs: it is wholly inside.

    Returns:
        count: (T, 8) int64 pairs that go on; limit: (T, 8) float64 greatest distance of those; wholly: (T, 8) bool.
    """
    count = np.zeros((len(tiles), 8), dtype=np.int64)
    limit = np.full((len(tiles), 8), -np.inf)
    wholly = np.zeros((len(tiles), 8), dtype=np.bool_)
    for t in numba.prange(len(tiles)):
        for child in range(8):
            inside = (
                2 * tiles[t, 0] + (child >> 2) < shape[0]
                and 2 * tiles[t, 1] + (child >> 1 & 1) < shape[1]
                and 2 * tiles[t, 2] + (child & 1) < shape[2]
            )
            if not inside:
                continue
            least = np.inf
            for pair in range(first[t], first[t + 1]):
                least = min(least, distance[pair, child])
            if least < -void:
                wholly[t, child] = True
                continue
            limit[t, child] = min(reach, least + spread)
            for pair in range(first[t], first[t + 1]):
                if distance[pair, child] <= limit[t, child]:
                    count[t, child] += 1
    return count, limit, wholly


@parallel
def fill_children(first, primitive, distance, limit, place):  # type: ignore[no-untyped-def]
    """The pairs that go on, those of child c of tile t from place[8 t + c]: primitive and distance."""
    total = place[-1]
    kept = np.empty(total, dtype=np.int32)
    kept_distance = np.empty(total)
    for t in numba.prange(len(first) - 1):
        for child in range(8):
            to = place[8 * t + child]
            for pair in range(first[t], first[t + 1]):
                if distance[pair, child] <= limit[t, child]:
                    kept[to] = primitive[pair]
                    kept_distance[to] = distance[pair, child]
                    to += 1
    return kept, kept_distance


@parallel
def settle_bricks(centres, first, primitive, distance, half, slack, start, axis, length, radius, slope, tangent):  # type: ignore[no-untyped-def]
    """(P,) bool: see `binning._can_be_nearest`; the pairs whose surface cannot come near are dropped as well.

    centres (B, 3) of bricks, half extent of their voxel centres. A brick deep inside of one segment loses all pairs.

    Returns:
        keep: (P,) bool; solid: (B,) bool, deep inside of one segment.
    """
    keep = np.zeros(len(primitive), dtype=np.bool_)
    solid = np.zeros(len(centres), dtype=np.bool_)
    for b in numba.prange(len(centres)):
        x, y, z = centres[b, 0], centres[b, 1], centres[b, 2]
        nearest = first[b]
        for pair in range(first[b], first[b + 1]):
            if distance[pair] < distance[nearest]:
                nearest = pair
            if distance[pair] < -(BAND + half):
                greatest = -np.inf
                for corner in range(8):
                    cx = x + (half if corner & 1 else -half)
                    cy = y + (half if corner & 2 else -half)
                    cz = z + (half if corner & 4 else -half)
                    i = primitive[pair]
                    s, ox, oy, oz = nearest_ball(start, axis, length, tangent, i, cx, cy, cz)
                    off = math.sqrt(ox * ox + oy * oy + oz * oz) - (radius[i] - s * slope[i])
                    greatest = max(greatest, off)
                solid[b] = solid[b] or greatest < -BAND
        if solid[b]:
            continue
        _, jx, jy, jz = nearest_ball(start, axis, length, tangent, primitive[nearest], x, y, z)
        rho = max(math.sqrt(jx * jx + jy * jy + jz * jz), 1e-12)
        for pair in range(first[b], first[b + 1]):
            _, ix, iy, iz = nearest_ball(start, axis, length, tangent, primitive[pair], x, y, z)
            own = math.sqrt(ix * ix + iy * iy + iz * iz)
            if own < ON_AXIS:
                keep[pair] = True
                continue
            if distance[pair] - half * (abs(ix) + abs(iy) + abs(iz)) / own > BAND:
                continue
            apart = abs(ix / own - jx / rho) + abs(iy / own - jy / rho) + abs(iz / own - jz / rho)
            bound = half * apart + 1.5 * half * half / rho
            keep[pair] = distance[pair] - distance[nearest] <= bound + slack
    return keep, solid


@inlined
def in_slab(points, triangle, normal, x, y, z, half):  # type: ignore[no-untyped-def]
    """Whether the plane of a triangle comes within BAND of some voxel centre of the brick with its centre there."""
    a = triangle[0]
    height = normal[0] * (points[a, 0] - x) + normal[1] * (points[a, 1] - y) + normal[2] * (points[a, 2] - z)
    return abs(height) <= half * (abs(normal[0]) + abs(normal[1]) + abs(normal[2])) + BAND


@parallel
def boxes_of(points, triangles, shape, half):  # type: ignore[no-untyped-def]
    """(M, 6) int32: the first brick (z, y, x) whose voxel centres the box of each triangle with BAND around it meets,
    and the number of them along each axis; (M,) int64 how many in all. The table of bricks has `shape`."""
    box = np.empty((len(triangles), 6), dtype=np.int32)
    count = np.empty(len(triangles), dtype=np.int64)
    for t in numba.prange(len(triangles)):
        a, b, c = triangles[t, 0], triangles[t, 1], triangles[t, 2]
        total = 1
        for axis in range(3):
            low = min(points[a, axis], points[b, axis], points[c, axis]) - BAND
            high = max(points[a, axis], points[b, axis], points[c, axis]) + BAND
            # The centres of brick i run from 8 i + 4 - half to 8 i + 4 + half.
            first = max(math.ceil((low - half) / BRICK_SIZE - 0.5), 0)
            last = min(math.floor((high + half) / BRICK_SIZE - 0.5), shape[2 - axis] - 1)
            box[t, 2 - axis], box[t, 5 - axis] = first, max(last - first + 1, 0)
            total *= max(last - first + 1, 0)
        count[t] = total
    return box, count


@parallel
def find_bricks(points, triangles, normal, which, box, place, shape, half, reach):  # type: ignore[no-untyped-def]
    """(N,) int64: the id of each brick in the boxes of triangles `which`, -1 where the triangle does not come near.

    Those of the n-th triangle start at place[n].
    """
    out = np.empty(place[-1], dtype=np.int64)
    for n in numba.prange(len(which)):
        t, to = which[n], place[n]
        for bz in range(box[t, 0], box[t, 0] + box[t, 3]):
            for by in range(box[t, 1], box[t, 1] + box[t, 4]):
                for bx in range(box[t, 2], box[t, 2] + box[t, 5]):
                    x, y, z = (bx + 0.5) * BRICK_SIZE, (by + 0.5) * BRICK_SIZE, (bz + 0.5) * BRICK_SIZE
                    near = in_slab(points, triangles[t], normal[t], x, y, z, half)
                    near = near and square_to_triangle(points, triangles[t], normal[t], x, y, z) <= reach * reach
                    out[to] = (bz * shape[1] + by) * shape[2] + bx if near else -1
                    to += 1
    return out


@parallel
def keep_near(tiles, first, primitive, points, triangles, normal, half):  # type: ignore[no-untyped-def]
    """(P,) bool: the pairs of bricks `tiles` (T, 3) that pass `in_slab`."""
    keep = np.empty(len(primitive), dtype=np.bool_)
    for t in numba.prange(len(tiles)):
        x = (tiles[t, 2] + 0.5) * BRICK_SIZE
        y = (tiles[t, 1] + 0.5) * BRICK_SIZE
        z = (tiles[t, 0] + 0.5) * BRICK_SIZE
        for pair in range(first[t], first[t + 1]):
            i = primitive[pair]
            keep[pair] = in_slab(points, triangles[i], normal[i], x, y, z, half)
    return keep


@serial
def sort_pairs(brick, owner, place, length):  # type: ignore[no-untyped-def]
    """Counting sort of pairs by brick, of `length` bricks; brick (N,) is -1 where there is no pair, and those of
    primitive owner[n] are place[n] to place[n + 1].

    Returns:
        count: (length,) int32 pairs of each brick; primitive: (P,) int32 of the pairs.
    """
    count = np.zeros(length, dtype=np.int32)
    for n in range(len(brick)):
        if brick[n] >= 0:
            count[brick[n]] += 1
    start = np.empty(length, dtype=np.int32)
    total = 0
    for b in range(length):
        start[b] = total
        total += count[b]
    primitive = np.empty(total, dtype=np.int32)
    for k in range(len(owner)):
        for n in range(place[k], place[k + 1]):
            if brick[n] >= 0:
                primitive[start[brick[n]]] = owner[k]
                start[brick[n]] += 1
    return count, primitive


@parallel
def gather_lists(first, values, order, place):  # type: ignore[no-untyped-def]
    """The lists of values (P,) that start at first (T + 1,), in another order (T,): they start at place (T + 1,)."""
    out = np.empty_like(values)
    for t in numba.prange(len(order)):
        start = first[order[t]]
        for n in range(first[order[t] + 1] - start):
            out[place[t] + n] = values[start + n]
    return out


def bin_segments(segments: Segments, grid: Grid) -> BinnedSweep:
    """As `binning.bin_segments`."""
    table = BrickTable.over(grid)
    states = np.full(table.shape, State.EMPTY, dtype=np.uint8)
    columns = (segments.start, segments.axis, segments.length, segments.radius, segments.slope, segments.tangent)
    boxes = widened(segments.bounds())
    pairs = _first_pairs(*boxes, table)
    for tile in LEVELS:
        spread = 2 * half_diagonal(tile) + PRUNING_SLACK
        pairs, distance, solid = _descend(pairs, segment_distances, (*boxes, *columns), table, tile, spread)
        mark_solid(states, solid, tile)
    tiles, first, primitive = pairs
    half = (BRICK_SIZE - 1) / 2
    centres = (tiles[:, ::-1] + 0.5) * float(BRICK_SIZE)
    keep, solid_bricks = settle_bricks(centres, first, primitive, distance, half, PRUNING_SLACK, *columns)
    states[tuple(tiles[solid_bricks].T)] = State.SOLID
    bins = _bins_of(pairs, keep, table)
    states.ravel()[bins.bricks] = State.NEAR
    return BinnedSweep(states, bins)


def bin_triangles(triangles: Triangles, grid: Grid) -> Bins:
    """As `binning.bin_triangles`.

    Small triangles look at the bricks in their boxes, and large ones go down in levels.
    """
    table = BrickTable.over(grid)
    columns = (triangles.points, triangles.triangles, triangles.normal)
    shape, half = np.array(table.shape), (BRICK_SIZE - 1) / 2
    box, count = boxes_of(triangles.points, triangles.triangles, shape, half)
    small, large = np.flatnonzero(count <= SMALL_BOX), np.flatnonzero(count > SMALL_BOX)
    place = np.concatenate([[0], np.cumsum(count[small])])
    brick = find_bricks(*columns, small, box, place, shape, half, half_diagonal(BRICK_SIZE) + BAND)
    count, primitive = sort_pairs(brick, small, place, len(table))
    bricks = np.flatnonzero(count)
    bins = Bins(bricks, np.concatenate([[0], np.cumsum(count[bricks], dtype=np.int64)]), primitive)
    return bins.joined(_bin_large(triangles, large, table)) if len(large) else bins


def _bin_large(triangles: Triangles, which: npt.NDArray[np.int64], table: BrickTable) -> Bins:
    """The bins of triangles `which` alone."""
    columns = (triangles.points, triangles.triangles[which], triangles.normal[which])
    boxes = widened(Triangles(*columns).bounds())
    pairs = _first_pairs(*boxes, table)
    for tile in LEVELS:
        pairs, _, _ = _descend(pairs, triangle_distances, (*boxes, *columns), table, tile, np.inf)
    keep = keep_near(*pairs, *columns, (BRICK_SIZE - 1) / 2)
    bins = _bins_of(pairs, keep, table)
    return replace(bins, primitive=which[bins.primitive].astype(np.int32))


def _bins_of(pairs: Pairs, keep: npt.NDArray[np.bool_], table: BrickTable) -> Bins:
    """The pairs of bricks where the mask (P,) is true, bricks in order."""
    tiles, first, primitive = pairs
    bins = Bins(table.ids(tiles), first, primitive).where(keep)
    order = np.argsort(bins.bricks)
    place = np.concatenate([[0], np.cumsum(np.diff(bins.first)[order])])
    return Bins(bins.bricks[order], place, gather_lists(bins.first, bins.primitive, order, place))


def _first_pairs(low: Array, high: Array, table: BrickTable) -> Pairs:
    """Tiles of twice the coarsest level, as (z, y, x), and the primitives whose boxes meet each of them."""
    tile = 2 * LEVELS[0]
    shape = tile_shape(table, tile)
    everything = np.arange(len(low), dtype=np.int32), low, high
    tile_ids, primitive = tiles_of_boxes(everything, tile, shape)
    bins = Bins.from_pairs(tile_ids, primitive)
    return BrickTable(shape).coordinates(bins.bricks), bins.first, bins.primitive


def _descend(
    pairs: Pairs,
    measure: Callable[..., Array],
    columns: tuple[npt.NDArray[Any], ...],
    table: BrickTable,
    tile: int,
    spread: float,
) -> tuple[Pairs, Array, npt.NDArray[np.int64]]:
    """One level down, to tiles of `tile` voxels: their pairs and distances, and the tiles wholly inside a segment.

    A pair is dropped where its distance is more than `spread` above the least of its tile. Distances from all eight
    children are kept for a run of tiles only.

    Args:
        measure: gives the distances of pairs, from the children's size and from `columns`.
    """
    half = half_diagonal(tile)
    shape = np.array(tile_shape(table, tile))
    corner = np.stack(np.meshgrid((0, 1), (0, 1), (0, 1), indexing="ij"), axis=-1).reshape(8, 3)
    found, solid = [], [np.empty((0, 3), dtype=np.int64)]
    for tiles, first, primitive in _runs(pairs):
        distance = measure(tiles, first, primitive, float(tile), *columns)
        count, limit, wholly = count_children(tiles, first, distance, shape, half + BAND, spread, half + BAND)
        place = np.concatenate([[0], np.cumsum(count)])
        children, count = (2 * tiles[:, None] + corner).reshape(-1, 3), count.ravel()
        kept = fill_children(first, primitive, distance, limit, place)
        found.append((children[count > 0], count[count > 0], *kept))
        solid.append(children[wholly.ravel()])
    if not found:
        return pairs, np.empty(0), solid[0]
    children, count, primitive, distance = (np.concatenate(part) for part in zip(*found, strict=True))
    first = np.concatenate([[0], np.cumsum(count)])
    return (children, first, primitive), distance, np.concatenate(solid)


def _runs(pairs: Pairs) -> Iterator[Pairs]:
    """Runs of tiles with about PAIRS_PER_RUN pairs each."""
    tiles, first, primitive = pairs
    start = 0
    while start < len(tiles):
        stop = int(np.searchsorted(first, first[start] + PAIRS_PER_RUN))
        stop = min(max(stop, start + 1), len(tiles))
        yield tiles[start:stop], first[start : stop + 1] - first[start], primitive[first[start] : first[stop]]
        start = stop
