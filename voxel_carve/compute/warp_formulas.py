"""Formulas as Warp reads them: see `formulas`. Warp is imported when the first is asked for."""

# What stands in a struct is Warp's language, of which the types of its Python names know too little.
# mypy: disable-error-code="valid-type"

import functools
from types import FunctionType
from typing import Any

from .formulas import words
from .formulas.reading import Reader


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
        words.Primitives: primitives_struct(),
    }

    def number(value: Any) -> Any:
        return real(value) if isinstance(value, float) else value

    def compiled(function: FunctionType) -> Any:
        given = {name: types[word] for name, word in function.__annotations__.items() if name != "return"}
        function.__annotations__ = given
        # Functions of one name and module would be one function to Warp, for several types.
        function.__qualname__ = f"{function.__name__}_{name}"
        return wp.func(function)

    return Reader({"sqrt": wp.sqrt, "where": wp.where, "real": real}, number, compiled)
