"""Warp kernels for the pairs of crossings on faces, and the border points: see `contouring.faces` and `borders`.

B is the number of bricks, and N that of the faces with a crossing around them. For rows and faces of a brick see
`layout`. A kernel that is launched with (N,) handles the faces from `start` on.
"""

# mypy: disable-error-code="name-defined"

from __future__ import annotations

from ....contouring.bends import are_alike, bend_of_pair, is_step, orientation
from ....contouring.borders import place_borders, separate_pairs
from ....contouring.cells import JOINED
from ....contouring.pairing import are_joined
from ....formulas.language import Point, Primitives
from ....model.bricks import BRICK_SIZE
from ..device.formulas import function, kernel, single
from ..device.structs import wp
from .layout import (
    ALL_ROWS,
    ROWS,
    Crossings,
    Found,
    Layout,
    Lists,
    bit_at,
    bits_after,
    centre_of,
    crossings_at,
    made_bits,
    moved,
    row_start,
)
from .structs import Borders, Face, looped

BLOCK_DIM = 128


@kernel(single)
def mark_faces(layout: Layout, crossings: Crossings, masks: wp.array2d[wp.uint8], count: wp.array[wp.int32]) -> None:
    """Set masks (B, 192) to the faces with a crossing around them, and count (192 B + 1,) to how many there are in each
    row. Launch with (B, 192)."""
    brick, face_row = wp.tid()
    axis, row = face_row >> 6, face_row & 63
    u, v = (axis + 1) % 3, (axis + 2) % 3
    start = row_start(layout, brick, row)
    bits = int(crossings.crossed[brick, u * ROWS + row]) | int(crossings.crossed[brick, v * ROWS + row])
    bits = (
        bits | bits_after(layout, crossings.crossed, u, start, v) | bits_after(layout, crossings.crossed, v, start, u)
    )
    bits = bits & made_bits(layout, brick, 1, row)
    masks[brick, face_row] = wp.uint8(bits)
    count[brick * ALL_ROWS + face_row] = wp.bit_count(bits)


@function(looped)
def add_crossing(
    primitives: Primitives,
    carves: wp.bool,
    crossings: Crossings,
    index: wp.int32,
    along: wp.int32,
    leaves: wp.bool,
    far_u: wp.int32,
    far_v: wp.int32,
    u: wp.int32,
    v: wp.int32,
    side: wp.int32,
    count: wp.int32,
    low: Point,
    face: Face,
) -> None:
    """Add a crossing to the first `count` around a face.

    Args:
        along, leaves: the axis of its edge, and whether that leaves the result there.
        far_u, far_v: 1 if the edge is the far one along axis u, or v.    side: its number in the face, from 0 to 3.
    """
    for i in range(3):
        face.point[count, i] = low[i]
    face.point[count, u] += wp.float64(far_u)
    face.point[count, v] += wp.float64(far_v)
    face.point[count, along] += wp.float64(crossings.place[index])
    code = crossings.code[index]
    face.code[count] = code
    face.sign[count] = orientation(primitives, carves, code, along, leaves)
    face.leaves[count] = wp.where(leaves == (side < 2), 1, 0)
    face.index[count] = index
    face.edge[count] = side


@function(looped)
def gather_face(
    layout: Layout,
    primitives: Primitives,
    carves: wp.bool,
    crossings: Crossings,
    at: wp.vec3i,
    axis: wp.int32,
    low: Point,
    face: Face,
) -> wp.int32:
    """Set `face` to the crossings around the face across an axis from a voxel, in order. Return their number.

    Args:
        low: the voxel's centre.
    """
    u, v = (axis + 1) % 3, (axis + 2) % 3
    count = wp.int32(0)
    for side in range(4):
        along = wp.where((side & 1) == 0, u, v)
        far_u, far_v = wp.where(side == 1, 1, 0), wp.where(side == 2, 1, 0)
        start = moved(moved(at, u, far_u), v, far_v)
        first, number = crossings_at(layout, crossings, start, along)
        if number > 0:
            inside = bit_at(layout, crossings.inside, start) == 1
            for m in range(number):
                n = wp.where(side < 2, m, number - 1 - m)
                leaves = inside == ((n & 1) == 0)
                add_crossing(
                    primitives, carves, crossings, first + n, along, leaves, far_u, far_v, u, v, side, count, low, face
                )
                count += 1
    return count


