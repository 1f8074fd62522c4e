"""Occupancies of any kind, read and written in runs of layers along z.

An array in memory, or a memory-mapped file, is seen where it lies. One that a library stores in pieces, as Zarr and
HDF5 do, is read and written run by run, and so it may be larger than memory.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ..runtime.errors import InputError
from .foreign import host_array

Occupancy = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class Layers:
    """An occupancy (Z, Y, X), whatever keeps it.

    Attributes:
        shape: (Z, Y, X).
        seen: the voxels where they lie; None if they are stored in pieces.
        stored: the array that stores them.
    """

    shape: tuple[int, int, int]
    seen: Occupancy | None
    stored: Any = None

    @classmethod
    def of(cls, array: Any) -> "Layers":
        """The layers of an array of bool, or of uint8 with nothing but 0 and 1, that numpy can see or that is stored.

        Raises:
            InputError: another type or shape, or as `host_array`.
        """
        if _is_stored(array):
            kind, shape = np.dtype(array.dtype), tuple(array.shape)
        else:
            try:
                seen = host_array(array, "an occupancy")
            except InputError:
                raise
            except ValueError as error:
                raise InputError("an occupancy must be an array: {error}", error=error) from error
            kind, shape = seen.dtype, seen.shape
        check_occupancy_kind(kind, shape)
        return cls(shape, None, array) if _is_stored(array) else cls(shape, _as_bool(seen))

    @classmethod
    def written(cls, array: Any) -> "Layers":
        """The layers of an array that is written to.

        Raises:
            InputError: it cannot be written to, or as `of`.
        """
        layers = cls.of(array)
        if layers.seen is None:
            if getattr(array, "read_only", False) or getattr(getattr(array, "file", None), "mode", "r+") == "r":
                raise _read_only()
        elif not layers.seen.flags.writeable:
            raise _read_only()
        elif not (isinstance(array, np.ndarray) or np.may_share_memory(host_array(array, "an occupancy"), layers.seen)):
            kind = type(array).__name__
            raise InputError("an occupancy that is written to must be an array, and this one is a {kind}", kind=kind)
        return layers

    def read(self, first: int, stop: int) -> Occupancy:
        """Layers `first` to `stop`: the voxels themselves where they are seen, else a copy."""
        if self.seen is not None:
            return self.seen[first:stop]
        return _as_bool(np.asarray(self.stored[first:stop]))

    def whole(self) -> Occupancy:
        """All layers, as `read` gives them."""
        return self.read(0, self.shape[0])

    def write(self, first: int, part: Any) -> None:
        """Write layers from `first` on, unless `part` is these layers themselves. It may be an array of Warp."""
        part = part if isinstance(part, np.ndarray) else part.numpy()
        stop = first + len(part)
        if self.seen is None:
            self.stored[first:stop] = part.view(self.stored.dtype)
        elif not _is_same(part, self.seen[first:stop]):
            self.seen[first:stop] = part

    def copied(self, part: Occupancy) -> Occupancy:
        """A copy of what was read."""
        return np.array(part)

    def turn_over(self, part: Occupancy) -> None:
        """Exchange full and empty, in place, in what was read."""
        np.logical_not(part, out=part)

    def leave_out(self, part: Occupancy, outside: Occupancy) -> int:
        """Clear, in place, the voxels of what was read that are in `outside`, a part of it; return how many."""
        np.logical_xor(part, outside, out=part)
        return int(np.count_nonzero(outside))


def check_occupancy_kind(kind: np.dtype[Any], shape: tuple[int, ...]) -> None:
    """Raise InputError if an array of this type and shape is no occupancy."""
    if kind not in (np.bool_, np.uint8):
        raise InputError(
            "an occupancy must be an array of bool, or of uint8 with 0 and 1, and this one is of {kind}", kind=kind
        )
    if len(shape) != 3:
        raise InputError("an occupancy must have the axes (Z, Y, X), and this one has the shape {shape}", shape=shape)


def not_zero_and_one() -> InputError:
    """The error for bytes that are neither 0 nor 1."""
    return InputError("an occupancy of uint8 may hold nothing but 0 and 1: compare it with something, as array > 0")


def _is_stored(array: Any) -> bool:
    """Whether an array lies in pieces that its library reads and writes: h5py.Dataset, zarr.Array and the like."""
    return not isinstance(array, np.ndarray) and all(
        hasattr(array, name) for name in ("chunks", "shape", "dtype", "__getitem__", "__setitem__")
    )


def _as_bool(array: npt.NDArray[Any]) -> Occupancy:
    """Bytes of 0 and 1 as bool, without a copy."""
    if array.dtype == np.bool_:
        return array
    if array.size and int(array.max()) > 1:
        raise not_zero_and_one()
    return array.view(np.bool_)


def _is_same(one: Occupancy, other: Occupancy) -> bool:
    return one.__array_interface__["data"] == other.__array_interface__["data"] and one.strides == other.strides


def _read_only() -> InputError:
    return InputError(
        "the occupancy is read-only: carve a copy, open its file for writing, or take a function that gives a new array"
    )
