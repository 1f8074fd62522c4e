"""Occupancies: what they are, and checks of those that callers pass in."""

from typing import Any, Literal, get_args

import numpy as np

from ..arrays import Layers, Occupancy
from ..model.grid import Grid, as_grid
from ..runtime.errors import InputError

BooleanOperation = Literal["union", "intersect", "subtract"]
BOOLEAN_OPERATIONS: tuple[str, ...] = get_args(BooleanOperation)


def check_occupancy(occupancy: Occupancy) -> None:
    """Raise InputError if an occupancy is not a bool array of numpy's with three axes."""
    if not isinstance(occupancy, np.ndarray) or occupancy.dtype != np.bool_:
        kind = occupancy.dtype if isinstance(occupancy, np.ndarray) else type(occupancy).__name__
        raise InputError(
            "a backend needs an array of bool by numpy, and this one is of {kind}: boolean, dilate, voxelize and sweep "
            "of voxel_carve.compute take others",
            kind=kind,
        )
    if occupancy.ndim != 3:
        raise InputError(
            "an occupancy must have the axes (Z, Y, X), and this one has the shape {shape}", shape=occupancy.shape
        )


def check_operands(operation: str, *operands: Occupancy) -> None:
    """Raise InputError if `DenseBackend.boolean` cannot combine these arrays, whatever their shapes."""
    if operation not in BOOLEAN_OPERATIONS:
        raise InputError(
            "unknown operation '{operation}': choose {choices}",
            operation=operation,
            choices=", ".join(BOOLEAN_OPERATIONS),
        )
    for operand in operands:
        check_occupancy(operand)


def check_shapes(shape: tuple[int, ...], other: tuple[int, ...]) -> None:
    """Raise InputError if two occupancies have different shapes."""
    if shape != other:
        raise InputError(
            "occupancies of shapes {shape} and {other} cannot be combined: use one grid for both",
            shape=shape,
            other=other,
        )


def check_kernel(occupancy: Occupancy, kernel: Occupancy) -> None:
    """Raise InputError if `DenseBackend.dilate` cannot use the structuring element."""
    check_occupancy(occupancy)
    check_occupancy(kernel)
    if not all(side % 2 for side in kernel.shape):
        raise InputError(
            "a structuring element needs odd sides, to have a middle, and this one is {shape}", shape=kernel.shape
        )


def check_fits(shape: tuple[int, ...], grid: Grid) -> None:
    """Raise InputError if an occupancy of this shape does not fit a grid, or that is none."""
    if shape != as_grid(grid).shape:
        raise InputError(
            "an occupancy of shape {shape} does not fit a grid of shape {grid}", shape=shape, grid=grid.shape
        )


def first_layer_of(shape: tuple[int, ...], grid: Grid, first_layer: int | None) -> int:
    """The index z, in a grid, of the lowest layer of an occupancy of this shape: all of the grid, or some layers of it.

    Args:
        first_layer: None where the occupancy is all of the grid.

    Raises:
        InputError: it does not fit the grid there, or that is none.
    """
    as_grid(grid)
    if first_layer is None:
        check_fits(shape, grid)
        return 0
    if shape[1:] != grid.shape[1:] or not 0 <= first_layer <= grid.shape[0] - shape[0]:
        raise InputError(
            "an occupancy of shape {shape} does not fit a grid of shape {grid} from layer {first_layer} on",
            shape=shape,
            grid=grid.shape,
            first_layer=first_layer,
        )
    return first_layer


def carvable(occupancy: Any, grid: Grid) -> Occupancy:
    """The voxels of an array in memory, on `grid`, that can be cleared in place.

    Raises:
        InputError: as `Layers.written`, or the array has another shape or is stored in pieces.
    """
    layers = Layers.written(occupancy)
    check_fits(layers.shape, grid)
    if layers.seen is None:
        raise InputError("an array that is stored in pieces is carved by a CarveSession, slab by slab")
    return layers.seen
