"""How an engine reads formulas: the same code objects, which see the engine's own names and numbers."""

import builtins
import functools
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import FunctionType
from typing import Any

import numpy as np

# Functions of scalars are compared, not their results: a reader takes any of them.
Formula = Callable[..., Any]

HOME = __name__.rpartition(".")[0]


@dataclass(frozen=True)
class Binder:
    """Makes formulas the functions of one engine, for numbers of one type.

    Attributes:
        names: what the engine has for the names of `language`, and for the builtins that mean something else there.
        number: makes a named constant a number of the engine; it is given an int or a float.
        compiled: makes a function of the engine of one that already sees the engine's names.
        kinds: what makes some formulas another kind of function.
    """

    names: Mapping[str, Any]
    number: Callable[[Any], Any]
    compiled: Callable[[Any], Any]
    kinds: Mapping[Formula, Callable[[Any], Any]] = field(default_factory=dict)
    _known: dict[tuple[Formula, Any], Any] = field(default_factory=dict, repr=False)

    def __call__(self, formula: Formula, compiled: Callable[[Any], Any] | None = None) -> Any:
        """The formula as a function of the engine, made once.

        Args:
            compiled: makes it another kind of function than the other formulas, which it calls, are.

        Raises:
            TypeError: it is not a plain function, or uses a name that no engine could know.
        """
        known = self._known.get((formula, compiled))
        if known is None:
            if not isinstance(formula, FunctionType) or formula.__closure__ or formula.__defaults__:
                raise TypeError(f"{formula!r} is no formula: a plain function, without defaults or outer variables")
            names = formula.__code__.co_names
            scope = {
                name: self._seen(formula, name) for name in names if name in self.names or name in formula.__globals__
            }
            own = FunctionType(formula.__code__, scope | {"__builtins__": builtins}, formula.__name__)
            functools.update_wrapper(own, formula)
            del own.__dict__["__wrapped__"]
            known = (compiled or self.kinds.get(formula, self.compiled))(own)
            self._known[formula, compiled] = known
        return known

    def _seen(self, formula: FunctionType, name: str) -> Any:
        """What a formula sees under a name of its module."""
        if name in self.names:
            return self.names[name]
        value = formula.__globals__[name]
        if isinstance(value, FunctionType) and value.__module__.startswith(f"{HOME}."):
            return self(value)
        if isinstance(value, int | float):
            return self.number(value)
        raise TypeError(f"{formula.__name__} uses {name}, which is no formula, no word and no number")


# Of whole arrays, at once: for formulas without branches.
ON_ARRAYS = Binder(
    names={
        "sqrt": np.sqrt,
        "atan2": np.arctan2,
        "where": np.where,
        "real": np.float64,
        "single": np.float32,
        "min": np.minimum,
        "max": np.maximum,
        "abs": np.abs,
    },
    number=lambda value: value,
    compiled=lambda function: function,
)
