"""Which parts of an open stock are sheets, and which are bodies with holes.

Just behind the faces of a closed body the winding number is 1, and just before them it is 0. A hole changes both by the
share of all directions in which one sees it. Behind a flat sheet, which is all hole, it is a half. So a part is a sheet
if the winding number behind most of its area is nearer to a half than to 0 or 1. A bowl is one if it spans less than
120 degrees of its ball.
"""

from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from ..engines.numba.compiler.loading import compiled_fraction, load_kernels
from ..exact.inside import winding
from ..exact.samples import aside, part_samples
from ..model.grid import Grid
from ..model.mesh import TriMesh, are_closed
from ..primitives.boundary import Boundary
from ..primitives.half_edges import border, connected, face_sides
from ..primitives.triangles import Triangles, cross, dot, unit_normals
from ..repair.flat_lids import border_loops
from ..repair.repair import repaired_triangles
from ..runtime.progress import checkpoint

OpenStock = Literal["automatic", "sheet", "fill"]
OPEN_STOCKS: tuple[OpenStock, ...] = ("automatic", "sheet", "fill")

# The square of a border's length, over 4 pi times the area of all faces: 1 for a disc, a half for half a ball. With
# less than this there are no sheets.
LONG = 0.25
SAMPLES = 32  # of a part
MOST_PARTS = 256  # that are open: with more, they are the leaves of a tree, or a soup of triangles, and no sheets
NO_BOUNDARY = Boundary(np.empty((0, 3)), np.empty((0, 3)), np.empty(0))
HALF = 0.5
NEAR_HALF = 0.25  # how far from a half the winding number may be


@dataclass(frozen=True)
class Openings:
    """What is open in a stock.

    Attributes:
        holes: the number of connected parts of its border.
        is_sheet: whether it is carved as a sheet, if nobody says otherwise.
    """

    holes: int
    is_sheet: bool


def can_tell_openings() -> bool:
    """Whether the kernels that tell what is open in a stock are compiled."""
    return compiled_fraction(["exact"]) == 1


def openings_at_hand(mesh: TriMesh) -> Openings | None:
    """What is open in a stock; None while that would take compiling."""
    if not can_tell_openings():
        return None
    triangles = repaired_triangles(mesh, Grid(mesh.bounds().mean(axis=0), 1.0, (1, 1, 1)))[0]
    tail, head = border(triangles.triangles)
    if len(tail) == 0:
        return Openings(0, False)
    return Openings(int(border_loops(tail, head).max()) + 1, bool(sheet_triangles(triangles).any()))


def has_sheets(mesh: TriMesh, open_stock: OpenStock = "automatic") -> bool:
    """Whether a stock is carved as a sheet."""
    if open_stock == "fill" or are_closed(mesh.triangles):
        return False
    triangles = repaired_triangles(mesh, Grid(mesh.bounds().mean(axis=0), 1.0, (1, 1, 1)))[0]
    return bool(sheet_triangles(triangles, every_open_part=open_stock == "sheet").any())


def has_long_border(triangles: Triangles) -> bool:
    """Whether the border of some triangles is long against their area."""
    edges = triangles.boundary.edges
    length = float(np.linalg.norm(edges.high - edges.low, axis=1).sum())
    if length == 0:
        return False
    a, b, c = (triangles.points.take(corner, axis=0).T for corner in triangles.triangles.T)
    normal = cross(b - a, c - a)
    return length * length > LONG * 2 * np.pi * float(np.sqrt(dot(normal, normal)).sum())


def sheet_triangles(triangles: Triangles, every_open_part: bool = False) -> npt.NDArray[np.bool_]:
    """(M,) which of some welded triangles, with consistent parts, are of sheets; or of parts with a border at all.

    A sheet is one by itself, and among the other parts: the eyes of a head are flat bowls, and solid lies behind them.
    """
    corners, points = triangles.triangles, triangles.points
    if len(triangles.boundary) == 0 or not (every_open_part or has_long_border(triangles)):
        return np.zeros(len(corners), dtype=bool)
    part = connected(*face_sides(corners), len(points))
    is_chosen = np.zeros(part.max(initial=0) + 1, dtype=bool)
    is_chosen[part[border(corners)[0]]] = True
    part_of = part[corners[:, 0]]
    if every_open_part:
        return np.asarray(is_chosen[part_of])
    if is_chosen.sum() > MOST_PARTS:
        return np.zeros(len(corners), dtype=bool)
    load_kernels("exact")
    if len(np.unique(part_of)) > 1:
        samples = part_samples(triangles, np.where(is_chosen[part_of], part_of, -1), SAMPLES)
        is_free = _behind(triangles, samples) < HALF + NEAR_HALF
        is_chosen &= np.bincount(part_of[samples], is_free, len(is_chosen)) > SAMPLES / 2
    for number in np.flatnonzero(is_chosen):
        checkpoint()
        is_chosen[number] = _is_near_half(triangles.at(part_of == number))
    return np.asarray(is_chosen[part_of])


def hidden_shares(
    triangles: Triangles,
    is_sheet: npt.NDArray[np.bool_],
    points: npt.NDArray[np.float64],
    solid: npt.NDArray[np.int32],
) -> tuple[float, float]:
    """How much of a stock lies in the solid behind its sheets: the greatest share of a sheet, and of another part.

    Args:
        triangles, is_sheet: the stock, and which (M,) are of its sheets.
        points, solid: (N, 3), (K, 3) the closed sheets, without other parts.
    """
    load_kernels("exact")
    part = connected(*face_sides(triangles.triangles), len(triangles.points))
    of_sheet, part_of = np.unique(part[triangles.triangles[:, 0]], return_inverse=True)
    samples = part_samples(triangles, part_of, SAMPLES)
    before, order = aside(triangles, samples, 1.0), np.arange(len(solid), dtype=np.int32)
    closed = Triangles(points, solid.astype(np.int64), unit_normals(points, solid), order)
    hidden = winding(before, closed, NO_BOUNDARY) > HALF
    share = np.bincount(part_of[samples], hidden, len(of_sheet)) / SAMPLES
    sheets = np.unique(part_of[is_sheet])
    return float(share[sheets].max()), float(np.delete(share, sheets).max(initial=0.0))


def _is_near_half(part: Triangles) -> bool:
    """Whether the winding number behind most of a part is near a half."""
    samples = part_samples(part, np.zeros(len(part), dtype=np.int64), SAMPLES)
    return bool((np.abs(_behind(part, samples) - HALF) < NEAR_HALF).sum() > SAMPLES / 2)


def _behind(triangles: Triangles, which: npt.NDArray[np.int64]) -> npt.NDArray[np.float64]:
    """(K,) the winding number just behind some triangles."""
    return winding(aside(triangles, which, -1.0), triangles)
