"""Stanford .ply meshes, text and binary.

We do not use trimesh. It refuses binary files whose polygons differ in their number of corners, which Blender writes,
and trusts a header that claims more than a text file holds.
"""

import re
import struct
import warnings
from array import array
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, BinaryIO

import numpy as np
import numpy.typing as npt

from .files import Room, lines, quoted
from .polygons import triangulate

# The type names of Turk's description of the format (1994), and those with sizes, which most programs write.
TYPES = {
    "char": "i1", "int8": "i1", "uchar": "u1", "uint8": "u1",
    "short": "i2", "int16": "i2", "ushort": "u2", "uint16": "u2",
    "int": "i4", "int32": "i4", "uint": "u4", "uint32": "u4",
    "float": "f4", "float32": "f4", "double": "f8", "float64": "f8",
}  # fmt: skip
# Measured: memory per field of a row in a table whose rows differ in length.
BYTES_PER_FIELD = 64
# Memory per number in their lists.
BYTES_PER_VALUE = 32
# Memory per vertex with everything made from it, and per byte of a text file.
BYTES_PER_VERTEX, BYTES_PER_CHARACTER = 80, 7
# A count with more digits is invalid.
MOST_DIGITS = 19
ROWS_PER_BLOCK = 1 << 14  # written at once
ENCODINGS = {"ascii": "", "binary_little_endian": "<", "binary_big_endian": ">"}


@dataclass(frozen=True)
class Property:
    """A field of each row: one number, or if `count_type` is given, a count and that many numbers."""

    name: str
    type: str
    count_type: str | None = None


@dataclass(frozen=True)
class Element:
    """A table of the file."""

    name: str
    rows: int
    properties: tuple[Property, ...]


def read_ply(raw: bytes, room: Room) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.int32]]:
    """Points (N, 3) and triangles (M, 3) of a file's bytes; polygons are split as `triangulate` does.

    Raises:
        ValueError: the file is damaged, is not a .ply, or takes too much memory.
    """
    encoding, elements, start = _read_header(raw)
    body = _Body.of(raw, start, encoding, room)
    points: npt.NDArray[np.float64] | None = None
    polygons = _Column(np.empty(0, np.int64), np.empty(0, np.int32))
    for element in elements:
        table = body.read(element)
        if element.name == "vertex":
            points = _points(table, room)
        elif element.name == "face":
            found = table.get("vertex_indices", table.get("vertex_index"))
            if found is None:
                raise ValueError("its faces have no 'vertex_indices'")
            polygons = found
    if points is None:
        raise ValueError("it has no vertices")
    return points, triangulate(points, polygons.counts, polygons.values, room)


def write_ply(
    file: BinaryIO, meshes: Sequence[tuple[npt.NDArray[Any], npt.NDArray[Any]]], kind: type[np.floating[Any]]
) -> None:
    """Write all (points, triangles) as one mesh: binary, little endian, with coordinates float32 or float64."""
    before = np.cumsum([0, *(len(points) for points, _ in meshes)]).tolist()
    write_ply_blocks(
        file,
        before[-1],
        (points[i : i + ROWS_PER_BLOCK] for points, _ in meshes for i in range(0, len(points), ROWS_PER_BLOCK)),
        sum(len(triangles) for _, triangles in meshes),
        (
            triangles[i : i + ROWS_PER_BLOCK] + first
            for (_, triangles), first in zip(meshes, before, strict=False)
            for i in range(0, len(triangles), ROWS_PER_BLOCK)
        ),
        kind,
    )


def write_ply_blocks(
    file: BinaryIO,
    vertices: int,
    points: Iterable[npt.NDArray[Any]],
    faces: int,
    triangles: Iterable[npt.NDArray[Any]],
    kind: type[np.floating[Any]],
) -> None:
    """The same from blocks of points (N, 3) and of triangles (M, 3), of which there are so many in all."""
    name = "float" if kind == np.float32 else "double"
    header = (
        "ply\nformat binary_little_endian 1.0\n"
        f"element vertex {vertices}\n"
        f"property {name} x\nproperty {name} y\nproperty {name} z\n"
        f"element face {faces}\n"
        "property list uchar int vertex_indices\nend_header\n"
    )
    file.write(header.encode("ascii"))
    for block in points:
        file.write(np.ascontiguousarray(block, dtype="<" + TYPES[name]).data)
    for block in triangles:
        rows = np.empty(len(block), dtype=[("count", "u1"), ("indices", "<i4", 3)])
        rows["count"] = 3
        rows["indices"] = block
        file.write(rows.data)


