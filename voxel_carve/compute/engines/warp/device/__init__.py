"""A device, what is on it, and what its kernels have in common."""
