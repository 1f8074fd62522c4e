"""The backends, and the registry that finds them by name."""

from .registry import ENVIRONMENT_VARIABLE

__all__ = [
    "ENVIRONMENT_VARIABLE",
]
