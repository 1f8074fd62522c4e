"""Which triangles of a mesh overlap, compiled by numba: run through each other, or touch where they share no corner.

Two triangles with two common corners never count, and two in one plane do not either. Of others, both have a stretch on
the line where their planes meet, and these stretches overlap (Moeller 1997). Those that share a corner must share more
than that, which cannot be where the others lie on one side.
"""

import math
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ....runtime.threads import in_runs
from ..compiler.decorators import inlined, kernel, merged, part

Array = npt.NDArray[np.float64]
Mask = npt.NDArray[np.bool_]
Quads = npt.NDArray[np.int32]

# In voxels: what counts as a common plane, and as a touch; of two with a common corner, how near to the other's plane
# one is on it, and what counts as a stretch that they share.
FLAT = 2e-5
TOUCH = 1e-4
COMMON = 1e-6
STRETCH = 1e-3

LEAST_CELL = 2.0  # voxels: side of the cells that list boxes
MOST_CELLS = 128  # along an axis
QUADS_PER_RUN = 1 << 12


class Movers(NamedTuple):
    """Vertices on their way.

    Attributes:
        place: (V,) int32, of each vertex of the mesh among them, -1 for none.
        live: (N,) whether it has moved, and not gone back.
        off: (N,) how far it went.
    """

    place: npt.NDArray[np.int32]
    live: npt.NDArray[np.bool_]
    off: npt.NDArray[np.float64]


@inlined
def farther_of(movers, found, vertex):  # type: ignore[no-untyped-def]
    """Of a mover, -1 for none, and a vertex of the mesh, which mover went farther; of two as far, the first."""
    mover = movers.place[vertex]
    if mover >= 0 and movers.live[mover]:  # noqa: SIM102 - so that numba need not know off[-1]
        if found < 0 or (movers.off[mover], -mover) > (movers.off[found], -found):
            found = mover
    return found


@merged
def box_of(points, quads, q, box):  # type: ignore[no-untyped-def]
    """Set box (6,) to the least and then the greatest corner of quad q."""
    for i in range(3):
        a, b, c, d = points[quads[q, 0], i], points[quads[q, 1], i], points[quads[q, 2], i], points[quads[q, 3], i]
        box[i], box[3 + i] = min(a, b, c, d), max(a, b, c, d)


@kernel
def find_boxes(start, stop, points, quads, which, boxes):  # type: ignore[no-untyped-def]
    """Set boxes (N, 6) by `box_of`, of quads `which` (N,)."""
    for n in range(start, stop):
        box_of(points, quads, which[n], boxes[n])


def boxes_of(points: Array, quads: Quads, which: npt.NDArray[np.int64]) -> Array:
    """(N, 6) the least and then the greatest corner of quads `which` (N,)."""
    boxes = np.empty((len(which), 6))
    in_runs(find_boxes, len(which), QUADS_PER_RUN, points, quads, which, boxes)
    return boxes


class Listing(NamedTuple):
    """Boxes by the cells of a grid around them.

    Attributes:
        boxes: (N, 6).    low: (3,) where the grid begins.    per_length: how many cells there are in 1.
        side: (3,) how many cells there are.
        first, listed: in cell c there are listed[first[c] : first[c + 1]] of the boxes.
    """

    boxes: Array
    low: Array
    per_length: float
    side: npt.NDArray[np.int64]
    first: npt.NDArray[np.int64]
    listed: npt.NDArray[np.int64]

    @classmethod
    def of(cls, boxes: Array) -> "Listing":
        """Boxes (N, 6), one at least."""
        low, high = boxes[:, :3].min(axis=0), boxes[:, 3:].max(axis=0)
        per_length = 1.0 / max(LEAST_CELL, float((high - low).max()) / MOST_CELLS)
        side = ((high - low) * per_length).astype(np.int64) + 1
        place = np.zeros(int(side.prod()) + 2, dtype=np.int64)
        list_boxes(boxes, low, per_length, side, place, 2, np.empty(0, dtype=np.int64))
        place = np.cumsum(place)
        listed = np.empty(int(place[-1]), dtype=np.int64)
        list_boxes(boxes, low, per_length, side, place, 1, listed)
        return cls(boxes, low, per_length, side, place, listed)


@kernel
def list_boxes(boxes, low, per_length, side, place, ahead, listed):  # type: ignore[no-untyped-def]
    """Count the boxes of each cell c in place[c + ahead], and where `listed` is not empty, list them from there on."""
    for n in range(len(boxes)):
        x, y, z, to_x, to_y, to_z = cells_of(boxes[n], low, per_length, side)
        for k in range(z, to_z + 1):
            for j in range(y, to_y + 1):
                for i in range(x, to_x + 1):
                    cell = (k * side[1] + j) * side[0] + i + ahead
                    if len(listed):
                        listed[place[cell]] = n
                    place[cell] += 1


@inlined
def cell_at(x, low, per_length):  # type: ignore[no-untyped-def]
    """The cell along one axis at a place that is not before the first."""
    return int((x - low) * per_length)


