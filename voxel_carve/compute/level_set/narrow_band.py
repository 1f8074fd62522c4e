"""The narrow band of a result's field.

The field's distances are exact up to REACH. From there on they are solutions of the eikonal equation |grad d| = 1 that
grow from voxel to voxel: upwind differences of first order (Rouy and Tourin 1992), repeated until the band is full.
They are exact beside a plane. Where a surface curves by a radius of R voxels, they are off by up to 1.3 / R voxels.
"""

import math
from itertools import product

import numpy as np
import numpy.typing as npt

from ..field.fields import Field, places_of
from ..model.bricks import BRICK_SIZE, BRICK_VOXELS, LOWEST, NO_PRIMITIVE, REACH, State
from ..model.grid import Grid
from ..runtime.progress import with_progress
from ..runtime.threads import over_rows, slices
from .sparse_field import HALF_WIDTH, SparseField

Floats = npt.NDArray[np.float32]
Indices = npt.NDArray[np.int64]

BRICKS_PER_RUN = 64
BRICKS_PER_BLOCK = 1024
# Bricks around the table: one with voxels of the band, and one more as its neighbour.
_ROOM = 2


def narrow_band(field: Field, grid: Grid, half_width: float = HALF_WIDTH) -> SparseField:
    """The distances of a field's surface as far as `half_width` voxels, at least 1 and at most BRICK_SIZE.

    Beyond the surface's convex edges they are those from the nearer one of the surfaces that meet there, as in every
    field that is combined from two: less than from the edge itself.
    """
    given = field.distances()
    chosen = _bricks_reached(field, given, math.ceil(half_width))
    row = np.pad(places_of(field), _ROOM - 1, constant_values=-1)[chosen]
    states = np.pad(field.states, _ROOM, constant_values=State.EMPTY)[chosen]
    distance = _extended(_started(given, row, half_width), chosen, half_width)
    blocks = slices(len(row), BRICKS_PER_BLOCK)
    kept = np.flatnonzero(np.concatenate([(distance[block] < half_width).any(axis=1) for block in blocks]))

    # Block by block, because copies of all would take as much memory as the job before.
    length = np.empty((len(kept), BRICK_VOXELS), dtype=np.float32)
    primitive, background = np.empty(length.shape, dtype=np.int32), np.float32(half_width * grid.voxel_size)
    for block in slices(len(kept), BRICKS_PER_BLOCK):
        bricks = kept[block]
        own, known = row[bricks], row[bricks] >= 0
        inside = np.repeat(states[bricks] == State.SOLID, BRICK_VOXELS).reshape(-1, BRICK_VOXELS)
        inside[known] = given[own[known]] <= 0
        far = distance[bricks]
        far = np.where(far < half_width, far * np.float32(grid.voxel_size), background)
        length[block] = np.where(inside, -far, far)
        primitive[block] = _primitives(field, own, known[:, None] & _is_known(given[own]))
    corners = (np.argwhere(chosen)[kept] - _ROOM) * BRICK_SIZE
    return SparseField(grid.origin, grid.voxel_size, half_width, corners, length, primitive)


def _is_known(given: Floats) -> npt.NDArray[np.bool_]:
    """Which of a field's distances (B, 512) are less than REACH."""
    return np.asarray(np.abs(given) < np.float32(REACH))


def _started(given: Floats, row: npt.NDArray[np.int32], half_width: float) -> Floats:
    """(B + 1, 512) the known distances, unsigned, of bricks with rows (B,) in a field, -1 for none.

    It is `half_width` elsewhere, and in one more brick.
    """
    started = np.full((len(row) + 1, BRICK_VOXELS), half_width, dtype=np.float32)
    for block in slices(len(row), BRICKS_PER_BLOCK):
        known = row[block] >= 0
        near = np.abs(given[row[block][known]])
        started[block][known] = np.where(near < np.float32(REACH), near, np.float32(half_width))
    return started


