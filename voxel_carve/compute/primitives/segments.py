"""The segments of a sweep as round cones, in voxel units of a grid."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from ..formulas import round_cone
from ..formulas.binding import ON_ARRAYS
from ..model.grid import Grid
from ..model.sweep import Sweep
from ..runtime.threads import slices
from .box_tree import BoxTree

Array = npt.NDArray[np.float64]

ROWS_AT_ONCE = 1 << 14
START, AXIS, LENGTH, RADIUS, SLOPE, TANGENT = slice(0, 3), slice(3, 6), 6, 7, 8, 9  # of a row: see `round_cone`

_DISTANCE, _VALUE, _NEAREST_BALL, _LOWEST, _HIGHEST = (
    ON_ARRAYS(formula)
    for formula in (
        round_cone.distance,
        round_cone.value,
        round_cone.nearest_ball,
        round_cone.lowest,
        round_cone.highest,
    )
)


@dataclass(frozen=True)
class Segments:
    """The segments of a sweep, in voxel units from the origin of a grid.

    A round cone is the union of the balls with centre `start + s * axis` and radius `radius - s * slope`, for s from 0
    to `length`. If one end ball contains the other, only that ball remains, with length 0.

    They are sorted by position. Of several at the same distance, the first is then always the same, whatever the order
    of the paths.

    Attributes:
        rows: (K, 10) float64, see `round_cone`: start (x, y, z) and axis, of length 1, or 0 for a ball; length and
            radius, in voxels; slope, the sine of half the cone's angle; tangent, the tangent of that.
        order: (K,) int32, index in the sweep.
    """

    rows: Array
    order: npt.NDArray[np.int32]

    def __len__(self) -> int:
        return len(self.rows)

    @classmethod
    def on_grid(cls, sweep: Sweep, grid: Grid) -> "Segments":
        """The segments of a sweep in voxel units. A segment and its reverse give the same numbers."""
        a, b = grid.to_voxels(sweep.start), grid.to_voxels(sweep.end)
        ra, rb = sweep.start_radius / grid.voxel_size, sweep.end_radius / grid.voxel_size
        flip = _lexicographically_greater((*a.T, ra), (*b.T, rb))
        a, b = np.where(flip[:, None], b, a), np.where(flip[:, None], a, b)
        ra, rb = np.where(flip, rb, ra), np.where(flip, ra, rb)
        order = lexicographic_order((*a.T, *b.T, ra, rb))
        a, b, ra, rb = a[order], b[order], ra[order], rb[order]

        length = np.linalg.norm(b - a, axis=1)
        ball = length <= np.abs(ra - rb)
        a = np.where((ball & (rb > ra))[:, None], b, a)
        safe = np.where(ball, 1.0, length)
        rows = np.empty((len(a), round_cone.ROW))
        rows[:, START] = a
        rows[:, AXIS] = np.where(ball[:, None], 0.0, (b - a) / safe[:, None])
        rows[:, LENGTH] = np.where(ball, 0.0, length)
        rows[:, RADIUS] = np.where(ball, np.maximum(ra, rb), ra)
        slope = np.where(ball, 0.0, (ra - rb) / safe)
        rows[:, SLOPE] = slope
        rows[:, TANGENT] = slope / np.sqrt((1.0 - slope) * (1.0 + slope))
        return cls(rows, order.astype(np.int32))

    @classmethod
    def lines(cls, start: Array, end: Array) -> "Segments":
        """Lines from (K, 3) to (K, 3), as segments of radius 0, in this order."""
        rows, length = np.zeros((len(start), round_cone.ROW)), np.linalg.norm(end - start, axis=1)
        rows[:, START] = start
        rows[:, AXIS] = (end - start) / np.where(length > 0, length, 1.0)[:, None]
        rows[:, LENGTH] = length
        return cls(rows, np.arange(len(rows), dtype=np.int32))

    @classmethod
    def joined(cls, parts: Sequence["Segments"]) -> "Segments":
        """Those of several parts, at least one, one part after the other."""
        return cls(np.concatenate([part.rows for part in parts]), np.concatenate([part.order for part in parts]))

    def at(self, which: slice | npt.NDArray[np.integer]) -> "Segments":
        """Some of them."""
        return Segments(self.rows[which], self.order[which])

    def without_repeats(self) -> "Segments":
        """The first of those that are equal, as of a path that goes there and back. They are sorted: see `on_grid`."""
        repeats = np.flatnonzero((self.rows[1:] == self.rows[:-1]).all(axis=1)) + 1
        return self.at(np.delete(np.arange(len(self)), repeats)) if len(repeats) else self

    def shifted(self, offset: Array) -> "Segments":
        """The same, moved by an offset (3,)."""
        rows = self.rows.copy()
        rows[:, START] += offset
        return Segments(rows, self.order)

    def scaled(self, factor: float) -> "Segments":
        """The same in other voxels, `factor` times as large in numbers."""
        rows = self.rows.copy()
        rows[:, START] *= factor
        rows[:, [LENGTH, RADIUS]] *= factor
        return Segments(rows, self.order)

    @property
    def start(self) -> Array:
        """(K, 3) the centre of each first ball."""
        return self.rows[:, START]

    @property
    def axis(self) -> Array:
        """(K, 3)."""
        return self.rows[:, AXIS]

    @property
    def length(self) -> Array:
        """(K,)."""
        return self.rows[:, LENGTH]

    @property
    def radius(self) -> Array:
        """(K,) that of each first ball."""
        return self.rows[:, RADIUS]

    @property
    def slope(self) -> Array:
        """(K,)."""
        return self.rows[:, SLOPE]

    def bounds(self) -> tuple[Array, Array]:
        """(K, 3) least and greatest coordinates of each segment, in voxels."""
        low, high = np.empty((2, len(self), 3))
        # A part at a time stays in the cache.
        for part in slices(len(self), ROWS_AT_ONCE):
            for axis in range(3):
                low[part, axis] = _LOWEST(self.rows, part, axis)
                high[part, axis] = _HIGHEST(self.rows, part, axis)
        return low, high

    @cached_property
    def tree(self) -> BoxTree:
        """The tree of the segments."""
        return BoxTree.of(*self.bounds())

    def distance(self, which: npt.NDArray[np.integer], points: Array) -> Array:
        """(N,) signed distance in voxels of points (N, 3) to segments `which` (N,), in float64."""
        return np.asarray(_DISTANCE(self.rows, which, *np.ascontiguousarray(points.T)))

    def normals(self, which: npt.NDArray[np.integer], points: Array) -> Array:
        """(N, 3) gradients of the distance of points (N, 3) to segments `which` (N,); 0 on an axis."""
        return np.stack(_VALUE(self.rows, which, *np.ascontiguousarray(points.T))[1:], axis=1)

    def places(self, which: npt.NDArray[np.integer], points: Array) -> Array:
        """(N,) places along the axes of segments `which` (N,) of the balls that are nearest to points (N, 3)."""
        return np.asarray(_NEAREST_BALL(self.rows, which, *np.ascontiguousarray(points.T))[0])

    def feet(self, which: npt.NDArray[np.integer], points: Array) -> Array:
        """(N, 3) centres of the balls of segments `which` (N,) that are nearest to points (N, 3)."""
        return points - np.stack(_NEAREST_BALL(self.rows, which, *np.ascontiguousarray(points.T))[1:], axis=1)


def lexicographic_order(columns: Sequence[Array]) -> npt.NDArray[np.int64]:
    """Lexicographic order of rows, given as columns (N,), the first one first. Equal rows stay in their order."""
    order = np.argsort(columns[0], kind="stable")
    first = columns[0][order]
    equals_last = np.concatenate([[False], first[1:] == first[:-1], [False]])
    for column in columns[1:]:
        tied = np.flatnonzero(equals_last[1:] | equals_last[:-1])
        if not len(tied):
            break
        # Complex numbers are sorted by their real parts, then by their imaginary ones.
        keys = np.empty(len(tied), dtype=np.complex128)
        keys.real, keys.imag = np.cumsum(~equals_last[tied]), column[order[tied]]
        again = np.argsort(keys, kind="stable")
        order[tied], values = order[tied][again], keys.imag[again]
        equals_last[tied[1:]] &= values[1:] == values[:-1]
    return order


def _lexicographically_greater(a: Sequence[Array], b: Sequence[Array]) -> npt.NDArray[np.bool_]:
    """(N,): whether row i of columns a comes after that of columns b, (N,) each."""
    greater, equal = np.zeros(len(a[0]), dtype=np.bool_), np.ones(len(a[0]), dtype=np.bool_)
    for one, other in zip(a, b, strict=True):
        greater |= equal & (one > other)
        equal &= one == other
    return greater
