"""The second half of the sign of a stock: a sum over the edges of its open boundary.

With the signed crossings c(p) of the ray from p toward +z, the generalised winding number (Jacobson et al. 2013) is

    w(p) = c(p) + b(p),    b(p) = 1 / (4 pi) * sum over boundary edges (e1, e2) of Omega(e1 - p, e2 - p, -z)

(Martens, Trettner, Bessmeltsev 2026), with Omega the signed solid angle of three directions (van Oosterom and Strackee
1983). A point is inside where |w| > 0.5. A closed mesh has no boundary, and b is 0.

The fraction of b is smooth away from the boundary: only where it can reach 0.5 can a sheet of |w| = 0.5 close a hole.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from .bricks import BRICK_VOXELS
from .mesh import mix
from .threads import map_blocks, slices

Array = npt.NDArray[np.float64]

BLOCK = 1 << 15  # point-edge pairs at once in one thread: temporaries stay in the cache
EDGES_PER_GROUP = 64
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
    def _welded(self) -> tuple[Array, npt.NDArray[np.int64]]:
        corners, index = np.unique(np.concatenate([self.low, self.high]), axis=0, return_inverse=True)
        return corners, index.reshape(2, -1)

    @property
    def corners(self) -> Array:
        """(V, 3) the points where edges end, each once."""
        return self._welded[0]

    @property
    def ends(self) -> npt.NDArray[np.int64]:
        """(2, E) which of `corners` the edges have at low and at high."""
        return self._welded[1]

    @cached_property
    def pieces(self) -> tuple[Array, Array]:
        """Middles (K, 3) and lengths (K,) of pieces of the edges, none longer than PIECE."""
        step = self.high - self.low
        pieces = np.maximum(np.ceil(np.linalg.norm(step, axis=1) / PIECE), 1).astype(int)
        owner = np.repeat(np.arange(len(pieces)), pieces)
        place = (np.arange(len(owner)) - (np.cumsum(pieces) - pieces)[owner] + 0.5) / pieces[owner]
        return self.low[owner] + place[:, None] * step[owner], np.linalg.norm(step, axis=1)[owner] / pieces[owner]

    def has_doubled_edges(self) -> bool:
        """Whether an edge is left over more than once: two faces along it that look different ways have that."""
        again = (self.low[1:] == self.low[:-1]).all(axis=1) & (self.high[1:] == self.high[:-1]).all(axis=1)
        return bool(again.any())

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

    @classmethod
    def joined(cls, parts: Sequence["BoundarySums"]) -> "BoundarySums":
        """The bricks of all parts, in their order."""
        before = np.cumsum([0, *(len(part.voxel_sum) for part in parts)])
        rows = [np.where(part.row < 0, -1, part.row + first) for part, first in zip(parts, before, strict=False)]
        return cls(
            np.concatenate([part.sum for part in parts]),
            np.concatenate(rows).astype(np.int32),
            np.concatenate([part.voxel_sum for part in parts]),
            np.concatenate([part.to_sheet for part in parts]),
        )

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
    tail = triangles.T.astype(np.int64).ravel()
    head = triangles.T[[1, 2, 0]].astype(np.int64).ravel()
    low, high = np.minimum(tail, head), np.maximum(tail, head)
    stride = int(high.max(initial=0)) + 1
    key = low * stride + high
    order = np.argsort(key)
    key, step = key[order], np.where(tail < head, 1, -1)[order]
    start = np.flatnonzero(np.diff(key, prepend=-1))
    low, high = np.divmod(key[start], stride)
    return low, high, np.add.reduceat(step, start)


def boundary_winding(points: Array, boundary: Boundary) -> Array:
    """The boundary sum b (N,) at points (N, 3).

    Where a point lies exactly below an edge, the solid angle jumps. The side is the one that the signed crossings take,
    by the same edge function and the same rule for ties.
    """
    # Seen from anywhere, an edge along z and the ray span no angle.
    leaning = np.flatnonzero((boundary.low[:, :2] != boundary.high[:, :2]).any(axis=1))
    if len(leaning) == 0:
        return np.zeros(len(points))
    groups = [_Edges.of(boundary, leaning[edges]) for edges in slices(len(leaning), EDGES_PER_GROUP)]

    def sums(p: Array) -> Array:
        parts = [_product(*edges.spans(p)) for edges in groups]
        x, y, turns = (np.stack(part) for part in zip(*parts, strict=True))
        x, y, more = _product(x, y)
        # Without a negative zero, whose angle would be the other one.
        return np.asarray(np.arctan2(y + 0.0, x) / (2 * np.pi) + (turns.sum(axis=0) + more))

    return _by_blocks(sums, points, EDGES_PER_GROUP)


@dataclass(frozen=True)
class _Edges:
    """Some edges of a boundary, made ready for the sum over them.

    Attributes:
        corners: (V, 3) where they end, each once.    low, high: (E,) which of these each edge has.
        dx, dy: (E, 1) how they run, from high to low where that is their direction in the boundary.
        tie: (E, 1) the edge function of a point exactly below.
    """

    corners: Array
    low: npt.NDArray[np.int64]
    high: npt.NDArray[np.int64]
    dx: Array
    dy: Array
    tie: Array

    @classmethod
    def of(cls, boundary: Boundary, which: npt.NDArray[np.int64]) -> "_Edges":
        """The edges `which` (E,), none of them along z."""
        low, high = boundary.ends[:, which]
        used, index = np.unique(np.concatenate([low, high]), return_inverse=True)
        step = (boundary.low - boundary.high)[which] * boundary.sign[which, None]
        dx, dy = step[:, :1], step[:, 1:2]
        # A tie is broken by moving the point by (SHIFT, SHIFT^2), which is lost in the rounding of all but a zero.
        tie = np.where(dy != 0, -dy * SHIFT, dx * SHIFT**2)
        low, high = index.reshape(2, -1)
        return cls(boundary.corners[used], low, high, dx, dy, tie)

    def spans(self, p: Array) -> tuple[Array, Array]:
        """Real and imaginary parts (E, N) of numbers whose angle is half the solid angle of each edge from p (3, N)."""
        x, y, z = _offsets(self.corners, p)
        height = _length(x, y, z) - z
        side = self.dy * x[self.low] - self.dx * y[self.low]
        ties = side == 0
        if ties.any():
            side = np.where(ties, self.tie, side)
        x, y = x - SHIFT, y - SHIFT**2
        across = x[self.low] * x[self.high] + y[self.low] * y[self.high]
        across += height[self.low] * height[self.high]
        return across, side


def _product(x: Array, y: Array) -> tuple[Array, Array, npt.NDArray[np.int64]]:
    """The product of the complex numbers (x, y), both (E, N), none of them 0: its real and imaginary part (N,), and the
    whole turns (N,) by which the sum of their angles, each from -pi to pi, exceeds the product's.

    They are multiplied pair by pair. Where the product of two passes the negative half axis, a turn is counted.
    """
    turns, level = np.zeros(x.shape[1], dtype=np.int64), 0
    while True:
        # Ties make factors so small that even two of them must not be multiplied as they are; later, many may be.
        if level % 3 == 0:
            size = np.abs(x) + np.abs(y)
            x, y = x / size, y / size
        if len(x) == 1:
            return x[0], y[0], turns
        half = len(x) // 2
        a, b, c, d = x[:half], y[:half], x[half : 2 * half], y[half : 2 * half]
        real, imaginary = np.empty((len(x) - half, x.shape[1])), np.empty((len(x) - half, x.shape[1]))
        real[half:], imaginary[half:] = x[2 * half :], y[2 * half :]
        np.subtract(a * c, b * d, out=real[:half])
        np.add(a * d, b * c, out=imaginary[:half])
        below_a, below_b, below = b < 0, d < 0, imaginary[:half] < 0
        forth, back = below & ~(below_a | below_b), below_a & below_b & ~below
        turns += (forth.view(np.int8) - back.view(np.int8)).sum(axis=0, dtype=np.int32)
        x, y, level = real, imaginary, level + 1


def winding_gradient(points: Array, boundary: Boundary) -> Array:
    """(N, 3) gradient of the winding number at points (N, 3).

    It is the field of a current along the boundary, in closed form for a straight edge (Hanson and Hirshman 2002).
    """
    low, high = boundary.ends
    sign = boundary.sign[:, None]

    def sums(p: Array) -> Array:
        x, y, z = _offsets(boundary.corners, p)
        length = _length(x, y, z)
        ax, ay, az, length_a = x[low], y[low], z[low], length[low]
        bx, by, bz, length_b = x[high], y[high], z[high], length[high]
        product = length_a * length_b
        scale = product * (product + ax * bx + ay * by + az * bz)
        weight = sign * (length_a + length_b) / np.maximum(scale, 1e-12) / (4 * np.pi)
        return np.stack(
            [
                ((ay * bz - az * by) * weight).sum(axis=0),
                ((az * bx - ax * bz) * weight).sum(axis=0),
                ((ax * by - ay * bx) * weight).sum(axis=0),
            ],
            axis=1,
        )

    if len(boundary) == 0:
        return np.zeros((len(points), 3))
    return _by_blocks(sums, points, len(boundary))


def gradient_bound(points: Array, boundary: Boundary, reach: float) -> Array:
    """(N,) upper bound of the length of the gradient within `reach` of points (N, 3).

    A piece of the boundary of length l adds at most l / (4 pi r^2) at a distance r.
    """
    middle, length = boundary.pieces
    off, weight = (length / 2 + reach)[:, None], length[:, None]

    def sums(p: Array) -> Array:
        distance = np.maximum(_length(*_offsets(middle, p)) - off, 1e-6)
        total: Array = (weight / (distance * distance)).sum(axis=0) / (4 * np.pi)
        return total

    return _by_blocks(sums, points, len(middle))


def _by_blocks(sums: Callable[[Array], Array], points: Array, edges: int) -> Array:
    """(N, ...) what `sums` gives for blocks of points (3, n), in as many threads as there are cores.

    A block of one point is made one of two: numpy adds up a single column in another order.
    """
    step = max(2, BLOCK // max(1, edges))

    def block_sums(rows: slice) -> Array:
        p = points[rows].T
        return sums(p) if p.shape[1] > 1 else sums(np.repeat(p, 2, axis=1))[:1]

    parts = list(map_blocks(block_sums, slices(len(points), step)))
    return np.concatenate(parts) if parts else sums(np.zeros((3, 2)))[:0]


def _offsets(to: Array, p: Array) -> tuple[Array, Array, Array]:
    """(E, N) from points p (3, N) to points (E, 3), along each axis."""
    return to[:, 0, None] - p[0], to[:, 1, None] - p[1], to[:, 2, None] - p[2]


def _length(x: Array, y: Array, z: Array) -> Array:
    length: Array = np.sqrt(x * x + y * y + z * z)
    return length
