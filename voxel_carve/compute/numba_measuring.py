"""Volume of a surface and whether it is closed, compiled by numba: see `measuring`."""

import numba
import numpy as np

from .mesh import Surface
from .numba_kernels import inlined, parallel, runs
from .progress import steps

FACES_PER_BLOCK = 1 << 14
BLOCKS_PER_RUN = 64

SHIFT_32 = np.uint64(32)


@inlined
def determinant(a, b, c):  # type: ignore[no-untyped-def]
    """Six times the volume of the tetrahedron of the origin and three points."""
    return a[0] * (b[1] * c[2] - b[2] * c[1]) + a[1] * (b[2] * c[0] - b[0] * c[2]) + a[2] * (b[0] * c[1] - b[1] * c[0])


@inlined
def mix(key):  # type: ignore[no-untyped-def]
    """See `mesh.mix`."""
    key = (key ^ key >> np.uint64(30)) * np.uint64(0xBF58476D1CE4E5B9)
    key = (key ^ key >> np.uint64(27)) * np.uint64(0x94D049BB133111EB)
    return key ^ key >> np.uint64(31)


@parallel
def block_sums(points, faces, centre, block):  # type: ignore[no-untyped-def]
    """For each block of faces: six times their volume to the centre, and the sum of their directed edges' numbers."""
    blocks, sides = (len(faces) + block - 1) // block, faces.shape[1]
    volume = np.zeros(blocks)
    balance = np.zeros(blocks, dtype=np.uint64)
    for k in numba.prange(blocks):
        corner = np.empty((4, 3))
        for f in range(k * block, min((k + 1) * block, len(faces))):
            for i in range(sides):
                here, there = faces[f, i], faces[f, (i + 1) % sides]
                for axis in range(3):
                    corner[i, axis] = points[here, axis] - centre[axis]
                number = mix(np.uint64(min(here, there)) << SHIFT_32 | np.uint64(max(here, there)))
                if here < there:
                    balance[k] += number
                else:
                    balance[k] -= number
            volume[k] += determinant(corner[0], corner[1], corner[2])
            if sides == 4:
                volume[k] += determinant(corner[0], corner[2], corner[3])
    return volume, balance


def measure(surface: Surface) -> tuple[float, bool]:
    """Volume of a surface, and whether it is closed: see `Surface.volume` and `Surface.is_closed`."""
    centre = surface.points[len(surface.points) // 2] if len(surface.points) else np.zeros(3)
    parts = [
        block_sums(surface.points, surface.faces[rows], centre, FACES_PER_BLOCK)
        for rows in steps(runs(len(surface.faces), BLOCKS_PER_RUN * FACES_PER_BLOCK))
    ]
    volume, balance = (np.concatenate(part) for part in zip(*parts, strict=True))
    return float(volume.sum() / 6), bool(balance.sum(dtype=np.uint64) == 0)
