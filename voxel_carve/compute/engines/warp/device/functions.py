"""What Warp kernels of several modules have in common: options, structs, and the distances of voxels.

Everything is defined when it is first asked for, so that Warp is imported no earlier. Lengths are in voxels. The
formulas are those that numba reads, and nothing is contracted, so both give the same bits.
"""

# What stands in a kernel is Warp's language, of which the types of its Python names know too little.
# mypy: disable-error-code="arg-type,assignment,attr-defined,call-overload,index,no-untyped-call"
# mypy: disable-error-code="operator,return-value,type-var,valid-type"

import functools
from dataclasses import dataclass
from typing import Any

from ....formulas import swept_body, triangle
from ....model.bricks import BRICK_SIZE, BRICK_VOXELS, NO_PRIMITIVE, REACH
from .formulas import single

MODULE_OPTIONS = {"enable_backward": False, "fuse_fp": False, "fast_math": False, "max_unroll": 1}

BRICK_BLOCK_DIM = BRICK_VOXELS  # threads of a block: one block is one brick


@dataclass(frozen=True)
class SegmentParts:
    """What kernels need of segments.

    Attributes:
        brick_distance: (Pairs, brick, step from its centre) to the signed distance of a voxel, clamped to REACH, and
            to the segment that it is of, the first of several, NO_PRIMITIVE beyond.
        pair_distance: (Pairs, pair, step) likewise, of one pair, not clamped.
    """

    brick_distance: Any
    pair_distance: Any


@functools.cache
def pairs_struct() -> Any:
    """Struct of pairs (brick, primitive).

    `first` (B + 1,) says where the pairs of each brick begin, and `primitive` (P,) which one each is of. `numbers`
    (NUMBERS, P) are those of `swept_body.anchor`, or of `triangle.anchor_triangle`.
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
    """Function of a voxel, 0 to 511: its centre from the centre of its brick."""
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
    """Function of the index (z, y, x) of a brick's first voxel: its centre (x, y, z)."""
    import warp as wp

    half = wp.constant(wp.float64(BRICK_SIZE / 2))

    @wp.func
    def brick_centre(corner: wp.vec3i) -> wp.vec3d:
        return wp.vec3d(wp.float64(corner[2]) + half, wp.float64(corner[1]) + half, wp.float64(corner[0]) + half)

    return brick_centre


@functools.cache
def segment_parts() -> SegmentParts:
    """Define them."""
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

    return SegmentParts(brick_distance, pair_distance)


@functools.cache
def triangle_distance() -> Any:
    """Function of Pairs, a brick, and the step from its centre.

    It gives the unsigned distance of a voxel, clamped to REACH, and the triangle that it is of: the one of the least
    number where there are several, NO_PRIMITIVE beyond REACH.
    """
    import warp as wp

    read, Pairs = single(), pairs_struct()  # noqa: N806 - a struct
    affine_at_voxel, anchored_square = read(triangle.affine_at_voxel), read(triangle.anchored_square)
    reach, reach_square = wp.constant(float(REACH)), wp.constant(float(REACH * REACH))
    none = wp.constant(NO_PRIMITIVE)
    beyond = wp.constant(float(REACH + 1e-3))  # over the rounding of the distances themselves

    @wp.func
    def pair_square(pairs: Pairs, pair: wp.int32, step: wp.vec3, most: wp.float32) -> wp.float32:
        """Square of the distance, or something greater than `most`, or than the square of REACH."""
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
