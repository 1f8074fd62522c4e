"""Warp kernels for what is done with the quads when all vertices are placed: see `contouring.quads`.

W is the number of vertices as they were placed, with gaps, V that of those that are used, and Q that of the quads. A
kernel that is launched with (Q,) handles the quads from `start` on.
"""

# mypy: disable-error-code="name-defined"

from __future__ import annotations

from ....contouring.quads import ENTERS, SPLIT, is_emptied, mark_lens, mark_twins, must_split, turned_quad
from ....model.bricks import BRICK_SIZE, LOWEST, NO_PRIMITIVE
from ....model.mesh import Source
from ..device.formulas import double, function, kernel, single
from ..device.structs import wp
from .layout import ALL_ROWS, Crossings, Layout, centre_of, moved, row_start
from .structs import looped

BLOCK_DIM = 256
STOCK, PATH, CLOSURE = int(Source.STOCK), int(Source.PATH), int(Source.CLOSURE)
EMPTIED = 255  # the source of a quad with less than three corners
INCOMPLETE = 254  # of one that lacks a corner


class Codes:
    """What names the primitives of quads: the `code` of each crossing, `codes` (N, 2) of the border points, and of what
    replaces divided quads, `of_quad`, those. `triangles` and `segments` are their indices outside."""

    code: wp.array[wp.int32]
    codes: wp.array2d[wp.int32]
    of_quad: wp.array[wp.int32]
    triangles: wp.array[wp.int32]
    segments: wp.array[wp.int32]


@kernel(single)
def mark_used(quads: wp.array2d[wp.int32], start: wp.int32, used: wp.array[wp.int32]) -> None:
    """Set used (W + 1,) to 1 for the corners of quads that are not emptied. Launch with (Q,)."""
    q = start + wp.tid()
    a, b, c, d = int(quads[q, 0]), int(quads[q, 1]), int(quads[q, 2]), int(quads[q, 3])
    if wp.min(wp.min(a, b), wp.min(c, d)) >= 0 and not is_emptied(a, b, c, d):
        used[a] = 1
        used[b] = 1
        used[c] = 1
        used[d] = 1


@kernel(single)
def keep_used(number: wp.array[wp.int32], placed: wp.array[wp.vec3d], points: wp.array[wp.vec3d]) -> None:
    """Set points (V,) to the vertices placed (W,) that are used. Launch with (W,).

    Args:
        number: (W + 1,) how many used ones are before each.
    """
    v = wp.tid()
    if number[v + 1] > number[v]:
        points[number[v]] = placed[v]


@kernel(single)
def renumber(number: wp.array[wp.int32], start: wp.int32, quads: wp.array2d[wp.int32]) -> None:
    """Replace the vertices of quads (Q, 4) by their numbers, that of an emptied quad by 0. Launch with (Q,)."""
    q = start + wp.tid()
    for k in range(4):
        v = quads[q, k]
        if v >= 0:
            quads[q, k] = wp.where(number[v + 1] > number[v], number[v], 0)


@kernel(double)
def put_crossings(layout: Layout, crossings: Crossings, which: wp.array[wp.int32], points: wp.array[wp.vec3d]) -> None:
    """Set points (K,) to where the crossings which (K,) are, in voxels. Launch with (K,)."""
    n = wp.tid()
    # The last of the rows whose crossings begin there or before.
    place = wp.lower_bound(crossings.first, which[n] + 1) - 1
    brick, row = place // ALL_ROWS, place % ALL_ROWS
    once = int(crossings.crossed[brick, row])
    both = int(crossings.twice[brick, row])
    before = which[n] - crossings.first[place]
    voxel = wp.int32(0)
    for x in range(BRICK_SIZE):
        number = ((once >> x) & 1) + ((both >> x) & 1)
        if before >= 0 and before < number:
            voxel = x
        before -= number
    point = centre_of(moved(row_start(layout, brick, row & 63), 0, voxel))
    point[row >> 6] += wp.float64(crossings.place[which[n]])
    points[n] = point


@kernel(looped)
def mark_crossings(crossings: Crossings, quads: wp.array2d[wp.int32], marks: wp.array[wp.int32]) -> None:
    """Set marks (Q,), 0 before, for the quads of the crossings. Launch with (B, 192)."""
    brick, row = wp.tid()
    once = int(crossings.crossed[brick, row])
    both = int(crossings.twice[brick, row])
    inside = int(crossings.inside[brick, row & 63])
    q = crossings.first[brick * ALL_ROWS + row]
    for x in range(BRICK_SIZE):
        if (once >> x) & 1 == 1:
            enters = (inside >> x) & 1 == 0
            marks[q] = wp.where(enters, ENTERS, 0)
            if (both >> x) & 1 == 1:
                marks[q + 1] = wp.where(enters, 0, ENTERS)
                mark_twins(quads, marks, q)
                q += 1
            q += 1


@kernel(looped)
def mark_lenses(
    is_first: wp.array[wp.uint8], first_quad: wp.int32, quads: wp.array2d[wp.int32], marks: wp.array[wp.int32]
) -> None:
    """Mark or empty the quads between the two border points of pairs. Launch with one thread for each border point."""
    n = wp.tid()
    if int(is_first[n]) == 1:
        mark_lens(quads, marks, first_quad + 2 * n)


@function(single)
def code_of(codes: Codes, q: wp.int32) -> wp.int32:
    """The primitive of a quad."""
    crossed = codes.code.shape[0]
    own = q - crossed
    if own >= 2 * codes.codes.shape[0]:
        own = codes.of_quad[own - 2 * codes.codes.shape[0]] - crossed
    if own < 0:
        return codes.code[own + crossed]
    return codes.codes[own >> 1, own & 1]


@kernel(looped)
def finish_quads(
    points: wp.array[wp.vec3d],
    quads: wp.array2d[wp.int32],
    marks: wp.array[wp.int32],
    codes: Codes,
    start: wp.int32,
    faces: wp.array[wp.vec4i],
    source: wp.array[wp.uint8],
    primitive: wp.array[wp.int32],
) -> None:
    """Orient quads (Q, 4), split them, and name their primitives: faces, source and primitive (Q,). SPLIT is added to
    the source of those that are to become triangles. Launch with (Q,).
    """
    q = start + wp.tid()
    if wp.min(wp.min(quads[q, 0], quads[q, 1]), wp.min(quads[q, 2], quads[q, 3])) < 0:
        source[q] = wp.uint8(INCOMPLETE)
        return
    a, b, c, d = turned_quad(points, quads, marks, q)
    if a == b or b == c or c == a:
        source[q] = wp.uint8(EMPTIED)
        return
    faces[q] = wp.vec4i(a, b, c, d)
    split = wp.where(must_split(points, marks[q], a, b, c, d), wp.uint8(SPLIT), wp.uint8(0))
    code = code_of(codes, q)
    if code == NO_PRIMITIVE or code == LOWEST:  # noqa: SIM109
        source[q] = wp.uint8(CLOSURE) + split
        primitive[q] = -1
    elif code >= 0:
        # Triangles of caps come after those of the stock, and have -1.
        source[q] = wp.where(codes.triangles[code] < 0, wp.uint8(CLOSURE), wp.uint8(STOCK)) + split
        primitive[q] = codes.triangles[code]
    else:
        source[q] = wp.uint8(PATH) + split
        primitive[q] = codes.segments[-1 - code]
