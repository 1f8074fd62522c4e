"""Repairs of a mesh's faces: doubled faces, flipped faces, unpaired edges."""

from ..primitives.half_edges import unpaired_edges
from .orientation import inward_faces, outward_faces, paired_triangles
from .repair import repaired_triangles

__all__ = [
    "inward_faces",
    "outward_faces",
    "paired_triangles",
    "repaired_triangles",
    "unpaired_edges",
]
