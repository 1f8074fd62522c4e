"""The dense operations in plain numpy and scipy, for use without numba."""

import platform
from functools import partial

from ...field.binning import BinnedSweep
from ...field.protocol import BooleanOperation, Occupancy
from ...model.bricks import BrickTable
from ...model.grid import Grid
from ...model.mesh import TriMesh
from ...primitives.segments import Segments
from . import dense as scipy_dense
from .operands import DenseOperations


class ScipyBackend(DenseOperations):
    """Slow, needs no compiler, and is the readable reference of the other backends. See `DenseBackend`."""

    name = "scipy"

    def __init__(self) -> None:
        self.device = platform.processor() or platform.machine()

    def boolean(self, operation: BooleanOperation, a: Occupancy, b: Occupancy) -> Occupancy:
        """Union, intersection or difference."""
        return scipy_dense.boolean(operation, a, b)

    def dilate(self, occupancy: Occupancy, kernel: Occupancy) -> Occupancy:
        """Dilate by a structuring element."""
        return scipy_dense.dilate(occupancy, kernel)

    def voxelize_mesh(self, mesh: TriMesh, grid: Grid, fill_holes: bool = False) -> Occupancy:
        """The voxels inside a mesh."""
        return scipy_dense.voxelize_mesh(mesh, grid, fill_holes)

    def bin_segments(self, segments: Segments, grid: Grid) -> BinnedSweep:
        """The segments that can reach each brick."""
        return scipy_dense.bin_segments(segments, grid)

    def subtract_segments(
        self, occupancy: Occupancy, first_layer: int, segments: Segments, binned: BinnedSweep, table: BrickTable
    ) -> int:
        """Clear the voxels of a slab within binned segments."""
        distance_in = partial(scipy_dense.segment_distance, segments, table)
        return scipy_dense.subtract_segments(occupancy, first_layer, binned, table, distance_in)
