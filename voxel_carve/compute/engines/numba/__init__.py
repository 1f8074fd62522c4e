"""The CPU engine: kernels compiled by numba over runs of bricks, points or faces."""
