"""Kernels for binning triangles. See `field.binning`."""

import math

import numpy as np
import numpy.typing as npt

from ....field.binning import half_diagonal, widened
from ....formulas import triangle
from ....model.bricks import BAND, BRICK_SIZE, Bins, BrickTable
from ....model.grid import Grid
from ....primitives.primitives import Primitives
from ....primitives.triangles import Triangles
from ....runtime.progress import progress_range
from ....runtime.threads import over_rows
from ..compiler.decorators import kernel
from ..compiler.formulas import DOUBLE
from .tile_hierarchy import coarsest_pairs, descend, joined, meets

TRIANGLES_PER_RUN = 1 << 11
TILES_PER_RUN = 1 << 11
SMALL_BOX = 27  # bricks; a triangle with a larger box descends the tile hierarchy

squared_distance, reaches_box = DOUBLE(triangle.squared_distance), DOUBLE(triangle.reaches_box)


@kernel
def triangle_distances(start, stop, tiles, first, primitive, size, low, high, mesh, out):  # type: ignore[no-untyped-def]
    """Set out (P, 8) as `segment_distances` does, but to the unsigned distances of triangles."""
    for t in range(start, stop):
        for child in range(8):
            x = (2 * tiles[t, 2] + (child & 1) + 0.5) * size
            y = (2 * tiles[t, 1] + (child >> 1 & 1) + 0.5) * size
            z = (2 * tiles[t, 0] + (child >> 2) + 0.5) * size
            for pair in range(first[t], first[t + 1]):
                i = primitive[pair]
                near = meets(low, high, i, x, y, z, (size - 1) / 2)
                out[pair, child] = math.sqrt(squared_distance(mesh, i, x, y, z)) if near else np.inf


@kernel
def boxes_of(start, stop, mesh, shape, half, box, count):  # type: ignore[no-untyped-def]
    """Find the bricks with voxel centres in each triangle's box, widened by BAND.

    box (M, 6) is set to the first brick (z, y, x) and to the number of bricks along each axis; count (M,) is set to
    their number. `shape` is that of the table of bricks.
    """
    for t in range(start, stop):
        a, b, c = mesh.triangles[t, 0], mesh.triangles[t, 1], mesh.triangles[t, 2]
        total = 1
        for axis in range(3):
            low = min(mesh.points[a, axis], mesh.points[b, axis], mesh.points[c, axis]) - BAND
            high = max(mesh.points[a, axis], mesh.points[b, axis], mesh.points[c, axis]) + BAND
            # The centres of brick i run from 8 i + 4 - half to 8 i + 4 + half.
            first = max(math.ceil((low - half) / BRICK_SIZE - 0.5), 0)
            last = min(math.floor((high + half) / BRICK_SIZE - 0.5), shape[2 - axis] - 1)
            box[t, 2 - axis], box[t, 5 - axis] = first, max(last - first + 1, 0)
            total *= max(last - first + 1, 0)
        count[t] = total


@kernel
def find_bricks(start, stop, mesh, which, box, place, shape, half, reach, out):  # type: ignore[no-untyped-def]
    """Set out (N,) int64 to the ids of the bricks in the boxes of triangles `which`.

    A brick that the triangle does not come near gets -1. The ids of the n-th triangle start at place[n].
    """
    for n in range(start, stop):
        t, to = which[n], place[n]
        for bz in range(box[t, 0], box[t, 0] + box[t, 3]):
            for by in range(box[t, 1], box[t, 1] + box[t, 4]):
                for bx in range(box[t, 2], box[t, 2] + box[t, 5]):
                    x, y, z = (bx + 0.5) * BRICK_SIZE, (by + 0.5) * BRICK_SIZE, (bz + 0.5) * BRICK_SIZE
                    near = reaches_box(mesh, t, x, y, z, half, BAND)
                    near = near and squared_distance(mesh, t, x, y, z) <= reach * reach
                    out[to] = (bz * shape[1] + by) * shape[2] + bx if near else -1
                    to += 1


