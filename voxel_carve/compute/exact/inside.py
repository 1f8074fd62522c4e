"""The winding number of a mesh at single points: see `primitives.boundary` for the formula."""

import numpy as np
import numpy.typing as npt

from ..primitives.boundary import INSIDE, Boundary
from ..primitives.primitives import Primitives
from ..primitives.triangles import Triangles
from ..runtime.threads import over_rows
from .nearest import POINTS_PER_RUN, Array, new_stack


def inside(points: Array, triangles: Triangles) -> npt.NDArray[np.bool_]:
    """(N,): whether points (N, 3), in voxels, are inside welded triangles."""
    return np.asarray(np.abs(winding(points, triangles)) > INSIDE)


def winding(points: Array, triangles: Triangles, boundary: Boundary | None = None) -> Array:
    """(N,) the generalised winding number of welded triangles at points (N, 3), in voxels.

    Args:
        boundary: theirs; that of all triangles, if these are only those in the columns of the points.
    """
    from .kernels import find_winding

    number = np.empty(len(points))
    boundary = triangles.boundary if boundary is None else boundary
    mesh = (Primitives.alone(triangles), triangles.tree, boundary.edges, boundary.all_edges())
    points = np.ascontiguousarray(points)
    over_rows(find_winding, len(points), POINTS_PER_RUN, points, *mesh, number, scratch=new_stack)
    return number
