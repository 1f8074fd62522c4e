"""Parts of a surface in a folder: a .npz for each, which is read as it is needed, and is never there by half."""

import io
import os
import secrets
import zipfile
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
import numpy.typing as npt

from ..model.parts import SurfacePart
from ..runtime.errors import InputError

LOCAL_HEADER = 30  # bytes of a member's header in a .zip, before its name and its extra field
NAME_LENGTH, EXTRA_LENGTH = slice(26, 28), slice(28, 30)


def write_part(file: Path, part: SurfacePart | bytes) -> None:
    """Write a part, or the bytes that `part_bytes` gives, into a file, which has its name when it is complete.

    Raises:
        InputError: the disk reports an error.
    """
    # A worker that was taken for lost may still be writing the same part.
    beside = file.with_suffix(f".{secrets.token_hex(4)}")
    try:
        with open(beside, "wb") as out:
            if isinstance(part, SurfacePart):
                np.savez(out, **part.arrays())  # type: ignore[arg-type]
            else:
                out.write(part)
        os.replace(beside, file)
    except OSError as error:
        raise InputError(
            "{file} could not be written ({fault}): choose another folder for the parts",
            file=file,
            fault=error.strerror or error,
        ) from error
    finally:
        beside.unlink(missing_ok=True)


def part_bytes(part: SurfacePart) -> bytes:
    """The bytes of the file of a part."""
    out = io.BytesIO()
    np.savez(out, **part.arrays())  # type: ignore[arg-type]
    return out.getvalue()


def read_part(file: Path) -> SurfacePart:
    """A part that was written. Its large arrays are read from the file when they are used."""
    return SurfacePart.of_arrays(_mapped(file))


def _mapped(file: Path) -> dict[str, npt.NDArray[Any]]:
    """The arrays of a .npz that is not compressed, mapped to its bytes."""
    found: dict[str, npt.NDArray[Any]] = {}
    whole = np.memmap(file, np.uint8, "r")  # once, for each mapping keeps the file open
    with zipfile.ZipFile(file) as archive, open(file, "rb") as raw:
        for member in archive.infolist():
            raw.seek(member.header_offset)
            header = raw.read(LOCAL_HEADER)
            name, extra = (int.from_bytes(header[part], "little") for part in (NAME_LENGTH, EXTRA_LENGTH))
            raw.seek(member.header_offset + LOCAL_HEADER + name + extra)
            shape, dtype = _described(raw)
            count = int(np.prod(shape))
            flat = np.frombuffer(whole, dtype, count, raw.tell()) if count else np.empty(0, dtype)
            found[member.filename.removesuffix(".npy")] = flat.reshape(shape)
    return found


def _described(raw: BinaryIO) -> tuple[tuple[int, ...], np.dtype[Any]]:
    """The shape and the type of an array in C order, from the header of a .npy, which ends where the array begins."""
    read: Any = np.lib.format
    version = read.read_magic(raw)
    header = read.read_array_header_1_0 if version == (1, 0) else read.read_array_header_2_0
    shape, _, dtype = header(raw)
    return shape, dtype
