"""From the fields of stock and sweep to the surface of the result: see `compute.contouring`."""

import numpy as np
import numpy.typing as npt

from ....contour.surface import LEFT_BRICKS
from ....contouring.faces import THIN
from ....contouring.tables import FACE_EDGES, RING_PLACE
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
from ..compiler.decorators import NONE, inlined, kernel, subroutine
from .blocks import ROWS, Crossings, Layout, Pairs
from .cells import Vertices, place_vertices
from .edges import find_crossings, sampled_sweep
from .faces import Near, find_pairs
from .overlaps import separate
from .splitting import ENTERS, FIRST, NOT_EVEN, NOT_ODD, SECOND, turned_quad

STOCK, PATH, CLOSURE = int(Source.STOCK), int(Source.PATH), int(Source.CLOSURE)
QUADS_PER_RUN = 1 << 13
BRICKS_PER_RUN = 256


@kernel
def close_gaps(start, stop, first, count, after, points, origins, is_general, out, own_origins, movable, number):  # type: ignore[no-untyped-def]
    """Move the vertices of some bricks together: out (W, 3), of brick b from after[b] on; likewise the other two.

    number (V,) is set to the new index of each.
    """
    for b in range(start, stop):
        for n in range(count[b]):
            old, new = first[b] + n, after[b] + n
            movable[new] = is_general[old]
            for i in range(3):
                out[new, i] = points[old, i]
                own_origins[new, i] = origins[old, i] if is_general[old] else points[old, i]
            number[old] = new


@kernel
def renumber(start, stop, quads, number):  # type: ignore[no-untyped-def]
    """Replace the vertices of quads (Q, 4) by their numbers."""
    for q in range(start, stop):
        for k in range(4):
            if quads[q, k] >= 0:
                quads[q, k] = number[quads[q, k]]


@kernel
def drop_lenses(start, stop, is_first, first_quad, quads):  # type: ignore[no-untyped-def]
    """Empty the quads between the two border points of a pair whose hubs are the same in both cells: a segment shows
    between them, but for less than two cells. Where the pair lies within one run in both cells, all its quads go."""
    for n in range(start, stop):
        if is_first[n]:
            q = first_quad + 2 * n
            if quads[q, 1] == quads[q + 2, 1] and quads[q, 2] == quads[q + 2, 2]:
                is_one = quads[q, 0] == quads[q + 3, 1] and quads[q, 3] == quads[q + 3, 2]
                for k in range(1, 4):
                    quads[q + 1, k], quads[q + 2, k] = quads[q + 1, 0], quads[q + 2, 0]
                    if is_one:
                        quads[q, k], quads[q + 3, k] = quads[q, 0], quads[q + 3, 0]


@inlined
def is_emptied(quads, q):  # type: ignore[no-untyped-def]
    """Whether all corners of a quad are one."""
    return quads[q, 0] == quads[q, 1] and quads[q, 0] == quads[q, 2] and quads[q, 0] == quads[q, 3]


@subroutine
def pair_sides(row, pair, axis, first_quad, quads):  # type: ignore[no-untyped-def]
    """The two vertices that a pair of a crowded face joins: at its first border point, or without one."""
    border = row[5 + 4 * pair]
    if border >= 0 and not is_emptied(quads, first_quad + 2 * border):
        return quads[first_quad + 2 * border, 1], quads[first_quad + 2 * border, 2]
    leaving, edge = row[2 + 4 * pair], row[4 + 4 * pair] >> 2
    if is_emptied(quads, leaving) or is_emptied(quads, row[3 + 4 * pair]):
        return np.int32(-1), np.int32(pair)
    return (
        quads[leaving, RING_PLACE[FACE_EDGES[2 * axis + 1, edge]]],
        quads[leaving, RING_PLACE[FACE_EDGES[2 * axis, edge]]],
    )


