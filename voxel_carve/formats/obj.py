"""Wavefront .obj meshes: vertices and polygons.

We do not use trimesh, which takes indices relative to the end of the list (-1) as relative to the end of the file, and
splits vertices along the seams of normals and texture coordinates.
"""

from array import array
from collections.abc import Iterable
from typing import Any, BinaryIO

import numpy as np
import numpy.typing as npt

from .files import LONG_LINE, Room, lines, quoted
from .polygons import triangulate

# Lines formatted at once.
BLOCK = 1 << 14
# Measured: memory per byte of a long line while it is split, and at most per byte of the file for all numbers.
BYTES_PER_LINE_BYTE, BYTES_PER_BYTE = 48, 8


def read_obj(raw: bytes, room: Room) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.int32]]:
    """Points (N, 3) and triangles (M, 3) of a file's bytes; polygons are split as `triangulate` does.

    Raises:
        ValueError: the file is damaged, is not an .obj, or takes too much memory.
    """
    if b"\0" in raw:
        raise ValueError("it is not a text file")
    room.check(BYTES_PER_BYTE * len(raw), "its lines")
    # Join continued lines.
    raw = raw.replace(b"\\\r\n", b" ").replace(b"\\\n", b" ").replace(b"\\\r", b" ")
    points, counts, corners = array("d"), array("q"), array("q")
    for number, line in lines(raw):
        if len(line) > LONG_LINE:
            room.check(BYTES_PER_LINE_BYTE * len(line), f"the {len(line)} characters of its line {number}")
        fields = line.split()
        if not fields or fields[0] not in (b"v", b"f"):
            continue
        try:
            if fields[0] == b"v":
                x, y, z = fields[1:4]
                points.extend((float(x), float(y), float(z)))
                continue
            found = [int(field.partition(b"/")[0]) for field in fields[1:]]
            if min(found, default=1) < 0:
                # Negative indices count back from the last vertex so far.
                found = [corner if corner >= 0 else len(points) // 3 + corner + 1 for corner in found]
            corners.extend(found)
        except (ValueError, OverflowError):
            raise ValueError(f"its line {number} is '{quoted(line)}'") from None
        if min(found, default=1) < 1:
            raise ValueError(f"its line {number} refers to a vertex that is not there")
        counts.append(len(found))
    table = np.asarray(points).reshape(-1, 3)
    indices = np.asarray(corners)
    return table, triangulate(table, np.asarray(counts), indices - 1, room)


def write_obj(
    file: BinaryIO,
    meshes: Iterable[tuple[str, npt.NDArray[Any], npt.NDArray[Any]]],
    kind: type[np.floating[Any]],
) -> None:
    """Write an object for each (name, points, triangles). Nine digits hold a float32 coordinate exactly, seventeen a
    float64."""
    file.write(b"# voxel_carve\n")
    digits = 9 if kind == np.float32 else 17
    before = 1
    for name, points, triangles in meshes:
        file.write(f"o {' '.join(name.split()) or 'mesh'}\n".encode())
        write_rows(file, f"v %.{digits}g %.{digits}g %.{digits}g\n", points, kind)
        write_rows(file, "f %d %d %d\n", triangles, np.int64, before)
        before += len(points)


def write_rows(file: BinaryIO, line: str, rows: npt.NDArray[Any], kind: type[np.generic], offset: int = 0) -> None:
    """Write a line for each row (N, 3), a block of them at a time."""
    for start in range(0, len(rows), BLOCK):
        block = rows[start : start + BLOCK].astype(kind) + offset
        file.write((line * len(block) % tuple(block.ravel().tolist())).encode("ascii"))
