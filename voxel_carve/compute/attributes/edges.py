"""The edges of closed meshes of quads or triangles, for results that go to Blender.

Blender finds the edges of a mesh through hash maps, which do not fit into a cache for a large mesh. In a closed,
oriented 2-manifold, every edge has one upward half-edge, from the lower to the higher vertex, and one downward. So the
upward half-edges are the edges. The few that leave one vertex are stored together, and the edge of a downward half-edge
is found among them.
"""

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ..runtime.threads import in_runs, thread_count

# Each run has its own counters, 4 bytes per vertex. So there is one run per thread, and not many.
MOST_RUNS = 4
LEAST_FACES = 1 << 14
FACES_PER_RUN = 1 << 14


@dataclass(frozen=True)
class FaceEdges:
    """Edges of N points and M faces of 4 or 3 corners.

    Attributes:
        vertices: (E, 2) int32, the ends of each edge, the lower first, in ascending order of the lower.
        of_corner: (M, 4) or (M, 3) int32, the edge from each corner to the next; anything between equal corners.
        sharp: (E,) bool, whether the bend exceeds the given angle, or exactly one of the two faces is cut.
    """

    vertices: npt.NDArray[np.int32]
    of_corner: npt.NDArray[np.int32]
    sharp: npt.NDArray[np.bool_]


def face_edges(
    points: npt.NDArray[np.float32], faces: npt.NDArray[np.int32], cut: npt.NDArray[np.bool_], sharp_angle: float
) -> FaceEdges | None:
    """The edges of a mesh; None if it is not a closed, oriented 2-manifold with at most one edge between two points.

    Args:
        points: (N, 3) float32.
        faces: (M, 4) or (M, 3) int32, C-contiguous, indices of points. A triangle among quads names a corner twice.
        cut: (M,) bool; an edge with exactly one cut face is sharp.
        sharp_angle: in radians, between the normals of the two faces of an edge.
    """
    from .edge_kernels import NOT_MET, count_upward, meet_downward, place_upward, start_edges

    runs = max(1, min(MOST_RUNS, thread_count(), len(faces) // LEAST_FACES))
    size = max(1, -(-len(faces) // runs))
    place = np.zeros((runs, len(points)), dtype=np.int32)
    first = np.empty(len(points) + 1, dtype=np.int32)
    of_corner = np.empty_like(faces)
    normals = np.empty((len(faces), 3), dtype=np.float32)
    sides = in_runs(count_upward, len(faces), size, size, faces, place)
    count = start_edges(place, first)
    if 2 * count != sum(sides):
        return None
    vertices = np.empty((count, 2), dtype=np.int32)
    face = np.empty(count, dtype=np.int32)
    in_runs(place_upward, len(faces), size, size, faces, place, vertices, face, of_corner, points, normals)
    sharp = np.full(count, NOT_MET, dtype=np.uint8)
    edges = (first, vertices, face, of_corner, normals, cut, math.cos(sharp_angle), sharp)
    missing = in_runs(meet_downward, len(faces), FACES_PER_RUN, faces, *edges)
    # There are as many downward as upward half-edges: if each edge was met, it was met once.
    if any(missing) or (sharp == NOT_MET).any():
        return None
    return FaceEdges(vertices, of_corner, sharp.view(np.bool_))
