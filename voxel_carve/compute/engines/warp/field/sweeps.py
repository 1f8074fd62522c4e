"""Many sweeps combined with a slab at once, on a Warp device: see `HeldSlab`."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from ....arrays import Occupancy
from ....field.sweep_group import BinnedSweeps, SweepGroup
from ....model.bricks import BRICK_SIZE, BRICK_VOXELS, BrickTable, State
from ....model.combining import OPERATIONS
from ....model.grid import Grid
from ....primitives.segments import Segments
from ....runtime.progress import with_progress
from ....runtime.threads import slices
from ..device.device import WarpDevice
from . import dense_kernels
from .binning import Work, bin_segments
from .brick_kernels import Entries, combine_sweeps
from .pairs import BYTES_PER_PAIR, launches, segment_pairs

BYTES_PER_ENTRY = 32
VOXELS_PER_BLOCK = 1 << 21  # of those that are written back at a time


@dataclass(frozen=True)
class DeviceSlab:
    """A box of voxels on a device, while sweeps are combined with it. The host waits for none of that.

    Attributes:
        device: where it lies.
        bin_sweeps: finds what a group does in each brick of some layers.
        voxels: (Z, Y, X) on the device.
        origin: index (z, y, x) in the grid of the first voxel.
        grid: the whole grid.
        counts: (S,) int64 on the device, for each sweep of the queue: the voxels that it cleared, less those it set.
        host: the voxels that these are a copy of; None if they are to stay on the device.
        removed: (S,) int64, to which the counts are added at the end.
    """

    device: WarpDevice
    bin_sweeps: Callable[[SweepGroup, Grid, slice], BinnedSweeps]
    voxels: Any
    origin: tuple[int, int, int]
    grid: Grid
    counts: Any
    host: Occupancy | None
    removed: npt.NDArray[np.int64]

    def combine(self, group: SweepGroup) -> None:
        """Combine the sweeps of a group with the slab, in their order."""
        lowest, table = self.origin[0], BrickTable.over(self.grid)
        binned = self.bin_sweeps(group, self.grid, slice(lowest, lowest + self.voxels.shape[0]))
        operation = np.array([OPERATIONS.index(each) for each in group.operations], dtype=np.uint8)[binned.sweep]
        target = self.voxels, self.origin, self.counts
        launch_entries(self.device, group.segments, binned, operation, group.place[binned.sweep], table, target)

    def copied(self) -> "DeviceSlab":
        """A copy, with counts of its own."""
        copy = self.device.empty(self.voxels.shape, self.device.wp.bool)
        self.device.gather(self.voxels, copy)
        counts = self.device.filled(len(self.removed), 0, self.device.wp.int64)
        return replace(self, voxels=copy, counts=counts, host=None, removed=np.zeros_like(self.removed))

    def leave_out(self, other: "DeviceSlab", place: int) -> None:
        """Clear the voxels that are in another slab, a part of this one, for the sweep at a place of the queue."""
        wp, inputs = self.device.wp, [self.voxels, other.voxels, dense_kernels.CASES["subtract"]]
        self.device.launch(dense_kernels.combine, self.voxels.shape, inputs, [self.voxels])
        inputs = [other.voxels.view(wp.uint8), 0]
        self.device.launch(dense_kernels.count_above, self.voxels.shape, inputs, [self.counts[place : place + 1]])

    def finish(self) -> None:
        """Download what has changed: the counts, and the voxels if they are a copy."""
        counts = self.device.download(self.counts)
        np.add(self.removed, counts, out=self.removed)
        if self.host is None or not counts.any():
            return
        found = self.device.download(self.voxels)
        layers = max(1, VOXELS_PER_BLOCK // found[0].size)
        for rows in slices(len(found), layers):
            # Only voxels that change are written: the array may be a file, or shared.
            np.copyto(self.host[rows], found[rows], where=self.host[rows] != found[rows])


def bin_one_sweep(device: WarpDevice, group: SweepGroup, grid: Grid, layers: slice) -> BinnedSweeps | None:
    """The bricks in some layers of a grid that a single sweep may change, found on the device.

    None for several sweeps, because there would be lists for bricks and sweeps that do not meet, beyond the session's
    memory; and if 32 bits cannot number the pairs.
    """
    segments, alone, rows = group.in_layers(grid, layers)
    work = Work.of(segments, alone) if len(group.operations) == 1 else None
    if work is None:
        return None
    binned = bin_segments(device, segments, alone, work)
    _, height, width = binned.states.shape
    return BinnedSweeps.of(group, binned.bins, np.flatnonzero(binned.states == State.SOLID), rows, height * width)


def launch_entries(
    device: WarpDevice,
    segments: Segments,
    binned: BinnedSweeps,
    operation: npt.NDArray[np.uint8],
    place: npt.NDArray[np.int64],
    table: BrickTable,
    target: tuple[Any, tuple[int, ...], Any],
) -> None:
    """Combine voxels with what sweeps do in each brick: two launches, or two for each part of it.

    Args:
        operation: (E,) index in OPERATIONS.
        place: (E,) of the sweep, in the counts.
        table: the bricks of the whole grid.
        target: the voxels and the counts on the device, as `DeviceSlab` has them, and the origin between.
    """
    voxels, origin, counts = target
    _, first = binned.bricks()
    corner = table.coordinates(binned.lists.bricks) * BRICK_SIZE
    cost = np.diff(binned.lists.first[first]) * BYTES_PER_PAIR + np.diff(first) * BYTES_PER_ENTRY
    for start, stop in with_progress(list(launches(device, cost))):
        own = slice(first[start], first[stop])
        entries = device.struct(
            Entries,
            first=first[start : stop + 1] - first[start],
            corner=corner[own],
            state=binned.state[own],
            operation=operation[own],
            place=place[own],
        )
        pairs = segment_pairs(device, segments, binned.lists.at(np.arange(own.start, own.stop)), entries.corner)
        inputs = [entries, pairs, device.wp.vec3i(*(int(index) for index in origin))]
        device.launch(combine_sweeps, (stop - start, BRICK_VOXELS), inputs, [voxels, counts])
        del inputs, pairs, entries
