"""Kernels from binning to the combined field."""
