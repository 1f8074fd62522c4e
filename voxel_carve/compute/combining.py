"""The fields of the stock and of the sweep made one."""

from typing import Literal, get_args

import numpy as np
import numpy.typing as npt

from .bricks import State

Operation = Literal["subtract", "union", "intersect"]
OPERATIONS: tuple[Operation, ...] = get_args(Operation)

Distance = npt.NDArray[np.float32]
Numbers = npt.NDArray[np.int32]

# A voxel exactly on the sweep's surface is inside the sweep, so outside of what is left.
JUST_OUTSIDE = np.finfo(np.float32).tiny


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


def idle_state(operation: Operation) -> State:
    """The state of the sweep where it leaves the stock as it is."""
    return State.SOLID if operation == "intersect" else State.EMPTY


def combine(
    stock: Distance, triangle: Numbers, sweep: Distance, segment: Numbers, operation: Operation
) -> tuple[Distance, Numbers]:
    """Combine distances (B, 512), negative inside, 0 inside.

    Args:
        stock, triangle: distance to the stock, and the triangle that it is of.
        sweep, segment: distance to the sweep, and the segment that it is of.
        operation: what to do.

    Returns:
        distance: (B, 512) of the result.
        nearest: (B, 512) int32, whose distance it is: see `Field`.
    """
    other = np.where(sweep == 0, JUST_OUTSIDE, -sweep) if operation == "subtract" else sweep
    from_path = other < stock if operation == "union" else other > stock
    distance = np.where(from_path, other, stock)
    return distance, np.where(from_path, np.int32(-1) - segment, triangle)


def filled(distance: Distance) -> Distance:
    """The part of each voxel that is inside, from the distance of its centre, to second order."""
    part: Distance = np.clip(np.float32(0.5) - distance, 0, 1)
    return part
