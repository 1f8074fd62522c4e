"""Toolpaths as tables: a header that names x, y, z and perhaps radius and path, then one point per line."""

import csv
import sys
from array import array
from typing import Any

import numpy as np
import numpy.typing as npt

from ...compute.model import LARGEST_COORDINATE, Path
from ...compute.runtime import InputError, Sentence, SentenceByDoor
from ..files import as_utf8, has_long_line, is_marked, quoted, windows_as_utf8
from .columns import COLUMNS
from .dialect import BLANKS, NO_TABLE, SEPARATORS, Dialect, Numbers, dialect_of, text_of
from .toolpath import NoRadiusError, Request, Toolpath

NOT_TEXT = Sentence("is not a text file: export the toolpath as comma separated values in UTF-8")
NO_RADIUS_COLUMN = SentenceByDoor(
    "{file} has no column 'radius': add one, or give a radius",
    command_line="{file} has no column 'radius': add one, or give the radius with --radius",
)
# Measured: memory per row, per label without its text, per path with its name, and per field and byte of a single row
# as long as the file.
BYTES_PER_ROW, BYTES_PER_LABEL, BYTES_PER_PATH, BYTES_PER_FIELD, BYTES_PER_BYTE = 110, 250, 750, 110, 8
# Of a text in another encoding: its characters, and its bytes in UTF-8.
BYTES_PER_ENCODED_BYTE = 7
# In a text with an emoji.
BYTES_PER_CHARACTER = 4
# Fewer lines are read soon enough one by one.
MANY_LINES = 1000

# Columns of numbers by name; for each run of rows with the same `path` its label and first row; whether numbers have
# decimal commas.
Table = tuple[dict[str, "array[float]"] | dict[str, npt.NDArray[np.float64]], list[tuple[str, int]], bool]


def read_table(raw: bytes, request: Request) -> Toolpath:
    """The polylines of a table: see `dialect.py` for how it may be written, and `columns.py` for its columns.

    The columns may be in any order. `radius` (a column) is the radius at each point. Consecutive rows with the same
    value in `path` make one polyline, and a value must not return later; without that column the file is one polyline.
    A polyline of one point is a ball, and balls that follow each other are one `Path`.

    The text is in UTF-8, or in UTF-16 or UTF-32 with a byte order mark. Any other is taken as Windows-1252, and a note
    says so.

    Raises:
        NoRadiusError: neither the file nor the caller has a radius.
        InputError: it is not such a table; the message names the file, line and column.
        TooLargeError: it takes too much memory.
    """
    room = BYTES_PER_ENCODED_BYTE * len(raw)
    if is_marked(raw):
        request.room.check(room, "its characters")
    try:
        try:
            return _read(as_utf8(raw), request)
        except UnicodeDecodeError:
            request.room.check(room, "its characters")
            text = windows_as_utf8(raw)
        note = Sentence("{file} is not in UTF-8: it was read as Windows-1252", file=request.file)
        found = _read(text, request)
        return Toolpath(found, (note, *found.notes))
    except UnicodeDecodeError:
        raise InputError("{file} {fault}", file=request.file, fault=NOT_TEXT) from None


def _read(raw: bytes, request: Request) -> Toolpath:
    """As `read_table`, of a text in UTF-8. Raises UnicodeDecodeError if it is none."""
    file, room = request.file, request.room
    if b"\0" in raw:
        raise InputError("{file} {fault}", file=file, fault=NOT_TEXT)
    if raw.isspace():
        raise InputError(NO_TABLE, file=file)
    count = max(raw.count(b"\n"), raw.count(b"\r")) + 1
    room.check(BYTES_PER_ROW * count, f"its {count} lines")
    if b'"' in raw or has_long_line(raw):
        count = (max(raw.count(each.encode()) for each in SEPARATORS) or raw.count(b" ")) + 1
        room.check(BYTES_PER_FIELD * count + BYTES_PER_BYTE * len(raw), f"its {count} fields")
    dialect = dialect_of(raw, request)
    if "radius" not in dialect.columns.names and request.radius is None:
        raise NoRadiusError(NO_RADIUS_COLUMN, file=file)
    columns, runs, decimal_comma = _plain_columns(raw, dialect) or _table(raw, dialect, request)
    spans = _spans([start for _, start in runs], len(columns["x"]))
    labels = sum(BYTES_PER_LABEL + sys.getsizeof(label) for label, _ in runs)
    paths = (BYTES_PER_PATH + BYTES_PER_CHARACTER * len(str(file))) * len(spans)
    room.check(labels + paths, f"its {len(spans)} paths")
    points = np.column_stack([_scaled(columns, name, dialect, request) for name in "xyz"])
    radii = (
        _scaled(columns, "radius", dialect, request) if "radius" in columns else np.full(len(points), request.radius)
    )
    if len(points) == 0:
        raise InputError("{file} has no points: give at least one line under the header", file=file)
    notes = [*dialect.columns.notes(request), *dialect.notes]
    if decimal_comma:
        notes.append(Sentence("{file}: commas in its numbers were read as decimal marks", file=file))
    if "path" not in dialect.columns.names:
        return Toolpath([Path(points, radii, name=str(file), joined=len(points) > 1)], notes)
    return Toolpath(
        (
            Path(points[rows], radii[rows], name=f"{file}, path {quoted(runs[run][0])}", joined=joined)
            for run, rows, joined in spans
        ),
        notes,
    )


