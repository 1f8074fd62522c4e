"""Toolpaths as comma-separated values: the header x,y,z[,radius][,path], then one point per line."""

import csv
import difflib
import math
import sys
from array import array
from io import BytesIO, TextIOWrapper
from pathlib import Path as FilePath
from typing import Any

import numpy as np
import numpy.typing as npt

from ..compute.model import LARGEST_COORDINATE, Path
from ..compute.runtime import InputError, Sentence, SentenceByDoor
from .reading import QUOTED, Room, has_long_line, quoted, read_bytes, within_memory

COLUMNS = ("x", "y", "z", "radius", "path")
NOT_TEXT = Sentence("is not a text file: export the toolpath as comma separated values in UTF-8")
# Measured: memory per row, per label without its text, per path with its name, and per field and byte of a single row
# as long as the file.
BYTES_PER_ROW, BYTES_PER_LABEL, BYTES_PER_PATH, BYTES_PER_FIELD, BYTES_PER_BYTE = 110, 250, 750, 110, 8
# In a text with an emoji.
BYTES_PER_CHARACTER = 4
# Fewer lines are read soon enough one by one.
MANY_LINES = 1000


NO_RADIUS = SentenceByDoor(
    "{file} has no column 'radius': add one, or give a radius",
    command_line="{file} has no column 'radius': add one, or give the radius with --radius",
)


class NoRadiusError(InputError):
    """A file has no radius, and none was given."""


@within_memory
def read_path_csv(file: FilePath, radius: float | None = None, memory_limit: int | None = None) -> tuple[Path, ...]:
    """The polylines of a file, in its order.

    The columns may be in any order. `radius` (a column) is the radius at each point. Consecutive rows with the same
    value in `path` make one polyline, and a value must not return later; without that column the file is one polyline.
    A polyline of one point is a ball, and balls that follow each other are one `Path`.

    Args:
        file: a regular file.
        radius: radius of all points if the file has no such column, in the file's length unit.
        memory_limit: bytes that reading may take; None is half of the free memory.

    Raises:
        NoRadiusError: neither the file nor the caller has a radius.
        InputError: the file cannot be read, is not such a table, or takes too much memory; the message names the file,
            line and column.
    """
    raw, room = read_bytes(file, memory_limit)
    if b"\0" in raw:
        raise InputError("{file} {fault}", file=file, fault=NOT_TEXT)
    if raw.isspace():
        raise InputError(
            "{file} is empty: it needs the header x,y,z[,radius][,path] and a line for each point", file=file
        )
    rows = csv.reader(_text(raw), strict=True)
    try:
        count = max(raw.count(b"\n"), raw.count(b"\r")) + 1
        room.check(BYTES_PER_ROW * count, f"its {count} lines")
        if b'"' in raw or has_long_line(raw):
            count = raw.count(b",") + 1
            room.check(BYTES_PER_FIELD * count + BYTES_PER_BYTE * len(raw), f"its {count} fields")
        header = _header(file, next(rows, []))
        if "radius" not in header and radius is None:
            raise NoRadiusError(NO_RADIUS, file=file)
        plain = _plain_columns(raw, header)
        columns, runs, labels = (plain, [], 0) if plain else _table(file, rows, header, room)
        spans = _spans([start for _, start in runs], len(columns["x"]))
        paths = (BYTES_PER_PATH + BYTES_PER_CHARACTER * len(str(file))) * len(spans)
        room.check(labels + paths, f"its {len(spans)} paths")
    except InputError:  # a ValueError too
        raise
    except UnicodeDecodeError:
        raise InputError("{file} {fault}", file=file, fault=NOT_TEXT) from None
    except csv.Error as error:
        raise InputError(
            "{file}, line {line} cannot be read as comma separated values: {error}",
            file=file,
            line=rows.line_num,
            error=error,
        ) from None
    except ValueError as error:
        raise InputError("{file} is too large: {error}", file=file, error=error) from None
    points = np.column_stack([columns[name] for name in "xyz"])
    radii = np.asarray(columns["radius"]) if "radius" in columns else np.full(len(points), radius)
    if len(points) == 0:
        raise InputError("{file} has no points: give at least one line under the header", file=file)
    if "path" not in header:
        return (Path(points, radii, name=str(file), joined=len(points) > 1),)
    return tuple(
        Path(points[rows], radii[rows], name=f"{file}, path {quoted(runs[run][0])}", joined=joined)
        for run, rows, joined in spans
    )


def _text(raw: bytes) -> TextIOWrapper:
    """The text of a file. Lines end with CR, LF or both."""
    return TextIOWrapper(BytesIO(raw), "utf-8-sig", newline=None)


