"""Occupancies: what they are, and checks of those that callers pass in."""

from typing import Literal, get_args

import numpy as np
import numpy.typing as npt

from ..model.grid import Grid
from ..runtime.errors import InputError

Occupancy = npt.NDArray[np.bool_]
BooleanOperation = Literal["union", "intersect", "subtract"]
BOOLEAN_OPERATIONS: tuple[str, ...] = get_args(BooleanOperation)


def check_occupancy(occupancy: Occupancy) -> None:
    """Raise InputError if an occupancy is not a bool array with three axes."""
    if not isinstance(occupancy, np.ndarray) or occupancy.dtype != np.bool_:
        kind = occupancy.dtype if isinstance(occupancy, np.ndarray) else type(occupancy).__name__
        raise InputError("an occupancy must be an array of bool, and this one is of {kind}", kind=kind)
    if occupancy.ndim != 3:
        raise InputError(
            "an occupancy must have the axes (Z, Y, X), and this one has the shape {shape}", shape=occupancy.shape
        )


def check_operands(operation: str, a: Occupancy, b: Occupancy) -> None:
    """Raise InputError if `DenseBackend.boolean` cannot combine a and b."""
    if operation not in BOOLEAN_OPERATIONS:
        raise InputError(
            "unknown operation '{operation}': choose {choices}",
            operation=operation,
            choices=", ".join(BOOLEAN_OPERATIONS),
        )
    check_occupancy(a)
    check_occupancy(b)
    if a.shape != b.shape:
        raise InputError(
            "occupancies of shapes {shape} and {other} cannot be combined: use one grid for both",
            shape=a.shape,
            other=b.shape,
        )


def check_kernel(occupancy: Occupancy, kernel: Occupancy) -> None:
    """Raise InputError if `DenseBackend.dilate` cannot use the structuring element."""
    check_occupancy(occupancy)
    check_occupancy(kernel)
    if not all(side % 2 for side in kernel.shape):
        raise InputError(
            "a structuring element needs odd sides, to have a middle, and this one is {shape}", shape=kernel.shape
        )


def check_fits(occupancy: Occupancy, grid: Grid) -> None:
    """Raise InputError if an occupancy does not fit a grid."""
    check_occupancy(occupancy)
    if occupancy.shape != grid.shape:
        raise InputError(
            "an occupancy of shape {shape} does not fit a grid of shape {grid}", shape=occupancy.shape, grid=grid.shape
        )


def check_carvable(occupancy: Occupancy, grid: Grid) -> None:
    """Raise InputError if voxels of `occupancy`, on `grid`, cannot be cleared in place."""
    check_fits(occupancy, grid)
    if not occupancy.flags.writeable:
        raise InputError("the occupancy is read-only: carve a copy, or open its file for writing")
