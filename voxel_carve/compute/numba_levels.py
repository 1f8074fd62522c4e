"""Going down in levels, compiled by numba: see `binning`."""

from collections.abc import Callable, Iterator
from typing import Any

import numba
import numpy as np
import numpy.typing as npt

from .binning import LEVELS, half_diagonal, tile_shape, tiles_of_boxes
from .bricks import BAND, Bins, BrickTable
from .numba_kernels import inlined, parallel
from .progress import steps

Array = npt.NDArray[np.float64]

# Tiles (T, 3) int64 as (z, y, x), first (T + 1,) int64, and primitive (P,) int32: the list of tile t is
# primitive[first[t] : first[t + 1]].
Pairs = tuple[npt.NDArray[np.int64], npt.NDArray[np.int64], npt.NDArray[np.int32]]

PAIRS_PER_RUN = 1 << 18


@inlined
def meets(low, high, i, x, y, z, half):  # type: ignore[no-untyped-def]
    """Whether box i meets the cube of half extent `half` around a point."""
    return (
        low[i, 0] <= x + half and high[i, 0] >= x - half
        and low[i, 1] <= y + half and high[i, 1] >= y - half
        and low[i, 2] <= z + half and high[i, 2] >= z - half
    )  # fmt: skip


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
def gather_lists(first, values, order, place):  # type: ignore[no-untyped-def]
    """The lists of values (P,) that start at first (T + 1,), in another order (T,): they start at place (T + 1,)."""
    out = np.empty_like(values)
    for t in numba.prange(len(order)):
        start = first[order[t]]
        for n in range(first[order[t] + 1] - start):
            out[place[t] + n] = values[start + n]
    return out


def first_pairs(low: Array, high: Array, table: BrickTable) -> Pairs:
    """Tiles of twice the coarsest level, as (z, y, x), and the primitives whose boxes meet each of them."""
    tile = 2 * LEVELS[0]
    shape = tile_shape(table, tile)
    everything = np.arange(len(low), dtype=np.int32), low, high
    tile_ids, primitive = tiles_of_boxes(everything, tile, shape)
    bins = Bins.from_pairs(tile_ids, primitive)
    return BrickTable(shape).coordinates(bins.bricks), bins.first, bins.primitive


def descend(
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
    for tiles, first, primitive in steps(_runs(pairs)):
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


def bins_of(pairs: Pairs, keep: npt.NDArray[np.bool_], table: BrickTable) -> Bins:
    """The pairs of bricks where the mask (P,) is true, bricks in order."""
    tiles, first, primitive = pairs
    bins = Bins(table.ids(tiles), first, primitive).where(keep)
    order = np.argsort(bins.bricks)
    place = np.concatenate([[0], np.cumsum(np.diff(bins.first)[order])])
    return Bins(bins.bricks[order], place, gather_lists(bins.first, bins.primitive, order, place))
