"""Stanford .ply meshes, text and binary.

Read here and not by trimesh, which refuses binary files whose polygons differ in their number of corners, as Blender
writes them, and believes a header that claims more than a text file holds.
"""

import struct
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, BinaryIO

import numpy as np
import numpy.typing as npt

# As in Turk's description of the format (1994), and the names with sizes that most programs write.
TYPES = {
    "char": "i1", "int8": "i1", "uchar": "u1", "uint8": "u1",
    "short": "i2", "int16": "i2", "ushort": "u2", "uint16": "u2",
    "int": "i4", "int32": "i4", "uint": "u4", "uint32": "u4",
    "float": "f4", "float32": "f4", "double": "f8", "float64": "f8",
}  # fmt: skip
ROWS_PER_BLOCK = 1 << 14  # that are written at once
ENCODINGS = {"ascii": "", "binary_little_endian": "<", "binary_big_endian": ">"}


@dataclass(frozen=True)
class Property:
    """A field of each row: one number, or where `count_type` is given a count and as many numbers."""

    name: str
    type: str
    count_type: str | None = None


@dataclass(frozen=True)
class Element:
    """A table of the file."""

    name: str
    rows: int
    properties: tuple[Property, ...]


def read_ply(raw: bytes) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.int64]]:
    """Points (N, 3) and triangles (M, 3) of a file's bytes.

    Raises:
        ValueError: the file is damaged, or is no such file.
    """
    encoding, elements, start = _read_header(raw)
    body = _Body.of(raw, start, encoding)
    points: npt.NDArray[np.float64] | None = None
    triangles = np.empty((0, 3), np.int64)
    for element in elements:
        table = body.read(element)
        if element.name == "vertex":
            if missing := {"x", "y", "z"} - table.keys():
                raise ValueError(f"its vertices have no '{min(missing)}'")
            points = np.column_stack([table[axis].values for axis in "xyz"]).astype(np.float64)
        elif element.name == "face":
            corners = table.get("vertex_indices", table.get("vertex_index"))
            if corners is None:
                raise ValueError("its faces have no 'vertex_indices'")
            triangles = _fans(corners)
    if points is None:
        raise ValueError("it has no vertices")
    return points, triangles


def write_ply(file: BinaryIO, meshes: Sequence[tuple[npt.NDArray[Any], npt.NDArray[Any]]]) -> None:
    """All (points, triangles) as one mesh: binary, little endian, coordinates as float32."""
    header = (
        "ply\nformat binary_little_endian 1.0\n"
        f"element vertex {sum(len(points) for points, _ in meshes)}\n"
        "property float x\nproperty float y\nproperty float z\n"
        f"element face {sum(len(triangles) for _, triangles in meshes)}\n"
        "property list uchar int vertex_indices\nend_header\n"
    )
    file.write(header.encode("ascii"))
    for points, _ in meshes:
        for start in range(0, len(points), ROWS_PER_BLOCK):
            file.write(np.ascontiguousarray(points[start : start + ROWS_PER_BLOCK], dtype="<f4").data)
    before = 0
    for points, triangles in meshes:
        for start in range(0, len(triangles), ROWS_PER_BLOCK):
            block = triangles[start : start + ROWS_PER_BLOCK]
            rows = np.empty(len(block), dtype=[("count", "u1"), ("indices", "<i4", 3)])
            rows["count"] = 3
            rows["indices"] = block
            rows["indices"] += before
            file.write(rows.data)
        before += len(points)


def _read_header(raw: bytes) -> tuple[str, list[Element], int]:
    """Encoding, tables, and where the data begins."""
    end = raw.find(b"end_header")
    start = raw.find(b"\n", end) + 1
    if not raw.startswith(b"ply") or end < 0 or start == 0:
        raise ValueError("it has no PLY header")
    encoding = ""
    tables: list[tuple[str, int, list[Property]]] = []
    for line in raw[:end].decode("latin-1").splitlines()[1:]:
        match line.split():
            case ["format", name, _] if name in ENCODINGS:
                encoding = name
            case ["element", name, rows] if rows.isdecimal():
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
                raise ValueError(f"its header has the line '{line[:60]}'")
    if not encoding:
        raise ValueError("its header names no format")
    return encoding, [Element(name, rows, tuple(properties)) for name, rows, properties in tables], start


