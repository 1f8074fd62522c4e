"""Kernels for snapping: vertices move onto feature edges, and back if a quad is inverted or overlaps another.

See `contour.sharp_edges`.
"""

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ....formulas import newton
from ....formulas.hermite import ROUNDING
from ....formulas.vertex_placement import FALLBACK, PARTLY
from ....model.bricks import LOWEST, NO_PRIMITIVE, Bins
from ....model.combining import Rule
from ....model.mesh import DualMesh
from ....primitives.primitives import Primitives
from ....primitives.triangles import cross, dot
from ....runtime.progress import progress_range
from ....runtime.threads import over_rows
from ..compiler.decorators import NONE, inlined, kernel, subroutine
from ..compiler.formulas import DOUBLE
from .connecting import has_any
from .overlaps import QUADS_PER_RUN, Array, Movers, Numbers, boxes_of, farther_of, mark_overlaps, near_boxes

surface_value = DOUBLE(newton.surface_value)


@dataclass(frozen=True)
class LocalQuads:
    """Some quads of a mesh.

    Attributes:
        quad: (N,) int64, ascending.
        signs: (N,) orientation sign: 1 if the gradient of the quad's primitive points out of the mesh, else -1.
    """

    quad: npt.NDArray[np.int64]
    signs: Array

    @classmethod
    def unresolved(cls, primitives: Primitives, rule: Rule, mesh: DualMesh) -> "LocalQuads":
        """The quads around the unresolved vertices of a mesh."""
        is_local = np.empty(len(mesh.quads), dtype=np.bool_)
        over_rows(find_local_quads, len(is_local), QUADS_PER_RUN, mesh.quads, mesh.kinds, is_local)
        return cls.of(primitives, rule, mesh, np.flatnonzero(is_local))

    @classmethod
    def of(cls, primitives: Primitives, rule: Rule, mesh: DualMesh, quad: npt.NDArray[np.int64]) -> "LocalQuads":
        """Quads (N,) of a mesh, ascending."""
        flat = np.flatnonzero((mesh.codes[quad] >= 0) & (mesh.codes[quad] != NO_PRIMITIVE))
        codes, (a, b, c, d) = mesh.codes[quad[flat]], mesh.points.take(mesh.quads[quad[flat]].T, axis=0)
        facing = dot(cross((c - a).T, (d - b).T), primitives.normal.take(codes, axis=0).T)
        signs = np.full(len(quad), -1.0 if rule.carves else 1.0)
        signs[flat] = np.where(np.bincount(codes, facing)[codes] >= 0.0, 1.0, -1.0)
        return cls(quad, signs)

    def at(self, mesh: DualMesh, vertices: Numbers) -> tuple[npt.NDArray[np.int64], Numbers]:
        """The corners of these quads at some vertices (N,): first (N + 1,) and corner (C,).

        Vertex i has corner[first[i] : first[i + 1]], ascending. A corner is four times the place of the quad here, plus
        0 to 3.
        """
        index = np.full(len(mesh.points), -1, dtype=np.int32)
        index[vertices] = np.arange(len(vertices), dtype=np.int32)
        vertex = index.take(mesh.quads.take(self.quad, axis=0).ravel()).astype(np.int64)
        corner = np.flatnonzero(vertex >= 0)
        corners = Bins.from_pairs(vertex[corner], corner.astype(np.int32))
        return corners.first, corners.primitive


