"""Warp kernels of the dense operations. See `warp_functions` for how they are defined."""

# What stands in a kernel is Warp's language, of which the types of its Python names know too little.
# mypy: disable-error-code="arg-type,assignment,attr-defined,call-overload,index,no-untyped-call,operator,type-var"

import functools
from dataclasses import dataclass
from typing import Any

import numpy as np

from .bricks import BRICK_SIZE
from .warp_functions import MODULE_OPTIONS
from .warp_winding import winding_functions
from .winding import INSIDE

DENSE_BLOCK_DIM = 256  # threads of a block: the stacks of the mesh queries have to fit beside each other

FARTHEST = 3.0e38  # ends of a z column, as good as infinite in float32


@dataclass(frozen=True)
class DenseKernels:
    """The kernels of one Warp module, all launched in blocks of 256 threads."""

    union: Any
    intersect: Any
    subtract: Any
    dilate: Any
    pass_columns: Any
    settle_bricks: Any
    mark_inside: Any


@functools.cache
def dense_kernels() -> DenseKernels:
    """Define the kernels."""
    return DenseKernels(*_boolean_kernels(), _dilate_kernel(), _column_kernel(), *_inside_kernels())


def _boolean_kernels() -> tuple[Any, Any, Any]:
    """The kernels `union`, `intersect` and `subtract`. Launch each with (Z, Y, X)."""
    import warp as wp

    wp.set_module_options(MODULE_OPTIONS)

    @wp.kernel
    def union(  # type: ignore[misc]
        a: wp.array3d[wp.bool],  # type: ignore[valid-type]
        b: wp.array3d[wp.bool],  # type: ignore[valid-type]
        out: wp.array3d[wp.bool],  # type: ignore[valid-type]
    ) -> None:
        """Set where a or b is; all (Z, Y, X)."""
        z, y, x = wp.tid()  # type: ignore[misc]
        out[z, y, x] = a[z, y, x] or b[z, y, x]

    @wp.kernel
    def intersect(  # type: ignore[misc]
        a: wp.array3d[wp.bool],  # type: ignore[valid-type]
        b: wp.array3d[wp.bool],  # type: ignore[valid-type]
        out: wp.array3d[wp.bool],  # type: ignore[valid-type]
    ) -> None:
        """Set where a and b are; all (Z, Y, X)."""
        z, y, x = wp.tid()  # type: ignore[misc]
        out[z, y, x] = a[z, y, x] and b[z, y, x]

    @wp.kernel
    def subtract(  # type: ignore[misc]
        a: wp.array3d[wp.bool],  # type: ignore[valid-type]
        b: wp.array3d[wp.bool],  # type: ignore[valid-type]
        out: wp.array3d[wp.bool],  # type: ignore[valid-type]
    ) -> None:
        """Set where a is and b is not; all (Z, Y, X)."""
        z, y, x = wp.tid()  # type: ignore[misc]
        out[z, y, x] = a[z, y, x] and not b[z, y, x]

    return union, intersect, subtract


def _dilate_kernel() -> Any:
    import warp as wp

    wp.set_module_options(MODULE_OPTIONS)

    @wp.kernel
    def dilate(  # type: ignore[misc]
        occupancy: wp.array3d[wp.bool],  # type: ignore[valid-type]
        steps: wp.array[wp.vec3i],  # type: ignore[valid-type]
        first_layer: wp.int32,
        out: wp.array3d[wp.bool],  # type: ignore[valid-type]
    ) -> None:
        """Set each voxel that a structuring element covers from some set voxel.

        Launch with (L, Y, X).

        Args:
            occupancy: (Z, Y, X).
            steps: (K,) set voxels of the element as (z, y, x) from its middle.
            first_layer: index z in `occupancy` of the lowest layer of `out`.
            out: (L, Y, X).
        """
        layer, y, x = wp.tid()  # type: ignore[misc]
        covered = wp.bool(False)
        for k in range(steps.shape[0]):
            if not covered:
                from_z = first_layer + layer - steps[k][0]
                from_y = y - steps[k][1]
                from_x = x - steps[k][2]
                inside_z = from_z >= 0 and from_z < occupancy.shape[0]
                inside_y = from_y >= 0 and from_y < occupancy.shape[1]
                inside_x = from_x >= 0 and from_x < occupancy.shape[2]
                if inside_z and inside_y and inside_x:
                    covered = occupancy[from_z, from_y, from_x]
        out[layer, y, x] = covered

    return dilate


