"""Round cones in voxel units: the segments of a sweep made ready for a grid."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from .formulas import round_cone
from .formulas.reading import ON_ARRAYS
from .grid import Grid
from .sweep import Sweep

Array = npt.NDArray[np.float64]

# Of a ball, in voxels, from which distances are computed in float32; see `SegmentPairs`.
LARGEST_RADIUS = 2.0**14

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
    to `length`. Where one end ball holds the other, only that ball is left, with length 0.

    Attributes:
        start: (K, 3) float64.        axis: (K, 3) float64, of length 1, or 0 for a ball.
        length, radius: (K,) float64, in voxels.
        slope: (K,) float64, sine of half the cone's angle.    tangent: (K,) float64, its tangent.
        order: (K,) int32, which segment of the sweep each is.

    They are sorted by where they lie, so that of several at the same distance the first is always the same body,
    whatever the order of the paths.
    """

    start: Array
    axis: Array
    length: Array
    radius: Array
    slope: Array
    tangent: Array
    order: npt.NDArray[np.int32]

    def __len__(self) -> int:
        return len(self.start)

    @classmethod
    def on_grid(cls, sweep: Sweep, grid: Grid) -> "Segments":
        """The same bodies in voxel units. A segment and its reverse give the same numbers."""
        a, b = grid.to_voxels(sweep.start), grid.to_voxels(sweep.end)
        ra, rb = sweep.start_radius / grid.voxel_size, sweep.end_radius / grid.voxel_size
        flip = _lexicographically_greater(np.column_stack([a, ra]), np.column_stack([b, rb]))
        a, b = np.where(flip[:, None], b, a), np.where(flip[:, None], a, b)
        ra, rb = np.where(flip, rb, ra), np.where(flip, ra, rb)
        order = lexicographic_order(np.column_stack([a, b, ra, rb]))
        a, b, ra, rb = a[order], b[order], ra[order], rb[order]

        length = np.linalg.norm(b - a, axis=1)
        ball = length <= np.abs(ra - rb)
        a = np.where((ball & (rb > ra))[:, None], b, a)
        radius = np.where(ball, np.maximum(ra, rb), ra)
        safe = np.where(ball, 1.0, length)
        axis = np.where(ball[:, None], 0.0, (b - np.where(ball[:, None], b, a)) / safe[:, None])
        slope = np.where(ball, 0.0, (ra - rb) / safe)
        tangent = slope / np.sqrt((1.0 - slope) * (1.0 + slope))
        return cls(a, axis, np.where(ball, 0.0, length), radius, slope, tangent, order.astype(np.int32))

    def bounds(self) -> tuple[Array, Array]:
        """(K, 3) least and greatest coordinates of each body, in voxels."""
        each = np.arange(len(self))
        low, high = ([of(self.rows, each, axis) for axis in range(3)] for of in (_LOWEST, _HIGHEST))
        return np.stack(low, axis=1), np.stack(high, axis=1)

    @cached_property
    def columns(self) -> Array:
        """(10, K): start and axis (x, y, z), length, radius, slope, tangent."""
        return np.vstack([self.start.T, self.axis.T, self.length, self.radius, self.slope, self.tangent])

    @cached_property
    def rows(self) -> Array:
        """(K, 10): the same, as rows."""
        return np.ascontiguousarray(self.columns.T)

    def distance(self, which: npt.NDArray[np.integer], points: Array) -> Array:
        """(N,) signed distance in voxels of points (N, 3) to segments `which` (N,), in float64."""
        return np.asarray(_DISTANCE(self.rows, which, *np.ascontiguousarray(points.T)))

    def normals(self, which: npt.NDArray[np.integer], points: Array) -> Array:
        """(N, 3) unit vectors along which distances of points (N, 3) to segments `which` (N,) grow; 0 on an axis."""
        return np.stack(_VALUE(self.rows, which, *np.ascontiguousarray(points.T))[1:], axis=1)

    def feet(self, which: npt.NDArray[np.integer], points: Array) -> Array:
        """(N, 3) points on the axes of segments `which` (N,), in the middle of the balls nearest to points (N, 3)."""
        return points - np.stack(_NEAREST_BALL(self.rows, which, *np.ascontiguousarray(points.T))[1:], axis=1)


