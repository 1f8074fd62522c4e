"""Arrays that lie side by side in one buffer of a device, and so cross the bus together."""

import ctypes
from collections.abc import Mapping
from dataclasses import dataclass, field
from math import prod
from typing import Any

import numpy as np
import numpy.typing as npt

Bytes = npt.NDArray[np.uint8]

ROW = 256  # bytes: each array begins on a row of its own, as if it had been allocated


@dataclass(frozen=True)
class Part:
    """An array in a buffer of bytes (N, ROW).

    Attributes:
        row: where it begins.    shape: its own.    dtype: Warp's type of its elements.
    """

    row: int
    shape: tuple[int, ...]
    dtype: Any

    @property
    def stop(self) -> int:
        """The first row after it."""
        return self.row + -(-prod(self.shape) * numpy_type(self.dtype).itemsize // ROW)

    def on_host(self, buffer: Bytes) -> npt.NDArray[Any]:
        """The array, in a buffer of the host. A vector of Warp is one more axis."""
        return np.ndarray(self.shape, numpy_type(self.dtype), buffer, self.row * ROW)

    def on_device(self, buffer: Any) -> Any:
        """The array, in a buffer of Warp, which it keeps alive."""
        array = type(buffer)(ptr=buffer.ptr + self.row * ROW, dtype=self.dtype, shape=self.shape, device=buffer.device)
        array.buffer = buffer
        return array


@dataclass
class Packed:
    """Device arrays in one buffer (N, ROW), by name.

    Attributes:
        fetched: copies of what came down and will be asked for again.
    """

    buffer: Any
    parts: Mapping[str, Part]
    fetched: dict[str, npt.NDArray[Any]] = field(default_factory=dict)

    def __getitem__(self, name: str) -> Any:
        return self.parts[name].on_device(self.buffer)


def lay_out(shapes: Mapping[str, tuple[tuple[int, ...], Any]]) -> tuple[dict[str, Part], tuple[int, int]]:
    """Where arrays of these shapes and Warp types lie in a buffer, and the buffer's shape."""
    parts, row = {}, 0
    for name, (shape, dtype) in shapes.items():
        parts[name] = Part(row, shape, dtype)
        row = parts[name].stop
    return parts, (max(row, 1), ROW)


def shape_as(array: npt.NDArray[Any], dtype: Any) -> tuple[int, ...]:
    """The shape of an array of the host as Warp has it, if its elements are of this type."""
    return array.shape[: array.ndim - numpy_type(dtype).ndim]


def numpy_type(dtype: Any) -> np.dtype[Any]:
    """numpy's type for a type of Warp. A vector is an array of numbers."""
    import warp

    # Warp's vectors are arrays of ctypes, which numpy knows.
    return np.dtype(dtype if issubclass(dtype, ctypes.Array) else warp.dtype_to_numpy(dtype))  # type: ignore[no-untyped-call]
