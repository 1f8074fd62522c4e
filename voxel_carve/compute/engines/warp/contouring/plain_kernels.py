"""Warp kernels that list the cells that the surface passes, and place the vertices of plain ones: see
`contouring.vertices`.

B is the number of bricks, and N that of these cells. A cell has the number of the voxel at its first corner.
"""

# mypy: disable-error-code="name-defined"

from __future__ import annotations

from ....contouring.vertices import place_patch as place_on_surface
from ....formulas.language import Primitives, Rule
from ....model.bricks import BRICK_SIZE, NO_PRIMITIVE
from ..device.formulas import function, kernel, single
from ..device.structs import wp
from .face_kernels import Pairs
from .layout import (
    ROWS,
    Crossings,
    Layout,
    bit_at,
    bits_after,
    bits_from,
    centre_of,
    corner_at,
    crossings_at,
    made_bits,
    moved,
    row_start,
)
from .structs import PlainCell, plain
from .voxel_kernels import NEAR, Swept, swept_at

BLOCK_DIM = 128
EDGES = 12  # of a cell
MOST_VERTICES = 4  # of a cell that is not plain, for each of its crossings


class Tables:
    """`contouring.tables`: `patches` (256,), `patch` (256, 12) of cells whose faces are not joined; `first_corner`
    (12,), `ring_place` (12,) of edges, and `face_edges` (6, 4)."""

    patches: wp.array[wp.int8]
    patch: wp.array2d[wp.int8]
    first_corner: wp.array[wp.int32]
    ring_place: wp.array[wp.int32]
    face_edges: wp.array2d[wp.int32]


class Vertices:
    """Vertices, with gaps, and quads.

    Attributes:
        point, origin: (W,) where each vertex lies, and where it came from.
        movable: (W,) 1 in cells that are not plain, else 0.
        visits: (N,) which cell the first vertex visits that does not lie in its own, HOME if all do, for each cell that
            is not plain: see `overlaps.cell_visited`. In the order of `list_cells`.
        quads: (Q, 4) those of the crossings, and from `first_quad` on two for each border point; -1 where a cell is
            missing.
    """

    point: wp.array[wp.vec3d]
    origin: wp.array[wp.vec3d]
    movable: wp.array[wp.uint8]
    visits: wp.array[wp.uint8]
    quads: wp.array2d[wp.int32]
    first_quad: wp.int32


@kernel(single)
def mark_cells(
    layout: Layout, crossings: Crossings, pairs: Pairs, active: wp.array2d[wp.uint8], general: wp.array2d[wp.uint8],
    count: wp.array[wp.vec2i],
) -> None:  # fmt: skip
    """Set active and general (B, 64) to the cells that the surface passes, and to those of them that are not plain.
    Launch with (B, 64).

    count (64 B + 1,) is set to how many of both there are in each row.
    """
    brick, row = wp.tid()
    start = row_start(layout, brick, row)
    passed = wp.int32(0)
    several = wp.int32(0)
    for far in range(4):
        u, v = far & 1, far >> 1
        at = moved(moved(start, 1, u), 2, v)
        passed = passed | bits_from(layout, crossings.crossed, 0, at)
        several = several | bits_from(layout, crossings.twice, 0, at)
        at = moved(start, 2, v)
        passed = passed | (bits_from(layout, crossings.crossed, 1, at) >> u)
        several = several | (bits_from(layout, crossings.twice, 1, at) >> u)
        at = moved(start, 1, v)
        passed = passed | (bits_from(layout, crossings.crossed, 2, at) >> u)
        several = several | (bits_from(layout, crossings.twice, 2, at) >> u)
    for axis in range(3):
        several = several | bits_from(layout, pairs.faces.mask, axis, start)
        several = several | bits_after(layout, pairs.faces.mask, axis, start, axis)
    passed = passed & made_bits(layout, brick, 2, row)
    several = several & passed
    active[brick, row] = wp.uint8(passed)
    general[brick, row] = wp.uint8(several)
    count[brick * ROWS + row] = wp.vec2i(wp.bit_count(passed), wp.bit_count(several))


@function(single)
def corners_of(layout: Layout, crossings: Crossings, at: wp.vec3i) -> wp.int32:
    """The configuration of a cell: see `contouring.tables`."""
    corners = wp.int32(0)
    for k in range(8):
        corners = corners | (bit_at(layout, crossings.inside, corner_at(at, k)) << k)
    return corners


@function(single)
def room_of(layout: Layout, crossings: Crossings, tables: Tables, at: wp.vec3i, is_plain: wp.bool) -> wp.int32:
    """How many vertices a cell has at most."""
    if is_plain:
        return int(tables.patches[corners_of(layout, crossings, at)])
    room = wp.int32(0)
    for edge in range(EDGES):
        _first, number = crossings_at(layout, crossings, corner_at(at, tables.first_corner[edge]), edge >> 2)
        room += MOST_VERTICES * number
    return room


