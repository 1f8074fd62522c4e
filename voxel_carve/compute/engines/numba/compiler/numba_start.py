"""Whether numba is here and could compile, and its start."""

import importlib.util
import os
from contextlib import suppress

from ....runtime.errors import BackendError
from ....runtime.sentences import Sentence

MOST_THREADS = 1024
INSTALL_NUMBA = Sentence("install it with pip install numba")


def is_installed() -> bool:
    """Whether this Python has numba."""
    return importlib.util.find_spec("numba") is not None


def check_threads() -> None:
    """Check that numba's environment variable asks for a possible number of threads.

    Raises:
        BackendError: it does not.
    """
    asked = os.environ.get("NUMBA_NUM_THREADS", "1")
    with suppress(ValueError):
        if 1 <= int(asked) <= MOST_THREADS:
            return
    raise BackendError(
        "NUMBA_NUM_THREADS is '{asked}': unset it, or set it to a whole number from 1 to {most}",
        asked=asked,
        most=MOST_THREADS,
    )


def check_numba() -> None:
    """Check that numba is there, and is not configured wrongly, without importing it.

    Raises:
        BackendError: it is missing, or its environment variables keep it from working.
    """
    check_threads()
    if not is_installed():
        raise BackendError("numba is not installed: {remedy}", remedy=INSTALL_NUMBA)
    if os.environ.get("NUMBA_DISABLE_JIT", "0") not in ("", "0"):
        raise BackendError("NUMBA_DISABLE_JIT keeps numba from compiling: unset it")


def start_numba() -> None:
    """Import numba, to compile.

    Raises:
        BackendError: as `check_numba`, or it cannot be imported.
    """
    check_numba()
    # A damaged installation or the environment can make numba raise anything.
    try:
        import numba  # noqa: F401
    except Exception as error:
        raise BackendError("numba does not start ({error}): {remedy}", error=error, remedy=INSTALL_NUMBA) from error
