"""The parts of dense operations that all backends share: checks, and sweeps reduced to segments in bricks."""

from abc import ABC, abstractmethod

import numpy as np
import numpy.typing as npt

from ...field.binning import BinnedSweep
from ...field.protocol import BOOLEAN_OPERATIONS, Occupancy
from ...model.bricks import BrickTable
from ...model.grid import Grid, as_floats
from ...model.sweep import Sweep
from ...primitives.segments import Segments
from ...runtime.errors import InputError


def check_occupancy(occupancy: Occupancy) -> None:
    """Raise InputError if an occupancy is not a bool array with three axes."""
    if not isinstance(occupancy, np.ndarray) or occupancy.dtype != np.bool_:
        kind = occupancy.dtype if isinstance(occupancy, np.ndarray) else type(occupancy).__name__
        raise InputError(f"an occupancy must be an array of bool, and this one is of {kind}")
    if occupancy.ndim != 3:
        raise InputError(f"an occupancy must have the axes (Z, Y, X), and this one has the shape {occupancy.shape}")


def check_operands(operation: str, a: Occupancy, b: Occupancy) -> None:
    """Raise InputError if `DenseBackend.boolean` cannot combine a and b."""
    if operation not in BOOLEAN_OPERATIONS:
        raise InputError(f"unknown operation '{operation}': choose {', '.join(BOOLEAN_OPERATIONS)}")
    check_occupancy(a)
    check_occupancy(b)
    if a.shape != b.shape:
        raise InputError(f"occupancies of shapes {a.shape} and {b.shape} cannot be combined: use one grid for both")


def check_kernel(occupancy: Occupancy, kernel: Occupancy) -> None:
    """Raise InputError if `DenseBackend.dilate` cannot use the structuring element."""
    check_occupancy(occupancy)
    check_occupancy(kernel)
    if not all(side % 2 for side in kernel.shape):
        raise InputError(f"a structuring element needs odd sides, to have a middle, and this one is {kernel.shape}")


def check_fits(occupancy: Occupancy, grid: Grid) -> None:
    """Raise InputError if an occupancy does not fit a grid."""
    check_occupancy(occupancy)
    if occupancy.shape != grid.shape:
        raise InputError(f"an occupancy of shape {occupancy.shape} does not fit a grid of shape {grid.shape}")


def check_carvable(occupancy: Occupancy, grid: Grid) -> None:
    """Raise InputError if voxels of `occupancy`, on `grid`, cannot be cleared in place."""
    check_fits(occupancy, grid)
    if not occupancy.flags.writeable:
        raise InputError("the occupancy is read-only: carve a copy, or open its file for writing")


def capsule(p0: npt.ArrayLike, p1: npt.ArrayLike, radius: float) -> Sweep:
    """A sweep of one segment, between the points p0 and p1 (3,)."""
    start, end = as_floats(p0, "one of a capsule's points"), as_floats(p1, "one of a capsule's points")
    if start.shape != (3,) or end.shape != (3,):
        raise InputError(f"a capsule needs two points (x, y, z), and these have the shapes {start.shape}, {end.shape}")
    return Sweep(start, end, as_floats(radius, "a capsule's radius"), as_floats(radius, "a capsule's radius"))


class DenseOperations(ABC):
    """The operations of `DenseBackend` that are built from its other operations."""

    @abstractmethod
    def bin_segments(self, segments: Segments, grid: Grid) -> BinnedSweep:
        """The segments that can reach each brick."""

    @abstractmethod
    def subtract_segments(
        self, occupancy: Occupancy, first_layer: int, segments: Segments, binned: BinnedSweep, table: BrickTable
    ) -> int:
        """Clear the voxels of a slab within binned segments."""

    def subtract_sweep(self, occupancy: Occupancy, grid: Grid, sweep: Sweep) -> int:
        """Clear the voxels within a sweep."""
        check_carvable(occupancy, grid)
        segments = Segments.on_grid(sweep, grid)
        binned = self.bin_segments(segments, grid)
        return self.subtract_segments(occupancy, 0, segments, binned, BrickTable.over(grid))

    def subtract_swept_capsule(
        self, occupancy: Occupancy, grid: Grid, p0: npt.ArrayLike, p1: npt.ArrayLike, radius: float
    ) -> int:
        """Clear the voxels within a capsule."""
        return self.subtract_sweep(occupancy, grid, capsule(p0, p1, radius))
