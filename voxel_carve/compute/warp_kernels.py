"""Warp kernels of the brick operations: the same operations in the same order as in numpy.

Kernels are defined when they are first asked for: see `warp_functions`.
"""

# What stands in a kernel is Warp's language, of which the types of its Python names know too little.
# mypy: disable-error-code="arg-type,assignment,attr-defined,call-overload,index,no-untyped-call,operator,type-var"

import functools
from dataclasses import dataclass
from typing import Any

from .bricks import BRICK_SIZE
from .formulas import round_cone, triangle
from .triangles import FAR
from .warp_formulas import double, primitives_struct
from .warp_functions import MODULE_OPTIONS, brick_centre, segment_parts, triangle_parts, voxel_step

LANES = 32  # threads that share the list of a brick


@dataclass(frozen=True)
class BrickKernels:
    """The kernels of one Warp module, all launched in blocks of 512 threads."""

    anchor_segments: Any
    anchor_triangles: Any
    segment_distance: Any
    triangle_distance: Any
    subtract_segments: Any
    clear_bricks: Any


@functools.cache
def brick_kernels() -> BrickKernels:
    """Define the kernels."""
    return BrickKernels(*_anchor_kernels(), *_distance_kernels(), *_clear_kernels())


def _anchor_kernels() -> tuple[Any, Any]:
    """The kernels `anchor_segments` and `anchor_triangles`."""
    import warp as wp

    wp.set_module_options(MODULE_OPTIONS)
    segments_of, triangles_of = segment_parts(), triangle_parts()
    SegmentPairs, TrianglePairs = segments_of.Pairs, triangles_of.Pairs  # noqa: N806 - structs
    Primitives, anchored = primitives_struct(), double()(round_cone.anchored)  # noqa: N806 - a struct
    centre_of = brick_centre()
    lanes, zero = wp.constant(LANES), wp.constant(wp.float64(0.0))
    write_plane, write_side, write_line = _frame_functions()

    @wp.func
    def corner_of(triangles: Primitives, k: wp.int32, i: wp.int32) -> wp.vec3d:  # type: ignore[valid-type]
        point = triangles.triangles[k, i]
        return wp.vec3d(triangles.points[point, 0], triangles.points[point, 1], triangles.points[point, 2])

    @wp.kernel
    def anchor_segments(  # type: ignore[misc]
        segments: wp.array2d[wp.float64],  # type: ignore[valid-type]
        corner: wp.array[wp.vec3i],  # type: ignore[valid-type]
        pairs: SegmentPairs,  # type: ignore[valid-type]
    ) -> None:
        """Anchor each pair's segment at its ball nearest to the brick's centre: see `SegmentPairs`.

        Launch with (B, LANES).

        Args:
            segments: (K, 10), see `Segments.rows`.
            corner: (B,) index (z, y, x) of each brick's first voxel.
            pairs: of which `first` and `primitive` are given; the rest is written.
        """
        brick, lane = wp.tid()  # type: ignore[misc]
        centre = centre_of(corner[brick])
        for pair in range(pairs.first[brick] + lane, pairs.first[brick + 1], lanes):
            k = pairs.primitive[pair]
            x, y, z, low, high, radius = anchored(segments, k, centre[0], centre[1], centre[2])
            pairs.toward[pair] = wp.vec3(wp.float32(x), wp.float32(y), wp.float32(z))
            pairs.axis[pair] = wp.vec3(
                wp.float32(segments[k, 3]), wp.float32(segments[k, 4]), wp.float32(segments[k, 5])
            )
            pairs.low[pair] = wp.float32(low)
            pairs.high[pair] = wp.float32(high)
            pairs.radius[pair] = wp.float32(radius)
            pairs.slope[pair] = wp.float32(segments[k, 8])
            pairs.tangent[pair] = wp.float32(segments[k, 9])

    @wp.kernel
    def anchor_triangles(  # type: ignore[misc]
        triangles: Primitives,  # type: ignore[valid-type]
        corner: wp.array[wp.vec3i],  # type: ignore[valid-type]
        pairs: TrianglePairs,  # type: ignore[valid-type]
    ) -> None:
        """Move each pair's triangle to the brick's centre: see `TriangleFrames`.

        Launch with (B, LANES).

        Args:
            triangles: of the primitives, the triangles alone.
            corner: (B,) index (z, y, x) of each brick's first voxel.
            pairs: of which `first` and `primitive` are given; the rest is written.
        """
        brick, lane = wp.tid()  # type: ignore[misc]
        centre = centre_of(corner[brick])
        for pair in range(pairs.first[brick] + lane, pairs.first[brick + 1], lanes):
            k = pairs.primitive[pair]
            n = wp.vec3d(triangles.normal[k, 0], triangles.normal[k, 1], triangles.normal[k, 2])
            a = corner_of(triangles, k, 0) - centre
            b = corner_of(triangles, k, 1) - centre
            c = corner_of(triangles, k, 2) - centre
            if n[0] == zero and n[1] == zero and n[2] == zero:
                write_line(pairs, pair, a, b, c)
            else:
                write_plane(pairs, pair, n, a)
                write_side(pairs, 0, pair, n, a, b)
                write_side(pairs, 1, pair, n, b, c)
                write_side(pairs, 2, pair, n, c, a)

    return anchor_segments, anchor_triangles


