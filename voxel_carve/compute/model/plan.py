"""The plan of a job: its bounds, voxel size and grid."""

from typing import cast

import numpy as np
import numpy.typing as npt

from ..runtime.errors import InputError
from ..runtime.sentences import Length, Sentence
from .bricks import BRICK_SIZE
from .grid import Grid, as_floats, as_length
from .mesh import TriMesh
from .sweep import Sweep

PADDING = 2  # voxels between the stock and the grid's sides, so that no inside voxel touches them


def voxel_size_for_resolution(stock: TriMesh, resolution: int) -> float:
    """The voxel size that divides the longest side of the stock's bounds into `resolution` voxels."""
    if not (isinstance(resolution, int | np.integer) and not isinstance(resolution, bool) and resolution >= 1):
        raise InputError(
            "resolution {resolution}: it must be a whole number of voxels, at least 1", resolution=resolution
        )
    low, high = stock.bounds()
    if not (high > low).any():
        raise InputError("'{name}' has no size: all its vertices lie in one place", name=stock.name)
    return float((high - low).max() / resolution)


def check_voxel_size(stock: TriMesh, voxel_size: float) -> None:
    """Raise InputError if the voxel size is not a positive length, or is larger than the stock."""
    as_length(voxel_size, Sentence("voxel size"))
    low, high = stock.bounds()
    longest = float((high - low).max())
    if voxel_size > longest:
        raise InputError(
            "voxel size {voxel_size} is larger than '{name}', whose longest side is {longest}: try {suggested}",
            voxel_size=Length(voxel_size),
            name=stock.name,
            longest=Length(longest),
            suggested=Length(longest / 128),
        )


def one_voxel_size(stock: TriMesh, voxel_size: float | None, resolution: int | None) -> float:
    """The voxel size of a job, from either a voxel size or a resolution.

    Raises:
        InputError: both or neither are given; or as `check_voxel_size` and `voxel_size_for_resolution`.
    """
    if (voxel_size is None) == (resolution is None):
        raise InputError("the size of a voxel: give either voxel_size or resolution")
    size = cast(float, voxel_size) if resolution is None else voxel_size_for_resolution(stock, resolution)
    check_voxel_size(stock, size)
    return float(size)


def plan_grid(bounds: npt.ArrayLike, voxel_size: float) -> Grid:
    """The grid of whole bricks that is centred on bounds (2, 3), minimum and maximum (x, y, z).

    Raises:
        InputError: other bounds, or bounds that are not finite; the voxel size is not positive, or is so small that a
            side has more than 2^31 voxels.
    """
    low, high = _checked_bounds(bounds)
    as_length(voxel_size, Sentence("voxel size"))
    with np.errstate(over="ignore"):
        sides = np.ceil((high - low) / voxel_size) + 2 * PADDING
    if not (sides < 2**31 - BRICK_SIZE).all():
        raise InputError(
            "voxel size {voxel_size} is too small for a size of {size}",
            voxel_size=Length(voxel_size),
            size=Length((high - low).max()),
        )
    shape = (np.ceil(sides / BRICK_SIZE) * BRICK_SIZE).astype(np.int64)
    origin = (low + high) / 2 - shape / 2 * voxel_size
    x, y, z = (int(side) for side in shape)
    return Grid(origin, voxel_size, (z, y, x))


def _checked_bounds(bounds: npt.ArrayLike) -> npt.NDArray[np.float64]:
    """(2, 3): the bounds that `plan_grid` is given."""
    has_bounds = hasattr(bounds, "bounds")  # a mesh, of any library
    found = np.empty(0) if has_bounds else as_floats(bounds, Sentence("the bounds of a grid"))
    if found.shape != (2, 3):
        raise InputError(
            "the bounds of a grid are of {kind}: give (2, 3), minimum and maximum (x, y, z), such as mesh.bounds()",
            kind=type(bounds).__name__ if has_bounds else f"shape {found.shape}",
        )
    if not (np.isfinite(found).all() and (found[0] <= found[1]).all()):
        raise InputError("the bounds of a grid must be finite, and no minimum above its maximum")
    return found


def job_bounds(stock: TriMesh, sweep: Sweep, operation: str) -> npt.NDArray[np.float64]:
    """(2, 3): bounds that contain every possible result."""
    bounds = stock.bounds()
    if operation == "union":
        more = sweep.bounds()
        bounds = np.stack([np.minimum(bounds[0], more[0]), np.maximum(bounds[1], more[1])])
    return bounds
