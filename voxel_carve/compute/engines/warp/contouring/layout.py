"""Where bricks, rows of voxels and lists lie, for the kernels of this room.

A voxel has an index (z, y, x) in the grid. A row of a brick is eight voxels along x, with a byte of bits for them. Row
8 z + y of a brick has its voxels; row 64 a + 8 z + y has the edges along axis a (0 is x), or the faces across it, that
start at them. Edge 8 r + x of a brick, or face, starts at voxel x of row r.
"""

# mypy: disable-error-code="name-defined"

from __future__ import annotations

from ....formulas.octants import octant_bits
from ....model.bricks import BRICK_SIZE, State
from ..device.formulas import double, function, single
from ..device.structs import wp

ROWS = BRICK_SIZE * BRICK_SIZE  # of the voxels of a brick
ALL_ROWS = 3 * ROWS  # of its edges, or faces
AXIS_EDGES = BRICK_SIZE * ROWS  # of a brick along one axis
BITS = 255

SOLID = int(State.SOLID)
HALF = 0.5


class Layout:
    """Where the B bricks of the result lie: their first voxels (B,) as (z, y, x); `fields.places_of`; the result's
    `State` of all bricks; and (B, 3) those octants whose edges, faces and cells are made."""

    corner: wp.array[wp.vec3i]
    places: wp.array3d[wp.int32]
    states: wp.array3d[wp.uint8]
    octants: wp.array2d[wp.uint8]


class Lists:
    """The lists of primitives of the B bricks. That of brick b is listed[first[b] + shift[b]] up to, but without,
    listed[first[b + 1] + shift[b]]."""

    first: wp.array[wp.int32]
    shift: wp.array[wp.int32]
    listed: wp.array[wp.int32]


class Found:
    """Some of the edges or faces of all bricks, by brick, row and voxel.

    `mask` (B, 192) says which, and `first` (192 B + 1,) how many there are before each row. So they are numbered.
    """

    mask: wp.array2d[wp.uint8]
    first: wp.array[wp.int32]


class Crossings:
    """The C crossings of the result's surface with the edges of the grid, by brick, row, voxel, and along the edge.

    `crossed` and `twice` (B, 192) are the edges with a crossing, and those with two; `first` (192 B,) is the first
    crossing of each row. `place` (C,) is from 0 to 1 along the edge, `code` (C,) the primitive. `inside` (B, 64) are
    the voxels in the result.
    """

    inside: wp.array2d[wp.uint8]
    crossed: wp.array2d[wp.uint8]
    twice: wp.array2d[wp.uint8]
    first: wp.array[wp.int32]
    place: wp.array[wp.float32]
    code: wp.array[wp.int32]


@function(single)
def locate(layout: Layout, at: wp.vec3i) -> wp.vec2i:
    """The brick, -1 if it is not one of the result's, and the voxel in it, for a voxel of the grid or one beside it."""
    place = layout.places[(at[0] >> 3) + 1, (at[1] >> 3) + 1, (at[2] >> 3) + 1]
    return wp.vec2i(place, ((at[0] & 7) << 6) | ((at[1] & 7) << 3) | (at[2] & 7))


@function(single)
def state_at(states: wp.array3d[wp.uint8], at: wp.vec3i) -> wp.int32:
    """The state of the brick with a voxel; EMPTY beyond the far sides of the grid."""
    z = at[0] >> 3
    y = at[1] >> 3
    x = at[2] >> 3
    if z < states.shape[0] and y < states.shape[1] and x < states.shape[2]:
        return int(states[z, y, x])
    return 0


@function(single)
def moved(at: wp.vec3i, axis: wp.int32, steps: wp.int32) -> wp.vec3i:
    """The voxel some steps along an axis (0 is x)."""
    if axis == 0:
        return wp.vec3i(at[0], at[1], at[2] + steps)
    if axis == 1:
        return wp.vec3i(at[0], at[1] + steps, at[2])
    return wp.vec3i(at[0] + steps, at[1], at[2])


@function(single)
def corner_at(at: wp.vec3i, k: wp.int32) -> wp.vec3i:
    """The voxel (z, y, x) at corner k of the cell that begins at a voxel."""
    return wp.vec3i(at[0] + (k >> 2), at[1] + ((k >> 1) & 1), at[2] + (k & 1))


