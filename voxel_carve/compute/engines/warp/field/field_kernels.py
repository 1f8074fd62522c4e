"""Warp kernels of the fused pass, which evaluates and combines both fields of a brick.

They are defined when first requested: see `device.functions`.
"""

# mypy cannot check the code of kernels, which Warp translates.
# mypy: disable-error-code="arg-type,assignment,attr-defined,call-overload,index,no-untyped-call,operator,type-var"

import functools
from dataclasses import dataclass
from typing import Any

from ....formulas import combining
from ....model.bricks import BRICK_SIZE, BRICK_VOXELS, NO_PRIMITIVE, REACH, State
from ....primitives.boundary import INSIDE
from ..device.formulas import single
from ..device.functions import MODULE_OPTIONS, pairs_struct, segment_functions, triangle_distance, voxel_step


@dataclass(frozen=True)
class FieldStructs:
    """The structs that the fused pass reads.

    Attributes:
        Bricks: (B,) each: index (z, y, x) of the first voxel, and the `State` in both fields.
        Columns: see `crossings.Crossings`.
        Sums: see `boundary.BoundarySums`, with only the rows of these bricks.
        Rule: see `formulas.combining`: `sign` is -1 if the complement of the sweep counts, else 1; `inner` is whether
            the lesser distance counts.
    """

    Bricks: Any
    Columns: Any
    Sums: Any
    Rule: Any


@dataclass(frozen=True)
class FieldKernels:
    """The kernels of one Warp module, all launched in blocks of 512 threads."""

    evaluate_bricks: Any
    sum_removed: Any


@functools.cache
def field_structs() -> FieldStructs:
    """Define the structs."""
    import warp as wp

    @wp.struct
    class Bricks:
        corner: wp.array[wp.vec3i]  # type: ignore[valid-type]
        stock: wp.array[wp.uint8]  # type: ignore[valid-type]
        sweep: wp.array[wp.uint8]  # type: ignore[valid-type]

    @wp.struct
    class Columns:
        shape: wp.vec3i
        start: wp.array[wp.int32]  # type: ignore[valid-type]
        height: wp.array[wp.int32]  # type: ignore[valid-type]
        total: wp.array[wp.int32]  # type: ignore[valid-type]

    @wp.struct
    class Sums:
        sum: wp.array[wp.float64]  # type: ignore[valid-type]
        row: wp.array[wp.int32]  # type: ignore[valid-type]
        voxel_sum: wp.array2d[wp.float64]  # type: ignore[valid-type]
        to_cap: wp.array2d[wp.float32]  # type: ignore[valid-type]

    @wp.struct
    class Rule:
        sign: wp.float32
        inner: wp.bool

    return FieldStructs(Bricks, Columns, Sums, Rule)


@functools.cache
def field_kernels() -> FieldKernels:
    """Define the kernels."""
    return FieldKernels(_evaluate_kernel(_crossings_function()), _loss_kernel())


