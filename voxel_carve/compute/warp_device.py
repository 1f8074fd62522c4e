"""Starting Warp, choosing its device, and loading kernels on it."""

import ctypes
import logging
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import TypeVar

from .cache import cache_folder, compiling_in
from .errors import BackendError

logger = logging.getLogger(__name__)

INSTALL_WARP = (
    "install it with pip install 'voxel-carve[cuda]', or install the extension's cuda flavour instead of the cpu one"
)

_DRIVERS = ("nvcuda.dll",) if sys.platform == "win32" else ("libcuda.so", "libcuda.so.1")

Kernels = TypeVar("Kernels")

_lock = threading.RLock()
_loaded: set[tuple[str, str]] = set()
_seconds = 0.0


def start_warp() -> ModuleType:
    """Warp, started, quiet, with its kernels in our folder; as it is, where someone else in this process was first.

    Raises:
        BackendError: Warp is not installed, or does not start; the message says what to do.
    """
    try:
        import warp
    except ImportError as error:
        raise BackendError(f"Warp is not installed ({error}): {INSTALL_WARP}") from error
    with _lock:
        if warp.config.kernel_cache_dir is None:
            warp.config.kernel_cache_dir = str(cache_folder())
            warp.config.log_level = warp.LOG_WARNING
        # What a driver or a damaged installation makes Warp raise is not to be foreseen.
        try:
            warp.init()  # type: ignore[no-untyped-call]
        except Exception as error:
            raise BackendError(
                f"Warp does not start ({error}): update the graphics driver, or {INSTALL_WARP}"
            ) from error
    return warp


def cuda_device(name: str) -> str:
    """Make sure that a CUDA device works, and return Warp's name of it.

    Args:
        name: "cuda" for the first one, or "cuda:1" and so on.

    Raises:
        BackendError: no Warp, no driver, or no such device; the message says what to do.
    """
    if not _has_driver():
        # Warp, if it is there at all, would only find the same, and complain on its own.
        raise BackendError("there is no CUDA device: install the driver of an NVIDIA graphics card, or choose cpu")
    count = start_warp().get_cuda_device_count()
    if count == 0:
        raise BackendError("Warp finds no CUDA device: update the driver of the NVIDIA graphics card, or choose cpu")
    number = int(name.partition(":")[2] or 0)
    if number >= count:
        last = "only cuda:0" if count == 1 else f"cuda:0 to cuda:{count - 1}"
        raise BackendError(f"there is no CUDA device {number}: choose another, there is {last}")
    return f"cuda:{number}"


def _has_driver() -> bool:
    for library in _DRIVERS:
        try:
            ctypes.CDLL(library)
        except OSError:
            continue
        return True
    return False


def load_kernels(define: Callable[[], Kernels], device: str, block_dim: int) -> Kernels:
    """Kernels ready for a device: defined, compiled or read from the cache, once in a process.

    Args:
        define: gives the kernels of its module, the same ones whenever it is called.
        device: Warp's name of it.
        block_dim: threads of a block; each number is another compilation.

    Raises:
        BackendError: they cannot be compiled or loaded.
    """
    global _seconds  # noqa: PLW0603 - a clock of the process
    import warp

    with _lock:
        start = time.perf_counter()
        kernels = define()
        if (define.__module__, device) in _loaded:
            return kernels
        with compiling_in(Path(warp.config.kernel_cache_dir or cache_folder())):
            # Compilers and drivers raise what they like.
            try:
                warp.load_module(warp.get_module(define.__module__), device=device, block_dim=block_dim)
            except Exception as error:
                raise BackendError(f"the kernels cannot be compiled for {device} ({error}): choose cpu") from error
        _loaded.add((define.__module__, device))
        took = time.perf_counter() - start
        _seconds += took
        logger.info("loaded the kernels of %s on %s in %.2f s", define.__module__, device, took)
        return kernels


def compile_seconds() -> float:
    """Seconds that this process has spent in `load_kernels` so far."""
    return _seconds
