"""Vertices moved onto edges, and back where a quad would be turned over or overlap another, compiled by numba.

See `sharp_edges`.
"""

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ....formulas import newton
from ....formulas.hermite import ROUNDING
from ....formulas.vertex_placement import FALLBACK, PARTLY
from ....model.bricks import LOWEST
from ....model.combining import Rule
from ....model.mesh import DualMesh
from ....primitives.primitives import Primitives
from ....runtime.progress import share
from ....runtime.threads import in_runs
from ..compiler.decorators import NONE, inlined, kernel, part
from ..compiler.formulas import DOUBLE
from .overlaps import QUADS_PER_RUN, Array, Movers, boxes_of, farther_of, mark_overlaps, near_boxes

surface_value = DOUBLE(newton.surface_value)

Numbers = npt.NDArray[np.int32]


@dataclass(frozen=True)
class Near:
    """The quads around vertices that are FALLBACK or PARTLY.

    Attributes:
        quad: (N,) int64, ascending.
        turns: (N,) 1 where the gradient of a quad's primitive looks out of the mesh, else -1.
    """

    quad: npt.NDArray[np.int64]
    turns: Array

    @classmethod
    def of(cls, primitives: Primitives, rule: Rule, mesh: DualMesh) -> "Near":
        """Those of a mesh."""
        is_open = np.empty(len(mesh.quads), dtype=np.bool_)
        in_runs(open_quads, len(is_open), QUADS_PER_RUN, mesh.quads, mesh.kinds, is_open)
        quad = np.flatnonzero(is_open)
        turns, outside = np.full(len(quad), -1.0 if rule.carves else 1.0), np.zeros(len(primitives.triangles))
        find_turns(primitives, mesh.points, mesh.quads, mesh.codes, quad, turns, outside)
        return cls(quad, turns)

    def at(self, mesh: DualMesh, vertices: Numbers) -> tuple[Numbers, Numbers]:
        """(N + 1,) where the corners at each of some vertices (N,) begin, and (C,) these: four times the place of the
        quad here, and which corner it is, ascending."""
        place = np.full(len(mesh.points), -1, dtype=np.int32)
        place[vertices] = np.arange(len(vertices), dtype=np.int32)
        first = np.zeros(len(vertices) + 1, dtype=np.int32)
        corner = np.empty(count_corners(mesh.quads, self.quad, place, first), dtype=np.int32)
        list_corners(mesh.quads, self.quad, place, first[:-1].copy(), corner)
        return first, corner


def move(primitives: Primitives, mesh: DualMesh, near: Near, vertex: Numbers, points: Array) -> Numbers:
    """Move vertices (N,) to points (N, 3), save where a quad would be turned over, or overlap another; which moved."""
    if not len(vertex):
        return vertex
    old = mesh.points[vertex]
    place = np.full(len(mesh.points), -1, dtype=np.int32)
    place[vertex] = np.arange(len(vertex), dtype=np.int32)
    movers = Movers(place, np.ones(len(vertex), dtype=np.bool_), np.sqrt(((points - old) ** 2).sum(axis=1)))
    touched = np.flatnonzero((place[mesh.quads[near.quad]] >= 0).any(axis=1))
    quad, turns = near.quad[touched], near.turns[touched]
    original = mesh.quads[quad]
    boxes = boxes_of(mesh.points, mesh.quads, quad)
    mesh.points[vertex] = points
    moved = boxes_of(mesh.points, mesh.quads, quad)
    boxes = np.hstack([np.minimum(boxes, moved)[:, :3], np.maximum(boxes, moved)[:, 3:]])
    with share(0.0, 0.3):
        around = np.flatnonzero(near_boxes(mesh.points, mesh.quads, boxes))
    stale = np.ones(len(vertex), dtype=np.bool_)
    while stale.any():
        which = np.flatnonzero((stale[place[original]] & (place[original] >= 0)).any(axis=1))
        folded, back = np.zeros(len(which), dtype=np.bool_), np.zeros(len(vertex), dtype=np.bool_)
        arguments = (mesh.points, mesh.quads, mesh.codes, quad, turns, original, which, movers, folded)
        in_runs(split_again, len(which), QUADS_PER_RUN, primitives, *arguments)
        farthest_of(original[which[folded]], movers, back)
        if not back.any():
            stale[:] = False
            back = mark_overlaps(mesh.points, mesh.quads, around, quad[which], movers)
        movers.live[back] = False
        mesh.points[vertex[back]] = old[back]
        stale |= back
    return vertex[movers.live]


@inlined
def outward(primitives, code, turn, x, y, z):  # type: ignore[no-untyped-def]
    """The outward normal of a primitive at a point; 0 where it is not known."""
    if code == NONE or code == LOWEST:  # noqa: SIM109 - kernels know `in` for tuples of one type only
        nx, ny, nz = 0.0, 0.0, 0.0
    else:
        _, nx, ny, nz = surface_value(primitives, code, x, y, z)
    return turn * nx, turn * ny, turn * nz


