"""Kernels from the field to a closed mesh."""
