"""The backends, and the registry that finds them by name."""

from .registry import ENVIRONMENT_VARIABLE, FORMER_NAMES, outside_backends, registered_backends

__all__ = [
    "ENVIRONMENT_VARIABLE",
    "FORMER_NAMES",
    "outside_backends",
    "registered_backends",
]
