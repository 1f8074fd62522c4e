"""Ironing of ragged places by a compiled kernel. See `contour.fairing`."""

import math
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ....contour.fairing import BEVEL, FOLD, HELD, IRONED_RINGS, IRONINGS, LEAST_GAIN, STEP
from ....formulas.hermite import ROUNDING
from ....model.bricks import LOWEST
from ....model.mesh import DualMesh
from ....runtime.progress import with_progress
from ....runtime.threads import over_rows
from ..compiler.decorators import force_inlined, kernel, subroutine
from .connecting import has_any, least_linked, spread, touching, twin_sides
from .overlaps import QUADS_PER_RUN, Array, Mask, Movers, Numbers, boxes_of, mark_overlaps, near_boxes

MOST_FACES = 32
TRIES = 9
PARTS_PER_RUN = 16


class Fans(NamedTuple):
    """The triangles around some vertices.

    Attributes:
        vertex: (N,).    part: (P + 1,) part p has vertex[part[p] : part[p + 1]]. No face touches two parts.
        triangles: (T, 3).    across: (3 T,) the triangle beyond each of their sides, -1 for none.
        first, corner: vertex i is at the corners corner[first[i] : first[i + 1]] of triangles.
    """

    vertex: npt.NDArray[np.int64]
    part: npt.NDArray[np.int64]
    triangles: Numbers
    across: Numbers
    first: npt.NDArray[np.int64]
    corner: Numbers

    @classmethod
    def of(cls, mesh: DualMesh, quad: npt.NDArray[np.int64], chosen: Mask) -> "Fans":
        """The fans of the vertices chosen (V,). Quads (M,) are all around them, and around the corners of these."""
        quads = mesh.quads.take(quad, axis=0)
        triangles = np.concatenate([quads[:, :3], quads[:, [0, 2, 3]]])
        a, b, c = triangles.T
        triangles = triangles.compress((a != b) & (b != c) & (c != a), axis=0)
        across = (twin_sides(triangles) // 3).astype(np.int32)
        root = least_linked(quads[has_any(quads, chosen)], len(chosen))
        vertex = np.flatnonzero(chosen)
        vertex = vertex[np.argsort(root[vertex], kind="stable")]
        part = np.flatnonzero(np.diff(root[vertex], prepend=-1, append=-1))
        place = np.full(len(chosen), -1, dtype=np.int64)
        place[vertex] = np.arange(len(vertex))
        corner = np.flatnonzero(chosen[triangles.ravel()])
        owner = place[triangles.ravel()[corner]]
        first = np.concatenate([[0], np.cumsum(np.bincount(owner, minlength=len(vertex)))])
        return cls(vertex, part, triangles, across, first, corner[np.argsort(owner, kind="stable")].astype(np.int32))


class FanScratch(NamedTuple):
    """Scratch buffers for one vertex and the triangles around it.

    Attributes:
        ends: (F, 2) the other corners of each, in order.    after: (F,) the triangle beyond the side to the second.
        length: (F,) of the side between them.    outer, normals: (F, 3) beyond that side, and of the triangle itself.
        home: (3,) where the vertex is.    mean: (3,) of its neighbours.    best: (3,) the best place so far.
    """

    ends: npt.NDArray[np.int64]
    after: npt.NDArray[np.int64]
    length: Array
    outer: Array
    normals: Array
    home: Array
    mean: Array
    best: Array

    @classmethod
    def of(cls) -> "FanScratch":
        """Buffers for any vertex."""
        most = MOST_FACES
        return cls(
            np.empty((most, 2), np.int64), np.empty(most, np.int64), np.empty(most), np.empty((most, 3)),
            np.empty((most, 3)), np.empty(3), np.empty(3), np.empty(3),
        )  # fmt: skip


def iron(mesh: DualMesh, seeds: Mask, fixed: Mask | None) -> None:
    """Iron sharp folds of stock and caps near some vertices (V,), but for the fixed (V,) ones. The points change."""
    if not seeds.any():
        return
    reached = seeds
    for _ in range(IRONED_RINGS):
        inner, reached = reached, np.zeros(len(seeds), dtype=np.bool_)
        over_rows(spread, len(mesh.quads), QUADS_PER_RUN, mesh.quads, inner, reached)
    quad = touching(mesh.quads, reached)
    codes = mesh.codes[quad]
    chosen, first = np.zeros(len(seeds), dtype=np.bool_), np.full(len(seeds), -1, dtype=np.int32)
    mark_folds(mesh.points, mesh.quads, quad, first, np.empty((2 * len(quad), 3)), chosen)
    chosen &= reached if fixed is None else reached & ~fixed
    chosen[mesh.quads[quad[(codes < 0) & (codes != LOWEST)]]] = False
    if not chosen.any():
        return
    quad = quad[_has_any(mesh, quad, mesh.quads[quad[_has_any(mesh, quad, np.flatnonzero(chosen))]])]
    fans = Fans.of(mesh, quad, chosen)
    home, parts = mesh.points.take(fans.vertex, axis=0), len(fans.part) - 1
    for _ in with_progress(range(IRONINGS)):
        over_rows(iron_parts, parts, PARTS_PER_RUN, mesh.points, fans, home, chosen, scratch=FanScratch.of)
    _separate(mesh, quad, fans.vertex, home)


def _separate(mesh: DualMesh, quad: npt.NDArray[np.int64], vertex: npt.NDArray[np.int64], home: Array) -> None:
    """Return vertices (N,) whose quads overlap others to where they were (N, 3). Quads (M,) are all around them."""
    distance = np.sqrt(((mesh.points.take(vertex, axis=0) - home) ** 2).sum(axis=1))
    place = np.full(len(mesh.points), -1, dtype=np.int32)
    place[vertex] = np.arange(len(vertex), dtype=np.int32)
    movers = Movers(place, distance > 0.0, distance)
    changed = quad[_has_any(mesh, quad, vertex[movers.moved])]
    around = np.flatnonzero(near_boxes(mesh.points, mesh.quads, boxes_of(mesh.points, mesh.quads, changed)))
    while len(changed):
        returning = mark_overlaps(mesh.points, mesh.quads, around, changed, movers)
        movers.moved[returning] = False
        mesh.points[vertex[returning]] = home[returning]
        changed = quad[_has_any(mesh, quad, vertex[returning])]


def _has_any(mesh: DualMesh, quad: npt.NDArray[np.int64], vertex: npt.NDArray[np.integer]) -> Mask:
    """(M,) which quads (M,) have one of some vertices."""
    found = np.zeros(len(mesh.points), dtype=np.bool_)
    found[vertex] = True
    return has_any(mesh.quads.take(quad, axis=0), found)


@force_inlined
def unit_normal_of(points, a, b, c):  # type: ignore[no-untyped-def]
    """The unit normal of a triangle; 0 if it has no area."""
    ux, uy, uz = points[b, 0] - points[a, 0], points[b, 1] - points[a, 1], points[b, 2] - points[a, 2]
    vx, vy, vz = points[c, 0] - points[a, 0], points[c, 1] - points[a, 1], points[c, 2] - points[a, 2]
    x, y, z = uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx
    square = x * x + y * y + z * z
    scale = 1.0 / math.sqrt(square) if square > ROUNDING * ROUNDING else 0.0
    return x * scale, y * scale, z * scale


@force_inlined
def length_of(points, a, b):  # type: ignore[no-untyped-def]
    """The distance between two vertices."""
    x, y, z = points[b, 0] - points[a, 0], points[b, 1] - points[a, 1], points[b, 2] - points[a, 2]
    return math.sqrt(x * x + y * y + z * z)


@force_inlined
def fold(ax, ay, az, bx, by, bz):  # type: ignore[no-untyped-def]
    """How sharply two triangles meet, by their unit normals. See `contour.fairing`."""
    square = (ax - bx) * (ax - bx) + (ay - by) * (ay - by) + (az - bz) * (az - bz)
    return math.sqrt(square) + BEVEL * square


@kernel
def mark_folds(points, quads, which, first, normals, sharp):  # type: ignore[no-untyped-def]
    """Set sharp (V,) where halves of quads `which` (M,) make a sharp fold.

    first (V,), -1 before, and normals (2 M, 3) are set to a half at each vertex, and to the normal of each half.
    """
    for n in range(2 * len(which)):
        q, half = which[n >> 1], n & 1
        a, b, c = quads[q, 0], quads[q, 1 + half], quads[q, 2 + half]
        normals[n, 0], normals[n, 1], normals[n, 2] = unit_normal_of(points, a, b, c)
        for v in (a, b, c):
            if first[v] < 0:
                first[v] = n
            m = first[v]
            sharp[v] |= (
                fold(normals[m, 0], normals[m, 1], normals[m, 2], normals[n, 0], normals[n, 1], normals[n, 2]) >= FOLD
            )


@subroutine
def gather_fan(points, fans, i, fan):  # type: ignore[no-untyped-def]
    """Set `fan` to the triangles around vertex i. Return their number, 0 if they do not close around it."""
    count = fans.first[i + 1] - fans.first[i]
    count = count if count <= MOST_FACES else 0
    for n in range(count):
        t, k = fans.corner[fans.first[i] + n] // 3, fans.corner[fans.first[i] + n] % 3
        fan.ends[n, 0], fan.ends[n, 1] = fans.triangles[t, (k + 1) % 3], fans.triangles[t, (k + 2) % 3]
        fan.length[n] = length_of(points, fan.ends[n, 0], fan.ends[n, 1])
    for n in range(count):
        fan.after[n] = -1
        for m in range(count):
            if fan.ends[m, 0] == fan.ends[n, 1]:
                fan.after[n] = m
        corner = fans.corner[fans.first[i] + n]
        beyond = fans.across[corner + 1 if corner % 3 < 2 else corner - 2]
        if fan.after[n] < 0 or beyond < 0:
            return 0
        a, b, c = fans.triangles[beyond, 0], fans.triangles[beyond, 1], fans.triangles[beyond, 2]
        fan.outer[n, 0], fan.outer[n, 1], fan.outer[n, 2] = unit_normal_of(points, a, b, c)
    return count


@subroutine
def sum_folds(points, v, fan, count):  # type: ignore[no-untyped-def]
    """The sum of length times fold over the sides in the fan of vertex v and around it, and the sharpest fold."""
    normals, outer = fan.normals, fan.outer
    total, sharpest = 0.0, 0.0
    for n in range(count):
        normals[n, 0], normals[n, 1], normals[n, 2] = unit_normal_of(points, v, fan.ends[n, 0], fan.ends[n, 1])
    for n in range(count):
        m = fan.after[n]
        own = fold(normals[n, 0], normals[n, 1], normals[n, 2], normals[m, 0], normals[m, 1], normals[m, 2])
        far = fold(normals[n, 0], normals[n, 1], normals[n, 2], outer[n, 0], outer[n, 1], outer[n, 2])
        total += own * length_of(points, v, fan.ends[n, 1]) + far * fan.length[n]
        sharpest = max(sharpest, own, far)
    return total, sharpest


@kernel
def iron_parts(start, stop, points, fans, home, stale, fan):  # type: ignore[no-untyped-def]
    """Iron parts of `fans` once, one vertex after the other. home (N, 3) is where each was at first.

    Only stale (V,) ones are tried. It is unset for those, and set for the vertices around one that moves.
    """
    for i in range(fans.part[start], fans.part[stop]):
        v = fans.vertex[i]
        count = gather_fan(points, fans, i, fan) if stale[v] else 0
        stale[v] = False
        if count == 0:
            continue
        least, sharpest = sum_folds(points, v, fan, count)
        if sharpest < FOLD:
            continue
        for axis in range(3):
            fan.home[axis], fan.best[axis], fan.mean[axis] = points[v, axis], points[v, axis], 0.0
            for n in range(count):
                fan.mean[axis] += points[fan.ends[n, 0], axis] / count
        least += HELD * square_between(points[v], home[i]) - LEAST_GAIN
        moves = False
        for n in range(TRIES):
            for axis in range(3):
                if n < 3:
                    points[v, axis] = fan.home[axis] + (n + 1) / 3 * (fan.mean[axis] - fan.home[axis])
                else:
                    step = STEP if n % 2 else -STEP
                    points[v, axis] = fan.home[axis] + (step if (n - 3) // 2 == axis else 0.0)
            total, _ = sum_folds(points, v, fan, count)
            total += HELD * square_between(points[v], home[i])
            if total < least:
                least, moves = total, True
                for axis in range(3):
                    fan.best[axis] = points[v, axis]
        for axis in range(3):
            points[v, axis] = fan.best[axis]
        if moves:
            stale[v] = True
            for n in range(count):
                stale[fan.ends[n, 0]] = True


@force_inlined
def square_between(p, q):  # type: ignore[no-untyped-def]
    """The squared distance between points (3,)."""
    x, y, z = p[0] - q[0], p[1] - q[1], p[2] - q[2]
    return x * x + y * y + z * z