def _read_header(raw: bytes) -> tuple[str, list[Element], int]:
    """Encoding, tables, and the offset of the data."""
    end = raw.find(b"end_header")
    start = raw.find(b"\n", end) + 1
    if not raw.startswith(b"ply") or end < 0 or start == 0:
        raise ValueError("it has no PLY header")
    encoding = ""
    tables: list[tuple[str, int, list[Property]]] = []
    for number, line in lines(raw[:end]):
        match line.decode("latin-1").split():
            case ["ply"] if number == 1:
                pass
            case ["format", name, _] if name in ENCODINGS:
                encoding = name
            case ["element", name, rows] if rows.isdecimal() and len(rows) < MOST_DIGITS:
                tables.append((name, int(rows), []))
            case ["property", "list", count_type, kind, name] if (
                tables and {count_type, kind} <= TYPES.keys() and ("f" not in TYPES[count_type])
            ):
                tables[-1][2].append(Property(name, TYPES[kind], TYPES[count_type]))
            case ["property", kind, name] if tables and kind in TYPES:
                tables[-1][2].append(Property(name, TYPES[kind]))
            case ["comment" | "obj_info", *_] | []:
                pass
            case _:
                raise ValueError(f"its header has the line '{quoted(line)}'")
    if not encoding:
        raise ValueError("its header names no format")
    return encoding, [Element(name, rows, tuple(properties)) for name, rows, properties in tables], start


@dataclass(frozen=True)
class _Column:
    """The counts (rows,) and the concatenated values (sum of counts,) of a property."""

    counts: npt.NDArray[np.int64]
    values: npt.NDArray[Any]


def _points(table: dict[str, _Column], room: Room) -> npt.NDArray[np.float64]:
    if missing := {"x", "y", "z"} - table.keys():
        raise ValueError(f"its vertices have no '{min(missing)}'")
    columns = [table[axis] for axis in "xyz"]
    count = len(columns[0].counts)
    room.check(BYTES_PER_VERTEX * count, f"its {count} vertices")
    points = np.empty((count, 3))
    for axis, column in enumerate(columns):
        if len(column.values) != len(points) or (column.counts != 1).any():
            raise ValueError(f"its vertices have lists as '{'xyz'[axis]}'")
        points[:, axis] = column.values
    return points