def _crossings_function() -> Any:
    """The function `crossings_above`."""
    import warp as wp

    Columns, size = field_structs().Columns, wp.constant(BRICK_SIZE)  # noqa: N806 - a struct

    @wp.func
    def crossings_above(columns: Columns, corner: wp.vec3i, voxel: wp.int32) -> wp.int32:  # type: ignore[valid-type]
        """Signed crossings above a voxel of a brick, which may extend beyond the grid."""
        z = corner[0] + voxel // (size * size)
        y = wp.min(corner[1] + (voxel // size) % size, columns.shape[1] - 1)
        x = wp.min(corner[2] + voxel % size, columns.shape[2] - 1)
        column = y * columns.shape[2] + x
        low = columns.start[column]
        end = columns.start[column + 1]
        high = end
        while low < high:
            middle = low + (high - low) // 2
            if columns.height[middle] > z:
                high = middle
            else:
                low = middle + 1
        return columns.total[end] - columns.total[low]

    return crossings_above


def _evaluate_kernel(crossings_above: Any) -> Any:
    """The kernel `evaluate_bricks`."""
    import warp as wp

    wp.set_module_options(MODULE_OPTIONS)
    structs, step_of, Pairs = field_structs(), voxel_step(), pairs_struct()  # noqa: N806 - a struct
    Bricks, Columns, Sums, Rule = structs.Bricks, structs.Columns, structs.Sums, structs.Rule  # noqa: N806
    to_segment, to_triangle = segment_functions().brick_distance, triangle_distance()
    sweep_operand, is_from_sweep = single()(combining.sweep_operand), single()(combining.is_from_sweep)
    reach = wp.constant(float(REACH))
    limit = wp.constant(wp.float64(INSIDE))
    near, solid = wp.constant(int(State.NEAR)), wp.constant(int(State.SOLID))
    none = wp.constant(NO_PRIMITIVE)

    @wp.func
    def uniform(state: wp.int32) -> wp.float32:
        return wp.where(state == solid, -reach, reach)

    @wp.kernel
    def evaluate_bricks(  # type: ignore[misc]
        bricks: Bricks,  # type: ignore[valid-type]
        triangles: Pairs,  # type: ignore[valid-type]
        columns: Columns,  # type: ignore[valid-type]
        sums: Sums,  # type: ignore[valid-type]
        segments: Pairs,  # type: ignore[valid-type]
        rule: Rule,  # type: ignore[valid-type]
        stock: wp.array2d[wp.float32],  # type: ignore[valid-type]
        distance: wp.array2d[wp.float32],  # type: ignore[valid-type]
        nearest: wp.array2d[wp.int32],  # type: ignore[valid-type]
    ) -> None:
        """Evaluate and combine both fields at each voxel.

        Launch with (B, 512).

        Args:
            bricks, triangles, columns, sums, segments: of B bricks.
            rule: how the fields are combined.
            stock: (B, 512) signed distance to the stock, in voxels.
            distance: (B, 512) signed distance to the result.
            nearest: (B, 512) nearest primitive: see `fields.Field`.
        """
        brick, voxel = wp.tid()  # type: ignore[misc]
        step = step_of(voxel)
        state = int(bricks.stock[brick])
        here = uniform(state)
        triangle = none
        if state == near:
            here, triangle = to_triangle(triangles, brick, step)
            b = sums.sum[brick]
            row = sums.row[brick]
            if row >= 0:
                b = sums.voxel_sum[row, voxel]
                to_cap = sums.to_cap[row, voxel]
                if to_cap < here:
                    here = to_cap
                    triangle = none
            w = wp.float64(crossings_above(columns, bricks.corner[brick], voxel)) + b
            if wp.abs(w) > limit:
                here = -here
        state = int(bricks.sweep[brick])
        other = uniform(state)
        segment = none
        if state == near:
            other, segment = to_segment(segments, brick, step)
        other = sweep_operand(other, rule.sign)
        by_sweep = is_from_sweep(here, other, rule.inner)
        stock[brick, voxel] = here
        distance[brick, voxel] = wp.where(by_sweep, other, here)
        nearest[brick, voxel] = wp.where(by_sweep, -1 - segment, triangle)

    return evaluate_bricks


def _loss_kernel() -> Any:
    """The kernel `sum_removed`."""
    import warp as wp

    wp.set_module_options(MODULE_OPTIONS)
    voxels, inside_fraction = wp.constant(BRICK_VOXELS), single()(combining.inside_fraction)

    @wp.kernel
    def sum_removed(  # type: ignore[misc]
        stock: wp.array2d[wp.float32],  # type: ignore[valid-type]
        distance: wp.array2d[wp.float32],  # type: ignore[valid-type]
        removed: wp.array[wp.float64],  # type: ignore[valid-type]
        inside: wp.array[wp.int32],  # type: ignore[valid-type]
    ) -> None:
        """Add up the volume that each brick of the stock loses. A thread takes a whole brick: atomic sums would vary.

        Launch with (B,).

        Args:
            stock, distance: (B, 512) signed distances to the stock and to the result.
            removed: (B,) volume in voxels.
            inside: (B,) number of voxels inside the stock.
        """
        brick = wp.tid()
        total = wp.float64(0.0)
        count = wp.int32(0)
        for voxel in range(voxels):
            here = stock[brick, voxel]
            total += wp.float64(inside_fraction(here) - inside_fraction(distance[brick, voxel]))
            if here <= 0.0:
                count += 1
        removed[brick] = total
        inside[brick] = count

    return sum_removed
