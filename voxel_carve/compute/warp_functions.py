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

MODULE_OPTIONS = {"enable_backward": False, "fuse_fp": False, "fast_math": False, "max_unroll": 1}

BRICK_BLOCK_DIM = BRICK_VOXELS  # threads of a block: one block is one brick


@dataclass(frozen=True)
class SegmentParts:
    """What kernels need of segments.

    Attributes:
        Segments: struct, see `segments.Segments`.
        Pairs: struct, see `segments.SegmentPairs`; `first` (B + 1,) says where the pairs of each brick begin, and
            `primitive` (P,) which segment each is of.
        brick_distance: (Pairs, brick, step from its centre) to the signed distance of a voxel, clamped to REACH, and
            to the segment that it is of, the first of several, NO_PRIMITIVE beyond.
        pair_distance: (Pairs, pair, step) likewise, of one pair, not clamped.
    """

    Segments: Any
    Pairs: Any
    brick_distance: Any
    pair_distance: Any


@dataclass(frozen=True)
class TriangleParts:
    """What kernels need of triangles.

    Attributes:
        Triangles: struct, see `triangles.Triangles`.
        Pairs: struct, see `triangles.TrianglePairs`; `first` (B + 1,) says where the pairs of each brick begin, and
            `primitive` (P,) which triangle each is of.
        brick_distance: (Pairs, brick, step from its centre) to the unsigned distance of a voxel, clamped to REACH, and
            to the triangle that it is of, the first of several, NO_PRIMITIVE beyond.
    """

    Triangles: Any
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

    @wp.struct
    class Segments:
        start: wp.array[wp.vec3d]  # type: ignore[valid-type]
        axis: wp.array[wp.vec3d]  # type: ignore[valid-type]
        length: wp.array[wp.float64]  # type: ignore[valid-type]
        radius: wp.array[wp.float64]  # type: ignore[valid-type]
        slope: wp.array[wp.float64]  # type: ignore[valid-type]
        tangent: wp.array[wp.float64]  # type: ignore[valid-type]

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
        """Signed distance of the voxel at `step` from the brick's centre: see `Segments.nearest_ball`."""
        offset = pairs.toward[pair] + step
        axis = pairs.axis[pair]
        along = (axis[0] * offset[0] + axis[1] * offset[1]) + axis[2] * offset[2]
        square = (offset[0] * offset[0] + offset[1] * offset[1]) + offset[2] * offset[2]
        across = wp.sqrt(wp.max(square - along * along, 0.0))
        s = wp.min(wp.max(along - across * pairs.tangent[pair], pairs.low[pair]), pairs.high[pair])
        square = wp.max(square - s * (along + along - s), 0.0)
        return wp.sqrt(square) - (pairs.radius[pair] - s * pairs.slope[pair])

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

    return SegmentParts(Segments, SegmentPairs, brick_distance, pair_distance)


@functools.cache
def triangle_parts() -> TriangleParts:
    """Define them."""
    import warp as wp

    reach = wp.constant(float(REACH))
    none = wp.constant(NO_PRIMITIVE)
    beyond = wp.constant(float(REACH + 1e-3))  # over the rounding of the distances themselves

    @wp.struct
    class Triangles:
        points: wp.array[wp.vec3d]  # type: ignore[valid-type]
        corners: wp.array[wp.vec3i]  # type: ignore[valid-type]
        normal: wp.array[wp.vec3d]  # type: ignore[valid-type]

    @wp.struct
    class TrianglePairs:
        first: wp.array[wp.int32]  # type: ignore[valid-type]
        primitive: wp.array[wp.int32]  # type: ignore[valid-type]
        corners: wp.array2d[wp.vec3]  # type: ignore[valid-type]
        normal: wp.array[wp.vec3]  # type: ignore[valid-type]
        plane: wp.array[wp.float32]  # type: ignore[valid-type]

    @wp.func
    def dot(a: wp.vec3, b: wp.vec3) -> wp.float32:
        return (a[0] * b[0] + a[1] * b[1]) + a[2] * b[2]

    @wp.func
    def side_square(a: wp.vec3, edge: wp.vec3) -> wp.float32:
        """Square of the distance from the origin to the side that runs from a along `edge`."""
        t = wp.clamp(-dot(a, edge) / wp.max(dot(edge, edge), 1.0e-30), 0.0, 1.0)
        foot = a + t * edge
        return dot(foot, foot)

    @wp.func
    def pair_distance(a: wp.vec3, b: wp.vec3, c: wp.vec3, normal: wp.vec3, plane: wp.float32) -> wp.float32:
        """Distance from the origin to a triangle: see `point_triangle_distance`."""
        ab = b - a
        bc = c - b
        ca = a - c
        if (
            dot(wp.cross(normal, ab), a) < 0.0
            and dot(wp.cross(normal, bc), b) < 0.0
            and dot(wp.cross(normal, ca), c) < 0.0
        ):
            return wp.abs(plane)
        return wp.sqrt(wp.min(wp.min(side_square(a, ab), side_square(b, bc)), side_square(c, ca)))

    @wp.func
    def brick_distance(pairs: TrianglePairs, brick: wp.int32, step: wp.vec3) -> tuple[wp.float32, wp.int32]:
        least = float(reach)
        nearest = none
        for pair in range(pairs.first[brick], pairs.first[brick + 1]):
            height = dot(pairs.normal[pair], step) - pairs.plane[pair]
            if wp.abs(height) <= beyond:
                a = pairs.corners[0, pair] - step
                b = pairs.corners[1, pair] - step
                c = pairs.corners[2, pair] - step
                distance = pair_distance(a, b, c, pairs.normal[pair], height)
                if distance < least:
                    least = distance
                    nearest = pairs.primitive[pair]
        return least, nearest

    return TriangleParts(Triangles, TrianglePairs, brick_distance)
