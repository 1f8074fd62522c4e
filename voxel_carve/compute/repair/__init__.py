"""Repairs of a mesh: doubled faces, flipped faces, unpaired edges; vertices that rounding puts in one place."""

from ..primitives.half_edges import unpaired_edges
from .orientation import inward_faces, paired_triangles
from .repair import inverted_note, open_note, repaired_triangles
from .rounding import set_apart, set_apart_where_joined, short_step

__all__ = [
    "inverted_note",
    "inward_faces",
    "open_note",
    "paired_triangles",
    "repaired_triangles",
    "set_apart",
    "set_apart_where_joined",
    "short_step",
    "unpaired_edges",
]
