"""The winding number of a mesh at single points: see `primitives.boundary` for the formula."""

import numpy as np
import numpy.typing as npt

from ..primitives.boundary import INSIDE, Boundary
from ..primitives.primitives import Primitives
from ..primitives.triangles import Triangles
from ..runtime.threads import over_rows
from .nearest import POINTS_PER_RUN, Array, new_stack

FEW_POINTS = 128  # of which each triangle is compared with


def inside(points: Array, triangles: Triangles) -> npt.NDArray[np.bool_]:
    """(N,): whether points (N, 3), in voxels, are inside welded triangles."""
    return np.asarray(np.abs(winding(points, triangles)) > INSIDE)


def winding(points: Array, triangles: Triangles, boundary: Boundary | None = None) -> Array:
    """(N,) the generalised winding number of welded triangles at points (N, 3), in voxels.

    Args:
        boundary: theirs, if it is known.
    """
    from .kernels import find_winding

    number = np.empty(len(points))
    boundary = triangles.boundary if boundary is None else boundary
    triangles = _in_columns(points, triangles)
    mesh = (Primitives.alone(triangles), triangles.tree, boundary.edges, boundary.all_edges())
    points = np.ascontiguousarray(points)
    over_rows(find_winding, len(points), POINTS_PER_RUN, points, *mesh, number, scratch=new_stack)
    return number


def _in_columns(points: Array, triangles: Triangles) -> Triangles:
    """Those triangles that are in the z columns of points (K, 3), and maybe more.

    A tree of all takes longer than to look for the few around few points.
    """
    if len(points) > FEW_POINTS or "tree" in vars(triangles):
        return triangles
    (west, south), (east, north) = (
        [np.ascontiguousarray(side[:, axis]) for axis in (0, 1)] for side in triangles.bounds()
    )
    is_there = np.zeros(len(triangles), dtype=bool)
    for px, py, _ in points:
        is_there |= (west <= px) & (px <= east) & (south <= py) & (py <= north)
    is_there[0] = True  # a tree has at least one
    return triangles.at(is_there)
