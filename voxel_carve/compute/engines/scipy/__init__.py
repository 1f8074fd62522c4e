"""Dense operations in plain numpy and scipy: the readable reference, which needs no numba."""