@function(single)
def row_start(layout: Layout, brick: wp.int32, row: wp.int32) -> wp.vec3i:
    """The first voxel of a row, 0 to 63, of a brick."""
    corner = layout.corner[brick]
    return wp.vec3i(corner[0] + (row >> 3), corner[1] + (row & 7), corner[2])


@function(single)
def made_bits(layout: Layout, brick: wp.int32, kind: wp.int32, row: wp.int32) -> wp.int32:
    """A bit for each voxel of a row, 0 to 63, of a brick, whose edge (kind 0), face (1) or cell (2) is made."""
    return octant_bits(int(layout.octants[brick, kind]), row >> 3, row & 7)


@function(double)
def centre_of(at: wp.vec3i) -> wp.vec3d:
    """The centre (x, y, z) of a voxel, in voxels from the grid's origin: the first corner of its cell."""
    return wp.vec3d(wp.float64(at[2]) + HALF, wp.float64(at[1]) + HALF, wp.float64(at[0]) + HALF)


@function(single)
def bit_at(layout: Layout, masks: wp.array2d[wp.uint8], at: wp.vec3i) -> wp.int32:
    """The bit of a voxel in masks (B, 64); outside the bricks, whether it is inside the result."""
    place = locate(layout, at)
    if place[0] < 0:
        return wp.where(state_at(layout.states, at) == SOLID, 1, 0)
    return (int(masks[place[0], place[1] >> 3]) >> (place[1] & 7)) & 1


@function(single)
def bits_from(layout: Layout, masks: wp.array2d[wp.uint8], part: wp.int32, at: wp.vec3i) -> wp.int32:
    """The nine bits from voxel `at` on, the first one of a row, in masks (B, 64 A), where 64 `part` rows are before
    those that count. The bits are 0 outside the bricks."""
    place = locate(layout, at)
    beyond = locate(layout, moved(at, 0, BRICK_SIZE))
    row = part * ROWS + (place[1] >> 3)
    bits = wp.int32(0)
    if place[0] >= 0:
        bits = int(masks[place[0], row])
    if beyond[0] >= 0:
        bits = bits | ((int(masks[beyond[0], row]) & 1) << BRICK_SIZE)
    return bits


@function(single)
def number_of(found: Found, brick: wp.int32, edge: wp.int32) -> wp.int32:
    """The number of an edge, 0 to 1535, or face of a brick, among those found; -1 if it is none of them."""
    row = edge >> 3
    mask = int(found.mask[brick, row])
    bit = 1 << (edge & 7)
    if (mask & bit) == 0:
        return -1
    return found.first[brick * ALL_ROWS + row] + wp.bit_count(mask & (bit - 1))


@function(single)
def number_at(layout: Layout, found: Found, at: wp.vec3i, axis: wp.int32) -> wp.int32:
    """The number of the edge along an axis from a voxel, or of the face across the axis, among those found; or -1."""
    place = locate(layout, at)
    if place[0] < 0:
        return -1
    return number_of(found, place[0], axis * AXIS_EDGES + place[1])


@function(single)
def bits_after(
    layout: Layout, masks: wp.array2d[wp.uint8], part: wp.int32, start: wp.vec3i, axis: wp.int32
) -> wp.int32:
    """The bits one step along an axis from those of a row that begins at a voxel: see `bits_from`."""
    if axis == 0:
        return bits_from(layout, masks, part, start) >> 1
    return bits_from(layout, masks, part, moved(start, axis, 1)) & BITS


@function(single)
def crossings_at(layout: Layout, crossings: Crossings, at: wp.vec3i, axis: wp.int32) -> tuple[wp.int32, wp.int32]:
    """The first crossing of the edge along an axis from a voxel, and how many it has."""
    place = locate(layout, at)
    if place[0] < 0:
        return 0, 0
    row = axis * ROWS + (place[1] >> 3)
    once = int(crossings.crossed[place[0], row])
    bit = 1 << (place[1] & 7)
    if (once & bit) == 0:
        return 0, 0
    both = int(crossings.twice[place[0], row])
    first = crossings.first[place[0] * ALL_ROWS + row]
    first += wp.bit_count(once & (bit - 1)) + wp.bit_count(both & (bit - 1))
    return first, wp.where((both & bit) == 0, 1, 2)
