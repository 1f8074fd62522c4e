"""What formulas say, in plain Python: the few names that mean something else on each engine, and types of arguments.

`min`, `max`, `abs` and `range` are Python's own.
"""

from math import atan2, ceil, floor, sqrt
from typing import Any, Protocol, TypeVar

__all__ = [
    "Cell",
    "Crossings",
    "Edges",
    "Integers",
    "Normals",
    "Pieces",
    "Point",
    "Primitives",
    "Ring",
    "Rows",
    "Rule",
    "Signs",
    "Singles",
    "Values",
    "atan2",
    "ceil",
    "floor",
    "real",
    "single",
    "sqrt",
    "where",
]  # fmt: skip

Number = TypeVar("Number")

real = float  # a number of the type that is calculated in
single = float  # one that is kept in float32


def where(condition: bool, yes: Number, no: Number) -> Number:
    """`yes` where the condition holds, else `no`. Both are computed."""
    return yes if condition else no


class Rows(Protocol):
    """Numbers in rows and columns: an array (N, M), indexed by two numbers, or by many rows and one column in numpy."""

    def __getitem__(self, place: Any, /) -> Any: ...


class Singles(Protocol):
    """Numbers in rows and columns that are kept in float32: a function may set them."""

    def __getitem__(self, place: tuple[int, int], /) -> Any: ...
    def __setitem__(self, place: tuple[int, int], value: float, /) -> None: ...


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


class Edges(Protocol):
    """Edges of an open boundary: see `winding.Boundary`.

    Attributes:
        low, high: (E, 3) their ends.    sign: (E,).
    """

    @property
    def low(self) -> Any: ...
    @property
    def high(self) -> Any: ...
    @property
    def sign(self) -> Any: ...


class Pieces(Protocol):
    """Pieces of them.

    Attributes:
        middle: (K, 3).    length: (K,).
    """

    @property
    def middle(self) -> Any: ...
    @property
    def length(self) -> Any: ...


class Row(Protocol):
    """Numbers of a fixed count, which a function may set."""

    def __getitem__(self, place: int, /) -> Any: ...
    def __setitem__(self, place: int, value: Any, /) -> None: ...


class Table(Protocol):
    """Numbers in rows and columns, of fixed counts, which a function may set."""

    def __getitem__(self, place: tuple[int, int], /) -> Any: ...
    def __setitem__(self, place: tuple[int, int], value: Any, /) -> None: ...


class Point(Row, Protocol):
    """(3,) x, y and z."""


class Integers(Row, Protocol):
    """(SLOTS,) whole numbers, one for each primitive in a cell."""


class Signs(Row, Protocol):
    """(SLOTS,) 1 where the gradient of a primitive looks out of what is left, else -1."""


class Normals(Table, Protocol):
    """(SLOTS, 3) outward, of each primitive in a cell."""


class Values(Table, Protocol):
    """(3, 4) distance and gradient of each surface in a cell."""


class Crossings(Table, Protocol):
    """(12, 3) where the edges of a cell are crossed."""


class Ring(Table, Protocol):
    """(4, 3) the corners of a quad."""


class Rule(Protocol):
    """How two fields are made one: see `combining.Rule`."""

    @property
    def carves(self) -> bool: ...
    @property
    def greatest(self) -> bool: ...


class Cell(Protocol):
    """What is known of a cell, and written, while its vertices are placed.

    Attributes:
        corner: its first one, in voxels from the grid's origin.    around: the nearest primitives of its 8 corners.
        crossings: of its edges by a patch of surface.    mean: of these.
        codes, turns: the primitives there, and their orientation.    group: which surface each belongs to.
        normals: of each.    values: of each surface.
    """

    @property
    def corner(self) -> Point: ...
    @property
    def around(self) -> Integers: ...
    @property
    def crossings(self) -> Crossings: ...
    @property
    def mean(self) -> Point: ...
    @property
    def codes(self) -> Integers: ...
    @property
    def signs(self) -> Signs: ...
    @property
    def group(self) -> Integers: ...
    @property
    def normals(self) -> Normals: ...
    @property
    def values(self) -> Values: ...