def _plain_columns(raw: bytes, header: list[str]) -> dict[str, npt.NDArray[np.float64]] | None:
    """The columns of numbers by name, read by numpy: of a million lines in a third of the time. None if `_table` has to
    read them: it knows labels, quotes and lines that end with CR alone, and names the line of a fault.
    """
    # More commas than in the header: there are lines with numbers. numpy takes U+001C to U+001F for spaces.
    if min(raw.count(b"\n"), raw.count(b",")) < MANY_LINES or "path" in header or has_long_line(raw):
        return None
    if any(byte in raw for byte in b'"\x1c\x1d\x1e\x1f'):
        return None
    try:
        table = np.loadtxt(_text(raw), delimiter=",", skiprows=1, comments=None, ndmin=2)
    except ValueError:
        return None
    columns = dict(zip(header, table.T, strict=True)) if table.shape[1] == len(header) else {}
    # Written so that NaN fails.
    right = (
        -LARGEST_COORDINATE <= column.min() <= column.max() <= LARGEST_COORDINATE
        and (name != "radius" or column.min() >= 0)
        for name, column in columns.items()
    )
    return columns if columns and all(right) else None


def _header(file: FilePath, row: list[str]) -> list[str]:
    header = [name.strip()[: QUOTED + 1].lower() for name in row]
    for number, name in enumerate(header, 1):
        if name in COLUMNS:
            continue
        near = difflib.get_close_matches(name, COLUMNS, n=1)
        hint = Sentence(" (did you mean '{name}'?)", name=near[0]) if near else ""
        raise InputError(
            "{file}, line 1: column {number} is '{name}'{hint}: the first line must be "
            "x,y,z[,radius][,path], separated by commas",
            file=file,
            number=number,
            name=quoted(name),
            hint=hint,
        )
    for name in COLUMNS[:3]:
        if name not in header:
            raise InputError(
                "{file}, line 1: the column '{name}' is missing: the header is x,y,z[,radius][,path]",
                file=file,
                name=name,
            )
    for name in header:
        if header.count(name) > 1:
            raise InputError("{file}, line 1: the column '{name}' stands there twice", file=file, name=name)
    return header


def _table(
    file: FilePath, rows: Any, header: list[str], room: Room
) -> tuple[dict[str, "array[float]"], list[tuple[str, int]], int]:
    """The columns of numbers by name; for each run of rows with the same `path` its label and first row; their bytes.

    Raises:
        InputError: a row does not fit the table.
        ValueError: the paths would take too much memory.
    """
    columns = {name: array("d") for name in header if name != "path"}
    fields = [(header.index(name), name, column.append) for name, column in columns.items()]
    place = header.index("path") if "path" in header else -1
    runs: list[tuple[str, int]] = []
    ended: dict[str, int] = {}
    last, line, labels = None, 0, 0
    for row in rows:
        if len(row) != len(header):
            if len(row) <= 1 and not "".join(row).strip():
                continue
            raise InputError(
                "{file}, line {line}: {count} fields where the header has {expected} ({header})",
                file=file,
                line=rows.line_num,
                count=len(row),
                expected=len(header),
                header=",".join(header),
            )
        for number, name, append in fields:
            try:
                value = float(row[number])
            except ValueError:
                value = math.nan
            # Written so that NaN fails.
            if not -LARGEST_COORDINATE <= value <= LARGEST_COORDINATE or (value < 0 and name == "radius"):
                raise InputError(
                    "{file}, line {line}, column '{name}': {fault}",
                    file=file,
                    line=rows.line_num,
                    name=name,
                    fault=_wrong_number(row[number]),
                )
            append(value)
        if place < 0:
            continue
        label = row[place].strip()
        if label != last:
            if last is not None:
                ended[last] = line
            if label in ended:
                raise InputError(
                    "{file}, line {line}: path '{label}' ended in line {last} already: put the points "
                    "of a path together",
                    file=file,
                    line=rows.line_num,
                    label=quoted(label),
                    last=ended[label],
                )
            runs.append((label, len(columns["x"]) - 1))
            text = sys.getsizeof(label)
            labels += BYTES_PER_LABEL + text
            # The next row may be as long: in its line, in its field, and twice while the line is read.
            room.check(labels + 4 * text, f"the labels of its first {len(runs)} paths")
            last = label
        line = rows.line_num
    return columns, runs, labels


def _spans(starts: list[int], count: int) -> list[tuple[int, slice, bool]]:
    """For each path its first run, its rows, and whether they are joined, from the first row of each run."""
    limits = np.array([*starts, count])
    single = np.diff(limits) == 1
    follows = np.zeros(len(starts), dtype=bool)
    follows[1:] = single[1:] & single[:-1]
    begins = np.flatnonzero(~follows)
    rows = map(slice, limits[begins], np.append(limits[begins], count)[1:])
    return list(zip(begins.tolist(), rows, ~single[begins], strict=True))


def _wrong_number(field: str) -> str:
    """What is wrong with a number field."""
    text = field.strip()
    try:
        value = float(text)
    except ValueError:
        return Sentence("'{text}' is not a number", text=quoted(text))
    if not math.isfinite(value):
        return Sentence("{text} is not a finite number", text=quoted(text))
    if abs(value) > LARGEST_COORDINATE:
        return Sentence("{text} is larger than {largest:g}", text=quoted(text), largest=LARGEST_COORDINATE)
    return Sentence("{text} is not a positive radius", text=quoted(text))
