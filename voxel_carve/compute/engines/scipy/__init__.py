"""Dense operations in plain numpy and scipy: the readable reference, without numba."""
