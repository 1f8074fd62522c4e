"""The fields of the stock and the sweep on bricks, and the operations that every engine provides."""

from .occupancies import BooleanOperation

__all__ = [
    "BooleanOperation",
]
