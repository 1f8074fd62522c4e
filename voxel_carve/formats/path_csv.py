"""Toolpaths as comma separated values: the header x,y,z[,radius][,path], one point a line."""

import csv
import difflib
import io
from collections.abc import Iterator
from pathlib import Path as FilePath

import numpy as np
import numpy.typing as npt

from ..compute.errors import InputError
from ..compute.mesh import LARGEST_COORDINATE
from ..compute.sweep import Path

COLUMNS = ("x", "y", "z", "radius", "path")


def read_paths(file: FilePath, radius: float | None = None) -> tuple[Path, ...]:
    """The polylines of a file, in its order.

    The columns may stand in any order. `radius` (a column) is the radius at each point; rows with the same value in
    `path` make one polyline and must stand together; without that column the file is one polyline.

    Args:
        file: what to read.
        radius: radius of all points where the file has no such column, in the file's length unit.

    Raises:
        InputError: the file cannot be read, or is not such a table; the message names the file, line and column.
    """
    text = _text(file)
    header = _header(file, text)
    if "radius" not in header and radius is None:
        raise InputError(f"{file} has no column 'radius': add one, or give the radius with --radius")
    try:
        numbers, labels = _parse(file, text, header)
    except ValueError as error:
        _explain(file, text, header)
        raise InputError(f"{file} is not a table of numbers ({error})") from error
    if len(numbers["x"]) == 0:
        raise InputError(f"{file} has no points: give at least one line under the header")
    if any(not _good(name, column).all() for name, column in numbers.items()):
        _explain(file, text, header)

    points = np.column_stack([numbers["x"], numbers["y"], numbers["z"]])
    radii = numbers["radius"] if "radius" in numbers else np.full(len(points), radius)
    if labels is None:
        return (Path(points, radii, name=str(file)),)
    starts = np.flatnonzero(np.concatenate([[True], labels[1:] != labels[:-1]]))
    if len(np.unique(labels[starts])) < len(starts):
        _explain(file, text, header)
    stops = [*starts[1:], len(points)]
    return tuple(
        Path(points[start:stop], radii[start:stop], name=f"{file}, path {labels[start]}")
        for start, stop in zip(starts, stops, strict=True)
    )


def _text(file: FilePath) -> str:
    try:
        raw = file.read_bytes()
    except OSError as error:
        raise InputError(f"{file} cannot be read ({error.strerror})") from error
    if not raw.strip():
        raise InputError(f"{file} is empty: it needs the header x,y,z[,radius][,path] and a line for each point")
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = "\0"
    if "\0" in text:
        raise InputError(f"{file} is not a text file: export the toolpath as comma separated values in UTF-8")
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _header(file: FilePath, text: str) -> list[str]:
    line = text.split("\n", 1)[0]
    header = [name.strip().strip('"').lower() for name in line.strip().split(",")]
    for number, name in enumerate(header, 1):
        if name in COLUMNS:
            continue
        near = difflib.get_close_matches(name, COLUMNS, n=1)
        hint = f" (did you mean '{near[0]}'?)" if near else ""
        raise InputError(
            f"{file}, line 1: column {number} is '{name[:40]}'{hint}: the first line must be x,y,z[,radius][,path], "
            "separated by commas"
        )
    for name in COLUMNS[:3]:
        if name not in header:
            raise InputError(f"{file}, line 1: the column '{name}' is missing: the header is x,y,z[,radius][,path]")
    for name in header:
        if header.count(name) > 1:
            raise InputError(f"{file}, line 1: the column '{name}' stands there twice")
    return header


def _parse(
    file: FilePath, text: str, header: list[str]
) -> tuple[dict[str, npt.NDArray[np.float64]], npt.NDArray[np.str_] | None]:
    """The columns of numbers by name, and the labels of `path` as text.

    Raises:
        ValueError: a line has too few or too many fields, or text where a number should be.
    """
    names = [name for name in header if name != "path"]
    if not text.partition("\n")[2].strip():
        return {name: np.empty(0) for name in names}, None
    if "path" not in header:
        # Without a choice of columns, numpy itself sees lines of another length.
        table = np.loadtxt(file, delimiter=",", skiprows=1, comments=None, quotechar='"', ndmin=2, encoding="utf-8-sig")
        if table.shape[1] != len(header):
            raise ValueError(f"{table.shape[1]} columns under a header of {len(header)}")
        return dict(zip(names, table.T, strict=True)), None
    columns = [header.index(name) for name in names]
    table = np.loadtxt(
        io.StringIO(text), delimiter=",", skiprows=1, comments=None, quotechar='"', ndmin=2, usecols=columns
    )
    labels = np.loadtxt(
        io.StringIO(text), delimiter=",", skiprows=1, comments=None, quotechar='"', ndmin=1,
        usecols=header.index("path"), dtype=str,
    )  # fmt: skip
    if '"' in text or text.count(",") != (len(table) + 1) * (len(header) - 1):
        for line, row in _rows(text):
            if len(row) != len(header):
                raise ValueError(f"line {line} has {len(row)} fields")
    return dict(zip(names, table.T, strict=True)), np.char.strip(labels)


def _good(name: str, column: npt.NDArray[np.float64]) -> npt.NDArray[np.bool_]:
    small = np.abs(column) <= LARGEST_COORDINATE  # false for NaN
    return small & (column > 0) if name == "radius" else small


def _rows(text: str) -> Iterator[tuple[int, list[str]]]:
    """(line, fields) of each row under the header, empty lines left out."""
    reader = csv.reader(io.StringIO(text))
    next(reader)
    for row in reader:
        if len(row) > 1 or "".join(row).strip():
            yield reader.line_num, row


def _explain(file: FilePath, text: str, header: list[str]) -> None:
    """Find the first bad line of a table known to be bad, and raise the InputError that names it."""
    ended: dict[str, int] = {}
    last = None
    for line, row in _rows(text):
        if len(row) != len(header):
            raise InputError(
                f"{file}, line {line}: {len(row)} fields where the header has {len(header)} ({','.join(header)})"
            )
        for name, field in zip(header, row, strict=True):
            if name != "path":
                wrong = _wrong_number(name, field)
                if wrong:
                    raise InputError(f"{file}, line {line}, column '{name}': {wrong}")
                continue
            label = field.strip()
            if label != last and label in ended:
                raise InputError(
                    f"{file}, line {line}: path '{label}' ended in line {ended[label]} already: "
                    "put the points of a path together"
                )
            last = label
            ended[label] = line


def _wrong_number(name: str, field: str) -> str:
    """What is wrong with a field of the column `name`; empty where nothing is."""
    try:
        value = float(field)
    except ValueError:
        return f"'{field.strip()[:40]}' is not a number"
    if abs(value) <= LARGEST_COORDINATE and (name != "radius" or value > 0):
        return ""
    if not np.isfinite(value):
        return f"{field.strip()} is not a finite number"
    if abs(value) > LARGEST_COORDINATE:
        return f"{field.strip()} is larger than {LARGEST_COORDINATE:g}"
    return f"{field.strip()} is not a positive radius"
