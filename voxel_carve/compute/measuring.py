"""Volume of a surface and whether it is closed, in blocks of faces: as `Surface.volume` and `Surface.is_closed`."""

import numpy as np
import numpy.typing as npt

from .mesh import Surface, mix
from .threads import map_blocks, slices
from .triangles import cross, dot

QUADS_PER_BLOCK = 1 << 14


def measure(surface: Surface) -> tuple[float, bool]:
    """Volume of a surface by the divergence theorem, and whether each edge is run once in either direction."""
    if len(surface.faces) == 0:
        return 0.0, True
    centre = surface.points[len(surface.points) // 2]

    def sums(block: slice) -> tuple[float, int]:
        faces = np.ascontiguousarray(surface.faces[block].T)
        # A triangle is a quad whose last corner is there twice.
        quads = faces[[0, 1, 2, -1]]
        corners = (np.ascontiguousarray((surface.points.take(corner, axis=0) - centre).T) for corner in quads)
        return _volume(*corners), _balance(faces)

    # The blocks are the same for every number of threads, and so is the order of the sum.
    volumes, balances = zip(*map_blocks(sums, slices(len(surface.faces), QUADS_PER_BLOCK)), strict=True)
    return sum(volumes) / 6, sum(balances) % 2**64 == 0


def signed_volume(points: npt.NDArray[np.float64], triangles: npt.NDArray[np.integer]) -> float:
    """Volume of closed triangles (M, 3) over points (N, 3) by the divergence theorem, negative if they look inward."""
    centred = np.ascontiguousarray((points - points[len(points) // 2]).T)

    def part(block: slice) -> float:
        a, b, c = (centred.take(corner, axis=1) for corner in triangles[block].T)
        return float(dot(a, cross(b, c)).sum())

    return sum(map_blocks(part, slices(len(triangles), QUADS_PER_BLOCK))) / 6


def _volume(
    a: npt.NDArray[np.float64], b: npt.NDArray[np.float64], c: npt.NDArray[np.float64], d: npt.NDArray[np.float64]
) -> float:
    """Six times the volume between quads with corners (3, N) and the origin."""
    # That of (a, b, c) and (a, c, d).
    return float(dot(a, cross(b - d, c)).sum())


def _balance(faces: npt.NDArray[np.int32]) -> int:
    """Sum of the numbers of the directed edges of quads (4, N) or triangles (3, N): see `Surface.is_closed`."""
    total = 0
    corners = faces.astype(np.uint64)
    for i in range(len(corners)):
        here, there = corners[i], corners[(i + 1) % len(corners)]
        number = mix(np.minimum(here, there) << np.uint64(32) | np.maximum(here, there))
        total += int(np.where(here < there, number, -number).sum(dtype=np.uint64))
    return total