@kernel
def find_doubled(start, stop, crowded, first_quad, quads, doubled):  # type: ignore[no-untyped-def]
    """Set doubled (K, 2) of crowded faces to a pair, and the border point in it or -1, that joins the same two vertices
    as one before; -1 for none."""
    for f in range(start, stop):
        doubled[f, 0] = -1
        axis = crowded[f, 0]
        for pair in range(crowded[f, 1]):
            one, other = pair_sides(crowded[f], pair, axis, first_quad, quads)
            for before in range(pair):
                same, there = pair_sides(crowded[f], before, axis, first_quad, quads)
                if one == same and other == there and doubled[f, 0] < 0:
                    doubled[f, 0], doubled[f, 1] = pair, crowded[f, 5 + 4 * pair]


@kernel
def finish_quads(  # type: ignore[no-untyped-def]
    start, stop, quads, marks, codes, points, triangle_order, segment_order, faces, source, primitive
):
    """Orient quads (Q, 4), split them, and name their primitives: faces (Q, 4), source and primitive (Q,).

    A quad whose corners are less than three has source 255, one that lacks a corner 254.
    """
    for q in range(start, stop):
        if min(min(quads[q, 0], quads[q, 1]), min(quads[q, 2], quads[q, 3])) < 0:
            source[q] = 254
            continue
        a, b, c, d = turned_quad(points, quads, marks, q)
        if a == b or b == c or c == a:
            source[q] = 255
            continue
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
        sweep = sampled_sweep(fields, sweep_states)
        crossings = find_crossings(layout, fields, sweep, operation, stock_states)
    with progress_range(0.5, 0.65):
        pairs = find_pairs(layout, crossings, near_primitives(fields), primitives, rule.carves)
    with progress_range(0.65, 0.9):
        vertices = place_vertices(layout, crossings, pairs, sweep, primitives, rule)
    with progress_range(0.9, 1.0):
        return finish(fields, grid, layout, crossings, pairs, vertices)


def near_primitives(fields: Fields) -> Near:
    """The primitives near each brick."""
    bins, rows = fields.segment_bins, fields.segments.rows
    is_thin = np.minimum(rows[:, RADIUS], rows[:, RADIUS] - rows[:, LENGTH] * rows[:, SLOPE]) < THIN
    before = np.concatenate([[0], np.cumsum(is_thin[bins.primitive])])
    of_stock = fields.triangle_bins
    return Near(bins.first, bins.primitive, of_stock.first, of_stock.primitive, np.diff(before[bins.first]) > 0)


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
                        marks[q], marks[q + 1] = marks[q] | NOT_EVEN, marks[q + 1] | NOT_EVEN
                    elif odd:
                        marks[q], marks[q + 1] = marks[q] | NOT_ODD, marks[q + 1] | NOT_ODD
                    else:
                        marks[q], marks[q + 1] = marks[q] | FIRST, marks[q + 1] | SECOND
                    q += 1
                q += 1


