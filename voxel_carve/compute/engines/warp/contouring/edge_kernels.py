"""Warp kernels for the crossings of the result's surface with the edges of the grid: see `contouring.edges`.

B is the number of bricks, and N that of the edges that may be crossed. For rows and edges of a brick see `layout`. A
kernel that is launched with (N,) handles the edges from `start` on.
"""

# mypy: disable-error-code="name-defined"

from __future__ import annotations

from ....contouring.edges import (
    STOCK_EVENTS,
    add_event,
    add_sweep,
    combine_events,
    put_lost_event,
    settle_stock,
)
from ....formulas.language import Primitives, Rule
from ....model.bricks import BRICK_SIZE, NO_PRIMITIVE
from ..device.formulas import function, kernel, single
from ..device.structs import wp
from ..field.field_kernels import Columns
from .candidate_kernels import event_in
from .layout import ALL_ROWS, Crossings, Layout, Lists, centre_of, moved
from .structs import Edge, looped
from .voxel_kernels import Masks, Stock, Swept, swept_at, winding_around

BLOCK_DIM = 128


@function(looped)
def add_stock(
    primitives: Primitives,
    lists: Lists,
    brick: wp.int32,
    corner: wp.vec3i,
    axis: wp.int32,
    voxel: wp.int32,
    edge: Edge,
) -> wp.int32:
    """Set the events of an edge to its crossings with triangles. Return their number."""
    x, y, z = voxel & 7, (voxel >> 3) & 7, voxel >> 6
    i, j = wp.where(axis == 0, y, x), wp.where(axis == 2, y, z)
    along = wp.where(axis == 0, x, wp.where(axis == 1, y, z))
    count = wp.int32(0)
    shift = lists.shift[brick]
    for n in range(lists.first[brick] + shift, lists.first[brick + 1] + shift):
        t = lists.listed[n]
        change, at, place = event_in(primitives, t, corner, axis, i, j)
        if change != 0 and at == along and count < STOCK_EVENTS:
            count = add_event(edge, count, place, t, change)
    return count


@function(looped)
def find_events(
    layout: Layout,
    stock: Stock,
    columns: Columns,
    triangles: Lists,
    swept: Swept,
    segments: Lists,
    primitives: Primitives,
    rule: Rule,
    masks: Masks,
    brick: wp.int32,
    axis: wp.int32,
    voxel: wp.int32,
    is_stock: wp.bool,
    is_swept: wp.bool,
    edge: Edge,
) -> wp.int32:
    """Set the crossings of an edge with the result's surface. Return their number.

    Args:
        is_stock, is_swept: whether the stock, and the sweep, may have events on it.
    """
    corner = layout.corner[brick]
    at = wp.vec3i(corner[0] + (voxel >> 6), corner[1] + ((voxel >> 3) & 7), corner[2] + (voxel & 7))
    end = moved(at, axis, 1)
    centre = centre_of(at)
    count = wp.int32(0)
    if is_stock:
        first = winding_around(layout, stock, columns, brick, at)
        last = winding_around(layout, stock, columns, brick, end)
        count = add_stock(primitives, triangles, brick, corner, axis, voxel, edge)
        count = settle_stock(edge, count, first, last)
        if count < 0:
            count = 1
            shift = triangles.shift[brick]
            start, stop = triangles.first[brick] + shift, triangles.first[brick + 1] + shift
            put_lost_event(
                primitives, triangles.listed, start, stop, edge, centre[0], centre[1], centre[2], axis, first, last
            )
    in_sweep = ((int(masks.swept[brick, voxel >> 3]) >> (voxel & 7)) & 1) == 1
    if is_swept:
        _distance, nearest = swept_at(layout, swept, at)
        beyond, other = swept_at(layout, swept, end)
        first_code = wp.where(nearest == NO_PRIMITIVE, 0, -1 - nearest)
        last_code = wp.where(other == NO_PRIMITIVE, 0, -1 - other)
        shift = segments.shift[brick]
        start, stop = segments.first[brick] + shift, segments.first[brick + 1] + shift
        count = add_sweep(
            primitives, segments.listed, start, stop, edge, count, centre[0], centre[1], centre[2], axis, first_code,
            last_code, in_sweep, beyond <= wp.float32(0.0),
        )  # fmt: skip
    in_stock = ((int(masks.stock[brick, voxel >> 3]) >> (voxel & 7)) & 1) == 1
    return combine_events(edge, count, in_stock, in_sweep, rule)


