"""Faces that overlap, compiled by numba: the steps of `overlaps`, pair by pair, with the same numbers."""

import math

import numba
import numpy as np

from .numba_kernels import bare, inlined, parallel, serial
from .overlaps import COMMON, FLAT, STRETCH, TOUCH

LEAST_CELL = 2.0  # voxels: side of the cells that list quads
MOST_CELLS = 128  # along an axis
QUADS_PER_TASK = 256


@inlined
def farther_of(movers, found, vertex):  # type: ignore[no-untyped-def]
    """Of a mover, -1 for none, and a vertex of the mesh, which mover went farther; of two as far, the first."""
    mover = movers.place[vertex]
    if mover >= 0 and movers.live[mover]:  # noqa: SIM102 - so that numba need not know off[-1]
        if found < 0 or (movers.off[mover], -mover) > (movers.off[found], -found):
            found = mover
    return found


@bare
def box_of(points, quads, q, box):  # type: ignore[no-untyped-def]
    """Set box (2, 3) to the least and greatest corner of quad q."""
    for i in range(3):
        a, b, c, d = points[quads[q, 0], i], points[quads[q, 1], i], points[quads[q, 2], i], points[quads[q, 3], i]
        box[0, i], box[1, i] = min(a, b, c, d), max(a, b, c, d)


@bare
def cells_of(box, low, size, cells):  # type: ignore[no-untyped-def]
    """Set cells (2, 3) to the first and the last cell that a box (2, 3) reaches, of a grid that begins at low (3,)."""
    for end in range(2):
        for i in range(3):
            cells[end, i] = math.floor((box[end, i] - low[i]) / size)


@serial
def list_quads(points, quads, changed):  # type: ignore[no-untyped-def]
    """The quads `changed` (C,) by cells of a grid around them.

    Returns:
        low: (3,) where the grid begins.    size: of its cells.    side: (3,) how many there are.
        first, quad: in cell c there are quad[first[c] : first[c + 1]].
    """
    box, cells = np.empty((2, 3)), np.empty((2, 3), np.int64)
    low, high = np.full(3, np.inf), np.full(3, -np.inf)
    for c in changed:
        box_of(points, quads, c, box)
        for i in range(3):
            low[i], high[i] = min(low[i], box[0, i]), max(high[i], box[1, i])
    size = max(LEAST_CELL, (high - low).max() / MOST_CELLS)
    side = np.empty(3, np.int64)
    for i in range(3):
        side[i] = math.floor((high[i] - low[i]) / size) + 1
    first, quad = np.zeros(side[0] * side[1] * side[2] + 2, np.int64), np.empty(0, np.int64)
    for fill in range(2):
        for c in changed:
            box_of(points, quads, c, box)
            cells_of(box, low, size, cells)
            for z in range(cells[0, 2], cells[1, 2] + 1):
                for y in range(cells[0, 1], cells[1, 1] + 1):
                    for x in range(cells[0, 0], cells[1, 0] + 1):
                        cell = (z * side[1] + y) * side[0] + x
                        if fill:
                            quad[first[cell + 1]] = c
                            first[cell + 1] += 1
                        else:
                            first[cell + 2] += 1
        if not fill:
            first = np.cumsum(first)
            quad = np.empty(first[-1], np.int64)
    return low, size, side, first, quad


@inlined
def height(points, corner, x, y, z, nx, ny, nz):  # type: ignore[no-untyped-def]
    """How high a point of the mesh lies over the plane through (x, y, z) with a normal."""
    return nx * (points[corner, 0] - x) + ny * (points[corner, 1] - y) + nz * (points[corner, 2] - z)


@bare
def plane_of(points, a, b, c):  # type: ignore[no-untyped-def]
    """The normal of a triangle, of length 1; 0 where it has none."""
    ux, uy, uz = points[b, 0] - points[a, 0], points[b, 1] - points[a, 1], points[b, 2] - points[a, 2]
    vx, vy, vz = points[c, 0] - points[a, 0], points[c, 1] - points[a, 1], points[c, 2] - points[a, 2]
    x, y, z = uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx
    length = math.sqrt(x * x + y * y + z * z)
    scale = length if length > 0.0 else 1.0
    return x / scale, y / scale, z / scale


@bare
def stretch(p, q, r, f, g, h, touch):  # type: ignore[no-untyped-def]
    """From where to where a plane cuts a triangle, whose corners are at places p, q, r and heights f, g, h."""
    low, high = np.inf, -np.inf
    for side in range(3):
        here, there = (p, q) if side == 0 else ((q, r) if side == 1 else (r, p))
        above, other = (f, g) if side == 0 else ((g, h) if side == 1 else (h, f))
        if (above > 0) != (other > 0):
            at = here + above / (above - other) * (there - here)
            low, high = min(low, at), max(high, at)
        if abs(above) <= touch:
            low, high = min(low, here), max(high, here)
    return low, high


