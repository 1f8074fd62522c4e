"""Normals blended over soft edges, where the sides of cuts meet at a small angle, as those of a pattern of passes do.

Each side has its own normals up to the edge, which would be a line, or a frayed one where faces follow it only roughly.
Instead the normal turns from one side to the other, over the width of a face. It is a function of the place, of the
distances from both sides; were it up to the vertices alone, the width would change from face to face.
"""

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from ..model.mesh import Surface
from ..runtime.threads import over_rows, slices

if TYPE_CHECKING:
    from .normal_kernels import CutArrays
    from .soft_edge_kernels import SoftEdges

FACES_PER_BLOCK = 1 << 18
VERTICES_PER_RUN = 1 << 10


def blend_soft_edges(
    surface: Surface, cut: "CutArrays", part: npt.NDArray[np.uint8], normals: npt.NDArray[np.float32]
) -> None:
    """Blend unit normals at the corners of faces, over edges whose sides differ by less than 30 degrees.

    Args:
        surface: M faces of K corners. A triangle among quads names its first corner as the last, too.
        cut: the sweep.
        part: (M,) uint8, which faces take part: see `normal_kernels`.
        normals: (M, K, 3) float32, changed in place.
    """
    from .soft_edge_kernels import MOST_SIDES, join_corners, mark_soft, turn_normals

    points, faces, primitive = surface.points, surface.faces, surface.primitive
    first, owner = np.full(len(points), -1, dtype=np.int32), np.empty(len(points), dtype=np.int32)
    state = np.zeros(len(points), dtype=np.uint8)
    for rows in slices(len(faces), FACES_PER_BLOCK) or [slice(0, 0)]:  # not at once: they share vertices
        mark_soft(rows.start, rows.stop, faces, primitive, part, cut.joined, normals, first, owner, state)
    around, edges = _corners_near(surface, part, state, first)
    width = _mean_side(points, faces[around])
    over_rows(
        turn_normals,
        len(edges.start) - 1,
        VERTICES_PER_RUN,
        *(points, faces, primitive, part, cut, edges, width, normals),
        scratch=lambda: np.empty((MOST_SIDES, 6)),
    )
    most = int(np.diff(edges.start).max(initial=1))
    over_rows(
        join_corners,
        len(edges.start) - 1,
        VERTICES_PER_RUN,
        *(points, faces, part, edges, normals),
        scratch=lambda: np.empty(most, dtype=np.int64),
    )


def _corners_near(
    surface: Surface, part: npt.NDArray[np.uint8], state: npt.NDArray[np.uint8], place: npt.NDArray[np.int32]
) -> tuple[npt.NDArray[np.int64], "SoftEdges"]:
    """The faces at soft vertices, and the corners at all vertices of these. `state` and `place` are changed."""
    from .soft_edge_kernels import SoftEdges, list_corners, mark_near, sort_corners

    blocks = (slices(len(surface.faces), FACES_PER_BLOCK) if state.any() else []) or [slice(0, 0)]
    around = [np.empty(rows.stop - rows.start, dtype=np.int64) for rows in blocks]
    found = [
        each[: mark_near(rows.start, rows.stop, surface.faces, part, state, each)]
        for rows, each in zip(blocks, around, strict=True)
    ]
    corners = [np.empty(surface.faces.shape[1] * len(each), dtype=np.int64) for each in around]
    place[:] = -1
    size = np.zeros(int(np.count_nonzero(state)) + 1, dtype=np.int64)  # the last number counts the vertices met so far
    listed = [
        each[: list_corners(rows.start, rows.stop, surface.faces, part, state, place, size, each)]
        for rows, each in zip(blocks, corners, strict=True)
    ]
    start = np.concatenate([[0], np.cumsum(size[:-1])])
    corner = np.concatenate(listed)
    ordered = np.empty_like(corner)
    sort_corners(corner, surface.faces, place, start[:-1].copy(), ordered)
    return np.concatenate(found), SoftEdges(start, ordered, place, state)


def _mean_side(points: npt.NDArray[np.float64], faces: npt.NDArray[np.int32]) -> float:
    """The mean length of the sides of faces; 0 if there are none."""
    sides = points[np.roll(faces, -1, axis=1)] - points[faces]
    length = np.sqrt(np.einsum("mki,mki->mk", sides, sides))
    return float(length.sum() / max(np.count_nonzero(length), 1))
