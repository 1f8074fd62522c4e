"""Many sweeps subtracted from one large occupancy, in slabs that fit a memory budget."""

from collections.abc import Iterator
from dataclasses import fields, replace
from types import TracebackType
from typing import Self

import numpy as np
import numpy.typing as npt

from ..engines.registry import get_dense_backend
from ..field.binning import BinnedSweep, half_diagonal
from ..field.occupancies import Occupancy, check_carvable
from ..field.protocol import DenseBackend
from ..model.bricks import BAND, BRICK_SIZE, BRICK_VOXELS, Bins, BrickTable, State
from ..model.grid import Grid
from ..model.sweep import Sweep
from ..primitives.segments import Segments
from ..runtime.errors import InputError
from ..runtime.progress import with_progress

BYTES_PER_PAIR = 300  # of a brick and a segment during binning: measured, and rounded up


class CarveSession:
    """Queues sweeps, and subtracts them from an occupancy on `flush` or at the end of its `with` block.

    The occupancy is changed in place, slab by slab along z. All sweeps are subtracted from a slab before the next one.
    As a `numpy.memmap`, it may be larger than memory. An exception in the block drops the queued sweeps.

        with CarveSession(occupancy, grid) as session:
            session.subtract(roughing)
            session.subtract(finishing)
        print(session.removed)

    Args:
        occupancy: (Z, Y, X), of the grid's shape, writeable.
        grid: where the voxels lie.
        backend: a name for `get_dense_backend`, or a backend.
        byte_budget: bytes of a slab. Besides the occupancy, the session needs less than twice this, plus about 20 MB.

    Raises:
        InputError: wrong type or shape, a read-only occupancy, a budget that is not positive, or a backend that does
            not work.
    """

    def __init__(
        self, occupancy: Occupancy, grid: Grid, backend: str | DenseBackend | None = None, byte_budget: int = 2 * 2**30
    ) -> None:
        check_carvable(occupancy, grid)
        if byte_budget <= 0:
            raise InputError("a budget of {byte_budget} bytes: it must be positive", byte_budget=byte_budget)
        self._occupancy = occupancy
        self._grid = grid
        self._backend = get_dense_backend(backend)
        self._byte_budget = byte_budget
        self._queue: list[Segments] = []
        self._queue_removed: list[int] = []
        self._removed: list[int] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is None:
            self.flush()
        else:
            self._queue, self._queue_removed = [], []

    @property
    def removed(self) -> list[int]:
        """For each subtracted sweep, in order: the number of voxels that were still set and that it cleared."""
        return list(self._removed)

    def subtract(self, sweep: Sweep) -> int:
        """Queue a sweep. Return its index in `removed`."""
        self._queue.append(Segments.on_grid(sweep, self._grid))
        self._queue_removed.append(0)
        return len(self._removed) + len(self._queue) - 1

    def flush(self) -> None:
        """Subtract the queued sweeps, if there are any.

        After an exception during this, some slabs are carved, and the sweeps are still queued.
        """
        if not self._queue:
            return
        for first, stop in with_progress(list(self._slabs())):
            for place, segments in enumerate(self._queue):
                for group in self._groups(segments, first, stop):
                    self._queue_removed[place] += self._subtract_group(group, first, stop)
        self._removed += self._queue_removed
        self._queue, self._queue_removed = [], []

    def _slabs(self) -> Iterator[tuple[int, int]]:
        """The layers (first, stop) of each slab, in whole bricks if the budget allows."""
        depth, height, width = self._grid.shape
        layers = max(1, self._byte_budget // (height * width))
        if layers > BRICK_SIZE:
            layers -= layers % BRICK_SIZE
        for first in range(0, depth, layers):
            yield first, min(first + layers, depth)

    def _groups(self, segments: Segments, first: int, stop: int) -> Iterator[Segments]:
        """The segments that can reach a slab, in groups that half of the budget suffices to bin."""
        pairs = _pairs_in_layers(segments, first, stop)
        meets = np.flatnonzero(pairs)
        needed = BYTES_PER_PAIR * np.cumsum(pairs[meets])
        group = (needed / (self._byte_budget / 2)).astype(np.int64)
        for part in np.split(meets, np.flatnonzero(np.diff(group)) + 1):
            if len(part):
                yield Segments(*(getattr(segments, column.name)[part] for column in fields(Segments)))

    def _subtract_group(self, segments: Segments, first: int, stop: int) -> int:
        table = BrickTable.over(self._grid)
        binned = _bin_rows(self._backend, segments, self._grid, _brick_rows(first, stop))
        touched = np.flatnonzero((binned.states != State.EMPTY).any(axis=(1, 2)))
        if len(touched) == 0:
            return 0
        first = max(first, int(touched[0]) * BRICK_SIZE)
        stop = min(stop, (int(touched[-1]) + 1) * BRICK_SIZE)
        return self._backend.subtract_segments(self._occupancy[first:stop], first, segments, binned, table)


def _brick_rows(first: int, stop: int) -> slice:
    """The rows of bricks, along z, that contain the layers first to stop."""
    return slice(first // BRICK_SIZE, -(-stop // BRICK_SIZE))


def _pairs_in_layers(segments: Segments, first: int, stop: int) -> npt.NDArray[np.float64]:
    """(K,): the approximate number of bricks between two layers that are near the surface of each segment."""
    reach = half_diagonal(BRICK_SIZE) + BAND
    outer, inner = segments.radius + reach, np.maximum(segments.radius - reach, 0.0)
    volume = np.pi * segments.length * (outer**2 - inner**2) + 4 / 3 * np.pi * (outer**3 - inner**3)
    low, high = segments.bounds()
    low, high = low[:, 2] - reach, high[:, 2] + reach
    here = np.clip(np.minimum(high, stop + BRICK_SIZE) - np.maximum(low, first - BRICK_SIZE), 0.0, None)
    return volume / BRICK_VOXELS * here / (high - low)


def _bin_rows(backend: DenseBackend, segments: Segments, grid: Grid, rows: slice) -> BinnedSweep:
    """Bin segments in some rows of bricks along z, in terms of the whole grid.

    The segments are shifted to the slab for binning. That rounds their coordinates differently, which affects no voxel:
    bins have a margin, and distances are computed from the original segments.
    """
    moved = replace(segments, start=segments.start - np.array([0.0, 0.0, rows.start * BRICK_SIZE]))
    layers = min(rows.stop * BRICK_SIZE, grid.shape[0]) - rows.start * BRICK_SIZE
    part = backend.bin_segments(moved, Grid(grid.origin, grid.voxel_size, (layers, *grid.shape[1:])))
    table = BrickTable.over(grid)
    states = np.zeros(table.shape, dtype=np.uint8)  # pages of EMPTY are never touched
    states[rows] = part.states
    bricks = part.bins.bricks + rows.start * table.shape[1] * table.shape[2]
    return BinnedSweep(states, Bins(bricks, part.bins.first, part.bins.primitive))
