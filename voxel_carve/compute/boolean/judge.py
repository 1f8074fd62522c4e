"""Whether a boolean is right: the lids are whole, no edge is open that was not, and the voxels agree."""

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from ..field.protocol import Backend
from ..model.combining import Operation
from ..model.mesh import Surface, TriMesh
from ..primitives.half_edges import face_sides, unpaired_edges
from ..repair.flat_lids import Lids
from ..repair.orientation import flipped
from ..runtime.sentences import Sentence
from .cut import Cut
from .polygons import corner_places
from .voxel_check import compare_voxels

NEAR_HOLE = Sentence("it is open, and the paths come near a hole of it")


@dataclass(frozen=True)
class ClosedStock:
    """A stock whose holes are closed by lids.

    Attributes:
        mesh: its triangles, then those of the lids, all facing outward.
        inward: (M,) which of them face the other way in the stock.
        own: number of its own triangles.
        lids: its lids.
    """

    mesh: TriMesh
    inward: npt.NDArray[np.bool_]
    own: int
    lids: Lids


def reason_against(
    cut: Cut, stock: ClosedStock, tool: Surface, operation: Operation, voxel_size: float, backend: Backend
) -> str:
    """Why a boolean cannot be the result; empty if it is right."""
    if len(cut.triangles) == 0:
        return "the boolean left nothing of it"
    if not _are_lids_whole(cut, stock):
        return NEAR_HOLE
    wrong = _new_wrong_edges(cut, stock)
    if wrong:
        edges = "an edge that is" if wrong == 1 else f"{wrong} edges that are"
        return f"the boolean left {edges} not between two faces"
    if len(tool.faces) == 0:
        return ""
    result = TriMesh(cut.points, cut.triangles)
    # Where two bodies that face different ways overlap, the stock is empty, and a boolean fills it.
    as_it_is = replace(stock.mesh, triangles=flipped(stock.mesh.triangles, stock.inward))
    found = compare_voxels(as_it_is, tool.to_tri_mesh(), result, operation, voxel_size, backend)
    return "" if found.holds() else f"the boolean was wrong in {found.wrong:,} of {found.stock:,} voxels"


def _are_lids_whole(cut: Cut, stock: ClosedStock) -> bool:
    """Whether each lid is unchanged in the result, or gone from it."""
    if len(stock.lids) == 0:
        return True
    rows = np.flatnonzero(cut.of_stock & (cut.number >= stock.own))
    number = cut.number[rows]
    place = corner_places(cut.points[cut.triangles[rows]], stock.mesh.corners()[number])
    loop = stock.lids.loop
    found, whole = np.bincount(loop[number - stock.own], minlength=len(stock.lids)), np.bincount(loop)
    return bool((place >= 0).all() and ((found == 0) | (found == whole)).all())


def _new_wrong_edges(cut: Cut, stock: ClosedStock) -> int:
    """The number of edges without exactly two opposite half-edges that the stock has not got as well."""
    wrong = unpaired_edges(*face_sides(cut.triangles))
    if len(wrong) == 0:
        return 0
    vertex = _stock_vertices(cut, stock.mesh, np.unique(wrong))
    low, high = np.sort(vertex[wrong], axis=1).T
    old = unpaired_edges(*face_sides(stock.mesh.triangles))
    known = np.isin(low << 32 | high, old[:, 0] << 32 | old[:, 1]) & (low >= 0)
    return int((~known).sum())


def _stock_vertices(cut: Cut, mesh: TriMesh, asked: npt.NDArray[np.integer]) -> npt.NDArray[np.int64]:
    """(N,) the vertex of the stock that each vertex of the result is, for those that are asked; -1 for none."""
    is_asked = np.zeros(len(cut.points), dtype=bool)
    is_asked[asked] = True
    rows = np.flatnonzero(cut.of_stock & is_asked[cut.triangles].any(axis=1))
    triangles, before = cut.triangles[rows], mesh.triangles[cut.number[rows]]
    place = corner_places(cut.points[triangles], mesh.points[before])
    vertex = np.full(len(cut.points), -1, dtype=np.int64)
    vertex[triangles[place >= 0]] = np.take_along_axis(before, np.maximum(place, 0), axis=1)[place >= 0]
    return vertex
