"""The bodies that distances are of, in voxel units: segments and triangles, and the two halves of the stock's sign."""

from .measuring import signed_volume

__all__ = [
    "signed_volume",
]
