"""Keep Stock: an exact boolean of the stock's own faces and the sweep, checked against voxels."""

from .cut import Cut
from .polygons import KeptFaces, Mixed, StockPolygons, kept_faces

__all__ = [
    "Cut",
    "KeptFaces",
    "Mixed",
    "StockPolygons",
    "kept_faces",
]
