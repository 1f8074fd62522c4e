"""The size of a job, the memory that it takes, and whether that is allowed."""

import math
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ..adaptivity.simplify import BYTES_PER_TRIANGLE
from ..field.binning import BinnedSweep
from ..field.protocol import Backend
from ..field.stock import PreparedStock
from ..model.bricks import BRICK_SIZE, BrickTable, State
from ..model.grid import Grid
from ..model.mesh import TriMesh
from ..model.plan import plan_grid
from ..model.sweep import Sweep
from ..primitives.segments import Segments
from ..runtime.errors import MemoryLimitError

COARSE_SIDE = 96  # voxels along the longest side of the grid of a rough estimate
NEAR_BRICKS_PER_AREA = 2.0 / BRICK_SIZE**2  # of a surface of one square voxel, measured on spheres and boxes
# Of a NEAR brick, measured on the standard cases, and rounded up. Where surfaces lie close together there are more.
VERTICES_PER_BRICK = 60

# Bytes at the peak of a job, measured. For any job, by the name of its backend; one from outside is taken as the CPU:
FIXED = {"cpu": 4.6e6, "cuda": 53e6, "warp": 53e6}
DEVICES = ("cuda", "warp")
# Per triangle and segment of the input, and per entry of the bricks' lists.
PER_TRIANGLE, PER_SEGMENT, PER_TRIANGLE_PAIR, PER_SEGMENT_PAIR = 92, 84, 6, 10
# What these take in addition during binning, before the bricks are evaluated. Segments are binned in parts: of their
# entries, only so many count.
BINNING_TRIANGLE, BINNING_SEGMENT, BINNING_TRIANGLE_PAIR, BINNING_PART, MOST_IN_PART = 41, 134, 2, 150, 1 << 18
# Per brick and per column of voxels of the grid, and per brick where only the cap of a hole is near, with sums for each
# voxel.
PER_TABLE_BRICK, PER_COLUMN, PER_CAP_BRICK = 30, 24, 6000
# While the surface is made, fitted by `scripts/fit_memory.py`: per brick with a surface of the sweep, and per one of
# these in a slab, where they are more than a sample has; per vertex; and fixed.
MAKING_SWEEP_BRICK, MAKING_SLAB_BRICK, MAKING_VERTEX, MAKING_FIXED = 3300, 14200, 28.5, 10.8e6
BRICKS_OF_SAMPLE, BRICKS_OF_SLAB = 1 << 10, 1 << 12
# Per brick with a surface of the stock, where that surface is made without the sweep, beside the result.
MAKING_STOCK_BRICK = 4300
# While its mesh is finished: per vertex, less what is free by then.
FINISHING_VERTEX, FINISHING_FREE = 74, 14e6
# Where there is to be a narrow band: its distances and what the surface left behind, per NEAR brick; and fixed.
FIELD_BRICK, BAND_FIXED = 6200, 6e6

# Per point and per path at the peak of `Sweep.from_paths`, in addition to the paths.
SWEEP_BYTES_PER_POINT, SWEEP_BYTES_PER_PATH = 160, 450
# Per brick of a narrow band, and how many more of these than NEAR bricks there are for each voxel of its half width.
PER_BAND_BRICK, BRICKS_PER_WIDTH = 8000, 0.2
# At the peak of `verify`, in addition to stock, sweep and result: per triangle of the result, per triangle of the
# stock, per segment, and fixed; measured.
VERIFY_RESULT, VERIFY_STOCK, VERIFY_SEGMENT, VERIFY_FIXED = 75, 400, 300, 70e6
# Per vertex of a result, and its quad: point, face, source and primitive.
RESULT_BYTES = 45

# A rough estimate counts both surfaces whole, the sweep's as coarse bricks. It is too large by up to this factor.
ROUGHNESS = 8
# The suggested voxel size is larger by this factor than the one that should just fit.
MARGIN = 1.1


