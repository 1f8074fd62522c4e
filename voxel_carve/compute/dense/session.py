"""Many sweeps combined with one large occupancy, in slabs that fit a memory budget."""

from collections.abc import Iterator
from dataclasses import fields, replace
from types import TracebackType
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from ..arrays import Occupancy
from ..engines.registry import get_dense_backend
from ..field.binning import BinnedSweep, half_diagonal
from ..field.occupancies import first_layer_of
from ..field.protocol import DenseBackend
from ..model.bricks import BAND, BRICK_SIZE, BRICK_VOXELS, Bins, BrickTable, State
from ..model.combining import OPERATIONS, Operation
from ..model.grid import Grid
from ..model.sweep import PathsLike, Sweep
from ..primitives.segments import Segments
from ..runtime.errors import InputError
from ..runtime.progress import with_progress
from .lending import in_order, layers_of

BYTES_PER_PAIR = 300  # of a brick and a segment during binning: measured, and rounded up
BYTE_BUDGET = 2 * 2**30


class CarveSession:
    """Queues sweeps, and combines them with an occupancy on `flush` or at the end of its `with` block.

    The occupancy is changed in place, slab by slab along z, in the order of the sweeps: all of them in a slab before
    the next one. It is any array that `compute.arrays` can write to. As a `numpy.memmap`, or stored by Zarr or HDF5, it
    may be larger than memory. An exception in the block drops the queued sweeps.

        with CarveSession(occupancy, grid) as session:
            session.subtract(roughing)
            session.subtract(finishing)
        print(session.removed)

    Args:
        occupancy: (Z, Y, X) of bool, or of uint8 with 0 and 1, of the grid's shape, writeable.
        grid: where the voxels lie.
        backend: a name for `get_dense_backend`, or a backend.
        byte_budget: bytes of a slab. Besides an occupancy in memory, the session needs less than twice this, plus about
            20 MB.
        first_layer: if the occupancy is only some layers (L, Y, X) of the grid, the index z of the lowest of them. They
            become what they would be in the whole.
        stream: with which the work is ordered if the occupancy lies on a card: the handle of a CUDA stream, or a stream
            of PyTorch, CuPy, Numba or Warp. None is the one that the occupancy's library uses at the time.

    Raises:
        InputError: wrong type or shape, a read-only occupancy, a budget that is not positive, or a backend that does
            not work.
    """

    def __init__(
        self,
        occupancy: Any,
        grid: Grid,
        backend: str | DenseBackend | None = None,
        byte_budget: int = BYTE_BUDGET,
        *,
        first_layer: int | None = None,
        stream: Any = None,
    ) -> None:
        self._occupancy, self._stream = occupancy, stream
        self._backend = get_dense_backend(backend)
        with in_order(self._backend, stream, occupancy):
            self._layers = layers_of(self._backend, occupancy, writes=True)
        self._first_layer = first_layer_of(self._layers.shape, grid, first_layer)
        if byte_budget <= 0:
            raise InputError("a budget of {byte_budget} bytes: it must be positive", byte_budget=byte_budget)
        self._grid = grid
        self._byte_budget = byte_budget
        self._queue: list[tuple[Operation, Segments]] = []
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
        """For each sweep, in order: the number of voxels that it cleared, less those that it set."""
        return list(self._removed)

    def subtract(self, paths: PathsLike) -> int:
        """Queue a sweep to be taken out. Return its index in `removed`."""
        return self.queue("subtract", paths)

    def add(self, paths: PathsLike) -> int:
        """Queue a sweep to be added. Return its index in `removed`, where added voxels count as negative."""
        return self.queue("union", paths)

    def intersect(self, paths: PathsLike) -> int:
        """Queue a sweep outside of which nothing is left. Return its index in `removed`."""
        return self.queue("intersect", paths)

    def queue(self, operation: Operation, paths: PathsLike) -> int:
        """Queue a sweep. Return its index in `removed`.

        Args:
            operation: how it is combined with the occupancy.
            paths: as for `Sweep.of`.

        Raises:
            InputError: unknown operation, or as `Sweep.of`.
        """
        if operation not in OPERATIONS:
            raise InputError(
                "unknown operation '{operation}': choose {choices}", operation=operation, choices=", ".join(OPERATIONS)
            )
        self._queue.append((operation, Segments.on_grid(Sweep.of(paths), self._grid)))
        self._queue_removed.append(0)
        return len(self._removed) + len(self._queue) - 1

    def flush(self) -> None:
        """Combine the queued sweeps, if there are any.

        After an exception during this, some slabs are done, and the sweeps are still queued.
        """
        if not self._queue:
            return
        with in_order(self._backend, self._stream, self._occupancy):
            self._flush()

    def _flush(self) -> None:
        # An intersection has a copy of its slab.
        held = 2 if any(operation == "intersect" for operation, _ in self._queue) else 1
        for first, stop in with_progress(list(slabs(self._layers.shape, self._byte_budget // held))):
            part, changed = self._layers.read(first, stop), False
            for place, (operation, segments) in enumerate(self._queue):
                removed = self._combine(operation, part, segments, self._first_layer + first)
                self._queue_removed[place] += removed
                changed = changed or removed != 0
            if changed:
                self._layers.write(first, part)
            del part  # before the next one is read
        self._removed += self._queue_removed
        self._queue, self._queue_removed = [], []

    def _combine(self, operation: Operation, part: Occupancy, segments: Segments, first: int) -> int:
        """Combine segments with the grid's layers from `first` on. Return the voxels cleared less those set."""
        if operation == "subtract":
            return sum(self._clear(part, *group, first) for group in self._binned(segments, first, len(part)))
        if operation == "union":
            return -sum(self._set(part, *group, first) for group in self._binned(segments, first, len(part)))
        outside = self._layers.copied(part)
        for group in self._binned(segments, first, len(part)):
            self._clear(outside, *group, first)
        return self._layers.leave_out(part, outside)

    def _binned(self, segments: Segments, first: int, layers: int) -> Iterator[tuple[Segments, BinnedSweep]]:
        """The groups of segments that can reach a slab, and their bins."""
        for group in self._groups(segments, first, first + layers):
            yield group, _bin_rows(self._backend, group, self._grid, _brick_rows(first, first + layers))

    def _groups(self, segments: Segments, first: int, stop: int) -> Iterator[Segments]:
        """The segments that can reach a slab, in groups that half of the budget suffices to bin."""
        pairs = _pairs_in_layers(segments, first, stop)
        meets = np.flatnonzero(pairs)
        needed = BYTES_PER_PAIR * np.cumsum(pairs[meets])
        group = (needed / (self._byte_budget / 2)).astype(np.int64)
        for part in np.split(meets, np.flatnonzero(np.diff(group)) + 1):
            if len(part):
                yield Segments(*(getattr(segments, column.name)[part] for column in fields(Segments)))

    def _clear(self, part: Occupancy, segments: Segments, binned: BinnedSweep, first: int) -> int:
        """Clear the voxels in segments; return how many were set."""
        layers = _touched(binned, part.shape, first)[0]
        if layers.start == layers.stop:
            return 0
        table = BrickTable.over(self._grid)
        return self._backend.subtract_segments(part[layers], first + layers.start, segments, binned, table)

    def _set(self, part: Occupancy, segments: Segments, binned: BinnedSweep, first: int) -> int:
        """Set the voxels in segments, by clearing them where full and empty are exchanged; return how many were not."""
        touched = _touched(binned, part.shape, first)
        if touched[0].start == touched[0].stop:
            return 0
        box = part[touched]
        self._layers.turn_over(box)
        try:
            return self._clear(part, segments, binned, first)
        finally:
            self._layers.turn_over(box)


def slabs(shape: tuple[int, int, int], byte_budget: int) -> Iterator[tuple[int, int]]:
    """The layers (first, stop) of each slab of an occupancy, in whole bricks if the budget allows."""
    depth, height, width = shape
    layers = max(1, byte_budget // max(1, height * width))
    if BRICK_SIZE < layers < depth:
        layers -= layers % BRICK_SIZE
    for first in range(0, depth, layers):
        yield first, min(first + layers, depth)


def _touched(binned: BinnedSweep, shape: tuple[int, ...], first: int) -> tuple[slice, slice, slice]:
    """The box of voxels, in a slab of this shape from layer `first` on, of the bricks that a sweep can reach."""
    bricks = np.argwhere(binned.states != State.EMPTY)
    if len(bricks) == 0:
        return slice(0, 0), slice(0, 0), slice(0, 0)
    start, end = bricks.min(axis=0) * BRICK_SIZE, (bricks.max(axis=0) + 1) * BRICK_SIZE
    start, end = start - (first, 0, 0), end - (first, 0, 0)
    z, y, x = (slice(max(0, int(a)), min(int(b), side)) for a, b, side in zip(start, end, shape, strict=True))
    return z, y, x


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
