"""Warp kernels for the crossings of cell edges and for the vertices, with a thread for each of them.

See `formulas.hermite` and `formulas.vertex_placement`; for `layout`, `tables` and `cells` see `surface_kernels`, and
for `places` (V,) and `edges` (Q,) its `list_cells`. `primitives`, `rule` and `nearest` (B, 512) are those of the field.
quad_place and quad_code (Q,) say where the edge of each quad is crossed, from 0 to 1, and by which primitive, numbered
as in `nearest`. A kernel that is launched with (N,) handles the quads, or vertices, `start` to `start` + N.
"""

# mypy: disable-error-code="name-defined"

from __future__ import annotations

from ....formulas.hermite import cross_edge
from ....formulas.language import Point, Primitives, Rule
from ....formulas.vertex_placement import join_crossing, place_patch
from ....model.bricks import NO_PRIMITIVE
from ..device.formulas import double, function, kernel
from ..device.functions import voxel_at
from ..device.structs import Cell, wp
from .cells import Cells, Layout, Tables, centre_of, code_at, corner_at, part_at, quad_at, value_at

BLOCK_DIM = 128  # a vertex needs many registers
HALF = 0.5


@kernel(double)
def cross_edges(
    layout: Layout,
    distance: wp.array2d[wp.float32],
    nearest: wp.array2d[wp.int32],
    primitives: Primitives,
    rule: Rule,
    edges: wp.array[wp.int64],
    start: wp.int32,
    quad_place: wp.array[wp.float64],
    quad_code: wp.array[wp.int32],
) -> None:
    """Find the crossing of each crossed edge, and the primitive there. Launch with (N,).

    `distance` (B, 512) is that of the field; quad_place and quad_code are set.
    """
    quad = start + wp.tid()
    cell, axis = part_at(edges[quad])
    at = voxel_at(layout.corner[cell[0]], cell[1])
    corner = centre_of(at)
    end = at
    end[2 - axis] = end[2 - axis] + 1
    place, code = cross_edge(
        primitives,
        rule,
        wp.float64(distance[cell[0], cell[1]]),
        wp.float64(value_at(layout, distance, end)),
        nearest[cell[0], cell[1]],
        code_at(layout, nearest, end),
        corner[0],
        corner[1],
        corner[2],
        axis,
    )
    quad_place[quad] = place
    quad_code[quad] = code


@function(double)
def gather_patch(
    layout: Layout,
    tables: Tables,
    cells: Cells,
    primitives: Primitives,
    rule: Rule,
    quad_place: wp.array[wp.float64],
    quad_code: wp.array[wp.int32],
    brick: wp.int32,
    voxel: wp.int32,
    at: wp.vec3i,
    patch: wp.int32,
    cell: Cell,
    p: Point,
) -> tuple[wp.int32, wp.int32]:
    """Add the crossings of one patch of a cell to p, and to `cell` by `join_crossing`.

    Returns:
        The numbers of crossings and of members.
    """
    joined = int(cells.joined[brick, voxel])
    corners = int(cells.configuration[brick, voxel])
    crossed = wp.int32(0)
    members = wp.int32(0)
    for edge in range(12):
        if int(tables.patch[joined, corners, edge]) == patch:
            first = tables.first_corner[edge]
            axis = edge >> 2
            quad = quad_at(layout, cells, corner_at(at, first), axis)
            place = wp.float64(HALF)
            code = int(NO_PRIMITIVE)
            if quad >= 0:
                place = quad_place[quad]
                code = quad_code[quad]
            inside = ((corners >> first) & 1) == 1
            members = join_crossing(primitives, rule, cell, crossed, members, first, axis, place, code, inside, p)
            crossed += 1
    return crossed, members


@kernel(double)
def make_vertices(
    layout: Layout,
    tables: Tables,
    cells: Cells,
    nearest: wp.array2d[wp.int32],
    primitives: Primitives,
    rule: Rule,
    quad_place: wp.array[wp.float64],
    quad_code: wp.array[wp.int32],
    places: wp.array[wp.int64],
    start: wp.int32,
    points: wp.array[wp.vec3d],
    kinds: wp.array[wp.uint8],
) -> None:
    """Place the vertex of each patch. Launch with (N,).

    Args:
        points: (V,) in voxels from the grid's origin.
        kinds: (V,) SMOOTH, SHARP, PARTLY or FALLBACK.
    """
    vertex = start + wp.tid()
    owner, patch = part_at(places[vertex])
    brick, voxel = owner[0], owner[1]
    at = voxel_at(layout.corner[brick], voxel)
    cell = Cell()
    cell.corner = centre_of(at)
    for k in range(8):
        cell.around[k] = code_at(layout, nearest, corner_at(at, k))
    p = wp.vec3d()
    crossed, members = gather_patch(
        layout, tables, cells, primitives, rule, quad_place, quad_code, brick, voxel, at, patch, cell, p
    )
    kinds[vertex] = wp.uint8(place_patch(primitives, rule, crossed, members, cell, p))
    points[vertex] = p
