"""Warp kernels for binning: see `field.binning`. They keep what the numba kernels keep.

A primitive's box is cut into tiles of 64 bricks. It has 64 threads, one for each brick of a tile: together they go from
tile to tile. `table` is the number of bricks as (z, y, x), and T their number in all. A kernel that is launched with
(N, TILE_BRICKS) handles the primitives `start` to `start` + N. Of K primitives, the pair of a brick and a primitive has
the key brick * K + primitive.
"""

# mypy: disable-error-code="name-defined"

from __future__ import annotations

from ....field.binning import half_diagonal
from ....formulas.language import Primitives
from ....formulas.round_cone import (
    PRUNING_SLACK,
    can_be_nearest,
    contains_cube,
    distance,
    highest,
    lowest,
    nearest_ball,
)
from ....formulas.triangle import reaches_box, squared_distance
from ....formulas.vector import greatest, least, length
from ....model.bricks import BAND, BRICK_SIZE, State
from ..device.formulas import double, function, kernel
from ..device.structs import wp

BLOCK_DIM = 256
TILE = 4  # bricks along a side
TILE_BRICKS = TILE**3

NEAR, SOLID = int(State.NEAR), int(State.SOLID)
ZERO = 0.0
ONE = 1.0
HALF = 0.5
SIDE = float(BRICK_SIZE)
TILE_SIDE = float(TILE * BRICK_SIZE)
HALF_EXTENT = (BRICK_SIZE - 1) / 2  # of the voxel centres of a brick
FIRST_CENTRE = 0.5
LAST_CENTRE = BRICK_SIZE - 0.5
# How far a body's surface may be from the centre of a brick, or of a tile, that it matters in.
DEPTH = half_diagonal(BRICK_SIZE) + BAND
TILE_DEPTH = half_diagonal(TILE * BRICK_SIZE) + BAND
# How much farther than the nearest segment.
SPREAD = 2 * half_diagonal(BRICK_SIZE) + PRUNING_SLACK
LEAST_RHO = 1e-12


class Box:
    """The first and the last of the bricks (z, y, x) with voxel centres in a box."""

    first: wp.vec3i
    last: wp.vec3i


@function(double)
def first_from(low: wp.float64, bricks: wp.int32) -> wp.int32:
    """The first of a row of bricks with a voxel centre at `low` or beyond; their number if there is none."""
    i = int(wp.min(wp.max(wp.ceil((low - LAST_CENTRE) / SIDE), ZERO), wp.float64(bricks)))
    # The difference is rounded.
    if i > 0:  # noqa: SIM102
        if low <= wp.float64(i - 1) * SIDE + LAST_CENTRE:
            i -= 1
    if i < bricks:  # noqa: SIM102
        if low > wp.float64(i) * SIDE + LAST_CENTRE:
            i += 1
    return i


@function(double)
def last_to(high: wp.float64, bricks: wp.int32) -> wp.int32:
    """The last of a row of bricks with a voxel centre at `high` or before; -1 if there is none."""
    i = int(wp.min(wp.max(wp.floor((high - FIRST_CENTRE) / SIDE), -ONE), wp.float64(bricks - 1)))
    if i + 1 < bricks:  # noqa: SIM102
        if high >= wp.float64(i + 1) * SIDE + FIRST_CENTRE:
            i += 1
    if i >= 0:  # noqa: SIM102
        if high < wp.float64(i) * SIDE + FIRST_CENTRE:
            i -= 1
    return i


@function(double)
def box_between(low: wp.vec3d, high: wp.vec3d, table: wp.vec3i) -> Box:
    """The bricks in a box from low to high (x, y, z), which is widened by BAND."""
    box = Box()
    for axis in range(3):
        box.first[axis] = first_from(low[2 - axis] - BAND, table[axis])
        box.last[axis] = last_to(high[2 - axis] + BAND, table[axis])
    return box


@function(double)
def tiles_in(box: Box) -> wp.int32:
    """The number of tiles that a box meets."""
    count = wp.int32(1)
    for axis in range(3):
        count *= wp.max((box.last[axis] >> 2) - (box.first[axis] >> 2) + 1, 0)
    return count


