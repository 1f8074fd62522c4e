"""Binding of formulas to an engine: the same code objects, with the engine's own functions and number types."""

import builtins
import dis
import functools
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import FunctionType
from typing import Any

import numpy as np

Formula = Callable[..., Any]  # a plain function of scalars

HOME = __name__.rpartition(".")[0]
# The packages that formulas are in.
HOMES = (f"{HOME}.", f"{HOME.rpartition('.')[0]}.contouring.")


@dataclass(frozen=True)
class Binder:
    """Turns formulas into functions of one engine, for numbers of one type.

    Attributes:
        names: the engine's functions for the names of `language`, and for builtins that it replaces.
        number: converts a named constant, an int or a float, to a number of the engine; and objects of types `more`.
        compiled: compiles a function that is already bound to the engine's names.
        kinds: other compilers, for some formulas.
        more: types of other objects that functions of the engine itself may name.
    """

    names: Mapping[str, Any]
    number: Callable[[Any], Any]
    compiled: Callable[[Any], Any]
    kinds: Mapping[Formula, Callable[[Any], Any]] = field(default_factory=dict)
    more: tuple[type, ...] = ()
    _known: dict[tuple[Formula, Any], Any] = field(default_factory=dict, repr=False)

    def __call__(self, formula: Formula, compiled: Callable[[Any], Any] | None = None) -> Any:
        """The formula as a function of the engine, compiled once.

        Args:
            compiled: compiles this formula, in place of the usual compiler.

        Raises:
            TypeError: it is not a plain function, or it uses a name that no engine could know.
        """
        known = self._known.get((formula, compiled))
        if known is None:
            if not isinstance(formula, FunctionType) or formula.__closure__ or formula.__defaults__:
                raise TypeError(f"{formula!r} is no formula: a plain function, without defaults or outer variables")
            names = {step.argval for step in dis.get_instructions(formula) if step.opname == "LOAD_GLOBAL"}
            scope = {
                name: self._bound(formula, name) for name in names if name in self.names or name in formula.__globals__
            }
            own = FunctionType(formula.__code__, scope | {"__builtins__": builtins}, formula.__name__)
            functools.update_wrapper(own, formula)
            del own.__dict__["__wrapped__"]
            known = (compiled or self.kinds.get(formula, self.compiled))(own)
            self._known[formula, compiled] = known
        return known

    def _bound(self, formula: FunctionType, name: str) -> Any:
        """The engine's object for a global name of a formula."""
        if name in self.names:
            return self.names[name]
        value = formula.__globals__[name]
        if isinstance(value, FunctionType) and value.__module__.startswith(HOMES):
            return self(value)
        if isinstance(value, (int, float, *self.more)):
            return self.number(value)
        raise TypeError(f"{formula.__name__} uses {name}, which is no formula, no name of the language and no number")


# For whole arrays: formulas without branches, but for `some`.
ON_ARRAYS = Binder(
    names={
        "sqrt": np.sqrt,
        "atan2": np.arctan2,
        "ceil": np.ceil,
        "floor": np.floor,
        "where": np.where,
        "some": np.any,
        "real": np.float64,
        "single": np.float32,
        "min": np.minimum,
        "max": np.maximum,
        "abs": np.abs,
    },
    number=lambda value: value,
    compiled=lambda function: function,
)
