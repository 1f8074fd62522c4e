"""The second half of the sign of a stock: a sum over the edges of its open boundary.

With the signed crossings c(p) of the ray from p toward +z, the generalised winding number (Jacobson et al. 2013) is

    w(p) = c(p) + b(p),    b(p) = 1 / (4 pi) * sum over boundary edges (e1, e2) of Omega(e1 - p, e2 - p, -z)

(Martens, Trettner, Bessmeltsev 2026), with Omega the signed solid angle of three directions (van Oosterom and Strackee
1983). A point is inside where |w| > 0.5. A closed mesh has no boundary, and b is 0.

The fraction of b is smooth away from the boundary: only where it can reach 0.5 can a sheet of |w| = 0.5 close a hole.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from .bricks import BRICK_VOXELS, REACH
from .mesh import mix

Array = npt.NDArray[np.float64]

BLOCK = 1 << 14  # point-edge pairs at once: temporaries stay in the cache
SHIFT = 1e-150

# A point is inside where |w| is above this. A flat hole is closed by a flat sheet, and voxel centres can lie in it: as
# everywhere, a distance of 0 is inside, whatever the rounding of the sum.
INSIDE = 0.5 - 1e-9
PIECE = 8.0  # longest piece of an edge that the bound of the gradient looks at as one, in voxels


@dataclass(frozen=True)
class Boundary:
    """The open boundary of a mesh: directed edges of triangles, left over after opposite ones cancel.

    Attributes:
        low, high: (E, 3) float64 end points, in an order that depends on where they are alone.
        sign: (E,) float64, +1 where the edge runs from low to high, -1 where it runs back.
    """

    low: Array
    high: Array
    sign: Array

    def __len__(self) -> int:
        return len(self.sign)

    @cached_property
    def pieces(self) -> tuple[Array, Array]:
        """Middles (K, 3) and lengths (K,) of pieces of the edges, none longer than PIECE."""
        step = self.high - self.low
        pieces = np.maximum(np.ceil(np.linalg.norm(step, axis=1) / PIECE), 1).astype(int)
        owner = np.repeat(np.arange(len(pieces)), pieces)
        place = (np.arange(len(owner)) - (np.cumsum(pieces) - pieces)[owner] + 0.5) / pieces[owner]
        return self.low[owner] + place[:, None] * step[owner], np.linalg.norm(step, axis=1)[owner] / pieces[owner]

    @classmethod
    def of(cls, points: Array, triangles: npt.NDArray[np.integer]) -> "Boundary":
        """The boundary of welded triangles (M, 3) over points in lexicographic order."""
        if _is_closed(triangles):
            none = np.empty((0, 3))
            return cls(none, none, np.empty(0))
        low, high, count = directed_excess(triangles)
        left = np.flatnonzero(count)
        edge = np.repeat(left, np.abs(count[left]))
        return cls(points[low[edge]], points[high[edge]], np.sign(count[edge]).astype(np.float64))


@dataclass(frozen=True)
class BoundarySums:
    """The boundary sum b of the voxels of some bricks.

    Attributes:
        sum: (B,) float64, one for a whole brick, where it cannot carry |w| across 0.5.
        row: (B,) int32, for the other bricks the row of the next two, else -1.
        voxel_sum: (S, 512) float64.
        to_sheet: (S, 512) float32, distance to the sheet that closes a hole, to first order, in voxels, clamped to
            REACH.
    """

    sum: Array
    row: npt.NDArray[np.int32]
    voxel_sum: Array
    to_sheet: npt.NDArray[np.float32]

    @classmethod
    def none(cls, count: int) -> "BoundarySums":
        """Those of `count` bricks of a closed mesh."""
        row = np.full(count, -1, dtype=np.int32)
        return cls(np.zeros(count), row, np.empty((0, BRICK_VOXELS)), np.empty((0, BRICK_VOXELS), dtype=np.float32))

    def part(self, start: int, stop: int) -> "BoundarySums":
        """The bricks start to stop, as views."""
        return BoundarySums(self.sum[start:stop], self.row[start:stop], self.voxel_sum, self.to_sheet)

    def at(self, rows: npt.NDArray[np.integer]) -> "BoundarySums":
        """The bricks `rows` (N,)."""
        return BoundarySums(self.sum[rows], self.row[rows], self.voxel_sum, self.to_sheet)

    def spread(self, rows: npt.NDArray[np.integer], count: int) -> "BoundarySums":
        """Those of `count` bricks, of which these are the bricks `rows` (B,), and all others have none."""
        all_bricks = BoundarySums.none(count)
        all_bricks.sum[rows], all_bricks.row[rows] = self.sum, self.row
        return BoundarySums(all_bricks.sum, all_bricks.row, self.voxel_sum, self.to_sheet)

    def by_voxel(self) -> Array:
        """(B, 512) float64."""
        out = np.repeat(self.sum[:, None], BRICK_VOXELS, axis=1)
        own = self.row >= 0
        out[own] = self.voxel_sum[self.row[own]]
        return out

    def sheet_distance(self) -> npt.NDArray[np.float32]:
        """(B, 512) distance to the sheet."""
        out = np.full((len(self.row), BRICK_VOXELS), REACH, dtype=np.float32)
        own = self.row >= 0
        out[own] = self.to_sheet[self.row[own]]
        return out


def _is_closed(triangles: npt.NDArray[np.integer]) -> bool:
    """Whether every edge of triangles (M, 3) is run as often in one direction as in the other.

    Each directed edge adds a pseudo-random number of its ends, with the sign of its direction: see `mesh.mix`. Of
    2^64 open meshes, one may pass as closed.
    """
    corners = triangles.astype(np.uint64).T
    total = 0
    for i in range(3):
        here, there = corners[i], corners[(i + 1) % 3]
        number = mix(np.minimum(here, there) << np.uint64(32) | np.maximum(here, there))
        total += int(np.where(here < there, number, -number).sum(dtype=np.uint64))
    return total % 2**64 == 0


def directed_excess(
    triangles: npt.NDArray[np.integer],
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """For each edge (low index, high index): how many more triangles (M, 3) run it from low to high than back."""
    directed = np.concatenate([triangles[:, [0, 1]], triangles[:, [1, 2]], triangles[:, [2, 0]]]).astype(np.int64)
    low, high = directed.min(axis=1), directed.max(axis=1)
    stride = int(high.max(initial=0)) + 1
    key = low * stride + high
    order = np.argsort(key, kind="stable")
    key, step = key[order], np.where(directed[order, 0] < directed[order, 1], 1, -1)
    start = np.flatnonzero(np.diff(key, prepend=-1))
    low, high = np.divmod(key[start], stride)
    return low, high, np.add.reduceat(step, start)


def boundary_winding(points: Array, boundary: Boundary) -> Array:
    """The boundary sum b (N,) at points (N, 3).

    Where a point lies exactly below an edge, the solid angle jumps. The side is the one that the signed crossings take,
    by the same edge function and the same rule for ties.
    """
    step = boundary.high - boundary.low
    # A tie is broken by moving the point by (SHIFT, SHIFT^2), which is lost in the rounding of all but a zero.
    tie = np.where(step[:, 1] != 0, -step[:, 1] * SHIFT, step[:, 0] * SHIFT**2)
    out = np.zeros(len(points))
    for rows, p in _blocks(points, len(boundary)):
        ax, ay, az = _offsets(boundary.low, p)
        bx, by, bz = _offsets(boundary.high, p)
        side = step[:, 1] * ax - step[:, 0] * ay
        side = np.where(side == 0, tie, side)
        across = (ax - SHIFT) * (bx - SHIFT) + (ay - SHIFT**2) * (by - SHIFT**2)
        scale = (_length(ax, ay, az) - az) * (_length(bx, by, bz) - bz) + across
        # A matrix product would round differently for another number of points.
        out[rows] = (np.arctan2(-side, scale) * boundary.sign).sum(axis=1) / (2 * np.pi)
    return out


def winding_gradient(points: Array, boundary: Boundary) -> Array:
    """(N, 3) gradient of the winding number at points (N, 3).

    It is the field of a current along the boundary, in closed form for a straight edge (Hanson and Hirshman 2002).
    """
    out = np.zeros((len(points), 3))
    for rows, p in _blocks(points, len(boundary)):
        ax, ay, az = _offsets(boundary.low, p)
        bx, by, bz = _offsets(boundary.high, p)
        length_a, length_b = _length(ax, ay, az), _length(bx, by, bz)
        product = length_a * length_b
        scale = product * (product + ax * bx + ay * by + az * bz)
        weight = boundary.sign * (length_a + length_b) / np.maximum(scale, 1e-12) / (4 * np.pi)
        out[rows, 0] = ((ay * bz - az * by) * weight).sum(axis=1)
        out[rows, 1] = ((az * bx - ax * bz) * weight).sum(axis=1)
        out[rows, 2] = ((ax * by - ay * bx) * weight).sum(axis=1)
    return out


def gradient_bound(points: Array, boundary: Boundary, reach: float) -> Array:
    """(N,) upper bound of the length of the gradient within `reach` of points (N, 3).

    A piece of the boundary of length l adds at most l / (4 pi r^2) at a distance r.
    """
    middle, length = boundary.pieces
    out = np.zeros(len(points))
    for rows, p in _blocks(points, len(middle)):
        distance = np.maximum(_length(*_offsets(middle, p)) - (length / 2 + reach), 1e-6)
        out[rows] = (length / (distance * distance)).sum(axis=1) / (4 * np.pi)
    return out


def _blocks(points: Array, edges: int) -> Iterator[tuple[slice, Array]]:
    """Blocks of points: rows, and their coordinates (3, n, 1)."""
    step = max(1, BLOCK // max(1, edges))
    for start in range(0, len(points), step):
        rows = slice(start, min(start + step, len(points)))
        yield rows, points[rows].T[:, :, None]


def _offsets(to: Array, p: Array) -> tuple[Array, Array, Array]:
    return to[:, 0] - p[0], to[:, 1] - p[1], to[:, 2] - p[2]


def _length(x: Array, y: Array, z: Array) -> Array:
    length: Array = np.sqrt(x * x + y * y + z * z)
    return length
