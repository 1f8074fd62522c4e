"""Repairs of a mesh's faces: doubled faces, flipped faces, unpaired edges."""

from .orientation import inward_faces, outward_faces
from .pairing import paired_triangles, unpaired_edges
from .repair import repaired_triangles

__all__ = [
    "inward_faces",
    "outward_faces",
    "paired_triangles",
    "repaired_triangles",
    "unpaired_edges",
]
