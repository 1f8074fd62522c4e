"""The nearest primitive to a point, in float64, wherever the point lies, without a grid or a narrow band."""

from functools import partial
from math import radians
from typing import Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt

from ..primitives.primitives import Primitives
from ..primitives.segments import Segments
from ..primitives.triangles import Triangles
from ..runtime.threads import over_rows

Array = npt.NDArray[np.float64]
Indices = npt.NDArray[np.int64]

POINTS_PER_RUN = 1 << 11
new_stack = partial(np.empty, 64, np.int64)  # of nodes of a tree


@runtime_checkable
class SegmentSearching(Protocol):
    """A backend with a search of its own."""

    def nearest_segments(self, points: Array, segments: Segments) -> tuple[Array, Indices]:
        """The distance of each point from the nearest segment, and which that is, as by `nearest`.

        Args:
            points: (N, 3), in voxels.    segments: at least one.
        """


def nearest(points: Array, primitives: Segments | Triangles, reach: float = np.inf) -> tuple[Array, Indices]:
    """The nearest primitive to each point, and its distance.

    Args:
        points: (N, 3), in voxels.
        primitives: without any, all distances are infinite.
        reach: the search radius.

    Returns:
        distance: (N,), infinite beyond the reach; which: (N,), -1 there, and the least of several as near.
    """
    from .kernels import find_nearest

    distance, which = np.full(len(points), np.inf), np.full(len(points), -1)
    if len(primitives):
        searched = (float(reach), Primitives.alone(primitives), primitives.tree, distance, which)
        points = np.ascontiguousarray(points)
        over_rows(find_nearest, len(points), POINTS_PER_RUN, points, *searched, scratch=new_stack)
    return distance, which


def covered(points: Array, segments: Segments, depth: float) -> npt.NDArray[np.bool_]:
    """(N,) whether each point (N, 3), in voxels, lies more than `depth` inside a segment."""
    from .kernels import find_covered

    found = np.zeros(len(points), dtype=bool)
    if len(segments):
        points = np.ascontiguousarray(points)
        searched = (float(depth), segments.rows, segments.tree, found)
        over_rows(find_covered, len(points), POINTS_PER_RUN, points, *searched, scratch=new_stack)
    return found


def partners(points: Array, own: Indices, segments: Segments, reach: float, least: float, greatest: float) -> Indices:
    """(N,) the nearest segment within reach of each point at an angle to the point's own segment; -1 if there is none.

    Args:
        points: (N, 3), in voxels; own: (N,) their segments.
        least, greatest: degrees between the normals of the two segments at the point.
    """
    from .kernels import find_partners

    which = np.full(len(points), -1)
    searched = (reach, radians(least), radians(greatest), segments.rows, segments.tree, which)
    over_rows(find_partners, len(points), POINTS_PER_RUN, points, own, *searched, scratch=new_stack)
    return which
