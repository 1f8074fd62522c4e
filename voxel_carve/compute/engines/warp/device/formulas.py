"""Formulas as Warp reads them: see `formulas`. Warp is imported when the first is asked for."""

# What stands in a struct is Warp's language, of which the types of its Python names know too little.
# mypy: disable-error-code="misc,valid-type"

import functools
from dataclasses import dataclass
from types import FunctionType
from typing import Any

from ....formulas import words
from ....formulas.placing import SLOTS
from ....formulas.reading import Reader


@functools.cache
def primitives_struct() -> Any:
    """The struct of `formulas.words.Primitives`: the fields that numba has, with corners as int32."""
    import warp as wp

    @wp.struct
    class Primitives:
        segments: wp.array2d[wp.float64]
        points: wp.array2d[wp.float64]
        triangles: wp.array2d[wp.int32]
        normal: wp.array2d[wp.float64]

    return Primitives


@dataclass(frozen=True)
class BoundaryStructs:
    """Structs of an open boundary: see `formulas.words`."""

    Edges: Any
    Pieces: Any


@functools.cache
def boundary_structs() -> BoundaryStructs:
    """Define them."""
    import warp as wp

    @wp.struct
    class Edges:
        low: wp.array2d[wp.float64]
        high: wp.array2d[wp.float64]
        sign: wp.array[wp.float64]

    @wp.struct
    class Pieces:
        middle: wp.array2d[wp.float64]
        length: wp.array[wp.float64]

    return BoundaryStructs(Edges, Pieces)


@dataclass(frozen=True)
class CellTypes:
    """Structs and a type of what belongs to a cell: see `formulas.words`."""

    Rule: Any
    Cell: Any
    Ring: Any


@functools.cache
def cell_types() -> CellTypes:
    """Define them."""
    import warp as wp

    types = _rooms()

    @wp.struct
    class Rule:
        carves: wp.bool
        greatest: wp.bool

    @wp.struct
    class Cell:
        corner: wp.vec3d
        around: types[words.Numbers]
        crossings: types[words.Crossings]
        mean: wp.vec3d
        codes: types[words.Numbers]
        turns: types[words.Turns]
        group: types[words.Numbers]
        normals: types[words.Normals]
        values: types[words.Values]

    return CellTypes(Rule, Cell, types[words.Ring])


@functools.cache
def _rooms() -> dict[Any, Any]:
    """What a function may set: Warp has no arrays of a thread's own, but vectors of fixed length."""
    import warp as wp

    matrix = functools.partial(wp.types.matrix, dtype=wp.float64)
    return {
        words.Point: wp.vec3d,
        words.Numbers: wp.types.vector(SLOTS, wp.int32),
        words.Turns: wp.types.vector(SLOTS, wp.float64),
        words.Normals: matrix((SLOTS, 3)),
        words.Values: matrix((3, 4)),
        words.Crossings: matrix((12, 3)),
        words.Ring: matrix((4, 3)),
    }


@functools.cache
def double() -> Reader:
    """Formulas in float64."""
    import warp as wp

    return _reader(wp.float64, "double")


@functools.cache
def single() -> Reader:
    """Formulas in float32."""
    import warp as wp

    return _reader(wp.float32, "single")


def _reader(real: Any, name: str) -> Reader:
    import warp as wp

    types = {
        float: real,
        int: wp.int32,
        bool: wp.bool,
        words.Rows: wp.array2d[real],
        words.Kept: wp.array2d[wp.float32],
        words.Primitives: primitives_struct(),
        words.Rule: cell_types().Rule,
        words.Edges: boundary_structs().Edges,
        words.Pieces: boundary_structs().Pieces,
    }
    rooms = _rooms() | {words.Cell: cell_types().Cell}
    types |= {word: wp.ref[room] for word, room in rooms.items()}

    def number(value: Any) -> Any:
        return real(value) if isinstance(value, float) else value

    def compiled(function: FunctionType) -> Any:
        given = {name: types[word] for name, word in function.__annotations__.items() if name != "return"}
        function.__annotations__ = given
        # Functions of one name and module would be one function to Warp, for several types.
        function.__qualname__ = f"{function.__name__}_{name}"
        return wp.func(function)

    # `wp.float64` of a constant would make that itself a variable.
    for given in (wp.int32, wp.float32, wp.float64):

        @wp.func(name=f"real_{name}")
        def convert(value: given):  # type: ignore[no-untyped-def]
            return real(value)

    own = {"atan2": wp.atan2, "ceil": wp.ceil, "floor": wp.floor, "sqrt": wp.sqrt, "where": wp.where}
    return Reader(own | {"real": convert, "single": wp.float32}, number, compiled)
