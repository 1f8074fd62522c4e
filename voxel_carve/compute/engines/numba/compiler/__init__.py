"""Compiling, caching and loading kernels, and waiting for them. Nothing here imports numba before it is needed."""

from .loading import (
    compile_in_background,
    compiled_fraction,
    end_compilers,
    is_compiling,
    kernel_count,
    load_kernels,
    load_seconds,
)
from .numba_start import is_installed
from .signatures import SETS

__all__ = [
    "SETS",
    "compile_in_background",
    "compiled_fraction",
    "end_compilers",
    "is_compiling",
    "is_installed",
    "kernel_count",
    "load_kernels",
    "load_seconds",
]
