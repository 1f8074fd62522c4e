"""Warp kernels for the vertices of cells that are not plain: see `contouring.cells` and `contouring.vertices`.

N is the number of cells that the surface passes. A cell has the number of the voxel at its first corner. Vertices are
placed with gaps, because it is not known before how many a cell has.
"""

# mypy: disable-error-code="name-defined"

from __future__ import annotations

from ....contouring.bends import orientation
from ....contouring.cells import CROSSING_SLOTS, JOINED, link_face, middle_sign, walk_face
from ....contouring.overlaps import HOME, cell_visited
from ....contouring.projection import find_around, find_facets
from ....contouring.vertices import place_cell
from ....formulas.language import Primitives, Rule
from ....model.bricks import NO_PRIMITIVE
from ..device.formulas import function, kernel
from ..device.structs import wp
from .face_kernels import Pairs
from .layout import Crossings, Layout, Lists, bit_at, centre_of, corner_at, crossings_at, moved, number_at, row_start
from .plain_kernels import EDGES, Tables, Vertices
from .structs import CellLoops, looped

BLOCK_DIM = 64  # a cell needs much memory of its own


@function(looped)
def add_near(code: wp.int32, sign: wp.float64, cell: CellLoops) -> None:
    """Add a primitive to those near a cell, unless it is one, or unknown."""
    if code == NO_PRIMITIVE:
        return
    count = cell.near_count[0]
    for m in range(count):
        if cell.near[m] == code:
            return
    cell.near[count] = code
    cell.near_sign[count] = sign
    cell.near_count[0] = count + 1


@function(looped)
def gather_edge(
    primitives: Primitives,
    carves: wp.bool,
    crossings: Crossings,
    edge: wp.int32,
    corner: wp.int32,
    first: wp.int32,
    number: wp.int32,
    cell: CellLoops,
) -> None:
    """Set the crossings of an edge, from `first` on, in their slots. It starts at a corner of the cell."""
    axis = edge >> 2
    inside = cell.starts_inside[edge] == 1
    for n in range(number):
        slot = 2 * edge + n
        for i in range(3):
            cell.point[slot, i] = cell.corner[i] + wp.float64((corner >> i) & 1)
        cell.point[slot, axis] += wp.float64(crossings.place[first + n])
        code = crossings.code[first + n]
        cell.code[slot] = code
        sign = orientation(primitives, carves, code, axis, inside == (n == 0))
        cell.sign[slot] = sign
        add_near(code, sign, cell)
        cell.index[slot] = first + n
        cell.taken[slot] = 0
        cell.border[slot] = -1


@function(looped)
def gather_cell(
    layout: Layout,
    primitives: Primitives,
    carves: wp.bool,
    crossings: Crossings,
    triangles: Lists,
    segments: Lists,
    tables: Tables,
    at: wp.vec3i,
    brick: wp.int32,
    cell: CellLoops,
) -> None:
    """Set the crossings of a cell."""
    cell.corner = centre_of(at)
    shift = segments.shift[brick]
    find_around(primitives, segments.listed, segments.first[brick] + shift, segments.first[brick + 1] + shift, cell)
    shift = triangles.shift[brick]
    find_facets(primitives, triangles.listed, triangles.first[brick] + shift, triangles.first[brick + 1] + shift, cell)
    cell.near_count[0] = 0
    for edge in range(EDGES):
        corner = tables.first_corner[edge]
        start = corner_at(at, corner)
        first, number = crossings_at(layout, crossings, start, edge >> 2)
        cell.number[edge] = number
        cell.taken[2 * edge] = 1
        cell.taken[2 * edge + 1] = 1
        cell.starts_inside[edge] = bit_at(layout, crossings.inside, start)
        gather_edge(primitives, carves, crossings, edge, corner, first, number, cell)


@function(looped)
def link_faces(layout: Layout, pairs: Pairs, at: wp.vec3i, cell: CellLoops) -> wp.bool:
    """Link the slots of a cell by the pairs of its faces. Return whether a face has more than one."""
    is_crowded = wp.bool(False)
    for side in range(6):
        face = number_at(layout, pairs.faces, moved(at, side >> 1, side & 1), side >> 1)
        record = wp.int32(0)
        border = wp.int32(0)
        if face >= 0:
            record = pairs.record[face]
            border = pairs.first_border[face]
        if link_face(cell, side, record, border):
            is_crowded = True
    return is_crowded


@function(looped)
def set_border(pairs: Pairs, slot: wp.int32, border: wp.int32, side: wp.int32, cell: CellLoops) -> None:
    """Set the border point of a slot, and the primitives before and after it."""
    for i in range(3):
        cell.border_point[slot, i] = pairs.point[border, i]  # type: ignore[index]
    for i in range(2):
        cell.border_code[slot, i] = pairs.codes[border, i ^ side]


