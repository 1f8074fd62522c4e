"""Stock and sweep of a job in its bricks, combined: as a surface, and as a field."""

import numpy as np
import numpy.typing as npt

from ..engines.registry import get_backend
from ..field.binning import BinnedSweep
from ..field.fields import Field, Fields, aligned
from ..field.protocol import Backend
from ..field.stock import PreparedStock
from ..model.bricks import State
from ..model.combining import Operation
from ..model.mesh import Surface
from ..primitives.segments import Segments
from .estimate import DEVICES
from .sample import sampled_vertices

NO_BRICKS, NO_PRIMITIVES = np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int32)


def combined_field(
    prepared: PreparedStock,
    segments: Segments,
    binned: BinnedSweep,
    states: npt.NDArray[np.uint8],
    bricks: npt.NDArray[np.int64],
    operation: Operation,
    backend: Backend,
) -> Field:
    """The result's field in `bricks` (B,), ids in ascending order."""
    return backend.evaluate(fields_in(prepared, segments, binned, states, bricks, backend), operation)


def expected_vertices(
    prepared: PreparedStock,
    segments: Segments,
    binned: BinnedSweep,
    states: npt.NDArray[np.uint8],
    operation: Operation,
    backend: Backend,
) -> int:
    """About how many vertices the result will have, by a sample."""
    near = np.flatnonzero(states == State.NEAR)
    with_both = (prepared.states.ravel()[near] == State.NEAR) & (binned.states.ravel()[near] == State.NEAR)

    def field_in(bricks: npt.NDArray[np.int64]) -> Field:
        return combined_field(prepared, segments, binned, states, bricks, operation, for_few_bricks(backend))

    return sampled_vertices(near, with_both, field_in)


def for_few_bricks(backend: Backend) -> Backend:
    """The host in place of a device, which a field in few bricks is not worth the while of."""
    return get_backend("cpu") if backend.name in DEVICES else backend


def fields_in(
    prepared: PreparedStock,
    segments: Segments,
    binned: BinnedSweep,
    states: npt.NDArray[np.uint8],
    bricks: npt.NDArray[np.int64],
    backend: Backend,
) -> Fields:
    """What says where stock and sweep are in `bricks` (B,), ids in ascending order."""
    stock_state, sweep_state = prepared.states.ravel()[bricks], binned.states.ravel()[bricks]
    near = np.flatnonzero(stock_state == State.NEAR)
    sums = prepared.sums_in(bricks[near], backend)
    return Fields(
        prepared.table,
        states,
        bricks,
        stock_state,
        sweep_state,
        prepared.triangles,
        aligned(prepared.bins, bricks, stock_state),
        prepared.crossings,
        sums.spread(near, len(bricks)),
        segments,
        aligned(binned.bins, bricks, sweep_state),
        None if prepared.search is None else prepared.search.caps,
    )


def contoured(
    prepared: PreparedStock,
    segments: Segments,
    binned: BinnedSweep,
    states: npt.NDArray[np.uint8],
    operation: Operation,
    backend: Backend,
) -> Surface:
    """The surface of the result, made cell by cell."""
    bricks = np.flatnonzero(states == State.NEAR)
    fields = fields_in(prepared, segments, binned, states, bricks, backend)
    return backend.contour(fields, prepared.grid, operation, prepared.states, binned.states)
