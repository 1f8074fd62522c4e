"""Which segments of a sweep follow each other: along its paths, and from one path to the next where their ends meet."""

import numpy as np
import numpy.typing as npt
import scipy

from ..model.sweep import Sweep

Indices = npt.NDArray[np.int32]

# Ends of paths meet if they are apart by less than about this part of the largest radius: objects with transforms of
# their own are that far apart, in single precision.
ROUNDED = 1e-4


def joined_segments(sweep: Sweep, kind: npt.NDArray[np.float64]) -> Indices:
    """(K, 4) the segments before and after each of K, -1 for none; and for both, 1 if they run the same way, else -1.

    Where the ends of just two paths meet, with the same radius, one path goes on as the other, whichever way it runs.

    Args:
        sweep: K segments.
        kind: (K,) a number for each. Only those of the same kind go on as each other.
    """
    count = len(sweep)
    found = np.ones((count, 4), dtype=np.int32)
    joined, way = found[:, :2], found[:, 2:]
    joined[:] = -1
    number = np.arange(count, dtype=np.int32)
    goes_on = (sweep.path[1:] == sweep.path[:-1]) & (sweep.start[1:] == sweep.end[:-1]).all(axis=1)
    joined[1:, 0][goes_on], joined[:-1, 1][goes_on] = number[:-1][goes_on], number[1:][goes_on]
    first = np.flatnonzero(np.diff(sweep.path, prepend=-1))
    last = np.flatnonzero(np.diff(sweep.path, append=-1))
    closes = (last > first + 1) & (sweep.start[first] == sweep.end[last]).all(axis=1)
    joined[first[closes], 0], joined[last[closes], 1] = last[closes], first[closes]
    _join_paths(sweep, kind, joined, way)
    return found


def _join_paths(sweep: Sweep, kind: npt.NDArray[np.float64], joined: Indices, way: Indices) -> None:
    """Also join the ends of paths that meet, in pairs."""
    segment, side = np.nonzero(joined < 0)
    long = (sweep.start[segment] != sweep.end[segment]).any(axis=1)
    segment, side = segment[long], side[long]
    if len(segment) == 0:
        return
    start, rows = (side == 0)[:, None], np.arange(len(segment))
    points = np.where(start, sweep.start[segment], sweep.end[segment])
    radii = np.where(start, sweep.start_radius[segment, None], sweep.end_radius[segment, None])
    ends = np.concatenate([points, radii], axis=1)
    step = ROUNDED * float(radii.max())
    # An end itself, and the two that are nearest to it, of which the second must not be there.
    distance, found = scipy.spatial.cKDTree(ends).query(ends, k=3, distance_upper_bound=step)
    other = np.where(found[:, 0] == rows, found[:, 1], found[:, 0])
    is_pair = np.isfinite(distance[:, 1]) & ~np.isfinite(distance[:, 2])
    one = rows[is_pair]
    one = one[is_pair[other[one]] & (one < other[one]) & (other[other[one]] == one)]
    other = other[one]
    goes_on = (segment[one] != segment[other]) & (kind[segment[one]] == kind[segment[other]])
    one, other = one[goes_on], other[goes_on]
    joined[segment[one], side[one]], joined[segment[other], side[other]] = segment[other], segment[one]
    turn = np.where(side[one] == side[other], -1, 1)
    way[segment[one], side[one]] = way[segment[other], side[other]] = turn
