"""Normals of a kept stock: its faces are shown as they were, pieces of them too, and cut faces as the exact cut.

Blender makes normals at a vertex from the faces around it. Beside a cut these are pieces, and some are gone. So a
coarse stock would get bands there, as far as its faces reach.
"""

from typing import Any, cast

import bpy
import numpy as np
import numpy.typing as npt

from ...compute import Source, Surface
from ...compute.attributes import CutShading, corner_normals
from ...compute.boolean import KeptFaces, StockPolygons
from ..shading import CUSTOM_NORMAL, FREE, to_local, to_world
from .attributes import get_values

Floats = npt.NDArray[np.float32]
Indices = npt.NDArray[np.int64]


def shown_normals(mesh: bpy.types.Mesh) -> Floats:
    """(L, 3) the normals that a mesh is shown with at its corners, in its own space."""
    attribute = mesh.attributes.get(CUSTOM_NORMAL)
    if attribute is not None and attribute.data_type == FREE and attribute.domain == "CORNER":
        # Asked for the normals of the corners, Blender 4.5 then gives what happens to be in memory.
        return cast(Floats, get_values(mesh, CUSTOM_NORMAL))
    normals = np.empty(3 * len(mesh.loops), dtype=np.float32)
    mesh.corner_normals.foreach_get("vector", normals)
    return normals.reshape(-1, 3)


def stock_normals(
    shown: Floats,
    kept: KeptFaces,
    points: Floats,
    stock: StockPolygons,
    before: Floats,
    matrix: npt.NDArray[np.float64],
) -> Floats:
    """(K, 3) the normals at the corners of a result that belong to the stock; 0 at others.

    Args:
        shown: (L, 3) those of the stock.
        kept: the faces of the result.
        points: (V, 3) its vertices.
        stock: its faces.
        before: (N, 3) its vertices, in the same space.
        matrix: (4, 4) from this space to world space, where normals are mixed.
    """
    found = np.zeros((len(kept.corner), 3), dtype=np.float32)
    row, of, weight = kept.mixed_corners.row, kept.mixed_corners.of, kept.mixed_corners.weight
    corners = to_world(shown[of.ravel()], matrix).reshape(*of.shape, 3)
    found[row] = to_local(np.einsum("kc,kci->ki", weight, corners).astype(np.float32), matrix)
    own = np.flatnonzero(kept.corner >= 0)
    found[own] = shown[kept.corner[own]]
    # A face that is turned round has its normals on the other side, and so have its pieces.
    old = np.flatnonzero(kept.face >= 0)
    triangles = before[stock.triangles].astype(np.float64)
    areas = np.cross(triangles[:, 1] - triangles[:, 0], triangles[:, 2] - triangles[:, 0])
    first = np.searchsorted(stock.face, np.arange(len(stock.start) - 1))
    agree = (
        face_areas(points, kept.corner_vertex, kept.start)[old] * np.add.reduceat(areas, first)[kept.face[old]]
    ).sum(axis=1)
    turned = np.bincount(kept.face[old], agree, minlength=len(first)) < 0
    found[np.repeat((kept.face >= 0) & turned[kept.face], np.diff(kept.start))] *= -1
    return found


def cut_normals(
    surface: Surface, kept: KeptFaces, shading: CutShading, matrix: npt.NDArray[np.float64]
) -> tuple[Indices, Floats]:
    """The corners of cut faces (C,) and their normals (C, 3) in the space of the stock.

    Args:
        surface: the triangles that the faces were made of, in world space.
        kept: the faces.
        shading: of the cut.
        matrix: (4, 4) from the space of the stock to world space. If it mirrors, the triangles look inward.
    """
    order = [0, 2, 1] if np.linalg.det(matrix[:3, :3]) < 0 else [0, 1, 2]
    rows = np.flatnonzero(surface.source != Source.STOCK)
    cut = Surface(surface.points, surface.faces[rows][:, order], surface.source[rows], surface.primitive[rows])
    normals = corner_normals(cut, None, shading)[:, order]
    corners = np.flatnonzero(np.repeat(kept.face < 0, np.diff(kept.start)))
    triangle, place = np.divmod(kept.piece[corners], 3)
    return corners, to_local(normals[np.searchsorted(rows, triangle), place], matrix)


def face_areas(points: Floats, vertices: npt.NDArray[Any], start: npt.NDArray[Any]) -> npt.NDArray[np.float64]:
    """(M, 3) vectors along the normals of faces, of twice their areas in length. `vertices` (K,) are those of their
    corners, and face i has the corners from start[i] on, to start[i + 1] or the end."""
    begin = start[start < len(vertices)]
    count = np.diff(begin, append=len(vertices))
    here = points.astype(np.float64)[vertices]
    here -= np.repeat(here[begin], count, axis=0)
    after = np.arange(1, len(here) + 1)
    after[begin + count - 1] = begin
    return np.asarray(np.add.reduceat(np.cross(here, here[after]), begin))
