"""What Warp kernels of several modules have in common: options, structs, and the distances of voxels.

Everything is defined when it is first asked for, so that Warp is imported no earlier. Lengths are in voxels. Where the
order of operations decides a bit, it is the one of `scipy_kernels`, and nothing is contracted.
"""

# What stands in a kernel is Warp's language, of which the types of its Python names know too little.
# mypy: disable-error-code="arg-type,assignment,attr-defined,call-overload,index,no-untyped-call"
# mypy: disable-error-code="operator,return-value,type-var"

import functools
from dataclasses import dataclass
from typing import Any

from .bricks import BRICK_SIZE, BRICK_VOXELS, NO_PRIMITIVE, REACH
from .formulas import round_cone, triangle
from .warp_formulas import single

MODULE_OPTIONS = {"enable_backward": False, "fuse_fp": False, "fast_math": False, "max_unroll": 1}

BRICK_BLOCK_DIM = BRICK_VOXELS  # threads of a block: one block is one brick


@dataclass(frozen=True)
class SegmentParts:
    """What kernels need of segments.

    Attributes:
        Pairs: struct, see `segments.SegmentPairs`; `first` (B + 1,) says where the pairs of each brick begin, and
            `primitive` (P,) which segment each is of.
        brick_distance: (Pairs, brick, step from its centre) to the signed distance of a voxel, clamped to REACH, and
            to the segment that it is of, the first of several, NO_PRIMITIVE beyond.
        pair_distance: (Pairs, pair, step) likewise, of one pair, not clamped.
    """

    Pairs: Any
    brick_distance: Any
    pair_distance: Any


@dataclass(frozen=True)
class TriangleParts:
    """What kernels need of triangles.

    Attributes:
        Pairs: struct, see `triangles.TriangleFrames`, with `direction` (7, P) of vectors; `first` (B + 1,) says where
            the pairs of each brick begin, and `primitive` (P,) which triangle each is of.
        brick_distance: (Pairs, brick, step from its centre) to the unsigned distance of a voxel, clamped to REACH, and
            to the triangle that it is of, that of the least number of several, NO_PRIMITIVE beyond.
    """

    Pairs: Any
    brick_distance: Any


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

    reach = wp.constant(float(REACH))
    none = wp.constant(NO_PRIMITIVE)
    offset_distance = single()(round_cone.offset_distance)

    @wp.struct
    class SegmentPairs:
        first: wp.array[wp.int32]  # type: ignore[valid-type]
        primitive: wp.array[wp.int32]  # type: ignore[valid-type]
        toward: wp.array[wp.vec3]  # type: ignore[valid-type]
        axis: wp.array[wp.vec3]  # type: ignore[valid-type]
        low: wp.array[wp.float32]  # type: ignore[valid-type]
        high: wp.array[wp.float32]  # type: ignore[valid-type]
        radius: wp.array[wp.float32]  # type: ignore[valid-type]
        slope: wp.array[wp.float32]  # type: ignore[valid-type]
        tangent: wp.array[wp.float32]  # type: ignore[valid-type]

    @wp.func
    def pair_distance(pairs: SegmentPairs, pair: wp.int32, step: wp.vec3) -> wp.float32:
        """Signed distance of the voxel at `step` from the brick's centre."""
        offset = pairs.toward[pair] + step
        axis = pairs.axis[pair]
        distance, _place, _to_centre = offset_distance(
            offset[0], offset[1], offset[2], axis[0], axis[1], axis[2], pairs.low[pair], pairs.high[pair],
            pairs.radius[pair], pairs.slope[pair], pairs.tangent[pair],
        )  # fmt: skip
        return distance

    @wp.func
    def brick_distance(pairs: SegmentPairs, brick: wp.int32, step: wp.vec3) -> tuple[wp.float32, wp.int32]:
        least = float(reach)
        nearest = none
        for pair in range(pairs.first[brick], pairs.first[brick + 1]):
            distance = pair_distance(pairs, pair, step)
            if distance < least:
                least = distance
                nearest = pairs.primitive[pair]
        return wp.max(least, -reach), nearest

    return SegmentParts(SegmentPairs, brick_distance, pair_distance)


@functools.cache
def triangle_parts() -> TriangleParts:
    """Define them."""
    import warp as wp

    reach, reach_square = wp.constant(float(REACH)), wp.constant(float(REACH * REACH))
    none = wp.constant(NO_PRIMITIVE)
    beyond = wp.constant(float(REACH + 1e-3))  # over the rounding of the distances themselves
    square_in_frame = single()(triangle.square_in_frame)

    @wp.struct
    class TrianglePairs:
        first: wp.array[wp.int32]  # type: ignore[valid-type]
        primitive: wp.array[wp.int32]  # type: ignore[valid-type]
        direction: wp.array2d[wp.vec3]  # type: ignore[valid-type]
        offset: wp.array2d[wp.float32]  # type: ignore[valid-type]
        limit: wp.array2d[wp.float32]  # type: ignore[valid-type]

    @wp.func
    def from_line(pairs: TrianglePairs, row: wp.int32, pair: wp.int32, step: wp.vec3) -> wp.float32:
        """Signed distance from the plane, row 0, or from the line of a side."""
        across = pairs.direction[row, pair]
        return ((pairs.offset[row, pair] + across[1] * step[1]) + across[2] * step[2]) + across[0] * step[0]

    @wp.func
    def along_side(pairs: TrianglePairs, side: wp.int32, pair: wp.int32, step: wp.vec3) -> wp.float32:
        """The voxel's place along a side."""
        tangent = pairs.direction[4 + side, pair]
        return ((pairs.offset[4 + side, pair] + tangent[1] * step[1]) + tangent[2] * step[2]) + tangent[0] * step[0]

    @wp.func
    def pair_square(pairs: TrianglePairs, pair: wp.int32, step: wp.vec3, most: wp.float32) -> wp.float32:
        """Square of the distance, or something greater than `most`, or than the square of REACH."""
        height = from_line(pairs, 0, pair, step)
        square = height * height
        if square > most:
            return square
        a = from_line(pairs, 1, pair, step)
        b = from_line(pairs, 2, pair, step)
        c = from_line(pairs, 3, pair, step)
        outer = wp.max(wp.max(a, b), c)
        if outer < 0.0:
            return square
        if outer > beyond:
            return outer * outer
        return square_in_frame(
            height, a, b, c,
            along_side(pairs, 0, pair, step), along_side(pairs, 1, pair, step), along_side(pairs, 2, pair, step),
            pairs.limit[0, pair], pairs.limit[1, pair], pairs.limit[2, pair],
            pairs.limit[3, pair], pairs.limit[4, pair], pairs.limit[5, pair],
        )  # fmt: skip

    @wp.func
    def brick_distance(pairs: TrianglePairs, brick: wp.int32, step: wp.vec3) -> tuple[wp.float32, wp.int32]:
        least = float(reach_square)
        nearest = none
        for pair in range(pairs.first[brick], pairs.first[brick + 1]):
            square = pair_square(pairs, pair, step, least)
            if square < least or (square == least and pairs.primitive[pair] < nearest):
                least = square
                nearest = pairs.primitive[pair]
        return wp.min(wp.sqrt(least), reach), nearest

    return TriangleParts(TrianglePairs, brick_distance)
