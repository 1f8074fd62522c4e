"""Warp devices, their memory, and the structs and functions that kernels share."""
