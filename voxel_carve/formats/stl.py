"""Stereolithography .stl meshes, binary and text: triangles, each with its own three corners, as float32.

We do not use trimesh, which takes many times the memory of a text file to read it, and of a mesh to write it. Writing
block by block takes almost no memory.
"""

import re
import struct
from collections.abc import Sequence
from itertools import islice
from typing import Any, BinaryIO

import numpy as np
import numpy.typing as npt

from .files import Room, quoted

HEADER = bytes(80)
ROW = np.dtype([("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("attribute", "<u2")])
TRIANGLES_PER_BLOCK = 1 << 14
# Measured: the corners as read and as returned, and their indices.
BYTES_PER_TRIANGLE = 180

# A solid's name is any words up to the end of its line; some programs write everything in one line.
_NAME = rb"\b(?:end)?solid\b(?:(?!\bfacet\s+normal\b)[^\r\n])*+"
_END = re.compile(_NAME + rb"|\b(endfacet)\b", re.IGNORECASE)
# Possessive quantifiers, so that text that is no vertex is scanned only once.
_VERTEX = re.compile(_NAME + rb"|\bvertex\s++(\S++)\s++(\S++)\s++(\S++)", re.IGNORECASE)


def read_stl(raw: bytes, room: Room) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.int32]]:
    """Points (3 M, 3) and triangles (M, 3) of a file's bytes.

    Raises:
        ValueError: the file is damaged, is not an .stl, or takes too much memory.
    """
    if b"facet" in raw[:2048] and b"\0" not in raw[:2048]:
        points = _text_points(raw, room)
    else:
        begin = len(HEADER) + 4
        claimed = struct.unpack_from("<I", raw, len(HEADER))[0] if len(raw) >= begin else 0
        size = begin + ROW.itemsize * claimed
        if len(raw) < size:
            raise ValueError(
                f"its header claims {claimed} triangles, which need {size} bytes, and it has {len(raw)}: it is cut "
                "short or no STL file; export it again"
            )
        room.check(BYTES_PER_TRIANGLE * claimed, f"its {claimed} triangles")
        # Some programs append data of their own.
        points = np.frombuffer(raw, ROW, claimed, begin)["corners"].astype(np.float64).reshape(-1, 3)
    return points, np.arange(len(points), dtype=np.int32).reshape(-1, 3)


def write_stl(file: BinaryIO, meshes: Sequence[tuple[npt.NDArray[Any], npt.NDArray[Any]]]) -> None:
    """Write the triangles of all (points, triangles) as one mesh, with float32 coordinates.

    A normal has length 1, or 0 if the triangle has no area in float32.
    """
    file.write(HEADER + struct.pack("<I", sum(len(triangles) for _, triangles in meshes)))
    for points, triangles in meshes:
        for start in range(0, len(triangles), TRIANGLES_PER_BLOCK):
            block = triangles[start : start + TRIANGLES_PER_BLOCK]
            rows = np.zeros(len(block), dtype=ROW)
            rows["corners"] = points[block]
            a, b, c = np.moveaxis(rows["corners"].astype(np.float64), 1, 0)
            normal = np.cross(b - a, c - a)
            length = np.linalg.norm(normal, axis=1, keepdims=True)
            rows["normal"] = normal / np.where(length > 0, length, 1.0)
            file.write(rows.data)


def _text_points(raw: bytes, room: Room) -> npt.NDArray[np.float64]:
    claimed, last = 0, 0
    for match in _END.finditer(raw):
        if match[1]:
            claimed, last = claimed + 1, match.end()
    room.check(BYTES_PER_TRIANGLE * claimed, f"its {claimed} triangles")
    numbers = (number for match in _VERTEX.finditer(raw) if match[1] for number in match.groups())
    try:
        # Read one number more than claimed, to detect too many.
        found = np.fromiter(islice(numbers, 9 * claimed + 1), np.float64)
    except ValueError as error:
        raise ValueError(f"it is damaged ({quoted(str(error))}); export it again") from None
    if len(found) != 9 * claimed or b"endsolid" not in raw[last:].lower():
        raise ValueError(
            f"its corners are not three for each of its {claimed} triangles, or it has no end: it is cut short or "
            "damaged; export it again"
        )
    return found.reshape(-1, 3)
