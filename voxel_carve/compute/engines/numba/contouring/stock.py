"""Where the stock is in the block of a brick: by its crossings with columns of voxels, and its boundary sums."""

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ....model.bricks import BRICK_SIZE, State
from ..compiler.decorators import inlined, subroutine
from .blocks import SIDE

NEAR, SOLID = int(State.NEAR), int(State.SOLID)
MINUS_ONE = np.int32(-1)
LOWER = (1 << BRICK_SIZE) - 1  # the voxels of a column of a block that are in its first brick


class Stock(NamedTuple):
    """What says where the stock is.

    Attributes:
        states: (Z, Y, X) uint8 `State` of all bricks.
        first, triangle: (B + 1,), (P,) the triangles near each brick: see `Bins`.
        columns: `primitives.crossings.Crossings`.    sums: `BoundarySums` of the bricks.
    """

    states: npt.NDArray[np.uint8]
    first: npt.NDArray[np.int64]
    triangle: npt.NDArray[np.int32]
    columns: Any
    sums: Any


@inlined
def state_at(states, z, y, x):  # type: ignore[no-untyped-def]
    """The state of a brick, EMPTY outside of all."""
    state = np.uint8(0)
    if z < states.shape[0] and y < states.shape[1] and x < states.shape[2]:
        state = states[z, y, x]
    return state


@inlined
def column_at(columns, y, x):  # type: ignore[no-untyped-def]
    """The column of a voxel, or the nearest one."""
    return min(y, columns.shape[1] - 1) * columns.shape[2] + min(x, columns.shape[2] - 1)


@inlined
def do_sums_drift(brick, layout, sums):  # type: ignore[no-untyped-def]
    """Whether the winding number drifts between triangles in the block of a brick (z, y, x): see
    `contouring.drifting`."""
    drifts = False
    for corner in range(8):
        place = layout.places[
            brick[0] + (corner >> 2) + 1, brick[1] + (corner >> 1 & 1) + 1, brick[2] + (corner & 1) + 1
        ]
        if place >= 0:
            drifts |= sums.row[place] >= 0 or sums.sum[place] != 0.0
    return drifts


@subroutine
def load_winding(brick, layout, stock, winding):  # type: ignore[no-untyped-def]
    """Set winding (729,) to the stock's winding number in the block of a brick (z, y, x)."""
    columns, sums = stock.columns, stock.sums
    for corner in range(8):
        dz, dy, dx = corner >> 2, corner >> 1 & 1, corner & 1
        z, y, x = brick[0] + dz, brick[1] + dy, brick[2] + dx
        depth, height, width = 1 if dz else BRICK_SIZE, 1 if dy else BRICK_SIZE, 1 if dx else BRICK_SIZE
        place = layout.places[z + 1, y + 1, x + 1]
        state = state_at(stock.states, z, y, x)
        row = sums.row[place] if place >= 0 else MINUS_ONE
        whole = sums.sum[place] if place >= 0 else 0.0
        for j in range(height):
            for i in range(width):
                at = (dz * BRICK_SIZE * SIDE + dy * BRICK_SIZE + j) * SIDE + dx * BRICK_SIZE + i
                if state != NEAR:
                    for k in range(depth):
                        winding[at + k * SIDE * SIDE] = 1.0 if state == SOLID else 0.0
                    continue
                column = column_at(columns, y * BRICK_SIZE + j, x * BRICK_SIZE + i)
                hit, end = columns.start[column + 1], columns.start[column + 1]
                for k in range(depth - 1, -1, -1):
                    while hit > columns.start[column] and columns.height[hit - 1] > z * BRICK_SIZE + k:
                        hit -= 1
                    w = columns.total[end] - columns.total[hit] + whole
                    if row >= 0:
                        w = (
                            columns.total[end]
                            - columns.total[hit]
                            + sums.voxel_sum[row, (k * BRICK_SIZE + j) * BRICK_SIZE + i]
                        )
                    winding[at + k * SIDE * SIDE] = w


@subroutine
def load_inside(brick, stock, inside):  # type: ignore[no-untyped-def]
    """Set the rows inside (9, 9) of the block of a brick (z, y, x), where the winding number does not drift. Where no
    triangle crosses a column of voxels, all of them are alike."""
    columns, bottom = stock.columns, brick[0] * BRICK_SIZE
    for k in range(SIDE):
        for j in range(SIDE):
            inside[k, j] = 0
    for corner in range(4):
        dy, dx = corner >> 1, corner & 1
        y, x = brick[1] + dy, brick[2] + dx
        height, width = 1 if dy else BRICK_SIZE, 1 if dx else BRICK_SIZE
        lower, upper = state_at(stock.states, brick[0], y, x), state_at(stock.states, brick[0] + 1, y, x)
        for j in range(height):
            for i in range(width):
                bits = np.int64(0)
                if lower == NEAR or upper == NEAR:
                    column = column_at(columns, y * BRICK_SIZE + j, x * BRICK_SIZE + i)
                    begin, end = columns.start[column], columns.start[column + 1]
                    hit, top = end, BRICK_SIZE + 1
                    while top > 0:
                        while hit > begin and columns.height[hit - 1] >= bottom + top:
                            hit -= 1
                        # From here down to the next crossing, or to the bottom of the block.
                        low = max(columns.height[hit - 1] - bottom, 0) if hit > begin else 0
                        if columns.total[end] != columns.total[hit]:
                            bits |= (1 << top) - (1 << low)
                        top = low
                if lower != NEAR:
                    bits = bits & 1 << BRICK_SIZE | (LOWER if lower == SOLID else 0)
                if upper != NEAR:
                    bits = bits & LOWER | (1 << BRICK_SIZE if upper == SOLID else 0)
                if bits != 0:
                    for k in range(SIDE):
                        inside[k, dy * BRICK_SIZE + j] |= (bits >> k & 1) << (dx * BRICK_SIZE + i)


@inlined
def winding_at(brick, stock, at, drifts, winding):  # type: ignore[no-untyped-def]
    """The stock's winding number at a place of the block of a brick (z, y, x): from winding (729,) where it drifts."""
    found = 0.0
    if drifts:
        found = winding[at]
    else:
        z, y, x = brick[0] * BRICK_SIZE, brick[1] * BRICK_SIZE, brick[2] * BRICK_SIZE
        z, y, x = z + at // (SIDE * SIDE), y + at // SIDE % SIDE, x + at % SIDE
        state = state_at(stock.states, z // BRICK_SIZE, y // BRICK_SIZE, x // BRICK_SIZE)
        if state == NEAR:
            columns = stock.columns
            column = column_at(columns, y, x)
            end = columns.start[column + 1]
            hit = end
            while hit > columns.start[column] and columns.height[hit - 1] > z:
                hit -= 1
            found = np.float64(columns.total[end] - columns.total[hit])
        elif state == SOLID:
            found = 1.0
    return found
