"""Which parts of an open stock are sheets, and which are bodies with holes.

Just behind the faces of a closed body the winding number is 1, and just before them it is 0. A hole changes both by the
share of all directions in which one sees it. Behind a flat sheet, which is all hole, it is a half. So a part is a sheet
if the winding number behind most of its area is nearer to a half than to 0 or 1. A bowl is one if it spans less than
120 degrees of its ball.
"""

from typing import Literal

import numpy as np
import numpy.typing as npt

from ..engines.numba.compiler.loading import load_kernels
from ..exact.inside import winding
from ..model.mesh import TriMesh
from ..primitives.half_edges import border, connected, face_sides
from ..primitives.triangles import Triangles

OpenStock = Literal["automatic", "sheet", "fill holes"]
OPEN_STOCKS: tuple[OpenStock, ...] = ("automatic", "sheet", "fill holes")

# The square of a border's length, over 4 pi times the area of all faces: 1 for a disc, a half for half a ball. With
# less than this there are no sheets.
LONG = 0.25
SAMPLES = 32  # of a part
BEHIND = 1e-5  # of the size of the mesh, from a face to its sample
HALF = 0.5
NEAR_HALF = 0.25  # how far from a half the winding number may be


def may_have_sheets(mesh: TriMesh) -> bool:
    """Whether a mesh may have sheets: it has a border, which is long against its area. Corners that lie at one place
    count as different, so of some closed meshes, too, all edges are a border."""
    tail, head = border(mesh.triangles)
    length = float(np.linalg.norm(mesh.points[head] - mesh.points[tail], axis=1).sum())
    return length * length > LONG * 4 * np.pi * mesh.area()


def sheet_triangles(triangles: Triangles, every_open_part: bool = False) -> npt.NDArray[np.bool_]:
    """(M,) which of some welded triangles, with consistent parts, are of sheets; or of parts with a border at all."""
    corners, points = triangles.triangles, triangles.points
    part = connected(*face_sides(corners), len(points))
    is_open = np.zeros(part.max(initial=0) + 1, dtype=bool)
    is_open[part[border(corners)[0]]] = True
    part_of = part[corners[:, 0]]
    if every_open_part or not is_open.any():
        return np.asarray(is_open[part_of])
    load_kernels("exact")
    samples = _samples(triangles, np.where(is_open[part_of], part_of, -1))
    middle = points[corners[samples]].mean(axis=1)
    reach = BEHIND * float(np.ptp(points, axis=0).max())
    behind = winding(middle - reach * triangles.normal[samples], triangles)
    near_half = np.abs(behind - HALF) < NEAR_HALF
    share = np.bincount(part_of[samples], near_half, len(is_open)) / SAMPLES
    return np.asarray((share > HALF)[part_of])


def _samples(triangles: Triangles, part: npt.NDArray[np.integer]) -> npt.NDArray[np.int64]:
    """Some triangles of each part (M,), spread over its area, with repeats. Those of part -1 are left out."""
    a, b, c = (triangles.points[triangles.triangles[:, i]] for i in range(3))
    area = np.linalg.norm(np.cross(b - a, c - a), axis=1)
    order = np.argsort(part, kind="stable")
    order = order[np.searchsorted(part[order], 0) :]
    start = np.flatnonzero(np.diff(part[order], prepend=-1))
    total = np.cumsum(area[order])
    begin = total[start] - area[order[start]]
    end = np.append(total[start[1:] - 1], total[-1:])[: len(start)]
    at = begin[:, None] + (end - begin)[:, None] * (np.arange(SAMPLES) + 0.5) / SAMPLES
    return order[np.minimum(np.searchsorted(total, at.ravel()), len(order) - 1)]
