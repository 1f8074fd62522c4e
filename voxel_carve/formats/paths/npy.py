"""Toolpaths as arrays of numpy, .npy and .npz.

An array is (N, 3) or (N, 4), with x, y, z and radius in its columns, or (P, N, 3) or (P, N, 4) for P paths, or a
structured one whose fields are named as the columns of a table. An archive has such arrays, each a path by its name, or
`points` and `radii`, or a one-dimensional array for each column. Nothing in a file is ever executed.
"""

import math
import re
import struct
import tokenize
import zipfile
import zlib
from collections.abc import Iterable, Sequence
from io import BytesIO
from typing import Any, cast

import numpy as np
import numpy.typing as npt

from ...compute.model import LARGEST_COORDINATE, Path
from ...compute.runtime import InputError, Sentence
from ..files import TooLargeError, quoted
from .columns import COLUMNS, Columns, columns_of
from .toolpath import BYTES_PER_PATH, NO_RADIUS, NoRadiusError, Request, Toolpath

Array = npt.NDArray[Any]
# The kinds of real numbers.
NUMBERS = "fiu"
# More arrays than this are no archive of paths.
MOST_ARRAYS = 100_000
# What the readers of Python and numpy raise where a file is damaged.
_DAMAGES = (ArithmeticError, EOFError, LookupError, OSError, RecursionError, TypeError, ValueError, struct.error)
WRONG_SHAPE = Sentence("it has the shape {shape}: give (N, 3) or (N, 4), with x, y, z and radius in its columns")


def read_npy(raw: bytes, request: Request) -> Toolpath:
    """The polylines of an array.

    Raises:
        NoRadiusError: neither the file nor the caller has a radius.
        InputError: it is not such a file, or has other numbers.
        TooLargeError: it takes too much memory.
    """
    return _arrays_of({"": _array(raw, request, "")}, request)


def read_npz(raw: bytes, request: Request) -> Toolpath:
    """The polylines of an archive of arrays.

    Raises:
        NoRadiusError: neither the file nor the caller has a radius.
        InputError: it is not such a file, or has other numbers.
        TooLargeError: it takes too much memory.
    """
    arrays: dict[str, Array] = {}
    try:
        with zipfile.ZipFile(BytesIO(raw)) as archive:
            entries = [each for each in archive.infolist() if not each.is_dir()]
            if len(entries) > MOST_ARRAYS:
                raise TooLargeError(f"its {len(entries)} arrays are too many")
            # What an entry says of its size is all that is ever unpacked of it.
            size = sum(each.file_size for each in entries)
            request.room.check(2 * size, f"its arrays of {size / 2**20:,.0f} MiB")
            for each in entries:
                if each.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
                    raise zipfile.BadZipFile("it is compressed in a way that numpy never does")
                with archive.open(each) as opened:
                    arrays[each.filename.removesuffix(".npy")] = _array(
                        opened.read(each.file_size), request, each.filename
                    )
    except (InputError, TooLargeError):  # a ValueError too
        raise
    except (*_DAMAGES, RuntimeError, zipfile.BadZipFile, zlib.error) as error:
        raise _unreadable(request, "", error) from None
    return _arrays_of(arrays, request)


def _array(raw: bytes, request: Request, name: str) -> Array:
    """An array of numbers from the bytes of an .npy file. Its header is compared with the bytes that follow."""
    opened, formats = BytesIO(raw), cast(Any, np.lib.format)
    try:
        version = formats.read_magic(opened)
        read = {(1, 0): formats.read_array_header_1_0, (2, 0): formats.read_array_header_2_0}.get(version)
        if read is None:
            raise ValueError(f"version {version[0]}.{version[1]} is unknown")
        shape, is_fortran, kind = read(opened)
        if kind.hasobject:
            raise ValueError("it holds Python objects, which are never loaded")
        count = math.prod(shape)
        if min(shape, default=1) < 0 or count * kind.itemsize > len(raw) - opened.tell():
            raise ValueError("it is cut short")
        found = np.frombuffer(raw, kind, count, opened.tell()).reshape(shape, order="F" if is_fortran else "C")
    except (*_DAMAGES, MemoryError, SyntaxError, tokenize.TokenError) as error:
        raise _unreadable(request, name, error) from None
    return found


def _unreadable(request: Request, name: str, error: Exception) -> InputError:
    fault = quoted(" ".join(str(error).split()))
    if name:
        return InputError(
            "{file}, array '{name}' cannot be read: {error}", file=request.file, name=quoted(name), error=fault
        )
    return InputError(
        "{file} cannot be read as {suffix}: {error}", file=request.file, suffix=request.file.suffix.lower(), error=fault
    )