def _scaled(columns: dict[str, Any], name: str, dialect: Dialect, request: Request) -> npt.NDArray[np.float64]:
    """A column of numbers, in the unit of the result."""
    scale = request.scale(dialect.columns.unit(name))
    return np.asarray(columns[name]) if scale == 1 else np.asarray(columns[name]) * scale


def _plain_columns(raw: bytes, dialect: Dialect) -> Table | None:
    """The table, read by numpy: of a million lines in a third of the time. None if `_table` has to read it: it knows
    labels, quotes, comments and lines that end with CR alone, and names the line of a fault.
    """
    # More separators than in the header: there are lines with numbers. numpy takes U+001C to U+001F for spaces.
    separator = None if dialect.separator == BLANKS else dialect.separator
    many = min(raw.count(b"\n"), raw.count(separator.encode()) if separator else MANY_LINES)
    names = dialect.columns.names
    if many < MANY_LINES or not set(names) <= set(COLUMNS[:4]) or has_long_line(raw):
        return None
    if any(byte in raw for byte in b'"#\x1c\x1d\x1e\x1f'):
        return None
    decimal_comma = separator != "," and b"," in raw
    if decimal_comma:
        if b"." in raw:
            return None
        raw = raw.replace(b",", b".")
    try:
        table = np.loadtxt(text_of(raw), delimiter=separator, skiprows=dialect.before, comments=None, ndmin=2)
    except ValueError:
        return None
    columns = dict(zip(names, table.T, strict=True)) if table.shape[1] == len(names) else {}
    # Written so that NaN fails.
    right = (
        -LARGEST_COORDINATE <= column.min() <= column.max() <= LARGEST_COORDINATE
        and (name != "radius" or column.min() >= 0)
        for name, column in columns.items()
    )
    return (columns, [], decimal_comma) if columns and all(right) else None


def _table(raw: bytes, dialect: Dialect, request: Request) -> Table:
    """The table, row by row.

    Raises:
        InputError: a row does not fit the table.
        TooLargeError: the labels of paths would take too much memory.
    """
    rows, names = dialect.rows(raw), dialect.columns.names
    numbers = Numbers(request, may_have_commas=b"," in raw and (dialect.separator != "," or b'"' in raw))
    columns = {name: array("d") for name in names if name in COLUMNS[:4]}
    fields = [(names.index(name), name, column.append) for name, column in columns.items()]
    place = names.index("path") if "path" in names else -1
    labels = _Labels(request)
    try:
        for row in rows:
            if len(row) != len(names):
                if len(row) <= 1 and not "".join(row).strip():
                    continue
                fault = Sentence("{file}, line {line}: {count} fields where the header has {expected} ({header})")
                if len(row) == 1:
                    fault = Sentence("{file}, line {line}: one field where the header has {expected} ({header})")
                raise InputError(
                    fault,
                    file=request.file,
                    line=rows.line_num,
                    count=len(row),
                    expected=len(names),
                    header=",".join(name or "..." for name in names[:8]),
                )
            for number, name, append in fields:
                append(numbers.value(row[number], name, rows.line_num))
            if place >= 0:
                labels.add(row[place].strip(), len(columns["x"]) - 1, rows.line_num)
    except csv.Error as error:
        raise InputError(
            "{file}, line {line} cannot be read as a table: {error}",
            file=request.file,
            line=rows.line_num,
            error=error,
        ) from None
    return columns, labels.runs, numbers.comma_line > 0


class _Labels:
    """The labels in the column `path`: `runs` has each run of equal ones, with its first row."""

    def __init__(self, request: Request) -> None:
        self.request = request
        self.runs: list[tuple[str, int]] = []
        self._ended: dict[str, int] = {}
        self._last: str | None = None
        self._line = self._bytes = 0

    def add(self, label: str, row: int, line: int) -> None:
        """Take the label of the next row.

        Raises:
            InputError: its path ended before.
            TooLargeError: the labels take too much memory.
        """
        if label != self._last:
            if self._last is not None:
                self._ended[self._last] = self._line
            if label in self._ended:
                raise InputError(
                    "{file}, line {line}: path '{label}' ended in line {last} already: put the points "
                    "of a path together",
                    file=self.request.file,
                    line=line,
                    label=quoted(label),
                    last=self._ended[label],
                )
            self.runs.append((label, row))
            text = sys.getsizeof(label)
            self._bytes += BYTES_PER_LABEL + text
            # The next row may be as long: in its line, in its field, and twice while the line is read.
            self.request.room.check(self._bytes + 4 * text, f"the labels of its first {len(self.runs)} paths")
            self._last = label
        self._line = line


def _spans(starts: list[int], count: int) -> list[tuple[int, slice, bool]]:
    """For each path its first run, its rows, and whether they are joined, from the first row of each run."""
    limits = np.array([*starts, count])
    single = np.diff(limits) == 1
    follows = np.zeros(len(starts), dtype=bool)
    follows[1:] = single[1:] & single[:-1]
    begins = np.flatnonzero(~follows)
    rows = map(slice, limits[begins], np.append(limits[begins], count)[1:])
    return list(zip(begins.tolist(), rows, ~single[begins], strict=True))