@dataclass(frozen=True)
class _Column:
    """Counts (rows,) and values (sum of counts,) of a property, one row after the other."""

    counts: npt.NDArray[np.int64]
    values: npt.NDArray[Any]


def _fans(polygons: _Column) -> npt.NDArray[np.int64]:
    """(T, 3): each polygon as a fan about its first corner, in order."""
    starts = np.cumsum(polygons.counts) - polygons.counts
    fans = np.maximum(polygons.counts - 2, 0)
    first = np.repeat(starts, fans)
    step = np.arange(fans.sum()) - np.repeat(np.cumsum(fans) - fans, fans)
    corners: npt.NDArray[np.int64] = polygons.values.astype(np.int64)
    triangles: npt.NDArray[np.int64] = corners[np.stack([first, first + step + 1, first + step + 2], axis=1)]
    return triangles


@dataclass
class _Body:
    """The data after the header, read from front to back.

    Attributes:
        data: bytes (uint8) of a binary file, or the numbers (float64) of a text file.
        order: "<" or ">" of a binary file, "" of a text file.
        at: where in data the next table begins.
    """

    data: npt.NDArray[np.uint8] | npt.NDArray[np.float64]
    order: str
    at: int = 0

    @classmethod
    def of(cls, raw: bytes, start: int, encoding: str) -> "_Body":
        if encoding == "ascii":
            return cls(np.array(raw[start:].split(), dtype=np.bytes_).astype(np.float64), "")
        return cls(np.frombuffer(raw, np.uint8, offset=start), ENCODINGS[encoding])

    def read(self, element: Element) -> dict[str, _Column]:
        """The columns of the next table, by name."""
        least = sum(self.size(field.count_type or field.type) for field in element.properties)
        left = len(self.data) - self.at
        if element.rows * least > left:
            raise ValueError(
                f"its header claims {element.rows} rows of '{element.name}', more than the file has: it is cut short "
                "or damaged"
            )
        if element.rows == 0 or not element.properties:
            return {field.name: _Column(np.empty(0, np.int64), np.empty(0)) for field in element.properties}
        return self.read_even(element) or self.read_uneven(element)

    def read_even(self, element: Element) -> dict[str, _Column] | None:
        """The columns where all lists are as long as those of the first row, else None."""
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
            columns[field.name] = _Column(np.full(element.rows, count), values)
        self.at += element.rows * width
        return columns

    def read_uneven(self, element: Element) -> dict[str, _Column]:
        """The columns, row by row."""
        found_places, found_counts, self.at = self.walk(element, element.rows)
        width = len(element.properties)
        columns = {}
        for number, field in enumerate(element.properties):
            places, counts = np.array(found_places[number::width]), np.array(found_counts[number::width])
            size = self.size(field.type)
            step = np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)
            items = (np.repeat(places, counts) + step * size)[:, None] + np.arange(size)
            columns[field.name] = _Column(counts, self.decode(self.data[items], field.type))
        return columns

    def walk(self, element: Element, rows: int) -> tuple[list[int], list[int], int]:
        """Place in data and count of each property of each of the next rows, one row after the other, and their end."""
        view = self.data.data
        plan = []
        for field in element.properties:
            code = struct.Struct(self.order + np.dtype(field.count_type).char) if field.count_type else None
            plan.append((code, self.size(field.count_type or field.type), self.size(field.type)))
        places, counts, at = [], [], self.at
        for _ in range(rows):
            for code, first, size in plan:
                count = 1
                if code:
                    if at + first > len(view):
                        break
                    count = code.unpack_from(view, at)[0] if self.order else int(view[at])
                    at += first
                places.append(at)
                counts.append(count)
                at += count * size
        if at > len(view) or len(places) < rows * len(plan) or min(counts) < 0:
            raise ValueError(f"its table '{element.name}' is cut short or damaged")
        return places, counts, at

    def size(self, kind: str) -> int:
        """How many items of data a number takes."""
        return int(kind[1]) if self.order else 1

    def decode(self, items: npt.NDArray[Any], kind: str) -> npt.NDArray[Any]:
        """Items of data as a flat array of numbers."""
        return np.ascontiguousarray(items).view(self.order + kind).ravel() if self.order else items.ravel()
