"""The backends that a user picks between, and the registry of them."""

from .registry import ENVIRONMENT_VARIABLE

__all__ = [
    "ENVIRONMENT_VARIABLE",
]