def _frame_functions() -> tuple[Any, Any, Any]:
    """The functions `write_plane`, `write_side` and `write_line`: see `triangles.TriangleFrames`."""
    import warp as wp

    TrianglePairs = triangle_parts().Pairs  # noqa: N806 - a struct
    side_frame, across_line = double()(triangle.side_frame), double()(triangle.across_line)
    far = wp.constant(float(FAR))

    @wp.func
    def dot(a: wp.vec3d, b: wp.vec3d) -> wp.float64:
        return (a[0] * b[0] + a[1] * b[1]) + a[2] * b[2]

    @wp.func
    def rounded(a: wp.vec3d) -> wp.vec3:
        return wp.vec3(wp.float32(a[0]), wp.float32(a[1]), wp.float32(a[2]))

    @wp.func
    def write_plane(pairs: TrianglePairs, pair: wp.int32, n: wp.vec3d, a: wp.vec3d):  # type: ignore[no-untyped-def,valid-type]
        """The plane through a point."""
        pairs.direction[0, pair] = rounded(n)
        pairs.offset[0, pair] = wp.float32(-dot(n, a))

    @wp.func
    def write_side(  # type: ignore[no-untyped-def]
        pairs: TrianglePairs,  # type: ignore[valid-type]
        side: wp.int32,
        pair: wp.int32,
        n: wp.vec3d,
        a: wp.vec3d,
        b: wp.vec3d,
    ):
        """The side from a to b."""
        mx, my, mz, off, tx, ty, tz, along, low, high = side_frame(a[0], a[1], a[2], b[0], b[1], b[2], n[0], n[1], n[2])
        pairs.direction[1 + side, pair] = rounded(wp.vec3d(mx, my, mz))
        pairs.offset[1 + side, pair] = wp.float32(off)
        pairs.direction[4 + side, pair] = rounded(wp.vec3d(tx, ty, tz))
        pairs.offset[4 + side, pair] = wp.float32(along)
        pairs.limit[side, pair] = wp.float32(low)
        pairs.limit[3 + side, pair] = wp.float32(high)

    @wp.func
    def write_line(  # type: ignore[no-untyped-def]
        pairs: TrianglePairs,  # type: ignore[valid-type]
        pair: wp.int32,
        a: wp.vec3d,
        b: wp.vec3d,
        c: wp.vec3d,
    ):
        """A triangle whose corners lie on a line: only its longest side counts."""
        start = a
        end = b
        longest = dot(b - a, b - a)
        if wp.sqrt(dot(c - b, c - b)) > wp.sqrt(longest):
            start = b
            end = c
            longest = dot(c - b, c - b)
        if wp.sqrt(dot(a - c, a - c)) > wp.sqrt(longest):
            start = c
            end = a
            longest = dot(a - c, a - c)
        along = (end - start) / wp.sqrt(longest)
        x, y, z = across_line(along[0], along[1], along[2])
        n = wp.vec3d(x, y, z)
        write_plane(pairs, pair, n, start)
        write_side(pairs, 0, pair, n, start, end)
        # The other two sides are far, and every point is on their lines: not inside.
        for side in range(1, 3):
            pairs.direction[1 + side, pair] = wp.vec3()
            pairs.direction[4 + side, pair] = wp.vec3()
            pairs.offset[1 + side, pair] = 0.0
            pairs.offset[4 + side, pair] = far
            pairs.limit[side, pair] = 0.0
            pairs.limit[3 + side, pair] = 0.0

    return write_plane, write_side, write_line


