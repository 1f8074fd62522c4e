"""What formulas say, in plain Python: the few names that mean something else on each engine, and types of arguments.

`min`, `max`, `abs` and `range` are Python's own.
"""

from math import sqrt
from typing import Any, Protocol, TypeVar

__all__ = ["Primitives", "Rows", "real", "sqrt", "where"]

Number = TypeVar("Number")

real = float  # a number of the type that is calculated in


def where(condition: bool, yes: Number, no: Number) -> Number:
    """`yes` where the condition holds, else `no`. Both are computed."""
    return yes if condition else no


class Rows(Protocol):
    """Numbers in rows and columns: an array (N, M), indexed by two numbers, or by many rows and one column in numpy."""

    def __getitem__(self, place: Any, /) -> Any: ...


class Primitives(Protocol):
    """The bodies that a distance is of, in voxels from the grid's origin.

    Attributes:
        segments: (K, 10) start and axis (x, y, z), length, radius, slope and tangent of each round cone: see
            `segments.Segments`.
        points: (N, 3) corners of triangles.    triangles: (M, 3) indices of points.
        normal: (M, 3) of length 1, or 0 where the corners of a triangle lie on a line.
    """

    segments: Any
    points: Any
    triangles: Any
    normal: Any
