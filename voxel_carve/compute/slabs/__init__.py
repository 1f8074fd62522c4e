"""A carve in slabs: the same surface, to the bit, made part by part, so that no step has all of it.

`planning` cuts the grid into slabs, `making` makes the part of a surface that one owns, `folder` keeps parts in files,
`joining` puts them together, and `carving` does all of this in one process. Dask does it in several:
`voxel_carve.distributed`.
"""

from ..field.stock import prepare_stock
from ..primitives.segments import Segments
from .carving import Making, ResultInParts, SegmentsOf, carve_by, carve_in_slabs
from .folder import part_bytes, write_part
from .joining import Joined
from .making import Made, Slab, SlabJob, make_part

__all__ = [
    "Joined",
    "Made",
    "Making",
    "ResultInParts",
    "Segments",
    "SegmentsOf",
    "Slab",
    "SlabJob",
    "carve_by",
    "carve_in_slabs",
    "make_part",
    "part_bytes",
    "prepare_stock",
    "write_part",
]
