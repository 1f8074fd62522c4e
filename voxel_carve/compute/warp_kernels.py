"""Warp kernels of the brick operations: the same operations in the same order as in numpy.

Kernels are defined when they are first asked for, so that Warp is imported no earlier. Lengths are in voxels. Where the
order of operations decides a bit, it is the one of `scipy_kernels` and `winding`, and nothing is contracted.
"""

# What stands in a kernel is Warp's language, of which the types of its Python names know too little.
# mypy: disable-error-code="arg-type,assignment,attr-defined,call-overload,index,no-untyped-call,operator,type-var"

import functools
from dataclasses import dataclass
from typing import Any

import numpy as np

from .bricks import BRICK_SIZE, BRICK_VOXELS, REACH
from .winding import SHIFT

MODULE_OPTIONS = {"enable_backward": False, "fuse_fp": False, "fast_math": False, "max_unroll": 1}

BRICK_BLOCK_DIM = BRICK_VOXELS  # threads of a block: one block is one brick


@dataclass(frozen=True)
class BrickKernels:
    """The kernels of one Warp module, all launched in blocks of 512 threads.

    Attributes:
        Pairs: the struct of the numbers of pairs (brick, segment).
    """

    Pairs: Any
    segment_distance: Any
    triangle_distance: Any
    subtract_segments: Any
    clear_bricks: Any
    boundary_winding: Any
    winding_gradient: Any


@dataclass(frozen=True)
class WindingFunctions:
    """Warp functions of the boundary sum, for the kernels of several modules."""

    length: Any
    edge_angle: Any


@functools.cache
def winding_functions() -> WindingFunctions:
    """Define what the boundary sum is made of: see `winding.boundary_winding`."""
    import warp as wp

    wp.set_module_options(MODULE_OPTIONS)
    shift = wp.constant(wp.float64(SHIFT))
    shift_square = wp.constant(wp.float64(SHIFT**2))
    zero = wp.constant(wp.float64(0.0))

    @wp.func
    def length(v: wp.vec3d) -> wp.float64:
        return wp.sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2])

    @wp.func
    def edge_angle(low: wp.vec3d, high: wp.vec3d, p: wp.vec3d) -> wp.float64:
        """Half the solid angle of the directions from p to both ends of an edge and -z."""
        step = high - low
        a = low - p
        b = high - p
        side = step[1] * a[0] - step[0] * a[1]
        if side == zero:
            side = wp.where(step[1] != zero, -step[1] * shift, step[0] * shift_square)
        across = (a[0] - shift) * (b[0] - shift) + (a[1] - shift_square) * (b[1] - shift_square)
        scale = (length(a) - a[2]) * (length(b) - b[2]) + across
        return wp.atan2(-side, scale)

    return WindingFunctions(length, edge_angle)


@functools.cache
def brick_kernels() -> BrickKernels:
    """Define the kernels."""
    pairs, distance, subtract = _segment_kernels()
    winding, gradient = _winding_kernels()
    return BrickKernels(pairs, distance, _triangle_kernel(), subtract, _clear_kernel(), winding, gradient)


