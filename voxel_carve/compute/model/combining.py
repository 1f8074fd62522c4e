"""The fields of the stock and of the sweep made one.

Both are negative inside, and 0 is inside. To subtract, the sweep's is negated; a union takes the lesser of the two, the
others the greater one. Where both are the same, the distance is the stock's. The part of a voxel that is inside is told
from the distance of its centre, to second order: 0.5 less the distance, from 0 to 1.
"""

from typing import Literal, NamedTuple, get_args

import numpy as np
import numpy.typing as npt

from .bricks import State

Operation = Literal["subtract", "union", "intersect"]
OPERATIONS: tuple[Operation, ...] = get_args(Operation)


class Rule(NamedTuple):
    """How two fields are made one.

    Attributes:
        carves: the sweep's outside counts.
        greatest: the greater field counts, and not the lesser.
    """

    carves: bool
    greatest: bool

    @classmethod
    def of(cls, operation: Operation) -> "Rule":
        """That of an operation."""
        return cls(operation == "subtract", operation != "union")


def combined_states(
    stock: npt.NDArray[np.uint8], sweep: npt.NDArray[np.uint8], operation: Operation
) -> npt.NDArray[np.uint8]:
    """State of each brick of the result, from tables of `State` of the same shape."""
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
