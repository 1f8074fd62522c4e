"""Binary .stl meshes, written block by block: beside the mesh itself, writing takes no memory to speak of."""

import struct
from collections.abc import Sequence
from typing import Any, BinaryIO

import numpy as np
import numpy.typing as npt

TRIANGLES_PER_BLOCK = 1 << 14
HEADER = bytes(80)
ROW = np.dtype([("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("attribute", "<u2")])


def write_stl(file: BinaryIO, meshes: Sequence[tuple[npt.NDArray[Any], npt.NDArray[Any]]]) -> None:
    """The triangles of all (points, triangles) as one mesh, coordinates as float32.

    A normal has length 1, or 0 where float32 leaves the triangle no area.
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
