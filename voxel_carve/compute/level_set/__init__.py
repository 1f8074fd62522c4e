"""Level sets: the distances near a result's surface, and the openvdb module that writes them."""

from .narrow_band import HALF_WIDTH
from .openvdb_module import NO_OPENVDB, has_openvdb, openvdb
from .writing import write_level_set

__all__ = ["HALF_WIDTH", "NO_OPENVDB", "has_openvdb", "openvdb", "write_level_set"]
