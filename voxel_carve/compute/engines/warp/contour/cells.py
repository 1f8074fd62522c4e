"""Structs and voxel look-ups for the Warp kernels of surface extraction. A brick has its index in the field."""

# mypy: disable-error-code="name-defined"

from __future__ import annotations

from ....model.bricks import BRICK_SIZE, BRICK_VOXELS, NO_PRIMITIVE, REACH, State
from ..device.formulas import double, function, single
from ..device.structs import wp

# Each thread numbers the cells of one layer of a brick: a whole brick is too much for it, and a cell too little.
LAYERS = BRICK_SIZE

PARTS = 4  # patches of a cell, or axes of its edges

HALF = 0.5
SOLID = int(State.SOLID)


class Layout:
    """Where the bricks lie: their first voxels (B,) as (z, y, x); `fields.places_of` and `Field.states`."""

    corner: wp.array[wp.vec3i]
    places: wp.array3d[wp.int32]
    states: wp.array3d[wp.uint8]


class Cells:
    """The cells of all bricks.

    (B, 512) each: `configuration` and `joined`, see `cells.CellTables`; `vertex` and `quad`, index of a cell's first
    one in its layer, -1 if the cell is not active. `first` (B * LAYERS + 1,): the indices of a layer's first vertex and
    first quad among all.
    """

    configuration: wp.array2d[wp.uint8]
    joined: wp.array2d[wp.uint8]
    vertex: wp.array2d[wp.int16]
    quad: wp.array2d[wp.int16]
    first: wp.array[wp.vec2l]


class Tables:
    """`cells.CellTables`; `first_corner` (12,) of each edge of a cell, and `cells.RING`."""

    patches: wp.array2d[wp.int8]
    patch: wp.array3d[wp.int8]
    repair_face: wp.array[wp.int8]
    first_corner: wp.array[wp.int32]
    ring: wp.array2d[wp.int32]


@function(single)
def corner_at(at: wp.vec3i, k: wp.int32) -> wp.vec3i:
    """The voxel (z, y, x) at corner k of the cell that begins at a voxel: see `cells`."""
    return wp.vec3i(at[0] + (k >> 2), at[1] + ((k >> 1) & 1), at[2] + (k & 1))


@function(single)
def locate(layout: Layout, at: wp.vec3i) -> wp.vec2i:
    """The brick, -1 if it is not NEAR, and the voxel in it, for a voxel of the grid or one outside it."""
    place = layout.places[(at[0] >> 3) + 1, (at[1] >> 3) + 1, (at[2] >> 3) + 1]
    return wp.vec2i(place, ((at[0] & 7) << 6) | ((at[1] & 7) << 3) | (at[2] & 7))


@function(single)
def value_at(layout: Layout, distance: wp.array2d[wp.float32], at: wp.vec3i) -> wp.float32:
    """The distance at a voxel. If its brick is not NEAR, the state decides; beyond the grid, all is outside."""
    place = locate(layout, at)
    if place[0] >= 0:
        return distance[place[0], place[1]]
    z = at[0] >> 3
    y = at[1] >> 3
    x = at[2] >> 3
    # Warp evaluates both sides of an "and", so the bounds check needs an "if" of its own.
    if z < layout.states.shape[0] and y < layout.states.shape[1] and x < layout.states.shape[2]:  # noqa: SIM102
        if int(layout.states[z, y, x]) == SOLID:
            return -REACH
    return REACH


@function(single)
def code_at(layout: Layout, nearest: wp.array2d[wp.int32], at: wp.vec3i) -> wp.int32:
    """The nearest primitive at a voxel, NO_PRIMITIVE if the brick is not NEAR."""
    place = locate(layout, at)
    if place[0] < 0:
        return NO_PRIMITIVE
    return nearest[place[0], place[1]]


@function(double)
def centre_of(at: wp.vec3i) -> wp.vec3d:
    """The centre (x, y, z) of a voxel, in voxels from the grid's origin: the first corner of its cell."""
    return wp.vec3d(wp.float64(at[2]) + HALF, wp.float64(at[1]) + HALF, wp.float64(at[0]) + HALF)


@function(single)
def place_of(brick: wp.int32, voxel: wp.int32, part: wp.int32) -> wp.int64:
    """The number of one of four parts of a cell: see `DualMesh.cells`."""
    return (wp.int64(brick) * wp.int64(BRICK_VOXELS) + wp.int64(voxel)) * wp.int64(PARTS) + wp.int64(part)


@function(single)
def part_at(place: wp.int64) -> tuple[wp.vec2i, wp.int32]:
    """The brick and the voxel of a cell, and the part of it, from its `place_of`."""
    cell = place // wp.int64(PARTS)
    brick = cell // wp.int64(BRICK_VOXELS)
    return wp.vec2i(int(brick), int(cell - brick * wp.int64(BRICK_VOXELS))), int(place - cell * wp.int64(PARTS))


@function(single)
def first_vertex(cells: Cells, brick: wp.int32, voxel: wp.int32) -> wp.int32:
    """The first vertex of a cell, -1 if it is not active."""
    vertex = int(cells.vertex[brick, voxel])
    if vertex < 0:
        return -1
    return int(cells.first[brick * LAYERS + (voxel >> 6)][0]) + vertex


@function(single)
def first_quad(cells: Cells, brick: wp.int32, voxel: wp.int32) -> wp.int32:
    """The first quad of a cell, -1 if it is not active."""
    quad = int(cells.quad[brick, voxel])
    if quad < 0:
        return -1
    return int(cells.first[brick * LAYERS + (voxel >> 6)][1]) + quad


@function(single)
def is_crossed(corners: wp.int32, axis: wp.int32) -> wp.bool:
    """Whether the edge along an axis (0 is x) from the first corner of a cell with this configuration is crossed."""
    return (corners & 1) != ((corners >> (1 << axis)) & 1)


@function(single)
def quad_at(layout: Layout, cells: Cells, at: wp.vec3i, axis: wp.int32) -> wp.int32:
    """The quad around the edge along an axis (0 is x) that starts at a voxel, -1 if there is no cell."""
    place = locate(layout, at)
    if place[0] < 0:
        return -1
    quad = first_quad(cells, place[0], place[1])
    if quad < 0:
        return -1
    for before in range(axis):
        if is_crossed(int(cells.configuration[place[0], place[1]]), before):
            quad += 1
    return quad