def _column_kernel() -> Any:
    import warp as wp

    wp.set_module_options(MODULE_OPTIONS)
    zero = wp.constant(wp.float64(0.0))
    half = wp.constant(wp.float64(0.5))
    farthest = wp.constant(FARTHEST)

    @wp.func
    def area(low: wp.vec3d, high: wp.vec3d, px: wp.float64, py: wp.float64) -> wp.float64:
        """Twice the signed area of (low, high, p) seen from +z."""
        return (high[0] - low[0]) * (py - low[1]) - (high[1] - low[1]) * (px - low[0])

    @wp.func
    def side(value: wp.float64, low: wp.vec3d, high: wp.vec3d) -> wp.int32:
        """On which side of the edge from low to high the column lies, an area of 0 broken as in `crossings`."""
        step = high - low
        decides = wp.where(value != zero, value, wp.where(step[1] != zero, -step[1], step[0]))
        return wp.where(decides > zero, 1, wp.where(decides < zero, -1, 0))

    @wp.func
    def edge_area(points: wp.array[wp.vec3d], i: wp.int32, j: wp.int32, px: wp.float64, py: wp.float64) -> wp.float64:  # type: ignore[valid-type]
        """`area` of the edge from i to j, the same but for its sign when it runs from j to i."""
        if i > j:
            return -area(points[j], points[i], px, py)
        return area(points[i], points[j], px, py)

    @wp.func
    def edge_side(points: wp.array[wp.vec3d], value: wp.float64, i: wp.int32, j: wp.int32) -> wp.int32:  # type: ignore[valid-type]
        if i > j:
            return -side(-value, points[j], points[i])
        return side(value, points[i], points[j])

    @wp.kernel
    def pass_columns(  # type: ignore[misc]
        mesh: wp.uint64,
        points: wp.array[wp.vec3d],  # type: ignore[valid-type]
        triangles: wp.array[wp.vec3i],  # type: ignore[valid-type]
        first_row: wp.int32,
        count: wp.array3d[wp.int32],  # type: ignore[valid-type]
    ) -> None:
        """Signed crossings above each voxel of the z columns, one thread for each: see `Crossings`.

        The tree of `mesh` only proposes triangles; float64 decides. Launch with (rows, X).

        Args:
            mesh: id of a `wp.Mesh` of the triangles, with points rounded to float32.
            points: (N,), in voxels from the grid's origin, in lexicographic order.
            triangles: (M,) indices of points.
            first_row: index y of the first row.
            count: (Z, rows, X), zero before.
        """
        row, x = wp.tid()  # type: ignore[misc]
        px = wp.float64(x) + half
        py = wp.float64(first_row + row) + half
        # Rounding to float32 keeps the order of numbers, so the column's rounded place lies in the rounded boxes.
        column_x = wp.float32(px)
        column_y = wp.float32(py)
        query = wp.mesh_query_aabb(mesh, wp.vec3(column_x, column_y, -farthest), wp.vec3(column_x, column_y, farthest))
        face = wp.int32(0)
        while wp.mesh_query_aabb_next(query, face):
            i = triangles[face][0]
            j = triangles[face][1]
            k = triangles[face][2]
            a = points[i]
            b = points[j]
            c = points[k]
            inside_x = px >= wp.min(wp.min(a[0], b[0]), c[0]) and px <= wp.max(wp.max(a[0], b[0]), c[0])
            inside_y = py >= wp.min(wp.min(a[1], b[1]), c[1]) and py <= wp.max(wp.max(a[1], b[1]), c[1])
            if inside_x and inside_y:
                area_a = edge_area(points, j, k, px, py)
                area_b = edge_area(points, k, i, px, py)
                area_c = edge_area(points, i, j, px, py)
                sign = edge_side(points, area_a, j, k)
                if sign != 0 and sign == edge_side(points, area_b, k, i) and sign == edge_side(points, area_c, i, j):
                    total = (area_a + area_b) + area_c
                    z = a[2]
                    if total != zero:
                        z = ((area_a * a[2] + area_b * b[2]) + area_c * c[2]) / total
                    z = wp.min(wp.max(z, wp.min(wp.min(a[2], b[2]), c[2])), wp.max(wp.max(a[2], b[2]), c[2])) - half
                    # A voxel centre exactly on the surface is inside, below an upper face and above a lower one.
                    top = wp.where(sign > 0, wp.floor(z), wp.ceil(z) - wp.float64(1.0))
                    if top >= zero:
                        last = wp.float64(count.shape[0] - 1)
                        layer = wp.int32(wp.min(top, last))
                        count[layer, row, x] = count[layer, row, x] + sign
        above = wp.int32(0)
        for step in range(count.shape[0]):
            layer = count.shape[0] - 1 - step
            above += count[layer, row, x]
            count[layer, row, x] = above

    return pass_columns


