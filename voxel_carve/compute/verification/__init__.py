"""Measures how far a result is from the exact surface."""

from .verify import with_accuracy

__all__ = [
    "with_accuracy",
]
