"""The boundary sum at many points: of near edges one by one, of all others by a polynomial.

This is a fast multipole method without multipoles (Greengard and Rokhlin 1987; Ying, Biros, Zorin 2004). Space is cut
into *tiles*, in levels. A loop of edges that is far from a tile, and casts no jump of the sum into it, is summed at
nodes around the tile. A harmonic polynomial through these values takes its place. The smaller tiles within inherit
the polynomial, and only the loops that were near.
"""

from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np
import numpy.typing as npt

from ..model.bricks import BAND
from ..primitives.boundary import Boundary, EdgeLists
from ..primitives.boundary_loops import Loops
from . import harmonics
from .binning import LEVELS, half_diagonal

Array = npt.NDArray[np.float64]
Indices = npt.NDArray[np.int64]

FAR = 3.0  # half diagonals of a tile, and BAND: at this distance from its centre, a loop is far
ERROR = 1e-4  # of a sum, at most: six times the largest that was seen
CENTRE = np.zeros((1, 3))
EIGHTHS = np.stack(np.meshgrid(*[(0, 1)] * 3, indexing="ij"), axis=-1).reshape(8, 3)


class Summing(Protocol):
    """What adds up over edges: see `Backend`."""

    def boundary_winding(self, points: Array, boundary: Boundary, lists: EdgeLists | None = None, /) -> Array:
        """(N,) the boundary sum at points (N, 3)."""

    def winding_gradient(self, points: Array, boundary: Boundary, lists: EdgeLists | None = None, /) -> Array:
        """(N, 3) its gradient."""

    def change_bound(self, points: Array, boundary: Boundary, reach: float, lists: EdgeLists | None = None, /) -> Array:
        """(N, 4) its gradient, and how far the sum departs within `reach` from its linear approximation, at most."""


