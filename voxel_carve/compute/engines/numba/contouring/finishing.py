"""The end of contouring: vertices are moved together, and quads are turned, in place: fresh memory costs more time than
the work."""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ....contouring import LEFT_BRICKS
from ....contouring import quads as folding
from ....contouring.dividing import Divided, split_quads
from ....contouring.quads import FIRST, SECOND, SPLIT
from ....field.fields import Fields
from ....model.bricks import LOWEST
from ....model.grid import Grid
from ....model.mesh import Source, Surface
from ....runtime.errors import CarveError
from ....runtime.threads import over_rows
from ..compiler.decorators import NONE, inlined, kernel
from ..compiler.formulas import DOUBLE
from .splitting import remember_split, turned_quad

is_emptied, must_split = DOUBLE(folding.is_emptied), DOUBLE(folding.must_split)

STOCK, PATH, CLOSURE = int(Source.STOCK), int(Source.PATH), int(Source.CLOSURE)
EMPTIED, INCOMPLETE = 255, 254  # instead of a source
QUADS_PER_RUN = 1 << 13
VERTICES_PER_RUN = 1 << 15


class Unfinished(NamedTuple):
    """The mesh in voxels, when nothing else is known of cells.

    Attributes:
        points: (V, 3) the vertices of cells, with gaps.
        quads, marks, codes: (Q, 4), (Q,), (Q,) the quads, see `contouring.quads`, and their primitives.
        crossed: how many of the quads are those of crossings.
        divided: has the vertices after `points`, and says what the last quads replace.
    """

    points: npt.NDArray[np.float64]
    quads: npt.NDArray[np.int32]
    marks: npt.NDArray[np.uint8]
    codes: npt.NDArray[np.int32]
    crossed: int
    divided: Divided


@kernel
def mark_used(start, stop, quads, used):  # type: ignore[no-untyped-def]
    """Set used (V,) for the corners of quads (Q, 4) that are not emptied."""
    for q in range(start, stop):
        a, b, c, d = quads[q, 0], quads[q, 1], quads[q, 2], quads[q, 3]
        if min(a, b, c, d) >= 0 and not is_emptied(a, b, c, d):
            used[a], used[b], used[c], used[d] = True, True, True, True


@kernel
def close_gaps(start, stop, first, after, used, points, number):  # type: ignore[no-untyped-def]
    """Move the used vertices (V, 3) of some runs together. Return how many there are.

    A run goes from first (N,) to before `after` (N,). number (V,) is set to the new index of each. One thread does
    this, because each vertex goes where others were.
    """
    new = np.int64(0)
    for n in range(start, stop):
        for old in range(first[n], after[n]):
            if not used[old]:
                continue
            number[old] = new
            if new != old:
                for i in range(3):
                    points[new, i] = points[old, i]
            new += 1
    return new


@kernel
def renumber(start, stop, quads, number):  # type: ignore[no-untyped-def]
    """Replace the vertices of quads (Q, 4) by their numbers."""
    for q in range(start, stop):
        for k in range(4):
            if quads[q, k] >= 0:
                quads[q, k] = number[quads[q, k]]


@inlined
def name_code(code, triangle_order, segment_order):  # type: ignore[no-untyped-def]
    """The source and the primitive of a code."""
    if code == NONE or code == LOWEST:  # noqa: SIM109
        return CLOSURE, np.int64(-1)
    if code >= 0:
        triangle = np.int64(triangle_order[code])
        return CLOSURE if triangle < 0 else STOCK, triangle
    return PATH, np.int64(segment_order[-1 - code])


@kernel
def finish_quads(start, stop, quads, marks, codes, points, triangle_order, segment_order, source):  # type: ignore[no-untyped-def]
    """Orient quads (Q, 4), split them, and name their primitives: codes (Q,) and source (Q,).

    Those with less than three corners are EMPTIED, those that lack one INCOMPLETE. SPLIT is added to the source of
    those that are to become triangles.
    """
    for first in range(start, stop):
        mark = marks[first]
        # Two quads of one edge are split by the corners of both.
        if mark & SECOND != 0:
            continue
        number = 1
        if mark & FIRST != 0:
            number = 2
            remember_split(points, quads, marks, first)
            remember_split(points, quads, marks, first + 1)
        for q in range(first, first + number):
            if min(quads[q, 0], quads[q, 1], quads[q, 2], quads[q, 3]) < 0:
                source[q] = INCOMPLETE
                continue
            a, b, c, d = turned_quad(points, quads, marks, q)
            if a == b or b == c or c == a:
                source[q] = EMPTIED
                continue
            quads[q, 0], quads[q, 1], quads[q, 2], quads[q, 3] = a, b, c, d
            source[q], codes[q] = name_code(codes[q], triangle_order, segment_order)
            if must_split(points, np.int64(marks[q]), a, b, c, d):
                source[q] += SPLIT


