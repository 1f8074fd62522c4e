"""The language of formulas, in plain Python: the functions that each engine replaces, and the types of arguments.

`min`, `max`, `abs` and `range` are Python's own.
"""

import math
from typing import Any, Protocol, TypeVar

Number = TypeVar("Number")

atan2, ceil, floor, sqrt = math.atan2, math.ceil, math.floor, math.sqrt
real = float  # converts to the type of the computation
single = float  # converts to float32, for storage


some = bool  # for whole arrays: whether the condition holds anywhere


def where(condition: bool, yes: Number, no: Number) -> Number:
    """`yes` if the condition holds, else `no`. Both are evaluated."""
    return yes if condition else no


class Rows(Protocol):
    """An array (N, M), indexed by row and column; in numpy, also by many rows and one column."""

    def __getitem__(self, place: Any, /) -> Any: ...


class Singles(Protocol):
    """An array (N, M) of float32, which a function may write to."""

    def __getitem__(self, place: tuple[int, int], /) -> Any: ...
    def __setitem__(self, place: tuple[int, int], value: float, /) -> None: ...


class Primitives(Protocol):
    """Segments and triangles, in voxels from the grid's origin.

    Attributes:
        segments: (K, 10) start and axis (x, y, z), length, radius, slope and tangent of each round cone: see
            `segments.Segments`.
        points: (N, 3) corners of triangles.    triangles: (M, 3) indices of points.
        normal: (M, 3) unit normals, or 0 if the corners of a triangle are collinear.
    """

    segments: Any
    points: Any
    triangles: Any
    normal: Any


class Edges(Protocol):
    """Edges of an open boundary: see `boundary.Boundary`.

    Attributes:
        low, high: (E, 3) end points.    sign: (E,) direction.
    """

    low: Any
    high: Any
    sign: Any


class Row(Protocol):
    """A vector of fixed length, which a function may write to."""

    def __getitem__(self, place: int, /) -> Any: ...
    def __setitem__(self, place: int, value: Any, /) -> None: ...


class Table(Protocol):
    """A matrix of fixed shape, which a function may write to."""

    def __getitem__(self, place: tuple[int, int], /) -> Any: ...
    def __setitem__(self, place: tuple[int, int], value: Any, /) -> None: ...


class Point(Row, Protocol):
    """(3,) x, y and z."""


class Integers(Row, Protocol):
    """(K,) integers, one for each primitive of a vertex."""


class Signs(Row, Protocol):
    """(K,) orientation signs: 1 if the gradient of a primitive points out of the result, else -1."""


class Values(Table, Protocol):
    """(3, 4) distance and gradient of each surface in a cell: see `newton.group_value`."""


class Points(Protocol):
    """(N, 3) points, which a function may write to; a single index gives one of them."""

    def __getitem__(self, place: Any, /) -> Any: ...
    def __setitem__(self, place: tuple[int, int], value: Any, /) -> None: ...


class Listed(Protocol):
    """(N,) integers, of which a formula reads some that follow each other."""

    def __getitem__(self, place: int, /) -> Any: ...


class Marks(Row, Protocol):
    """(N,) integers, which a function may write to."""


class IntegerRows(Table, Protocol):
    """(N, M) integers, which a function may write to."""


class Borders(Protocol):
    """The border points of faces: see `contouring.borders`.

    Attributes:
        point, middle: (N, 3) where each lies, and the middle point of its pair.
        codes: (N, 2) of the primitives on its two sides.
    """

    point: Points
    middle: Points
    codes: Table


class Edge(Protocol):
    """The events on an edge of the grid: see `contouring.edges`.

    Attributes:
        place: (MOST_EVENTS,) from 0 to 1, ascending.    code: (MOST_EVENTS,) of the primitive.
        change: (MOST_EVENTS,) what the stock's winding number loses there.
        gap, gap_code: (2,) the ends of a gap in the sweep, and the segments there: see `contouring.edges.fill_gap`.
    """

    place: Row
    code: Integers
    change: Integers
    gap: Row
    gap_code: Integers


class Face(Protocol):
    """The crossings around a face of a cell, in order: see `contouring.faces`.

    Attributes:
        point: (8, 3) where they are.    code: (8,) of the primitive.
        sign: (8,) 1 if the normal of a triangle points out of the result, else -1.
        leaves: (8,) 1 if the way around the face leaves the result there, else 0.
    """

    point: Table
    code: Integers
    sign: Row
    leaves: Integers


class CellLoops(Protocol):
    """A cell, and the scratch for its loops: see `contouring.cells` and `contouring.vertices`.

    Attributes:
        corner: (3,) its first corner, in voxels from the grid's origin.
        face_edges: (6, 4) see `contouring.tables.FACE_EDGES`.
        number: (12,) crossings of each edge.    starts_inside: (12,) 1 if the edge starts in the result, else 0.
        point, code, sign: (24, 3), (24,), (24,) of each crossing, by its slot, as in `Face`.
        next, border: (24,) the following slot in its loop; the border point between the two, -1 for none.
        border_point, border_code: (48, 3), (48, 2) its place; and the primitives before and after it.
        border_side: (48,) 1 if the loop passes the pair from the crossing that enters to the one that leaves, else 0.
        taken: (24,) 1 if there is no crossing, or its loop is done.
        vertex, hub: (24,) the vertex of each slot, and that of its border point.
        around, leaves: (8,) slots around a face, and whether each leaves the result.
        loop, run_end: (24,) slots of a loop, and where its runs end.
        remaining, remaining_end: (24,) the runs that have no hub yet, and those that the borders after them end.
        one_with: (24,) the first of the runs that are one with each: see `contouring.cells`.
        hub_run, hub_end: (24,) the runs around a hub, and those that its border points end.
        surface: (3,) a slot on each surface of a hub.
        at_corners, far: (8,) the segments nearest to its corners; in a cell that is not plain, those nearest to its
            centre, and how far they are from it.
        facets, facet_count: (24,), (1,) the triangles at a cell that is not plain; how many they are.
        near, near_sign, near_count: (24,), (24,), (1,) the primitives of all crossings, each once, with their signs;
            how many they are, 0 in a plain cell.
        codes, signs, group: (K,) the primitives that a vertex lies on, their orientation, and the surface of each.
        values: of each surface.    mean: (3,) of the crossings of a loop.
    """

    corner: Point
    face_edges: Table
    number: Integers
    starts_inside: Integers
    point: Table
    code: Integers
    sign: Row
    next: Integers
    border: Integers
    border_point: Table
    border_code: Table
    border_side: Integers
    taken: Integers
    vertex: Integers
    hub: Integers
    around: Integers
    leaves: Integers
    loop: Integers
    run_end: Integers
    remaining: Integers
    remaining_end: Integers
    one_with: Integers
    hub_run: Integers
    hub_end: Integers
    surface: Integers
    at_corners: Integers
    far: Row
    facets: Integers
    facet_count: Integers
    near: Integers
    near_sign: Row
    near_count: Integers
    codes: Integers
    signs: Signs
    group: Integers
    values: Values
    mean: Point


class Corners(Protocol):
    """The corners of two triangles, six: see `contouring.overlaps`.

    Attributes:
        point, origin: (6, 3) where each lies, and where it came from.
        name: (6,) the first corner that is the same vertex.
        movable: (6,) 1 if it may go back, and no corner before is the same vertex; else 0.
    """

    point: Points
    origin: Table
    name: Integers
    movable: Integers


class Rule(Protocol):
    """How two fields are combined: see `combining.Rule`."""

    carves: bool
    greatest: bool
