"""The CPU backend: numpy and scipy, always there."""

import platform

import numpy as np
import numpy.typing as npt

from . import dense, evaluation, scipy_dense, scipy_kernels, scipy_triangles, winding
from .backend import BooleanOperation, Occupancy
from .binning import BinnedSweep
from .bricks import Bins, BrickTable
from .combining import Operation
from .fields import Field, Fields, Loss
from .grid import Grid
from .host_steps import HostSteps
from .mesh import TriMesh
from .segments import Segments
from .sweep import Sweep
from .threads import map_blocks, slices
from .triangles import Triangles
from .winding import Boundary

BRICKS_PER_BLOCK = 512  # evaluated at once by one thread


class ScipyBackend(HostSteps):
    """Runs everything on the CPU. See `Backend` for what each operation does.

    Args:
        notes: sentences for the user on why numpy does the work.
    """

    name = "cpu"

    def __init__(self, notes: tuple[str, ...] = ()) -> None:
        self.device = platform.processor() or platform.machine()
        self.notes = notes

    def compile_seconds(self) -> float:
        """Nothing is compiled."""
        return 0.0

    def boolean(self, operation: BooleanOperation, a: Occupancy, b: Occupancy) -> Occupancy:
        """Union, intersection or difference."""
        return scipy_dense.boolean(operation, a, b)

    def dilate(self, occupancy: Occupancy, kernel: Occupancy) -> Occupancy:
        """Dilate by a structuring element."""
        return scipy_dense.dilate(occupancy, kernel)

    def voxelize_mesh(self, mesh: TriMesh, grid: Grid, fill_holes: bool = False) -> Occupancy:
        """The voxels inside a mesh."""
        return scipy_dense.voxelize_mesh(mesh, grid, fill_holes, self)

    def subtract_segments(
        self, occupancy: Occupancy, first_layer: int, segments: Segments, binned: BinnedSweep, table: BrickTable
    ) -> int:
        """Clear the voxels of a slab within binned segments."""
        return scipy_dense.subtract_segments(occupancy, first_layer, segments, binned, table)

    def subtract_sweep(self, occupancy: Occupancy, grid: Grid, sweep: Sweep) -> int:
        """Clear the voxels within a sweep."""
        return dense.subtract_sweep(self, occupancy, grid, sweep)

    def subtract_swept_capsule(
        self, occupancy: Occupancy, grid: Grid, p0: npt.ArrayLike, p1: npt.ArrayLike, radius: float
    ) -> int:
        """Clear the voxels within a capsule."""
        return dense.subtract_sweep(self, occupancy, grid, dense.capsule(p0, p1, radius))

    def segment_distance(self, segments: Segments, bins: Bins, table: BrickTable) -> npt.NDArray[np.float32]:
        """(B, 512) signed distance to the nearest segment of each brick."""
        return scipy_kernels.nearest_segment(segments, bins, table)[0]

    def triangle_distance(self, triangles: Triangles, bins: Bins, table: BrickTable) -> npt.NDArray[np.float32]:
        """(B, 512) unsigned distance to the nearest triangle of each brick."""
        return scipy_triangles.nearest_triangle(triangles, bins, table)[0]

    def evaluate(self, fields: Fields, operation: Operation) -> tuple[Field, Loss]:
        """The two fields made one, in every brick."""
        blocks = list(slices(len(fields), BRICKS_PER_BLOCK))
        return evaluation.evaluate(fields, operation, self, blocks, map_blocks)

    def boundary_winding(self, points: npt.NDArray[np.float64], boundary: Boundary) -> npt.NDArray[np.float64]:
        """(N,) sum over the open boundary."""
        return winding.boundary_winding(points, boundary)

    def winding_gradient(self, points: npt.NDArray[np.float64], boundary: Boundary) -> npt.NDArray[np.float64]:
        """(N, 3) gradient of the winding number."""
        return winding.winding_gradient(points, boundary)