@function(looped)
def set_borders(pairs: Pairs, carves: wp.bool, cell: CellLoops) -> None:
    """Set the border points of the slots of a cell, and the middle points between two."""
    for slot in range(CROSSING_SLOTS):
        if cell.taken[slot] == 0 and cell.border[slot] >= 0:
            border, side, middle = cell.border[slot], cell.border_side[slot], CROSSING_SLOTS + slot
            set_border(pairs, slot, border, side, cell)
            if cell.next[slot] == middle:
                set_border(pairs, middle, cell.border[middle], side, cell)
                for i in range(3):
                    cell.point[middle, i] = pairs.middle[border, i]  # type: ignore[index]
                cell.code[middle] = cell.border_code[slot, 1]
                cell.sign[middle] = middle_sign(cell, slot, carves)


@function(looped)
def enter_face(side: wp.int32, record: wp.int32, first_border: wp.int32, vertices: Vertices, cell: CellLoops) -> None:
    """Enter the vertices of a cell in the quads of the border points on face `side`."""
    count = walk_face(cell, side)
    step = wp.where((record & JOINED) != 0, 1, count - 1)
    is_far = (side & 1) == 1
    pair = wp.int32(0)
    border = wp.int32(first_border)
    for n in range(count):
        if cell.leaves[n] == 1:
            borders = (record >> (2 * pair)) & 3
            leaving, entering = cell.around[n], cell.around[(n + step) % count]
            middle = CROSSING_SLOTS + wp.where(is_far, leaving, entering)
            for m in range(borders):
                # The slots on both sides of the border point, from the one that leaves to the one that enters.
                one = wp.where(m == 0, leaving, middle)
                other = wp.where(m == borders - 1, entering, middle)
                hub = cell.hub[wp.where(is_far, one, other)]
                quad = vertices.first_quad + 2 * (border + m)
                if is_far:
                    vertices.quads[quad, 0] = cell.vertex[one]
                    vertices.quads[quad, 1] = hub
                    vertices.quads[quad + 1, 0] = hub
                    vertices.quads[quad + 1, 1] = cell.vertex[other]
                else:
                    vertices.quads[quad, 2] = hub
                    vertices.quads[quad, 3] = cell.vertex[one]
                    vertices.quads[quad + 1, 2] = cell.vertex[other]
                    vertices.quads[quad + 1, 3] = hub
            border += borders
            pair += 1


@function(looped)
def enter_cell(layout: Layout, pairs: Pairs, tables: Tables, at: wp.vec3i, vertices: Vertices, cell: CellLoops) -> None:
    """Enter the vertices of a cell in its quads."""
    for edge in range(EDGES):
        for n in range(cell.number[edge]):
            slot = 2 * edge + n
            vertices.quads[cell.index[slot], tables.ring_place[edge]] = cell.vertex[slot]
    for side in range(6):
        face = number_at(layout, pairs.faces, moved(at, side >> 1, side & 1), side >> 1)
        if face >= 0:
            enter_face(side, pairs.record[face], pairs.first_border[face], vertices, cell)


@kernel(looped)
def place_general_cells(
    layout: Layout,
    primitives: Primitives,
    rule: Rule,
    crossings: Crossings,
    pairs: Pairs,
    triangles: Lists,
    segments: Lists,
    tables: Tables,
    cells: wp.array[wp.vec2i],
    sorts: wp.array[wp.int32],
    start: wp.int32,
    first: wp.array[wp.int32],
    vertices: Vertices,
) -> None:
    """Place the vertices of cells by their loops, and enter them in their quads. Launch with as many threads as sorts
    from `start` on are not plain.

    Args:
        cells, sorts: see `list_cells`.
        first: (N + 1,) where the vertices of each cell begin.
    """
    n = sorts[start + wp.tid()]
    brick, voxel = cells[n][0], cells[n][1]
    at = moved(row_start(layout, brick, voxel >> 3), 0, voxel & 7)
    cell = CellLoops()
    cell.face_edges = tables.face_edges
    gather_cell(layout, primitives, rule.carves, crossings, triangles, segments, tables, at, brick, cell)
    is_crowded = link_faces(layout, pairs, at, cell)
    set_borders(pairs, rule.carves, cell)
    vertex = place_cell(primitives, rule, cell, is_crowded, first[n], vertices.point, vertices.origin)
    enter_cell(layout, pairs, tables, at, vertices, cell)
    visit = wp.int32(HOME)
    for own in range(first[n], vertex):
        vertices.movable[own] = wp.uint8(1)
        if visit == HOME:
            visit = cell_visited(cell, vertices.point, own)
    vertices.visits[start + wp.tid()] = wp.uint8(visit)