@kernel
def keep_near(start, stop, tiles, first, primitive, mesh, half, keep):  # type: ignore[no-untyped-def]
    """Set keep (P,) for the pairs with a triangle that comes near its brick. tiles (T, 3) are the bricks."""
    for t in range(start, stop):
        x = (tiles[t, 2] + 0.5) * BRICK_SIZE
        y = (tiles[t, 1] + 0.5) * BRICK_SIZE
        z = (tiles[t, 0] + 0.5) * BRICK_SIZE
        for pair in range(first[t], first[t + 1]):
            keep[pair] = reaches_box(mesh, primitive[pair], x, y, z, half, BAND)


@kernel
def count_pairs(brick, count, start):  # type: ignore[no-untyped-def]
    """Count the pairs: set count (B,) int32, all 0 before, to those of each brick, and return the total.

    start (B,) is set to the first pair of each brick. brick (N,) is -1 where there is no pair.
    """
    for n in range(len(brick)):
        if brick[n] >= 0:
            count[brick[n]] += 1
    total = 0
    for b in range(len(count)):
        start[b] = total
        total += count[b]
    return total


@kernel
def sort_pairs(brick, owner, place, start, primitive):  # type: ignore[no-untyped-def]
    """Set primitive (P,) to the primitives of the pairs, sorted by brick: a counting sort after `count_pairs`.

    The pairs of primitive owner[n] are place[n] to place[n + 1]. start (B,) is overwritten.
    """
    for k in range(len(owner)):
        for n in range(place[k], place[k + 1]):
            if brick[n] >= 0:
                primitive[start[brick[n]]] = owner[k]
                start[brick[n]] += 1


def bin_triangles(triangles: Triangles, grid: Grid) -> Bins:
    """See `Backend.bin_triangles`.

    Small triangles are tested against each brick in their boxes. Large ones descend the tile hierarchy.
    """
    table = BrickTable.over(grid)
    mesh = Primitives.alone(triangles)
    shape, half = np.array(table.shape), (BRICK_SIZE - 1) / 2
    box, count = np.empty((len(triangles), 6), dtype=np.int32), np.empty(len(triangles), dtype=np.int64)
    with progress_range(0.0, 0.1):
        over_rows(boxes_of, len(count), 8 * TRIANGLES_PER_RUN, mesh, shape, half, box, count)
    small, large = np.flatnonzero(count <= SMALL_BOX), np.flatnonzero(count > SMALL_BOX)
    place = np.concatenate([[0], np.cumsum(count[small])])
    brick = np.empty(place[-1], dtype=np.int64)
    limits = (shape, half, half_diagonal(BRICK_SIZE) + BAND)
    with progress_range(0.1, 0.8):
        over_rows(find_bricks, len(small), TRIANGLES_PER_RUN, mesh, small, box, place, *limits, brick)
    owner = small
    if len(large):
        more, far = _pairs_of_large(triangles, large, table)
        brick, owner = np.concatenate([brick, more]), np.concatenate([small, far])
        place = np.concatenate([place, place[-1] + 1 + np.arange(len(far))])
    count, start = np.zeros(len(table), dtype=np.int32), np.empty(len(table), dtype=np.int32)
    primitive = np.empty(count_pairs(brick, count, start), dtype=np.int32)
    sort_pairs(brick, owner, place, start, primitive)
    bricks = np.flatnonzero(count)
    return Bins(bricks, np.concatenate([[0], np.cumsum(count[bricks], dtype=np.int64)]), primitive)


def _pairs_of_large(
    triangles: Triangles, which: npt.NDArray[np.int64], table: BrickTable
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """The bricks and the triangles of all pairs of triangles `which`."""
    part = Triangles(triangles.points, triangles.triangles[which], triangles.normal[which], triangles.order[which])
    mesh, boxes = Primitives.alone(part), widened(part.bounds())
    pairs = coarsest_pairs(*boxes, np.zeros(len(which), dtype=np.int64), table)
    pairs, _ = joined(descend(pairs, triangle_distances, (*boxes, mesh), table, lambda tile: np.inf))
    tiles, first, primitive = pairs
    keep = np.empty(len(primitive), dtype=np.bool_)
    over_rows(keep_near, len(tiles), TILES_PER_RUN, *pairs, mesh, (BRICK_SIZE - 1) / 2, keep)
    return np.repeat(table.ids(tiles), np.diff(first))[keep], which[primitive[keep]]
