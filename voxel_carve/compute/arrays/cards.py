"""Arrays in the memory of graphics cards, and the streams that order the work on them: what they say of themselves.

No library is imported for it. Sources: DLPack and `__dlpack_device__` (Array API standard), the CUDA Array Interface,
version 3, and the protocol `__cuda_stream__` of NVIDIA's cuda.core.
"""

import sys
from collections.abc import Callable
from typing import Any

from ..runtime.errors import InputError
from .foreign import library_of, refuse_gradient

# The device of DLPack whose memory is on a card alone.
_CUDA = 2
# The number of a card, for an array that does not say on which it lies: the one that is current.
CURRENT_CARD = -1

# By the library of an array: the stream on which that works now.
_CURRENT_STREAM: dict[str, Callable[[Any, Any], Any]] = {
    "cupy": lambda cupy, array: cupy.cuda.get_current_stream(),
    "paddle": lambda paddle, array: paddle.device.current_stream(array.place).stream_base,
    "torch": lambda torch, array: torch.cuda.current_stream(array.device),
    "warp": lambda warp, array: array.device.stream,
}
# Whose arrays never change, whatever their memory allows.
_UNCHANGING = ("jax", "jaxlib")


def card_of(array: Any) -> int | None:
    """The number of the card in whose memory an array lies, or CURRENT_CARD; None if it lies on none."""
    if hasattr(array, "__dlpack_device__"):
        try:
            kind, number = array.__dlpack_device__()
        except (TypeError, ValueError, RuntimeError, BufferError):
            return None  # a tensor without data
        return int(number) if int(kind) == _CUDA else None
    return CURRENT_CARD if hasattr(array, "__cuda_array_interface__") else None


def stream_handle(stream: Any) -> int:
    """The handle of a stream: a number, or a stream of cuda.core, PyTorch, Warp, CuPy or Numba. 0 is the default one.

    Raises:
        InputError: it is none of these.
    """
    spoken = getattr(stream, "__cuda_stream__", None)
    if spoken is not None:
        return int((spoken() if callable(spoken) else spoken)[1])
    for name in ("cuda_stream", "ptr"):
        if hasattr(stream, name):
            return int(getattr(stream, name) or 0)
    try:
        handle = int(stream)
    except (TypeError, ValueError):
        handle = -1
    if handle < 0:
        raise InputError(
            "a {kind} is no CUDA stream: pass its handle as a number, or a stream of PyTorch, CuPy, Numba or Warp",
            kind=type(stream).__name__,
        )
    return handle


def current_stream(array: Any) -> int | None:
    """The handle of the stream on which an array's library works now; None if nothing tells it."""
    library = library_of(array)
    if library in _CURRENT_STREAM:
        return stream_handle(_CURRENT_STREAM[library](sys.modules[library], array))
    told = getattr(array, "__cuda_array_interface__", {}).get("stream")
    return None if told is None else int(told)


def no_stream_here() -> InputError:
    """The error for a stream that nothing is ordered with."""
    return InputError("a stream orders work on a graphics card, and no array lies on one: leave it out")


def check_lendable(array: Any, writes: bool) -> None:
    """Raise InputError if an array on a card needs its gradient, or is to be written to and must not be."""
    refuse_gradient(array, "an occupancy")
    interface = getattr(array, "__cuda_array_interface__", {}) if writes else {}
    if writes and (library_of(array) in _UNCHANGING or interface.get("data", (0, False))[1]):
        raise InputError("the occupancy on the card is read-only: take a function that gives a new array")
