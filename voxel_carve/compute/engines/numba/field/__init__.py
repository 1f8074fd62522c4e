"""Kernels for binning, and for the field of the stock and the sweep combined."""
