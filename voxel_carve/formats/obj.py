"""Wavefront .obj meshes: vertices and polygons.

Read here and not by trimesh, which takes indices relative to the end of the list (-1) as relative to the end of the
file, and splits vertices along the seams of normals and texture coordinates.
"""

from collections.abc import Iterable
from itertools import pairwise
from typing import Any, BinaryIO

import numpy as np
import numpy.typing as npt

# How many lines are put together at once.
BLOCK = 1 << 14


def read_obj(raw: bytes) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.int64]]:
    """Points (N, 3) and triangles (M, 3) of a file's bytes; a polygon is a fan about its first corner.

    Raises:
        ValueError: the file is damaged, or is no such file.
    """
    if b"\0" in raw:
        raise ValueError("it is not a text file")
    points: list[tuple[float, float, float]] = []
    triangles: list[tuple[int, int, int]] = []
    text = raw.decode("latin-1").replace("\\\r\n", " ").replace("\\\n", " ")
    for number, line in enumerate(text.splitlines(), 1):
        fields = line.split()
        if not fields or fields[0] not in ("v", "f"):
            continue
        try:
            if fields[0] == "v":
                x, y, z = fields[1:4]
                points.append((float(x), float(y), float(z)))
                continue
            corners = [int(field.partition("/")[0]) for field in fields[1:]]
        except ValueError:
            raise ValueError(f"its line {number} is '{line[:60]}'") from None
        # Indices count from 1; negative ones back from the last vertex so far.
        corners = [corner - 1 if corner >= 0 else len(points) + corner for corner in corners]
        if min(corners, default=0) < 0:
            raise ValueError(f"its line {number} refers to a vertex that is not there")
        triangles.extend((corners[0], b, c) for b, c in pairwise(corners[1:]))
    return np.array(points, np.float64).reshape(-1, 3), np.array(triangles, np.int64).reshape(-1, 3)


def write_obj(
    file: BinaryIO,
    meshes: Iterable[tuple[str, npt.NDArray[Any], npt.NDArray[Any]]],
) -> None:
    """An object for each (name, points, triangles); nine digits hold a float32 exactly."""
    file.write(b"# voxel_carve\n")
    before = 1
    for name, points, triangles in meshes:
        file.write(f"o {' '.join(name.split()) or 'mesh'}\n".encode())
        _write_rows(file, "v %.9g %.9g %.9g\n", points, np.float32)
        _write_rows(file, "f %d %d %d\n", triangles, np.int64, before)
        before += len(points)


def _write_rows(file: BinaryIO, line: str, rows: npt.NDArray[Any], kind: type[np.generic], offset: int = 0) -> None:
    for start in range(0, len(rows), BLOCK):
        block = rows[start : start + BLOCK].astype(kind) + offset
        file.write((line * len(block) % tuple(block.ravel().tolist())).encode("ascii"))
