"""How a table is written: comments, the separator of its columns, its decimal mark, and where its rows begin.

Each is told by the file as a whole. The separator is what a line `sep=` says, else the first of semicolon, tab and
comma that stands in the header; a header without any is separated by blanks. Where columns are not separated by commas,
a comma in a number is the decimal mark.
"""

import csv
import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from io import BytesIO, TextIOWrapper
from itertools import islice
from typing import Any

from ...compute.model import LARGEST_COORDINATE
from ...compute.runtime import InputError, Sentence
from ..files import lines, quoted
from .columns import COLUMNS, Columns, columns_of
from .toolpath import Request
from .units import unit_named

SEPARATORS = (";", "\t", ",")
BLANKS = " "
NO_TABLE = Sentence("{file} is empty: it needs the header x,y,z[,radius][,path] and a line for each point")
BOM = b"\xef\xbb\xbf"
_SEPARATOR_LINE = re.compile(r"\s*\"?sep=([;,|:\t ])\"?[\s;,]*", re.IGNORECASE)
# Blanks before a unit in brackets, and in it.
_IN_UNIT = re.compile(r"\s+(?=[(\[]|[^(\[]{0,20}[)\]])")
_UNIT_COMMENT = re.compile(r"units?\s*[:=]\s*(\S+)", re.IGNORECASE)
_QUOTED = re.compile(r'"[^"]*"')
# Points with colors and normals have so many columns. Where commas separate more than four, they may be decimal marks.
_MOST_UNNAMED = 16
# A longer comment is no header.
_LONGEST_HEADER = 2000


@dataclass(frozen=True)
class Dialect:
    """How a table is written.

    Attributes:
        separator: of its columns; `BLANKS` for any number of spaces and tabs.
        columns: what they are.
        before: lines before its rows.
        comments: whether lines below that begin with # are comments: where the first column has numbers.
        notes: what was decided, for the user.
    """

    separator: str
    columns: Columns
    before: int
    comments: bool
    notes: tuple[Sentence, ...] = ()

    def rows(self, raw: bytes) -> "Rows":
        """The rows of the file with this table."""
        return Rows(raw, self)


class Rows:
    """The rows of a table as fields, blank ones and comments as no fields at all. Lines end with CR, LF or both."""

    def __init__(self, raw: bytes, dialect: Dialect) -> None:
        self._before = dialect.before
        text: Iterator[str] = islice(text_of(raw), dialect.before, None)
        if dialect.comments and b"#" in raw:
            text = ("\n" if line.lstrip().startswith("#") else line for line in text)
        if dialect.separator == BLANKS:
            text = ("\t".join(line.split()) + "\n" for line in text)
        self._reader: Any = csv.reader(
            text, strict=True, delimiter="\t" if dialect.separator == BLANKS else dialect.separator
        )

    def __iter__(self) -> Iterator[list[str]]:
        return (row if any(map(str.strip, row)) else [] for row in self._reader)

    @property
    def line_num(self) -> int:
        """The line in which the last row ends, from 1."""
        return self._before + int(self._reader.line_num)


class Numbers:
    """The numbers of a table. Whether the comma is their decimal mark holds for all of them."""

    def __init__(self, request: Request, may_have_commas: bool) -> None:
        self.request = request
        self.may_have_commas = may_have_commas
        self.comma_line = self.point_line = 0

    def value(self, field: str, name: str, line: int) -> float:
        """The number of a field.

        Raises:
            InputError: it is none, it is out of range, or its decimal mark is not that of the others.
        """
        text = field
        if self.may_have_commas and ("," in field or "." in field):
            text = self._with_point(field, name, line)
        try:
            value = float(text)
        except ValueError:
            value = math.nan
        # Written so that NaN fails.
        if not -LARGEST_COORDINATE <= value <= LARGEST_COORDINATE or (value < 0 and name == "radius"):
            raise self._error(name, line, _wrong_number(field, text))
        return value

    def _with_point(self, field: str, name: str, line: int) -> str:
        """The field with a point as its decimal mark."""
        if "," in field:
            self.comma_line = self.comma_line or line
        if "." in field:
            self.point_line = self.point_line or line
        if self.comma_line and self.point_line:
            fault = Sentence(
                "'{text}' has another decimal mark than line {other}, or marks thousands: write all numbers with one "
                "mark and no other",
                text=quoted(field.strip()),
                other=self.point_line if "," in field else self.comma_line,
            )
            raise self._error(name, line, fault)
        return field.replace(",", ".", 1)

    def _error(self, name: str, line: int, fault: Sentence) -> InputError:
        return InputError(
            "{file}, line {line}, column '{name}': {fault}",
            file=self.request.file,
            line=line,
            name=name,
            fault=fault,
        )


def text_of(raw: bytes) -> TextIOWrapper:
    """The text of a file."""
    return TextIOWrapper(BytesIO(raw), "utf-8-sig", newline=None)


