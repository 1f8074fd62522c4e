"""Any array as numpy sees it, without a copy where its memory allows, and the way back.

Arrays are known by what they speak, and no library is imported for it: numpy's interface, `__array__`, DLPack, or
Python's buffers. A library is asked to take an array back only if one of its own came in.
"""

import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from ..runtime.errors import InputError

# Devices of DLPack whose memory the processor reads: its own, and that of CUDA's which is pinned or managed.
_ON_HOST = (1, 3, 13)
# By the library of an array: how a copy on the host is made of it, and how it is freed of its gradient.
_TO_HOST = {
    "cupy": "array.get()",
    "jaxlib": "jax.device_get(array)",
    "numba": "array.copy_to_host()",
    "paddle": "array.cpu()",
    "torch": "array.cpu()",
    "warp": "array.numpy()",
}
# By the library of an array: how one is made of numpy's, where the library knows no `__array_namespace__`.
_FROM_NUMPY: dict[str, Callable[[Any, npt.NDArray[Any]], Any]] = {
    "paddle": lambda paddle, array: paddle.utils.dlpack.from_dlpack(array),
    "torch": lambda torch, array: torch.from_numpy(array),
    "warp": lambda warp, array: warp.array(array, copy=False, device="cpu"),
}
# By the library of an array: how one is made of Warp's on a card, where it knows no `__array_namespace__`.
_FROM_WARP: dict[str, Callable[[Any, Any], Any]] = {
    "cupy": lambda cupy, array: cupy.asarray(array),
    "numba": lambda numba, array: numba.cuda.as_cuda_array(array),
    "paddle": lambda paddle, array: paddle.utils.dlpack.from_dlpack(array),
    "torch": lambda torch, array: torch.from_dlpack(array),
    "warp": lambda warp, array: array,
}
# How an array on a card is known that speaks nothing else.
_ON_CARD = "__cuda_array_interface__"
# Whose `__array__` gives a copy, where DLPack does not.
_COPYING = ("paddle",)


def host_array(array: Any, owner: str) -> npt.NDArray[Any]:
    """An array as numpy sees it. It is a copy only where it has to be; the message calls it `owner`.

    What no library made, such as lists, becomes what numpy makes of it, with numpy's errors.

    Raises:
        InputError: it lies on another device, needs its gradient, or gives no array; or a list contains itself.
    """
    spoken = [hasattr(array, name) for name in ("__array_interface__", "__array__", "__dlpack__", _ON_CARD)]
    if isinstance(array, np.ndarray) or not any(spoken):
        _refuse_endless(array, owner)
        return np.asarray(array)
    library = library_of(array)
    refuse_gradient(array, owner)
    if not _is_on_host(array):
        remedy = _TO_HOST.get(library, "a copy in the computer's own memory")
        raise InputError("{owner} is in the memory of another device: pass {remedy}", owner=owner, remedy=remedy)
    try:
        if library in _COPYING:
            return _writable(np.from_dlpack(array))
        return np.asarray(array) if any(spoken[:2]) else np.from_dlpack(array)
    except (TypeError, ValueError, RuntimeError, BufferError) as error:
        raise InputError("{owner} cannot be read as an array: {error}", owner=owner, error=error) from error


def given_back(array: Any, like: Any) -> Any:
    """An array in the kind of another one: of the same library, where it lies, without a copy where that is possible.

    Args:
        array: of numpy; or of Warp, on the device of `like`.
        like: the other one.
    """
    is_lent, library = not isinstance(array, np.ndarray), library_of(like)
    if isinstance(like, np.ndarray):
        return array
    known = _FROM_WARP if is_lent else _FROM_NUMPY
    if library in known:
        return known[library](sys.modules[library], array)
    if hasattr(like, "__array_namespace__"):
        space = like.__array_namespace__()
        return space.from_dlpack(array) if is_lent else space.asarray(array)
    return array


class _Writable:
    """The memory of an array, as one that may be written to."""

    def __init__(self, array: npt.NDArray[Any]) -> None:
        self.kept = array
        interface = array.__array_interface__
        self.__array_interface__ = interface | {"data": (interface["data"][0], False)}


def _writable(array: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """What numpy 1.26 takes for read-only, because DLPack could not say then that it is not."""
    return array if array.flags.writeable else np.asarray(_Writable(array))


def refuse_gradient(array: Any, owner: str) -> None:
    """Raise InputError, which calls an array `owner`, if a gradient would have to pass through it."""
    if getattr(array, "requires_grad", False) and library_of(array) != "warp":
        raise InputError("{owner} needs its gradient: pass array.detach()", owner=owner)


def _refuse_endless(values: Any, owner: str) -> None:
    """Raise InputError, which calls lists `owner`, if their first elements lead back to one of them.

    numpy would follow each way through them, 64 levels down. Where other elements lead back, it finds rows of unequal
    length soon.
    """
    passed = set[int]()
    while isinstance(values, list | tuple) and len(values):
        if id(values) in passed:
            raise InputError("{owner} is a list that contains itself: give an array of numbers", owner=owner)
        passed.add(id(values))
        values = values[0]


def library_of(array: Any) -> str:
    """The name of the library that made an array, as it is imported."""
    return type(array).__module__.partition(".")[0]


def _is_on_host(array: Any) -> bool:
    """Whether the processor reads an array's memory. What says nothing of a device lies in it."""
    if hasattr(array, "__dlpack_device__"):
        try:
            return int(array.__dlpack_device__()[0]) in _ON_HOST
        except (TypeError, ValueError, RuntimeError, BufferError):
            return False  # a tensor without data
    return not hasattr(array, _ON_CARD)
