"""Stock and sweep of a job in its bricks, combined: as a surface, and as a field."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from ..engines.registry import get_backend
from ..field.binning import BinnedSweep
from ..field.fields import Field, Fields, aligned
from ..field.protocol import Backend
from ..field.shells import winding_range
from ..field.stock import PreparedStock
from ..formulas.round_cone import ROW
from ..model.bricks import BRICK_SIZE, Bins, State
from ..model.combining import Operation, combined_states
from ..model.mesh import Surface, signed_volume
from ..primitives.boundary import BoundarySums
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
    """About how many vertices the result will have, by a sample. So few bricks are not worth the while of a device."""
    near = np.flatnonzero(states == State.NEAR)
    with_both = (prepared.states.ravel()[near] == State.NEAR) & (binned.states.ravel()[near] == State.NEAR)
    host = get_backend("cpu") if backend.name in DEVICES else backend

    def field_in(bricks: npt.NDArray[np.int64]) -> Field:
        return combined_field(prepared, segments, binned, states, bricks, operation, host)

    return sampled_vertices(near, with_both, field_in)


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


def removed_volume(
    prepared: PreparedStock, has_cut: bool, left: float, contoured_volume: Callable[[PreparedStock], float]
) -> float:
    """The volume of the stock less that of the result, which is `left`, in the unit of the points.

    Args:
        has_cut: whether the result has a face of the sweep. Without one, that may have missed the stock. Then the
            result is the stock's surface to the last bit, and nothing is removed, however well that meets the stock.
        contoured_volume: gives the volume of a stock's surface, made cell by cell, as the result's was.
    """
    if not has_cut and contoured_volume(prepared) == left:
        return 0.0
    return _stock_volume(prepared, contoured_volume) - left


def _stock_volume(prepared: PreparedStock, contoured_volume: Callable[[PreparedStock], float]) -> float:
    """The volume of the stock, in the unit of the points: exact, if it is closed and its shells do not overlap. Where
    two do, what they share is contoured, and counts once."""
    around = prepared.crossings.total[prepared.crossings.start[1:]]
    if len(prepared.boundary) or around.any():
        return contoured_volume(prepared)
    lowest, highest = winding_range(prepared)
    if highest - lowest > 1 and (lowest, highest) not in ((-2, 0), (0, 2)):
        return contoured_volume(prepared)
    whole = abs(signed_volume(prepared.triangles.points, prepared.triangles.triangles)) * prepared.grid.voxel_size**3
    return whole if highest - lowest <= 1 else whole - contoured_volume(_overlap(prepared, lowest == -2))


def volume_of_stock(prepared: PreparedStock, backend: Backend) -> float:
    """The volume of a stock's surface, made cell by cell, in the unit of the points."""
    return backend.measure(stock_surface(prepared, backend))[0]


def _overlap(prepared: PreparedStock, is_positive: bool) -> PreparedStock:
    """What two shells of a closed stock share, if its winding numbers are 0, 1 and 2, or 0, -1 and -2.

    A half is taken from these. Then 2 alone is farther than a half from 0.
    """
    sums = BoundarySums.none(len(prepared.bins.bricks))
    sums.sum[:] = -0.5 if is_positive else 0.5
    states = np.where(prepared.states == State.SOLID, State.EMPTY, prepared.states).astype(np.uint8)
    solid = np.flatnonzero(prepared.states == State.SOLID)
    z, y, x = prepared.table.coordinates(solid).T * BRICK_SIZE
    winding = prepared.crossings.above(z, y * prepared.grid.shape[2] + x)
    states.ravel()[solid[np.abs(winding) > 1]] = State.SOLID
    return replace(prepared, states=states, sums=sums)


def stock_surface(prepared: PreparedStock, backend: Backend) -> Surface:
    """The surface of the stock alone, made cell by cell."""
    nothing = BinnedSweep(np.full_like(prepared.states, State.EMPTY), Bins.from_pairs(NO_BRICKS, NO_PRIMITIVES))
    alone = combined_states(prepared.states, nothing.states, "subtract")
    segments = Segments(np.empty((0, ROW)), np.empty(0, dtype=np.int32))
    return contoured(prepared, segments, nothing, alone, "subtract", backend)
