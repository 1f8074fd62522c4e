"""UV maps, colours and weights of the stock, and the edges of a mesh for Blender."""

from .edges import FaceEdges, face_edges
from .transfer import CornerData, Places, Walker, corner_values, joined_triangles, point_places

__all__ = [
    "CornerData",
    "FaceEdges",
    "Places",
    "Walker",
    "corner_values",
    "face_edges",
    "joined_triangles",
    "point_places",
]