@function(double)
def tile_in(box: Box, n: wp.int32) -> wp.vec3i:
    """The n-th tile that a box meets, as (z, y, x)."""
    y, x = box.first[1] >> 2, box.first[2] >> 2
    height, width = (box.last[1] >> 2) - y + 1, (box.last[2] >> 2) - x + 1
    row = n // width
    return wp.vec3i((box.first[0] >> 2) + row // height, y + row % height, x + n % width)


@function(double)
def brick_in(box: Box, tile: wp.vec3i, lane: wp.int32) -> wp.vec3i:
    """One of the 64 bricks of a tile, as (z, y, x); negative if it is not in the box."""
    at = wp.vec3i(4 * tile[0] + (lane >> 4), 4 * tile[1] + ((lane >> 2) & 3), 4 * tile[2] + (lane & 3))
    for axis in range(3):
        if at[axis] < box.first[axis] or at[axis] > box.last[axis]:
            return wp.vec3i(-1, -1, -1)
    return at


@function(double)
def middle_of(at: wp.vec3i, side: wp.float64) -> wp.vec3d:
    """The centre (x, y, z) of a cube of this side, with an index (z, y, x) among such cubes."""
    return wp.vec3d(
        (wp.float64(at[2]) + HALF) * side, (wp.float64(at[1]) + HALF) * side, (wp.float64(at[0]) + HALF) * side
    )


@function(double)
def number_of(at: wp.vec3i, table: wp.vec3i) -> wp.int32:
    """The id of a brick (z, y, x)."""
    return (at[0] * table[1] + at[1]) * table[2] + at[2]


@function(double)
def segment_box(segments: wp.array2d[wp.float64], j: wp.int32, table: wp.vec3i) -> Box:
    """The bricks in the box of a segment."""
    low = wp.vec3d(lowest(segments, j, 0), lowest(segments, j, 1), lowest(segments, j, 2))
    high = wp.vec3d(highest(segments, j, 0), highest(segments, j, 1), highest(segments, j, 2))
    return box_between(low, high, table)


@function(double)
def brick_near_segment(
    segments: wp.array2d[wp.float64], j: wp.int32, box: Box, n: wp.int32, lane: wp.int32
) -> tuple[wp.vec3i, wp.float64]:
    """A brick of the n-th tile of a segment's box, and the distance of its centre; negative if the segment is far."""
    tile = tile_in(box, n)
    at = brick_in(box, tile, lane)
    if at[0] < 0:
        return at, ZERO
    p = middle_of(tile, TILE_SIDE)
    if distance(segments, j, p[0], p[1], p[2]) > TILE_DEPTH:
        return wp.vec3i(-1, -1, -1), ZERO
    p = middle_of(at, SIDE)
    return at, distance(segments, j, p[0], p[1], p[2])


@function(double)
def pair_key(brick: wp.int32, primitive: wp.int32, primitives: wp.int32) -> wp.int64:
    """The key of a pair."""
    return wp.int64(brick) * wp.int64(primitives) + wp.int64(primitive)


@function(double)
def primitive_of(key: wp.int64, brick: wp.int32, primitives: wp.int32) -> wp.int32:
    """The primitive in the key of a pair."""
    return int(key - wp.int64(brick) * wp.int64(primitives))


@kernel(double)
def find_least(
    segments: wp.array2d[wp.float64], table: wp.vec3i, start: wp.int32, nearest: wp.array[wp.float64]
) -> None:
    """Lower nearest (T,), infinite before, to the least distance of any segment from the centre of each brick.

    Launch with (N, TILE_BRICKS).
    """
    i, lane = wp.tid()
    j = start + i
    box = segment_box(segments, j, table)
    for n in range(tiles_in(box)):
        at, here = brick_near_segment(segments, j, box, n, lane)
        if at[0] >= 0:
            wp.atomic_min(nearest, number_of(at, table), here)


@kernel(double)
def list_segments(
    segments: wp.array2d[wp.float64],
    table: wp.vec3i,
    nearest: wp.array[wp.float64],
    start: wp.int32,
    place: wp.array[wp.int32],
    listed: wp.array[wp.int64],
) -> None:
    """List the segments that may matter in each brick. Bricks wholly inside one get none. Launch with (N, TILE_BRICKS).

    Args:
        nearest: (T,) from `find_least`.
        place: (T,) where the brick's list goes on; grows by its length.
        listed: (P,) keys of pairs, in no order. An empty array means: only count.
    """
    i, lane = wp.tid()
    j = start + i
    box = segment_box(segments, j, table)
    for n in range(tiles_in(box)):
        at, here = brick_near_segment(segments, j, box, n, lane)
        if at[0] >= 0:
            brick = number_of(at, table)
            if nearest[brick] >= -DEPTH and here <= wp.min(DEPTH, nearest[brick] + SPREAD):
                to = wp.atomic_add(place, brick, 1)
                if listed.shape[0] > 0:
                    listed[to] = pair_key(brick, j, segments.shape[0])


@kernel(double)
def prune_lists(
    segments: wp.array2d[wp.float64],
    table: wp.vec3i,
    nearest: wp.array[wp.float64],
    first: wp.array[wp.int32],
    listed: wp.array[wp.int64],
    count: wp.array[wp.int32],
    states: wp.array[wp.uint8],
) -> None:
    """Keep what is needed of the list of each brick: see `field.binning`. Launch with (T,).

    Args:
        nearest: (T,) from `find_least`.
        first: (T + 1,) where each list begins.
        listed: (P,) keys of pairs, ascending; what is kept of a list moves to its beginning.
        count: (T,) is set to the number kept.
        states: (T,) is set to the `State` of each brick.
    """
    brick = wp.tid()
    count[brick] = 0
    states[brick] = wp.uint8(0)
    if nearest[brick] < -DEPTH:
        states[brick] = wp.uint8(SOLID)
    begin = first[brick]
    end = first[brick + 1]
    if begin == end:
        return
    at = wp.vec3i(brick // (table[1] * table[2]), brick // table[2] % table[1], brick % table[2])
    p = middle_of(at, SIDE)
    x, y, z = p[0], p[1], p[2]
    number = segments.shape[0]
    chosen = primitive_of(listed[begin], brick, number)
    lowest_distance = distance(segments, chosen, x, y, z)
    for pair in range(begin, end):
        j = primitive_of(listed[pair], brick, number)
        here = distance(segments, j, x, y, z)
        if here < lowest_distance:
            lowest_distance = here
            chosen = j
        if here < -(BAND + HALF_EXTENT):  # noqa: SIM102
            if contains_cube(segments, j, x, y, z, HALF_EXTENT, BAND):
                states[brick] = wp.uint8(SOLID)
                return
    _place, nx, ny, nz = nearest_ball(segments, chosen, x, y, z)
    rho = wp.max(length(nx, ny, nz), LEAST_RHO)
    kept = wp.int32(0)
    for pair in range(begin, end):
        j = primitive_of(listed[pair], brick, number)
        here = distance(segments, j, x, y, z)
        _other, ox, oy, oz = nearest_ball(segments, j, x, y, z)
        if can_be_nearest(here, ox, oy, oz, lowest_distance, nx / rho, ny / rho, nz / rho, rho, HALF_EXTENT, BAND):
            listed[begin + kept] = listed[pair]
            kept += 1
    count[brick] = kept
    if kept > 0:
        states[brick] = wp.uint8(NEAR)


@function(double)
def is_near_triangle(mesh: Primitives, k: wp.int32, tile: wp.vec3i, at: wp.vec3i) -> wp.bool:
    """Whether a triangle comes near a brick (z, y, x) of a tile."""
    p = middle_of(tile, TILE_SIDE)
    if squared_distance(mesh, k, p[0], p[1], p[2]) > TILE_DEPTH * TILE_DEPTH:
        return wp.bool(False)
    p = middle_of(at, SIDE)
    if not reaches_box(mesh, k, p[0], p[1], p[2], HALF_EXTENT, BAND):
        return wp.bool(False)
    return squared_distance(mesh, k, p[0], p[1], p[2]) <= DEPTH * DEPTH


@kernel(double)
def list_triangles(
    mesh: Primitives, table: wp.vec3i, start: wp.int32, place: wp.array[wp.int32], listed: wp.array[wp.int64]
) -> None:
    """List the triangles that come near each brick, as `list_segments` does. Launch with (N, TILE_BRICKS)."""
    i, lane = wp.tid()
    k = start + i
    a, b, c = mesh.triangles[k, 0], mesh.triangles[k, 1], mesh.triangles[k, 2]
    low = wp.vec3d()
    high = wp.vec3d()
    for axis in range(3):
        low[axis] = least(mesh.points[a, axis], mesh.points[b, axis], mesh.points[c, axis])
        high[axis] = greatest(mesh.points[a, axis], mesh.points[b, axis], mesh.points[c, axis])
    box = box_between(low, high, table)
    for n in range(tiles_in(box)):
        tile = tile_in(box, n)
        at = brick_in(box, tile, lane)
        if at[0] >= 0:  # noqa: SIM102 - Warp evaluates both sides of an "and"
            if is_near_triangle(mesh, k, tile, at):
                brick = number_of(at, table)
                to = wp.atomic_add(place, brick, 1)
                if listed.shape[0] > 0:
                    listed[to] = pair_key(brick, k, mesh.triangles.shape[0])


@kernel(double)
def join_lists(
    from_first: wp.array[wp.int32],
    listed: wp.array[wp.int64],
    first: wp.array[wp.int32],
    primitives: wp.int32,
    out_first: wp.array[wp.int32],
    primitive: wp.array[wp.int32],
) -> None:
    """Copy the lists of T bricks together. Launch with (T,).

    Args:
        from_first: (T + 1,) where each list begins in `listed`.
        listed: the keys of the pairs, of that many `primitives`.
        first: (T + 1,) where each list is to begin in `primitive`.
        out_first: (T + 1,) becomes the same.
    """
    brick = wp.tid()
    shift = from_first[brick] - first[brick]
    out_first[brick + 1] = first[brick + 1]
    if brick == 0:
        out_first[0] = 0
    for pair in range(first[brick], first[brick + 1]):
        primitive[pair] = primitive_of(listed[pair + shift], brick, primitives)