def _primitives(field: Field, row: npt.NDArray[np.int32], known: npt.NDArray[np.bool_]) -> npt.NDArray[np.int32]:
    """`SparseField.primitive` of bricks in rows (B,) of a field, -1 for none, in the known voxels (B, 512)."""
    code = np.where(known, field.primitives()[row.clip(0)], np.int32(NO_PRIMITIVE))
    code[code == LOWEST] = NO_PRIMITIVE
    triangle, segment = (code >= 0) & (code != NO_PRIMITIVE), code < 0
    code[triangle] = field.triangles.order[code[triangle]]
    code[segment] = -1 - field.segments.order[-1 - code[segment]]
    return code


def _bricks_reached(field: Field, given: Floats, steps: int) -> npt.NDArray[np.bool_]:
    """The table of bricks, with `_ROOM` around it: those within some voxels of a field's known distances (B, 512)."""
    reached = np.zeros([side + 2 * _ROOM for side in field.table.shape], dtype=np.bool_)
    at = field.table.coordinates(field.bricks) + _ROOM
    sides = {-1: slice(0, steps), 0: slice(None), 1: slice(BRICK_SIZE - steps, None)}
    for block in slices(len(at), BRICKS_PER_BLOCK):
        known = _is_known(given[block]).reshape(-1, *[BRICK_SIZE] * 3)
        for step in product(sides, repeat=3):
            has = known[(slice(None), *[sides[each] for each in step])].any(axis=(1, 2, 3))
            reached[tuple((at[block][has] + step).T)] = True
    return reached


def _extended(started: Floats, chosen: npt.NDArray[np.bool_], half_width: float) -> Floats:
    """Unsigned distances (B, 512) of the chosen bricks of a table. Those below REACH are known, the others follow.

    started: (B + 1, 512) see `_started`; it changes.
    """
    count = len(started) - 1
    places = np.full(chosen.shape, count, dtype=np.int64)
    places[chosen] = np.arange(count)
    # (3, 2, B): the rows of the bricks before and after each one along each axis; B for none.
    beside = np.stack([[np.roll(places, step, axis)[chosen] for step in (1, -1)] for axis in range(3)])
    old = started.reshape(-1, *[BRICK_SIZE] * 3)
    new = old.copy()
    # Along a diagonal of the voxels, a distance of 1 takes a step along each of the three axes.
    for _ in with_progress(range(math.ceil(3**0.5 * (half_width - REACH)) + 1)):
        over_rows(_spread, count, BRICKS_PER_RUN, old, new, beside)
        old, new = new, old
    return old[:-1].reshape(-1, BRICK_VOXELS)


def _spread(start: int, stop: int, old: Floats, new: Floats, beside: Indices) -> None:
    """Set new (B + 1, 8, 8, 8) for some bricks to what follows from old: the distances reach one voxel farther."""
    here = old[start:stop]
    least = []
    for axis in range(3):
        before, after = (old[beside[axis, end, start:stop]] for end in (0, 1))
        lower = np.concatenate([_layers(before, axis, -1, None), _layers(here, axis, 0, -1)], axis=axis + 1)
        upper = np.concatenate([_layers(here, axis, 1, None), _layers(after, axis, 0, 1)], axis=axis + 1)
        least.append(np.minimum(lower, upper))
    first, second, third = np.minimum(*least[:2]), np.maximum(*least[:2]), least[2]
    a, b, c = np.minimum(first, third), np.clip(third, first, second), np.maximum(second, third)
    one = a + 1
    two = (a + b + np.sqrt(np.maximum(2 - (b - a) ** 2, 0))) / 2
    total = a + b + c
    three = (total + np.sqrt(np.maximum(total * total - 3 * (a * a + b * b + c * c - 1), 0))) / 3
    found = np.where(one <= b, one, np.where(two <= c, two, three))
    new[start:stop] = np.where(here < np.float32(REACH), here, np.minimum(here, found))


def _layers(bricks: Floats, axis: int, first: int, stop: int | None) -> Floats:
    """Some layers of bricks (N, 8, 8, 8) along one of their axes."""
    return bricks[(slice(None), *[slice(first, stop) if axis == each else slice(None) for each in range(3)])]
