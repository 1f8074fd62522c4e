"""Paths moved and widened until their sweep fills a groove.

Each sample of the target's surface that faces the sweep pulls it to itself. How much it counts falls off beyond a
distance, the scale, by the function of Geman and McClure (1987). The scale begins with the reach and shrinks, round by
round, until it nears what distances are left: first the groove is found, then what is not its wall no longer counts.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from itertools import count
from typing import Any

import numpy as np
import scipy

from ..arrays import Layers
from ..engines.numba.compiler.loading import load_kernels
from ..field.occupancies import check_fits
from ..level_set.sparse_field import SparseField
from ..model.grid import Grid, as_length
from ..model.mesh import MeshLike, TriMesh
from ..model.sweep import Path, PathLike, paths_of
from ..runtime.errors import InputError
from ..runtime.progress import (
    Progress,
    progress_range,
    remaining_progress,
    report_progress,
    reporting_to,
    with_progress,
)
from ..runtime.sentences import Length, Sentence
from .distance import SweepDistance, distances
from .samples import Samples, Voxels, samples_near
from .sweep_points import Array, Indices, SweepPoints

ROUNDS, SHRINKING = 6, 0.3  # the scale of a round, by that of the one before
# No more rounds once the scale is this many times the median distance, and a round left more than this part of it.
NOISE, SETTLED = 30.0, 0.7
# Cosine of the angle between wall and sweep at which a sample begins to count, in the first round and in the last.
LEAST_FACING, MOST_FACING = 0.2, 0.7
# How much the squares of second differences cost, by those of the first. This keeps points in order that nothing holds.
SMOOTHNESS = 0.1
LEAST_ITERATIONS = 50  # in a round, or as many as points
TINY = 1e-300
LEAST_RADIUS = 0.01  # of the mean one
SAMPLES_PER_RADIUS = 3.0

NOTHING_FACES = Sentence(
    "no surface within {reach} of the path faces it: move the path into the groove, or allow a longer reach"
)


@dataclass(frozen=True)
class Fit:
    """Fitted paths, and how well they fit.

    Attributes:
        paths: those that were given, moved and widened, each with as many points as before.
        root_mean_square, largest: of the distances between their sweep and the samples that counted at last, in the
            unit of the points.
        samples: how many counted.
    """

    paths: list[Path]
    root_mean_square: float
    largest: float
    samples: int


def fit(
    paths: PathLike | Iterable[PathLike],
    target: MeshLike | SparseField | Any,
    *,
    grid: Grid | None = None,
    reach: float | None = None,
    progress: Progress | None = None,
) -> Fit:
    """Move and widen paths until their sweep fills a groove: what it removes is then what is missing from the target.

    The walls of the groove are found by their side: they face the path. What lies open, or outside the stock, is not
    determined by the target, and continues smoothly.

    Args:
        paths: a guess: a path or several, as for `carve`, in as many points as the result is to have.
        target: a mesh with the groove, as for `TriMesh.of`; a sparse field, whose zero level is its surface; or, with a
            grid, an occupancy of any kind. That knows its surface to half a voxel only: the fit is then off by a
            quarter of one.
        grid: of the occupancy.
        reach: how far the groove's walls may be from the surface of the guess, in the unit of the points; None is the
            largest radius.
        progress: called often; raise CarveCancelled in it to stop.

    Raises:
        InputError: no surface in reach faces the guess, paths or a target of another type (the segments of a `Sweep`
            would come apart), an occupancy that does not fit the grid, a reach that is not a length, or as `Path` and
            `TriMesh`.
        BackendError: numba is missing, or its kernels cannot be compiled.
    """
    each = paths_of(paths)
    guess = SweepPoints.of_paths(each)
    reach = float(guess.radii.max()) if reach is None else as_length(reach, Sentence("reach"))
    surface = _target(target, grid)
    with reporting_to(progress):
        load_kernels("exact")
        with remaining_progress(stage="Fit"):
            with progress_range(0.0, 0.1):
                samples = samples_near(surface, guess, reach, float(guess.radii.mean()) / SAMPLES_PER_RADIUS)
            with progress_range(0.1, 1.0):
                moved, off = _fitted(guess, samples, reach)
            with progress_range(1.0, 1.0):
                return Fit(_as_paths(each, moved), float(np.sqrt((off**2).mean())), float(off.max()), len(off))


def _target(target: MeshLike | SparseField | Any, grid: Grid | None) -> TriMesh | SparseField | Voxels:
    """What `fit` was given, checked."""
    if grid is not None:
        layers = Layers.of(target)
        check_fits(layers.shape, grid)
        return Voxels(layers, grid)
    return target if isinstance(target, SparseField) else TriMesh.of(target, "target")


def _fitted(guess: SweepPoints, samples: Samples, reach: float) -> tuple[SweepPoints, Array]:
    """The guess after all rounds, and the distances of the samples that counted at last."""
    moved, found, median = guess, _distances(samples, guess), np.inf
    for number in with_progress(range(ROUNDS)):
        scale = reach * SHRINKING**number
        weights = _weights(samples, found, LEAST_FACING + (MOST_FACING - LEAST_FACING) * number / (ROUNDS - 1))
        if not weights.any():
            raise InputError(NOTHING_FACES, reach=Length(reach))
        moved = _moved(moved, samples, weights / weights.sum(), scale)
        found = _distances(samples, moved)
        off = np.abs(found.distance)[_weights(samples, found, MOST_FACING) > 0]
        former, median = median, float(np.median(off)) if len(off) else 0.0
        if scale <= NOISE * median and median > SETTLED * former:
            break
    off = off[off <= scale]
    if len(off) == 0:
        raise InputError(NOTHING_FACES, reach=Length(reach))
    return moved, off


def _distances(samples: Samples, moved: SweepPoints) -> SweepDistance:
    """The samples' distances. This reports no progress of its own."""
    with progress_range(0.0, 0.0):
        return distances(samples.points, moved)


