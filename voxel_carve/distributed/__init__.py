"""Carving on the workers of Dask: one job in slabs, and what lists of jobs need of a cluster.

Everything that a worker runs is called by its name from the installed package. What travels is data alone.
"""

from .carving import carve
from .occupancies import combine

__all__ = ["carve", "combine"]
