"""The distance of points from a sweep, and its derivatives by the points and by the sweep."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ..arrays import EqualByValue
from ..engines.numba.compiler.loading import load_kernels
from ..engines.registry import get_dense_backend
from ..exact.nearest import SegmentSearching, nearest
from ..field.protocol import DenseBackend
from ..formulas import end_balls
from ..formulas.binding import ON_ARRAYS
from ..model.grid import Grid, as_floats, as_points
from ..model.mesh import LARGEST_COORDINATE
from ..model.sweep import PathsLike
from ..primitives.segments import Segments
from ..runtime.errors import InputError
from ..runtime.progress import Progress, remaining_progress, reporting_to
from .sweep_points import Array, Indices, SweepGradient, SweepPoints

_FRACTION, _BY_ENDS = ON_ARRAYS(end_balls.fraction), ON_ARRAYS(end_balls.by_ends)


@dataclass(frozen=True, eq=False)
class SweepDistance(EqualByValue):
    """Signed distances of N points from a sweep, and their derivatives.

    A distance is that of the ball with the nearest surface. Where several segments are equally near, or a point lies on
    the axis of its segment, there is no derivative. The former then have that of one of them, the latter a `d_query` of
    0.

    Attributes:
        distance: (N,) float64 in the unit of the points, negative inside.
        segment: (N,) int64, the nearest segment. Segments are counted along the paths, straight runs point by point.
        fraction: (N,) float64, where its nearest ball lies: from 0 at its start to 1 at its end.
        d_query: (N, 3) float64, by the points: the gradient, of length 1.
        ends: (N, 2) int64, the points of the sweep that are start and end of the segment: see `SweepPoints`.
        count: the number of points of the sweep.
    """

    distance: Array
    segment: Indices
    fraction: Array
    d_query: Array
    ends: Indices
    count: int

    @property
    def d_start(self) -> Array:
        """(N, 3) derivatives by the start of the nearest segment."""
        return np.stack(self._by_ends()[:3], axis=1)

    @property
    def d_end(self) -> Array:
        """(N, 3) derivatives by the end of the nearest segment."""
        return np.stack(self._by_ends()[4:7], axis=1)

    @property
    def d_start_radius(self) -> Array:
        """(N,) derivatives by the radius at the start of the nearest segment."""
        return self._by_ends()[3]

    @property
    def d_end_radius(self) -> Array:
        """(N,) derivatives by the radius at the end of the nearest segment."""
        return self._by_ends()[7]

    def _by_ends(self) -> tuple[Array, ...]:
        derivatives: tuple[Array, ...] = _BY_ENDS(self.fraction, *self.d_query.T)
        return derivatives

    def vector_jacobian_product(self, weights: npt.ArrayLike) -> SweepGradient:
        """The derivatives of the sum of weights (N,) times the distances, by all K points and radii of the sweep.

        Raises:
            InputError: not one weight for each distance.
        """
        weights = as_floats(weights, "weights")
        if weights.shape != self.distance.shape:
            raise InputError(
                "weights of shape {shape} for distances of shape {distances}: give one for each",
                shape=weights.shape,
                distances=self.distance.shape,
            )
        derivatives, (start, end) = self._by_ends(), self.ends.T
        x, y, z, radius = (
            self._summed(start, weights * by_start) + self._summed(end, weights * by_end)
            for by_start, by_end in zip(derivatives[:4], derivatives[4:], strict=True)
        )
        return SweepGradient(np.stack([x, y, z], axis=1), radius)

    def _summed(self, which: Indices, values: Array) -> Array:
        """(K,) the sums of values (N,) by the points of the sweep that they belong to, `which` (N,)."""
        return np.asarray(np.bincount(which, values, self.count), dtype=np.float64)


def sweep_distance(
    points: npt.ArrayLike,
    paths: PathsLike,
    progress: Progress | None = None,
    *,
    backend: str | DenseBackend = "cpu",
) -> SweepDistance:
    """The signed distances of points from the sweep of paths, with their derivatives in closed form.

    Args:
        points: (N, 3) float64, in any unit of length.
        paths: see `Sweep.of`.
        progress: called often; raise CarveCancelled in it to stop.
        backend: a name for `get_dense_backend`, or a backend. "cuda" compares all points with all segments, on a card;
            others search a tree on the CPU. Both find the same.

    Raises:
        InputError: wrong shape, coordinates that are not finite or are beyond 1e12, or as `Sweep.of`.
        BackendError: the backend does not work; numba is missing, or its kernels cannot be compiled.
    """
    used = get_dense_backend(backend)
    places, moved = as_points(points, "the points"), SweepPoints.of(paths)
    bad = int((~(np.abs(places) <= LARGEST_COORDINATE)).any(axis=1).sum())
    if bad:
        raise InputError(
            "{bad} of {count} points have coordinates that are not numbers or are too large",
            bad=bad,
            count=len(places),
        )
    with reporting_to(progress):
        searching = used if isinstance(used, SegmentSearching) else None
        if searching is None:
            load_kernels("exact")
        with remaining_progress(stage="Distance"):
            return distances(places, moved, searching)


def distances(points: Array, moved: SweepPoints, searching: SegmentSearching | None = None) -> SweepDistance:
    """As `sweep_distance`, of points (N, 3) that were checked. Without a backend, the kernels must be loaded."""
    sweep = moved.sweep()
    grid = Grid(sweep.bounds().mean(axis=0), 1.0, (1, 1, 1))
    segments, places = Segments.on_grid(sweep, grid), grid.to_voxels(points)
    distance, row = searching.nearest_segments(places, segments) if searching else nearest(places, segments)
    which = segments.order[row].astype(np.int64)
    is_forward = (segments.start[row] == grid.to_voxels(sweep.start)[which]).all(axis=1)
    radii = sweep.start_radius[which], sweep.end_radius[which]
    fraction = _FRACTION(segments.places(row, places), segments.length[row], is_forward, *radii)
    return SweepDistance(distance, which, fraction, segments.normals(row, places), moved.ends[which], len(moved.points))
