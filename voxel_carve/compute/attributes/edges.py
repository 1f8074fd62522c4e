"""The edges of closed meshes of quads or of triangles, compiled by numba, for who hands a result to Blender.

Blender finds the edges of a mesh through hash maps, which no cache holds in a large mesh. In a closed, oriented
2-manifold every edge is run once up, from the lower to the higher vertex, and once down. So its corners that run up are
its edges, and the few that leave one vertex lie together: a corner that runs down has its edge among them.
"""

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ..engines.numba.compiler.decorators import kernel
from ..runtime.threads import in_runs, thread_count

# Each run counts on its own, 4 bytes a vertex: so there is one for each thread, and they are not many.
MOST_RUNS = 4
LEAST_FACES = 1 << 14
FACES_PER_RUN = 1 << 14

NOT_MET, FLAT, SHARP = 2, 0, 1


@dataclass(frozen=True)
class FaceEdges:
    """Edges of N points and M faces of 4 or 3 corners: E = 2 M or 3/2 M.

    Attributes:
        vertices: (E, 2) int32, the ends of each edge, the lower first, in ascending order of the lower.
        of_corner: (M, 4) or (M, 3) int32, the edge from each corner to the next.
        sharp: (E,) bool, whether the faces of the edge are bent by more than the angle asked for, or only one is cut.
    """

    vertices: npt.NDArray[np.int32]
    of_corner: npt.NDArray[np.int32]
    sharp: npt.NDArray[np.bool_]


def face_edges(
    points: npt.NDArray[np.float32], faces: npt.NDArray[np.int32], cut: npt.NDArray[np.bool_], sharp_angle: float
) -> FaceEdges | None:
    """The edges of a mesh; None where it is not a closed, oriented 2-manifold without two edges between two points.

    Args:
        points: (N, 3) float32.
        faces: (M, 4) or (M, 3) int32, C-contiguous, indices of points.
        cut: (M,) bool; edges between a face that is and one that is not are sharp.
        sharp_angle: in radians, between the normals of the two faces of an edge.
    """
    runs = max(1, min(MOST_RUNS, thread_count(), len(faces) // LEAST_FACES))
    size = max(1, -(-len(faces) // runs))
    place = np.zeros((runs, len(points)), dtype=np.int32)
    first = np.empty(len(points) + 1, dtype=np.int32)
    of_corner = np.empty_like(faces)
    normals = np.empty((len(faces), 3), dtype=np.float32)
    in_runs(count_upward, len(faces), size, size, faces, place)
    count = start_edges(place, first)
    if 2 * count != faces.size:
        return None
    vertices = np.empty((count, 2), dtype=np.int32)
    face = np.empty(count, dtype=np.int32)
    in_runs(place_upward, len(faces), size, size, faces, place, vertices, face, of_corner, points, normals)
    sharp = np.full(count, NOT_MET, dtype=np.uint8)
    edges = (first, vertices, face, of_corner, normals, cut, math.cos(sharp_angle), sharp)
    missing = in_runs(meet_downward, len(faces), FACES_PER_RUN, faces, *edges)
    # As many corners run down as up: where each edge was met, it was met once.
    if any(missing) or (sharp == NOT_MET).any():
        return None
    return FaceEdges(vertices, of_corner, sharp.view(np.bool_))


@kernel
def count_upward(start, stop, size, faces, place):  # type: ignore[no-untyped-def]
    """Count in place (R, N), in the row of a run of `size` faces, how many of its corners run up from each point."""
    row, sides = place[start // size], faces.shape[1]
    for q in range(start, stop):
        for i in range(sides):
            here = faces[q, i]
            row[here] += here < faces[q, i + 1 if i + 1 < sides else 0]


@kernel
def start_edges(place, first):  # type: ignore[no-untyped-def]
    """Counts in place (R, N) to the first edge of each run at each point; first (N + 1,) that of all. Their sum."""
    edge = 0
    for v in range(len(first) - 1):
        first[v] = edge
        for run in range(len(place)):
            count = place[run, v]
            place[run, v] = edge
            edge += count
    first[-1] = edge
    return edge


@kernel
def place_upward(start, stop, size, faces, place, vertices, face, of_corner, points, normals):  # type: ignore[no-untyped-def]
    """Make an edge of each corner that runs up, with the face it is of; and the faces' normals, of length 1 or 0."""
    row, sides = place[start // size], faces.shape[1]
    for q in range(start, stop):
        for i in range(sides):
            here, there = faces[q, i], faces[q, i + 1 if i + 1 < sides else 0]
            if here < there:
                edge = row[here]
                row[here] = edge + 1
                vertices[edge, 0] = here
                vertices[edge, 1] = there
                face[edge] = q
                of_corner[q, i] = edge
        # With three corners the last is the first again: both diagonals are then sides.
        a, b, c, d = faces[q, 0], faces[q, 1], faces[q, 2], faces[q, 3 % sides]
        ux, uy, uz = points[a, 0] - points[c, 0], points[a, 1] - points[c, 1], points[a, 2] - points[c, 2]
        vx, vy, vz = points[b, 0] - points[d, 0], points[b, 1] - points[d, 1], points[b, 2] - points[d, 2]
        x, y, z = uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx
        length = math.sqrt(x * x + y * y + z * z)
        scale = 1 / length if length > 0 else 0.0
        normals[q, 0] = x * scale
        normals[q, 1] = y * scale
        normals[q, 2] = z * scale


@kernel
def meet_downward(start, stop, faces, first, vertices, face, of_corner, normals, cut, least, sharp):  # type: ignore[no-untyped-def]
    """Find the edge of each corner that runs down; how many have none. An edge is sharp where its faces' cosine is less
    than `least`, or one of them is cut and the other is not."""
    missing, sides = 0, faces.shape[1]
    for q in range(start, stop):
        for i in range(sides):
            there, here = faces[q, i], faces[q, i + 1 if i + 1 < sides else 0]
            if here < there:
                edge, last = first[here], first[here + 1]
                while edge < last and vertices[edge, 1] != there:
                    edge += 1
                if edge == last:
                    missing += 1
                else:
                    of_corner[q, i] = edge
                    f = face[edge]
                    cosine = normals[q, 0] * normals[f, 0] + normals[q, 1] * normals[f, 1]
                    cosine += normals[q, 2] * normals[f, 2]
                    sharp[edge] = SHARP if cosine < least or cut[q] != cut[f] else FLAT
    return missing
