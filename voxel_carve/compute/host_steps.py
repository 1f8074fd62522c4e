"""The steps of the job that run in numpy on the host, for the backends that have no kernels of their own for them."""

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from . import binning, measuring, winding
from .backend import Footprint
from .binning import BinnedSweep
from .bricks import Bins, BrickTable
from .crossings import Crossings
from .fields import Field
from .grid import Grid
from .mesh import Surface
from .segments import Segments
from .surface import Placed, extract_surface
from .triangles import Triangles
from .winding import Boundary


class HostSteps:
    """Binning, crossings and extraction. See `Backend` for what each of them does."""

    footprint = Footprint()

    def begin_job(self, announce: Callable[[], None]) -> None:
        """Nothing is compiled, and nothing counted."""

    def counts(self) -> dict[str, int]:
        """There is no device."""
        return {}

    def bin_segments(self, segments: Segments, grid: Grid) -> BinnedSweep:
        """The segments that can be nearest in each brick."""
        return binning.bin_segments(segments, grid)

    def bin_triangles(self, triangles: Triangles, grid: Grid) -> Bins:
        """The triangles that can be nearest in each brick."""
        return binning.bin_triangles(triangles, grid)

    def pass_columns(self, triangles: Triangles, shape: tuple[int, int, int]) -> Crossings:
        """The crossings of the z columns."""
        return Crossings.of(triangles, shape)

    def crossings_in_bricks(
        self, crossings: Crossings, bricks: npt.NDArray[np.int64], table: BrickTable
    ) -> npt.NDArray[np.int16]:
        """(B, 512) signed crossings above each voxel."""
        return crossings.in_bricks(bricks, table)

    def gradient_bound(
        self, points: npt.NDArray[np.float64], boundary: Boundary, reach: float
    ) -> npt.NDArray[np.float64]:
        """(N,) upper bound of the length of the gradient."""
        return winding.gradient_bound(points, boundary, reach)

    def extract_surface(self, field: Field, grid: Grid) -> tuple[Surface, Placed]:
        """The closed mesh of a field."""
        return extract_surface(field, grid)

    def measure(self, surface: Surface) -> tuple[float, bool]:
        """Volume, and whether it is closed."""
        return measuring.measure(surface)
