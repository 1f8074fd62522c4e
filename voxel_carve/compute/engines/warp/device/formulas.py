"""Formulas as Warp functions: see `compute.formulas`. Warp is imported on first use."""

# mypy cannot check the types in structs, which Warp translates.
# mypy: disable-error-code="misc,valid-type"

import functools
from dataclasses import dataclass
from types import FunctionType
from typing import Any

from ....formulas import language
from ....formulas.binding import Binder
from ....formulas.vertex_placement import SLOTS


@functools.cache
def primitives_struct() -> Any:
    """The struct of `formulas.language.Primitives`, with corners as int32."""
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
    """Structs of an open boundary: see `formulas.language`."""

    Edges: Any
    Pieces: Any


@functools.cache
def boundary_structs() -> BoundaryStructs:
    """Define the structs."""
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
    """The structs and the matrix type of a cell: see `formulas.language`."""

    Rule: Any
    Cell: Any
    Ring: Any


@functools.cache
def cell_types() -> CellTypes:
    """Define the types."""
    import warp as wp

    types = _scratch_types()

    @wp.struct
    class Rule:
        carves: wp.bool
        greatest: wp.bool

    @wp.struct
    class Cell:
        corner: wp.vec3d
        around: types[language.Integers]
        crossings: types[language.Crossings]
        mean: wp.vec3d
        codes: types[language.Integers]
        signs: types[language.Signs]
        group: types[language.Integers]
        normals: types[language.Normals]
        values: types[language.Values]

    return CellTypes(Rule, Cell, types[language.Ring])


@functools.cache
def _scratch_types() -> dict[Any, Any]:
    """The types that a formula may write to: Warp has no arrays for a single thread, but vectors of fixed length."""
    import warp as wp

    matrix = functools.partial(wp.types.matrix, dtype=wp.float64)
    return {
        language.Point: wp.vec3d,
        language.Integers: wp.types.vector(SLOTS, wp.int32),
        language.Signs: wp.types.vector(SLOTS, wp.float64),
        language.Normals: matrix((SLOTS, 3)),
        language.Values: matrix((3, 4)),
        language.Crossings: matrix((12, 3)),
        language.Ring: matrix((4, 3)),
    }


@functools.cache
def double() -> Binder:
    """Formulas in float64."""
    import warp as wp

    return _binder(wp.float64, "double")


@functools.cache
def single() -> Binder:
    """Formulas in float32."""
    import warp as wp

    return _binder(wp.float32, "single")


def _binder(real: Any, name: str) -> Binder:
    import warp as wp

    types = {
        float: real,
        int: wp.int32,
        bool: wp.bool,
        language.Rows: wp.array2d[real],
        language.Singles: wp.array2d[wp.float32],
        language.Primitives: primitives_struct(),
        language.Rule: cell_types().Rule,
        language.Edges: boundary_structs().Edges,
        language.Pieces: boundary_structs().Pieces,
    }
    scratch = _scratch_types() | {language.Cell: cell_types().Cell}
    types |= {word: wp.ref[kind] for word, kind in scratch.items()}

    def number(value: Any) -> Any:
        return real(value) if isinstance(value, float) else value

    def compiled(function: FunctionType) -> Any:
        given = {name: types[word] for name, word in function.__annotations__.items() if name != "return"}
        function.__annotations__ = given
        # Warp would take functions of one name and module for overloads of one function.
        function.__qualname__ = f"{function.__name__}_{name}"
        return wp.func(function)

    # `wp.float64` would turn the constant itself into a variable.
    for given in (wp.int32, wp.float32, wp.float64):

        @wp.func(name=f"real_{name}")
        def convert(value: given):  # type: ignore[no-untyped-def]
            return real(value)

    own = {"atan2": wp.atan2, "ceil": wp.ceil, "floor": wp.floor, "sqrt": wp.sqrt, "where": wp.where}
    return Binder(own | {"real": convert, "single": wp.float32}, number, compiled)
