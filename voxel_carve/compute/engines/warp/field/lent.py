"""Occupancies that lie on a Warp device already: worked on where they lie, in the order of their library's stream.

Work is queued on Warp's own stream, because Warp frees what it allocates in that order. It begins after what the
library's stream has queued, and what that queues later begins after it. The host waits for neither.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np

from ....arrays import (
    CURRENT_CARD,
    card_of,
    check_lendable,
    check_occupancy_kind,
    current_stream,
    no_stream_here,
    not_zero_and_one,
    stream_handle,
)
from ....runtime.errors import InputError
from ..device.device import WarpDevice
from . import dense_kernels


@dataclass(frozen=True)
class LentLayers:
    """The layers of an occupancy on a device: see `Layers`, which these stand in for.

    Attributes:
        device: where it lies.
        seen: (Z, Y, X) the voxels, an array of Warp without a copy.
    """

    device: WarpDevice
    seen: Any

    @property
    def shape(self) -> tuple[int, int, int]:
        """(Z, Y, X)."""
        depth, height, width = self.seen.shape
        return depth, height, width

    def read(self, first: int, stop: int) -> Any:
        """Layers `first` to `stop`, where they lie."""
        return self.seen[first:stop]

    def whole(self) -> Any:
        """All layers, where they lie."""
        return self.seen

    def write(self, first: int, part: Any) -> None:
        """Write layers from `first` on, unless `part` is these layers themselves. What is on the host is uploaded."""
        here = self.seen[first : first + len(part)]
        if not self.device.holds(part):
            part = self.device.upload(part, self.device.wp.bool)
        if (part.ptr, part.strides) != (here.ptr, here.strides):
            self.device.gather(part, here)

    def copied(self, part: Any) -> Any:
        """A copy of what was read."""
        copy = self.device.empty(part.shape, self.device.wp.bool)
        self.device.gather(part, copy)
        return copy


def lend(devices: Sequence[WarpDevice], array: Any, writes: bool) -> LentLayers | None:
    """The layers of an array on one of these devices; None if the host reads it.

    Raises:
        InputError: it lies on another card, is no occupancy, is read-only though it is to be written to, or needs its
            gradient.
    """
    device = _device_of(devices, array)
    if device is None:
        return None
    check_lendable(array, writes)
    seen, wp = _seen(device, array), device.wp
    check_occupancy_kind(np.dtype(wp.dtype_to_numpy(seen.dtype)), tuple(seen.shape))
    if seen.dtype is not wp.bool:
        seen = seen.view(wp.bool)
        if _count_above(device, seen, 1):
            raise not_zero_and_one()
    return LentLayers(device, seen)


@contextmanager
def in_order(devices: Sequence[WarpDevice], arrays: Sequence[Any], stream: Any) -> Iterator[None]:
    """Order the work of a block with that of a stream.

    Args:
        devices: of the backend.
        arrays: what is worked on; those on the host do not matter.
        stream: as for `stream_handle`; None is the one that the library of the first array on a device uses now. If
            nothing tells which that is, DLPack orders what is read, and the host waits for the end.

    Raises:
        InputError: as `stream_handle`; or a stream, though nothing lies on a card.
    """
    lent = next(((array, device) for array in arrays if (device := _device_of(devices, array))), None)
    if stream is not None and (lent is None or not lent[1].found.is_cuda):
        raise no_stream_here()
    if lent is None or not lent[1].found.is_cuda:
        yield
        return
    array, device = lent
    handle = current_stream(array) if stream is None else stream_handle(stream)
    if handle is None:
        yield
        device.wait()
        return
    theirs, ours = device.wp.Stream(device.found, cuda_stream=handle or None), device.found.stream
    ours.wait_stream(theirs)
    try:
        yield
    finally:
        theirs.wait_stream(ours)


def _device_of(devices: Sequence[WarpDevice], array: Any) -> WarpDevice | None:
    """The device in whose memory an array lies, if that is not the host's."""
    wp = devices[0].wp
    if isinstance(array, wp.array):
        place = array.device
    elif (number := card_of(array)) is not None:
        place = wp.get_cuda_device() if number == CURRENT_CARD else wp.get_cuda_device(number)
    else:
        return None
    found = next((device for device in devices if device.found == place), None)
    if found is None and place.is_cuda:
        raise InputError(
            "an occupancy lies on {place}, where this backend does not work: choose the backend {place}",
            place=place.alias,
        )
    return found


def _seen(device: WarpDevice, array: Any) -> Any:
    """An array on a device as one of Warp, without a copy."""
    wp = device.wp
    if isinstance(array, wp.array):
        return array
    try:
        if hasattr(array, "__dlpack__"):
            return wp.from_dlpack(array)
        return wp.array(array, device=device.found, copy=False)
    except (TypeError, ValueError, RuntimeError, BufferError) as error:
        raise InputError("an occupancy on the card cannot be read as an array: {error}", error=error) from error


def _count_above(device: WarpDevice, occupancy: Any, most: int) -> int:
    """The number of bytes above a limit. The host waits for it."""
    wp = device.wp
    count = device.filled(1, 0, wp.int64)
    device.launch(dense_kernels.count_above, occupancy.shape, [occupancy.view(wp.uint8), most], [count])
    return int(device.download(count)[0])