def _distance_kernels() -> tuple[Any, Any]:
    """The kernels `segment_distance` and `triangle_distance`."""
    import warp as wp

    wp.set_module_options(MODULE_OPTIONS)
    segments_of, triangles_of, step_of = segment_parts(), triangle_parts(), voxel_step()
    SegmentPairs, TrianglePairs = segments_of.Pairs, triangles_of.Pairs  # noqa: N806 - structs
    to_segment, to_triangle = segments_of.brick_distance, triangles_of.brick_distance

    @wp.kernel
    def segment_distance(  # type: ignore[misc]
        pairs: SegmentPairs,  # type: ignore[valid-type]
        out: wp.array2d[wp.float32],  # type: ignore[valid-type]
    ) -> None:
        """Least distance over the list of each brick.

        Launch with (B, 512).

        Args:
            pairs: of B bricks.
            out: (B, 512) signed distance in voxels, clamped to REACH.
        """
        brick, voxel = wp.tid()  # type: ignore[misc]
        distance, _ = to_segment(pairs, brick, step_of(voxel))
        out[brick, voxel] = distance

    @wp.kernel
    def triangle_distance(  # type: ignore[misc]
        pairs: TrianglePairs,  # type: ignore[valid-type]
        out: wp.array2d[wp.float32],  # type: ignore[valid-type]
    ) -> None:
        """Least distance over the list of each brick.

        Launch with (B, 512).

        Args:
            pairs: of B bricks.
            out: (B, 512) unsigned distance in voxels, clamped to REACH.
        """
        brick, voxel = wp.tid()  # type: ignore[misc]
        distance, _ = to_triangle(pairs, brick, step_of(voxel))
        out[brick, voxel] = distance

    return segment_distance, triangle_distance


def _clear_kernels() -> tuple[Any, Any]:
    """The kernels `subtract_segments` and `clear_bricks`."""
    import warp as wp

    wp.set_module_options(MODULE_OPTIONS)
    SegmentPairs = segment_parts().Pairs  # noqa: N806 - a struct
    pair_distance, step_of = segment_parts().pair_distance, voxel_step()
    size = wp.constant(BRICK_SIZE)

    @wp.kernel
    def subtract_segments(  # type: ignore[misc]
        pairs: SegmentPairs,  # type: ignore[valid-type]
        corner: wp.array[wp.vec3i],  # type: ignore[valid-type]
        origin: wp.vec3i,
        occupancy: wp.array3d[wp.bool],  # type: ignore[valid-type]
        removed: wp.array[wp.int64],  # type: ignore[valid-type]
    ) -> None:
        """Clear the voxels of bricks whose distance is 0 or less, and count those that were set.

        Launch with (B, 512).

        Args:
            pairs: of B bricks.
            corner: (B,) index (z, y, x) in the grid of each brick's first voxel.
            origin: index (z, y, x) in the grid of the first voxel of `occupancy`.
            occupancy: (Z, Y, X), any part of the grid.
            removed: (1,) count.
        """
        brick, voxel = wp.tid()  # type: ignore[misc]
        z = corner[brick][0] - origin[0] + voxel // (size * size)
        y = corner[brick][1] - origin[1] + (voxel // size) % size
        x = corner[brick][2] - origin[2] + voxel % size
        if z < 0 or y < 0 or x < 0 or z >= occupancy.shape[0] or y >= occupancy.shape[1] or x >= occupancy.shape[2]:
            return
        if not occupancy[z, y, x]:
            return
        step = step_of(voxel)
        for pair in range(pairs.first[brick], pairs.first[brick + 1]):
            if pair_distance(pairs, pair, step) <= 0.0:
                occupancy[z, y, x] = False
                wp.atomic_add(removed, 0, wp.int64(1))
                return

    @wp.kernel
    def clear_bricks(  # type: ignore[misc]
        corner: wp.array[wp.vec3i],  # type: ignore[valid-type]
        origin: wp.vec3i,
        occupancy: wp.array3d[wp.bool],  # type: ignore[valid-type]
        removed: wp.array[wp.int64],  # type: ignore[valid-type]
    ) -> None:
        """Clear whole bricks, and count the voxels that were set.

        Launch with (B, 512).

        Args:
            corner: (B,) index (z, y, x) in the grid of each brick's first voxel.
            origin: index (z, y, x) in the grid of the first voxel of `occupancy`.
            occupancy: (Z, Y, X), any part of the grid.
            removed: (1,) count.
        """
        brick, voxel = wp.tid()  # type: ignore[misc]
        z = corner[brick][0] - origin[0] + voxel // (size * size)
        y = corner[brick][1] - origin[1] + (voxel // size) % size
        x = corner[brick][2] - origin[2] + voxel % size
        if z < 0 or y < 0 or x < 0 or z >= occupancy.shape[0] or y >= occupancy.shape[1] or x >= occupancy.shape[2]:
            return
        if occupancy[z, y, x]:
            occupancy[z, y, x] = False
            wp.atomic_add(removed, 0, wp.int64(1))

    return subtract_segments, clear_bricks
