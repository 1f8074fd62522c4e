"""The distances with their derivatives, as PyTorch's autograd and `torch.func` take them: backward, and once.

PyTorch would take the tangents of an operator of ours for zero, and say nothing. A function of autograd is asked for
them.
"""

from typing import Any, NoReturn

from ..compute import InputError
from .operators import over_batch


def differentiable_distances() -> Any:
    """The operator `sweep_distance` as a function with derivatives by the query points, the points and the radii.

    Raises:
        ImportError: PyTorch is not installed.
    """
    import torch

    class Distances(torch.autograd.Function):  # type: ignore[misc]
        """The distances as `torch.compile` takes them, which refuses a function with a `jvp`."""

        @staticmethod
        def forward(query: Any, points: Any, radii: Any, cyclic: bool, joined: bool) -> Any:
            import torch

            return torch.ops.voxel_carve.sweep_distance(query, points, radii, cyclic, joined)

        @staticmethod
        def setup_context(ctx: Any, inputs: tuple[Any, ...], output: Any) -> None:
            ctx.save_for_backward(*inputs[:3])
            ctx.options = inputs[3:]

        @staticmethod
        def backward(ctx: Any, weights: Any) -> tuple[Any, ...]:
            import torch

            derivatives = torch.ops.voxel_carve.sweep_distance_derivatives(weights, *ctx.saved_tensors, *ctx.options)
            return *derivatives, None, None

        @staticmethod
        def vmap(_info: Any, axes: tuple[int | None, ...], *arguments: Any) -> Any:
            return over_batch(distances, 3, axes, arguments)

    class Derivatives(torch.autograd.Function):  # type: ignore[misc]
        """The derivatives, which have none themselves."""

        @staticmethod
        def forward(*arguments: Any) -> Any:
            return torch.ops.voxel_carve.sweep_distance_derivatives(*arguments)

        @staticmethod
        def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
            pass

        @staticmethod
        def backward(ctx: Any, *weights: Any) -> NoReturn:
            raise InputError("the derivatives of distances have none themselves: ask for first ones alone")

        @staticmethod
        def vmap(_info: Any, axes: tuple[int | None, ...], *arguments: Any) -> Any:
            return over_batch(Derivatives.apply, 4, axes, arguments)

    class RefusingDistances(Distances):
        """The distances, with words of ours for derivatives that there are not."""

        @staticmethod
        def backward(ctx: Any, weights: Any) -> tuple[Any, ...]:
            return *Derivatives.apply(weights, *ctx.saved_tensors, *ctx.options), None, None

        @staticmethod
        def jvp(ctx: Any, *tangents: Any) -> NoReturn:
            _refuse_forward_mode()

    def distances(query: Any, points: Any, radii: Any, cyclic: bool, joined: bool) -> Any:
        if not torch.compiler.is_compiling():
            return RefusingDistances.apply(query, points, radii, cyclic, joined)
        if any(torch.autograd.forward_ad.unpack_dual(each).tangent is not None for each in (query, points, radii)):
            _refuse_forward_mode()
        return Distances.apply(query, points, radii, cyclic, joined)

    return distances


def _refuse_forward_mode() -> NoReturn:
    raise InputError(
        "distances have no derivatives in forward mode (jvp, jacfwd): take those of backward mode (vjp, grad, jacrev)"
    )
