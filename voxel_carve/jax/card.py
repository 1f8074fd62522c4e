"""Calls by XLA on a graphics card.

An occupancy is carved where it lies, and only its path comes to the host. Points whose distances are asked for come
there, and distances and derivatives go back; the nearest segments are found on the card.
"""

import math
import threading
from collections import defaultdict
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ..compute import get_dense_backend
from ..frameworks import host


@dataclass(frozen=True)
class Memory:
    """An array, as XLA tells of it.

    Attributes:
        address: of its first value.
        shape: its sides. The values lie in the order of C, without gaps.
        kind: their type.
    """

    address: int | None
    shape: tuple[int, ...]
    kind: np.dtype[Any]


@dataclass(frozen=True)
class Place:
    """Where a call is to work.

    Attributes:
        device: its name in Warp: "cuda:1".
        stream: the handle of the CUDA stream that the work belongs to. None on Warp's CPU device, which stands in for a
            card in tests.
    """

    device: str
    stream: int | None

    @property
    def backend(self) -> str:
        """The name of the backend that works there."""
        return self.device if self.stream is not None else f"warp:{self.device}"


# XLA may call from several threads. Those of several cards must not wait for each other: a card may wait for another.
_turns: defaultdict[str, threading.Lock] = defaultdict(threading.Lock)


def work(place: Place, function: str, arguments: list[Memory], results: list[Memory], options: dict[str, Any]) -> None:
    """Do what a function of `frameworks.host` does, for arrays on a card.

    It is queued on the stream, like a kernel. The host waits for what it reads.

    Raises:
        BackendError: Warp is missing, or does not start.
        InputError: as the function.
    """
    backend = get_dense_backend(place.backend)  # which starts Warp
    options = options | {"backend": backend}
    out = [_seen(each, place) for each in results]
    with _turns[place.device], backend.in_order(out, place.stream):  # type: ignore[attr-defined]
        if function == "swept":
            _carve(place, arguments, results[0].shape[:-3], out[0], options)
            return
        found = getattr(host, function)(*(_downloaded(each, place) for each in arguments), **options)
        for target, value in zip(out, found if isinstance(found, tuple) else (found,), strict=True):
            target.assign(np.ascontiguousarray(value).reshape(target.shape))


def _carve(place: Place, arguments: list[Memory], batch: tuple[int, ...], out: Any, options: dict[str, Any]) -> None:
    """Fill the occupancies (B, L, Y, X) of a batch with what the sweeps leave of those that are given."""
    import warp as wp

    occupancy, path = _seen(arguments[0], place), [_downloaded(each, place) for each in arguments[1:]]
    sources = np.arange(len(occupancy)).reshape(arguments[0].shape[:-3])
    for number, source in enumerate(np.broadcast_to(sources, batch).flat):
        wp.copy(out[number], occupancy[int(source)])
    host.sweep_each(out, batch, *path, **options)


def _seen(memory: Memory, place: Place) -> Any:
    """(B, ..., ..., ...): an array as one of Warp, where it lies. Its axes but the last three are one."""
    import warp as wp

    shape = (math.prod(memory.shape[:-3]), *memory.shape[-3:])
    kind = wp.dtype_from_numpy(memory.kind)  # type: ignore[no-untyped-call]
    return wp.array(ptr=memory.address, dtype=kind, shape=shape, device=place.device)


def _downloaded(memory: Memory, place: Place) -> npt.NDArray[Any]:
    """An array on the host."""
    found: npt.NDArray[Any] = _seen(memory, place).numpy().reshape(memory.shape)
    return found
