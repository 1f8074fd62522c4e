"""Keep Stock: an exact boolean of the stock's own faces and the sweep, checked against voxels."""

from .keep import Cut, MeshBoolean

__all__ = [
    "Cut",
    "MeshBoolean",
]
