"""The fused pass in numpy, chunk by chunk: the reference of what `Backend.evaluate` does."""

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from .backend import Backend
from .bricks import BRICK_VOXELS, REACH, Bins, BrickTable, State
from .combining import Operation, combine, filled
from .crossings import Crossings
from .fields import Fields, Loss
from .surface import Field
from .triangles import Triangles
from .winding import INSIDE, BoundarySums

Distance = npt.NDArray[np.float32]


def evaluate(
    fields: Fields, operation: Operation, backend: Backend, progress: Callable[[float], None]
) -> tuple[Field, Loss]:
    """As `Backend.evaluate`, by the distances that `backend` computes."""
    distance = np.empty((len(fields), BRICK_VOXELS), dtype=np.float32)
    source = np.empty((len(fields), BRICK_VOXELS), dtype=np.uint8)
    loss = Loss(np.empty(len(fields)), np.empty(len(fields), dtype=np.int64))
    for rows in fields.chunks():
        progress(rows.start / len(fields))
        part = fields.part(rows.start, rows.stop)
        stock, closure = _stock_distance(part, backend)
        sweep = uniform_distance(part.sweep_state)
        near, bins = _near(part.segment_bins, part.sweep_state)
        sweep[near] = backend.segment_distance(part.segments, bins, part.table)
        distance[rows], source[rows] = combine(stock, closure, sweep, operation)
        loss.removed[rows] = (filled(stock) - filled(distance[rows])).sum(axis=1, dtype=np.float64)
        loss.inside[rows] = np.count_nonzero(stock <= 0, axis=1)
    return Field(fields.table, fields.states, fields.bricks, distance, source), loss


def uniform_distance(states: npt.NDArray[np.uint8]) -> Distance:
    """(B, 512) distances that say no more than the state of each brick."""
    side = np.where(states == State.SOLID, -REACH, REACH).astype(np.float32)
    return np.repeat(side[:, None], BRICK_VOXELS, axis=1)


def signed_distance(
    triangles: Triangles, bins: Bins, crossings: Crossings, sums: BoundarySums, table: BrickTable, backend: Backend
) -> tuple[Distance, npt.NDArray[np.bool_]]:
    """The stock's field in the bricks of `bins`.

    Returns:
        distance: (B, 512) float32, signed, in voxels, clamped to REACH; 0 is inside.
        closure: (B, 512) bool: the sheet that closes a hole is nearer than any triangle.
    """
    distance = backend.triangle_distance(triangles, bins, table)
    to_sheet = sums.sheet_distance()
    closure = to_sheet < distance
    np.minimum(distance, to_sheet, out=distance)
    w = backend.crossings_in_bricks(crossings, bins.bricks, table) + sums.by_voxel()
    np.negative(distance, where=np.abs(w) > INSIDE, out=distance)
    return distance, closure


def _stock_distance(fields: Fields, backend: Backend) -> tuple[Distance, npt.NDArray[np.bool_]]:
    distance = uniform_distance(fields.stock_state)
    closure = np.zeros(distance.shape, dtype=bool)
    near, bins = _near(fields.triangle_bins, fields.stock_state)
    sums = fields.sums.at(near)
    distance[near], closure[near] = signed_distance(
        fields.triangles, bins, fields.crossings, sums, fields.table, backend
    )
    return distance, closure


def _near(bins: Bins, states: npt.NDArray[np.uint8]) -> tuple[npt.NDArray[np.int64], Bins]:
    """The rows of the NEAR bricks, and their lists."""
    near = states == State.NEAR
    return np.flatnonzero(near), bins.select(near)