@kernel
def drop_emptied(start, stop, quads, source, primitive):  # type: ignore[no-untyped-def]
    """Move the quads (Q, 4) that are not EMPTIED together. Return their number."""
    new = np.int64(start)
    for q in range(start, stop):
        if source[q] == EMPTIED:
            continue
        if new != q:
            for k in range(4):
                quads[new, k] = quads[q, k]
            source[new], primitive[new] = source[q], primitive[q]
        new += 1
    return new


def move_together(
    first: npt.NDArray[np.int64],
    count: npt.NDArray[np.int64],
    points: npt.NDArray[np.float64],
    own: npt.NDArray[np.float64],
    quads: npt.NDArray[np.int32],
) -> npt.NDArray[np.float64]:
    """The points (V, 3) that quads (Q, 4) use, without gaps, then `own` (M, 3). The first become these, in place.

    Quads get their new indices.

    Args:
        first, count: see `Vertices`.
    """
    slots = len(points)
    used = np.zeros(slots + len(own), dtype=np.bool_)
    over_rows(mark_used, len(quads), QUADS_PER_RUN, quads, used)
    number = np.zeros(len(used), dtype=np.int32)  # emptied quads keep an unused vertex
    first = first[:-1, 0].copy()
    placed = close_gaps(0, len(first), first, first + count[:, 0], used, points, number)
    number[slots:] = np.arange(placed, placed + len(own))
    points.resize((placed + len(own), 3), refcheck=False)
    points[placed:] = own
    over_rows(renumber, len(quads), QUADS_PER_RUN, quads, number)
    return points


def drop_rows(quads: npt.NDArray[np.int32], source: npt.NDArray[np.uint8], primitive: npt.NDArray[np.int32]) -> None:
    """Drop the EMPTIED of quads (Q, 4), of source and of primitive (Q,), in place."""
    kept = drop_emptied(0, len(quads), quads, source, primitive)
    for array in (quads, source, primitive):
        array.resize((kept, *array.shape[1:]), refcheck=False)


@kernel
def to_world(start, stop, points, origin, voxel_size):  # type: ignore[no-untyped-def]
    """Transform points (V, 3) from voxels to the world."""
    for v in range(start, stop):
        for i in range(3):
            points[v, i] = points[v, i] * voxel_size + origin[i]


def finish(
    fields: Fields,
    grid: Grid,
    mesh: Unfinished,
    first: npt.NDArray[np.int64],
    count: npt.NDArray[np.int64],
    is_part: bool,
) -> Surface:
    """The surface in the world. The arrays of `mesh` become its own.

    Args:
        first, count: see `Vertices`.    is_part: whether cells are lacking on purpose. Quads without them are dropped.
    """
    quads, codes = mesh.quads, mesh.codes
    points = move_together(first, count, mesh.points, mesh.divided.points, quads)
    source = np.empty(len(quads), dtype=np.uint8)
    over_rows(
        finish_quads, len(quads), QUADS_PER_RUN, quads, mesh.marks, codes, points, fields.triangles.order,
        fields.segments.order, source,
    )  # fmt: skip
    incomplete = source == INCOMPLETE
    if incomplete.any() and not is_part:
        raise CarveError(LEFT_BRICKS)
    source[incomplete] = EMPTIED
    drop_rows(quads, source, codes)
    split_quads(quads, source, codes)
    put_in_world(points, grid)
    return Surface(points, quads, source, codes)


def put_in_world(points: npt.NDArray[np.float64], grid: Grid) -> None:
    """Transform points (V, 3) from voxels to the world, in place."""
    over_rows(to_world, len(points), VERTICES_PER_RUN, points, grid.origin, grid.voxel_size)