def _weights(samples: Samples, found: SweepDistance, least: float) -> Array:
    """(N,) how much the samples count: their areas, less where they face the sweep less, and 0 below the least cosine.

    The wall of a groove faces its axis, against the gradient of the distance.
    """
    facing = -(samples.normals * found.d_query).sum(axis=1)
    return np.asarray(samples.areas * np.clip((facing - least) / (1 - least), 0, 1))


def _moved(moved: SweepPoints, samples: Samples, weights: Array, scale: float) -> SweepPoints:
    """The points and radii of the least cost, near those given."""
    unit = float(moved.radii.mean())
    start = np.column_stack([moved.points, moved.radii]) / unit
    bounds = [(None, None), (None, None), (None, None), (LEAST_RADIUS, None)] * len(start)
    bends = _bends(moved)
    steps = np.linalg.norm(moved.points[bends[:, 1]] - moved.points[bends[:, 0]], axis=1)
    stiffness = SMOOTHNESS / max(float((steps**2).sum()), TINY)

    def cost(numbers: Array) -> tuple[float, Array]:
        lines = numbers.reshape(-1, 4) * unit
        tried = _at(moved, lines)
        found = _distances(samples, tried)
        ratio = (found.distance / scale) ** 2
        pulls = found.vector_jacobian_product(weights * 2 * found.distance / (scale * (1 + ratio)) ** 2)
        bent, by_lines = _bending(lines, bends, stiffness)
        by_lines += np.column_stack([pulls.d_points, pulls.d_radii])
        return float(weights @ (ratio / (1 + ratio))) + bent, by_lines.ravel() * unit

    most, done = max(LEAST_ITERATIONS, len(start)), count(1)
    least = scipy.optimize.minimize(
        cost,
        start.ravel(),
        jac=True,
        method="L-BFGS-B",
        bounds=bounds,
        callback=lambda _: report_progress(next(done) / most),
        options={"maxiter": most, "maxcor": 20, "ftol": 1e-8, "gtol": 1e-6},
    )
    return _at(moved, least.x.reshape(-1, 4) * unit)


def _at(moved: SweepPoints, lines: Array) -> SweepPoints:
    """The same segments with other points and radii, the columns of lines (K, 4)."""
    return replace(moved, points=lines[:, :3], radii=lines[:, 3])


def _bends(moved: SweepPoints) -> Indices:
    """(B, 3) consecutive points."""
    start, end = moved.ends.T
    following = np.full(len(moved.points), -1)
    following[start] = end
    bends = np.stack([start, end, following[end]], axis=1)
    differ = (bends != np.roll(bends, 1, axis=1)).all(axis=1)
    return bends[differ & (bends[:, 2] >= 0)]


def _bending(lines: Array, bends: Indices, stiffness: float) -> tuple[float, Array]:
    """The sum of squares of second differences of lines (K, 4), times the stiffness; and its derivatives (K, 4)."""
    before, middle, after = bends.T
    second = lines[before] - 2 * lines[middle] + lines[after]
    by_lines = np.zeros_like(lines)
    for point, share in ((before, 1), (middle, -2), (after, 1)):
        np.add.at(by_lines, point, 2 * stiffness * share * second)
    return stiffness * float((second**2).sum()), by_lines


def _as_paths(each: list[Path], moved: SweepPoints) -> list[Path]:
    """Paths with the points and radii of their sweep."""
    last = np.cumsum([len(path.points) for path in each])[:-1]
    parts = zip(each, np.split(moved.points, last), np.split(moved.radii, last), strict=True)
    return [replace(path, points=points, radii=radii) for path, points, radii in parts]
