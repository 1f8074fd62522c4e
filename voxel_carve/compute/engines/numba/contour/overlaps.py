"""Kernels that find overlapping triangles: those that cross, or that touch without a common corner.

Triangles with two common corners never count, nor do coplanar ones. Each of two other triangles has an interval on the
line where their planes meet; the triangles overlap if the intervals do (Moeller 1997). Triangles with a common corner
must have more than that point in common. They cannot if the other corners of one lie on one side of the other.
"""

import math
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ....runtime.threads import over_rows
from ..compiler.decorators import force_inlined, inlined, kernel, subroutine

Array = npt.NDArray[np.float64]
Mask = npt.NDArray[np.bool_]
Numbers = npt.NDArray[np.int32]

# In voxels: how near counts as coplanar, and as touching. For triangles with a common corner: how near a corner counts
# as on the other's plane, and how long the common interval must be.
COPLANAR = 2e-5
TOUCH = 1e-4
TOUCH_AT_CORNER = 1e-6
LEAST_OVERLAP = 1e-3

LEAST_CELL = 2.0  # voxels: side of a cell of `BoxGrid`
MOST_CELLS = 128  # along an axis
CELLS_PER_BOX = 64
QUADS_PER_RUN = 1 << 14  # of little work each, as where all of a mesh is read


class Movers(NamedTuple):
    """Vertices that snapping moves.

    Attributes:
        of_vertex: (V,) int32, the mover at each vertex of the mesh, -1 for none.
        moved: (N,) whether it is at its new place.
        distance: (N,) between its old and its new place.
    """

    of_vertex: npt.NDArray[np.int32]
    moved: npt.NDArray[np.bool_]
    distance: npt.NDArray[np.float64]


@inlined
def farther_of(movers, found, vertex):  # type: ignore[no-untyped-def]
    """The mover that moved farther: `found`, -1 for none, or the one at `vertex`. The first one wins a tie."""
    mover = movers.of_vertex[vertex]
    if mover >= 0 and movers.moved[mover]:  # noqa: SIM102 - distance[-1] must not be read
        if found < 0 or (movers.distance[mover], -mover) > (movers.distance[found], -found):
            found = mover
    return found


@force_inlined
def box_of(points, quads, q, box):  # type: ignore[no-untyped-def]
    """Set box (6,) to the least and the greatest corner of the box around quad q."""
    # All is read before anything is written. An index without a sign is not tested for counting from the end.
    a, b = np.uint64(quads[q, 0]), np.uint64(quads[q, 1])
    c, d = np.uint64(quads[q, 2]), np.uint64(quads[q, 3])
    ax, ay, az = points[a, 0], points[a, 1], points[a, 2]
    bx, by, bz = points[b, 0], points[b, 1], points[b, 2]
    cx, cy, cz = points[c, 0], points[c, 1], points[c, 2]
    dx, dy, dz = points[d, 0], points[d, 1], points[d, 2]
    box[0], box[1], box[2] = min(ax, bx, cx, dx), min(ay, by, cy, dy), min(az, bz, cz, dz)
    box[3], box[4], box[5] = max(ax, bx, cx, dx), max(ay, by, cy, dy), max(az, bz, cz, dz)


@kernel
def find_boxes(start, stop, points, quads, which, boxes):  # type: ignore[no-untyped-def]
    """Set boxes (N, 6) to those of quads `which` (N,). See `box_of`."""
    for n in range(start, stop):
        box_of(points, quads, which[n], boxes[n])


def boxes_of(points: Array, quads: Numbers, which: npt.NDArray[np.int64]) -> Array:
    """(N, 6) the boxes around quads `which` (N,). See `box_of`."""
    boxes = np.empty((len(which), 6))
    over_rows(find_boxes, len(which), QUADS_PER_RUN, points, quads, which, boxes)
    return boxes


class BoxGrid(NamedTuple):
    """A uniform grid that lists boxes by cell.

    Attributes:
        boxes: (N, 6).    low: (3,) the grid's least corner.    cells_per_unit: cells per unit of length.
        side: (3,) cells along each axis.
        first, listed: cell c lists the boxes listed[first[c] : first[c + 1]].
    """

    boxes: Array
    low: Array
    cells_per_unit: float
    side: npt.NDArray[np.int64]
    first: Numbers
    listed: Numbers

    @classmethod
    def of(cls, boxes: Array) -> "BoxGrid":
        """The grid of boxes (N, 6), at least one."""
        low, high = (
            np.array([of(boxes[:, i]) for i in own]) for of, own in ((np.min, range(3)), (np.max, range(3, 6)))
        )
        most = min(MOST_CELLS, round((CELLS_PER_BOX * len(boxes)) ** (1 / 3)))
        cells_per_unit = 1.0 / max(LEAST_CELL, float((high - low).max()) / most)
        side = ((high - low) * cells_per_unit).astype(np.int64) + 1
        place = np.zeros(int(side.prod()) + 2, dtype=np.int32)
        list_boxes(boxes, low, cells_per_unit, side, place, 2, np.empty(0, dtype=np.int32))
        np.cumsum(place, out=place, dtype=np.int32)
        listed = np.empty(int(place[-1]), dtype=np.int32)
        list_boxes(boxes, low, cells_per_unit, side, place, 1, listed)
        return cls(boxes, low, cells_per_unit, side, place, listed)


