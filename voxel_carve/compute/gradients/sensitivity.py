"""How the volume that a carve removes changes with the points and radii of its paths.

A surface that moves outward by v(x) adds the integral of v over its area to the volume in it (Hadamard 1908). Where the
result's surface is that of the sweep, v follows from the derivatives of the sweep's distance. The stock's surface stays
where it is, and so the border between them has no term of its own: there, the areas change, not the speeds.
"""

import numpy as np
import numpy.typing as npt

from ..engines.numba.compiler.loading import load_kernels
from ..formulas import end_balls
from ..formulas.binding import ON_ARRAYS
from ..job.result import CarveResult
from ..model.mesh import Source, Surface
from ..model.sweep import PathsLike, Sweep, paths_of
from ..runtime.errors import InputError
from ..runtime.progress import Progress, progress_range, remaining_progress, reporting_to, with_progress
from ..runtime.threads import slices
from .distance import SweepDistance, distances
from .sweep_points import Array, SweepGradient, SweepPoints

_AREA_RATIO = ON_ARRAYS(end_balls.area_ratio)

# Barycentric coordinates and weights of six points, exact for polynomials of degree 4 on a triangle (Strang, Fix 1973).
_SIDES, _WEIGHTS = (0.445948490915965, 0.091576213509771), (0.223381589678011, 0.109951743655322)
CORNER_WEIGHTS = np.array([np.roll([1 - 2 * side, side, side], turn) for side in _SIDES for turn in range(3)])
POINT_WEIGHTS = np.repeat(_WEIGHTS, 3)

TRIANGLES_PER_BLOCK = 1 << 16


def sensitivity(result: CarveResult | Surface, paths: PathsLike, progress: Progress | None = None) -> SweepGradient:
    """How the removed volume, stock minus result, changes with each point and radius of the paths.

    It is an integral over the faces that segments made, carried over to the true surface beside them. It holds for
    every operation, one or one for each path; what is added counts as negative. It holds for a remeshed result and for
    a kept stock. Merged faces cost accuracy: a tolerance of a tenth of a voxel half a percent, of half a voxel several.
    What only begins to be removed, as where a path touches the stock, has no faces yet, and does not count.

    Args:
        result: of `carve` or `keep_stock`.
        paths: those of the job.
        progress: called often; raise CarveCancelled in it to stop.

    Returns:
        Derivatives in volume per length, by all points of the paths in their order. A `Sweep` has its starts, and then
        its ends.

    Raises:
        InputError: not a result, one with faces of segments that these paths have not, or as `Sweep.of`.
        BackendError: numba is missing, or its kernels cannot be compiled.
    """
    surface = result.surface if isinstance(result, CarveResult) else result
    if not isinstance(surface, Surface):
        raise InputError(
            "a {kind} does not say which segment made each face: give a result of carve, or its surface",
            kind=type(result).__name__,
        )
    given = paths if isinstance(paths, Sweep) else paths_of(paths)
    moved, sweep = SweepPoints.of(given), Sweep.of(given)
    cut = surface.source == Source.PATH
    last = int(surface.primitive[cut].max(initial=-1))
    if last >= len(sweep):
        raise InputError(
            "the result has faces of segment {last}, which the paths do not have: give those of this result",
            last=last,
        )
    face = surface.face_of_triangle()
    chosen = np.flatnonzero(cut[face])
    triangles, segment = surface.triangles()[chosen], surface.primitive[face[chosen]]
    path = np.where(segment >= 0, sweep.path[segment], -1)
    total = SweepGradient(np.zeros_like(moved.points), np.zeros_like(moved.radii))
    with reporting_to(progress):
        load_kernels("exact")
        with remaining_progress(stage="Sensitivity"):
            for rows in with_progress(slices(len(triangles), TRIANGLES_PER_BLOCK)):
                total += _integral(surface.points[triangles[rows]], path[rows], moved)
            with progress_range(1.0, 1.0):
                return total


def _integral(corners: Array, path: npt.NDArray[np.int32], moved: SweepPoints) -> SweepGradient:
    """As `sensitivity`, over triangles with corners (T, 3, 3) that paths (T,) made; -1 is unknown."""
    across = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]) / 2
    points = (CORNER_WEIGHTS @ corners).reshape(-1, 3)
    areas = (POINT_WEIGHTS[:, None] * across[:, None]).reshape(-1, 3)
    path = np.repeat(path, len(POINT_WEIGHTS))
    found = distances(points, moved)
    # A face of one step may lie in the sweep of an earlier one, such as a groove in a bead.
    other = (path >= 0) & (moved.path[found.segment] != path)
    total = found.vector_jacobian_product(np.where(other, 0.0, _speeds(found, areas, moved)))
    for number in np.unique(path[other]):
        rows = np.flatnonzero(other & (path == number))
        own = distances(points[rows], moved.part(number))
        total += own.vector_jacobian_product(_speeds(own, areas[rows], moved))
    return total


def _speeds(found: SweepDistance, areas: Array, moved: SweepPoints) -> Array:
    """(N,) the removed volume per length by which the distance changes, at points with vector areas (N, 3)."""
    start, end = moved.radii[found.ends].T
    radius = start + found.fraction * (end - start)
    ratio = _AREA_RATIO(found.fraction, radius, found.distance + radius)
    return np.asarray((areas * found.d_query).sum(axis=1) * ratio)
