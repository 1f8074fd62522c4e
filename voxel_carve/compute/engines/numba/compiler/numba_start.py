"""Whether numba is here and could compile, and the start of what kernels need."""

import importlib
import importlib.util
import os
from contextlib import suppress
from typing import Any

from ....runtime.errors import BackendError
from ....runtime.sentences import Sentence

MOST_THREADS = 1024
INSTALL_NUMBA = Sentence("install it with pip install numba")
NO_COMPILING = Sentence("NUMBA_DISABLE_JIT keeps numba from compiling: unset it")


def is_installed() -> bool:
    """Whether this Python has numba."""
    return importlib.util.find_spec("numba") is not None


def _check_threads() -> None:
    """Check that numba's environment variable asks for a possible number of threads."""
    asked = os.environ.get("NUMBA_NUM_THREADS", "1")
    with suppress(ValueError):
        if 1 <= int(asked) <= MOST_THREADS:
            return
    raise BackendError(
        "NUMBA_NUM_THREADS is '{asked}': unset it, or set it to a whole number from 1 to {most}",
        asked=asked,
        most=MOST_THREADS,
    )


def start_llvm() -> None:
    """Import LLVM, which links compiled kernels, and check that numba is there, without importing it.

    Raises:
        BackendError: one of them is missing, or numba's environment variables keep it from working.
    """
    _check_threads()
    if not is_installed():
        raise BackendError("numba is not installed: {remedy}", remedy=INSTALL_NUMBA)
    if os.environ.get("NUMBA_DISABLE_JIT", "0") not in ("", "0"):
        raise BackendError(NO_COMPILING)
    _import("llvmlite.binding")


def start_numba() -> None:
    """Import numba, to compile.

    Raises:
        BackendError: as `start_llvm`, or it cannot be imported, or is configured not to compile.
    """
    start_llvm()
    if _import("numba").config.DISABLE_JIT:
        raise BackendError(NO_COMPILING)


def _import(name: str) -> Any:
    # A damaged installation or the environment can make these raise anything.
    try:
        return importlib.import_module(name)
    except Exception as error:
        raise BackendError("numba does not start ({error}): {remedy}", error=error, remedy=INSTALL_NUMBA) from error
