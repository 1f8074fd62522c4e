"""Two kernels that compile in a second. One calls the other."""

from typing import Any

from voxel_carve.compute.engines.numba.compiler.decorators import kernel


@kernel
def add(a: float, b: float) -> float:
    """A kernel."""
    return a + b


@kernel
def add_all(values: Any, much: float) -> None:
    """A kernel that calls `add`."""
    for i in range(len(values)):
        values[i] = add(values[i], much)
