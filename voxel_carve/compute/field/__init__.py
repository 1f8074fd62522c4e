"""The fields of stock and sweep on bricks, and what every engine does with them."""

from .protocol import BooleanOperation, Footprint

__all__ = [
    "BooleanOperation",
    "Footprint",
]
