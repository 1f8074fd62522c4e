"""How numba compiles what computes, and numbers that kernels have in common."""

from collections.abc import Callable
from typing import Any

import numba
import numpy as np

from ....model.bricks import NO_PRIMITIVE, REACH
from .store import stored

ZERO = np.float32(0.0)
ONE = np.float32(1.0)
CLAMP = np.float32(REACH)
NONE = np.int32(NO_PRIMITIVE)


def kernel(function: Callable[..., Any]) -> Any:
    """A function compiled once for all processes, and called from Python: for a run of rows, from `start` to `stop`.

    Several threads call it at once. It writes into arrays handed to it and makes none, nor does what it calls. So the
    references to arrays need not be counted, which takes more than a third of the time where a function is called for
    each vertex, and as much of the compiling.
    """
    njit: Any = numba.njit
    return stored(njit(nogil=True, error_model="numpy", _nrt=False)(function))


# What kernels call. Only they are kept compiled, with all that they call.
part = numba.njit(  # type: ignore[call-overload]
    error_model="numpy", _nrt=False, no_cpython_wrapper=True, no_cfunc_wrapper=True
)
# These become a part of what calls them, at the end of compiling, which `inlined` does at its beginning: for what is
# called from few places, with many arrays to hand on.
merged = numba.njit(  # type: ignore[call-overload]
    error_model="numpy", _nrt=False, no_cpython_wrapper=True, no_cfunc_wrapper=True, forceinline=True
)
inlined = numba.njit(error_model="numpy", inline="always")
