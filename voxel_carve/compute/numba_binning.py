"""Binning compiled by numba: see `binning` for what it does, and why it may drop a pair."""

import math

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
from .bricks import BAND, BRICK_SIZE, Bins, BrickTable, State, expand_ranges
from .grid import Grid
from .numba_kernels import inlined, nearest_ball, parallel
from .segments import Segments
from .triangles import Triangles

Array = npt.NDArray[np.float64]


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
def can_be_nearest(centres, first, primitive, distance, half, slack, start, axis, length, tangent):  # type: ignore[no-untyped-def]
    """(P,) bool: see `binning._can_be_nearest`; centres (B, 3) of bricks, half extent of their voxel centres."""
    keep = np.empty(len(primitive), dtype=np.bool_)
    for b in numba.prange(len(centres)):
        x, y, z = centres[b, 0], centres[b, 1], centres[b, 2]
        nearest = first[b]
        for pair in range(first[b], first[b + 1]):
            if distance[pair] < distance[nearest]:
                nearest = pair
        _, jx, jy, jz = nearest_ball(start, axis, length, tangent, primitive[nearest], x, y, z)
        rho = max(math.sqrt(jx * jx + jy * jy + jz * jz), 1e-12)
        for pair in range(first[b], first[b + 1]):
            _, ix, iy, iz = nearest_ball(start, axis, length, tangent, primitive[pair], x, y, z)
            own = math.sqrt(ix * ix + iy * iy + iz * iz)
            if own < ON_AXIS:
                keep[pair] = True
                continue
            apart = abs(ix / own - jx / rho) + abs(iy / own - jy / rho) + abs(iz / own - jz / rho)
            bound = half * apart + 1.5 * half * half / rho
            keep[pair] = distance[pair] - distance[nearest] <= bound + slack
    return keep


def bin_segments(segments: Segments, grid: Grid) -> BinnedSweep:
    """As `binning.bin_segments`."""
    table = BrickTable.over(grid)
    states = np.full(table.shape, State.EMPTY, dtype=np.uint8)
    columns = (segments.start, segments.axis, segments.length, segments.radius, segments.slope, segments.tangent)
    boxes = widened(segments.bounds())
    pairs = _first_pairs(*boxes, table)
    distance = np.empty(0)
    for tile in LEVELS:
        apart = segment_distances(*pairs, float(tile), *boxes, *columns)
        pairs, distance, solid = _descend(pairs, apart, table, tile)
        mark_solid(states, solid, tile)
    tiles, first, primitive = pairs
    half = (BRICK_SIZE - 1) / 2
    centres = (tiles[:, ::-1] + 0.5) * float(BRICK_SIZE)
    keep = can_be_nearest(
        centres, first, primitive, distance, half, PRUNING_SLACK,
        segments.start, segments.axis, segments.length, segments.tangent,
    )  # fmt: skip
    total = np.concatenate([[0], np.cumsum(keep)])
    states[tuple(tiles.T)] = State.NEAR
    return BinnedSweep(states, Bins(table.ids(tiles), total[first], primitive[keep]))


def bin_triangles(triangles: Triangles, grid: Grid) -> Bins:
    """As `binning.bin_triangles`, less the triangles that are farther from all of a brick than another one is."""
    table = BrickTable.over(grid)
    boxes = widened(triangles.bounds())
    pairs = _first_pairs(*boxes, table)
    for tile in LEVELS:
        apart = triangle_distances(*pairs, float(tile), *boxes, triangles.points, triangles.triangles, triangles.normal)
        pairs, _, _ = _descend(pairs, apart, table, tile)
    tiles, first, primitive = pairs
    return Bins(table.ids(tiles), first, primitive)


Pairs = tuple[npt.NDArray[np.int64], npt.NDArray[np.int64], npt.NDArray[np.int32]]


def _first_pairs(low: Array, high: Array, table: BrickTable) -> Pairs:
    """Tiles of twice the coarsest level, as (z, y, x), and the primitives whose boxes meet each of them."""
    tile = 2 * LEVELS[0]
    shape = tile_shape(table, tile)
    everything = np.arange(len(low), dtype=np.int32), low, high
    tile_ids, primitive = tiles_of_boxes(everything, tile, shape)
    bins = Bins.from_pairs(tile_ids, primitive)
    return BrickTable(shape).coordinates(bins.bricks), bins.first, bins.primitive


def _descend(pairs: Pairs, distance: Array, table: BrickTable, tile: int) -> tuple[Pairs, Array, npt.NDArray[np.int64]]:
    """One level down, to tiles of `tile` voxels: their pairs and distances, and the tiles wholly inside a segment."""
    tiles, first, primitive = pairs
    half = half_diagonal(tile)
    shape = np.array(tile_shape(table, tile))
    count, limit, wholly = count_children(
        tiles, first, distance, shape, half + BAND, 2 * half + PRUNING_SLACK, half + BAND
    )
    place = np.concatenate([[0], np.cumsum(count)])
    kept, kept_distance = fill_children(first, primitive, distance, limit, place)
    corner = np.stack(np.meshgrid((0, 1), (0, 1), (0, 1), indexing="ij"), axis=-1).reshape(8, 3)
    children = (2 * tiles[:, None] + corner).reshape(-1, 3)
    has = count.ravel() > 0
    children_with, solid = children[has], children[wholly.ravel()]
    order = np.argsort(BrickTable(tuple(shape)).ids(children_with))
    # Bricks in ascending order of their ids, each with its pairs.
    count, start = count.ravel()[has][order], place[:-1][has][order]
    index = expand_ranges(start, count)
    next_first = np.concatenate([[0], np.cumsum(count)])
    return (children_with[order], next_first, kept[index]), kept_distance[index], solid