def _inside_kernels() -> tuple[Any, Any]:
    """The kernels `settle_bricks` and `mark_inside`."""
    import warp as wp

    wp.set_module_options(MODULE_OPTIONS)
    functions = winding_functions()
    length, edge_angle = functions.length, functions.edge_angle
    f64 = wp.float64
    size = wp.constant(BRICK_SIZE)
    edge_length = wp.constant(wp.float64(BRICK_SIZE))
    half_diagonal = wp.constant(wp.float64(np.sqrt(3.0) * (BRICK_SIZE - 1) / 2))
    half = wp.constant(wp.float64(0.5))
    tau = wp.constant(wp.float64(2 * np.pi))
    inside = wp.constant(wp.float64(INSIDE))

    @wp.func
    def edge_distance(low: wp.vec3d, high: wp.vec3d, p: wp.vec3d) -> wp.float64:
        step = high - low
        t = wp.clamp(wp.dot(p - low, step) / wp.max(wp.dot(step, step), f64(1.0e-30)), f64(0.0), f64(1.0))
        return length(low + t * step - p)

    @wp.func
    def is_over(low: wp.vec3d, high: wp.vec3d, corner: wp.vec3d) -> wp.bool:
        """Whether the box of an edge lies over some part of the brick with its lowest corner at `corner`."""
        over_x = wp.max(low[0], high[0]) >= corner[0] and wp.min(low[0], high[0]) <= corner[0] + edge_length
        over_y = wp.max(low[1], high[1]) >= corner[1] and wp.min(low[1], high[1]) <= corner[1] + edge_length
        return over_x and over_y and wp.max(low[2], high[2]) >= corner[2]

    @wp.kernel
    def settle_bricks(  # type: ignore[misc]
        low: wp.array[wp.vec3d],  # type: ignore[valid-type]
        high: wp.array[wp.vec3d],  # type: ignore[valid-type]
        sign: wp.array[wp.float64],  # type: ignore[valid-type]
        first_row: wp.int32,
        total: wp.array3d[wp.float64],  # type: ignore[valid-type]
        settled: wp.array3d[wp.bool],  # type: ignore[valid-type]
    ) -> None:
        """Find the bricks where one boundary sum b tells the side of all voxels.

        That is where b has no jump, and its fraction cannot reach 0.5: an edge of length l adds at most
        l / (4 pi r^2) to the gradient at a distance r. Launch with (bricks Z, Y, X).

        Args:
            low, high, sign: (E,): see `Boundary`.
            first_row: index y, in bricks, of the first row.
            total: (bricks Z, Y, X) b at the brick's centre.
            settled: (bricks Z, Y, X).
        """
        z, row, x = wp.tid()  # type: ignore[misc]
        corner = wp.vec3d(f64(x), f64(first_row + row), f64(z)) * edge_length
        centre = corner + wp.vec3d(half, half, half) * edge_length
        b = f64(0.0)
        bound = f64(0.0)
        jumps = wp.bool(False)
        for k in range(sign.shape[0]):
            b += sign[k] * edge_angle(low[k], high[k], centre)
            distance = wp.max(edge_distance(low[k], high[k], centre) - half_diagonal, f64(1.0e-6))
            bound += length(high[k] - low[k]) / (f64(2.0) * tau * distance * distance)
            jumps = jumps or is_over(low[k], high[k], corner)
        b = b / tau
        total[z, row, x] = b
        settled[z, row, x] = not jumps and wp.abs(b - wp.floor(b) - half) > half_diagonal * bound + f64(1.0e-6)

    @wp.kernel
    def mark_inside(  # type: ignore[misc]
        count: wp.array3d[wp.int32],  # type: ignore[valid-type]
        low: wp.array[wp.vec3d],  # type: ignore[valid-type]
        high: wp.array[wp.vec3d],  # type: ignore[valid-type]
        sign: wp.array[wp.float64],  # type: ignore[valid-type]
        first_row: wp.int32,
        total: wp.array3d[wp.float64],  # type: ignore[valid-type]
        settled: wp.array3d[wp.bool],  # type: ignore[valid-type]
        out: wp.array3d[wp.bool],  # type: ignore[valid-type]
    ) -> None:
        """Set the voxels inside by the winding number, crossings and boundary sum together.

        Launch with (Z, rows, X).

        Args:
            count: (Z, rows, X) signed crossings, of `pass_columns`.
            low, high, sign: (E,): see `Boundary`.
            first_row: index y of the first row, a multiple of 8.
            total, settled: (bricks Z, Y, X), of `settle_bricks`.
            out: (Z, rows, X).
        """
        z, row, x = wp.tid()  # type: ignore[misc]
        w = f64(count[z, row, x])
        if settled[z // size, row // size, x // size]:
            w += total[z // size, row // size, x // size]
        else:
            p = wp.vec3d(f64(x) + half, f64(first_row + row) + half, f64(z) + half)
            b = f64(0.0)
            for k in range(sign.shape[0]):
                b += sign[k] * edge_angle(low[k], high[k], p)
            w += b / tau
        out[z, row, x] = wp.abs(w) > inside

    return settle_bricks, mark_inside
