"""Structs and distance functions that the Warp kernels of several modules share: see `formulas`.

Lengths are in voxels. numba uses the same formulas. No multiplication and addition are contracted, so both engines give
the same bits.
"""

# mypy: disable-error-code="name-defined"

from __future__ import annotations

from ....formulas.swept_body import distance_from
from ....formulas.triangle import affine_at_voxel, anchored_square
from ....model.bricks import BRICK_SIZE, BRICK_VOXELS, NO_PRIMITIVE, REACH
from .formulas import double, function, single
from .structs import wp

BRICK_BLOCK_DIM = BRICK_VOXELS  # threads per block: one block is one brick

HALF = BRICK_SIZE / 2
MIDDLE = (BRICK_SIZE - 1) / 2
REACH_SQUARE = REACH * REACH
BEYOND = REACH + 1e-3  # more than the rounding error of distances


class Pairs:
    """Pairs (brick, primitive).

    The pairs of brick b are `first[b]` to `first[b + 1]`, with `first` (B + 1,). `numbers` (NUMBERS, P) holds their
    numbers from `swept_body.anchor` or `triangle.anchor_triangle`. The primitive of each stands in `listed` (L,), the
    lists of these bricks or of more, `shift[b]` places after the pair's own, with `shift` (B,).
    """

    first: wp.array[wp.int32]
    shift: wp.array[wp.int32]
    listed: wp.array[wp.int32]
    numbers: wp.array2d[wp.float32]


@function(single)
def voxel_at(corner: wp.vec3i, voxel: wp.int32) -> wp.vec3i:
    """The index (z, y, x) of a voxel, 0 to 511, of the brick whose first voxel has the index `corner`."""
    return wp.vec3i(corner[0] + (voxel >> 6), corner[1] + ((voxel >> 3) & 7), corner[2] + (voxel & 7))


@function(single)
def voxel_step(voxel: wp.int32) -> wp.vec3:
    """The vector from the centre of a brick to that of its voxel, 0 to 511."""
    return wp.vec3(float(voxel & 7) - MIDDLE, float((voxel >> 3) & 7) - MIDDLE, float(voxel >> 6) - MIDDLE)


@function(double)
def brick_centre(corner: wp.vec3i) -> wp.vec3d:
    """The centre (x, y, z) of the brick whose first voxel has the index (z, y, x)."""
    return wp.vec3d(wp.float64(corner[2]) + HALF, wp.float64(corner[1]) + HALF, wp.float64(corner[0]) + HALF)


@function(single)
def is_set(occupancy: wp.array3d[wp.bool], at: wp.vec3i) -> wp.bool:
    """Whether a voxel lies in an occupancy and is set. The index may lie outside."""
    for axis in range(3):
        if at[axis] < 0 or at[axis] >= occupancy.shape[axis]:
            return wp.bool(False)
    return occupancy[at[0], at[1], at[2]]


@function(single)
def segment_distance(pairs: Pairs, pair: wp.int32, step: wp.vec3) -> wp.float32:
    """The signed distance for one pair, at a step from the brick's centre."""
    distance, _place, _to_centre = distance_from(pairs.numbers, pair, step[0], step[1], step[2])
    return distance


@function(single)
def nearest_segment(pairs: Pairs, brick: wp.int32, step: wp.vec3) -> tuple[wp.float32, wp.int32]:
    """The signed distance of a voxel, clamped to REACH, and the nearest segment.

    Of several, the first counts; beyond REACH it is NO_PRIMITIVE.
    """
    least = float(REACH)
    nearest = int(NO_PRIMITIVE)
    shift = pairs.shift[brick]
    for pair in range(pairs.first[brick], pairs.first[brick + 1]):
        distance = segment_distance(pairs, pair, step)
        if distance < least:
            least = distance
            nearest = pairs.listed[pair + shift]
    return wp.max(least, -REACH), nearest


@function(single)
def triangle_square(pairs: Pairs, pair: wp.int32, step: wp.vec3, most: wp.float32) -> wp.float32:
    """The squared distance for one pair; or any number above `most` or REACH squared, if it is greater than that."""
    x, y, z = step[0], step[1], step[2]
    height = affine_at_voxel(pairs.numbers, 0, pair, x, y, z)
    square = height * height
    if square > most:
        return square
    a = affine_at_voxel(pairs.numbers, 4, pair, x, y, z)
    b = affine_at_voxel(pairs.numbers, 14, pair, x, y, z)
    c = affine_at_voxel(pairs.numbers, 24, pair, x, y, z)
    outer = wp.max(wp.max(a, b), c)
    if outer < 0.0:
        return square
    if outer > BEYOND:
        return outer * outer
    along_a = affine_at_voxel(pairs.numbers, 8, pair, x, y, z)
    along_b = affine_at_voxel(pairs.numbers, 18, pair, x, y, z)
    along_c = affine_at_voxel(pairs.numbers, 28, pair, x, y, z)
    return anchored_square(
        height, a, b, c, along_a, along_b, along_c,
        pairs.numbers[12, pair], pairs.numbers[22, pair], pairs.numbers[32, pair],
        pairs.numbers[13, pair], pairs.numbers[23, pair], pairs.numbers[33, pair],
    )  # fmt: skip


@function(single)
def nearest_triangle(pairs: Pairs, brick: wp.int32, step: wp.vec3) -> tuple[wp.float32, wp.int32]:
    """The unsigned distance of a voxel, clamped to REACH, and the nearest triangle.

    Of several, the one with the least index counts; beyond REACH it is NO_PRIMITIVE.
    """
    least = float(REACH_SQUARE)
    nearest = int(NO_PRIMITIVE)
    shift = pairs.shift[brick]
    for pair in range(pairs.first[brick], pairs.first[brick + 1]):
        square = triangle_square(pairs, pair, step, least)
        if square < least or (square == least and pairs.listed[pair + shift] < nearest):
            least = square
            nearest = pairs.listed[pair + shift]
    return wp.min(wp.sqrt(least), REACH), nearest