def snap(primitives: Primitives, mesh: DualMesh, local: LocalQuads, vertex: Numbers, points: Array) -> Numbers:
    """Move vertices (N,) to points (N, 3), unless that makes a quad inverted or overlap another. Return those moved."""
    if not len(vertex):
        return vertex
    old = mesh.points.take(vertex, axis=0)
    index = np.full(len(mesh.points), -1, dtype=np.int32)
    index[vertex] = np.arange(len(vertex), dtype=np.int32)
    movers = Movers(index, np.ones(len(vertex), dtype=np.bool_), np.sqrt(((points - old) ** 2).sum(axis=1)))
    touched = np.flatnonzero(has_any(mesh.quads.take(local.quad, axis=0), index >= 0))
    quad, signs = local.quad[touched], local.signs[touched]
    original = mesh.quads.take(quad, axis=0)
    there = index.take(original)
    boxes = boxes_of(mesh.points, mesh.quads, quad)
    mesh.points[vertex] = points
    moved = boxes_of(mesh.points, mesh.quads, quad)
    boxes = np.hstack([np.minimum(boxes, moved)[:, :3], np.maximum(boxes, moved)[:, 3:]])
    with progress_range(0.0, 0.3):
        around = np.flatnonzero(near_boxes(mesh.points, mesh.quads, boxes))
    stale = np.ones(len(vertex), dtype=np.bool_)
    while stale.any():
        which = np.flatnonzero(has_any(there, stale))
        inverted, reverted = np.zeros(len(which), dtype=np.bool_), np.zeros(len(vertex), dtype=np.bool_)
        arguments = (mesh.points, mesh.quads, mesh.codes, quad, signs, original, which, movers, inverted)
        over_rows(split_again, len(which), QUADS_PER_RUN // 4, primitives, *arguments)
        farthest_of(original.take(which[inverted], axis=0), movers, reverted)
        if not reverted.any():
            stale[:] = False
            reverted = mark_overlaps(mesh.points, mesh.quads, around, quad[which], movers)
        movers.moved[reverted] = False
        mesh.points[vertex[reverted]] = old[reverted]
        stale |= reverted
    return vertex[movers.moved]


@inlined
def outward(primitives, code, sign, x, y, z):  # type: ignore[no-untyped-def]
    """The outward normal of a primitive at a point; 0 if the primitive is not known."""
    if code == NONE or code == LOWEST:  # noqa: SIM109 - kernels know `in` for tuples of one type only
        nx, ny, nz = 0.0, 0.0, 0.0
    else:
        _, nx, ny, nz = surface_value(primitives, code, x, y, z)
    return sign * nx, sign * ny, sign * nz


@kernel
def find_local_quads(start, stop, quads, kinds, found):  # type: ignore[no-untyped-def]
    """Set found (Q,) for the quads with an unresolved vertex."""
    for q in range(start, stop):
        is_local = False
        for k in range(4):
            kind = kinds[np.uint64(quads[q, k])]
            is_local |= kind == FALLBACK
            is_local |= kind == PARTLY
        found[q] = is_local


@subroutine
def least_cosine(primitives, points, code, sign, a, b, c, d):  # type: ignore[no-untyped-def]
    """The lesser cosine between the normals of the surface and of a half of a quad, split from corner a to c."""
    least = np.inf
    for half in range(2):
        v, w = (b, c) if half == 0 else (c, d)
        ux, uy, uz = points[v, 0] - points[a, 0], points[v, 1] - points[a, 1], points[v, 2] - points[a, 2]
        vx, vy, vz = points[w, 0] - points[a, 0], points[w, 1] - points[a, 1], points[w, 2] - points[a, 2]
        x, y, z = uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx
        length = math.sqrt(x * x + y * y + z * z)
        nx, ny, nz = outward(
            primitives, code, sign,
            (points[a, 0] + points[v, 0] + points[w, 0]) / 3,
            (points[a, 1] + points[v, 1] + points[w, 1]) / 3,
            (points[a, 2] + points[v, 2] + points[w, 2]) / 3,
        )  # fmt: skip
        least = min(least, (x * nx + y * ny + z * nz) / length if length > ROUNDING else 0.0)
    return least


@kernel
def split_again(start, stop, primitives, points, quads, codes, quad, signs, original, which, movers, inverted):  # type: ignore[no-untyped-def]
    """Split quads of original (M, 4) again if one of their vertices has moved. See `contour.sharp_edges`.

    inverted (N,) is set for quads with a half that faces against the surface even so.
    """
    for n in range(start, stop):
        i = which[n]
        a, b, c, d = original[i, 0], original[i, 1], original[i, 2], original[i, 3]
        moving = False
        for k in range(4):
            mover = movers.of_vertex[original[i, k]]
            moving = moving or (mover >= 0 and movers.moved[mover])
        flipped = False
        if moving:
            code, sign = codes[quad[i]], signs[i]
            least = least_cosine(primitives, points, code, sign, a, b, c, d)
            other = least_cosine(primitives, points, code, sign, b, c, d, a)
            flipped = other > least + ROUNDING
            inverted[n] = max(least, other) < -ROUNDING
        for k in range(4):
            quads[quad[i], k] = original[i, (k + 1) & 3 if flipped else k]


@kernel
def farthest_of(groups, movers, reverted):  # type: ignore[no-untyped-def]
    """Set reverted (N,) for the mover that moved farthest in each group (G, K) of vertices of the mesh."""
    for g in range(len(groups)):
        found = -1
        for k in range(groups.shape[1]):
            found = farther_of(movers, found, groups[g, k])
        if found >= 0:
            reverted[found] = True