def nearest_ball(columns: Array, points: Array) -> tuple[Array, Array]:
    """Of each pair (segment, point), with `Segments.columns` (10, N) and points (3, N): `round_cone.nearest_ball`."""
    place, *toward = _NEAREST_BALL(columns.T, slice(None), *points)
    return place, np.stack(toward)


def vector_length(vectors: Array) -> Array:
    """(N,) lengths of vectors (3, N)."""
    length: Array = np.sqrt(vectors[0] * vectors[0] + vectors[1] * vectors[1] + vectors[2] * vectors[2])
    return length


def lexicographic_order(rows: Array) -> npt.NDArray[np.int64]:
    """Order of rows (N, D): sorted by the first column, and by all only where two have the same there."""
    order = np.argsort(rows[:, 0], kind="stable")
    first = rows[order, 0]
    same = np.concatenate([[False], first[1:] == first[:-1], [False]])
    tied = np.flatnonzero(same[1:] | same[:-1])
    order[tied] = order[tied][np.lexsort(rows[order[tied]].T[::-1])]
    return order


def _lexicographically_greater(a: Array, b: Array) -> npt.NDArray[np.bool_]:
    """(N,): whether row a[i] comes after row b[i]."""
    differs = a != b
    first = differs.argmax(axis=1)
    rows = np.arange(len(a))
    return differs.any(axis=1) & (a[rows, first] > b[rows, first])


@dataclass(frozen=True)
class SegmentPairs:
    """Numbers of each pair (brick, segment) from which distances are computed in float32.

    The body is anchored at its ball nearest to the brick's centre, found in float64: that keeps every float32 number
    about as small as the radius, wherever the brick lies along a long segment. A ball larger than LARGEST_RADIUS is
    replaced by one of that radius which touches it in the point nearest to the brick's centre: float32 costs a
    thousandth of a voxel then, and the other curvature another one in the brick's farthest corner.

    Attributes, all float32:
        toward: (P, 3) from the anchor to the brick's centre.    axis: (P, 3).
        low, high: (P,) least and greatest s, counted from the anchor.
        radius: (P,) at the anchor.    slope, tangent: (P,).
    """

    toward: npt.NDArray[np.float32]
    axis: npt.NDArray[np.float32]
    low: npt.NDArray[np.float32]
    high: npt.NDArray[np.float32]
    radius: npt.NDArray[np.float32]
    slope: npt.NDArray[np.float32]
    tangent: npt.NDArray[np.float32]

    @classmethod
    def at(cls, segments: Segments, which: npt.NDArray[np.integer], centres: Array) -> "SegmentPairs":
        """Anchor segments `which` (P,) at the brick centres (P, 3), in voxels."""
        columns = anchored(segments, which, centres.T)
        return cls(columns[:3].T, columns[3:6].T, *columns[6:])


def anchored(segments: Segments, which: npt.NDArray[np.integer], centres: Array) -> npt.NDArray[np.float32]:
    """(11, P) the columns of `SegmentPairs`, for segments `which` (P,) at brick centres (3, P), in voxels."""
    columns = segments.columns.take(which, axis=1)
    s, toward = nearest_ball(columns, centres)
    length, radius, slope, tangent = columns[6:]
    radius = radius - s * slope
    if (radius > LARGEST_RADIUS).any():
        nearer = np.maximum(radius - LARGEST_RADIUS, 0.0)
        to_centre = vector_length(toward)
        toward = toward * (1.0 - np.minimum(nearer / np.maximum(to_centre, 1.0), 1.0))
        radius = radius - nearer
    out = np.empty((11, len(which)), dtype=np.float32)
    out[:3], out[3:6] = toward, columns[3:6]
    out[6], out[7], out[8], out[9], out[10] = -s, length - s, radius, slope, tangent
    return out