@function(looped)
def are_many_joined(
    primitives: Primitives,
    triangles: Lists,
    brick: wp.int32,
    axis: wp.int32,
    count: wp.int32,
    face: Face,
    low: Point,
) -> wp.bool:
    """See `pairing.are_joined`: whether there are more than two crossings, and those are so."""
    if count < 3:
        return wp.bool(False)
    p = wp.vec3d()
    shift = triangles.shift[brick]
    return are_joined(
        primitives, triangles.listed, triangles.first[brick] + shift, triangles.first[brick + 1] + shift, face, count,
        (axis + 1) % 3, (axis + 2) % 3, low, p,
    )  # fmt: skip


@function(looped)
def count_borders(
    primitives: Primitives,
    is_thin: wp.bool,
    triangles: Lists,
    brick: wp.int32,
    axis: wp.int32,
    count: wp.int32,
    face: Face,
    low: Point,
) -> wp.int32:
    """How many border points the face with `count` crossings across an axis may have. Its least corner is low."""
    if count == 2 and not is_thin and face.edge[0] != face.edge[1]:
        u, v = (axis + 1) % 3, (axis + 2) % 3
        du, dv = face.point[1, u] - face.point[0, u], face.point[1, v] - face.point[0, v]
        if are_alike(primitives, face.code[0], face.code[1], u, v, du, dv):
            return 0
    step = count - 1
    if are_many_joined(primitives, triangles, brick, axis, count, face, low):
        step = 1
    borders = wp.int32(0)
    for n in range(count):
        m = (n + step) % count
        if face.leaves[n] == 1:  # noqa: SIM102
            if is_thin or bend_of_pair(primitives, face, n, m) or is_step(primitives, face, n, m):
                borders += 2
    return borders


@kernel(looped)
def measure_faces(
    layout: Layout,
    primitives: Primitives,
    carves: wp.bool,
    crossings: Crossings,
    thin: wp.array[wp.uint8],
    triangles: Lists,
    listed: wp.array[wp.vec2i],
    start: wp.int32,
    room: wp.array[wp.int32],
) -> None:
    """Set room (N + 1,) to how many border points each face may have, to one at least if it has more than one pair.
    Launch with (N,).

    Args:
        thin: (B,) see `Swept`.
        listed: (N,) the faces: see `list_marked`.
    """
    i = start + wp.tid()
    brick, which = listed[i][0], listed[i][1]
    at = moved(row_start(layout, brick, (which >> 3) & 63), 0, which & 7)
    low = centre_of(at)
    face = Face()
    count = gather_face(layout, primitives, carves, crossings, at, which >> 9, low, face)
    borders = count_borders(primitives, int(thin[brick]) == 1, triangles, brick, which >> 9, count, face, low)
    room[i] = wp.max(borders, wp.where(count > 2, 1, 0))


@function(looped)
def pair_face(
    primitives: Primitives,
    carves: wp.bool,
    segments: Lists,
    is_thin: wp.bool,
    triangles: Lists,
    brick: wp.int32,
    axis: wp.int32,
    count: wp.int32,
    face: Face,
    low: Point,
    borders: Borders,
    is_first: wp.array[wp.uint8],
    ends: wp.array2d[wp.int32],
    border: wp.int32,
) -> tuple[wp.int32, wp.int32]:
    """Set the border points of a face with `count` crossings, from `border` on. Return its record, and how many."""
    record = wp.int32(0)
    step = count - 1
    if are_many_joined(primitives, triangles, brick, axis, count, face, low):
        record = JOINED
        step = 1
    segment_shift, triangle_shift = segments.shift[brick], triangles.shift[brick]
    pair = wp.int32(0)
    found = wp.int32(0)
    for n in range(count):
        if face.leaves[n] == 1:
            m = (n + step) % count
            own = border + found
            number = wp.int32(0)
            # There is room for no other.
            if is_thin or bend_of_pair(primitives, face, n, m) or is_step(primitives, face, n, m):
                number = place_borders(
                    primitives, carves, segments.listed, segments.first[brick] + segment_shift,
                    segments.first[brick + 1] + segment_shift, is_thin, triangles.listed,
                    triangles.first[brick] + triangle_shift, triangles.first[brick + 1] + triangle_shift, axis, n, m,
                    face, low, borders, own,
                )  # fmt: skip
                is_first[own] = wp.uint8(wp.where(number == 2, 1, 0))
                is_first[own + 1] = wp.uint8(0)
            for k in range(number):
                ends[own + k, 0] = face.index[n]
                ends[own + k, 1] = face.index[m]
            record = record | (number << (2 * pair))
            found += number
            pair += 1
    if found > 1 or (found == 1 and count > 2):
        separate_pairs(face, count, step, record & ~JOINED, axis, borders, border)
    return record, found


