"""Warp kernels of the dense operations. They are defined when first requested: see `device.functions`."""

# mypy cannot check the code of kernels, which Warp translates.
# mypy: disable-error-code="arg-type,assignment,attr-defined,call-overload,index,no-untyped-call,operator,return-value"
# mypy: disable-error-code="type-var"

import functools
from dataclasses import dataclass
from typing import Any

import numpy as np

from ....formulas import winding, z_columns
from ....model.bricks import BRICK_SIZE
from ....primitives.boundary import INSIDE
from ..device.formulas import boundary_structs, double
from ..device.functions import MODULE_OPTIONS

DENSE_BLOCK_DIM = 256  # threads per block: the stacks of their mesh queries must fit into its memory

FARTHEST = 3.0e38  # ends of a z column: practically infinite in float32


@dataclass(frozen=True)
class DenseKernels:
    """The kernels of one Warp module, all launched in blocks of 256 threads."""

    union: Any
    intersect: Any
    subtract: Any
    dilate: Any
    pass_columns: Any
    decide_bricks: Any
    mark_inside: Any


@functools.cache
def dense_kernels() -> DenseKernels:
    """Define the kernels."""
    return DenseKernels(*_boolean_kernels(), _dilate_kernel(), _column_kernel(), _decide_kernel(), _mark_kernel())


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
    """The kernel `dilate`."""
    import warp as wp

    wp.set_module_options(MODULE_OPTIONS)

    @wp.kernel
    def dilate(  # type: ignore[misc]
        occupancy: wp.array3d[wp.bool],  # type: ignore[valid-type]
        steps: wp.array[wp.vec3i],  # type: ignore[valid-type]
        first_layer: wp.int32,
        out: wp.array3d[wp.bool],  # type: ignore[valid-type]
    ) -> None:
        """Set each voxel that the structuring element covers from a set voxel.

        Launch with (L, Y, X).

        Args:
            occupancy: (Z, Y, X).
            steps: (K,) set voxels of the element, as (z, y, x) from its middle.
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
    """The kernel `pass_columns`."""
    import warp as wp

    wp.set_module_options(MODULE_OPTIONS)
    column_crossing = double()(z_columns.column_crossing)
    half, one = wp.constant(wp.float64(0.5)), wp.constant(wp.float64(1.0))
    farthest = wp.constant(FARTHEST)

    @wp.kernel
    def pass_columns(  # type: ignore[misc]
        mesh: wp.uint64,
        points: wp.array2d[wp.float64],  # type: ignore[valid-type]
        triangles: wp.array[wp.vec3i],  # type: ignore[valid-type]
        first_row: wp.int32,
        count: wp.array3d[wp.int32],  # type: ignore[valid-type]
    ) -> None:
        """Count the signed crossings above each voxel, with a thread for each z column: see `Crossings`.

        The tree of `mesh` only proposes triangles; edge functions in float64 decide. Launch with (rows, X).

        Args:
            mesh: id of a `wp.Mesh` of the triangles, with points rounded to float32.
            points: (N, 3), in voxels from the grid's origin, in lexicographic order.
            triangles: (M,) indices of points.
            first_row: index y of the first row.
            count: (Z, rows, X), initially 0.
        """
        row, x = wp.tid()  # type: ignore[misc]
        px = wp.float64(x) + half
        py = wp.float64(first_row + row) + half
        # Rounding to float32 keeps the order of numbers, so the rounded column lies in the rounded boxes.
        column_x = wp.float32(px)
        column_y = wp.float32(py)
        query = wp.mesh_query_aabb(mesh, wp.vec3(column_x, column_y, -farthest), wp.vec3(column_x, column_y, farthest))
        face = wp.int32(0)
        while wp.mesh_query_aabb_next(query, face):
            i = triangles[face][0]
            j = triangles[face][1]
            k = triangles[face][2]
            low_x = wp.min(wp.min(points[i, 0], points[j, 0]), points[k, 0])
            low_y = wp.min(wp.min(points[i, 1], points[j, 1]), points[k, 1])
            high_x = wp.max(wp.max(points[i, 0], points[j, 0]), points[k, 0])
            high_y = wp.max(wp.max(points[i, 1], points[j, 1]), points[k, 1])
            if px >= low_x and px <= high_x and py >= low_y and py <= high_y:
                sign, above = column_crossing(points, i, j, k, px, py)
                if sign != 0 and above >= one:
                    layer = wp.int32(wp.min(above, wp.float64(count.shape[0]))) - 1
                    count[layer, row, x] = count[layer, row, x] + sign
        total = wp.int32(0)
        for step in range(count.shape[0]):
            layer = count.shape[0] - 1 - step
            total += count[layer, row, x]
            count[layer, row, x] = total

    return pass_columns


def _decide_kernel() -> Any:
    """The kernel `decide_bricks`."""
    import warp as wp

    wp.set_module_options(MODULE_OPTIONS)
    Edges, Pieces = boundary_structs().Edges, boundary_structs().Pieces  # noqa: N806 - structs
    boundary_sum, bound_sum = double()(winding.boundary_sum), double()(winding.bound_sum)
    f64 = wp.float64
    edge_length = wp.constant(wp.float64(BRICK_SIZE))
    half_diagonal = wp.constant(wp.float64(np.sqrt(3.0) * (BRICK_SIZE - 1) / 2))
    half = wp.constant(wp.float64(0.5))

    @wp.func
    def is_over(edges: Edges, k: wp.int32, corner: wp.vec3d) -> wp.bool:  # type: ignore[valid-type]
        """Whether the box of an edge lies over a part of the brick with its lowest corner at `corner`."""
        for i in range(2):
            low = wp.min(edges.low[k, i], edges.high[k, i])
            if low > corner[i] + edge_length or wp.max(edges.low[k, i], edges.high[k, i]) < corner[i]:
                return wp.bool(False)
        return wp.max(edges.low[k, 2], edges.high[k, 2]) >= corner[2]

    @wp.kernel
    def decide_bricks(  # type: ignore[misc]
        edges: Edges,  # type: ignore[valid-type]
        pieces: Pieces,  # type: ignore[valid-type]
        first_row: wp.int32,
        total: wp.array3d[wp.float64],  # type: ignore[valid-type]
        decided: wp.array3d[wp.bool],  # type: ignore[valid-type]
    ) -> None:
        """Find the bricks that a single boundary sum b decides.

        There, b has no jump, and by the bound of its gradient its fraction cannot reach 0.5.

        Launch with (bricks Z, Y, X).

        Args:
            edges, pieces: see `formulas.language`.
            first_row: index y, in bricks, of the first row.
            total: (bricks Z, Y, X) b at the brick's centre.
            decided: (bricks Z, Y, X).
        """
        z, row, x = wp.tid()  # type: ignore[misc]
        corner = wp.vec3d(f64(x), f64(first_row + row), f64(z)) * edge_length
        centre = corner + wp.vec3d(half, half, half) * edge_length
        b = boundary_sum(edges, centre[0], centre[1], centre[2])
        bound = bound_sum(pieces, centre[0], centre[1], centre[2], half_diagonal)
        jumps = wp.bool(False)
        for k in range(edges.sign.shape[0]):
            jumps = jumps or is_over(edges, k, corner)
        total[z, row, x] = b
        decided[z, row, x] = not jumps and wp.abs(b - wp.floor(b) - half) > half_diagonal * bound + f64(1.0e-6)

    return decide_bricks


def _mark_kernel() -> Any:
    """The kernel `mark_inside`."""
    import warp as wp

    wp.set_module_options(MODULE_OPTIONS)
    Edges, boundary_sum = boundary_structs().Edges, double()(winding.boundary_sum)  # noqa: N806 - a struct
    f64 = wp.float64
    size, half = wp.constant(BRICK_SIZE), wp.constant(wp.float64(0.5))
    inside = wp.constant(wp.float64(INSIDE))

    @wp.kernel
    def mark_inside(  # type: ignore[misc]
        count: wp.array3d[wp.int32],  # type: ignore[valid-type]
        edges: Edges,  # type: ignore[valid-type]
        first_row: wp.int32,
        total: wp.array3d[wp.float64],  # type: ignore[valid-type]
        decided: wp.array3d[wp.bool],  # type: ignore[valid-type]
        out: wp.array3d[wp.bool],  # type: ignore[valid-type]
    ) -> None:
        """Set the voxels inside by the winding number: crossings plus boundary sum.

        Launch with (Z, rows, X).

        Args:
            count: (Z, rows, X) signed crossings, from `pass_columns`.
            edges: see `formulas.language.Edges`.
            first_row: index y of the first row, a multiple of 8.
            total, decided: (bricks Z, Y, X), from `decide_bricks`.
            out: (Z, rows, X).
        """
        z, row, x = wp.tid()  # type: ignore[misc]
        w = f64(count[z, row, x])
        if decided[z // size, row // size, x // size]:
            w += total[z // size, row // size, x // size]
        else:
            w += boundary_sum(edges, f64(x) + half, f64(first_row + row) + half, f64(z) + half)
        out[z, row, x] = wp.abs(w) > inside

    return mark_inside
