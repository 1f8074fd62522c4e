"""PyTorch's operators `voxel_carve::sweep`, `sweep_distance` and `sweep_distance_derivatives`.

They are for the functions of this package, which check arguments, and refuse derivatives that there are not. Called
by themselves, as `torch.ops.voxel_carve.sweep_distance`, they have none, and PyTorch takes the tangents of forward mode
for zero.

An occupancy is carved where it lies, on a card too. Points whose distances are asked for come to the host from there,
and the results go back; the nearest segments are found on the card. Results lie beside the first array, and derivatives
each beside what they are taken by.

Their first arguments, arrays, may have axes of batches in front, which are broadcast against each other: `vmap` makes
them. A schema knows no classes of ours, so a grid is its origin, its voxel size, and the sides of an occupancy.
"""

from collections.abc import Callable
from typing import Any

import numpy.typing as npt

from ..compute import Operation
from ..frameworks import host

DEVICES = ("cpu", "cuda")

SWEEP = (
    "(Tensor occupancy, Tensor points, Tensor radii, Tensor origin, float voxel_size, int layers, SymInt first_layer, "
    "str operation, bool cyclic, bool joined) -> Tensor"
)
DISTANCE = "(Tensor query, Tensor points, Tensor radii, bool cyclic, bool joined) -> Tensor"
DERIVATIVES = (
    "(Tensor weights, Tensor query, Tensor points, Tensor radii, bool cyclic, bool joined) -> (Tensor, Tensor, Tensor)"
)


def register() -> None:
    """Tell PyTorch of the operators.

    Raises:
        ImportError: it is not installed.
    """
    _define("sweep", SWEEP, 3, _sweep, _like_sweep)
    _define("sweep_distance_derivatives", DERIVATIVES, 4, _derivatives, _like_derivatives)
    _define("sweep_distance", DISTANCE, 3, _distance, _like_distance)


def _define(name: str, schema: str, count: int, run: Callable[..., Any], shape: Callable[..., Any]) -> None:
    """Define an operator.

    Args:
        count: how many arguments, the first, are arrays that can have axes of batches in front.
        run: does the work. shape: gives empty results of the shapes and types that `run` would give.
    """
    import torch

    operator = torch.library.custom_op(
        f"voxel_carve::{name}", run, mutates_args=(), schema=schema, device_types=DEVICES
    )
    operator.register_fake(shape)
    operator.register_vmap(lambda _info, axes, *arguments: over_batch(operator, count, axes, arguments))


def over_batch(
    function: Callable[..., Any], count: int, axes: tuple[int | None, ...], arguments: tuple[Any, ...]
) -> tuple[Any, Any]:
    """Call a function once for a whole batch of `vmap`, and say along which axes its results have it.

    Args:
        count: how many arguments, the first, are arrays that can have axes of batches in front.
        axes: of each argument, the axis of the batch; None without one.
    """
    moved = [
        array.unsqueeze(0) if axis is None else array.movedim(axis, 0)
        for axis, array in zip(axes[:count], arguments[:count], strict=True)
    ]
    found = function(*moved, *arguments[count:])
    return found, (0,) * len(found) if isinstance(found, tuple) else 0


def _sweep(
    occupancy: Any, points: Any, radii: Any, origin: Any, voxel_size: float, layers: int, first_layer: int,
    operation: Operation, cyclic: bool, joined: bool,
) -> Any:  # fmt: skip
    import torch

    batch = _sweep_batch(occupancy, points, radii)
    found = occupancy.expand(*batch, *occupancy.shape[-3:]).clone(memory_format=torch.contiguous_format)
    host.sweep_each(
        host.as_items(found), batch, _on_host(points), _on_host(radii), first_layer, origin=_on_host(origin),
        voxel_size=voxel_size, shape=(layers, *occupancy.shape[-2:]), operation=operation, cyclic=cyclic,
        joined=joined, **_backend(found),
    )  # fmt: skip
    return found


def _like_sweep(occupancy: Any, points: Any, radii: Any, *_options: Any) -> Any:
    return occupancy.new_empty((*_sweep_batch(occupancy, points, radii), *occupancy.shape[-3:]))


def _sweep_batch(occupancy: Any, points: Any, radii: Any) -> tuple[Any, ...]:
    return _batch((occupancy, 3), (points, 2), (radii, 1))


def _distance(query: Any, points: Any, radii: Any, cyclic: bool, joined: bool) -> Any:
    import torch

    arrays = (_on_host(each) for each in (query, points, radii))
    found = host.distances(*arrays, cyclic=cyclic, joined=joined, **_backend(query))
    return torch.from_numpy(found).to(query)


def _like_distance(query: Any, points: Any, radii: Any, *_options: Any) -> Any:
    return query.new_empty((*_batch((query, 2), (points, 2), (radii, 1)), query.shape[-2]))


def _derivatives(weights: Any, query: Any, points: Any, radii: Any, cyclic: bool, joined: bool) -> Any:
    import torch

    arrays = (_on_host(each) for each in (weights, query, points, radii))
    found = host.distance_derivatives(*arrays, cyclic=cyclic, joined=joined, **_backend(query))
    return tuple(torch.from_numpy(each).to(by) for each, by in zip(found, (query, points, radii), strict=True))


def _like_derivatives(weights: Any, query: Any, points: Any, radii: Any, *_options: Any) -> Any:
    batch = _batch((weights, 1), (query, 2), (points, 2), (radii, 1))
    return (
        query.new_empty((*batch, *query.shape[-2:])),
        points.new_empty((*batch, *points.shape[-2:])),
        radii.new_empty((*batch, *radii.shape[-1:])),
    )


def _batch(*arrays: tuple[Any, int]) -> tuple[Any, ...]:
    """The shape of a batch, from arrays with the number of axes that are their own."""
    import torch

    return tuple(torch.broadcast_shapes(*(array.shape[: array.ndim - own] for array, own in arrays)))


def _backend(array: Any) -> dict[str, Any]:
    """The named argument for the backend of a tensor's card; none for a tensor on the CPU."""
    return {"backend": str(array.device)} if array.device.type == "cuda" else {}


def _on_host(array: Any) -> npt.NDArray[Any]:
    """A tensor as numpy sees it; one of numbers as float64, which every type of PyTorch's can become."""
    import torch

    return (array.to(torch.float64) if array.is_floating_point() else array).numpy(force=True)
