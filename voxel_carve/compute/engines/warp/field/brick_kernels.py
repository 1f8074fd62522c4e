"""Warp kernels for operations on bricks, with the operations of the numba kernels in the same order.

They are defined when first requested: see `device.functions`.
"""

# mypy cannot check the code of kernels, which Warp translates.
# mypy: disable-error-code="arg-type,assignment,attr-defined,call-overload,index,no-untyped-call,operator,type-var"

import functools
from dataclasses import dataclass
from typing import Any

from ....formulas import swept_body, triangle
from ....model.bricks import BRICK_SIZE
from ..device.formulas import double, primitives_struct
from ..device.functions import MODULE_OPTIONS, brick_centre, pairs_struct, segment_functions, voxel_step

LANES = 32  # threads that share the pairs of a brick


@dataclass(frozen=True)
class BrickKernels:
    """The kernels of one Warp module, all launched in blocks of 512 threads."""

    anchor_segments: Any
    anchor_triangles: Any
    subtract_segments: Any
    clear_bricks: Any


@functools.cache
def brick_kernels() -> BrickKernels:
    """Define the kernels."""
    return BrickKernels(*_anchor_kernels(), *_clear_kernels())


def _anchor_kernels() -> tuple[Any, Any]:
    """The kernels `anchor_segments` and `anchor_triangles`."""
    import warp as wp

    wp.set_module_options(MODULE_OPTIONS)
    Pairs, Primitives = pairs_struct(), primitives_struct()  # noqa: N806 - structs
    anchor, anchor_triangle = double()(swept_body.anchor), double()(triangle.anchor_triangle)
    centre_of, lanes = brick_centre(), wp.constant(LANES)

    @wp.kernel
    def anchor_segments(  # type: ignore[misc]
        segments: wp.array2d[wp.float64],  # type: ignore[valid-type]
        corner: wp.array[wp.vec3i],  # type: ignore[valid-type]
        pairs: Pairs,  # type: ignore[valid-type]
    ) -> None:
        """Set the numbers of each pair (brick, segment).

        Launch with (B, LANES).

        Args:
            segments: (K, 10), see `Segments.rows`.
            corner: (B,) index (z, y, x) of each brick's first voxel.
            pairs: `first` and `primitive` are read, `numbers` is written.
        """
        brick, lane = wp.tid()  # type: ignore[misc]
        centre = centre_of(corner[brick])
        for pair in range(pairs.first[brick] + lane, pairs.first[brick + 1], lanes):
            anchor(segments, pairs.primitive[pair], centre[0], centre[1], centre[2], pairs.numbers, pair)

    @wp.kernel
    def anchor_triangles(  # type: ignore[misc]
        triangles: Primitives,  # type: ignore[valid-type]
        corner: wp.array[wp.vec3i],  # type: ignore[valid-type]
        pairs: Pairs,  # type: ignore[valid-type]
    ) -> None:
        """Set the numbers of each pair (brick, triangle).

        Launch with (B, LANES).

        Args:
            triangles: primitives without segments.
            corner: (B,) index (z, y, x) of each brick's first voxel.
            pairs: `first` and `primitive` are read, `numbers` is written.
        """
        brick, lane = wp.tid()  # type: ignore[misc]
        centre = centre_of(corner[brick])
        for pair in range(pairs.first[brick] + lane, pairs.first[brick + 1], lanes):
            anchor_triangle(triangles, pairs.primitive[pair], centre[0], centre[1], centre[2], pairs.numbers, pair)

    return anchor_segments, anchor_triangles


def _clear_kernels() -> tuple[Any, Any]:
    """The kernels `subtract_segments` and `clear_bricks`."""
    import warp as wp

    wp.set_module_options(MODULE_OPTIONS)
    Pairs = pairs_struct()  # noqa: N806 - a struct
    pair_distance, step_of = segment_functions().pair_distance, voxel_step()
    size = wp.constant(BRICK_SIZE)

    @wp.kernel
    def subtract_segments(  # type: ignore[misc]
        pairs: Pairs,  # type: ignore[valid-type]
        corner: wp.array[wp.vec3i],  # type: ignore[valid-type]
        origin: wp.vec3i,
        occupancy: wp.array3d[wp.bool],  # type: ignore[valid-type]
        removed: wp.array[wp.int64],  # type: ignore[valid-type]
    ) -> None:
        """Clear the voxels of bricks with distance 0 or less, and count those that were set.

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
