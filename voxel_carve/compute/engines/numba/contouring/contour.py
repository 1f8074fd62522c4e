"""From the fields of stock and sweep to the surface of the result: see `compute.contouring`."""

import numpy as np
import numpy.typing as npt

from ....contour.surface import LEFT_BRICKS
from ....contouring import quads as splitting
from ....contouring.faces import THIN
from ....field.fields import Fields, places_of
from ....model.bricks import BRICK_SIZE, LOWEST
from ....model.combining import Operation, Rule
from ....model.grid import Grid
from ....model.mesh import Source, Surface, used_points
from ....primitives.primitives import Primitives
from ....primitives.segments import LENGTH, RADIUS, SLOPE
from ....runtime.errors import CarveError
from ....runtime.progress import progress_range
from ....runtime.threads import over_rows
from ..compiler.decorators import NONE, kernel
from ..compiler.formulas import DOUBLE
from .blocks import ROWS, Crossings, Layout, Pairs
from .cells import Vertices, place_vertices
from .edges import find_crossings
from .faces import Near, find_pairs

split_at_second = DOUBLE(splitting.split_at_second)

STOCK, PATH, CLOSURE = int(Source.STOCK), int(Source.PATH), int(Source.CLOSURE)
ENTERS, NOT_EVEN, NOT_ODD = 1, 2, 4  # marks of a quad
QUADS_PER_RUN = 1 << 13
BRICKS_PER_RUN = 256


@kernel
def close_gaps(start, stop, first, count, after, points, out, number):  # type: ignore[no-untyped-def]
    """Move the vertices of some bricks together, in the world: out (W, 3), of brick b from after[b] on.

    number (V,) is set to the new index of each.
    """
    for b in range(start, stop):
        for n in range(count[b]):
            for i in range(3):
                out[after[b] + n, i] = points[first[b] + n, i]
            number[first[b] + n] = after[b] + n


@kernel
def drop_lenses(start, stop, is_first, first_quad, quads):  # type: ignore[no-untyped-def]
    """Empty the quads between the two border points of a pair whose hubs are the same in both cells: a segment shows
    between them, but for less than two cells."""
    for n in range(start, stop):
        if is_first[n]:
            q = first_quad + 2 * n
            if quads[q, 1] == quads[q + 2, 1] and quads[q, 2] == quads[q + 2, 2]:
                for k in range(1, 4):
                    quads[q + 1, k], quads[q + 2, k] = quads[q + 1, 0], quads[q + 2, 0]


@kernel
def finish_quads(  # type: ignore[no-untyped-def]
    start, stop, quads, marks, codes, number, points, triangle_order, segment_order, faces, source, primitive
):
    """Orient quads (Q, 4), split them, and name their primitives: faces (Q, 4), source and primitive (Q,).

    A quad whose corners are less than three has source 255, one that lacks a corner 254.
    """
    for q in range(start, stop):
        least = min(min(quads[q, 0], quads[q, 1]), min(quads[q, 2], quads[q, 3]))
        if least < 0:
            source[q] = 254
            continue
        a, b, c, d = number[quads[q, 0]], number[quads[q, 1]], number[quads[q, 2]], number[quads[q, 3]]
        if marks[q] & ENTERS:
            b, d = d, b
        if (a == b and c == d) or (b == c and d == a) or (a == c) + (b == d) > 0 or (a == b and b == c):
            source[q] = 255
            continue
        if a == b:
            a, b, c, d = b, c, d, d
        elif b == c:
            a, b, c, d = a, c, d, d
        elif c == d:
            pass
        elif d == a:
            a, b, c, d = a, b, c, c
        elif marks[q] & NOT_EVEN or (marks[q] & NOT_ODD == 0 and split_at_second(points, a, b, c, d)):
            a, b, c, d = b, c, d, a
        faces[q, 0], faces[q, 1], faces[q, 2], faces[q, 3] = a, b, c, d
        code = codes[q]
        if code == NONE or code == LOWEST:  # noqa: SIM109
            source[q], primitive[q] = CLOSURE, -1
        elif code >= 0:
            source[q], primitive[q] = STOCK, triangle_order[code]
        else:
            source[q], primitive[q] = PATH, segment_order[-1 - code]