@functools.cache
def _voxel_step() -> Any:
    import warp as wp

    wp.set_module_options(MODULE_OPTIONS)
    size = wp.constant(BRICK_SIZE)
    middle = wp.constant((BRICK_SIZE - 1) / 2)

    @wp.func
    def voxel_step(voxel: wp.int32) -> wp.vec3:
        """The centre of a voxel from the centre of its brick."""
        return wp.vec3(
            float(voxel % size) - middle, float((voxel // size) % size) - middle, float(voxel // (size * size)) - middle
        )

    return voxel_step


def _segment_kernels() -> tuple[Any, Any, Any]:
    """The struct `Pairs`, and the kernels `segment_distance` and `subtract_segments`."""
    import warp as wp

    wp.set_module_options(MODULE_OPTIONS)
    voxel_step = _voxel_step()
    size = wp.constant(BRICK_SIZE)
    reach = wp.constant(float(REACH))

    @wp.struct
    class Pairs:
        """See `SegmentPairs`; `first` (B + 1,) says where the pairs of each brick begin."""

        first: wp.array[wp.int32]  # type: ignore[valid-type]
        toward: wp.array[wp.vec3]  # type: ignore[valid-type]
        axis: wp.array[wp.vec3]  # type: ignore[valid-type]
        low: wp.array[wp.float32]  # type: ignore[valid-type]
        high: wp.array[wp.float32]  # type: ignore[valid-type]
        radius: wp.array[wp.float32]  # type: ignore[valid-type]
        slope: wp.array[wp.float32]  # type: ignore[valid-type]
        tangent: wp.array[wp.float32]  # type: ignore[valid-type]

    @wp.func
    def pair_distance(pairs: Pairs, pair: wp.int32, step: wp.vec3) -> wp.float32:
        """Signed distance of the voxel at `step` from the brick's centre: see `Segments.nearest_ball`."""
        offset = pairs.toward[pair] + step
        axis = pairs.axis[pair]
        along = (axis[0] * offset[0] + axis[1] * offset[1]) + axis[2] * offset[2]
        square = (offset[0] * offset[0] + offset[1] * offset[1]) + offset[2] * offset[2]
        across = wp.sqrt(wp.max(square - along * along, 0.0))
        s = wp.min(wp.max(along - across * pairs.tangent[pair], pairs.low[pair]), pairs.high[pair])
        square = wp.max(square - s * (along + along - s), 0.0)
        return wp.sqrt(square) - (pairs.radius[pair] - s * pairs.slope[pair])

    @wp.kernel
    def segment_distance(  # type: ignore[misc]
        pairs: Pairs,
        out: wp.array2d[wp.float32],  # type: ignore[valid-type]
    ) -> None:
        """Least distance over the list of each brick.

        Launch with (B, 512).

        Args:
            pairs: of B bricks.
            out: (B, 512) signed distance in voxels, clamped to REACH.
        """
        brick, voxel = wp.tid()  # type: ignore[misc]
        step = voxel_step(voxel)
        least = float(reach)
        for pair in range(pairs.first[brick], pairs.first[brick + 1]):
            least = wp.min(least, pair_distance(pairs, pair, step))
        out[brick, voxel] = wp.max(least, -reach)

    @wp.kernel
    def subtract_segments(  # type: ignore[misc]
        pairs: Pairs,
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
        step = voxel_step(voxel)
        for pair in range(pairs.first[brick], pairs.first[brick + 1]):
            if pair_distance(pairs, pair, step) <= 0.0:
                occupancy[z, y, x] = False
                wp.atomic_add(removed, 0, wp.int64(1))
                return

    return Pairs, segment_distance, subtract_segments


def _clear_kernel() -> Any:
    import warp as wp

    wp.set_module_options(MODULE_OPTIONS)
    size = wp.constant(BRICK_SIZE)

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

    return clear_bricks


def _triangle_kernel() -> Any:
    import warp as wp

    wp.set_module_options(MODULE_OPTIONS)
    voxel_step = _voxel_step()
    reach = wp.constant(float(REACH))
    beyond = wp.constant(float(REACH + 1e-3))  # over the rounding of the distances themselves

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
    def triangle_distance_at(a: wp.vec3, b: wp.vec3, c: wp.vec3, normal: wp.vec3, plane: wp.float32) -> wp.float32:
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

    @wp.kernel
    def triangle_distance(  # type: ignore[misc]
        first: wp.array[wp.int32],  # type: ignore[valid-type]
        corners: wp.array2d[wp.vec3],  # type: ignore[valid-type]
        normal: wp.array[wp.vec3],  # type: ignore[valid-type]
        plane: wp.array[wp.float32],  # type: ignore[valid-type]
        out: wp.array2d[wp.float32],  # type: ignore[valid-type]
    ) -> None:
        """Least distance over the list of each brick.

        Launch with (B, 512).

        Args:
            first: (B + 1,) where the pairs of each brick begin.
            corners, normal, plane: (3, P), (P,), (P,): see `TrianglePairs`.
            out: (B, 512) unsigned distance in voxels, clamped to REACH.
        """
        brick, voxel = wp.tid()  # type: ignore[misc]
        step = voxel_step(voxel)
        least = float(reach)
        for pair in range(first[brick], first[brick + 1]):
            height = dot(normal[pair], step) - plane[pair]
            if wp.abs(height) <= beyond:
                a = corners[0, pair] - step
                b = corners[1, pair] - step
                c = corners[2, pair] - step
                least = wp.min(least, triangle_distance_at(a, b, c, normal[pair], height))
        out[brick, voxel] = least

    return triangle_distance


def _winding_kernels() -> tuple[Any, Any]:
    """The kernels `boundary_winding` and `winding_gradient`."""
    import warp as wp

    wp.set_module_options(MODULE_OPTIONS)
    functions = winding_functions()
    length, edge_angle = functions.length, functions.edge_angle
    tau = wp.constant(wp.float64(2 * np.pi))

    @wp.kernel
    def boundary_winding(  # type: ignore[misc]
        points: wp.array[wp.vec3d],  # type: ignore[valid-type]
        low: wp.array[wp.vec3d],  # type: ignore[valid-type]
        high: wp.array[wp.vec3d],  # type: ignore[valid-type]
        sign: wp.array[wp.float64],  # type: ignore[valid-type]
        out: wp.array[wp.float64],  # type: ignore[valid-type]
    ) -> None:
        """The boundary sum at N points: see `winding.boundary_winding`.

        Launch with (N,).

        Args:
            points: (N,), in voxels.
            low, high, sign: (E,): see `Boundary`.
            out: (N,) part of the winding number.
        """
        i = wp.tid()
        total = wp.float64(0.0)
        for edge in range(sign.shape[0]):
            total += sign[edge] * edge_angle(low[edge], high[edge], points[i])
        out[i] = total / tau

    @wp.kernel
    def winding_gradient(  # type: ignore[misc]
        points: wp.array[wp.vec3d],  # type: ignore[valid-type]
        low: wp.array[wp.vec3d],  # type: ignore[valid-type]
        high: wp.array[wp.vec3d],  # type: ignore[valid-type]
        sign: wp.array[wp.float64],  # type: ignore[valid-type]
        out: wp.array[wp.vec3d],  # type: ignore[valid-type]
    ) -> None:
        """The gradient of the winding number at N points: see `winding.winding_gradient`.

        Launch with (N,).

        Args:
            points: (N,), in voxels.
            low, high, sign: (E,): see `Boundary`.
            out: (N,) per voxel.
        """
        i = wp.tid()
        total = wp.vec3d()
        for edge in range(sign.shape[0]):
            a = low[edge] - points[i]
            b = high[edge] - points[i]
            length_a = length(a)
            length_b = length(b)
            product = length_a * length_b
            scale = product * (product + a[0] * b[0] + a[1] * b[1] + a[2] * b[2])
            weight = sign[edge] * (length_a + length_b) / wp.max(scale, wp.float64(1.0e-12))
            total += wp.cross(a, b) * weight
        out[i] = total / (wp.float64(2.0) * tau)

    return boundary_winding, winding_gradient
