"""Many sweeps combined with a slab at once: see `HeldSlab`.

The voxels of a brick are 512 bits. What lies inside a sweep there is found by its distances, and is then combined with
the brick, for one sweep of each brick after the other.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ....arrays import Occupancy
from ....field.protocol import Backend
from ....field.sweep_group import BinnedSweeps, SweepGroup
from ....model.bricks import BRICK_SIZE, BRICK_VOXELS, BrickTable, State
from ....model.grid import Grid
from ....runtime.progress import with_progress
from ....runtime.threads import slices
from ...scipy.dense import VOXELS_PER_BLOCK, overlap
from .dense import segment_distance
from .segment_binning import bin_sweeps

Bits = npt.NDArray[np.uint8]

# For each byte, how many of its bits are set.
POPULATION = np.unpackbits(np.arange(256, dtype=np.uint8)[:, None], axis=1).sum(axis=1, dtype=np.uint8)


@dataclass(frozen=True)
class HostSlab:
    """A box of voxels in memory, while sweeps are combined with it.

    Attributes:
        backend: computes distances.
        voxels: (Z, Y, X), any strides. They are changed in place.
        origin: index (z, y, x) in the grid of the first voxel.
        grid: the whole grid.
        removed: (S,) int64, for each sweep of the queue: the voxels that it cleared so far, less those that it set.
    """

    backend: Backend
    voxels: Occupancy
    origin: tuple[int, int, int]
    grid: Grid
    removed: npt.NDArray[np.int64]

    def combine(self, group: SweepGroup) -> None:
        """Combine the sweeps of a group with the slab, in their order."""
        table, lowest = BrickTable.over(self.grid), self.origin[0]
        binned = bin_sweeps(group, self.grid, slice(lowest, lowest + len(self.voxels)))
        for rows in with_progress(list(_blocks(binned, table))):
            self._combine_block(group, binned, rows, table)

    def copied(self) -> "HostSlab":
        """A copy, with counts of its own."""
        return HostSlab(self.backend, np.array(self.voxels), self.origin, self.grid, np.zeros_like(self.removed))

    def leave_out(self, other: "HostSlab", place: int) -> None:
        """Clear the voxels that are in another slab, a part of this one, for the sweep at a place of the queue."""
        np.logical_xor(self.voxels, other.voxels, out=self.voxels)
        self.removed[place] += np.count_nonzero(other.voxels)

    def finish(self) -> None:
        """Do nothing: the voxels and the counts are where they belong."""

    def _combine_block(self, group: SweepGroup, binned: BinnedSweeps, rows: slice, table: BrickTable) -> None:
        """Combine the entries of some rows of bricks, which are read from the slab and written back."""
        binned = _entries(binned, rows, table)
        bricks, first = binned.bricks()
        place = table.coordinates(bricks)
        low, high = place.min(axis=0), place.max(axis=0) + 1
        size = (high - low) * BRICK_SIZE
        here, there = zip(*map(overlap, low * BRICK_SIZE - self.origin, size, self.voxels.shape), strict=True)
        block, known, part = np.zeros(size, dtype=np.bool_), np.zeros(size, dtype=np.bool_), self.voxels[there]
        block[here], known[here] = part, True
        own = tuple((place - low).T)
        bits, in_slab = (np.packbits(_by_brick(each)[own].reshape(-1, BRICK_VOXELS), axis=1) for each in (block, known))
        inside = self._inside(group, binned, table)
        row = np.repeat(np.arange(len(bricks)), np.diff(first))
        inside &= in_slab[row]
        before = POPULATION[bits].sum(axis=1, dtype=np.int64)
        after = _combined(bits, inside, row, first, group, binned.sweep)
        before = np.where(np.arange(len(row)) == first[row], before[row], np.roll(after, 1))
        _by_brick(block)[own] = np.unpackbits(bits, axis=1).view(np.bool_).reshape(-1, *[BRICK_SIZE] * 3)
        # Only voxels that change are written: the array may be a file, or shared.
        np.copyto(part, block[here], where=part != block[here])
        np.add.at(self.removed, group.place[binned.sweep], before - after)

    def _inside(self, group: SweepGroup, binned: BinnedSweeps, table: BrickTable) -> Bits:
        """(E, 64): the voxels of each entry's brick with a distance of 0 or less from its sweep, as bits."""
        inside = np.zeros((len(binned.sweep), BRICK_VOXELS // 8), dtype=np.uint8)
        inside[binned.state == State.SOLID] = 255
        near = np.flatnonzero(binned.state == State.NEAR)
        for part in slices(len(near), max(1, VOXELS_PER_BLOCK // BRICK_VOXELS)):
            distance = segment_distance(self.backend, group.segments, table, binned.lists.at(near[part]))
            inside[near[part]] = np.packbits(distance <= 0, axis=1)
        return inside


def _combined(
    bits: Bits,
    inside: Bits,
    row: npt.NDArray[np.int64],
    first: npt.NDArray[np.int64],
    group: SweepGroup,
    sweep: npt.NDArray[np.int64],
) -> npt.NDArray[np.int64]:
    """Combine bricks with their entries, in the order of these.

    Args:
        bits: (B, 64) the voxels of the bricks, changed in place.
        inside: (E, 64) those in the sweep of each entry, overwritten.
        row: (E,) the brick of each entry.
        first: (B + 1,) the first entry of each brick.
        sweep: (E,) the sweep of each entry, in the group.

    Returns:
        (E,) how many voxels of the brick are set after each entry.
    """
    inside[np.isin(sweep, group.that("subtract"))] ^= 255
    adds = np.isin(sweep, group.that("union"))
    rank = np.arange(len(row)) - first[row]
    for entries in np.split(np.argsort(rank, kind="stable"), np.cumsum(np.bincount(rank))[:-1]):
        now, other = bits[row[entries]], inside[entries]
        now = np.where(adds[entries, None], now | other, now & other)
        bits[row[entries]] = inside[entries] = now
    return POPULATION[inside].sum(axis=1, dtype=np.int64)


def _blocks(binned: BinnedSweeps, table: BrickTable) -> Iterator[slice]:
    """Runs of rows of bricks along x that have entries: whole layers of them, or parts of one if that is too large."""
    height, width = table.shape[1:]
    most = max(1, VOXELS_PER_BLOCK // (width * BRICK_VOXELS))
    rows = np.unique(binned.lists.bricks // width)
    while len(rows):
        layer = int(rows[0]) // height * height
        start = layer if most >= height else int(rows[0])
        stop = layer + most // height * height if most >= height else min(start + most, layer + height)
        yield slice(start, stop)
        rows = rows[np.searchsorted(rows, stop) :]


def _entries(binned: BinnedSweeps, rows: slice, table: BrickTable) -> BinnedSweeps:
    """The entries of some rows of bricks along x."""
    ends = np.searchsorted(binned.lists.bricks, [rows.start * table.shape[2], rows.stop * table.shape[2]])
    which = np.arange(*ends)
    return BinnedSweeps(binned.lists.at(which), binned.sweep[which], binned.state[which])


def _by_brick(block: Occupancy) -> Occupancy:
    """(Z / 8, Y / 8, X / 8, 8, 8, 8): a view of voxels by brick."""
    shape = [part for side in block.shape for part in (side // BRICK_SIZE, BRICK_SIZE)]
    return block.reshape(shape).transpose(0, 2, 4, 1, 3, 5)