@kernel
def open_quads(start, stop, quads, kinds, found):  # type: ignore[no-untyped-def]
    """Set found (Q,) to whether a vertex of each quad is FALLBACK or PARTLY."""
    for q in range(start, stop):
        is_open = False
        for k in range(4):
            kind = kinds[quads[q, k]]
            is_open |= kind == FALLBACK
            is_open |= kind == PARTLY
        found[q] = is_open


@kernel
def find_turns(primitives, points, quads, codes, near, turns, outside):  # type: ignore[no-untyped-def]
    """Set turns (N,), which are those of segments, for triangles; outside (T,) of 0 is to sum their sides."""
    for n in range(len(near)):
        code = codes[near[n]]
        if code < 0 or code == NONE:
            continue
        a, b, c, d = quads[near[n], 0], quads[near[n], 1], quads[near[n], 2], quads[near[n], 3]
        ux, uy, uz = points[c, 0] - points[a, 0], points[c, 1] - points[a, 1], points[c, 2] - points[a, 2]
        vx, vy, vz = points[d, 0] - points[b, 0], points[d, 1] - points[b, 1], points[d, 2] - points[b, 2]
        x, y, z = uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx
        normal = primitives.normal[code]
        outside[code] += x * normal[0] + y * normal[1] + z * normal[2]
    for n in range(len(near)):
        code = codes[near[n]]
        if code >= 0 and code != NONE:
            turns[n] = 1.0 if outside[code] >= 0.0 else -1.0


@kernel
def count_corners(quads, near, place, first):  # type: ignore[no-untyped-def]
    """Set first (N + 1,), which is 0: see `Near.at`; how many corners there are. place (V,) of a vertex among the N, -1
    for none."""
    for n in range(len(near)):
        for k in range(4):
            first[place[quads[near[n], k]] + 1] += 1
    first[0] = 0
    for i in range(len(first) - 1):
        first[i + 1] += first[i]
    return first[len(first) - 1]


@kernel
def list_corners(quads, near, place, filled, corner):  # type: ignore[no-untyped-def]
    """Set corner (C,), those of each vertex from filled (N,) on, which goes on by them."""
    for n in range(len(near)):
        for k in range(4):
            i = place[quads[near[n], k]]
            if i >= 0:
                corner[filled[i]] = 4 * n + k
                filled[i] += 1


@part
def least_cosine(primitives, points, code, turn, a, b, c, d):  # type: ignore[no-untyped-def]
    """The cosine between the surface and the half of a quad, split from corner a to c, that looks less like it."""
    least = np.inf
    for half in range(2):
        v, w = (b, c) if half == 0 else (c, d)
        ux, uy, uz = points[v, 0] - points[a, 0], points[v, 1] - points[a, 1], points[v, 2] - points[a, 2]
        vx, vy, vz = points[w, 0] - points[a, 0], points[w, 1] - points[a, 1], points[w, 2] - points[a, 2]
        x, y, z = uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx
        length = math.sqrt(x * x + y * y + z * z)
        nx, ny, nz = outward(
            primitives, code, turn,
            (points[a, 0] + points[v, 0] + points[w, 0]) / 3,
            (points[a, 1] + points[v, 1] + points[w, 1]) / 3,
            (points[a, 2] + points[v, 2] + points[w, 2]) / 3,
        )  # fmt: skip
        least = min(least, (x * nx + y * ny + z * nz) / length if length > ROUNDING else 0.0)
    return least


@kernel
def split_again(start, stop, primitives, points, quads, codes, quad, turns, original, which, movers, folded):  # type: ignore[no-untyped-def]
    """Split quads of original (M, 4) again, if a vertex of theirs has moved: see `sharp_edges`. folded (N,) is set
    where a quad looks against its surface even so."""
    for n in range(start, stop):
        i = which[n]
        a, b, c, d = original[i, 0], original[i, 1], original[i, 2], original[i, 3]
        moving = False
        for k in range(4):
            mover = movers.place[original[i, k]]
            moving = moving or (mover >= 0 and movers.live[mover])
        odd = False
        if moving:
            code, turn = codes[quad[i]], turns[i]
            least = least_cosine(primitives, points, code, turn, a, b, c, d)
            other = least_cosine(primitives, points, code, turn, b, c, d, a)
            odd = other > least + ROUNDING
            folded[n] = max(least, other) < -ROUNDING
        for k in range(4):
            quads[quad[i], k] = original[i, (k + 1) & 3 if odd else k]


@kernel
def farthest_of(groups, movers, back):  # type: ignore[no-untyped-def]
    """Set back (N,) for the vertices that go farthest in a group of vertices of the mesh (G, K), of those that have
    moved."""
    for g in range(len(groups)):
        found = -1
        for k in range(groups.shape[1]):
            found = farther_of(movers, found, groups[g, k])
        if found >= 0:
            back[found] = True
