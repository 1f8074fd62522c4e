"""Decorators that compile kernels and what they call, and constants that kernels share."""

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
    """Compile a function that Python calls for the rows `start` to `stop`, and cache it for all processes.

    Several threads call it at once. It writes into its arguments, and neither it nor what it calls makes arrays. So
    references to arrays need not be counted. Counting takes more than a third of the time if a function is called for
    each vertex, and more than a third of the time to compile.
    """
    njit: Any = numba.njit
    return stored(njit(nogil=True, error_model="numpy", _nrt=False)(function))


# Functions that kernels call. They are cached only as part of a kernel.
subroutine = numba.njit(  # type: ignore[call-overload]
    error_model="numpy", _nrt=False, no_cpython_wrapper=True, no_cfunc_wrapper=True
)
# Functions that LLVM inlines at the end of compiling; numba inlines `inlined` ones at the start. For functions that are
# called in few places with many arrays.
force_inlined = numba.njit(  # type: ignore[call-overload]
    error_model="numpy", _nrt=False, no_cpython_wrapper=True, no_cfunc_wrapper=True, forceinline=True
)
inlined = numba.njit(error_model="numpy", inline="always")
