"""Calls of compiled code: the types of arguments as text, and arguments as numbers of eight bytes each.

The code of a kernel gets the address of these *slots*. An array takes two or more: see `_slots`. What the kernel
returns is in the last ones. If it gets the address of rows too, it calls itself for runs of them: see
`Prepared.over_rows`. Nothing here imports numba or LLVM.
"""

import ctypes
import json
import struct
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt

from .signatures import COMPUTE, json_text

# Slots, rows or None, and the most runs. While it runs, Python's lock is released.
ROUTINE = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int64)
OK = (0, -2)  # numba's statuses: a result, and None
RESULTS = 2  # slots
_NOTHING: Any = ctypes.c_char * 0


@dataclass(frozen=True, eq=False)
class Entry:
    """The code of a kernel in this process.

    Attributes:
        name: of the kernel, for messages.
        routine: the code.
        results: the dtypes of what it returns, each in a slot.
        is_tuple: whether it returns a tuple of them.
    """

    name: str
    routine: Callable[[int, int | None, int], int]
    results: tuple[str, ...]
    is_tuple: bool

    @classmethod
    def at(cls, name: str, address: int, result: str) -> "Entry":
        """The code at an address; `result` is the JSON text of numba's type."""
        found = json.loads(result)
        is_tuple = isinstance(found, list)
        results = found[1:] if is_tuple else [] if found == "none" else [found]
        return cls(name, ROUTINE(address), tuple(results), is_tuple)


class Prepared:
    """A kernel with its arguments. One thread calls it at a time; others call copies."""

    def __init__(self, entry: Entry, arguments: tuple[Any, ...]) -> None:
        self._arguments = arguments  # the arrays have to stay
        self._take(entry, np.array([*_slots(arguments), *[0] * RESULTS], dtype=np.int64))

    def __copy__(self) -> "Prepared":
        copied = Prepared.__new__(Prepared)
        copied._arguments = self._arguments
        copied._take(self._entry, self._slots.copy())
        return copied

    def with_last(self, value: Any) -> "Prepared":
        """The same with another last argument, of the same types, such as the scratch buffers of another thread."""
        changed = self.__copy__()
        own = _slots((value,))
        changed._slots[-RESULTS - len(own) : -RESULTS] = own
        changed._arguments = (*self._arguments, value)
        return changed

    def __call__(self, *first: int) -> Any:
        """The result, with other whole numbers as the first arguments."""
        for place, value in enumerate(first):
            self._slots[place] = value
        self._run(None, 0)
        if not self._entry.results:
            return None
        results = self._slots[-RESULTS:]
        found = [results.view(kind)[place].item() for place, kind in enumerate(self._entry.results)]
        return tuple(found) if self._entry.is_tuple else found[0]

    def over_rows(self, rows: int, most: int) -> None:
        """Call it for runs of rows, which other threads take too, until none is left or `most` have run.

        Args:
            rows: the address of three int64: the first row that nobody has taken; the number of all; and how many a run
                has. The kernel's first arguments are those of its run: the first row, and the one after the last.
        """
        self._run(rows, most)

    def _run(self, rows: int | None, most: int) -> None:
        status = self._entry.routine(self._address, rows, most)
        if status not in OK:
            raise RuntimeError(f"the kernel {self._entry.name} failed with status {status}")

    def _take(self, entry: Entry, slots: npt.NDArray[np.int64]) -> None:
        self._entry, self._slots, self._address = entry, slots, slots.ctypes.data


def key_of(value: Any) -> Any:
    """What the type of an argument is known by, in less time than `types_as_text` takes."""
    if type(value) is np.ndarray:
        return value.dtype, value.ndim, value.flags.num
    if isinstance(value, tuple):
        return type(value), *map(key_of, value)
    return type(value)


def types_as_text(arguments: Iterable[Any]) -> str:
    """The types of arguments, as in `signatures.Kernel`."""
    return json_text([_kind(value) for value in arguments])


def module_name(thing: Any) -> str:
    """The module of a thing, relative to `compute`, which has another name in an extension."""
    module = str(thing.__module__)
    return module.removeprefix(COMPUTE) if module.startswith(f"{COMPUTE}.") else module


def _kind(value: Any) -> Any:
    """The type of an argument as numba prints it; a tuple as a list of its class, empty for a plain one, and its
    members."""
    if type(value) is np.ndarray and value.dtype.isnative:
        flags = value.flags
        layout = "C" if flags.c_contiguous else "F" if flags.f_contiguous else "A"
        return f"{'' if flags.writeable else 'readonly '}array({_name_of(value.dtype)}, {value.ndim}d, {layout})"
    if isinstance(value, tuple):
        named = type(value)
        return ["" if named is tuple else f"{module_name(named)}.{named.__qualname__}", *map(_kind, value)]
    if type(value) not in _PLAIN:
        raise TypeError(f"kernels take no {type(value).__name__}, and arrays in this machine's byte order alone")
    return _PLAIN[type(value)][0]


@cache
def _name_of(dtype: np.dtype[Any]) -> str:
    return dtype.name  # which numpy makes anew each time


def _slots(values: Iterable[Any]) -> list[int]:
    """As `lowering` passes them. An array in one piece is its address and its shape. Another is as numba has it: what
    owns it (nothing, nobody), its size, the size of an element, its address, its shape and strides."""
    found: list[int] = []
    for value in values:
        kind = type(value)
        if kind is np.ndarray:
            shape = value.shape
            if shape and value.flags.c_contiguous:
                found += (_address(value), *shape)
            else:
                found += (0, 0, value.size, value.itemsize, _address(value), *shape, *value.strides)
        elif issubclass(kind, tuple):
            found += _slots(value)
        else:
            found.append(_PLAIN[kind][1](value))
    return found


def _address(array: npt.NDArray[Any]) -> int:
    # The short way takes a third of the time, but not every array has it.
    return ctypes.addressof(_NOTHING.from_buffer(array)) if array.flags.carray else array.ctypes.data


def _of_double(value: float) -> int:
    return int(struct.unpack("<q", struct.pack("<d", value))[0])


def _of_single(value: float) -> int:
    return int(struct.unpack("<q", struct.pack("<f4x", value))[0])


# The types of numbers, and their slots.
_PLAIN: dict[type, tuple[str, Callable[[Any], int]]] = {
    bool: ("bool", int),
    int: ("int64", int),
    float: ("float64", _of_double),
    np.bool_: ("bool", int),
    np.float64: ("float64", _of_double),
    np.float32: ("float32", _of_single),
    **{np.dtype(name).type: (name, int) for name in ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32")},
}
