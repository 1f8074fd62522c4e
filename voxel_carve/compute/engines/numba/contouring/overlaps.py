"""Triangles that pass through each other, cell by cell: see `contouring.overlaps`.

Two triangles meet only in a cell in which both have a corner, or hardly more. In a plain cell there is one sheet.
"""

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ....contouring import overlaps
from ....contouring.overlaps import COLLAPSES, DIVIDES, MOST_TRIANGLES, ROUNDS
from ....contouring.tables import EDGE_AXIS, EDGE_FIRST
from ....model.bricks import BRICK_SIZE
from ....runtime.threads import over_rows
from ..compiler.decorators import kernel, subroutine
from ..compiler.formulas import DOUBLE
from .blocks import BLOCK, SIDE, Crossings, EdgeBlock, Layout, Pairs, load_edges, number_at
from .cells import EDGE_START, active_cells, load_faces
from .splitting import turned_quad

do_cross, side_twice, next_corner = (
    DOUBLE(overlaps.do_cross),
    DOUBLE(overlaps.side_twice),
    DOUBLE(overlaps.next_corner),
)

BRICKS_PER_RUN = 64
VERTICES_PER_RUN = 1 << 16
SHARE = 0.5  # of the way to its origin that a vertex goes back in a round


class OverlapScratch(NamedTuple):
    """Scratch buffers for the triangles at a cell.

    Attributes:
        block, face, faces: see `cells.CellScratch`.
        corners: (T, 3) vertices.    low, high: (T, 3) boxes.
    """

    block: EdgeBlock
    face: npt.NDArray[np.int32]
    faces: npt.NDArray[np.int64]
    corners: npt.NDArray[np.int64]
    low: npt.NDArray[np.float64]
    high: npt.NDArray[np.float64]

    @classmethod
    def of(cls) -> "OverlapScratch":
        """Buffers for any brick."""
        return cls(
            EdgeBlock.of(), np.empty((3, BLOCK), np.int32), np.empty((3, SIDE, SIDE), np.int64),
            np.empty((MOST_TRIANGLES, 3), np.int64), np.empty((MOST_TRIANGLES, 3)), np.empty((MOST_TRIANGLES, 3)),
        )  # fmt: skip


@subroutine
def add_triangle(points, a, b, c, count, scratch):  # type: ignore[no-untyped-def]
    """Add a triangle to the first `count`, with its box. Return their new number."""
    if count == MOST_TRIANGLES or a == b or b == c or c == a:
        return count
    scratch.corners[count, 0], scratch.corners[count, 1], scratch.corners[count, 2] = a, b, c
    for i in range(3):
        x, y, z = points[a, i], points[b, i], points[c, i]
        scratch.low[count, i], scratch.high[count, i] = min(x, y, z), max(x, y, z)
    return count + 1


@subroutine
def add_quad(points, quads, marks, q, count, scratch):  # type: ignore[no-untyped-def]
    """Add both triangles of quad q to the first `count`. Return their new number."""
    a, b, c, d = turned_quad(points, quads, marks, q)
    count = add_triangle(points, np.int64(a), np.int64(b), np.int64(c), count, scratch)
    return add_triangle(points, np.int64(a), np.int64(c), np.int64(d), count, scratch)


