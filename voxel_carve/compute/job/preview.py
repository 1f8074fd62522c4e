"""A job in larger voxels, which tells early that it will not fit into memory.

Binning a job of thousands of voxels a side takes many seconds. In voxels a few times as large it takes a fraction of
one, and the numbers of bricks and vertices of the fine job follow from those of two such coarse ones.
"""

import math
from dataclasses import replace

from ..field.protocol import Backend
from ..field.stock import prepare_stock
from ..model.bricks import BrickTable
from ..model.combining import Operation, combined_states
from ..model.grid import Grid
from ..model.mesh import TriMesh
from ..model.plan import job_bounds, plan_grid
from ..model.sweep import Sweep
from ..primitives.segments import Segments
from ..runtime.progress import progress_range
from .combining import expected_vertices
from .estimate import Counts, check_limit, input_bytes, job_bytes

# Voxels along the longest side of the coarse grids, and of the smallest job that is worth it.
COARSE_SIDES, LEAST_SIDE = (256, 512), 1536
# The part of what is foretold that surely comes true.
SURELY = 0.9


def check_by_preview(
    stock: TriMesh,
    sweep: Sweep,
    operation: Operation,
    grid: Grid,
    limit: int,
    backend: Backend,
    merges: bool,
) -> None:
    """Raise MemoryLimitError if a job would surely need more than `limit` bytes."""
    counts = foretold_counts(stock, sweep, operation, grid, backend)
    if counts is not None:
        needed = job_bytes(counts, backend.name, merges)
        check_limit(needed, limit, input_bytes(counts, backend.name), grid.voxel_size, max(grid.shape))


def foretold_counts(stock: TriMesh, sweep: Sweep, operation: Operation, grid: Grid, backend: Backend) -> Counts | None:
    """The counts that a job surely comes up to; None for a small one, which is soon binned itself.

    Surfaces have four times as many bricks and vertices where voxels are half as large. What is thinner than a coarse
    brick has fewer: the two coarse jobs tell by how much the numbers really grow, which is never taken for more than
    that.
    """
    longest = max(grid.shape)
    if longest < LEAST_SIDE:
        return None
    bounds = job_bounds(stock, sweep, operation)
    with progress_range(0.0, 0.0, "Voxelize"):
        sizes = [grid.voxel_size * longest / side for side in COARSE_SIDES]
        coarser, coarse = (_counts(stock, sweep, operation, plan_grid(bounds, size), backend) for size in sizes)
    table = BrickTable.over(grid)
    finer = COARSE_SIDES[1] / COARSE_SIDES[0], longest / COARSE_SIDES[1]

    def grown(name: str) -> int:
        few, many = getattr(coarser, name), getattr(coarse, name)
        power = min(2.0, math.log(max(many, 1) / max(few, 1), finer[0]))
        return int(SURELY * many * finer[1] ** max(power, 0.0))

    names = ("bricks", "stock_bricks", "sweep_bricks", "expected_vertices", "triangle_pairs", "segment_pairs")
    return replace(
        coarse,
        table_bricks=len(table),
        table_columns=grid.shape[1] * grid.shape[2],
        **{name: grown(name) for name in names},
    )


def _counts(stock: TriMesh, sweep: Sweep, operation: Operation, grid: Grid, backend: Backend) -> Counts:
    """The counts of a job on a grid."""
    prepared = prepare_stock(stock, grid, backend)
    segments = Segments.on_grid(sweep, prepared.grid).without_repeats()
    binned = backend.bin_segments(segments, prepared.grid)
    states = combined_states(prepared.states, binned.states, operation)
    vertices = expected_vertices(prepared, segments, binned, states, operation, backend)
    return Counts.of(prepared, binned, states, len(sweep), vertices)