def finish(
    fields: Fields, grid: Grid, layout: Layout, crossings: Crossings, pairs: Pairs, vertices: Vertices
) -> Surface:
    """The surface in the world, from vertices with gaps and quads that are not split yet."""
    bricks, crossed = len(layout.bricks), len(crossings.place)
    marks = np.zeros(len(vertices.quads), dtype=np.uint8)
    over_rows(
        mark_crossings, bricks, BRICKS_PER_RUN, crossings.inside, crossings.crossed, crossings.twice, crossings.before,
        crossings.first, vertices.quads, marks,
    )  # fmt: skip
    over_rows(drop_lenses, len(pairs.point), QUADS_PER_RUN, pairs.is_first, crossed, vertices.quads)
    doubled = np.empty((len(pairs.crowded), 2), dtype=np.int64)
    over_rows(find_doubled, len(doubled), QUADS_PER_RUN, pairs.crowded, crossed, vertices.quads, doubled)
    own, triangles, of_quad = split_doubled(vertices, pairs, doubled, marks, crossed)

    after = np.cumsum(vertices.count) - vertices.count
    placed = int(vertices.count.sum())
    points, origins = np.empty((placed + len(own), 3)), np.empty((placed + len(own), 3))
    movable = np.zeros(len(points), dtype=np.bool_)
    number = np.empty(len(vertices.points) + len(own), dtype=np.int32)
    over_rows(
        close_gaps, bricks, BRICKS_PER_RUN, vertices.first, vertices.count, after, vertices.points, vertices.origins,
        vertices.is_general, points, origins, movable, number,
    )  # fmt: skip
    points[placed:] = own
    number[len(vertices.points) :] = np.arange(placed, len(points))
    quads = np.concatenate([vertices.quads, triangles]) if len(triangles) else vertices.quads
    over_rows(renumber, len(quads), QUADS_PER_RUN, quads, number)
    codes = np.concatenate([crossings.code, pairs.codes.ravel()])
    codes, marks = np.concatenate([codes, codes[of_quad]]), np.concatenate([marks, marks[of_quad] & ENTERS])
    separate(layout, crossings, pairs, quads, marks, points, origins, movable)
    count = len(quads)
    faces = np.empty((count, 4), dtype=np.int32)
    source, primitive = np.empty(count, dtype=np.uint8), np.empty(count, dtype=np.int32)
    over_rows(
        finish_quads, count, QUADS_PER_RUN, quads, marks, codes, points, fields.triangles.order, fields.segments.order,
        faces, source, primitive,
    )  # fmt: skip
    if (source == 254).any():
        raise CarveError(LEFT_BRICKS)
    kept = source != 255
    if not kept.all():
        faces, source, primitive = faces[kept], source[kept], primitive[kept]
    points, faces = used_points(points, faces)
    return Surface(grid.to_world(points), faces, source, primitive)


def split_doubled(
    vertices: Vertices, pairs: Pairs, doubled: npt.NDArray[np.int64], marks: npt.NDArray[np.uint8], crossed: int
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.int32], npt.NDArray[np.int64]]:
    """Give each doubled pair a vertex of its own, on its face, between the two that it joins.

    Returns:
        points: (N, 3) these vertices, in voxels; their indices follow all others.
        triangles: (2 N, 4) what the quads on both sides lose, the last corner twice.
        of_quad: (2 N,) the quad of each.
    """
    quads, first = vertices.quads, len(vertices.points)
    points, triangles, of_quad = [], [], []
    changed: set[tuple[int, int]] = set()
    for f in np.flatnonzero(doubled[:, 0] >= 0).tolist():
        row, own = pairs.crowded[f].tolist(), first + len(points)
        (pair, border), axis = doubled[f].tolist(), row[0]
        q = crossed + 2 * border
        if border >= 0 and len(set(quads[q].tolist())) > 1:
            point = pairs.point[border]
            # Where the quads between two border points are gone, the last one lies on the other side.
            is_lens = pairs.is_first[border] and len(set(quads[q + 1].tolist())) == 1
            sides = [(q, 1, 2), (q + 3 if is_lens else q + 1, 0, 3)]
        else:
            leaving, entering, edges = row[2 + 4 * pair : 5 + 4 * pair]
            sides = [
                (q, *(int(RING_PLACE[FACE_EDGES[2 * axis + far, edge]]) for far in (1, 0)))
                for q, edge in ((leaving, edges >> 2), (entering, edges & 3))
            ]
            point = np.mean([vertices.points[quads[q]].mean(axis=0) for q, _, _ in sides if quads[q].max() < first], axis=0)
        ends = {(q, end) for q, here, there in sides for end in (here, there)}
        if ends & changed:
            continue
        changed |= ends
        points.append(point)
        for q, here, there in sides:
            step = 1 if (here + 1) % 4 == there else -1
            old, beyond = int(quads[q, there]), int(quads[q, (there + step) % 4])
            triangles.append((own, old, beyond, beyond) if step == 1 else (beyond, old, own, own))
            of_quad.append(q)
            quads[q, there] = own
    return (
        np.array(points, dtype=np.float64).reshape(-1, 3),
        np.array(triangles, dtype=np.int32).reshape(-1, 4),
        np.array(of_quad, dtype=np.int64),
    )