@subroutine
def list_triangles(pairs, x, y, z, quads, marks, points, first_quad, scratch):  # type: ignore[no-untyped-def]
    """List the triangles with a corner in the cell at voxel (x, y, z) of the block. Return their number."""
    count, at = 0, (z * SIDE + y) * SIDE + x
    for edge in range(12):
        axis, start, first = EDGE_AXIS[edge], at + EDGE_START[edge], EDGE_FIRST[edge]
        for n in range(number_at(scratch.block, axis, x + (first & 1), y + (first >> 1 & 1), z + (first >> 2))):
            count = add_quad(points, quads, marks, scratch.block.index[axis, start] + n, count, scratch)
    for side in range(6):
        axis = side >> 1
        place = at + (side & 1) * (1 if axis == 0 else (SIDE if axis == 1 else SIDE * SIDE))
        if scratch.faces[axis, place // (SIDE * SIDE), place // SIDE % SIDE] >> (place % SIDE) & 1 == 0:
            continue
        face = scratch.face[axis, place]
        record, border = np.int64(pairs.record[face]), np.int64(pairs.first_border[face])
        borders = (record & 3) + (record >> 2 & 3) + (record >> 4 & 3) + (record >> 6 & 3)
        for n in range(2 * borders):
            count = add_quad(points, quads, marks, first_quad + 2 * border + n, count, scratch)
    return count


@subroutine
def mark_crossing(points, count, movable, is_last, moves, fate, scratch):  # type: ignore[no-untyped-def]
    """Set moves (V,) for the movable vertices of triangles that cross. Return whether any do.

    Set fate (V,): of the ends of sides that stand twice; and if `is_last`, of crossing triangles and all beside them.
    """
    corners, low, high = scratch.corners, scratch.low, scratch.high
    found = False
    for m in range(count):
        a, b, c = corners[m, 0], corners[m, 1], corners[m, 2]
        for n in range(m):
            if high[m, 0] < low[n, 0] or high[n, 0] < low[m, 0] or high[m, 1] < low[n, 1] or high[n, 1] < low[m, 1]:
                continue
            if high[m, 2] < low[n, 2] or high[n, 2] < low[m, 2]:
                continue
            d, e, f = corners[n, 0], corners[n, 1], corners[n, 2]
            twice = side_twice(a, b, c, d, e, f)
            if twice >= 0:
                end = next_corner(a, b, c, twice)
                fate[twice], fate[end] = max(fate[twice], DIVIDES), max(fate[end], DIVIDES)
            if do_cross(points, a, b, c, d, e, f):
                found = True
                for k in range(3):
                    if movable[corners[m, k]]:
                        moves[corners[m, k]] = True
                    if movable[corners[n, k]]:
                        moves[corners[n, k]] = True
                    if is_last:
                        fate[corners[m, k]], fate[corners[n, k]] = COLLAPSES, COLLAPSES
    if is_last and found:
        for m in range(count):
            for k in range(3):
                fate[corners[m, k]] = max(fate[corners[m, k]], DIVIDES)
    return found


@kernel
def find_crossing(  # type: ignore[no-untyped-def]
    start, stop, which, layout, crossings, pairs, quads, marks, points, first_quad, movable, is_last, moves, fate,
    has_crossing, scratch,
):  # fmt: skip
    """Set moves and fate (V,) of the vertices of crossing triangles at the cells of some bricks: see
    `mark_crossing`; and has_crossing (B,).

    The bricks are those from which[start] to which[stop - 1].
    """
    for n in range(start, stop):
        b = which[n]
        has_crossing[b] = False
        load_edges(layout.bricks[b], layout, crossings, scratch.block)
        load_faces(layout.bricks[b], layout, pairs, scratch.face, scratch.faces)
        for k in range(BRICK_SIZE):
            for j in range(BRICK_SIZE):
                _, general = active_cells(scratch.block, scratch.faces, k, j)
                for i in range(BRICK_SIZE):
                    if general >> i & 1 == 0:
                        continue
                    count = list_triangles(pairs, i, j, k, quads, marks, points, first_quad, scratch)
                    if mark_crossing(points, count, movable, is_last, moves, fate, scratch):
                        has_crossing[b] = True


@kernel
def go_back(start, stop, moves, share, origins, points):  # type: ignore[no-untyped-def]
    """Move the vertices that are marked in moves (V,) by a share of the way to their origins, and unmark them."""
    for v in range(start, stop):
        if moves[v]:
            moves[v] = False
            for i in range(3):
                points[v, i] += share * (origins[v, i] - points[v, i])


def separate(
    layout: Layout,
    crossings: Crossings,
    pairs: Pairs,
    quads: npt.NDArray[np.int32],
    marks: npt.NDArray[np.uint8],
    points: npt.NDArray[np.float64],
    origins: npt.NDArray[np.float64],
    movable: npt.NDArray[np.bool_],
    has_general: npt.NDArray[np.bool_],
) -> npt.NDArray[np.uint8]:
    """Move vertices of triangles that cross back toward their origins: points (V, 3). Return the fate (V,) of each:
    see `dividing.divide`.

    has_general (B,) says which bricks have a cell that is not plain.
    """
    which: Any = np.flatnonzero(has_general)
    fate = np.zeros(len(points), dtype=np.uint8)
    moves, has_crossing = np.zeros(len(points), dtype=np.bool_), np.zeros(len(layout.bricks), dtype=np.bool_)
    for n in range(ROUNDS):
        over_rows(
            find_crossing, len(which), BRICKS_PER_RUN, which, layout, crossings, pairs, quads, marks, points,
            len(crossings.place), movable, n == ROUNDS - 1, moves, fate, has_crossing, scratch=OverlapScratch.of,
        )  # fmt: skip
        if not has_crossing.any():
            break
        over_rows(go_back, len(points), VERTICES_PER_RUN, moves, SHARE, origins, points)
        which = _with_neighbours(layout, has_crossing)
        has_crossing[:] = False
    return fate


def _with_neighbours(layout: Layout, chosen: npt.NDArray[np.bool_]) -> npt.NDArray[np.int64]:
    """The chosen (B,) bricks and those around them, ascending."""
    steps = np.stack(np.meshgrid(*[np.arange(3)] * 3, indexing="ij"), axis=-1).reshape(-1, 3)
    z, y, x = (layout.bricks[chosen][:, None] + steps).reshape(-1, 3).T
    found = np.unique(layout.places[z, y, x])
    return found[found >= 0].astype(np.int64)
