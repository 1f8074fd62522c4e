"""The command `voxel-carve compile`: all kernels are compiled now, as for the image of a container."""

import time
from collections.abc import Callable
from contextlib import suppress

from ..compute import BackendError
from ..compute.engines.numba.compiler import SETS, compiled_fraction, kernel_count, load_kernels
from ..compute.runtime import cache_folder, check_cache, progress_range, reporting_to


def compile_all(progress: Callable[[str, float], None]) -> str:
    """Compile the kernels that are not there yet, and return a line that says what was done.

    Args:
        progress: called with the stage and the fraction done.

    Raises:
        BackendError: numba is missing, the kernels cannot be compiled, or nothing can be kept.
    """
    start = time.perf_counter()
    count = kernel_count()
    left = round(count * (1.0 - compiled_fraction()))
    if left:
        check_cache()
    with reporting_to(progress):
        for number, name in enumerate(SETS):
            with progress_range(number / len(SETS), (number + 1) / len(SETS), "Compile"):
                for note in load_kernels(name):  # nothing can be kept
                    raise BackendError(note)
    folder = cache_folder()
    if not left:
        return f"all {count} kernels are in {folder} already"
    return f"compiled {left} of {count} kernels in {time.perf_counter() - start:.0f} s into {folder}"


def compile_missing(progress: Callable[[str, float], None]) -> None:
    """Compile the kernels that are not there yet, before other processes wait for them, each for itself."""
    if compiled_fraction() < 1.0:
        with suppress(BackendError):  # then each process does as it can
            compile_all(progress)
