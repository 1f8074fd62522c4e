"""Where an operation finds its voxels: on the host, or on a device of its backend."""

from contextlib import AbstractContextManager, nullcontext
from typing import Any, cast

from ..arrays import Layers, no_stream_here
from ..field.protocol import DenseBackend, LendingBackend


def layers_of(backend: DenseBackend, array: Any, writes: bool = False) -> Layers:
    """The layers of an array, or what stands in for them on a device of the backend.

    Raises:
        InputError: as `Layers.of`, `Layers.written` and `LendingBackend.lend`.
    """
    lent = backend.lend(array, writes) if isinstance(backend, LendingBackend) else None
    if lent is not None:
        return cast(Layers, lent)
    return Layers.written(array) if writes else Layers.of(array)


def in_order(backend: DenseBackend, stream: Any, *arrays: Any) -> AbstractContextManager[None]:
    """Order the work of a block on these arrays with a stream: see `LendingBackend`.

    Raises:
        InputError: a stream, and no array on a card.
    """
    if isinstance(backend, LendingBackend):
        return backend.in_order(arrays, stream)
    if stream is not None:
        raise no_stream_here()
    return nullcontext()
