"""The fused pass in numpy, block by block: the reference of what `Backend.evaluate` does."""

from collections.abc import Callable, Iterable, Iterator, Sequence

import numpy as np
import numpy.typing as npt

from .backend import Backend
from .bricks import BRICK_VOXELS, REACH, Bins, BrickTable, State
from .combining import Operation, combine, filled, idle_state
from .crossings import Crossings
from .fields import Fields, Loss
from .mesh import Source
from .surface import Field
from .triangles import Triangles
from .winding import INSIDE, BoundarySums

Distance = npt.NDArray[np.float32]
Mask = npt.NDArray[np.bool_]

# Calls a function for each block, and gives back the results in order.
MapBlocks = Callable[[Callable[[slice], None], Iterable[slice]], Iterator[None]]


def evaluate(
    fields: Fields,
    operation: Operation,
    backend: Backend,
    progress: Callable[[float], None],
    blocks: Sequence[slice],
    map_blocks: MapBlocks = map,
) -> tuple[Field, Loss]:
    """As `Backend.evaluate`, by the distances that `backend` computes, in blocks of bricks."""
    distance = np.empty((len(fields), BRICK_VOXELS), dtype=np.float32)
    source = np.empty((len(fields), BRICK_VOXELS), dtype=np.uint8)
    loss = Loss(np.empty(len(fields)), np.empty(len(fields), dtype=np.int64))

    def fill(rows: slice) -> None:
        part = fields.part(rows.start, rows.stop)
        stock, closure = _stock_distance(part, backend)
        loss.inside[rows] = np.count_nonzero(stock <= 0, axis=1)
        distance[rows], source[rows] = stock, closure.view(np.uint8) * np.uint8(Source.CLOSURE)
        loss.removed[rows] = 0
        met = np.flatnonzero(part.sweep_state != idle_state(operation))
        stock, sweep = stock[met], uniform_distance(part.sweep_state[met])
        near, bins = _near(part.segment_bins, part.sweep_state)
        sweep[np.searchsorted(met, near)] = backend.segment_distance(part.segments, bins, part.table)
        result, result_source = combine(stock, closure[met], sweep, operation)
        distance[rows][met], source[rows][met] = result, result_source
        loss.removed[rows][met] = (filled(stock) - filled(result)).sum(axis=1, dtype=np.float64)

    progress(0.0)
    for rows, _ in zip(blocks, map_blocks(fill, blocks), strict=True):
        progress(rows.stop / len(fields))
    return Field(fields.table, fields.states, fields.bricks, distance, source), loss


def uniform_distance(states: npt.NDArray[np.uint8]) -> Distance:
    """(B, 512) distances that say no more than the state of each brick."""
    side = np.where(states == State.SOLID, -REACH, REACH).astype(np.float32)
    return np.repeat(side[:, None], BRICK_VOXELS, axis=1)


def signed_distance(
    triangles: Triangles, bins: Bins, crossings: Crossings, sums: BoundarySums, table: BrickTable, backend: Backend
) -> tuple[Distance, Mask]:
    """The stock's field in the bricks of `bins`.

    Returns:
        distance: (B, 512) float32, signed, in voxels, clamped to REACH; 0 is inside.
        closure: (B, 512) bool: the sheet that closes a hole is nearer than any triangle.
    """
    distance = backend.triangle_distance(triangles, bins, table)
    above = backend.crossings_in_bricks(crossings, bins.bricks, table)
    closure = np.zeros(distance.shape, dtype=bool)
    inside = above != 0
    if sums.sum.any():
        inside = np.abs(above + sums.sum[:, None]) > INSIDE
    own = np.flatnonzero(sums.row >= 0)
    if len(own):
        to_sheet = sums.to_sheet[sums.row[own]]
        closure[own] = to_sheet < distance[own]
        distance[own] = np.minimum(distance[own], to_sheet)
        inside[own] = np.abs(above[own] + sums.voxel_sum[sums.row[own]]) > INSIDE
    return np.where(inside, -distance, distance), closure


def _stock_distance(fields: Fields, backend: Backend) -> tuple[Distance, Mask]:
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