@dataclass
class _Body:
    """The data after the header, read from front to back.

    Attributes:
        data: bytes (uint8) of a binary file, or the numbers (float64) of a text file.
        order: "<" or ">" of a binary file, "" of a text file.
        room: the memory allowance.
        at: the index in data where the next table begins.
    """

    data: npt.NDArray[np.uint8] | npt.NDArray[np.float64]
    order: str
    room: Room
    at: int = 0

    @classmethod
    def of(cls, raw: bytes, start: int, encoding: str, room: Room) -> "_Body":
        if encoding == "ascii":
            room.check(BYTES_PER_CHARACTER * (len(raw) - start), "its numbers")
            return cls(_numbers(raw[start:]), "", room)
        return cls(np.frombuffer(raw, np.uint8, offset=start), ENCODINGS[encoding], room)

    def read(self, element: Element) -> dict[str, _Column]:
        """The columns of the next table, by name."""
        least = sum(self.size(field.count_type or field.type) for field in element.properties)
        left = len(self.data) - self.at
        if element.rows * least > left:
            raise ValueError(
                f"its header claims {element.rows} rows of '{quoted(element.name)}', more than the file has: it is cut "
                "short or damaged"
            )
        if element.rows == 0 or not element.properties:
            return {field.name: _Column(np.empty(0, np.int64), np.empty(0)) for field in element.properties}
        return self.read_even(element) or self.read_uneven(element)

    def read_even(self, element: Element) -> dict[str, _Column] | None:
        """The columns if all lists are as long as those of the first row, else None."""
        places, counts, end = self.walk(element, 1)
        width = end - self.at
        if self.at + element.rows * width > len(self.data):
            return None
        block = self.data[self.at : self.at + element.rows * width].reshape(element.rows, width)
        columns = {}
        for field, place, count in zip(element.properties, places, counts, strict=True):
            low = place - self.at
            if field.count_type:
                before = low - self.size(field.count_type)
                if (self.decode(block[:, before:low], field.count_type) != count).any():
                    return None
            values = self.decode(block[:, low : low + count * self.size(field.type)], field.type)
            columns[field.name] = _Column(np.broadcast_to(np.int64(count), element.rows), values)
        self.at += element.rows * width
        return columns

    def read_uneven(self, element: Element) -> dict[str, _Column]:
        """The columns, row by row."""
        width = len(element.properties)
        self.room.check(BYTES_PER_FIELD * element.rows * width, f"its {element.rows} rows of '{quoted(element.name)}'")
        found_places, found_counts, self.at = self.walk(element, element.rows)
        columns = {}
        for number, field in enumerate(element.properties):
            places, counts = np.array(found_places[number::width]), np.array(found_counts[number::width])
            self.room.check(BYTES_PER_VALUE * int(counts.sum()), f"its lists of '{quoted(field.name)}'")
            size = self.size(field.type)
            items = np.repeat(places - (np.cumsum(counts) - counts) * size, counts)
            items += np.arange(len(items)) * size
            columns[field.name] = _Column(counts, self.numbers_at(items, field.type))
        return columns

    def walk(self, element: Element, rows: int) -> tuple["array[int]", "array[int]", int]:
        """Index in data and count of each property of each of the next rows, row by row, and where the rows end."""
        view = self.data.data
        plan = []
        for field in element.properties:
            code = struct.Struct(self.order + np.dtype(field.count_type).char) if field.count_type else None
            plan.append((code, self.size(field.count_type or field.type), self.size(field.type)))
        places, counts, at, end = array("q"), array("q"), self.at, len(view)
        for _ in range(rows):
            for code, first, size in plan:
                count = 1
                if code:
                    found = -1
                    if at + first <= end:
                        found = code.unpack_from(view, at)[0] if self.order else view[at]
                    # A text file may have any number there.
                    if not 0 <= found <= end or (count := int(found)) != found:
                        raise ValueError(f"its table '{quoted(element.name)}' is cut short or damaged")
                    at += first
                places.append(at)
                counts.append(count)
                at += count * size
        if at > end:
            raise ValueError(f"its table '{quoted(element.name)}' is cut short or damaged")
        return places, counts, at

    def size(self, kind: str) -> int:
        """The number of items of data that a number takes."""
        return int(kind[1]) if self.order else 1

    def decode(self, items: npt.NDArray[Any], kind: str) -> npt.NDArray[Any]:
        """Items of data as a flat array of numbers."""
        return np.ascontiguousarray(items).view(self.order + kind).ravel() if self.order else items.ravel()

    def numbers_at(self, items: npt.NDArray[np.int64], kind: str) -> npt.NDArray[Any]:
        """The numbers that begin at items of data."""
        if not self.order or not len(items):
            return self.data[items]
        # A view of overlapping numbers, one at every byte, because they need not be aligned.
        places = len(self.data) - self.size(kind) + 1
        overlapping = np.ndarray((places,), self.order + kind, self.data.data, strides=(1,))
        return overlapping[items]


def _numbers(text: bytes) -> npt.NDArray[np.float64]:
    """Numbers separated by white space.

    Raises:
        ValueError: one of the words is not a number.
    """
    if not text.strip():
        return np.empty(0)
    with warnings.catch_warnings():
        # A warning to older versions of numpy, an error to newer ones.
        warnings.filterwarnings("error", "string or file could not be read", DeprecationWarning)
        try:
            return np.fromstring(text, sep=" ")
        except (DeprecationWarning, ValueError):
            word = next((word.group() for word in re.finditer(rb"\S+", text) if not _is_number(word.group())), b"")
            raise ValueError(f"it has '{quoted(word)}' where a number should be") from None


def _is_number(word: bytes) -> bool:
    try:
        float(word)
    except ValueError:
        return False
    return True
