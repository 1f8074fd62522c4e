"""The functions of `voxel_carve.torch`: checks, and calls of our operators."""

from contextlib import suppress
from types import ModuleType
from typing import Any

from ..compute import Grid, InputError, Operation
from ..frameworks.arguments import (
    check_field,
    check_occupancy,
    check_operation,
    check_path,
    check_query,
    not_installed,
)
from ..frameworks.fields import centres, combined
from .derivatives import differentiable_distances
from .operators import DEVICES, register

with suppress(ImportError):  # without PyTorch, each call says so
    register()
    _distances = differentiable_distances()


def sweep(
    occupancy: Any,
    grid: Grid,
    points: Any,
    radii: Any,
    operation: Operation = "subtract",
    *,
    cyclic: bool = False,
    joined: bool = True,
    first_layer: int | None = None,
) -> Any:
    """An occupancy with a sweep taken out of it, added to it, or intersected with it: see `compute.sweep`.

    It can be called under `torch.compile`, and `torch.func.vmap`, whose batch is one call. An occupancy changes by
    leaps, so it has no derivatives.

    Args:
        occupancy: (Z, Y, X) of bool, of the grid's shape, or (L, Y, X), some of its layers; on the CPU or on a card,
            where it stays.
        grid: where the voxels lie.
        points: (N, 3), the points of a path, in world space, on any device: they are read by the host.
        radii: (N,), or one number for all points.
        operation: "subtract", "union" or "intersect".
        cyclic, joined: as for `compute.Path`.
        first_layer: the index z, in the grid, of the lowest of some layers. The voxels are then those of the whole, to
            the last.

    Returns:
        A new occupancy of the same shape, beside the other.

    Raises:
        InputError: wrong shapes, types or values; a tensor on a device other than the CPU and CUDA's. `torch.compile`
            tells of wrong shapes and types in an error of its own.
        BackendError: PyTorch is not installed; or Warp, for tensors on a card.
    """
    torch = _torch()
    voxels, places, sizes = (torch.as_tensor(each) for each in (occupancy, points, radii))
    check_occupancy(voxels.shape, voxels.dtype == torch.bool, voxels.dtype, grid, first_layer)
    check_operation(operation)
    check_path(places.shape, sizes.shape)
    _check_device(voxels, places, sizes)
    return torch.ops.voxel_carve.sweep(
        voxels, places, sizes.expand(places.shape[:1]), torch.from_numpy(grid.origin.copy()), grid.voxel_size,
        grid.shape[0], 0 if first_layer is None else first_layer, operation, cyclic, joined,
    )  # fmt: skip


def sweep_field(
    distance: Any,
    grid: Grid,
    points: Any,
    radii: Any,
    operation: Operation = "subtract",
    *,
    cyclic: bool = False,
    joined: bool = True,
    first_layer: int | None = None,
) -> Any:
    """A distance field with a sweep taken out of it, added to it, or intersected with it: `sweep`, with derivatives.

    It can be called as `sweep_distance`, and has derivatives by the field, the points and the radii. Away from the
    surfaces the result is a bound of the distance, as of every combination of two fields.

    Args:
        distance: (Z, Y, X) of floating-point numbers, in the grid's unit, negative inside; or (L, Y, X), some layers.
        grid, points, radii, operation, cyclic, joined, first_layer: as for `sweep`.

    Returns:
        A new field of the same shape and type.

    Raises:
        InputError, BackendError: as `sweep`.
    """
    torch = _torch()
    field = torch.as_tensor(distance)
    check_field(field.shape, field.is_floating_point(), field.dtype, grid, first_layer)
    check_operation(operation)
    _check_device(field)
    places = centres(torch, grid, tuple(field.shape), 0 if first_layer is None else first_layer, field.dtype)
    swept = sweep_distance(places.to(field.device), points, radii, cyclic=cyclic, joined=joined).to(field.dtype)
    return combined(torch, field, swept, operation)


def sweep_distance(query_points: Any, points: Any, radii: Any, *, cyclic: bool = False, joined: bool = True) -> Any:
    """The signed distances of points from a sweep: see `compute.sweep_distance`.

    It can be called under `torch.compile`, `torch.func.vmap` and `torch.func.grad`, and autograd differentiates it, in
    closed form: by the query points, the points and the radii. There are no second derivatives, and none in forward
    mode. Points on a card are copied to the CPU, and distances back; the nearest segments are found on the card, by the
    backend `cuda`.

    Args:
        query_points: (..., 3), in world space.
        points, radii, cyclic, joined: as for `sweep`.

    Returns:
        (...) distances, negative inside, beside the query points, in the type that the arguments have in common. They
        are computed in float64.

    Raises:
        InputError, BackendError: as `sweep`; InputError for derivatives that there are not, too.
    """
    torch = _torch()
    places, path, sizes = (torch.as_tensor(each) for each in (query_points, points, radii))
    check_query(places.shape)
    check_path(path.shape, sizes.shape)
    _check_device(places, path, sizes)
    kind = torch.promote_types(torch.promote_types(places.dtype, path.dtype), sizes.dtype)
    kind = kind if kind.is_floating_point else torch.get_default_dtype()
    query, path, sizes = places.reshape(-1, 3).to(kind), path.to(kind), sizes.to(kind).expand(path.shape[:1])
    return _distances(query, path, sizes, cyclic, joined).reshape(places.shape[:-1])


def _check_device(*tensors: Any) -> None:
    """Raise InputError where a tensor is on a device that our operators do not know."""
    for tensor in tensors:
        if tensor.device.type not in DEVICES:
            raise InputError("a tensor is on the device {device}: pass tensor.cpu()", device=str(tensor.device))


def _torch() -> ModuleType:
    """PyTorch, or our error with the line that installs it."""
    try:
        import torch
    except ImportError as error:
        raise not_installed("PyTorch", "torch", error) from error
    return torch
