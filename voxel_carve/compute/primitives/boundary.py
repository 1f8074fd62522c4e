"""The second part of the winding number of a stock: a sum over the edges of its open boundary.

With the signed crossings c(p) of the ray from p toward +z, the generalised winding number (Jacobson et al. 2013) is

    w(p) = c(p) + b(p),    b(p) = 1 / (4 pi) * sum over boundary edges (e1, e2) of Omega(e1 - p, e2 - p, -z)

(Martens, Trettner, Bessmeltsev 2026). Omega is the signed solid angle of three directions (van Oosterom and Strackee
1983). A point is inside if |w| > 0.5. A closed mesh has no boundary, and b is 0.

The fractional part of b is smooth away from the boundary. A cap, where |w| = 0.5, needs a fraction of 0.5.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ..formulas import winding
from ..formulas.binding import ON_ARRAYS
from ..model.bricks import BRICK_VOXELS
from ..runtime.threads import slices
from .half_edges import border

Array = npt.NDArray[np.float64]
Indices = npt.NDArray[np.int64]

BLOCK = 1 << 12  # points at once: temporaries stay in the cache

# A point is inside if |w| is above this. A flat hole has a flat cap, and voxel centres may lie in it. As everywhere, a
# distance of 0 is inside, whatever the rounding of the sum.
INSIDE = 0.5 - 1e-9


class Edges(NamedTuple):
    """See `formulas.language.Edges`."""

    low: Array
    high: Array
    sign: Array


class EdgeLists(NamedTuple):
    """Which edges count at which points. The points of a list follow each other, and the lists too.

    Attributes:
        point: (G + 1,) int64, the first point of each list, and the number of points.
        start, stop: (G,) int64, where the edges of each list begin and end in the next.
        edge: (P,) int32.
    """

    point: Indices
    start: Indices
    stop: Indices
    edge: npt.NDArray[np.int32]


@dataclass(frozen=True)
class Boundary:
    """The open boundary of a mesh: the directed edges of triangles that remain after opposite ones cancel.

    Attributes:
        low, high: (E, 3) float64 end points, ordered by their coordinates alone.
        sign: (E,) float64, +1 if the edge runs from low to high, -1 if it runs back.
    """

    low: Array
    high: Array
    sign: Array

    def __len__(self) -> int:
        return len(self.sign)

    @property
    def edges(self) -> Edges:
        """The edges, for kernels."""
        return Edges(self.low, self.high, self.sign)

    def all_edges(self) -> npt.NDArray[np.int32]:
        """(E,) a list of all edges, for kernels."""
        return np.arange(len(self), dtype=np.int32)

    def whole_lists(self, points: int, each: int) -> EdgeLists:
        """All edges for all points, in lists of `each` points."""
        start = np.zeros(-(-points // each), dtype=np.int64)
        point = np.minimum(np.arange(len(start) + 1) * each, points)
        return EdgeLists(point, start, start + len(self), self.all_edges())

    def has_doubled_edges(self) -> bool:
        """Whether an edge occurs more than once, as between two inconsistently oriented faces."""
        again = (self.low[1:] == self.low[:-1]).all(axis=1) & (self.high[1:] == self.high[:-1]).all(axis=1)
        return bool(again.any())

    @classmethod
    def of(cls, points: Array, triangles: npt.NDArray[np.integer]) -> "Boundary":
        """The boundary of welded triangles (M, 3) over points in lexicographic order."""
        return cls.between(points, *border(triangles))

    @classmethod
    def between(cls, points: Array, tail: npt.NDArray[np.integer], head: npt.NDArray[np.integer]) -> "Boundary":
        """The boundary of half-edges (E,) between such points."""
        low, high = np.minimum(tail, head), np.maximum(tail, head)
        return cls(points[low], points[high], np.where(tail < head, 1.0, -1.0))


class BoundarySums(NamedTuple):
    """The boundary sum b of the voxels of some bricks.

    Attributes:
        sum: (B,) float64, one value for a brick in which b cannot carry |w| across 0.5.
        row: (B,) int32, row of each other brick in the next two, else -1.
        voxel_sum: (S, 512) float64.
        to_cap: (S, 512) float32, distance to the cap of a hole, to first order, in voxels, clamped to REACH; REACH
            where nobody has asked for it.
    """

    sum: Array
    row: npt.NDArray[np.int32]
    voxel_sum: Array
    to_cap: npt.NDArray[np.float32]

    @classmethod
    def none(cls, count: int) -> "BoundarySums":
        """The sums of `count` bricks of a closed mesh."""
        row = np.full(count, -1, dtype=np.int32)
        return cls(np.zeros(count), row, np.empty((0, BRICK_VOXELS)), np.empty((0, BRICK_VOXELS), dtype=np.float32))

    @classmethod
    def joined(cls, parts: Sequence["BoundarySums"]) -> "BoundarySums":
        """The sums of the bricks of all parts, in order."""
        before = np.cumsum([0, *(len(part.voxel_sum) for part in parts)])
        rows = [np.where(part.row < 0, -1, part.row + first) for part, first in zip(parts, before, strict=False)]
        return cls(
            np.concatenate([part.sum for part in parts]),
            np.concatenate(rows).astype(np.int32),
            np.concatenate([part.voxel_sum for part in parts]),
            np.concatenate([part.to_cap for part in parts]),
        )

    def at(self, rows: npt.NDArray[np.integer]) -> "BoundarySums":
        """The sums of the bricks `rows` (N,)."""
        return BoundarySums(self.sum[rows], self.row[rows], self.voxel_sum, self.to_cap)

    def spread(self, rows: npt.NDArray[np.integer], count: int) -> "BoundarySums":
        """The sums of `count` bricks: these for the bricks `rows` (B,), and 0 for all others."""
        all_bricks = BoundarySums.none(count)
        all_bricks.sum[rows], all_bricks.row[rows] = self.sum, self.row
        return BoundarySums(all_bricks.sum, all_bricks.row, self.voxel_sum, self.to_cap)

    def by_voxel(self) -> Array:
        """(B, 512) float64: the sum of each voxel."""
        out = np.repeat(self.sum[:, None], BRICK_VOXELS, axis=1)
        own = self.row >= 0
        out[own] = self.voxel_sum[self.row[own]]
        return out


def boundary_winding(points: Array, boundary: Boundary) -> Array:
    """The boundary sum b (N,) at points (N, 3)."""
    whole = (boundary.edges, range(len(boundary)), 0, len(boundary))
    return _by_blocks(lambda p: ON_ARRAYS(winding.boundary_sum)(*whole, *p.T), points)


def change_bound(points: Array, boundary: Boundary, reach: float) -> Array:
    """(N,) see `formulas.winding.change_bound`, at points (N, 3)."""
    whole = (boundary.edges, range(len(boundary)), 0, len(boundary))
    return _by_blocks(lambda p: ON_ARRAYS(winding.change_bound)(*whole, *p.T, reach), points)


def _by_blocks(sums: Callable[[Array], Array], points: Array) -> Array:
    """(N,) results of `sums` for points (N, 3), block by block."""
    out = np.empty(len(points))
    for rows in slices(len(points), BLOCK):
        out[rows] = sums(points[rows])
    return out