@bare
def meet(points, one, two, joined):  # type: ignore[no-untyped-def]
    """Whether triangles with these corners (3,) overlap: see `overlaps._meet`."""
    a, b, c = one[0], one[1], one[2]
    d, e, f = two[0], two[1], two[2]
    mx, my, mz = plane_of(points, a, b, c)
    x, y, z = points[a, 0], points[a, 1], points[a, 2]
    hd, he, hf = (
        height(points, d, x, y, z, mx, my, mz),
        height(points, e, x, y, z, mx, my, mz),
        height(points, f, x, y, z, mx, my, mz),
    )
    if min(hd, he, hf) > TOUCH or max(hd, he, hf) < -TOUCH:
        return False
    nx, ny, nz = plane_of(points, d, e, f)
    x, y, z = points[d, 0], points[d, 1], points[d, 2]
    ha, hb, hc = (
        height(points, a, x, y, z, nx, ny, nz),
        height(points, b, x, y, z, nx, ny, nz),
        height(points, c, x, y, z, nx, ny, nz),
    )
    if min(ha, hb, hc) > TOUCH or max(ha, hb, hc) < -TOUCH:
        return False
    x, y, z = my * nz - mz * ny, mz * nx - mx * nz, mx * ny - my * nx
    square = x * x + y * y + z * z
    most = max(abs(ha), abs(hb), abs(hc), abs(hd), abs(he), abs(hf))
    if square <= TOUCH * TOUCH or most <= FLAT:
        return False
    length, touch = math.sqrt(square), COMMON if joined else TOUCH
    x, y, z = x / length, y / length, z / length
    pa, pb, pc = place(points, a, x, y, z), place(points, b, x, y, z), place(points, c, x, y, z)
    pd, pe, pf = place(points, d, x, y, z), place(points, e, x, y, z), place(points, f, x, y, z)
    low, high = stretch(pa, pb, pc, ha, hb, hc, touch)
    other_low, other_high = stretch(pd, pe, pf, hd, he, hf, touch)
    return min(high, other_high) - max(low, other_low) > (STRETCH if joined else -TOUCH)


@inlined
def place(points, corner, x, y, z):  # type: ignore[no-untyped-def]
    """Where a point of the mesh lies along a line."""
    return points[corner, 0] * x + points[corner, 1] * y + points[corner, 2] * z


@bare
def boxes_touch(points, one, two):  # type: ignore[no-untyped-def]
    """Whether the boxes around triangles with these corners (3,) do."""
    for i in range(3):
        a, b, c = points[one[0], i], points[one[1], i], points[one[2], i]
        d, e, f = points[two[0], i], points[two[1], i], points[two[2], i]
        if min(a, b, c) > max(d, e, f) or min(d, e, f) > max(a, b, c):
            return False
    return True


@bare
def mark_pair(points, quads, one, two, movers, corners, back):  # type: ignore[no-untyped-def]
    """Of the halves of quads one and two that overlap, mark the vertex that went farthest to go back.

    corners (2, 3) int32 are written to; back is of the movers.
    """
    for half in range(4):
        common = 0
        for k in range(3):
            corners[0, k] = quads[one, 0 if k == 0 else k + (half >> 1)]
            corners[1, k] = quads[two, 0 if k == 0 else k + (half & 1)]
        for k in range(3):
            for n in range(3):
                common += corners[0, k] == corners[1, n]
        if common < 2 and boxes_touch(points, corners[0], corners[1]) and meet(points, corners[0], corners[1], common):
            found = -1
            for k in range(3):
                found = farther_of(movers, farther_of(movers, found, corners[0, k]), corners[1, k])
            if found >= 0:
                back[found] = True


@parallel
def mark_overlaps(points, quads, changed, movers):  # type: ignore[no-untyped-def]
    """Which movers (N,) go back, because a half of one of the quads `changed` (C,) overlaps another."""
    low, size, side, first, listed = list_quads(points, quads, changed)
    back, is_changed = np.zeros(len(movers.live), np.bool_), np.zeros(len(quads), np.bool_)
    is_changed[changed] = True
    for task in numba.prange(-(-len(quads) // QUADS_PER_TASK)):
        box, other, shared = np.empty((2, 3)), np.empty((2, 3)), np.empty((2, 3))
        cells, least, corners = np.empty((2, 3), np.int64), np.empty((2, 3), np.int64), np.empty((2, 3), np.int32)
        for q in range(task * QUADS_PER_TASK, min((task + 1) * QUADS_PER_TASK, len(quads))):
            box_of(points, quads, q, box)
            cells_of(box, low, size, cells)
            for z in range(max(cells[0, 2], 0), min(cells[1, 2], side[2] - 1) + 1):
                for y in range(max(cells[0, 1], 0), min(cells[1, 1], side[1] - 1) + 1):
                    for x in range(max(cells[0, 0], 0), min(cells[1, 0], side[0] - 1) + 1):
                        cell = (z * side[1] + y) * side[0] + x
                        for c in listed[first[cell] : first[cell + 1]]:
                            # Two that have changed find each other twice.
                            if c == q or (is_changed[q] and c < q):
                                continue
                            box_of(points, quads, c, other)
                            touch = True
                            for i in range(3):
                                touch = touch and box[0, i] <= other[1, i] and other[0, i] <= box[1, i]
                                shared[0, i], shared[1, i] = max(box[0, i], other[0, i]), 0.0
                            if not touch:
                                continue
                            # They share several cells: the one at the least corner of what they share counts.
                            cells_of(shared, low, size, least)
                            if least[0, 0] == x and least[0, 1] == y and least[0, 2] == z:
                                one, two = (q, c) if is_changed[q] else (c, q)
                                mark_pair(points, quads, one, two, movers, corners, back)
    return back
