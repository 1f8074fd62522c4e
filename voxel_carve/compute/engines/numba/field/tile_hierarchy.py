"""Kernels for descending the tile hierarchy. See `field.binning`."""

from array import array
from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ....field.binning import BOXES_AT_ONCE, LEVELS, bricks_of_tiles, half_diagonal, tile_shape, tiles_of_boxes
from ....model.bricks import BAND, Bins, BrickTable, runs
from ....runtime.progress import with_progress
from ....runtime.threads import over_rows, slices
from ..compiler.decorators import inlined, kernel

Array = npt.NDArray[np.float64]

# Tiles (T, 4) int64 as (z, y, x) and a group, first (T + 1,) int64, and primitive (P,) int32. The list of tile t is
# primitive[first[t] : first[t + 1]]. It has the primitives of one group alone, so a tile may be there several times.
Pairs = tuple[npt.NDArray[np.int64], npt.NDArray[np.int64], npt.NDArray[np.int32]]

PAIRS_PER_STEP = 1 << 18
PAIRS_PER_RUN = 1 << 12


NO_PAIRS: Pairs = np.empty((0, 4), dtype=np.int64), np.zeros(1, dtype=np.int64), np.empty(0, dtype=np.int32)


class Part(NamedTuple):
    """Some bricks.

    Attributes:
        pairs: theirs.    distance: (P,) of each pair.    inside: (S, 4) others, wholly inside a primitive.
    """

    pairs: Pairs
    distance: Array
    inside: npt.NDArray[np.int64]


@inlined
def meets(low, high, i, x, y, z, half):  # type: ignore[no-untyped-def]
    """Whether box i meets the cube of half extent `half` around a point."""
    return (
        low[i, 0] <= x + half and high[i, 0] >= x - half
        and low[i, 1] <= y + half and high[i, 1] >= y - half
        and low[i, 2] <= z + half and high[i, 2] >= z - half
    )  # fmt: skip


@kernel
def count_children(run, stop, tiles, first, distance, shape, reach, spread, depth, count, limit, is_inside):  # type: ignore[no-untyped-def]
    """Count the pairs that each child of each tile keeps.

    A child keeps a pair if its distance is at most `reach`, and at most `spread` above the child's least distance. A
    child with a least distance under -`depth` is wholly inside, and keeps none.

    Args:
        count: (T, 8) int64, output: the pairs kept; all 0 before.
        limit: (T, 8) float64, output: the greatest distance that is kept; all -inf before.
        is_inside: (T, 8) bool, output: children wholly inside; all false before.
    """
    for t in range(run, stop):
        for child in range(8):
            in_grid = (
                2 * tiles[t, 0] + (child >> 2) < shape[0]
                and 2 * tiles[t, 1] + (child >> 1 & 1) < shape[1]
                and 2 * tiles[t, 2] + (child & 1) < shape[2]
            )
            if not in_grid:
                continue
            least = np.inf
            for pair in range(first[t], first[t + 1]):
                least = min(least, distance[pair, child])
            if least < -depth:
                is_inside[t, child] = True
                continue
            limit[t, child] = min(reach, least + spread)
            for pair in range(first[t], first[t + 1]):
                if distance[pair, child] <= limit[t, child]:
                    count[t, child] += 1


@kernel
def fill_children(run, stop, first, primitive, distance, limit, place, kept, kept_distance):  # type: ignore[no-untyped-def]
    """List the pairs kept and their distances. Those of child c of tile t begin at place[8 t + c]."""
    for t in range(run, stop):
        for child in range(8):
            to = place[8 * t + child]
            for pair in range(first[t], first[t + 1]):
                if distance[pair, child] <= limit[t, child]:
                    kept[to] = primitive[pair]
                    kept_distance[to] = distance[pair, child]
                    to += 1


def coarsest_pairs(low: Array, high: Array, group: npt.NDArray[np.int64], table: BrickTable) -> Pairs:
    """Tiles of twice the coarsest level, with the primitives of groups (N,) that have a box meeting them."""
    tile, groups = 2 * LEVELS[0], int(group.max(initial=0)) + 1
    shape, where, primitive = tile_shape(table, tile), array("q"), array("i")
    for part in slices(len(low), BOXES_AT_ONCE):
        own, owner = tiles_of_boxes(low[part], high[part], tile, shape)
        where.frombytes((own * groups + group[part][owner]).view(np.uint8).data)
        primitive.frombytes((owner + np.int32(part.start)).view(np.uint8).data)
    bins = Bins.from_pairs(np.asarray(where, dtype=np.int64), np.asarray(primitive, dtype=np.int32))
    del where, primitive
    tiles, own = np.divmod(bins.bricks, groups)
    return np.column_stack([BrickTable(shape).coordinates(tiles), own]), bins.first, bins.primitive


