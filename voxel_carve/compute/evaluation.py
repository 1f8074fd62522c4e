"""The fused pass in numpy, block by block: the reference of what `Backend.evaluate` does."""

from collections.abc import Callable, Iterable, Iterator, Sequence

import numpy as np
import numpy.typing as npt

from .backend import Backend
from .bricks import BRICK_VOXELS, NO_PRIMITIVE, REACH, Bins, BrickTable, State
from .combining import Numbers, Operation, combine, filled, idle_state
from .crossings import Crossings
from .fields import Field, Fields, Loss
from .scipy_kernels import nearest_segment
from .scipy_triangles import nearest_triangle
from .winding import INSIDE, BoundarySums

Distance = npt.NDArray[np.float32]

# Calls a function for each block, and gives back the results in order.
MapBlocks = Callable[[Callable[[slice], None], Iterable[slice]], Iterator[None]]


def evaluate(
    fields: Fields,
    operation: Operation,
    backend: Backend,
    blocks: Sequence[slice],
    map_blocks: MapBlocks = map,
) -> tuple[Field, Loss]:
    """As `Backend.evaluate`, in blocks of bricks; `backend` passes the columns."""
    distance = np.empty((len(fields), BRICK_VOXELS), dtype=np.float32)
    nearest = np.empty((len(fields), BRICK_VOXELS), dtype=np.int32)
    loss = Loss(np.empty(len(fields)), np.empty(len(fields), dtype=np.int64))

    def fill(rows: slice) -> None:
        part = fields.part(rows.start, rows.stop)
        stock, triangle = _stock_distance(part, backend)
        loss.inside[rows] = np.count_nonzero(stock <= 0, axis=1)
        distance[rows], nearest[rows] = stock, triangle
        loss.removed[rows] = 0
        met = np.flatnonzero(part.sweep_state != idle_state(operation))
        stock, sweep = stock[met], uniform_distance(part.sweep_state[met])
        segment = np.full(sweep.shape, NO_PRIMITIVE, dtype=np.int32)
        near, bins = _near(part.segment_bins, part.sweep_state)
        place = np.searchsorted(met, near)
        sweep[place], segment[place] = nearest_segment(part.segments, bins, part.table)
        result, owner = combine(stock, triangle[met], sweep, segment, operation)
        distance[rows][met], nearest[rows][met] = result, owner
        loss.removed[rows][met] = (filled(stock) - filled(result)).sum(axis=1, dtype=np.float64)

    for _ in map_blocks(fill, blocks):
        pass
    return fields.combined(distance, nearest, operation), loss


def uniform_distance(states: npt.NDArray[np.uint8]) -> Distance:
    """(B, 512) distances that say no more than the state of each brick."""
    side = np.where(states == State.SOLID, -REACH, REACH).astype(np.float32)
    return np.repeat(side[:, None], BRICK_VOXELS, axis=1)


def signed_distance(
    distance: Distance,
    triangle: Numbers,
    bricks: npt.NDArray[np.int64],
    crossings: Crossings,
    sums: BoundarySums,
    table: BrickTable,
    backend: Backend,
) -> tuple[Distance, Numbers]:
    """The stock's field in bricks (B,), from the unsigned distance (B, 512) to its triangles and whose it is (B, 512).

    Returns:
        distance: (B, 512) float32, signed, in voxels, clamped to REACH; 0 is inside.
        triangle: (B, 512) int32, NO_PRIMITIVE where the sheet that closes a hole is nearer than any triangle.
    """
    above = backend.crossings_in_bricks(crossings, bricks, table)
    inside = above != 0
    if sums.sum.any():
        inside = np.abs(above + sums.sum[:, None]) > INSIDE
    own = np.flatnonzero(sums.row >= 0)
    if len(own):
        to_sheet = sums.to_sheet[sums.row[own]]
        triangle[own] = np.where(to_sheet < distance[own], np.int32(NO_PRIMITIVE), triangle[own])
        distance[own] = np.minimum(distance[own], to_sheet)
        inside[own] = np.abs(above[own] + sums.voxel_sum[sums.row[own]]) > INSIDE
    return np.where(inside, -distance, distance), triangle


def _stock_distance(fields: Fields, backend: Backend) -> tuple[Distance, Numbers]:
    distance = uniform_distance(fields.stock_state)
    triangle = np.full(distance.shape, NO_PRIMITIVE, dtype=np.int32)
    near, bins = _near(fields.triangle_bins, fields.stock_state)
    distance[near], triangle[near] = signed_distance(
        *nearest_triangle(fields.triangles, bins, fields.table),
        bins.bricks,
        fields.crossings,
        fields.sums.at(near),
        fields.table,
        backend,
    )
    return distance, triangle


def _near(bins: Bins, states: npt.NDArray[np.uint8]) -> tuple[npt.NDArray[np.int64], Bins]:
    """The rows of the NEAR bricks, and their lists."""
    near = states == State.NEAR
    return np.flatnonzero(near), bins.select(near)
