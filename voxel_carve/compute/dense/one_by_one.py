"""Sweeps combined with a slab one after the other, by a backend that has no more than `DenseBackend`."""

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from ..arrays import Layers, Occupancy
from ..field.binning import BinnedSweep
from ..field.protocol import DenseBackend
from ..field.sweep_group import SweepGroup
from ..model.bricks import BRICK_SIZE, Bins, BrickTable, State
from ..model.combining import Operation
from ..model.grid import Grid
from ..primitives.segments import Segments


@dataclass(frozen=True)
class OneByOne:
    """Some layers of an occupancy, while sweeps are combined with them: see `HeldSlab`.

    Attributes:
        backend: what clears voxels.
        layers: the occupancy, or what stands in for it.
        part: (L, Y, X) the layers, as they were read.
        first: index z in the grid of the lowest of them.
        grid: the whole grid.
        removed: (S,) int64, for each sweep of the queue: the voxels that it cleared so far, less those that it set.
    """

    backend: DenseBackend
    layers: Layers
    part: Occupancy
    first: int
    grid: Grid
    removed: npt.NDArray[np.int64]

    def combine(self, group: SweepGroup) -> None:
        """Combine the sweeps of a group with the slab, in their order."""
        for sweep, (operation, place) in enumerate(zip(group.operations, group.place, strict=True)):
            own = slice(*np.searchsorted(group.sweep, [sweep, sweep + 1]))
            segments = group.segments.at(own)
            self.removed[place] += self._combine(operation, segments)

    def copied(self) -> "OneByOne":
        """A copy, with counts of its own."""
        return replace(self, part=self.layers.copied(self.part), removed=np.zeros_like(self.removed))

    def leave_out(self, other: "OneByOne", place: int) -> None:
        """Clear the voxels that are in another slab, a part of this one, for the sweep at a place of the queue."""
        self.removed[place] += self.layers.leave_out(self.part, other.part)

    def finish(self) -> None:
        """Do nothing: the voxels and the counts are where they belong."""

    def _combine(self, operation: Operation, segments: Segments) -> int:
        """Combine segments with the slab. Return the voxels cleared less those set."""
        binned = self._bin(segments)
        if operation == "subtract":
            return self._clear(self.part, segments, binned)
        if operation == "union":
            return -self._set(segments, binned)
        outside = self.layers.copied(self.part)
        self._clear(outside, segments, binned)
        return self.layers.leave_out(self.part, outside)

    def _clear(self, part: Occupancy, segments: Segments, binned: BinnedSweep) -> int:
        """Clear the voxels in segments; return how many were set."""
        layers = _touched(binned, part.shape, self.first)[0]
        if layers.start == layers.stop:
            return 0
        table = BrickTable.over(self.grid)
        return self.backend.subtract_segments(part[layers], self.first + layers.start, segments, binned, table)

    def _set(self, segments: Segments, binned: BinnedSweep) -> int:
        """Set the voxels in segments, by clearing them where full and empty are exchanged; return how many were not."""
        touched = _touched(binned, self.part.shape, self.first)
        if touched[0].start == touched[0].stop:
            return 0
        box = self.part[touched]
        self.layers.turn_over(box)
        try:
            return self._clear(self.part, segments, binned)
        finally:
            self.layers.turn_over(box)

    def _bin(self, segments: Segments) -> BinnedSweep:
        """Bin segments in the slab's rows of bricks along z, in terms of the whole grid.

        The segments are shifted to the slab for binning. That rounds their coordinates differently, which affects no
        voxel: bins have a margin, and distances are computed from the original segments.
        """
        grid, rows = self.grid, slice(self.first // BRICK_SIZE, -(-(self.first + len(self.part)) // BRICK_SIZE))
        moved = segments.shifted(np.array([0.0, 0.0, -rows.start * BRICK_SIZE]))
        layers = min(rows.stop * BRICK_SIZE, grid.shape[0]) - rows.start * BRICK_SIZE
        part = self.backend.bin_segments(moved, Grid(grid.origin, grid.voxel_size, (layers, *grid.shape[1:])))
        table = BrickTable.over(grid)
        states = np.zeros(table.shape, dtype=np.uint8)  # pages of EMPTY are never touched
        states[rows] = part.states
        bricks = part.bins.bricks + rows.start * table.shape[1] * table.shape[2]
        return BinnedSweep(states, Bins(bricks, part.bins.first, part.bins.primitive))


def _touched(binned: BinnedSweep, shape: tuple[int, ...], first: int) -> tuple[slice, slice, slice]:
    """The box of voxels, in a slab of this shape from layer `first` on, of the bricks that a sweep can reach."""
    bricks = np.argwhere(binned.states != State.EMPTY)
    if len(bricks) == 0:
        return slice(0, 0), slice(0, 0), slice(0, 0)
    start, end = bricks.min(axis=0) * BRICK_SIZE, (bricks.max(axis=0) + 1) * BRICK_SIZE
    start, end = start - (first, 0, 0), end - (first, 0, 0)
    z, y, x = (slice(max(0, int(a)), min(int(b), side)) for a, b, side in zip(start, end, shape, strict=True))
    return z, y, x