@dataclass(frozen=True)
class Tiles:
    """N tiles of one size.

    Attributes:
        loops: the boundary.
        size: voxels a side.
        corner: (N, 3) the first voxel of each, as (z, y, x).
        start, stop: (N,) where the near loops of each tile begin and end in the next.
        near: (P,) loops.
        edge_start, edge_stop: (N,) likewise, of their edges.
        edge: (Q,) int32, edges of the loops.
        far: (N, COUNT) the polynomial of all others, in radii from the centre.
    """

    loops: Loops
    size: int
    corner: Indices
    start: Indices
    stop: Indices
    near: Indices
    edge_start: Indices
    edge_stop: Indices
    edge: npt.NDArray[np.int32]
    far: Array

    def __len__(self) -> int:
        return len(self.corner)

    @property
    def centre(self) -> Array:
        """(N, 3) as (x, y, z)."""
        centre: Array = self.corner[:, ::-1].astype(np.float64) + self.size / 2
        return centre

    @property
    def radius(self) -> float:
        """The polynomial holds within this distance of the centre: at all points within BAND of a voxel centre."""
        return half_diagonal(self.size) + BAND

    def at(self, rows: npt.NDArray[np.generic]) -> "Tiles":
        """Some of the tiles: rows (M,), or a mask (N,)."""
        by_tile = ("corner", "start", "stop", "edge_start", "edge_stop", "far")
        return replace(self, **{name: getattr(self, name)[rows] for name in by_tile})

    def holding(self, voxels: Indices) -> Indices:
        """(M,) the tile that holds each of some voxels (M, 3), as (z, y, x), or -1."""
        place, wanted = self.corner // self.size, voxels // self.size
        table = np.full(np.maximum(place.max(axis=0, initial=0), wanted.max(axis=0, initial=0)) + 1, -1, dtype=np.int32)
        table[tuple(place.T)] = np.arange(len(self))
        return table[tuple(wanted.T)].astype(np.int64)

    def sums(self, offsets: Array, engine: Summing) -> Array:
        """(N, K) the boundary sum at the same offsets (K, 3) from each centre."""
        near = engine.boundary_winding(self._points(offsets), self.loops.boundary, self._lists(len(offsets)))
        far = harmonics.product(self.far, harmonics.values(offsets / self.radius).T)
        return far + near.reshape(far.shape)

    def gradients(self, offsets: Array, engine: Summing) -> Array:
        """(N, K, 3) its gradient, likewise."""
        near = engine.winding_gradient(self._points(offsets), self.loops.boundary, self._lists(len(offsets)))
        basis = harmonics.gradients(offsets / self.radius).reshape(-1, harmonics.COUNT) / self.radius
        far = harmonics.product(self.far, basis.T).reshape(len(self), len(offsets), 3)
        return far + near.reshape(far.shape)

    def lists_at(self, tile: Indices) -> EdgeLists:
        """The near edges for points (M,) in these tiles. Points of one tile should follow each other."""
        begins = np.flatnonzero(np.diff(tile, prepend=-1))
        return EdgeLists(
            np.append(begins, len(tile)), self.edge_start[tile[begins]], self.edge_stop[tile[begins]], self.edge
        )

    def sums_at(self, tile: Indices, offsets: Array, sets: Indices, engine: Summing) -> Array:
        """(M, K) the boundary sum in tiles (M,), at a set of offsets from the centre of each.

        Args:
            offsets: (S, K, 3) the sets.    sets: (M,) which of them. Those of one tile should follow each other.
        """
        lists = self.lists_at(tile)._replace(point=self.lists_at(tile).point * offsets.shape[1])
        points = self.centre[tile, None] + offsets[sets]
        sums = engine.boundary_winding(points.reshape(-1, 3), self.loops.boundary, lists).reshape(points.shape[:2])
        return sums + self._far_at(tile, offsets, sets)

    def some_sums_at(
        self, tile: Indices, offsets: Array, sets: Indices, chosen: npt.NDArray[np.bool_], engine: Summing
    ) -> Array:
        """(N,) those of these sums that are chosen (M, K)."""
        row, place = np.nonzero(chosen)
        points = self.centre[tile[row]] + offsets[sets[row], place]
        near = engine.boundary_winding(points, self.loops.boundary, self.lists_at(tile[row]))
        far: Array = self._far_at(tile, offsets, sets)[chosen]
        return far + near

    def _far_at(self, tile: Indices, offsets: Array, sets: Indices) -> Array:
        """(M, K) what the far loops add, likewise."""
        far = np.empty((len(tile), offsets.shape[1]))
        for number, own in enumerate(offsets):
            rows = np.flatnonzero(sets == number)
            far[rows] = harmonics.product(self.far[tile[rows]], harmonics.values(own / self.radius).T)
        return far

    def change_bounds(self, offsets: Array, reach: float, engine: Summing) -> tuple[Array, Array]:
        """The gradients (N, K, 3) of the sum at the same offsets (K, 3) from each centre, and (N, K) upper bounds of
        how the sum changes from there to any point within `reach`.

        By Taylor's theorem: from the gradient, and a bound of the remainder.
        """
        near = engine.change_bound(self._points(offsets), self.loops.boundary, reach, self._lists(len(offsets)))
        near = near.reshape(len(self), len(offsets), 4)
        basis = harmonics.gradients(offsets / self.radius).reshape(-1, harmonics.COUNT) / self.radius
        slope = near[..., :3] + harmonics.product(self.far, basis.T).reshape(len(self), len(offsets), 3)
        bend = self.bends(offsets, reach)[:, None]
        change: Array = reach * np.linalg.norm(slope, axis=2) + near[..., 3] + reach**2 / 2 * bend
        return slope, change

    def bends(self, offsets: Array, reach: float) -> Array:
        """(N,) upper bounds of the second derivatives of what the far loops add, within `reach` of offsets (K, 3)."""
        farthest = float(np.linalg.norm(offsets, axis=1).max()) + reach
        bends: Array = harmonics.curvature_bounds(self.far, farthest / self.radius) / self.radius**2
        return bends

    def eighths(self) -> "Tiles":
        """(8 N) tiles of half the size, which share the loops that are near."""
        size = self.size // 2
        each = np.repeat(np.arange(len(self)), 8)
        corner = self.corner[each] + np.tile(EIGHTHS * size, (len(self), 1))
        radius = half_diagonal(size) + BAND
        at = (EIGHTHS[:, None, ::-1] - 0.5) * size + harmonics.nodes() * radius
        basis = harmonics.values(at.reshape(-1, 3) / self.radius).reshape(8, -1, harmonics.COUNT)
        moved = np.concatenate((harmonics.fit() @ basis).transpose(0, 2, 1), axis=1)
        far = harmonics.product(self.far, moved).reshape(-1, harmonics.COUNT)
        ranges = (part[each] for part in (self.start, self.stop, self.edge_start, self.edge_stop))
        start, stop, edge_start, edge_stop = ranges
        return Tiles(self.loops, size, corner, start, stop, self.near, edge_start, edge_stop, self.edge, far)

    def with_far_loops(self, engine: Summing) -> "Tiles":
        """The same, with those of the near loops that are far in the polynomial."""
        count = self.stop - self.start
        owner = np.repeat(np.arange(len(self)), count)
        place = np.arange(len(owner)) + np.repeat(self.start - (np.cumsum(count) - count), count)
        is_far = self._is_far(owner, self.near[place])
        far, near = (self._with(self.near[place[kept]], owner[kept]) for kept in (is_far, ~is_far))
        far = far.at(far.start < far.stop)
        nodes = harmonics.nodes() * self.radius
        values = engine.boundary_winding(far._points(nodes), self.loops.boundary, far._lists(len(nodes)))
        added = self.far.copy()
        added[np.unique(owner[is_far])] += harmonics.product(values.reshape(-1, len(nodes)), harmonics.fit().T)
        return replace(near, far=added)

    def _is_far(self, owner: Indices, loop: Indices) -> npt.NDArray[np.bool_]:
        """(P,) whether loops are far from their tiles. The sum jumps below edges."""
        centre, low, high = self.centre[owner], self.loops.low[loop], self.loops.high[loop]
        gap = np.maximum(np.maximum(low - centre, centre - high), 0.0)
        jumps = (gap[:, :2] <= self.radius).all(axis=1) & (high[:, 2] >= centre[:, 2] - self.radius)
        distance = FAR * half_diagonal(self.size) + BAND
        far: npt.NDArray[np.bool_] = ((gap * gap).sum(axis=1) > distance**2) & ~jumps
        return far

    def _with(self, near: Indices, owner: Indices) -> "Tiles":
        """The tiles with other near loops (P,), in the order of their owners (P,)."""
        start, stop = _ranges(owner, len(self))
        of_edge, edge = self.loops.edges_of(owner, near)
        edge_start, edge_stop = _ranges(of_edge, len(self))
        return Tiles(
            self.loops,
            self.size,
            self.corner,
            start,
            stop,
            near,
            edge_start,
            edge_stop,
            edge.astype(np.int32),
            self.far,
        )

    def _points(self, offsets: Array) -> Array:
        """(N K, 3) points at offsets (K, 3) from each centre."""
        points: Array = (self.centre[:, None] + offsets).reshape(-1, 3)
        return points

    def _lists(self, each: int) -> EdgeLists:
        """The near loops, for `each` points a tile."""
        begins = np.flatnonzero(np.diff(self.edge_start, prepend=-1) | np.diff(self.edge_stop, prepend=-1))
        point = np.append(begins, len(self)) * each
        return EdgeLists(point, self.edge_start[begins], self.edge_stop[begins], self.edge)


def whole_tiles(loops: Loops, shape: tuple[int, ...], engine: Summing) -> Tiles:
    """The largest tiles, which cover `shape` voxels (Z, Y, X)."""
    size = LEVELS[0]
    count = [-(-side // size) for side in shape]
    corner = np.stack(np.meshgrid(*map(np.arange, count), indexing="ij"), axis=-1).reshape(-1, 3) * size
    start, nothing = np.zeros(len(corner), dtype=np.int64), np.zeros((len(corner), harmonics.COUNT))
    near, stop = np.arange(len(loops)), start + len(loops)
    none = np.empty(0, dtype=np.int32)
    return Tiles(loops, size, corner, start, stop, near, start, start, none, nothing).with_far_loops(engine)


def _ranges(owner: Indices, count: int) -> tuple[Indices, Indices]:
    """(count,) where the rows of each owner begin, and where they end. The owners are in ascending order."""
    stop = np.cumsum(np.bincount(owner, minlength=count))
    return np.concatenate([[0], stop[:-1]]), stop
