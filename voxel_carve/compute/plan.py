"""Before the job: the grid, what it will cost, and whether that may be."""

import numpy as np
import numpy.typing as npt

from .backend import Backend
from .bricks import BRICK_SIZE, BRICK_VOXELS
from .errors import InputError, MemoryLimitError
from .grid import Grid
from .host_steps import HostSteps
from .mesh import TriMesh
from .segments import Segments
from .sweep import Sweep

PADDING = 2  # voxels between the stock and the grid's sides, so that nothing inside touches them

# Bytes of the job per NEAR brick, at its peak, measured; and per brick of the table.
BYTES_PER_NEAR_BRICK = 16_500
BYTES_PER_BRICK = 16
BYTES_PER_TRIANGLE = 600
BYTES_PER_SEGMENT = 2000

COARSE_SIDE = 96  # voxels along the longest side of the grid that an estimate looks at
# A surface of one square voxel meets this many bricks, measured on spheres and boxes.
NEAR_BRICKS_PER_AREA = 2.0 / BRICK_SIZE**2


def voxel_size_for_resolution(stock: TriMesh, resolution: int) -> float:
    """The voxel size that divides the longest side of the stock's bounds into `resolution` voxels."""
    if resolution < 1:
        raise InputError(f"resolution {resolution}: it must be at least 1")
    low, high = stock.bounds()
    if not (high > low).any():
        raise InputError(f"'{stock.name}' has no size: all its vertices lie in one place")
    return float((high - low).max() / resolution)


def check_voxel_size(stock: TriMesh, voxel_size: float) -> None:
    """Raise InputError where the voxel size is not a positive length, or larger than the stock."""
    if not (np.isfinite(voxel_size) and voxel_size > 0):
        raise InputError(f"voxel size {voxel_size:g}: it must be a positive length")
    low, high = stock.bounds()
    longest = float((high - low).max())
    if voxel_size > longest:
        raise InputError(
            f"voxel size {voxel_size:.4g} is larger than '{stock.name}', whose longest side is {longest:.4g}: "
            f"try {longest / 128:.4g}"
        )


def plan_grid(bounds: npt.ArrayLike, voxel_size: float) -> Grid:
    """The grid over bounds (2, 3), least and greatest (x, y, z), in whole bricks, the bounds in its middle.

    Raises:
        InputError: voxel size not positive, or so small that the number of voxels of a side passes 2^31.
    """
    low, high = np.asarray(bounds, dtype=np.float64)
    if not (np.isfinite(voxel_size) and voxel_size > 0):
        raise InputError(f"voxel size {voxel_size:g}: it must be a positive length")
    with np.errstate(over="ignore"):
        sides = np.ceil((high - low) / voxel_size) + 2 * PADDING
    if not (sides < 2**31 - BRICK_SIZE).all():
        raise InputError(f"voxel size {voxel_size:g} is too small for a size of {(high - low).max():.4g}")
    shape = (np.ceil(sides / BRICK_SIZE) * BRICK_SIZE).astype(np.int64)
    origin = (low + high) / 2 - shape / 2 * voxel_size
    x, y, z = (int(side) for side in shape)
    return Grid(origin, voxel_size, (z, y, x))


def job_bounds(stock: TriMesh, sweep: Sweep, operation: str) -> npt.NDArray[np.float64]:
    """(2, 3): the bounds that the result cannot leave."""
    bounds = stock.bounds()
    if operation == "union":
        more = sweep.bounds()
        bounds = np.stack([np.minimum(bounds[0], more[0]), np.maximum(bounds[1], more[1])])
    return bounds


def estimate_bytes(surface_area: float, grid: Grid) -> int:
    """Bytes that a job takes for a surface of an area, in square Blender units, in `grid`."""
    bricks = float(np.prod(np.array(grid.shape, dtype=np.float64))) / BRICK_VOXELS
    near = min(bricks, surface_area / grid.voxel_size**2 * NEAR_BRICKS_PER_AREA)
    return int(near * BYTES_PER_NEAR_BRICK + bricks * BYTES_PER_BRICK)


def estimate_memory(stock: TriMesh, sweep: Sweep, voxel_size: float, operation: str = "subtract") -> int:
    """Bytes that `carve` will take, from a coarse look at the surfaces.

    Raises:
        InputError: as `plan_grid`.
    """
    grid = plan_grid(job_bounds(stock, sweep, operation), voxel_size)
    return _job_bytes(stock, sweep, _surface_area(stock, sweep, grid, HostSteps()), grid)


def check_memory(stock: TriMesh, sweep: Sweep, grid: Grid, limit: int, backend: Backend) -> None:
    """Raise MemoryLimitError where the job's estimate passes `limit` bytes, with a voxel size that would fit."""
    area = _surface_area(stock, sweep, grid, backend)
    estimate = _job_bytes(stock, sweep, area, grid)
    if estimate <= limit:
        return
    fitting, longest = grid.voxel_size, max(grid.shape) * grid.voxel_size
    while fitting < longest and _job_bytes(stock, sweep, area, _with_voxel_size(grid, fitting)) > limit:
        fitting *= 1.1
    raise MemoryLimitError(estimate, limit, fitting if fitting < longest else float("inf"))


def _with_voxel_size(grid: Grid, voxel_size: float) -> Grid:
    size = np.array(grid.shape[::-1]) * grid.voxel_size
    return plan_grid(np.stack([grid.origin, grid.origin + size]), voxel_size)


def _job_bytes(stock: TriMesh, sweep: Sweep, area: float, grid: Grid) -> int:
    return estimate_bytes(area, grid) + len(stock.triangles) * BYTES_PER_TRIANGLE + len(sweep) * BYTES_PER_SEGMENT


def _surface_area(stock: TriMesh, sweep: Sweep, grid: Grid, backend: Backend | HostSteps) -> float:
    """The stock's area, and that of the sweep by the bricks that its surface meets in a coarse grid.

    Segments may overlap a thousandfold, so that their own areas would say little.
    """
    coarse = _with_voxel_size(grid, max(grid.voxel_size, max(grid.shape) * grid.voxel_size / COARSE_SIDE))
    met = len(backend.bin_segments(Segments.on_grid(sweep, coarse), coarse).bins.bricks)
    return stock.area() + met * coarse.voxel_size**2 / NEAR_BRICKS_PER_AREA
