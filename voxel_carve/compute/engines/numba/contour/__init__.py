"""Kernels that make a closed mesh of the field."""
