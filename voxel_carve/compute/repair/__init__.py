"""Repairs of a mesh's faces: doubled faces, flipped faces, unpaired edges."""

from ..primitives.half_edges import unpaired_edges
from .orientation import inward_faces, paired_triangles
from .repair import inverted_note, open_note, repaired_triangles

__all__ = [
    "inverted_note",
    "inward_faces",
    "open_note",
    "paired_triangles",
    "repaired_triangles",
    "unpaired_edges",
]
