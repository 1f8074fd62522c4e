"""Space in cubic tiles: which tiles triangles pass, and which of the others are connected."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import scipy

from ..model.mesh import used_points
from ..primitives.crossings import column_crossing

Points = npt.NDArray[np.float64]
Indices = npt.NDArray[np.integer]
Mask = npt.NDArray[np.bool_]

MARGIN = 1  # tiles around everything, so that the outside is connected
ROUNDING = 1e-6  # of a tile: a point this near to a border is in the tiles on both sides
MOST_PIECES = 1 << 22
MOST_REGIONS = 16


class UncertainError(Exception):
    """There is too much to test, or a condition does not hold."""


@dataclass(frozen=True)
class Tiled:
    """Triangles, and which tiles they pass.

    Attributes:
        points: (N, 3) float64.
        triangles: (M, 3) indices of points.
        triangle, tile: (P,) pairs of a triangle and a tile that it passes, or comes near.
        beyond: (B,) triangles that are, or may be, partly outside the grid.
    """

    points: Points
    triangles: Indices
    triangle: Indices
    tile: Indices
    beyond: Indices

    def of(self, triangles: Mask) -> "Tiled":
        """Those where the mask (M,) is true, with the same indices."""
        own = triangles[self.triangle]
        beyond = self.beyond[triangles[self.beyond]]
        return Tiled(self.points, self.triangles, self.triangle[own], self.tile[own], beyond)


@dataclass(frozen=True)
class Tiles:
    """A grid of tiles: its lowest corner (3,), their size, and their number along x, y and z."""

    origin: Points
    size: float
    shape: tuple[int, int, int]

    @classmethod
    def around(cls, meshes: list[Points], count: int) -> "Tiles":
        """A grid over meshes, given by their points (N, 3), with `count` tiles along the longest side."""
        low = np.min([[column.min() for column in points.T] for points in meshes], axis=0)
        high = np.max([[column.max() for column in points.T] for points in meshes], axis=0)
        size = float((high - low).max()) / count
        x, y, z = (int(side) + 2 * MARGIN + 1 for side in np.ceil((high - low) / size))
        return cls(low - MARGIN * size, size, (x, y, z))

    def bounds(self) -> tuple[Points, Points]:
        """The lowest and the highest corner."""
        return self.origin, self.origin + np.array(self.shape) * self.size

    def tiled(self, points: Points, triangles: Indices) -> Tiled:
        """Triangles (M, 3) of points (N, 3) with their tiles.

        Raises:
            UncertainError: there are too many pieces.
        """
        columns = np.ascontiguousarray(points.T)
        first, last = self._places(columns, -ROUNDING), self._places(columns, ROUNDING)
        number = self._numbers(first)
        unclear = np.flatnonzero((number < 0) | (number != self._numbers(last)))
        number[unclear] = -1 - unclear  # different from the number of any tile and any other point
        a, b, c = (number.take(corner) for corner in triangles.T)
        within = (a == b) & (b == c) & (a >= 0)
        which = np.flatnonzero(~within)
        low = _least([first.take(corner, axis=1) for corner in triangles[which].T])
        high = _greatest([last.take(corner, axis=1) for corner in triangles[which].T])
        found, beyond, corners = [(np.flatnonzero(within), a[within])], [which[:0]], None
        while len(which):
            if len(which) > MOST_PIECES:
                raise UncertainError
            least, most = low.min(axis=0), (high - self._last()).max(axis=0)
            beyond.append(which[(least < 0) | (most > 0)])
            met = (high.min(axis=0) >= 0) & ((low - self._last()).max(axis=0) <= 0)
            long = (high - low).max(axis=0) > 1
            short = np.flatnonzero(met & ~long)
            box, tile = self._of_boxes(low.take(short, axis=1), high.take(short, axis=1))
            found.append((which[short][box], tile))
            long = np.flatnonzero(met & long)
            corners = points[triangles[which[long]]].T if corners is None else corners[..., long]
            corners, which = _halves(corners), np.tile(which[long], 2)
            low = _least([self._places(corners[:, i], -ROUNDING) for i in range(3)])
            high = _greatest([self._places(corners[:, i], ROUNDING) for i in range(3)])
        triangle, tile = (np.concatenate(part) for part in zip(*found, strict=True))
        return Tiled(points, triangles, triangle, tile, np.unique(np.concatenate(beyond)))

    def marked(self, *tiled: Tiled) -> Mask:
        """The tiles that triangles pass, as a grid."""
        marked = np.zeros(self.shape, dtype=bool)
        for each in tiled:
            marked.reshape(-1)[each.tile] = True
        return marked

    def regions(self, marked: Mask, tiles: Indices) -> tuple[Indices, Points]:
        """The connected regions of unmarked tiles: the region of each of the tiles (P,), and a point (R, 3) in each.

        Raises:
            UncertainError: a tile is marked, or there are too many regions.
        """
        label = scipy.ndimage.label(~marked)[0].reshape(-1).take(tiles)
        held = np.flatnonzero(np.bincount(label))
        if len(held) > MOST_REGIONS or 0 in held:
            raise UncertainError
        first = [tiles[(label == each).argmax()] for each in held]
        place = np.stack(np.unravel_index(np.array(first, dtype=np.int64), self.shape), axis=1)
        return np.searchsorted(held, label), self.origin + (place + 0.5) * self.size

    def winding(self, tiled: Tiled, point: Points) -> int:
        """The winding number of triangles at a point (3,) of the grid, from the signed crossings above it."""
        x, y, _ = self._places(point[:, None])[:, 0]
        first = (x * self.shape[1] + y) * self.shape[2]
        above = tiled.triangle[(tiled.tile >= first) & (tiled.tile < first + self.shape[2])]
        near = tiled.triangles[np.unique(np.concatenate([above, tiled.beyond]))]
        points, near = used_points(tiled.points, near)
        # The point is the middle of a voxel.
        sign, height = column_crossing(points - point + 0.5, *near.T, 0.5, 0.5)
        return int(sign[height > 0].sum())

    def _places(self, columns: Points, further: float = 0.0) -> Indices:
        """The tiles, as (x, y, z), of points (3, N) that are moved by a fraction of a tile. They may be outside the
        grid."""
        return np.floor((columns - self.origin[:, None]) * (1 / self.size) + further).astype(np.int32)

    def _numbers(self, place: Indices) -> Indices:
        """The numbers (N,) of tiles at (3, N); -1 outside the grid."""
        number = (place[0] * self.shape[1] + place[1]) * self.shape[2] + place[2]
        within = (place >= 0) & (place <= self._last())
        return np.where(within[0] & within[1] & within[2], number, -1)

    def _last(self) -> Indices:
        return np.array(self.shape, dtype=np.int32)[:, None] - 1

    def _of_boxes(self, low: Indices, high: Indices) -> tuple[Indices, Indices]:
        """Pairs of a box and a tile in it, for boxes (3, B) from `low` to `high`, at most two tiles along each axis."""
        box, place = np.arange(low.shape[1]), low
        for axis in range(3):
            more = np.flatnonzero((high[axis] > low[axis])[box])
            further = place.take(more, axis=1)
            further[axis] += 1
            box, place = np.concatenate([box, box[more]]), np.concatenate([place, further], axis=1)
        number = self._numbers(place)
        inside = np.flatnonzero(number >= 0)
        return box[inside], number[inside]


def spread(tiles: Mask, reach: int) -> Mask:
    """Tiles, dilated by `reach`."""
    for axis in range(3):
        wider = tiles.copy()
        of, to = np.moveaxis(tiles, axis, 0), np.moveaxis(wider, axis, 0)
        for step in range(1, reach + 1):
            to[step:] |= of[:-step]
            to[:-step] |= of[step:]
        tiles = wider
    return tiles


def _least(corners: list[Indices]) -> Indices:
    return np.minimum(np.minimum(corners[0], corners[1]), corners[2])


def _greatest(corners: list[Indices]) -> Indices:
    return np.maximum(np.maximum(corners[0], corners[1]), corners[2])


def _halves(corners: Points) -> Points:
    """Triangles (3, 3, T), coordinate by corner, split at the midpoint of their longest side: (3, 3, 2 T)."""
    side = np.roll(corners, -1, axis=1) - corners
    longest = (side[0] ** 2 + side[1] ** 2 + side[2] ** 2).argmax(axis=0)
    a, b, c = (np.take_along_axis(corners, ((longest + i) % 3)[None, None], axis=1)[:, 0] for i in range(3))
    middle = (a + b) / 2
    return np.concatenate([np.stack([a, middle, c], axis=1), np.stack([middle, b, c], axis=1)], axis=2)
