"""How the fields of the stock and the sweep are combined.

Both are negative inside, and 0 is inside. A union takes the minimum, an intersection the maximum. A subtraction takes
the maximum, with the sweep's field negated. Where both are equal, the distance is the stock's.
"""

from typing import Literal, NamedTuple, get_args

import numpy as np
import numpy.typing as npt

from ..runtime.errors import InputError
from .bricks import State

Operation = Literal["subtract", "union", "intersect"]
OPERATIONS: tuple[Operation, ...] = get_args(Operation)
# What callers may say as well: the names of other programs.
OperationName = Literal["subtract", "union", "intersect", "difference", "intersection"]
OPERATION_NAMES: tuple[OperationName, ...] = get_args(OperationName)
_OTHER_NAMES: dict[str, Operation] = {"difference": "subtract", "intersection": "intersect"}


def operation_of(name: object) -> Operation:
    """The operation with one of its names.

    Raises:
        InputError: no operation has it.
    """
    if isinstance(name, str):
        found = _OTHER_NAMES.get(name, name)
        if found in OPERATIONS:
            return found
    raise InputError("unknown operation '{operation}': choose {choices}", operation=name, choices=", ".join(OPERATIONS))


class Rule(NamedTuple):
    """How two fields are combined.

    Attributes:
        carves: the sweep's field is negated.
        greatest: take the maximum, not the minimum.
    """

    carves: bool
    greatest: bool

    @classmethod
    def of(cls, operation: Operation) -> "Rule":
        """The rule of an operation."""
        return cls(operation == "subtract", operation != "union")


def combined_states(
    stock: npt.NDArray[np.uint8], sweep: npt.NDArray[np.uint8], operation: Operation
) -> npt.NDArray[np.uint8]:
    """The state of each brick of the result, from two tables of `State` of the same shape; NEAR where its surface can
    be."""
    if operation == "subtract":
        sweep = np.array([State.SOLID, State.EMPTY, State.NEAR], dtype=np.uint8)[sweep]
    if operation == "union":
        decided, other = State.SOLID, State.EMPTY
    else:
        decided, other = State.EMPTY, State.SOLID
    states = np.full(stock.shape, State.NEAR, dtype=np.uint8)
    states[(stock == other) & (sweep == other)] = other
    states[(stock == decided) | (sweep == decided)] = decided
    return states
