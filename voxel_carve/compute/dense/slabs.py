"""The sweeps of a session in one slab: which of them reach it, in groups that a memory budget suffices to bin."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from ..field.binning import half_diagonal, widened
from ..field.protocol import HeldSlab
from ..field.sweep_group import SweepGroup
from ..model.bricks import BAND, BRICK_SIZE, BRICK_VOXELS
from ..model.combining import Operation
from ..primitives.segments import Segments
from ..runtime.progress import with_progress

Array = npt.NDArray[np.float64]
# A box of voxels, as slices (z, y, x).
Box = tuple[slice, slice, slice]

# During binning, measured and rounded up: of a brick and a segment; and of a brick and a sweep that contains it.
BYTES_PER_PAIR = 300
BYTES_PER_ENTRY = 200


@dataclass(frozen=True)
class Queue:
    """All sweeps of a session that have not been applied yet.

    Attributes:
        segments: those of all sweeps, one after the other.
        first: (S + 1,) the first segment of each sweep, then the number of all.
        operations: of the S sweeps.
        low, high: (K, 3) boxes (x, y, z) of the segments, in voxels, with the band in which they matter.
    """

    segments: Segments
    first: npt.NDArray[np.int64]
    operations: tuple[Operation, ...]
    low: Array
    high: Array

    @classmethod
    def of(cls, sweeps: list[tuple[Operation, Segments]]) -> "Queue":
        """The queue of some sweeps, at least one."""
        each = [segments for _, segments in sweeps]
        segments = Segments.joined(each)
        first = np.cumsum([0, *map(len, each)])
        return cls(segments, first, tuple(operation for operation, _ in sweeps), *widened(segments.bounds()))

    def box(self, layers: slice, shape: tuple[int, int, int]) -> Box | None:
        """The voxels, in some layers of a grid of this shape, that may change: whole bricks. None if there are none."""
        start, stop = np.array([layers.start, 0, 0]), np.array([layers.stop, *shape[1:]])
        if "intersect" not in self.operations:
            meets = self._meets(layers, shape)
            if not meets.any():
                return None
            low, high = self.low[meets].min(axis=0)[::-1], self.high[meets].max(axis=0)[::-1]
            start = np.maximum(start, np.floor(np.maximum(low, 0) / BRICK_SIZE).astype(np.int64) * BRICK_SIZE)
            stop = np.minimum(stop, np.ceil(np.minimum(high, stop) / BRICK_SIZE).astype(np.int64) * BRICK_SIZE)
        z, y, x = (slice(int(a), int(b)) for a, b in zip(start, stop, strict=True))
        return z, y, x

    def combine_with(self, slab: HeldSlab, layers: slice, shape: tuple[int, int, int], byte_budget: float) -> None:
        """Combine all sweeps, in their order, with a slab of some layers of a grid.

        Args:
            byte_budget: for the binning of a group. A single segment may need more.
        """
        for groups in with_progress(list(self._groups(layers, shape, byte_budget))):
            if len(groups) == 1:
                slab.combine(self._group(*groups[0]))
                continue
            # What is outside of all of these is found first.
            outside = slab.copied()
            for group in groups:
                outside.combine(replace(self._group(*group), operations=("subtract",)))
            slab.leave_out(outside, int(groups[0][0][0]))

    def _groups(
        self, layers: slice, shape: tuple[int, int, int], byte_budget: float
    ) -> Iterator[list[tuple[list[int], npt.NDArray[np.int64]]]]:
        """Sweeps and their segments that are binned together, in order; several for one that is to be intersected."""
        which = np.flatnonzero(self._meets(layers, shape))
        cost = self._cost(which, layers, shape)
        ends = np.searchsorted(which, self.first)
        bricks = np.prod(-(-np.array([layers.stop - layers.start, *shape[1:]]) // BRICK_SIZE))
        sweeps: list[int] = []
        needed = 0.0
        for sweep, operation in enumerate(self.operations):
            own = slice(ends[sweep], ends[sweep + 1])
            everywhere = BYTES_PER_ENTRY * float(bricks) if operation == "intersect" else 0.0
            total = float(cost[own].sum()) + everywhere
            if total == 0.0:
                continue
            if needed + total > byte_budget and sweeps:
                yield [(sweeps, which[ends[sweeps[0]] : ends[sweeps[-1] + 1]])]
                sweeps, needed = [], 0.0
            if total <= byte_budget or own.stop - own.start <= 1:
                sweeps.append(sweep)
                needed += total
                continue
            part = (np.cumsum(cost[own]) / byte_budget).astype(np.int64)
            parts = [([sweep], rows) for rows in np.split(which[own], np.flatnonzero(np.diff(part)) + 1)]
            yield from [parts] if operation == "intersect" else ([each] for each in parts)
        if sweeps:
            yield [(sweeps, which[ends[sweeps[0]] : ends[sweeps[-1] + 1]])]

    def _group(self, sweeps: list[int], rows: npt.NDArray[np.int64]) -> SweepGroup:
        place = np.array(sweeps)
        own = np.searchsorted(self.first, rows, side="right") - 1
        operations = tuple(self.operations[sweep] for sweep in sweeps)
        return SweepGroup(self.segments.at(rows), np.searchsorted(place, own), operations, place)

    def _meets(self, layers: slice, shape: tuple[int, int, int]) -> npt.NDArray[np.bool_]:
        """(K,): the segments that can reach a voxel in some layers of a grid of this shape."""
        start, stop = (0, 0, layers.start), (shape[2], shape[1], layers.stop)
        return np.asarray(((self.high >= start) & (self.low <= stop)).all(axis=1))

    def _cost(self, which: npt.NDArray[np.int64], layers: slice, shape: tuple[int, int, int]) -> Array:
        """(N,): the approximate number of bytes for binning segments in some layers."""
        reach = half_diagonal(BRICK_SIZE) + BAND
        radius, length = self.segments.radius[which], self.segments.length[which]
        outer, inner = radius + reach, np.maximum(radius - reach, 0.0)
        low, high = self.low[which, 2] - reach, self.high[which, 2] + reach
        start, stop = layers.start - BRICK_SIZE, layers.stop + BRICK_SIZE
        here = np.clip(np.minimum(high, stop) - np.maximum(low, start), 0.0, None) / (high - low) / BRICK_VOXELS
        whole, within = ((np.pi * length * side**2 + 4 / 3 * np.pi * side**3) * here for side in (outer, inner))
        most = np.prod([(side + 2 * BRICK_SIZE) / BRICK_SIZE for side in (layers.stop - layers.start, *shape[1:])])
        whole, within = np.minimum(whole, most), np.minimum(within, most)
        return BYTES_PER_PAIR * (whole - within) + BYTES_PER_ENTRY * within
