"""UV maps, colours, weights and normals of the stock, normals of the cut, and the edges of a mesh for Blender."""

from .edges import FaceEdges, face_edges
from .normals import CutShading, StockShading, corner_normals
from .transfer import CornerData, Places, Walker, corner_values, joined_triangles, point_places

__all__ = [
    "CornerData",
    "CutShading",
    "FaceEdges",
    "Places",
    "StockShading",
    "Walker",
    "corner_normals",
    "corner_values",
    "face_edges",
    "joined_triangles",
    "point_places",
]