@kernel
def list_boxes(boxes, low, cells_per_unit, side, place, ahead, listed):  # type: ignore[no-untyped-def]
    """Count the boxes of each cell c in place[c + ahead]. List them from there on unless `listed` is empty."""
    for n in range(len(boxes)):
        x, y, z, to_x, to_y, to_z = cells_of(boxes[n], low, cells_per_unit, side)
        for k in range(z, to_z + 1):
            for j in range(y, to_y + 1):
                for i in range(x, to_x + 1):
                    cell = (k * side[1] + j) * side[0] + i + ahead
                    if len(listed):
                        listed[place[cell]] = n
                    place[cell] += 1


@inlined
def cell_at(x, low, cells_per_unit):  # type: ignore[no-untyped-def]
    """The cell at x along one axis; x is not below `low`."""
    return int((x - low) * cells_per_unit)


@force_inlined
def cells_of(box, low, cells_per_unit, side):  # type: ignore[no-untyped-def]
    """The first and last cells, along x, y and z, that a box (6,) reaches; an empty range if it is outside."""
    x, y, z = box[0] - low[0], box[1] - low[1], box[2] - low[2]
    to_x, to_y, to_z = box[3] - low[0], box[4] - low[1], box[5] - low[2]
    if to_x < 0.0 or to_y < 0.0 or to_z < 0.0:
        return 0, 0, 0, -1, -1, -1
    return (
        int(max(x, 0.0) * cells_per_unit),
        int(max(y, 0.0) * cells_per_unit),
        int(max(z, 0.0) * cells_per_unit),
        min(int(to_x * cells_per_unit), side[0] - 1),
        min(int(to_y * cells_per_unit), side[1] - 1),
        min(int(to_z * cells_per_unit), side[2] - 1),
    )


@inlined
def height(points, corner, x, y, z, nx, ny, nz):  # type: ignore[no-untyped-def]
    """The height of a point of the mesh over the plane through (x, y, z) with a normal."""
    return nx * (points[corner, 0] - x) + ny * (points[corner, 1] - y) + nz * (points[corner, 2] - z)


@force_inlined
def unit_normal(points, a, b, c):  # type: ignore[no-untyped-def]
    """The unit normal of a triangle; 0 if it has no area."""
    ux, uy, uz = points[b, 0] - points[a, 0], points[b, 1] - points[a, 1], points[b, 2] - points[a, 2]
    vx, vy, vz = points[c, 0] - points[a, 0], points[c, 1] - points[a, 1], points[c, 2] - points[a, 2]
    x, y, z = uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx
    length = math.sqrt(x * x + y * y + z * z)
    scale = length if length > 0.0 else 1.0
    return x / scale, y / scale, z / scale


@force_inlined
def cut_of_plane(p, q, r, f, g, h, touch):  # type: ignore[no-untyped-def]
    """The interval that a plane cuts from a triangle, with corners at p, q, r along the line and heights f, g, h."""
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


@force_inlined
def separated_by_plane(points, a, b, c, d, e, f, touch):  # type: ignore[no-untyped-def]
    """Whether one of triangles a, b, c and d, e, f is on one side of the other's plane, apart from common corners.

    Also true if both are coplanar. This test is cheap, because it normalises nothing, and it settles most pairs.
    """
    is_flat = True
    for _ in range(2):
        x, y, z = points[a, 0], points[a, 1], points[a, 2]
        ux, uy, uz = points[b, 0] - x, points[b, 1] - y, points[b, 2] - z
        vx, vy, vz = points[c, 0] - x, points[c, 1] - y, points[c, 2] - z
        nx, ny, nz = uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx
        square = nx * nx + ny * ny + nz * nz
        far, near = 4 * touch * touch * square, COPLANAR * COPLANAR * square / 4
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


