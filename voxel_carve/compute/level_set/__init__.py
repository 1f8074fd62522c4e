"""Level sets: the distances near a surface as a sparse field, and what OpenVDB and NanoVDB make of it."""

from .openvdb_module import NO_OPENVDB, has_openvdb, openvdb
from .sparse_field import HALF_WIDTH, SparseField
from .writing import write_level_set

__all__ = ["HALF_WIDTH", "NO_OPENVDB", "SparseField", "has_openvdb", "openvdb", "write_level_set"]
