"""Keep Stock: an exact boolean of the stock's own faces and the sweep, checked against voxels."""

from .cut import Cut
from .polygons import KeptFaces, Mixed, StockPolygons, kept_faces
from .rounding import merged_where_rounded

__all__ = [
    "Cut",
    "KeptFaces",
    "Mixed",
    "StockPolygons",
    "kept_faces",
    "merged_where_rounded",
]
