"""Checks of what a framework knows of arrays before their values: shapes and types."""

from typing import Any, get_args

from ..compute import BackendError, Grid, InputError, Operation

Shape = tuple[int, ...]


def not_installed(framework: str, extra: str, error: ImportError) -> BackendError:
    """The error of a framework that cannot be imported, with the line that installs it."""
    return BackendError(
        "{framework} cannot be imported ({error}): install it with pip install 'voxel-carve[{extra}]'",
        framework=framework,
        error=error,
        extra=extra,
    )


def check_path(points: Shape, radii: Shape) -> None:
    """Raise InputError unless the shapes are those of a path's points (N, 3) and radii, (N,) or ()."""
    if len(points) != 2 or points[1] != 3 or points[0] == 0:
        raise InputError(
            "a path has points of shape {shape}: give (N, 3), a row (x, y, z) for each point", shape=tuple(points)
        )
    if len(radii) > 1 or (len(radii) == 1 and radii[0] != points[0]):
        raise InputError(
            "a path has points of shape {points} and radii of shape {shape}: give one for each, or one for all",
            points=tuple(points),
            shape=tuple(radii),
        )


def check_query(points: Shape) -> None:
    """Raise InputError unless points of this shape (..., 3) can be asked for their distances."""
    if len(points) == 0 or points[-1] != 3:
        raise InputError("points of shape {shape} have no distances: give (..., 3)", shape=tuple(points))


def check_occupancy(shape: Shape, is_bool: bool, kind: object, grid: Any, first_layer: Any) -> None:
    """Raise InputError unless an occupancy can be one of a grid, or of some layers of it if a first one is given."""
    if not is_bool:
        raise InputError(
            "an occupancy must be of bool here, and this one is of {kind}: compare it with something, as array > 0",
            kind=str(kind),
        )
    _check_layers("an occupancy", shape, grid, first_layer)


def check_field(shape: Shape, is_real: bool, kind: object, grid: Any, first_layer: Any) -> None:
    """As `check_occupancy`, for a distance field."""
    if not is_real:
        raise InputError(
            "a distance field must be of floating-point numbers, and this one is of {kind}", kind=str(kind)
        )
    _check_layers("a distance field", shape, grid, first_layer)


def _check_layers(what: str, shape: Shape, grid: Any, first_layer: Any) -> None:
    if not isinstance(grid, Grid):
        raise InputError("a grid is a voxel_carve.compute.Grid, and this one is a {kind}", kind=type(grid).__name__)
    is_whole = first_layer is None
    fits = len(shape) == 3 and shape[1:] == grid.shape[1:]
    if not fits or (shape[0] != grid.shape[0] if is_whole else shape[0] > grid.shape[0]):
        raise InputError(
            "{what} of shape {shape} does not fit a grid of shape {grid}: give (Z, Y, X), or some layers of it and "
            "their first_layer",
            what=what,
            shape=tuple(shape),
            grid=grid.shape,
        )


def check_operation(operation: str) -> None:
    """Raise InputError unless the operation is one that combines a sweep with an occupancy."""
    if operation not in get_args(Operation):
        raise InputError(
            "unknown operation '{operation}': choose {choices}",
            operation=operation,
            choices=", ".join(get_args(Operation)),
        )
