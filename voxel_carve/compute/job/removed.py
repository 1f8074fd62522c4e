"""What a job has removed: the volume of the stock less that of the result.

A closed stock whose shells do not overlap has the volume of its mesh. Any other has that of its surface, made cell by
cell without the sweep. Far from the sweep, this surface is the result's to the last bit. So it is made near the sweep
alone, and both are compared there.
"""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from ..field.binning import BinnedSweep
from ..field.protocol import Backend
from ..field.shells import winding_range
from ..field.stock import PreparedStock
from ..formulas.round_cone import ROW
from ..model.bricks import BRICK_SIZE, Bins, State
from ..model.combining import combined_states
from ..model.mesh import Source, Surface, signed_volume
from ..primitives.boundary import BoundarySums
from ..primitives.segments import Segments
from .blocks_near import Blocks, grown_blocks, octants_with, swept_blocks, with_octants_after
from .combining import NO_BRICKS, NO_PRIMITIVES, fields_in

# Steps of two voxels from the sweep: within which faces change, in most cases; up to which all others are compared; and
# up to which cells are made.
CHANGES, COMPARED, MADE = 2, 3, 4
TRIES = 3  # with twice the steps each
MOST = 0.5  # of the octants of the stock's bricks: where more would be made, all are, and nothing has to be compared


def removed_volume(
    prepared: PreparedStock,
    has_cut: bool,
    left: float,
    contoured_volume: Callable[[PreparedStock], float],
    changed_volume: Callable[[], float | None] | None = None,
) -> float:
    """The volume of the stock less that of the result, which is `left`, in the unit of the points.

    Args:
        has_cut: whether the result has a face of the sweep. Without one, that may have missed the stock. Then the
            result is the stock's surface to the last bit, and nothing is removed, however well that meets the stock.
        contoured_volume: gives the volume of a stock's surface, made cell by cell, as the result's was.
        changed_volume: gives the same difference for an open stock by less work, or None: see there.
    """
    if len(prepared.boundary) and changed_volume is not None:
        changed = changed_volume()
        if changed is not None:
            return changed
    if not has_cut and contoured_volume(prepared) == left:
        return 0.0
    return _stock_volume(prepared, contoured_volume) - left


def changed_volume(
    prepared: PreparedStock, surface: Surface, segments: Segments, binned: BinnedSweep, backend: Backend
) -> float | None:
    """The volume between the stock's surface and the result's, of which the sweep has changed only what is near it; for
    an operation that keeps the stock's surface far from the sweep.

    Vertices that make way for each other hand a change on, so it is seen whether it ends in time: some voxels before
    the border of what is compared, both surfaces have the same faces. None if it did not.
    """
    # Needs numba, which a panel does not load.
    from ..engines.numba.contouring.measuring import measure_in_blocks

    marks, grown = swept_blocks(prepared, segments, binned, backend), 0
    has_cut = bool((surface.source == Source.PATH).any())
    for number in range(TRIES):
        nearer, near, around = (grown_blocks(marks, steps * 2**number - grown) for steps in (CHANGES, COMPARED, MADE))
        stock = _stock_near(prepared, around, backend)
        if stock is None:
            return None
        for inner in (nearer,) if has_cut else (np.zeros_like(near), nearer):
            before, beyond = measure_in_blocks(stock, near, inner, prepared.grid)
            after, others = measure_in_blocks(surface, near, inner, prepared.grid)
            if beyond == others:
                return before - after if inner is nearer else 0.0
        marks, grown = nearer, CHANGES * 2**number
    return None


def _stock_near(prepared: PreparedStock, marks: Blocks, backend: Backend) -> Surface | None:
    """The surface of the stock alone, as far as it has cells in octants with a marked block; None if they are many."""
    is_near = prepared.states == State.NEAR
    cells = np.where(is_near, octants_with(marks), 0).astype(np.uint8)
    if np.unpackbits(cells.ravel()).sum() > MOST * 8 * is_near.sum():
        return None
    faces = with_octants_after(cells)
    edges = with_octants_after(faces)
    bricks = np.flatnonzero(is_near & (with_octants_after(edges) != 0))
    octants = np.stack([kind.ravel()[bricks] for kind in (edges, faces, cells)], axis=1)
    return _alone(prepared, backend, bricks, octants)


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
    return _alone(prepared, backend, np.flatnonzero(prepared.states == State.NEAR), None)


def _alone(
    prepared: PreparedStock, backend: Backend, bricks: npt.NDArray[np.int64], octants: npt.NDArray[np.uint8] | None
) -> Surface:
    """The same in some bricks: see `Backend.contour`."""
    nothing = BinnedSweep(np.full_like(prepared.states, State.EMPTY), Bins.from_pairs(NO_BRICKS, NO_PRIMITIVES))
    alone = combined_states(prepared.states, nothing.states, "subtract")
    segments = Segments(np.empty((0, ROW)), np.empty(0, dtype=np.int32))
    fields = fields_in(prepared, segments, nothing, alone, bricks, backend)
    return backend.contour(fields, prepared.grid, "subtract", prepared.states, nothing.states, octants)
