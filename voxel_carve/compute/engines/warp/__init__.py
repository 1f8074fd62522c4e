"""The CUDA engine: Warp kernels, which also run on Warp's own CPU device."""

from .backend import WarpBackend

__all__ = [
    "WarpBackend",
]