def dialect_of(raw: bytes, request: Request) -> Dialect:
    """How a table is written, from its first lines. The header may be in a comment before the first row, the last that
    can be one.

    Without names, three columns of a .txt or .xyz file are x, y and z, and the fourth of four is the radius. Of more,
    only the first three are read, because the others may be normals or colors. This is noted.

    Raises:
        InputError: the first line is no header, or its columns are not those of a toolpath.
        UnicodeDecodeError: it is not UTF-8.
    """
    separator, comments = "", list[tuple[int, str]]()
    number, first = 0, ""
    for number, line in lines(raw.removeprefix(BOM)):
        text = line.decode("utf-8")
        said = None if separator else _SEPARATOR_LINE.fullmatch(text)
        if said and not first.strip():
            separator = said[1]
        elif text.lstrip().startswith("#"):
            comments.append((number, text.lstrip().lstrip("#").strip()))
        elif text.strip():
            first = text
            break
    if not first:
        raise InputError(NO_TABLE, file=request.file)
    separator, fields = _fields(first, separator, request, number)
    if not _are_numbers(fields):
        columns = _in_unit_of(comments, columns_of(request, fields, number))
        return Dialect(separator, columns, number, columns.names[0] in COLUMNS[:4])
    for line_number, comment in reversed(comments):
        names = _names_in(comment, len(fields))
        if names:
            columns = _in_unit_of(comments, columns_of(request, names, line_number))
            return Dialect(separator, columns, number - 1, True)
    width = len(fields)
    if request.file.suffix.lower() == ".csv" or not 3 <= width <= (4 if separator == "," else _MOST_UNNAMED):
        columns = columns_of(request, fields, number)  # raises
    known = width if width <= 4 else 3
    names = [*COLUMNS[:known], *[""] * (width - known)]
    note = Sentence(
        "{file} does not name its columns: they were taken as {names}",
        file=request.file,
        names=", ".join(name for name in names if name),
    )
    notes = [note]
    if known < width:
        template = Sentence(
            "{file}: the columns after the third were ignored; where one is the radius, name the columns"
        )
        notes.append(Sentence(template, file=request.file))
    columns = _in_unit_of(comments, Columns(tuple(names), {}))
    return Dialect(separator, columns, number - 1, True, tuple(notes))


def _in_unit_of(comments: Sequence[tuple[int, str]], columns: Columns) -> Columns:
    """The columns in the unit that a comment such as "units: mm" says, where they say none themselves."""
    for _, comment in comments:
        said = _UNIT_COMMENT.fullmatch(comment) if len(comment) <= _LONGEST_HEADER else None
        unit = unit_named(said[1]) if said else None
        if unit is not None:
            return replace(columns, units={"x": unit} | columns.units)
    return columns


def _fields(line: str, separator: str, request: Request, number: int) -> tuple[str, list[str]]:
    """The separator, and the fields of the first line that is no comment."""
    bare = _QUOTED.sub("", line)
    separators = [separator] if separator else [*(each for each in SEPARATORS if each in bare), BLANKS]
    try:
        # Of numbers alone, the comma may be the decimal mark.
        separator = next((each for each in separators if _are_numbers(_split(line, each))), separators[0])
        return separator, _split(line, separator)
    except csv.Error as error:
        raise InputError(
            "{file}, line {line} cannot be read as a table: {error}", file=request.file, line=number, error=error
        ) from None


def _split(line: str, separator: str) -> list[str]:
    if separator == BLANKS:
        # A unit in brackets may stand apart from its name.
        return _IN_UNIT.sub("", line).split()
    return [field.strip() for field in next(csv.reader([line], strict=True, delimiter=separator), [])]


def _names_in(comment: str, count: int) -> list[str]:
    """The names of `count` columns in a comment, if it has them."""
    if len(comment) > _LONGEST_HEADER:
        return []
    for separator in (*SEPARATORS, BLANKS):
        names = [name.strip() for name in comment.split(separator)] if separator != BLANKS else _split(comment, BLANKS)
        if len(names) == count and {"x", "y", "z"} <= {re.split(r"[^a-z]", name.lower())[0] for name in names}:
            return names
    return []


def _are_numbers(fields: Sequence[str]) -> bool:
    """Whether all fields are numbers, and there is one; a comma may be their decimal mark."""
    try:
        return bool([float(field.replace(",", ".")) for field in fields if field.strip()])
    except ValueError:
        return False


def _wrong_number(field: str, number: str) -> Sentence:
    """What is wrong with a field, whose number is the text `number`."""
    text = field.strip()
    try:
        value = float(number)
    except ValueError:
        return Sentence("'{text}' is not a number", text=quoted(text))
    if not math.isfinite(value):
        return Sentence("{text} is not a finite number", text=quoted(text))
    if abs(value) > LARGEST_COORDINATE:
        return Sentence("{text} is larger than {largest:g}", text=quoted(text), largest=LARGEST_COORDINATE)
    return Sentence("{text} is not a positive radius", text=quoted(text))
