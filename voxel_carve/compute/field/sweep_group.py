"""Sweeps that are combined with a slab of an occupancy, one after the other."""

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from ..model.bricks import BRICK_SIZE, Bins, State
from ..model.combining import Operation
from ..model.grid import Grid
from ..primitives.segments import Segments


@dataclass(frozen=True)
class SweepGroup:
    """Some of the sweeps that are queued for a slab, in their order.

    Attributes:
        segments: K segments, those of a sweep one after the other, in voxel units from the grid's origin.
        sweep: (K,) int64, the index in `operations` of each one's sweep, ascending.
        operations: how each of the S sweeps is combined. One that is intersected may have no segments here.
        place: (S,) int64, the place of each sweep in the queue, ascending.
    """

    segments: Segments
    sweep: npt.NDArray[np.int64]
    operations: tuple[Operation, ...]
    place: npt.NDArray[np.int64]

    def in_layers(self, grid: Grid, layers: slice) -> tuple[Segments, Grid, slice]:
        """The segments shifted to some layers of a grid; a grid of the bricks there alone; and their rows along z.

        The shift rounds coordinates differently, which affects no voxel: bins have a margin, and distances are computed
        from the original segments.
        """
        rows = slice(layers.start // BRICK_SIZE, -(-layers.stop // BRICK_SIZE))
        bottom = rows.start * BRICK_SIZE
        depth = min(rows.stop * BRICK_SIZE, grid.shape[0]) - bottom
        alone = replace(grid, shape=(depth, *grid.shape[1:]))
        return self.segments.shifted(np.array([0.0, 0.0, -bottom])), alone, rows

    def that(self, operation: Operation) -> npt.NDArray[np.int64]:
        """The sweeps, as indices in `operations`, that are combined in one way."""
        return np.flatnonzero(np.array(self.operations) == operation)


@dataclass(frozen=True)
class BinnedSweeps:
    """What the sweeps of a group do in each brick. An entry is a brick and a sweep that may change it.

    Attributes:
        lists: for each of E entries the brick, ascending, and the segments of its sweep that can be nearest there. A
            brick has an entry for each of its sweeps. Only NEAR ones have segments.
        sweep: (E,) int64, the index in the group's operations; ascending within a brick.
        state: (E,) uint8, the `State` of the brick in this sweep; EMPTY only where the sweep is intersected.
    """

    lists: Bins
    sweep: npt.NDArray[np.int64]
    state: npt.NDArray[np.uint8]

    @classmethod
    def of(cls, group: SweepGroup, near: Bins, solid: npt.NDArray[np.int64], rows: slice, layer: int) -> "BinnedSweeps":
        """Put the entries of all sweeps together.

        Args:
            group: of S sweeps.
            near: the lists of the NEAR entries, by key: the brick times S, plus the sweep. Bricks count from the first
                row.
            solid: keys of the SOLID entries, likewise.
            rows: along z, of bricks, that are combined at all.
            layer: bricks in such a row.
        """
        count = len(group.operations)
        here = np.arange((rows.stop - rows.start) * layer) * count
        # Beside a sweep that is intersected, nothing is left.
        everywhere = [here + sweep for sweep in group.that("intersect")]
        keys = np.sort(np.concatenate([near.bricks, solid, *everywhere]), kind="stable")  # merges what ascends
        keys = keys[np.diff(keys, prepend=-1) > 0]
        state = np.full(len(keys), State.EMPTY, dtype=np.uint8)
        state[np.searchsorted(keys, solid)] = State.SOLID
        state[np.searchsorted(keys, near.bricks)] = State.NEAR
        lists = near.spread(keys)
        brick, sweep = np.divmod(keys, count)
        brick += rows.start * layer
        return cls(Bins(brick, lists.first, lists.primitive), sweep, state)

    def bricks(self) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
        """The B bricks, ascending, and the first entry of each, then the number of all (B + 1,)."""
        first = np.flatnonzero(np.diff(self.lists.bricks, prepend=-1))
        return self.lists.bricks[first], np.append(first, len(self.sweep))