@kernel(looped)
def pair_faces(
    layout: Layout,
    primitives: Primitives,
    carves: wp.bool,
    crossings: Crossings,
    segments: Lists,
    thin: wp.array[wp.uint8],
    triangles: Lists,
    listed: wp.array[wp.vec2i],
    first: wp.array[wp.int32],
    start: wp.int32,
    found: wp.array[wp.vec2i],
    record: wp.array[wp.int32],
    borders: Borders,
    is_first: wp.array[wp.uint8],
    ends: wp.array2d[wp.int32],
) -> None:
    """Find the pairs of the faces. Launch with (N,).

    Args:
        listed: (N,) the faces.
        first: (N + 1,) where the room of each for border points begins.
        found: (N + 1,) for each, 1 if it is one of `Pairs`, and the number of its border points.
        record: (N,) see `Pairs`.
        borders, is_first, ends: (M,), (M,), (M, 2) the border points, with gaps.
    """
    i = start + wp.tid()
    border = first[i]
    if first[i + 1] == border:
        found[i] = wp.vec2i(0, 0)
        return
    brick, which = listed[i][0], listed[i][1]
    at = moved(row_start(layout, brick, (which >> 3) & 63), 0, which & 7)
    low = centre_of(at)
    face = Face()
    axis = which >> 9
    count = gather_face(layout, primitives, carves, crossings, at, axis, low, face)
    own_record, number = pair_face(
        primitives, carves, segments, int(thin[brick]) == 1, triangles, brick, axis, count, face, low, borders,
        is_first, ends, border,
    )  # fmt: skip
    record[i] = own_record
    found[i] = wp.vec2i(wp.where(count > 2 or number > 0, 1, 0), number)


class Pairs:
    """The F faces with a border point, or with more than one pair of crossings, and their N border points.

    `faces` are these faces. Of each (F,): `record`, see `contouring.cells.link_face`, and `first_border`, the first
    border point. Of border points (N,): `point`, `middle`, `codes`, see `Borders`; `is_first`, 1 for the first of two
    of a pair; and `ends` (N, 2), the crossings of the pair: that which leaves, and that which enters.
    """

    faces: Found
    record: wp.array[wp.int32]
    first_border: wp.array[wp.int32]
    point: wp.array[wp.vec3d]
    middle: wp.array[wp.vec3d]
    codes: wp.array2d[wp.int32]
    is_first: wp.array[wp.uint8]
    ends: wp.array2d[wp.int32]


@kernel(single)
def mark_known(
    masks: wp.array2d[wp.uint8], first: wp.array[wp.int32], before: wp.array[wp.vec2i], faces: Found
) -> None:
    """Set `faces` to those of `Pairs`. Launch with (B, 192).

    Args:
        masks, first: (B, 192), (192 B + 1,) the faces with a crossing around them, and the first of each row.
        before: (N + 1,) how many of `Pairs` are before each of them.
    """
    brick, row = wp.tid()
    bits = int(masks[brick, row])
    n = first[brick * ALL_ROWS + row]
    faces.first[brick * ALL_ROWS + row] = before[n][0]
    known = wp.int32(0)
    for x in range(BRICK_SIZE):
        if (bits >> x) & 1 == 1:
            if before[n + 1][0] > before[n][0]:
                known = known | (1 << x)
            n += 1
    faces.mask[brick, row] = wp.uint8(known)


@kernel(single)
def gather_pairs(
    first: wp.array[wp.int32],
    before: wp.array[wp.vec2i],
    record: wp.array[wp.int32],
    borders: Borders,
    is_first: wp.array[wp.uint8],
    ends: wp.array2d[wp.int32],
    pairs: Pairs,
) -> None:
    """Set `pairs` to what `pair_faces` has found, without gaps. Launch with (N,).

    Args:
        first: see `pair_faces`.
        before: (N + 1,) the faces, and the border points, before those of each face with a crossing around it.
    """
    i = wp.tid()
    own = before[i][0]
    if before[i + 1][0] == own:
        return
    to, since = before[i][1], first[i]
    pairs.record[own] = record[i]
    pairs.first_border[own] = to
    for n in range(before[i + 1][1] - to):
        pairs.point[to + n] = borders.point[since + n]
        pairs.middle[to + n] = borders.middle[since + n]
        pairs.codes[to + n, 0] = borders.codes[since + n, 0]
        pairs.codes[to + n, 1] = borders.codes[since + n, 1]
        pairs.is_first[to + n] = is_first[since + n]
        pairs.ends[to + n, 0] = ends[since + n, 0]
        pairs.ends[to + n, 1] = ends[since + n, 1]
