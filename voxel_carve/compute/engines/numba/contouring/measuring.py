"""Kernels for the volume of a surface, and for whether it is closed. See `model.mesh`."""

import numpy as np
import numpy.typing as npt

from ....model import mesh
from ....model.mesh import Surface
from ....runtime.threads import in_runs
from ..compiler.decorators import kernel, subroutine

FACES_PER_RUN = 1 << 14

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


def measure(surface: Surface) -> tuple[float, bool]:
    """Volume of a surface, and whether it is closed: see `Surface.volume` and `Surface.is_closed`."""
    centre = surface.points[len(surface.points) // 2] if len(surface.points) else np.zeros(3)
    # The runs do not depend on the number of threads, so the order of the sum does not either.
    parts = in_runs(sum_faces, len(surface.faces), FACES_PER_RUN, surface.points, surface.faces, centre)
    volume, balance = np.array([part[0] for part in parts]), sum(part[1] for part in parts)
    return float(volume.sum() / 6), balance % 2**64 == 0
