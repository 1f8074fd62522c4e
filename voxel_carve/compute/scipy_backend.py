"""The CPU backend: numpy and scipy, always there."""

import platform

import numpy as np
import numpy.typing as npt

from . import scipy_kernels, winding
from .bricks import Bins, BrickTable
from .segments import Segments
from .triangles import Triangles
from .winding import Boundary


class ScipyBackend:
    """Runs everything on the CPU. See `Backend` for what each operation does."""

    name = "cpu"

    def __init__(self) -> None:
        self.device = platform.processor() or platform.machine()

    def compile_seconds(self) -> float:
        """Nothing is compiled."""
        return 0.0

    def segment_distance(self, segments: Segments, bins: Bins, table: BrickTable) -> npt.NDArray[np.float32]:
        """(B, 512) signed distance to the nearest segment of each brick."""
        return scipy_kernels.segment_distance(segments, bins, table)

    def triangle_distance(self, triangles: Triangles, bins: Bins, table: BrickTable) -> npt.NDArray[np.float32]:
        """(B, 512) unsigned distance to the nearest triangle of each brick."""
        return scipy_kernels.triangle_distance(triangles, bins, table)

    def boundary_winding(self, points: npt.NDArray[np.float64], boundary: Boundary) -> npt.NDArray[np.float64]:
        """(N,) sum over the open boundary."""
        return winding.boundary_winding(points, boundary)

    def winding_gradient(self, points: npt.NDArray[np.float64], boundary: Boundary) -> npt.NDArray[np.float64]:
        """(N, 3) gradient of the winding number."""
        return winding.winding_gradient(points, boundary)
