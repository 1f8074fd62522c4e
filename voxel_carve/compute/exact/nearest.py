"""The nearest primitive to a point, in float64, wherever the point lies, without a grid or a narrow band.

Points are sorted into tiles that halve from level to level. A tile keeps the primitives that can be nearest to one of
its points. No distance changes by more than the point moves. So, with R the largest distance of a point from the tile's
centre c, these are the primitives with d(c) <= min d(c) + 2 R.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import numpy.typing as npt

from ..runtime.progress import checkpoint, with_progress
from ..runtime.threads import map_blocks, slices

Array = npt.NDArray[np.float64]
Indices = npt.NDArray[np.int64]

SMALLEST_TILE = 2.0  # voxels
BOXES_ABOVE = 32.0  # larger tiles test only the boxes of primitives
POINTS_PER_BLOCK = 1 << 15
PAIRS_PER_BLOCK = 1 << 13
PAIRS_PER_RUN = 1 << 18
FIRST_REACH, GROWTH = 4.0, 16.0
ROUNDING = 1e-9
CELL_BITS = 20


class Primitives(Protocol):
    """Bodies with a distance, such as `Segments` and `Triangles`. All lengths are in voxels."""

    def __len__(self) -> int: ...

    def bounds(self) -> tuple[Array, Array]:
        """(M, 3) minimum and maximum coordinates of each primitive."""

    def distance(self, which: npt.NDArray[np.integer], points: Array) -> Array:
        """(N,) distance of points (N, 3) to primitives `which` (N,). It changes by no more than the point moves."""


@dataclass(frozen=True)
class _Tiles:
    """Runs of points in sorted order, each with a list of primitives.

    Attributes:
        first, stop: (T,) the run of each tile.
        begin, count: (T,) the range of its list in `primitive`.
        primitive: (P,) the lists.
    """

    first: Indices
    stop: Indices
    begin: Indices
    count: Indices
    primitive: Indices


def nearest(points: Array, primitives: Primitives, reach: float = np.inf) -> tuple[Array, Indices]:
    """The nearest primitive to each point, and its distance.

    Args:
        points: (N, 3), in voxels.
        primitives: without any, all distances are infinite.
        reach: the search radius.

    Returns:
        distance: (N,), infinite beyond the reach; which: (N,), -1 there.
    """
    distance, which = np.full(len(points), np.inf), np.full(len(points), -1)
    if len(primitives) == 0:
        return distance, which
    rows, near = np.arange(len(points)), min(reach, FIRST_REACH)
    while len(rows):
        for point, primitive, off in _runs(points[rows], primitives, near, beyond=0.0):
            row = _first_least(point, off)
            distance[rows[point[row]]], which[rows[point[row]]] = off[row], primitive[row]
        if near >= reach:
            break
        rows, near = rows[which[rows] < 0], min(near * GROWTH, reach)
    return distance, which


def near_pairs(points: Array, primitives: Primitives, reach: float) -> Iterator[tuple[Indices, Indices, Array]]:
    """All pairs of a point and a primitive within reach of it, in batches. The pairs of a point are consecutive.

    Yields:
        point, primitive: (P,); distance: (P,), in voxels.
    """
    return _runs(points, primitives, reach, beyond=np.inf)


def ranges(begin: Indices, count: Indices) -> Indices:
    """The concatenation of the ranges begin[i], ..., begin[i] + count[i] - 1."""
    return np.repeat(begin - (np.cumsum(count) - count), count) + np.arange(int(count.sum()))


def _runs(
    points: Array, primitives: Primitives, reach: float, beyond: float
) -> Iterator[tuple[Indices, Indices, Array]]:
    """Pairs within reach. A primitive may be farther from a point than the nearest one by at most `beyond`."""
    if len(points) == 0 or len(primitives) == 0:
        return
    balls = _Balls.around(primitives)
    size = _tile_size(points)
    keys = _keys(points, size)
    order = np.argsort(keys, kind="stable")
    for block in with_progress(slices(len(order), POINTS_PER_BLOCK)):
        rows = order[block]
        here = points[rows]
        tiles = _tiles(here, keys[rows], size, balls, reach, beyond)
        length = tiles.stop - tiles.first
        point = ranges(tiles.first, length)
        begin, count = np.repeat(tiles.begin, length), np.repeat(tiles.count, length)
        for part in with_progress(_parts(count)):
            which = tiles.primitive[ranges(begin[part], count[part])]
            owner = np.repeat(point[part], count[part])
            kept, _ = balls.near(which, here, owner, np.zeros(len(here)), reach, beyond)
            owner, which = owner[kept], which[kept]
            distance = balls.distance(which, here, owner)
            near = distance <= reach
            yield rows[owner[near]], which[near], distance[near]


@dataclass(frozen=True)
class _Balls:
    """Primitives and their bounding balls. The distance from the ball is a lower bound for that from the primitive.

    Attributes:
        low, high: (M, 3) the boxes.    columns: (4, M) centres and radii of the balls.
    """

    primitives: Primitives
    low: Array
    high: Array
    columns: Array

    @classmethod
    def around(cls, primitives: Primitives) -> "_Balls":
        low, high = primitives.bounds()
        radius = np.linalg.norm(high - low, axis=1) / 2
        return cls(primitives, low, high, np.vstack([(low + high).T / 2, radius * (1 + ROUNDING)]))

    def lowest(self, which: Indices, places: Array, owner: Indices) -> Array:
        """(P,) lower bounds for the distances of places[owner] from primitives `which`."""
        x, y, z, radius = self.columns.take(which, axis=1)
        px, py, pz = places.T.take(owner, axis=1)
        x -= px
        y -= py
        z -= pz
        lowest: Array = np.sqrt(x * x + y * y + z * z) - radius
        return lowest

    def near(
        self, which: Indices, places: Array, owner: Indices, radius: Array, reach: float, beyond: float
    ) -> tuple[npt.NDArray[np.bool_], Array]:
        """Which primitives `which` can matter for a point within `radius` (N,) of places[owner], places (N, 3).

        Returns:
            (P,) whether the ball is near enough, and (N,) the largest allowed distance of the primitive itself.
        """
        limit = reach + radius
        lowest = self.lowest(which, places, owner)
        if np.isfinite(beyond):
            row = _first_least(owner, lowest)
            at = owner[row]
            known = self.distance(which[row], places, at)
            limit[at] = np.minimum(limit[at], known + beyond + 2 * radius[at])
        limit += ROUNDING * (1 + np.abs(limit))
        return lowest <= limit[owner], limit

    def distance(self, which: Indices, places: Array, owner: Indices) -> Array:
        """(P,) distances of places[owner] from primitives `which`."""
        out = np.empty(len(which))

        def fill(rows: slice) -> None:
            out[rows] = self.primitives.distance(which[rows], places.take(owner[rows], axis=0))

        # A few blocks are not worth starting threads.
        walk = map_blocks if len(which) > 8 * PAIRS_PER_BLOCK else map
        for _ in walk(fill, slices(len(which), PAIRS_PER_BLOCK)):
            pass
        return out


def _tiles(
    points: Array, keys: npt.NDArray[np.uint64], size: float, balls: _Balls, reach: float, beyond: float
) -> _Tiles:
    """The smallest tiles, of side `size`, of points sorted by keys, each with the primitives that can matter in it."""
    primitive = _overlapping(balls, points.min(axis=0) - reach, points.max(axis=0) + reach)
    zero = np.zeros(1, dtype=np.int64)
    tiles = _Tiles(zero, zero + len(points), zero, zero + len(primitive), primitive)
    for level in range(-(-int(keys[0] ^ keys[-1]).bit_length() // 3), -1, -1):
        checkpoint()
        first = np.concatenate([[0], np.flatnonzero(np.diff(keys >> np.uint64(3 * level))) + 1])
        stop = np.append(first[1:], len(points))
        low: Array = np.minimum.reduceat(points, first)
        high: Array = np.maximum.reduceat(points, first)
        parent = np.searchsorted(tiles.first, first, side="right") - 1
        listed = (parent >= 0) & (tiles.stop[parent] >= stop)
        first, stop, parent = first[listed], stop[listed], parent[listed]
        low, high = low[listed], high[listed]
        kept_which, kept_owner = [np.empty(0, np.int64)], [np.empty(0, np.int64)]
        # In batches: if many primitives overlap, a level has millions of pairs, and few are kept.
        for part in _parts(tiles.count[parent]):
            count = tiles.count[parent[part]]
            which = tiles.primitive[ranges(tiles.begin[parent[part]], count)]
            owner = np.repeat(np.arange(len(count)), count)
            if size * 2.0**level > BOXES_ABOVE:
                kept = _boxes_meet(balls, which, low[part] - reach, high[part] + reach, owner)
            else:
                kept = _count_near(balls, which, low[part], high[part], owner, reach, beyond)
            kept_which.append(which[kept])
            kept_owner.append(owner[kept] + part.start)
        which, owner = np.concatenate(kept_which), np.concatenate(kept_owner)
        count = np.bincount(owner, minlength=len(first))
        some = count > 0
        count = count[some]
        tiles = _Tiles(first[some], stop[some], np.cumsum(count) - count, count, which)
        if len(which) == 0:
            break
    return tiles


def _overlapping(balls: _Balls, low: Array, high: Array) -> Indices:
    """The primitives with boxes that overlap a given box."""
    return np.flatnonzero(((balls.low <= high) & (balls.high >= low)).all(axis=1))


def _boxes_meet(balls: _Balls, which: Indices, low: Array, high: Array, owner: Indices) -> npt.NDArray[np.bool_]:
    """(P,): whether the box of primitive `which` overlaps box `owner` of the boxes from low to high (T, 3)."""
    kept = np.ones(len(which), dtype=bool)
    for axis in range(3):
        kept &= balls.low[which, axis] <= high[owner, axis]
        kept &= balls.high[which, axis] >= low[owner, axis]
    return kept


def _count_near(
    balls: _Balls, which: Indices, low: Array, high: Array, owner: Indices, reach: float, beyond: float
) -> npt.NDArray[np.bool_]:
    """(P,): whether primitive `which` can matter for a point in box `owner` of the boxes from low to high (T, 3)."""
    centre, radius = (low + high) / 2, np.linalg.norm(high - low, axis=1) / 2
    kept, limit = balls.near(which, centre, owner, radius, reach, beyond)
    # The ball around a large primitive is a weak bound.
    large = np.flatnonzero(kept)
    large = large[balls.columns[3, which[large]] > radius[owner[large]]]
    kept[large] = balls.distance(which[large], centre, owner[large]) <= limit[owner[large]]
    return kept


def _tile_size(points: Array) -> float:
    """Side of the smallest tiles. It grows with the extent of the points, so that cell indices fit into CELL_BITS."""
    extent = float((points.max(axis=0) - points.min(axis=0)).max())
    return max(SMALLEST_TILE, extent / (2**CELL_BITS - 1))


def _keys(points: Array, size: float) -> npt.NDArray[np.uint64]:
    """(N,) the Morton code (1966) of each point's cell: interleaved bits of z, y and x."""
    cell = ((points - points.min(axis=0)) / size).astype(np.uint64)
    key = np.zeros(len(points), dtype=np.uint64)
    for bit in range(CELL_BITS):
        for axis in range(3):
            key |= (cell[:, axis] >> np.uint64(bit) & np.uint64(1)) << np.uint64(3 * bit + axis)
    return key


def _parts(count: Indices) -> Iterator[slice]:
    """Runs of rows with counts that add up to about PAIRS_PER_RUN."""
    total = np.cumsum(count)
    start = 0
    while start < len(count):
        before = total[start - 1] if start else 0
        stop = max(start + 1, int(np.searchsorted(total, before + PAIRS_PER_RUN)))
        yield slice(start, stop)
        start = stop


def _first_least(owner: Indices, values: Array) -> Indices:
    """The first row with the minimum value in each run of equal owners."""
    if len(owner) == 0:
        return owner
    starts = np.diff(owner, prepend=owner[0] - 1) != 0
    run = np.cumsum(starts) - 1
    least = np.minimum.reduceat(values, np.flatnonzero(starts))
    rows = np.flatnonzero(values == least[run])
    return rows[np.diff(run[rows], prepend=-1) != 0]
