"""Arrays of other kinds than numpy's, each of which speaks as little as a library may."""

from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

Voxels = npt.NDArray[Any]


class WithInterface:
    """Speaks numpy's interface alone, as Warp's arrays on the CPU."""

    def __init__(self, array: Voxels) -> None:
        self.__array_interface__ = array.__array_interface__
        self._kept = array


class WithArray:
    """Gives its memory by `__array__` alone, as PyTorch's tensors."""

    def __init__(self, array: Voxels) -> None:
        self.array = array

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Voxels:
        return self.array


class WithDlpack:
    """Speaks DLPack alone."""

    def __init__(self, array: Voxels) -> None:
        self.array = array

    def __dlpack__(self, **options: Any) -> Any:
        return self.array.__dlpack__()

    def __dlpack_device__(self) -> tuple[int, int]:
        return 1, 0


class OnDevice:
    """Lies on a graphics card: device 2 of DLPack is CUDA."""

    def __init__(self, array: Voxels) -> None:
        self.array = array

    def __dlpack__(self, **options: Any) -> Any:
        raise AssertionError("asked for memory that only a device can read")

    def __array__(self) -> Voxels:
        raise AssertionError("copied from a device behind the caller's back")

    def __dlpack_device__(self) -> tuple[int, int]:
        return 2, 0


class Chunked:
    """Kept in pieces, as by Zarr and HDF5: what is read is a copy."""

    chunks = (8, 8, 8)

    def __init__(self, array: Voxels, read_only: bool = False) -> None:
        self.array, self.read_only = array, read_only
        self.shape, self.dtype = array.shape, array.dtype

    def __getitem__(self, where: Any) -> Voxels:
        return self.array[where].copy()

    def __setitem__(self, where: Any, values: Voxels) -> None:
        assert values.dtype == self.dtype
        self.array[where] = values

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Voxels:
        return self.array.copy()


def of_kind(kind: str, array: Voxels, file: Path) -> Any:
    """A copy of bools as an array of one of `KINDS`; `file` is where one in a file lies."""
    if kind == "Fortran order":
        return np.asfortranarray(array)
    if kind == "strided":
        whole = np.zeros((array.shape[2], 2 * array.shape[0], array.shape[1]), dtype=bool)
        view = whole[:, ::2].transpose(1, 2, 0)
        view[:] = array
        return view
    if kind == "bytes":
        return array.astype(np.uint8)
    if kind == "file":
        np.save(file.with_suffix(".npy"), array)
        return np.load(file.with_suffix(".npy"), mmap_mode="r+")
    makers = {"interface": WithInterface, "array": WithArray, "chunked": Chunked}
    if kind == "chunked bytes":
        return Chunked(array.astype(np.uint8))
    return makers[kind](array.copy())


KINDS = ("Fortran order", "strided", "bytes", "file", "interface", "array", "chunked", "chunked bytes")