@force_inlined
def same_side(p, q, r, p_counts, q_counts, r_counts, touch):  # type: ignore[no-untyped-def]
    """Whether those heights of three that count are all over `touch`, or all under minus that."""
    above = (p > touch or not p_counts) and (q > touch or not q_counts) and (r > touch or not r_counts)
    below = (p < -touch or not p_counts) and (q < -touch or not q_counts) and (r < -touch or not r_counts)
    return above or below


@subroutine
def triangles_overlap(points, a, b, c, d, e, f, joined, touch):  # type: ignore[no-untyped-def]
    """Whether triangles a, b, c and d, e, f overlap. `joined` tells that they have a common corner.

    Without one, they do so from a distance of `touch` on.
    """
    mx, my, mz = unit_normal(points, a, b, c)
    x, y, z = points[a, 0], points[a, 1], points[a, 2]
    hd, he, hf = (
        height(points, d, x, y, z, mx, my, mz),
        height(points, e, x, y, z, mx, my, mz),
        height(points, f, x, y, z, mx, my, mz),
    )
    if same_side(
        hd, he, hf, d != a and d != b and d != c, e != a and e != b and e != c, f != a and f != b and f != c, touch
    ):
        return False
    nx, ny, nz = unit_normal(points, d, e, f)
    x, y, z = points[d, 0], points[d, 1], points[d, 2]
    ha, hb, hc = (
        height(points, a, x, y, z, nx, ny, nz),
        height(points, b, x, y, z, nx, ny, nz),
        height(points, c, x, y, z, nx, ny, nz),
    )
    if same_side(
        ha, hb, hc, a != d and a != e and a != f, b != d and b != e and b != f, c != d and c != e and c != f, touch
    ):
        return False
    x, y, z = my * nz - mz * ny, mz * nx - mx * nz, mx * ny - my * nx
    square = x * x + y * y + z * z
    most = max(abs(ha), abs(hb), abs(hc), abs(hd), abs(he), abs(hf))
    if square <= touch * touch or most <= COPLANAR:
        return False
    length, near = math.sqrt(square), TOUCH_AT_CORNER if joined else touch
    x, y, z = x / length, y / length, z / length
    pa, pb, pc = project(points, a, x, y, z), project(points, b, x, y, z), project(points, c, x, y, z)
    pd, pe, pf = project(points, d, x, y, z), project(points, e, x, y, z), project(points, f, x, y, z)
    low, high = cut_of_plane(pa, pb, pc, ha, hb, hc, near)
    other_low, other_high = cut_of_plane(pd, pe, pf, hd, he, hf, near)
    return min(high, other_high) - max(low, other_low) > (LEAST_OVERLAP if joined else -touch)


@inlined
def project(points, corner, x, y, z):  # type: ignore[no-untyped-def]
    """The position of a point of the mesh along a line."""
    return points[corner, 0] * x + points[corner, 1] * y + points[corner, 2] * z


@inlined
def boxes_touch(points, a, b, c, d, e, f):  # type: ignore[no-untyped-def]
    """Whether the boxes around triangles a, b, c and d, e, f touch."""
    touch = True
    for i in range(3):
        p, q, r = points[a, i], points[b, i], points[c, i]
        u, v, w = points[d, i], points[e, i], points[f, i]
        touch = touch and min(p, q, r) <= max(u, v, w) and min(u, v, w) <= max(p, q, r)
    return touch


@force_inlined
def farthest_corner(movers, a, b, c, d, e, f):  # type: ignore[no-untyped-def]
    """The mover, among six vertices of the mesh, that moved farthest; -1 for none."""
    found = farther_of(movers, farther_of(movers, farther_of(movers, np.int64(-1), a), b), c)
    return farther_of(movers, farther_of(movers, farther_of(movers, found, d), e), f)


@subroutine
def mark_pair(points, quads, one, two, movers, touch, reverted):  # type: ignore[no-untyped-def]
    """Where halves of two quads overlap, set reverted (N,) for their corner that moved farthest."""
    a, d = quads[one, 0], quads[two, 0]
    for half in range(2):
        b, c = quads[one, 1 + half], quads[one, 2 + half]
        for other in range(2):
            e, f = quads[two, 1 + other], quads[two, 2 + other]
            if b == c or e == f:  # a triangle among quads has one half
                continue
            common = (a == d) + (a == e) + (a == f) + (b == d) + (b == e) + (b == f) + (c == d) + (c == e) + (c == f)
            if (
                common > 1
                or not boxes_touch(points, a, b, c, d, e, f)
                or separated_by_plane(points, a, b, c, d, e, f, touch)
            ):
                continue
            if triangles_overlap(points, a, b, c, d, e, f, common == 1, touch):
                found = farthest_corner(movers, a, b, c, d, e, f)
                if found >= 0:
                    reverted[found] = True


