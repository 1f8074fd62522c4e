"""The CUDA engine: Warp kernels, which also run on Warp's own CPU device."""
