"""Keep Stock: the sweep cut from the stock's own faces by an exact boolean, and judged."""

from .keep import Cut, MeshBoolean

__all__ = [
    "Cut",
    "MeshBoolean",
]
