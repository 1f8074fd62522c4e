"""The CPU backend: kernels compiled by numba over runs of bricks, points or faces, with numpy and scipy around them."""

import platform
from collections.abc import Callable
from functools import partial

import numpy as np
import numpy.typing as npt

from ...contour.surface import PlacementCounts
from ...field.binning import BinnedSweep
from ...field.fields import Field, Fields, Loss
from ...field.protocol import BooleanOperation, Footprint, Occupancy
from ...model.bricks import Bins, BrickTable
from ...model.combining import Operation
from ...model.grid import Grid
from ...model.mesh import Surface, TriMesh
from ...primitives.boundary import Boundary
from ...primitives.crossings import Crossings
from ...primitives.segments import Segments
from ...primitives.triangles import Triangles
from ..scipy import dense as scipy_dense
from ..scipy.operands import DenseOperations
from .compiler.loading import load_kernels, load_seconds
from .field import dense as numba_dense


class NumbaBackend(DenseOperations):
    """Runs everything on the CPU. See `Backend` for what each operation does.

    Raises:
        BackendError: numba is missing, or configured wrongly; the kernels cannot be compiled, or the folder for
            them cannot be trusted.
    """

    name = "cpu"
    device = platform.processor() or platform.machine()
    notes: tuple[str, ...] = ()
    footprint = Footprint(
        brick=15500.0, table_brick=30.0, table_column=24.0, closing_brick=6144.0, pair=6.0, triangle=120.0,
        segment=180.0, binned_pair=20.0, binned_triangle=40.0, fixed=4e6,
    )  # fmt: skip

    def __init__(self) -> None:
        self.notes = load_kernels()

    def begin_job(self, announce: Callable[[], None]) -> None:
        """Do nothing: the kernels are loaded already."""

    def counts(self) -> dict[str, int]:
        """No counts: there is no device."""
        return {}

    def compile_seconds(self) -> float:
        """Seconds spent compiling kernels, or reading them from the cache."""
        return load_seconds()

    def boolean(self, operation: BooleanOperation, a: Occupancy, b: Occupancy) -> Occupancy:
        """Union, intersection or difference."""
        return scipy_dense.boolean(operation, a, b)

    def dilate(self, occupancy: Occupancy, kernel: Occupancy) -> Occupancy:
        """Dilate by a structuring element."""
        return numba_dense.dilate(occupancy, kernel)

    def voxelize_mesh(self, mesh: TriMesh, grid: Grid, fill_holes: bool = False) -> Occupancy:
        """The voxels inside a mesh."""
        return numba_dense.voxelize_mesh(mesh, grid, fill_holes, self)

    def subtract_segments(
        self, occupancy: Occupancy, first_layer: int, segments: Segments, binned: BinnedSweep, table: BrickTable
    ) -> int:
        """Clear the voxels of a slab within binned segments."""
        distance_in = partial(numba_dense.segment_distance, self, segments, table)
        return scipy_dense.subtract_segments(occupancy, first_layer, binned, table, distance_in)

    def bin_segments(self, segments: Segments, grid: Grid) -> BinnedSweep:
        """The segments that may be nearest in each brick."""
        from .field.segment_binning import bin_segments

        return bin_segments(segments, grid)

    def bin_triangles(self, triangles: Triangles, grid: Grid) -> Bins:
        """The triangles that may be nearest in each brick."""
        from .field.triangle_binning import bin_triangles

        return bin_triangles(triangles, grid)

    def pass_columns(self, triangles: Triangles, shape: tuple[int, int, int]) -> Crossings:
        """The crossings of triangles with the z columns."""
        from .field.crossings import crossings_of

        return crossings_of(triangles, shape)

    def crossings_in_bricks(
        self, crossings: Crossings, bricks: npt.NDArray[np.int64], table: BrickTable
    ) -> npt.NDArray[np.int16]:
        """(B, 512) signed crossings above each voxel."""
        from .field.crossings import in_bricks

        return in_bricks(crossings, bricks, table)

    def boundary_winding(self, points: npt.NDArray[np.float64], boundary: Boundary) -> npt.NDArray[np.float64]:
        """(N,) winding number of the open boundary."""
        from .field.winding import at_points, boundary_winding

        return at_points(boundary_winding, points, boundary.edges)

    def winding_gradient(self, points: npt.NDArray[np.float64], boundary: Boundary) -> npt.NDArray[np.float64]:
        """(N, 3) gradient of the winding number."""
        from .field.winding import at_points, winding_gradient

        return at_points(winding_gradient, points, boundary.edges, width=3)

    def gradient_bound(
        self, points: npt.NDArray[np.float64], boundary: Boundary, reach: float
    ) -> npt.NDArray[np.float64]:
        """(N,) upper bound of the length of the gradient."""
        from .field.winding import at_points, gradient_bound

        return at_points(gradient_bound, points, boundary.pieces, reach)

    def evaluate(self, fields: Fields, operation: Operation) -> tuple[Field, Loss]:
        """The two fields combined, in every brick."""
        from .field.fields import evaluate

        return evaluate(fields, operation)

    def measure(self, surface: Surface) -> tuple[float, bool]:
        """Volume, and whether it is closed."""
        from .contour.measuring import measure

        return measure(surface)

    def extract_surface(self, field: Field, grid: Grid) -> tuple[Surface, PlacementCounts]:
        """The closed mesh of a field."""
        from .contour.surface import extract_surface

        return extract_surface(field, grid)
