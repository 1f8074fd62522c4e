"""How true a result is."""

from .verify import with_accuracy

__all__ = [
    "with_accuracy",
]