@kernel(single)
def list_cells(
    layout: Layout,
    crossings: Crossings,
    tables: Tables,
    active: wp.array2d[wp.uint8],
    general: wp.array2d[wp.uint8],
    first: wp.array[wp.vec2i],
    cells: wp.array[wp.vec2i],
    sorts: wp.array[wp.int32],
    room: wp.array[wp.int32],
) -> None:
    """List the cells that the surface passes. Launch with (B, 64).

    Args:
        first: (64 B + 1,) how many of them, and how many that are not plain, are before each row.
        cells: (N,) the brick of each, and its number there.
        sorts: (N,) their indices, those of plain ones first.
        room: (N + 1,) the vertices of each, at most.
    """
    brick, row = wp.tid()
    bits = int(active[brick, row])
    several = int(general[brick, row])
    to = first[brick * ROWS + row][0]
    of_general = first[brick * ROWS + row][1]
    last = first[first.shape[0] - 1]
    for x in range(BRICK_SIZE):
        if (bits >> x) & 1 == 1:
            is_plain = (several >> x) & 1 == 0
            cells[to] = wp.vec2i(brick, row * BRICK_SIZE + x)
            room[to] = room_of(layout, crossings, tables, moved(row_start(layout, brick, row), 0, x), is_plain)
            if is_plain:
                sorts[to - of_general] = to
            else:
                sorts[last[0] - last[1] + of_general] = to
                of_general += 1
            to += 1


@function(single)
def segment_at(layout: Layout, swept: Swept, brick: wp.int32, at: wp.vec3i) -> wp.int32:
    """The code of the segment nearest to a corner of a cell, if the sweep is near its brick."""
    if int(swept.state[brick]) != NEAR:
        return NO_PRIMITIVE
    _distance, segment = swept_at(layout, swept, at)
    return wp.where(segment == NO_PRIMITIVE, NO_PRIMITIVE, -1 - segment)


@function(plain)
def enter_patch(
    layout: Layout,
    primitives: Primitives,
    rule: Rule,
    crossings: Crossings,
    tables: Tables,
    at: wp.vec3i,
    corners: wp.int32,
    patch: wp.int32,
    vertex: wp.int32,
    vertices: Vertices,
    cell: PlainCell,
) -> None:
    """Place the vertex of a patch of a plain cell, and enter it in its quads."""
    count = wp.int32(0)
    for edge in range(EDGES):
        if int(tables.patch[corners, edge]) == patch:
            corner = tables.first_corner[edge]
            index, _number = crossings_at(layout, crossings, corner_at(at, corner), edge >> 2)
            for i in range(3):
                cell.point[count, i] = cell.corner[i] + wp.float64((corner >> i) & 1)
            cell.point[count, edge >> 2] += wp.float64(crossings.place[index])
            cell.code[count] = crossings.code[index]
            cell.loop[count] = count
            vertices.quads[index, tables.ring_place[edge]] = vertex
            count += 1
    p = wp.vec3d()
    place_on_surface(primitives, rule, cell, count, p)  # type: ignore[arg-type]
    vertices.point[vertex] = p


@function(plain)
def place_patches(
    layout: Layout,
    primitives: Primitives,
    rule: Rule,
    crossings: Crossings,
    swept: Swept,
    tables: Tables,
    at: wp.vec3i,
    brick: wp.int32,
    vertex: wp.int32,
    vertices: Vertices,
    cell: PlainCell,
) -> None:
    """Place the vertices of a plain cell: one for each of its patches."""
    cell.corner = centre_of(at)
    for k in range(8):
        cell.at_corners[k] = segment_at(layout, swept, brick, corner_at(at, k))
    corners = corners_of(layout, crossings, at)
    for patch in range(int(tables.patches[corners])):
        enter_patch(layout, primitives, rule, crossings, tables, at, corners, patch, vertex + patch, vertices, cell)


@kernel(plain)
def place_plain_cells(
    layout: Layout,
    primitives: Primitives,
    rule: Rule,
    crossings: Crossings,
    swept: Swept,
    tables: Tables,
    cells: wp.array[wp.vec2i],
    sorts: wp.array[wp.int32],
    start: wp.int32,
    first: wp.array[wp.int32],
    vertices: Vertices,
) -> None:
    """Place the vertices of plain cells, and enter them in their quads. Launch with as many threads as sorts from
    `start` on are plain.

    Args:
        cells, sorts: see `list_cells`.
        first: (N + 1,) where the vertices of each cell begin.
    """
    n = sorts[start + wp.tid()]
    brick, voxel = cells[n][0], cells[n][1]
    at = moved(row_start(layout, brick, voxel >> 3), 0, voxel & 7)
    cell = PlainCell()
    place_patches(layout, primitives, rule, crossings, swept, tables, at, brick, first[n], vertices, cell)
