"""The compiled CPU backend: numba kernels over runs of bricks, points or faces, where numba is installed."""

import numpy as np
import numpy.typing as npt

from .backend import Footprint
from .binning import BinnedSweep
from .bricks import Bins, BrickTable
from .combining import Operation
from .crossings import Crossings
from .fields import Field, Fields, Loss
from .grid import Grid
from .mesh import Surface
from .numba_loading import load_kernels, load_seconds
from .scipy_backend import ScipyBackend
from .segments import Segments
from .surface import Placed
from .triangles import Triangles
from .winding import Boundary


class NumbaBackend(ScipyBackend):
    """Runs the brick operations on compiled kernels; dense ones as on the CPU. See `Backend` for what each does.

    Raises:
        BackendError: numba is missing, or told what it cannot do; the kernels cannot be compiled, or the folder for
            them cannot be trusted.
    """

    name = "numba"
    footprint = Footprint(
        brick=15500.0, pair=6.0, triangle=160.0, segment=180.0, binned_pair=20.0, binned_triangle=40.0, fixed=4e6
    )

    def __init__(self) -> None:
        super().__init__(load_kernels())

    def compile_seconds(self) -> float:
        """Seconds spent compiling kernels, or reading them from the cache."""
        return load_seconds()

    def bin_segments(self, segments: Segments, grid: Grid) -> BinnedSweep:
        """The segments that can be nearest in each brick."""
        from .numba_binning import bin_segments

        return bin_segments(segments, grid)

    def bin_triangles(self, triangles: Triangles, grid: Grid) -> Bins:
        """The triangles that can be nearest in each brick."""
        from .numba_triangles import bin_triangles

        return bin_triangles(triangles, grid)

    def pass_columns(self, triangles: Triangles, shape: tuple[int, int, int]) -> Crossings:
        """The crossings of the z columns."""
        from .numba_crossings import crossings_of

        return crossings_of(triangles, shape)

    def crossings_in_bricks(
        self, crossings: Crossings, bricks: npt.NDArray[np.int64], table: BrickTable
    ) -> npt.NDArray[np.int16]:
        """(B, 512) signed crossings above each voxel."""
        from .numba_crossings import in_bricks

        return in_bricks(crossings, bricks, table)

    def triangle_distance(self, triangles: Triangles, bins: Bins, table: BrickTable) -> npt.NDArray[np.float32]:
        """(B, 512) unsigned distance to the nearest triangle of each brick."""
        from .numba_frames import triangle_distance

        return triangle_distance(triangles, bins, table)

    def boundary_winding(self, points: npt.NDArray[np.float64], boundary: Boundary) -> npt.NDArray[np.float64]:
        """(N,) sum over the open boundary."""
        from .numba_winding import Edges, at_points, boundary_winding

        return at_points(boundary_winding, points, Edges(boundary.low, boundary.high, boundary.sign))

    def winding_gradient(self, points: npt.NDArray[np.float64], boundary: Boundary) -> npt.NDArray[np.float64]:
        """(N, 3) gradient of the winding number."""
        from .numba_winding import Edges, at_points, winding_gradient

        return at_points(winding_gradient, points, Edges(boundary.low, boundary.high, boundary.sign), width=3)

    def gradient_bound(
        self, points: npt.NDArray[np.float64], boundary: Boundary, reach: float
    ) -> npt.NDArray[np.float64]:
        """(N,) upper bound of the length of the gradient."""
        from .numba_winding import Pieces, at_points, gradient_bound

        return at_points(gradient_bound, points, Pieces(*boundary.pieces), reach)

    def evaluate(self, fields: Fields, operation: Operation) -> tuple[Field, Loss]:
        """The two fields made one, in every brick."""
        from .numba_fields import evaluate

        return evaluate(fields, operation)

    def measure(self, surface: Surface) -> tuple[float, bool]:
        """Volume, and whether it is closed."""
        from .numba_measuring import measure

        return measure(surface)

    def extract_surface(self, field: Field, grid: Grid) -> tuple[Surface, Placed]:
        """The closed mesh of a field."""
        from .numba_surface import extract_surface

        return extract_surface(field, grid)
