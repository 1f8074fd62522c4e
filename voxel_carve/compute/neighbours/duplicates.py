"""Points and moves that repeat earlier ones."""

import numpy as np
import numpy.typing as npt

from ..field.protocol import DenseBackend
from ..model.sweep import PathsLike, Sweep
from ..runtime.progress import Progress
from .search import Indices, Neighbours, neighbours


def duplicate_points(
    points: npt.ArrayLike,
    tolerance: float = 0.0,
    backend: str | DenseBackend | None = None,
    progress: Progress | None = None,
) -> Indices:
    """(N,) for each point the first one that it repeats, which is itself if it repeats none.

    Of points within the tolerance of each other, the first is kept; later ones repeat the first kept one that is near.

    Args:
        points: (N, 3), in any unit of length.
        tolerance: 0 or more, in the unit of the points.
        backend, progress: as for `neighbours`.

    Raises:
        InputError, BackendError: as `neighbours`.
    """
    return _first_kept(neighbours(points, points, tolerance, backend, progress))


def duplicate_segments(
    paths: PathsLike,
    tolerance: float = 0.0,
    backend: str | DenseBackend | None = None,
    progress: Progress | None = None,
) -> Indices:
    """(K,) for each segment of a sweep the first one that it repeats, in either direction; itself if it repeats none.

    Segments repeat each other where both ends are within the tolerance of the other's, and both radii.
    `sweep.part(np.unique(...))` of the result is the sweep without duplicate moves.

    Args:
        paths: as for `carve`.
        tolerance: 0 or more, in the unit of the points.
        backend, progress: as for `neighbours`.

    Raises:
        InputError: bad paths, or as `neighbours`; BackendError: as `neighbours`.
    """
    sweep = Sweep.of(paths)
    start, end = np.column_stack([sweep.start, sweep.start_radius]), np.column_stack([sweep.end, sweep.end_radius])
    middle = (sweep.start + sweep.end) / 2
    rounding = 4 * np.finfo(np.float64).eps * np.abs(middle).max(initial=0.0)
    near = neighbours(middle, middle, tolerance + rounding, backend, progress)
    one, other = near.query(), near.index
    forth = _alike(start[one] - start[other], tolerance) & _alike(end[one] - end[other], tolerance)
    back = _alike(start[one] - end[other], tolerance) & _alike(end[one] - start[other], tolerance)
    return _first_kept(near.where(forth | back))


def _alike(off: npt.NDArray[np.float64], tolerance: float) -> npt.NDArray[np.bool_]:
    """(P,): whether differences (P, 4) of points and radii are within the tolerance."""
    return np.asarray((np.linalg.norm(off[:, :3], axis=1) <= tolerance) & (np.abs(off[:, 3]) <= tolerance))


def _first_kept(near: Neighbours) -> Indices:
    """(N,) what each of N things repeats, from the things near each: see `duplicate_points`."""
    first = np.arange(len(near.first) - 1)
    is_open = np.ones(len(first), dtype=np.bool_)
    for i in np.flatnonzero(near.count() > 1).tolist():
        if is_open[i]:
            later = near.of(i)
            later = later[(later > i) & is_open[later]]
            first[later], is_open[later] = i, False
    return first
