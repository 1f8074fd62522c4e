"""Options, structs and distance functions that the Warp kernels of several modules share.

Everything is defined when first requested, so that Warp is imported no earlier. Lengths are in voxels. numba uses the
same formulas. No multiplication and addition are contracted, so both engines give the same bits.
"""

# mypy cannot check the code of kernels, which Warp translates.
# mypy: disable-error-code="arg-type,assignment,attr-defined,call-overload,index,no-untyped-call"
# mypy: disable-error-code="operator,return-value,type-var,valid-type"

import functools
from dataclasses import dataclass
from typing import Any

from ....formulas import swept_body, triangle
from ....model.bricks import BRICK_SIZE, BRICK_VOXELS, NO_PRIMITIVE, REACH
from .formulas import single

MODULE_OPTIONS = {"enable_backward": False, "fuse_fp": False, "fast_math": False, "max_unroll": 1}

BRICK_BLOCK_DIM = BRICK_VOXELS  # threads per block: one block is one brick


@dataclass(frozen=True)
class SegmentFunctions:
    """Warp functions for the distance to segments.

    Attributes:
        brick_distance: (Pairs, brick, step from its centre) to the signed distance of a voxel, clamped to REACH, and
            the nearest segment: the first of several, NO_PRIMITIVE beyond REACH.
        pair_distance: (Pairs, pair, step) to the signed distance for one pair, not clamped.
    """

    brick_distance: Any
    pair_distance: Any


@functools.cache
def pairs_struct() -> Any:
    """Struct of pairs (brick, primitive).

    The pairs of brick b are `first[b]` to `first[b + 1]`, with `first` (B + 1,). `primitive` (P,) holds the primitive
    of each pair, and `numbers` (NUMBERS, P) its numbers from `swept_body.anchor` or `triangle.anchor_triangle`.
    """
    import warp as wp

    @wp.struct
    class Pairs:
        first: wp.array[wp.int32]
        primitive: wp.array[wp.int32]
        numbers: wp.array2d[wp.float32]

    return Pairs


@functools.cache
def voxel_step() -> Any:
    """Function from a voxel, 0 to 511, to the vector from the centre of its brick to its own."""
    import warp as wp

    size = wp.constant(BRICK_SIZE)
    middle = wp.constant((BRICK_SIZE - 1) / 2)

    @wp.func
    def voxel_step(voxel: wp.int32) -> wp.vec3:
        return wp.vec3(
            float(voxel % size) - middle, float((voxel // size) % size) - middle, float(voxel // (size * size)) - middle
        )

    return voxel_step


@functools.cache
def brick_centre() -> Any:
    """Function from the index (z, y, x) of a brick's first voxel to the brick's centre (x, y, z)."""
    import warp as wp

    half = wp.constant(wp.float64(BRICK_SIZE / 2))

    @wp.func
    def brick_centre(corner: wp.vec3i) -> wp.vec3d:
        return wp.vec3d(wp.float64(corner[2]) + half, wp.float64(corner[1]) + half, wp.float64(corner[0]) + half)

    return brick_centre


@functools.cache
def segment_functions() -> SegmentFunctions:
    """Define the functions."""
    import warp as wp

    Pairs, distance_from = pairs_struct(), single()(swept_body.distance_from)  # noqa: N806 - a struct
    reach = wp.constant(float(REACH))
    none = wp.constant(NO_PRIMITIVE)

    @wp.func
    def pair_distance(pairs: Pairs, pair: wp.int32, step: wp.vec3) -> wp.float32:
        distance, _place, _to_centre = distance_from(pairs.numbers, pair, step[0], step[1], step[2])
        return distance

    @wp.func
    def brick_distance(pairs: Pairs, brick: wp.int32, step: wp.vec3) -> tuple[wp.float32, wp.int32]:
        least = float(reach)
        nearest = none
        for pair in range(pairs.first[brick], pairs.first[brick + 1]):
            distance = pair_distance(pairs, pair, step)
            if distance < least:
                least = distance
                nearest = pairs.primitive[pair]
        return wp.max(least, -reach), nearest

    return SegmentFunctions(brick_distance, pair_distance)


@functools.cache
def triangle_distance() -> Any:
    """Function from (Pairs, brick, step from its centre) to the unsigned distance of a voxel and the nearest triangle.

    The distance is clamped to REACH. Of several nearest triangles, the one with the least index counts; beyond REACH it
    is NO_PRIMITIVE.
    """
    import warp as wp

    read, Pairs = single(), pairs_struct()  # noqa: N806 - a struct
    affine_at_voxel, anchored_square = read(triangle.affine_at_voxel), read(triangle.anchored_square)
    reach, reach_square = wp.constant(float(REACH)), wp.constant(float(REACH * REACH))
    none = wp.constant(NO_PRIMITIVE)
    beyond = wp.constant(float(REACH + 1e-3))  # more than the rounding error of distances

    @wp.func
    def pair_square(pairs: Pairs, pair: wp.int32, step: wp.vec3, most: wp.float32) -> wp.float32:
        """The squared distance; or any number above `most` or REACH squared, if the distance is greater than that."""
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
        if outer > beyond:
            return outer * outer
        along_a = affine_at_voxel(pairs.numbers, 8, pair, x, y, z)
        along_b = affine_at_voxel(pairs.numbers, 18, pair, x, y, z)
        along_c = affine_at_voxel(pairs.numbers, 28, pair, x, y, z)
        return anchored_square(
            height, a, b, c, along_a, along_b, along_c,
            pairs.numbers[12, pair], pairs.numbers[22, pair], pairs.numbers[32, pair],
            pairs.numbers[13, pair], pairs.numbers[23, pair], pairs.numbers[33, pair],
        )  # fmt: skip

    @wp.func
    def brick_distance(pairs: Pairs, brick: wp.int32, step: wp.vec3) -> tuple[wp.float32, wp.int32]:
        least = float(reach_square)
        nearest = none
        for pair in range(pairs.first[brick], pairs.first[brick + 1]):
            square = pair_square(pairs, pair, step, least)
            if square < least or (square == least and pairs.primitive[pair] < nearest):
                least = square
                nearest = pairs.primitive[pair]
        return wp.min(wp.sqrt(least), reach), nearest

    return brick_distance
