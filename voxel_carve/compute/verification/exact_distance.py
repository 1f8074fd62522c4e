"""The exact distance from a result's surface, without voxels."""

import numpy as np
import numpy.typing as npt

from ..engines.numba.compiler.loading import load_kernels
from ..model.grid import as_points
from ..model.mesh import MeshLike, TriMesh
from ..model.steps import Operations
from ..model.sweep import PathsLike, Sweep
from ..runtime.errors import InputError
from ..runtime.progress import Progress, remaining_progress, reporting_to, with_progress
from ..runtime.threads import slices
from .exact_surface import ExactSurface

POINTS_PER_BLOCK = 1 << 15
# Distances are computed in units of the stock's longest side divided by this, and searched from there.
UNITS_PER_SIDE = 256


def exact_distance(
    points: npt.ArrayLike,
    stock: MeshLike,
    paths: PathsLike,
    operation: Operations = "subtract",
    progress: Progress | None = None,
) -> npt.NDArray[np.float64]:
    """The signed distance of points from what `carve` approximates, from stock and sweep themselves, in float64.

    It is the distance of the stock, combined with that of the sweep as the operation says. Within the result, and
    wherever the nearest point of the deciding primitive is part of the surface, this is the distance from the surface.
    Beyond a convex edge it is less: the distance from the edge is larger than that from either side.

    Args:
        points: (N, 3), in any unit of length.
        stock, paths, operation: as for `carve`.
        progress: called often; raise CarveCancelled in it to stop.

    Returns:
        (N,) in the unit of the points, negative inside.

    Raises:
        InputError: points that are not finite numbers; an unknown or missing operation; a stock or a path that
            cannot be used.
        BackendError: numba is missing, or its kernels cannot be compiled.
    """
    asked = as_points(points, "an exact distance")
    if not np.isfinite(asked).all():
        raise InputError("an exact distance is asked for at points that are not finite numbers")
    mesh = TriMesh.of(stock)
    unit = float(np.ptp(mesh.bounds(), axis=0).max()) / UNITS_PER_SIDE
    out = np.empty(len(asked))
    with reporting_to(progress):
        load_kernels("exact")
        with remaining_progress(stage="Verify"):
            surface = ExactSurface.of(mesh, Sweep.of(paths), unit, operation)
            for rows in with_progress(slices(len(asked), POINTS_PER_BLOCK)):
                out[rows] = surface.distance(surface.grid.to_voxels(asked[rows])) * unit
    return out
