"""Kernels that compile in a second. One calls another. One cannot be kept."""

from typing import Any

import numpy as np

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


# numba writes the address of so large a table into the code.
TABLE = np.arange(200_000.0)


@kernel
def look_up(place: int) -> float:
    """A kernel that reads a table of this process."""
    return float(TABLE[place])


@kernel
def find_touching(start: int, stop: int, quads: Any, chosen: Any, found: Any) -> None:
    """A kernel over rows: set found (Q,) for quads (Q, 4) with a corner that is chosen (V,)."""
    for q in range(start, stop):
        found[q] = chosen[quads[q, 0]] or chosen[quads[q, 1]] or chosen[quads[q, 2]] or chosen[quads[q, 3]]