@dataclass(frozen=True)
class Counts:
    """Counts that do not depend on the machine or the backend.

    Attributes:
        triangles, segments: of the input.
        table_bricks, table_columns: bricks, and columns of voxels, of the whole grid.
        bricks: NEAR bricks of the result, which are evaluated.
        stock_bricks, sweep_bricks: those of them with a surface of the stock, and of the sweep.
        cap_bricks: bricks where only the cap of a hole of the stock is near, and none of its triangles.
        expected_vertices: of the result's surface, about: see `sampled_vertices`.
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
    cap_bricks: int
    expected_vertices: int
    triangle_pairs: int
    segment_pairs: int
    boundary_edges: int

    @classmethod
    def of(
        cls,
        stock: PreparedStock,
        binned: BinnedSweep,
        states: npt.NDArray[np.uint8],
        segments: int,
        expected_vertices: int,
    ) -> "Counts":
        """The counts of a job, from the brick states of its result and about how many vertices it will have."""
        near = states == State.NEAR
        bricks = int(np.count_nonzero(near))
        return cls(
            triangles=len(stock.triangles),
            segments=segments,
            table_bricks=states.size,
            table_columns=stock.crossings.shape[1] * stock.crossings.shape[2],
            bricks=bricks,
            stock_bricks=int(np.count_nonzero(near & (stock.states == State.NEAR))),
            sweep_bricks=int(np.count_nonzero(near & (binned.states == State.NEAR))),
            cap_bricks=int(np.count_nonzero(np.diff(stock.bins.first) == 0)),
            expected_vertices=expected_vertices,
            triangle_pairs=len(stock.bins.primitive),
            segment_pairs=len(binned.bins.primitive),
            boundary_edges=len(stock.boundary),
        )


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


def bricks_of_slab(bricks: int) -> int:
    """How many bricks of one slab take more than a sample has taken: a third, where it is not sampled again."""
    if bricks <= BRICKS_OF_SLAB:
        return max(bricks - BRICKS_OF_SAMPLE, 0) // 3
    return BRICKS_OF_SLAB - BRICKS_OF_SAMPLE


def job_bytes(
    counts: Counts, backend: str, merges: bool = False, verified: bool = False, half_width: float = 0.0
) -> int:
    """Bytes that a job takes at its peak, above what the process had before.

    Args:
        counts: of the job.
        backend: its name.
        merges: whether faces are merged at the end.
        verified: whether `verify` follows.
        half_width: of the narrow band, which needs the distances to the end; 0 for none.
    """
    vertices = counts.expected_vertices
    making = MAKING_FIXED + MAKING_SWEEP_BRICK * counts.sweep_bricks + MAKING_VERTEX * vertices
    making += MAKING_SLAB_BRICK * bricks_of_slab(counts.sweep_bricks)
    if counts.boundary_edges or not counts.sweep_bricks:
        making = max(making, RESULT_BYTES * vertices + MAKING_STOCK_BRICK * counts.stock_bricks)
    merging = (RESULT_BYTES + 2 * BYTES_PER_TRIANGLE) * vertices if merges else 0
    band = 0.0
    if half_width:
        per_brick = FIELD_BRICK + PER_BAND_BRICK * (1 + BRICKS_PER_WIDTH * half_width)
        band = BAND_FIXED + RESULT_BYTES * vertices + per_brick * counts.bricks
    needed = int(
        _input_bytes(counts.triangles, counts.segments, backend)
        + PER_TABLE_BRICK * counts.table_bricks
        + PER_COLUMN * counts.table_columns
        + PER_CAP_BRICK * counts.cap_bricks
        + PER_TRIANGLE_PAIR * counts.triangle_pairs
        + PER_SEGMENT_PAIR * counts.segment_pairs
        + max(
            BINNING_TRIANGLE * counts.triangles
            + BINNING_TRIANGLE_PAIR * counts.triangle_pairs
            + _binning_bytes(counts.segments, counts.segment_pairs),
            making,
            FINISHING_VERTEX * vertices - FINISHING_FREE,
            band,
            merging,
        )
    )
    if not verified:
        return needed
    verifying = verify_bytes(2 * vertices, counts.triangles, counts.segments)
    return max(needed, RESULT_BYTES * vertices + verifying)


def check_roughly(stock: TriMesh, sweep: Sweep | None, grid: Grid, limit: int, backend: Backend) -> None:
    """Raise MemoryLimitError if the input alone, or binning it, would need far more than `limit` bytes.

    Without a sweep, only the stock counts. Otherwise, the bricks that the sweep's surface meets are counted in a coarse
    grid, unless the boxes of the segments show that the job fits. The areas of the segments are no measure: segments
    may overlap a thousandfold.
    """
    triangles = len(stock.triangles)
    fixed = _input_bytes(triangles, 0 if sweep is None else len(sweep), backend.name)
    needed = fixed + BINNING_TRIANGLE * triangles + (0 if sweep is None else _binning_bytes(len(sweep), 0))
    check_limit(needed, limit, needed, grid.voxel_size)
    area = stock.area()
    if sweep is not None:
        reached = (2 * sweep.reach() / grid.voxel_size / BRICK_SIZE + 2) ** 3
        pairs = float(np.minimum(reached, math.prod(BrickTable.over(grid).shape)).sum())
        binning = PER_SEGMENT_PAIR * pairs + _binning_bytes(len(sweep), pairs)
        if fixed + binning + _rough_bytes(area, grid) <= limit:
            return
        bounds = grid.to_world(np.array([[0, 0, 0], grid.shape[::-1]]))
        coarse = plan_grid(bounds, max(grid.voxel_size, max(grid.shape) * grid.voxel_size / COARSE_SIDE))
        met = len(backend.bin_segments(Segments.on_grid(sweep, coarse), coarse).bins.bricks)
        area += met * coarse.voxel_size**2 / NEAR_BRICKS_PER_AREA
    rough = fixed + _rough_bytes(area, grid)
    if rough > ROUGHNESS * limit:
        check_limit(rough, limit, fixed, grid.voxel_size, max(grid.shape))


def checked_bytes(
    counts: Counts, grid: Grid, limit: int, backend: str, merges: bool, verified: bool, half_width: float
) -> int:
    """The same as `job_bytes`.

    Raises:
        MemoryLimitError: it is more than `limit`.
    """
    needed = job_bytes(counts, backend, merges, verified, half_width)
    fixed = input_bytes(counts, backend)
    if verified:
        fixed = max(fixed, verify_bytes(0, counts.triangles, counts.segments))
    check_limit(needed, limit, fixed, grid.voxel_size, max(grid.shape))
    return needed


def check_limit(needed: float, limit: int, fixed: float, voxel_size: float, voxels: float = math.inf) -> None:
    """Raise MemoryLimitError if more than `limit` bytes are needed, with a voxel size that would fit.

    Args:
        needed, limit: bytes.
        fixed: those of the bytes needed that do not depend on the voxel size. The others scale almost with its inverse
            square.
        voxel_size: of the job.
        voxels: along the longest side of the grid. As many times the voxel size is too large.
    """
    if needed <= limit:
        return
    factor = MARGIN * math.sqrt((needed - fixed) / (limit - fixed)) if limit > fixed else math.inf
    raise MemoryLimitError(int(needed), limit, factor * voxel_size if factor < voxels else math.inf)


def input_bytes(counts: Counts, backend: str) -> float:
    """Bytes that the input of a job takes, whatever its voxels."""
    return _input_bytes(counts.triangles, counts.segments, backend)


def _input_bytes(triangles: int, segments: int, backend: str) -> float:
    return FIXED.get(backend, FIXED["cpu"]) + PER_TRIANGLE * triangles + PER_SEGMENT * segments


def _binning_bytes(segments: int, pairs: float) -> float:
    """What segments and their entries in lists take in addition during binning."""
    return BINNING_SEGMENT * segments + BINNING_PART * min(pairs, MOST_IN_PART)


def _rough_bytes(area: float, grid: Grid) -> int:
    """The bytes of a job that depend on the voxel size, from the area of its surfaces."""
    bricks = math.prod(BrickTable.over(grid).shape)
    near = min(bricks, area / grid.voxel_size**2 * NEAR_BRICKS_PER_AREA)
    whole = MAKING_SWEEP_BRICK + MAKING_SLAB_BRICK
    return int(near * whole + bricks * PER_TABLE_BRICK + grid.shape[1] * grid.shape[2] * PER_COLUMN)
