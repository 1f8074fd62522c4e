"""How kernels are compiled, kept, loaded and waited for. Nothing here imports numba before it is needed."""

from .loading import compile_in_background, compiled_part, end_compilers, is_compiling, is_installed, load_kernels
from .signatures import SETS

__all__ = [
    "SETS",
    "compile_in_background",
    "compiled_part",
    "end_compilers",
    "is_compiling",
    "is_installed",
    "load_kernels",
]