@force_inlined
def mark_overlaps_of(points, quads, q, box, is_changed, changed, grid, movers, touch, reverted):  # type: ignore[no-untyped-def]
    """Do the part of `mark_overlaps` for quad q in a box (6,), with the changed quads in the cells that it reaches."""
    boxes, low, cells_per_unit, side, first, listed = grid
    x, y, z, to_x, to_y, to_z = cells_of(box, low, cells_per_unit, side)
    for k in range(z, to_z + 1):
        for j in range(y, to_y + 1):
            for i in range(x, to_x + 1):
                cell = (k * side[1] + j) * side[0] + i
                for n in range(first[cell], first[cell + 1]):
                    own = boxes[listed[n]]
                    # One number and one branch, which the processor foresees more often than six.
                    apart_x, apart_y = max(box[0] - own[3], own[0] - box[3]), max(box[1] - own[4], own[1] - box[4])
                    gap = max(apart_x, apart_y, box[2] - own[5], own[2] - box[5])
                    if gap > 0.0:
                        continue
                    # Two changed quads find each other twice.
                    other = changed[listed[n]]
                    if other == q or (is_changed[q] and other < q):
                        continue
                    # Boxes may share several cells. The one with the least corner of their common part counts.
                    if (
                        i == cell_at(max(box[0], own[0]), low[0], cells_per_unit)
                        and j == cell_at(max(box[1], own[1]), low[1], cells_per_unit)
                        and k == cell_at(max(box[2], own[2]), low[2], cells_per_unit)
                    ):
                        one, two = (q, other) if is_changed[q] else (other, q)
                        mark_pair(points, quads, one, two, movers, touch, reverted)


@kernel
def find_nearby(start, stop, points, quads, grid, nearby, box):  # type: ignore[no-untyped-def]
    """Set nearby (Q,) as `near_boxes` does, from the grid of the boxes."""
    _, low, cells_per_unit, side, first, _ = grid
    for q in range(start, stop):
        box_of(points, quads, q, box)
        x, y, z, to_x, to_y, to_z = cells_of(box, low, cells_per_unit, side)
        if to_x < x or to_y < y or to_z < z:
            continue
        found, near, far = False, z * side[1], to_z * side[1]
        for row in (near + y, near + to_y, far + y, far + to_y):  # few quads reach more
            cell = row * side[0]
            found |= first[np.uint64(cell + to_x + 1)] > first[np.uint64(cell + x)]
        for k in range(z, to_z + 1 if to_y > y + 1 or to_z > z + 1 else z):
            for j in range(y, to_y + 1):
                cell = (k * side[1] + j) * side[0]
                found |= first[np.uint64(cell + to_x + 1)] > first[np.uint64(cell + x)]
        nearby[q] = found


def near_boxes(points: Array, quads: Numbers, boxes: Array) -> Mask:
    """(Q,) true for all quads that touch one of boxes (N, 6), and for some that only come near."""
    nearby = np.zeros(len(quads), dtype=np.bool_)
    if len(boxes):
        grid = BoxGrid.of(boxes)
        over_rows(find_nearby, len(quads), QUADS_PER_RUN, points, quads, grid, nearby, scratch=_box_scratch)
    return nearby


def _box_scratch() -> Array:
    return np.empty(6)


@kernel
def mark_listed(start, stop, points, quads, which, is_changed, changed, grid, movers, touch, reverted, box):  # type: ignore[no-untyped-def]
    """Do `mark_overlaps` for the quads `which`, with the grid of the changed quads."""
    for n in range(start, stop):
        box_of(points, quads, which[n], box)
        mark_overlaps_of(points, quads, which[n], box, is_changed, changed, grid, movers, touch, reverted)


def mark_overlaps(
    points: Array,
    quads: Numbers,
    nearby: npt.NDArray[np.int64],
    changed: npt.NDArray[np.int64],
    movers: Movers,
    touch: float = TOUCH,
) -> Mask:
    """(N,) the movers to revert, because a half of one of the quads `changed` (C,) overlaps another quad.

    All quads that could overlap are among `nearby` (M,). Without a common corner, they overlap from a distance of
    `touch` on.
    """
    reverted, is_changed = np.zeros(len(movers.moved), dtype=np.bool_), np.zeros(len(quads), dtype=np.bool_)
    if len(changed):
        is_changed[changed] = True
        arguments = (nearby, is_changed, changed, BoxGrid.of(boxes_of(points, quads, changed)), movers, touch, reverted)
        over_rows(mark_listed, len(nearby), QUADS_PER_RUN // 16, points, quads, *arguments, scratch=_box_scratch)
    return reverted