def _arrays_of(arrays: dict[str, Array], request: Request) -> Toolpath:
    """The paths of arrays, by their names."""
    if "points" in arrays:
        radii = [name for name in ("radii", "radius") if name in arrays][:1]
        whole = _with_radii(arrays["points"], arrays[radii[0]], request) if radii else arrays["points"]
        others = tuple(name for name in arrays if name not in ("points", *radii))
        return _toolpath(_split("", whole, request), request, Columns((), {}, others).notes(request))
    named = {name.lower(): array for name, array in arrays.items()}
    if {"x", "y", "z"} <= {re.split("[^a-z]", name)[0] for name in named} and all(
        each.ndim == 1 for each in named.values()
    ):
        columns = columns_of(request, list(named), 1)
        return _toolpath([("", _table(columns, list(named.values()), request))], request, columns.notes(request))
    tables: list[tuple[str, Array]] = []
    notes: list[Sentence] = []
    for name, array in arrays.items():
        if array.dtype.names is not None and array.ndim == 1:
            columns = columns_of(request, array.dtype.names, 1)
            tables.append((name, _table(columns, [array[each] for each in array.dtype.names], request)))
            notes += columns.notes(request)
        else:
            tables += _split(name, array, request)
    return _toolpath(tables, request, dict.fromkeys(notes))


def _table(columns: Columns, arrays: Sequence[Array], request: Request) -> Array:
    """(N, 3) or (N, 4): the columns of numbers in the unit of the file."""
    found = dict(zip(columns.names, arrays, strict=True))
    wanted = [name for name in COLUMNS[:4] if name in found]
    if any(found[name].ndim != 1 or found[name].dtype.kind not in NUMBERS for name in wanted):
        raise InputError("{file}: it holds no numbers: give an array of floats", file=request.file)
    if len({len(found[name]) for name in wanted}) > 1:
        raise InputError("{file}: its columns are not of the same length", file=request.file)
    unsaid = request.scale(None)
    return np.column_stack(
        [found[name].astype(np.float64) * (request.scale(columns.unit(name)) / unsaid) for name in wanted]
    )


def _with_radii(points: Array, radii: Array, request: Request) -> Array:
    if points.ndim != 2 or points.shape[1:] != (3,) or radii.shape not in ((), (1,), (len(points),)):
        raise InputError(
            "{file}: 'points' has the shape {shape} and 'radii' {other}: give (N, 3) and (N,)",
            file=request.file,
            shape=points.shape,
            other=radii.shape,
        )
    return np.column_stack([points, np.broadcast_to(radii, len(points))])


def _split(name: str, array: Array, request: Request) -> list[tuple[str, Array]]:
    """The paths of an array of numbers."""
    where = f"{request.file}, array '{quoted(name)}'" if name else str(request.file)
    if array.dtype.kind not in NUMBERS:
        raise InputError("{file}: it holds no numbers: give an array of floats", file=where)
    if array.ndim not in (2, 3) or array.shape[-1] not in (3, 4):
        raise InputError("{file}: {fault}", file=where, fault=Sentence(WRONG_SHAPE, shape=array.shape))
    if array.ndim == 3:
        return [(f"{name} {number}".strip(), each) for number, each in enumerate(array, 1)]
    return [(name, array)]


def _toolpath(tables: list[tuple[str, Array]], request: Request, notes: Iterable[Sentence] = ()) -> Toolpath:
    request.room.check(
        sum(64 * len(table) for _, table in tables) + BYTES_PER_PATH * len(tables), f"its {len(tables)} paths"
    )
    paths, scale = [], request.scale(None)
    for name, table in tables:
        numbers = _checked(name, table, request)
        if numbers.shape[1] == 3 and request.radius is None:
            raise NoRadiusError(NO_RADIUS, file=request.file)
        if len(numbers) == 0:
            continue
        radii = numbers[:, 3] * scale if numbers.shape[1] == 4 else np.full(len(numbers), request.radius)
        whole = f"{request.file}, path {quoted(name)}" if name else str(request.file)
        paths.append(Path(numbers[:, :3] * scale, radii, name=whole, joined=len(numbers) > 1))
    if not paths:
        raise InputError("{file} has no path: export lines, curves or points into it", file=request.file)
    return Toolpath(paths, notes)


def _checked(name: str, table: Array, request: Request) -> npt.NDArray[np.float64]:
    """A table as float64.

    Raises:
        InputError: it has numbers that are none, are too large, or are negative radii: the first is named.
    """
    with np.errstate(over="ignore"):
        numbers = np.asarray(table, dtype=np.float64)
    wrong = ~(np.abs(numbers) <= LARGEST_COORDINATE)
    wrong[:, 3:] |= numbers[:, 3:] < 0
    if wrong.any():
        row, column = (int(each[0]) for each in np.nonzero(wrong))
        raise InputError(
            "{file}, row {row}, column '{column}': {value:g} is not a number that it can be",
            file=f"{request.file}, array '{quoted(name)}'" if name else request.file,
            row=row,
            column=COLUMNS[column],
            value=float(numbers[row, column]),
        )
    return numbers
