"""Kernels for the volume of a surface or a part of one, and for whether it is closed. See `model.mesh`."""

import numpy as np
import numpy.typing as npt

from ....model import mesh
from ....model.bricks import BLOCKS_ACROSS
from ....model.grid import Grid
from ....model.mesh import Source, Surface
from ....runtime.threads import in_runs
from ..compiler.decorators import kernel, subroutine

FACES_PER_RUN = 1 << 14
PATH = int(Source.PATH)

mix, of_half_edge = subroutine(mesh.mix), subroutine(mesh.of_half_edge)


@subroutine
def determinant(points, centre, a, b, c):  # type: ignore[no-untyped-def]
    """Six times the volume of the tetrahedron with corners at a centre (3,) and at points a, b and c."""
    ax, ay, az = points[a, 0] - centre[0], points[a, 1] - centre[1], points[a, 2] - centre[2]
    bx, by, bz = points[b, 0] - centre[0], points[b, 1] - centre[1], points[b, 2] - centre[2]
    cx, cy, cz = points[c, 0] - centre[0], points[c, 1] - centre[1], points[c, 2] - centre[2]
    return ax * (by * cz - bz * cy) + ay * (bz * cx - bx * cz) + az * (bx * cy - by * cx)


@kernel
def sum_faces(start, stop, points, faces, centre):  # type: ignore[no-untyped-def]
    """Six times the volume between some faces and the centre, and the sum of the numbers of their half-edges."""
    volume, balance, sides = 0.0, np.uint64(0), faces.shape[1]
    for f in range(start, stop):
        first = mix(np.uint64(faces[f, 0] + 1))
        tail = first
        for i in range(1, sides):
            head = mix(np.uint64(faces[f, i] + 1))
            balance += of_half_edge(tail, head)
            tail = head
        balance += of_half_edge(tail, first)
        volume += determinant(points, centre, faces[f, 0], faces[f, 1], faces[f, 2])
        if sides == 4:
            volume += determinant(points, centre, faces[f, 0], faces[f, 2], faces[f, 3])
    return volume, balance


@kernel
def sum_named_faces(start, stop, points, faces, centre, names):  # type: ignore[no-untyped-def]
    """As `sum_faces`, where vertices have names (V,)."""
    volume, balance = 0.0, np.uint64(0)
    for f in range(start, stop):
        first = mix(names[faces[f, 0]] + np.uint64(1))
        tail = first
        for i in range(1, 4):
            head = mix(names[faces[f, i]] + np.uint64(1))
            balance += of_half_edge(tail, head)
            tail = head
        balance += of_half_edge(tail, first)
        volume += determinant(points, centre, faces[f, 0], faces[f, 1], faces[f, 2])
        volume += determinant(points, centre, faces[f, 0], faces[f, 2], faces[f, 3])
    return volume, balance


def measure_part(
    points: npt.NDArray[np.float64],
    faces: npt.NDArray[np.int32],
    centre: npt.NDArray[np.float64],
    names: npt.NDArray[np.uint64],
) -> tuple[float, int]:
    """The volume between faces (F, 4) and a point (3,), and the sum of the numbers of their half-edges, modulo 2^64,
    from names (V,) of vertices that tell them apart."""
    parts = in_runs(sum_named_faces, len(faces), FACES_PER_RUN, points, faces, centre, names)
    return float(np.array([part[0] for part in parts]).sum() / 6), int(sum(part[1] for part in parts) % 2**64)


@kernel
def sum_in_blocks(start, stop, points, bits, faces, source, blocks, inner, low, size):  # type: ignore[no-untyped-def]
    """See `measure_in_blocks`, times six.

    Args:
        bits: the points (V, 3), as whole numbers.    blocks, inner: (Z, Y, X) see `measure_in_blocks`.
        low, size: (3,) origin of the voxels, and their size.
    """
    volume, beyond = 0.0, np.uint64(0)
    for f in range(start, stop):
        is_path = source[f] == PATH
        inside = is_path
        if not is_path:
            first = faces[f, 0]
            x = int(np.floor((points[first, 0] - low[0]) / size))
            y = int(np.floor((points[first, 1] - low[1]) / size))
            z = int(np.floor((points[first, 2] - low[2]) / size))
            x = min(max(x, 0), blocks.shape[2] * 8 - 1)
            y = min(max(y, 0), blocks.shape[1] * 8 - 1)
            z = min(max(z, 0), blocks.shape[0] * 8 - 1)
            block = np.uint64(((z >> 1 & 3) * BLOCKS_ACROSS + (y >> 1 & 3)) * BLOCKS_ACROSS + (x >> 1 & 3))
            inside = blocks[z >> 3, y >> 3, x >> 3] >> block & np.uint64(1) == np.uint64(1)
            if inside and inner[z >> 3, y >> 3, x >> 3] >> block & np.uint64(1) == np.uint64(0):
                number = np.uint64(0)
                for k in range(4):
                    for c in range(3):
                        number = mix(number ^ bits[faces[f, k], c])
                beyond += number
        if inside:
            volume += determinant(points, low, faces[f, 0], faces[f, 1], faces[f, 2])
            volume += determinant(points, low, faces[f, 0], faces[f, 2], faces[f, 3])
    return volume, beyond


def measure_in_blocks(
    surface: Surface, blocks: npt.NDArray[np.uint64], inner: npt.NDArray[np.uint64], grid: Grid
) -> tuple[float, int]:
    """The volume between some faces and a point that does not depend on the surface; and the sum, modulo 2^64, of
    numbers of those outside of the inner blocks, which is the same for equal faces.

    The faces are those of the sweep, and those whose first corner lies in the blocks: so one that two surfaces share is
    among the faces of both, or of neither.

    Args:
        blocks, inner: (Z, Y, X) a bit for each block of 2 x 2 x 2 voxels of each brick.
    """
    points = surface.points
    bits: npt.NDArray[np.uint64] = points.view(np.uint64)
    inputs = points, bits, surface.faces, surface.source, blocks, inner, np.array(grid.origin), grid.voxel_size
    parts = in_runs(sum_in_blocks, len(surface.faces), FACES_PER_RUN, *inputs)
    volumes, beyond = zip(*parts, strict=True)
    return float(np.array(volumes).sum() / 6), sum(beyond) % 2**64


def measure(surface: Surface) -> tuple[float, bool]:
    """Volume of a surface, and whether it is closed: see `Surface.volume` and `Surface.is_closed`."""
    centre = surface.points[len(surface.points) // 2] if len(surface.points) else np.zeros(3)
    # The runs do not depend on the number of threads, so the order of the sum does not either.
    parts = in_runs(sum_faces, len(surface.faces), FACES_PER_RUN, surface.points, surface.faces, centre)
    volume, balance = np.array([part[0] for part in parts]), sum(part[1] for part in parts)
    return float(volume.sum() / 6), balance % 2**64 == 0