def descend(
    pairs: Pairs,
    measure: Callable[..., None],
    shapes: tuple[Any, ...],
    table: BrickTable,
    spread: Callable[[int], float],
    levels: tuple[int, ...] = LEVELS,
) -> Iterator[Part]:
    """Descend to bricks, some of them at a time: pairs of all tiles of a level may take more memory than those of all
    bricks.

    A pair is dropped if its distance is more than `spread` of the tile's side above the least of its tile.

    Args:
        measure: the kernel that sets the distances of pairs, from the children's size and from `shapes`.
        levels: the sides of tiles on the way.
    """
    for children, distance, inside in _children(pairs, measure, shapes, table, levels[0], spread(levels[0])):
        bricks = bricks_of_tiles(inside, levels[0], table)
        if len(levels) == 1:
            yield Part(children, distance, bricks)
            continue
        if len(bricks):
            yield Part(NO_PAIRS, np.empty(0), bricks)
        yield from descend(children, measure, shapes, table, spread, levels[1:])


def _children(
    pairs: Pairs,
    measure: Callable[..., None],
    shapes: tuple[Any, ...],
    table: BrickTable,
    tile: int,
    spread: float,
) -> Iterator[tuple[Pairs, Array, npt.NDArray[np.int64]]]:
    """Descend one level, to tiles of `tile` voxels: a part of them, their distances, and those wholly inside a
    primitive (S, 4).
    """
    half = half_diagonal(tile)
    shape = np.array(tile_shape(table, tile))
    corner = np.stack(np.meshgrid((0, 1), (0, 1), (0, 1), [0], indexing="ij"), axis=-1).reshape(8, 4)
    for tiles, first, primitive in with_progress(_split_by_pairs(pairs)):
        count, is_inside = np.zeros((len(tiles), 8), dtype=np.int64), np.zeros((len(tiles), 8), dtype=np.bool_)
        distance, limit = np.empty((len(primitive), 8)), np.full((len(tiles), 8), -np.inf)
        run = tiles_per_run((tiles, first, primitive))
        over_rows(measure, len(tiles), run, tiles, first, primitive, float(tile), *shapes, distance)
        limits = (shape, half + BAND, spread, half + BAND)
        over_rows(count_children, len(tiles), run, tiles, first, distance, *limits, count, limit, is_inside)
        place = np.concatenate([[0], np.cumsum(count)])
        children, of_child = (tiles[:, None] * (2, 2, 2, 1) + corner).reshape(-1, 4), count.ravel()
        kept = np.empty(place[-1], dtype=np.int32), np.empty(place[-1])
        over_rows(fill_children, len(tiles), run, first, primitive, distance, limit, place, *kept)
        del distance
        kept_first = np.concatenate([[0], np.cumsum(of_child[of_child > 0])])
        yield (children[of_child > 0], kept_first, kept[0]), kept[1], children[is_inside.ravel()]


def joined(parts: Iterable[Part]) -> tuple[Pairs, npt.NDArray[np.int64]]:
    """The pairs of all parts, and the bricks wholly inside a primitive (S, 4)."""
    nothing = NO_PAIRS[0]
    tiles, count, inside, primitive = [nothing], [nothing[:, 0]], [nothing], array("i")
    for (own_tiles, own_first, own_primitive), _, own_inside in parts:
        tiles.append(own_tiles)
        count.append(np.diff(own_first))
        inside.append(own_inside)
        # An array of Python grows where it is. Parts that are kept until the last one is known take twice the memory.
        primitive.frombytes(own_primitive.view(np.uint8).data)
    first = np.concatenate([[0], np.cumsum(np.concatenate(count))])
    return (np.concatenate(tiles), first, np.asarray(primitive, dtype=np.int32)), np.concatenate(inside)


def tiles_per_run(pairs: Pairs) -> int:
    """So many tiles have about PAIRS_PER_RUN pairs."""
    return max(1, len(pairs[0]) * PAIRS_PER_RUN // max(1, len(pairs[2])))


def _split_by_pairs(pairs: Pairs) -> Iterator[Pairs]:
    """Split the tiles into parts with about PAIRS_PER_STEP pairs each."""
    tiles, first, primitive = pairs
    for start, stop in runs(np.diff(first), PAIRS_PER_STEP):
        yield tiles[start:stop], first[start : stop + 1] - first[start], primitive[first[start] : first[stop]]
