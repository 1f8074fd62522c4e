"""Mesh simplification within a tolerance."""

from .simplify import Adaptivity

__all__ = [
    "Adaptivity",
]
