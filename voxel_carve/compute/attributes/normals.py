"""Normals at the corners of a surface's faces, so that shading follows the stock and the sweep, and not the faces.

Faces of the stock get the stock's own normals, interpolated on its triangles, which corners reach by the walk of
`transfer`. Cut faces get the gradient of their segment's distance. Both are smooth over the faces of a result, which is
only near them; and at an edge, each side has its own.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from ..engines.numba.compiler.loading import load_kernels
from ..model.grid import Grid
from ..model.mesh import Source, Surface, TriMesh
from ..model.steps import Operations, steps_of
from ..model.sweep import Sweep
from ..primitives.half_edges import connected, face_sides, paired_sides
from ..primitives.segments import AXIS, LENGTH, RADIUS, SLOPE, START, TANGENT, Segments
from ..runtime.threads import over_rows, slices
from .path_joints import joined_segments
from .soft_edges import blend_soft_edges
from .transfer import CornerData, Walker, joined_triangles

if TYPE_CHECKING:
    from .normal_kernels import CutArrays, StockArrays

Floats = npt.NDArray[np.float64]

FACES_PER_RUN = 1 << 12
SEGMENTS_PER_RUN = 1 << 14
FACES_PER_BLOCK = 1 << 20


@dataclass(frozen=True)
class StockShading:
    """How a stock is shaded.

    Attributes:
        mesh: its T triangles.
        normals: unit normals at their corners, in world space, on the side that each triangle faces.
        smooth: (T,) bool, whether a triangle has normals; else its faces are flat.
    """

    mesh: TriMesh
    normals: CornerData
    smooth: npt.NDArray[np.bool_]


@dataclass(frozen=True)
class CutShading:
    """How cut faces are shaded.

    Attributes:
        sweep: what cut them.
        operation: cut faces look into the sweep after "subtract", and out of it after others; one for all paths, or
            one for each.
        smooth: whether they have the normals of the sweep; else they are flat.
    """

    sweep: Sweep
    operation: Operations
    smooth: bool


def corner_normals(surface: Surface, stock: StockShading | None, cut: CutShading) -> npt.NDArray[np.float32]:
    """(M, K, 3) outward unit normals at the K corners of M faces, in world space.

    A flat face has its own normal, and a cap the mean of its faces at each vertex. A normal does not lean much farther
    from its face than from the stock's triangle.

    Args:
        surface: its faces know their triangles and segments.
        stock: None if all of it is flat.
        cut: of the sweep.
    """
    load_kernels("write")
    return shade_faces(surface, stock, cut)


def shade_faces(surface: Surface, stock: StockShading | None, cut: CutShading) -> npt.NDArray[np.float32]:
    """As `corner_normals`, whether or not the kernels have been loaded."""
    from .normal_kernels import shade

    out = np.empty((*surface.faces.shape, 3), dtype=np.float32)
    part = np.empty(len(out), dtype=np.uint8)
    arrays = _stock_arrays(surface, stock), _cut_arrays(cut)
    faces = (surface.points, surface.faces, surface.source, surface.primitive)
    over_rows(shade, len(out), FACES_PER_RUN, *faces, *arrays, out, part, scratch=lambda: np.empty((4, 3)))
    blend_soft_edges(surface, arrays[1], part, out)
    caps = np.flatnonzero(surface.source == Source.CLOSURE)
    if len(caps):
        used, index = np.unique(surface.faces[caps], return_inverse=True)
        corners = index.reshape(-1, surface.faces.shape[1]).astype(np.int32)
        alone = Surface(surface.points[used], corners, surface.source[caps], surface.primitive[caps])
        out[caps] = alone.vertex_normals()[corners]
    return out


def _stock_arrays(surface: Surface, stock: StockShading | None) -> "StockArrays":
    from .normal_kernels import StockArrays

    if stock is None:
        count = int(surface.primitive.max(initial=0)) + 1
        corners = np.empty((0, 3, 3)), np.empty((0, 3), dtype=np.int32)
        values = np.empty((0, 3), dtype=np.float32), np.empty((0, 3), dtype=np.int32)
        return StockArrays(*corners, np.zeros(count, dtype=bool), np.empty(0), *values)
    walker = Walker(stock.mesh.corners(), joined_triangles(stock.mesh.triangles, stock.normals))
    signs = _facing_signs(surface, stock.mesh, walker)
    return StockArrays(walker.corners, walker.joined, stock.smooth, signs, stock.normals.values, stock.normals.index)


def _cut_arrays(cut: CutShading) -> "CutArrays":
    from .normal_kernels import CutArrays, find_joints

    sweep = cut.sweep
    cones = _cones_along(sweep)
    sign = np.zeros(len(sweep))
    for step in steps_of(sweep, cut.operation) if cut.smooth else ():
        sign[step.segments] = -1.0 if step.operation == "subtract" else 1.0
    joined, joints = joined_segments(sweep, sign), np.empty((len(sweep), 2, 5))
    over_rows(find_joints, len(sweep), SEGMENTS_PER_RUN, cones, joined, joints)
    return CutArrays(cones, joined, joints, sign)


def _cones_along(sweep: Sweep) -> Floats:
    """(K, 10) the segments of a sweep as cones, each from its start to its end: see `formulas.round_cone`."""
    segments = Segments.on_grid(sweep, Grid(np.zeros(3), 1.0, (1, 1, 1)))
    cones = np.empty_like(segments.rows)
    cones[segments.order] = segments.rows
    back = np.flatnonzero((cones[:, AXIS] * (sweep.end - sweep.start)).sum(axis=1) < 0)
    cones[back, START] += cones[back, AXIS] * cones[back, LENGTH, None]
    cones[back, RADIUS] -= cones[back, SLOPE] * cones[back, LENGTH]
    for turned in (AXIS, SLOPE, TANGENT):
        cones[back, turned] *= -1
    return cones


def _facing_signs(surface: Surface, mesh: TriMesh, walker: Walker) -> Floats:
    """(T,) -1 for triangles of a stock whose faces look the other way than the surface does, else 1.

    The surface looks outward, whichever way the stock does. The triangles of a part that is consistent in itself decide
    together, because single faces beside an edge may be tilted far.
    """
    from .normal_kernels import agree

    areas = np.zeros(len(mesh.triangles))
    faces = (surface.points, surface.faces, surface.source, surface.primitive)
    for rows in slices(len(surface.faces), FACES_PER_BLOCK):  # one after the other, because they add up
        agree(rows.start, rows.stop, *faces, walker.corners, areas)
    if not (areas < 0).any():
        return np.ones(len(areas))
    tail, head = face_sides(mesh.triangles)
    one, other = paired_sides(tail, head)
    alike = tail[one] == head[other]
    part = connected(one[alike] // 3, other[alike] // 3, len(areas))
    return np.where(np.bincount(part, areas)[part] < 0, -1.0, 1.0)
