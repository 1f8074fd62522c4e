"""Many sweeps combined with one large occupancy, in slabs that fit a memory budget."""

from collections.abc import Iterator
from contextlib import ExitStack
from types import TracebackType
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from ..arrays import Layers
from ..engines.registry import get_dense_backend
from ..field.occupancies import first_layer_of
from ..field.protocol import DenseBackend, HeldSlab
from ..model.bricks import BRICK_SIZE
from ..model.combining import Operation, OperationName, operation_of
from ..model.grid import Grid
from ..model.sweep import PathsLike, Sweep
from ..primitives.segments import Segments
from ..runtime.errors import InputError
from ..runtime.limits import byte_count
from ..runtime.progress import with_progress
from .lending import in_order, layers_of
from .one_by_one import OneByOne
from .slabs import Queue

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
        InputError: wrong type or shape, a grid of another type, a read-only occupancy, a budget that is not
            positive, or a backend that does not work.
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
        self._grid = grid
        self._byte_budget = checked_budget(byte_budget)
        self._queue: list[tuple[Operation, Segments]] = []
        self._queue_removed: list[int] = []
        self._removed: list[int] = []
        self._has_ended = False

    def __enter__(self) -> Self:
        self._has_ended = False
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._has_ended = True
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

    def queue(self, operation: OperationName, paths: PathsLike) -> int:
        """Queue a sweep. Return its index in `removed`.

        Args:
            operation: how it is combined with the occupancy.
            paths: as for `Sweep.of`.

        Raises:
            InputError: unknown operation, the `with` block has ended, or as `Sweep.of`.
        """
        if self._has_ended:
            raise InputError(
                "the with block of this session has ended: queue the sweep inside it, or in another session"
            )
        self._queue.append((operation_of(operation), Segments.on_grid(Sweep.of(paths), self._grid)))
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
        queue, removed = Queue.of(self._queue), np.array(self._queue_removed, dtype=np.int64)
        at_once = getattr(self._backend, "slabs_at_once", 1) if isinstance(self._layers, Layers) else 1
        # An intersection may have a copy of its slab.
        held = at_once * (2 if "intersect" in queue.operations else 1)
        parts = list(slabs(self._layers.shape, self._byte_budget // held, at_once))
        try:
            with ExitStack() as begun:
                for number, slab in enumerate(with_progress(parts)):
                    if number % at_once == 0:
                        begun.close()
                    self._combine(queue, slab, removed, number, begun)
        finally:
            self._queue_removed = removed.tolist()
        self._removed += self._queue_removed
        self._queue, self._queue_removed = [], []

    def _combine(
        self, queue: Queue, slab: tuple[int, int], removed: npt.NDArray[np.int64], number: int, begun: ExitStack
    ) -> None:
        """Combine the queue with some layers of the occupancy. What has begun ends when `begun` is closed."""
        layers = slice(slab[0] + self._first_layer, slab[1] + self._first_layer)
        box = queue.box(layers, self._grid.shape)
        if box is None:
            return
        part, counts = self._layers.read(*slab), np.zeros_like(removed)
        held: HeldSlab
        if hasattr(self._backend, "hold"):
            origin = box[0].start, box[1].start, box[2].start
            voxels = part[origin[0] - layers.start : box[0].stop - layers.start, box[1], box[2]]
            held = self._backend.hold(voxels, origin, self._grid, counts, number)
        else:
            held = OneByOne(self._backend, self._layers, part, layers.start, self._grid, counts)

        def end() -> None:
            held.finish()
            np.add(removed, counts, out=removed)
            if counts.any():
                self._layers.write(slab[0], part)

        begun.callback(end)
        queue.combine_with(held, layers, self._grid.shape, self._byte_budget / 2)


def checked_budget(byte_budget: object) -> int:
    """A number of bytes above 0. Raises InputError if it is none."""
    budget = byte_count(byte_budget, "byte_budget")
    if budget <= 0:
        raise InputError("a budget of {byte_budget} bytes: it must be positive", byte_budget=byte_budget)
    return budget


def slabs(shape: tuple[int, int, int], byte_budget: int, shares: int = 1) -> Iterator[tuple[int, int]]:
    """The layers (first, stop) of each slab of an occupancy, in whole bricks if the budget allows.

    Args:
        shares: how many slabs there are at least, if there are enough bricks.
    """
    depth, height, width = shape
    layers = max(1, byte_budget // max(1, height * width))
    if shares > 1:
        layers = min(layers, -(-depth // (shares * BRICK_SIZE)) * BRICK_SIZE)
    if BRICK_SIZE < layers < depth:
        layers -= layers % BRICK_SIZE
    for first in range(0, depth, layers):
        yield first, min(first + layers, depth)