@merged
def cells_of(box, low, per_length, side):  # type: ignore[no-untyped-def]
    """The first and the last cell of a grid that a box (6,) reaches, along x, y and z; none where it is beyond."""
    x, y, z = box[0] - low[0], box[1] - low[1], box[2] - low[2]
    to_x, to_y, to_z = box[3] - low[0], box[4] - low[1], box[5] - low[2]
    if to_x < 0.0 or to_y < 0.0 or to_z < 0.0:
        return 0, 0, 0, -1, -1, -1
    return (
        int(max(x, 0.0) * per_length),
        int(max(y, 0.0) * per_length),
        int(max(z, 0.0) * per_length),
        min(int(to_x * per_length), side[0] - 1),
        min(int(to_y * per_length), side[1] - 1),
        min(int(to_z * per_length), side[2] - 1),
    )


@inlined
def height(points, corner, x, y, z, nx, ny, nz):  # type: ignore[no-untyped-def]
    """How high a point of the mesh lies over the plane through (x, y, z) with a normal."""
    return nx * (points[corner, 0] - x) + ny * (points[corner, 1] - y) + nz * (points[corner, 2] - z)


@merged
def plane_of(points, a, b, c):  # type: ignore[no-untyped-def]
    """The normal of a triangle, of length 1; 0 where it has none."""
    ux, uy, uz = points[b, 0] - points[a, 0], points[b, 1] - points[a, 1], points[b, 2] - points[a, 2]
    vx, vy, vz = points[c, 0] - points[a, 0], points[c, 1] - points[a, 1], points[c, 2] - points[a, 2]
    x, y, z = uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx
    length = math.sqrt(x * x + y * y + z * z)
    scale = length if length > 0.0 else 1.0
    return x / scale, y / scale, z / scale


@merged
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


@merged
def surely_apart(points, a, b, c, d, e, f):  # type: ignore[no-untyped-def]
    """Whether the corners of one triangle, a, b, c and d, e, f, but for common ones, surely lie on one side of the
    other's plane, or all in it: found for most, and cheaply, as no normal is made 1 long for it."""
    is_flat = True
    for _ in range(2):
        x, y, z = points[a, 0], points[a, 1], points[a, 2]
        ux, uy, uz = points[b, 0] - x, points[b, 1] - y, points[b, 2] - z
        vx, vy, vz = points[c, 0] - x, points[c, 1] - y, points[c, 2] - z
        nx, ny, nz = uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx
        square = nx * nx + ny * ny + nz * nz
        far, near = 4 * TOUCH * TOUCH * square, FLAT * FLAT * square / 4
        above, below = True, True
        for corner in (d, e, f):
            up = height(points, corner, x, y, z, nx, ny, nz)
            is_flat = is_flat and up * up < near
            if corner != a and corner != b and corner != c:
                above, below = above and up > 0.0 and up * up > far, below and up < 0.0 and up * up > far
        if above or below:
            return True
        a, b, c, d, e, f = d, e, f, a, b, c
    return is_flat


@merged
def one_side(p, q, r, p_counts, q_counts, r_counts):  # type: ignore[no-untyped-def]
    """Whether the heights of three corners over a plane, of those that count, are all over TOUCH or under -TOUCH."""
    above = (p > TOUCH or not p_counts) and (q > TOUCH or not q_counts) and (r > TOUCH or not r_counts)
    below = (p < -TOUCH or not p_counts) and (q < -TOUCH or not q_counts) and (r < -TOUCH or not r_counts)
    return above or below


@part
def meet(points, a, b, c, d, e, f, joined):  # type: ignore[no-untyped-def]
    """Whether triangles with corners a, b, c and d, e, f overlap: see `overlaps`."""
    mx, my, mz = plane_of(points, a, b, c)
    x, y, z = points[a, 0], points[a, 1], points[a, 2]
    hd, he, hf = (
        height(points, d, x, y, z, mx, my, mz),
        height(points, e, x, y, z, mx, my, mz),
        height(points, f, x, y, z, mx, my, mz),
    )
    if one_side(hd, he, hf, d != a and d != b and d != c, e != a and e != b and e != c, f != a and f != b and f != c):
        return False
    nx, ny, nz = plane_of(points, d, e, f)
    x, y, z = points[d, 0], points[d, 1], points[d, 2]
    ha, hb, hc = (
        height(points, a, x, y, z, nx, ny, nz),
        height(points, b, x, y, z, nx, ny, nz),
        height(points, c, x, y, z, nx, ny, nz),
    )
    if one_side(ha, hb, hc, a != d and a != e and a != f, b != d and b != e and b != f, c != d and c != e and c != f):
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


@inlined
def boxes_touch(points, a, b, c, d, e, f):  # type: ignore[no-untyped-def]
    """Whether the boxes around triangles with corners a, b, c and d, e, f do."""
    touch = True
    for i in range(3):
        p, q, r = points[a, i], points[b, i], points[c, i]
        u, v, w = points[d, i], points[e, i], points[f, i]
        touch = touch and min(p, q, r) <= max(u, v, w) and min(u, v, w) <= max(p, q, r)
    return touch


