"""The size of a job, the memory that it takes, and whether that is allowed."""

import math
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from ..adaptivity.simplify import BYTES_PER_TRIANGLE
from ..engines.numba.backend import NumbaBackend
from ..engines.registry import get_backend
from ..field.binning import BinnedSweep
from ..field.protocol import Backend, Footprint
from ..field.stock import PreparedStock, prepare_stock
from ..model.bricks import BRICK_SIZE, BrickTable, State
from ..model.combining import Operation, combined_states
from ..model.grid import Grid
from ..model.mesh import MeshLike, TriMesh
from ..model.plan import check_voxel_size, job_bounds, plan_grid
from ..model.sweep import PathsLike, Sweep
from ..primitives.segments import Segments
from ..runtime.errors import MemoryLimitError
from ..runtime.memory import available_bytes

COARSE_SIDE = 96  # voxels along the longest side of the grid of a rough estimate
NEAR_BRICKS_PER_AREA = 2.0 / BRICK_SIZE**2  # of a surface of one square voxel, measured on spheres and boxes
TRIANGLES_PER_BRICK = 140  # of a NEAR brick, measured likewise, and rounded up

# Per point at the peak of `Sweep.from_paths`, in addition to the paths.
SWEEP_BYTES_PER_POINT = 280
# At the peak of `verify`, in addition to stock, sweep and result: per triangle of the result, per triangle of the
# stock, per segment, and fixed; measured.
VERIFY_RESULT, VERIFY_STOCK, VERIFY_SEGMENT, VERIFY_FIXED = 75, 400, 300, 70e6
# Per triangle of a result: points, faces, sources and primitives.
RESULT_BYTES = 25

# A rough estimate counts both surfaces whole, the sweep's as coarse bricks. It is too large by up to this factor.
ROUGHNESS = 8


@dataclass(frozen=True)
class Counts:
    """Counts that do not depend on the machine or the backend.

    Attributes:
        triangles, segments: of the input.
        table_bricks, table_columns: bricks, and columns of voxels, of the whole grid.
        bricks: NEAR bricks of the result, which are evaluated.
        stock_bricks, sweep_bricks: those of them with a surface of the stock, and of the sweep.
        closing_bricks: bricks where the stock's surface is only the cap of a hole.
        triangle_pairs, segment_pairs: total lengths of the lists of all bricks.
        boundary_edges: open edges of the stock.
    """

    triangles: int
    segments: int
    table_bricks: int
    table_columns: int
    bricks: int
    stock_bricks: int
    sweep_bricks: int
    closing_bricks: int
    triangle_pairs: int
    segment_pairs: int
    boundary_edges: int

    @classmethod
    def of(cls, stock: PreparedStock, binned: BinnedSweep, states: npt.NDArray[np.uint8], segments: int) -> "Counts":
        """The counts of a job, from the brick states of its result."""
        near = states == State.NEAR
        return cls(
            triangles=len(stock.triangles),
            segments=segments,
            table_bricks=states.size,
            table_columns=stock.crossings.shape[1] * stock.crossings.shape[2],
            bricks=int(np.count_nonzero(near)),
            stock_bricks=int(np.count_nonzero(near & (stock.states == State.NEAR))),
            sweep_bricks=int(np.count_nonzero(near & (binned.states == State.NEAR))),
            closing_bricks=int(np.count_nonzero(np.diff(stock.bins.first) == 0)),
            triangle_pairs=len(stock.bins.primitive),
            segment_pairs=len(binned.bins.primitive),
            boundary_edges=len(stock.boundary),
        )


def simplifying(footprint: Footprint) -> Footprint:
    """The footprint of a job that merges faces at the end."""
    return replace(footprint, brick=footprint.brick + TRIANGLES_PER_BRICK * BYTES_PER_TRIANGLE)


def verify_bytes(result: int, stock: int, segments: int) -> int:
    """Bytes that measuring a result takes, from the numbers of triangles and segments."""
    return int(VERIFY_RESULT * result + VERIFY_STOCK * stock + VERIFY_SEGMENT * segments + VERIFY_FIXED)


@contextmanager
def beside(held: int, limit: int) -> Iterator[int]:
    """What is left of a limit beside memory that is held already. A refusal in the block reports both together.

    Raises:
        MemoryLimitError: nothing is left, or the block raises it.
    """
    if held >= limit:
        raise MemoryLimitError(held, limit, math.inf)
    try:
        yield limit - held
    except MemoryLimitError as error:
        raise MemoryLimitError(error.estimate_bytes + held, limit, error.fitting_voxel_size) from error


def job_bytes(counts: Counts, footprint: Footprint, verified: bool = False) -> int:
    """Bytes that a job takes at its peak, above what the process had before, including `verify` if that follows."""
    pairs = counts.triangle_pairs + counts.segment_pairs
    if verified:
        triangles = TRIANGLES_PER_BRICK * counts.bricks
        measured = RESULT_BYTES * triangles + verify_bytes(triangles, counts.triangles, counts.segments)
        return max(measured, job_bytes(counts, footprint))
    return int(
        _input_bytes(counts.triangles, counts.segments, footprint)
        + footprint.table_brick * counts.table_bricks
        + footprint.table_column * counts.table_columns
        + footprint.closing_brick * counts.closing_bricks
        + footprint.pair * pairs
        + max(
            footprint.binned_pair * pairs + footprint.binned_triangle * counts.triangles,
            footprint.brick * counts.bricks,
        )
    )


def estimate_bytes(surface_area: float, grid: Grid) -> int:
    """Approximate bytes of a job on the CPU for a surface of a given area, in square Blender units, in `grid`."""
    return _rough_bytes(surface_area, grid, NumbaBackend.footprint)