@kernel(looped)
def cross_edges(
    layout: Layout,
    stock: Stock,
    columns: Columns,
    triangles: Lists,
    swept: Swept,
    segments: Lists,
    primitives: Primitives,
    rule: Rule,
    masks: Masks,
    by_stock: wp.array2d[wp.uint8],
    by_sweep: wp.array2d[wp.uint8],
    listed: wp.array[wp.vec2i],
    start: wp.int32,
    number: wp.array[wp.int32],
    place: wp.array[wp.vec2],
    code: wp.array[wp.vec2i],
) -> None:
    """Find the crossings of the edges that may be crossed. Launch with (N,).

    Args:
        triangles, segments: the lists.
        listed: (N,) the edges: see `list_marked`.
        number: (N + 1,) of the crossings of each.
        place, code: (N,) where they are, from 0 to 1 along the edge, and on which primitives.
    """
    i = start + wp.tid()
    brick, which = listed[i][0], listed[i][1]
    voxel = which & 511
    is_stock = ((int(by_stock[brick, which >> 3]) >> (which & 7)) & 1) == 1
    is_swept = ((int(by_sweep[brick, which >> 3]) >> (which & 7)) & 1) == 1
    edge = Edge()
    number[i] = find_events(
        layout, stock, columns, triangles, swept, segments, primitives, rule, masks, brick, which >> 9, voxel, is_stock,
        is_swept, edge,
    )  # fmt: skip
    place[i] = wp.vec2(wp.float32(edge.place[0]), wp.float32(edge.place[1]))
    code[i] = wp.vec2i(edge.code[0], edge.code[1])


@kernel(single)
def mark_crossed(
    by_stock: wp.array2d[wp.uint8],
    by_sweep: wp.array2d[wp.uint8],
    first: wp.array[wp.int32],
    number: wp.array[wp.int32],
    before: wp.array[wp.int32],
    crossings: Crossings,
) -> None:
    """Set `crossed`, `twice` and `first` of the crossings. Launch with (B, 192).

    Args:
        first: (192 B + 1,) the first edge of each row that may be crossed.
        number, before: (N + 1,) the crossings of each such edge, and how many are before them.
    """
    brick, row = wp.tid()
    bits = int(by_stock[brick, row]) | int(by_sweep[brick, row])
    n = first[brick * ALL_ROWS + row]
    crossings.first[brick * ALL_ROWS + row] = before[n]
    once = wp.int32(0)
    both = wp.int32(0)
    for x in range(BRICK_SIZE):
        if (bits >> x) & 1 == 1:
            if number[n] > 0:
                once = once | (1 << x)
            if number[n] > 1:
                both = both | (1 << x)
            n += 1
    crossings.crossed[brick, row] = wp.uint8(once)
    crossings.twice[brick, row] = wp.uint8(both)


@kernel(single)
def gather_crossings(
    before: wp.array[wp.int32],
    found_place: wp.array[wp.vec2],
    found_code: wp.array[wp.vec2i],
    place: wp.array[wp.float32],
    code: wp.array[wp.int32],
) -> None:
    """Leave out what is not crossed. Launch with (N,).

    Args:
        before: (N + 1,) the crossings before those of each edge.
        found_place, found_code: (N,) from `cross_edges`.
        place, code: (C,) of each crossing.
    """
    i = wp.tid()
    first = before[i]
    for n in range(before[i + 1] - first):
        place[first + n] = found_place[i][n]
        code[first + n] = found_code[i][n]