@merged
def farthest(movers, a, b, c, d, e, f):  # type: ignore[no-untyped-def]
    """Which mover among vertices of the mesh went farthest, -1 for none."""
    found = farther_of(movers, farther_of(movers, farther_of(movers, np.int64(-1), a), b), c)
    return farther_of(movers, farther_of(movers, farther_of(movers, found, d), e), f)


@part
def mark_pair(points, quads, one, two, movers, back):  # type: ignore[no-untyped-def]
    """Of the halves of quads one and two that overlap, mark the vertex that went farthest to go back (N,)."""
    a, d = quads[one, 0], quads[two, 0]
    for half in range(2):
        b, c = quads[one, 1 + half], quads[one, 2 + half]
        for other in range(2):
            e, f = quads[two, 1 + other], quads[two, 2 + other]
            common = (a == d) + (a == e) + (a == f) + (b == d) + (b == e) + (b == f) + (c == d) + (c == e) + (c == f)
            if common > 1 or not boxes_touch(points, a, b, c, d, e, f) or surely_apart(points, a, b, c, d, e, f):
                continue
            if meet(points, a, b, c, d, e, f, common == 1):
                found = farthest(movers, a, b, c, d, e, f)
                if found >= 0:
                    back[found] = True


@merged
def mark_near(points, quads, q, box, is_changed, changed, listing, movers, back):  # type: ignore[no-untyped-def]
    """As `mark_overlaps`, of quad q in a box (6,) with those in the cells that the box reaches: see `Listing`."""
    boxes, low, per_length, side, first, listed = listing
    x, y, z, to_x, to_y, to_z = cells_of(box, low, per_length, side)
    for k in range(z, to_z + 1):
        for j in range(y, to_y + 1):
            for i in range(x, to_x + 1):
                cell = (k * side[1] + j) * side[0] + i
                for n in range(first[cell], first[cell + 1]):
                    own = boxes[listed[n]]
                    touch = (
                        (box[0] <= own[3]) & (own[0] <= box[3])
                        & (box[1] <= own[4]) & (own[1] <= box[4])
                        & (box[2] <= own[5]) & (own[2] <= box[5])
                    )  # fmt: skip
                    if not touch:
                        continue
                    # Two that have changed find each other twice.
                    other = changed[listed[n]]
                    if other == q or (is_changed[q] and other < q):
                        continue
                    # They share several cells: the one at the least corner of what they share counts.
                    if (
                        i == cell_at(max(box[0], own[0]), low[0], per_length)
                        and j == cell_at(max(box[1], own[1]), low[1], per_length)
                        and k == cell_at(max(box[2], own[2]), low[2], per_length)
                    ):
                        one, two = (q, other) if is_changed[q] else (other, q)
                        mark_pair(points, quads, one, two, movers, back)


@kernel
def find_near(start, stop, points, quads, listing, near, box):  # type: ignore[no-untyped-def]
    """As `near_boxes`, with the list of the boxes."""
    _, low, per_length, side, first, _ = listing
    for q in range(start, stop):
        box_of(points, quads, q, box)
        x, y, z, to_x, to_y, to_z = cells_of(box, low, per_length, side)
        for k in range(z, to_z + 1):
            for j in range(y, to_y + 1):
                row = (k * side[1] + j) * side[0]
                near[q] |= to_x >= x and first[row + to_x + 1] > first[row + x]


def near_boxes(points: Array, quads: Quads, boxes: Array) -> Mask:
    """(Q,) whether each quad may touch one of boxes (N, 6): all that do, and some that come near."""
    near = np.zeros(len(quads), dtype=np.bool_)
    if len(boxes):
        in_runs(find_near, len(quads), QUADS_PER_RUN, points, quads, Listing.of(boxes), near, room=_box)
    return near


def _box() -> Array:
    return np.empty(6)


@kernel
def mark_listed(start, stop, points, quads, which, is_changed, changed, listing, movers, back, box):  # type: ignore[no-untyped-def]
    """As `mark_overlaps`, of the quads `which`, with the list of the boxes of those that have changed."""
    for n in range(start, stop):
        box_of(points, quads, which[n], box)
        mark_near(points, quads, which[n], box, is_changed, changed, listing, movers, back)


def mark_overlaps(
    points: Array, quads: Quads, near: npt.NDArray[np.int64], changed: npt.NDArray[np.int64], movers: Movers
) -> Mask:
    """Which movers (N,) go back, because a half of one of the quads `changed` (C,) overlaps another, all of which are
    among `near` (M,)."""
    back, is_changed = np.zeros(len(movers.live), dtype=np.bool_), np.zeros(len(quads), dtype=np.bool_)
    if len(changed):
        is_changed[changed] = True
        arguments = (near, is_changed, changed, Listing.of(boxes_of(points, quads, changed)), movers, back)
        in_runs(mark_listed, len(near), QUADS_PER_RUN // 4, points, quads, *arguments, room=_box)
    return back