def estimate_memory(
    stock: MeshLike, paths: PathsLike, voxel_size: float, operation: Operation = "subtract", backend: str | None = None
) -> int:
    """Bytes that `carve` will take at its peak, above what the process has before.

    Stock and sweep are binned, as in the job. If a rough estimate is far beyond the available memory, that estimate is
    returned instead.

    Args:
        stock, paths, voxel_size, operation: as for `carve`.
        backend: a name for `get_backend`.

    Raises:
        InputError: as `carve`.
    """
    stock, sweep = TriMesh.of(stock), Sweep.of(paths)
    check_voxel_size(stock, voxel_size)
    chosen = get_backend(backend)
    grid = plan_grid(job_bounds(stock, sweep, operation), voxel_size)
    rough = _rough_look(stock, sweep, grid, chosen)
    if rough > ROUGHNESS * available_bytes():
        return rough
    prepared = prepare_stock(stock, grid, chosen)
    binned = chosen.bin_segments(Segments.on_grid(sweep, prepared.grid), prepared.grid)
    states = combined_states(prepared.states, binned.states, operation)
    return job_bytes(Counts.of(prepared, binned, states, len(sweep)), chosen.footprint)


def check_roughly(stock: TriMesh, sweep: Sweep, grid: Grid, limit: int, backend: Backend) -> None:
    """Raise MemoryLimitError if the input alone, or binning it, would need far more than `limit` bytes.

    The rough estimate is skipped if the boxes of the segments show that the job fits.
    """
    footprint, bricks = backend.footprint, math.prod(BrickTable.over(grid).shape)
    check_input(len(stock.triangles), len(sweep), limit, footprint)
    reached = (2 * sweep.reach() / grid.voxel_size / BRICK_SIZE + 2) ** 3
    most = footprint.binned_pair * float(np.minimum(reached, bricks).sum())
    if most + _rough_bytes(stock.area(), grid, footprint) <= limit:
        return
    rough = _rough_look(stock, sweep, grid, backend)
    if rough > ROUGHNESS * limit:
        _refuse(rough, limit, grid, _input_bytes(len(stock.triangles), len(sweep), backend.footprint))


def check_input(triangles: int, segments: int, limit: int, footprint: Footprint) -> None:
    """Raise MemoryLimitError if the input takes more than `limit` bytes at any voxel size."""
    needed = int(_input_bytes(triangles, segments, footprint) + footprint.binned_triangle * triangles)
    if needed > limit:
        raise MemoryLimitError(needed, limit, math.inf)


def check_stock(stock: TriMesh, grid: Grid, limit: int, footprint: Footprint) -> None:
    """Raise MemoryLimitError if the whole stock alone takes far more than `limit` bytes."""
    check_input(len(stock.triangles), 0, limit, footprint)
    fixed = _input_bytes(len(stock.triangles), 0, footprint)
    rough = int(fixed) + _rough_bytes(stock.area(), grid, footprint)
    if rough > ROUGHNESS * limit:
        _refuse(rough, limit, grid, fixed)


def check_memory(counts: Counts, grid: Grid, limit: int, footprint: Footprint, verified: bool = False) -> None:
    """Raise MemoryLimitError if the job takes more than `limit` bytes. The error suggests a voxel size that fits."""
    needed = job_bytes(counts, footprint, verified)
    if needed > limit:
        fixed = _input_bytes(counts.triangles, counts.segments, footprint)
        if verified:
            fixed = max(fixed, verify_bytes(0, counts.triangles, counts.segments))
        _refuse(needed, limit, grid, fixed)


def _refuse(needed: int, limit: int, grid: Grid, fixed: float) -> None:
    """Refuse a job. `fixed` bytes do not depend on the voxel size; the others scale almost with its inverse square."""
    longest, fitting = max(grid.shape) * grid.voxel_size, math.inf
    if limit > fixed:
        fitting = 1.1 * grid.voxel_size * math.sqrt((needed - fixed) / (limit - fixed))
    raise MemoryLimitError(needed, limit, fitting if fitting < longest else math.inf)


def _input_bytes(triangles: int, segments: int, footprint: Footprint) -> float:
    return footprint.fixed + footprint.triangle * triangles + footprint.segment * segments


def _rough_look(stock: TriMesh, sweep: Sweep, grid: Grid, backend: Backend) -> int:
    """The job's bytes, from the stock's area and the bricks that the sweep's surface meets in a coarse grid.

    The areas of the segments are no measure: segments may overlap a thousandfold.
    """
    size = np.array(grid.shape[::-1]) * grid.voxel_size
    bounds = np.stack([grid.origin, grid.origin + size])
    coarse = plan_grid(bounds, max(grid.voxel_size, max(grid.shape) * grid.voxel_size / COARSE_SIDE))
    met = len(backend.bin_segments(Segments.on_grid(sweep, coarse), coarse).bins.bricks)
    area = stock.area() + met * coarse.voxel_size**2 / NEAR_BRICKS_PER_AREA
    return _rough_bytes(area, grid, backend.footprint) + int(
        _input_bytes(len(stock.triangles), len(sweep), backend.footprint)
    )


def _rough_bytes(area: float, grid: Grid, footprint: Footprint) -> int:
    bricks = math.prod(BrickTable.over(grid).shape)
    near = min(bricks, area / grid.voxel_size**2 * NEAR_BRICKS_PER_AREA)
    columns = grid.shape[1] * grid.shape[2]
    return int(near * footprint.brick + bricks * footprint.table_brick + columns * footprint.table_column)