def contour(
    fields: Fields,
    grid: Grid,
    operation: Operation,
    stock_states: npt.NDArray[np.uint8],
    sweep_states: npt.NDArray[np.uint8],
) -> Surface:
    """The surface between the inside and the outside of the result.

    Args:
        fields: the bricks where it can be, and their primitives.
        grid: where the voxels lie.
        operation: how stock and sweep are combined.
        stock_states, sweep_states: (Z, Y, X) `State` of all bricks.

    Raises:
        CarveError: the surface leaves the bricks.
    """
    layout = Layout(fields.table.coordinates(fields.bricks), places_of(fields), fields.states)
    primitives, rule = Primitives.of(fields.segments, fields.triangles), Rule.of(operation)
    with progress_range(0.0, 0.5):
        crossings = find_crossings(layout, fields, operation, stock_states, sweep_states)
    with progress_range(0.5, 0.65):
        pairs = find_pairs(layout, crossings, near_segments(fields), primitives, rule.carves)
    with progress_range(0.65, 0.9):
        vertices = place_vertices(layout, crossings, pairs, primitives, rule)
    with progress_range(0.9, 1.0):
        return finish(fields, grid, layout, crossings, pairs, vertices)


def near_segments(fields: Fields) -> Near:
    """The segments near each brick."""
    bins, rows = fields.segment_bins, fields.segments.rows
    is_thin = np.minimum(rows[:, RADIUS], rows[:, RADIUS] - rows[:, LENGTH] * rows[:, SLOPE]) < THIN
    before = np.concatenate([[0], np.cumsum(is_thin[bins.primitive])])
    return Near(bins.first, bins.primitive, np.diff(before[bins.first]) > 0)


@kernel
def mark_crossings(start, stop, inside, crossed, twice, before, first, quads, marks):  # type: ignore[no-untyped-def]
    """Set marks (Q,), 0 before, for the quads of the crossings of some bricks: ENTERS, and how they may not be split.

    Two quads of one edge with the same corners have no volume between them, and are emptied.
    """
    for b in range(start, stop):
        for row in range(crossed.shape[1]):
            mask = np.int64(crossed[b, row])
            if mask == 0:
                continue
            q = first[b] + before[b, row]
            starts = np.int64(inside[b, row % ROWS])
            for i in range(BRICK_SIZE):
                if mask >> i & 1 == 0:
                    continue
                enters = starts >> i & 1 == 0
                marks[q] = ENTERS if enters else 0
                if twice[b, row] >> i & 1:
                    marks[q + 1] = 0 if enters else ENTERS
                    even = quads[q, 0] == quads[q + 1, 0] and quads[q, 2] == quads[q + 1, 2]
                    odd = quads[q, 1] == quads[q + 1, 1] and quads[q, 3] == quads[q + 1, 3]
                    if even and odd:
                        for k in range(1, 4):
                            quads[q, k], quads[q + 1, k] = quads[q, 0], quads[q + 1, 0]
                    elif even:
                        marks[q] |= NOT_EVEN
                    elif odd:
                        marks[q] |= NOT_ODD
                    q += 1
                q += 1


def finish(
    fields: Fields, grid: Grid, layout: Layout, crossings: Crossings, pairs: Pairs, vertices: Vertices
) -> Surface:
    """The surface in the world, from vertices with gaps and quads that are not split yet."""
    bricks, count = len(layout.bricks), len(vertices.quads)
    after = np.cumsum(vertices.count) - vertices.count
    points = np.empty((int(vertices.count.sum()), 3))
    number = np.empty(len(vertices.points), dtype=np.int32)
    over_rows(
        close_gaps, bricks, BRICKS_PER_RUN, vertices.first, vertices.count, after, vertices.points, points, number
    )
    marks = np.zeros(count, dtype=np.uint8)
    over_rows(
        mark_crossings, bricks, BRICKS_PER_RUN, crossings.inside, crossings.crossed, crossings.twice, crossings.before,
        crossings.first, vertices.quads, marks,
    )  # fmt: skip
    over_rows(drop_lenses, len(pairs.point), QUADS_PER_RUN, pairs.is_first, len(crossings.place), vertices.quads)
    codes = np.concatenate([crossings.code, pairs.codes.ravel()])
    faces = np.empty((count, 4), dtype=np.int32)
    source, primitive = np.empty(count, dtype=np.uint8), np.empty(count, dtype=np.int32)
    over_rows(
        finish_quads, count, QUADS_PER_RUN, vertices.quads, marks, codes, number, points, fields.triangles.order,
        fields.segments.order, faces, source, primitive,
    )  # fmt: skip
    if (source == 254).any():
        raise CarveError(LEFT_BRICKS)
    kept = source != 255
    if not kept.all():
        faces, source, primitive = faces[kept], source[kept], primitive[kept]
    points, faces = used_points(points, faces)
    return Surface(grid.to_world(points), faces, source, primitive)
