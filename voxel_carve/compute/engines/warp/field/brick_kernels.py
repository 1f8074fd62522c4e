"""Warp kernels for operations on bricks, with the operations of the numba kernels in the same order."""

# mypy: disable-error-code="name-defined"

from __future__ import annotations

from ....formulas.language import Primitives
from ....formulas.swept_body import anchor
from ....formulas.triangle import anchor_triangle
from ..device.formulas import double, kernel, single
from ..device.functions import BRICK_BLOCK_DIM, Pairs, brick_centre, is_set, segment_distance, voxel_at, voxel_step
from ..device.structs import wp

BLOCK_DIM = BRICK_BLOCK_DIM
LANES = 32  # threads that share the pairs of a brick


@kernel(double)
def anchor_segments(segments: wp.array2d[wp.float64], corner: wp.array[wp.vec3i], pairs: Pairs) -> None:
    """Set the numbers of each pair (brick, segment).

    Launch with (B, LANES).

    Args:
        segments: (K, 10), see `Segments.rows`.
        corner: (B,) index (z, y, x) of each brick's first voxel.
        pairs: `first` and `primitive` are read, `numbers` is written.
    """
    brick, lane = wp.tid()
    centre = brick_centre(corner[brick])
    for pair in range(pairs.first[brick] + lane, pairs.first[brick + 1], LANES):
        anchor(segments, pairs.primitive[pair], centre[0], centre[1], centre[2], pairs.numbers, pair)


@kernel(double)
def anchor_triangles(triangles: Primitives, corner: wp.array[wp.vec3i], pairs: Pairs) -> None:
    """Set the numbers of each pair (brick, triangle), as `anchor_segments` does. `triangles` has no segments."""
    brick, lane = wp.tid()
    centre = brick_centre(corner[brick])
    for pair in range(pairs.first[brick] + lane, pairs.first[brick + 1], LANES):
        anchor_triangle(triangles, pairs.primitive[pair], centre[0], centre[1], centre[2], pairs.numbers, pair)


@kernel(single)
def subtract_near(
    pairs: Pairs,
    corner: wp.array[wp.vec3i],
    origin: wp.vec3i,
    occupancy: wp.array3d[wp.bool],
    removed: wp.array[wp.int64],
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
    brick, voxel = wp.tid()
    at = voxel_at(corner[brick] - origin, voxel)
    if is_set(occupancy, at):
        step = voxel_step(voxel)
        for pair in range(pairs.first[brick], pairs.first[brick + 1]):
            if segment_distance(pairs, pair, step) <= 0.0:
                occupancy[at[0], at[1], at[2]] = False
                wp.atomic_add(removed, 0, wp.int64(1))
                return


@kernel(single)
def clear_bricks(
    corner: wp.array[wp.vec3i], origin: wp.vec3i, occupancy: wp.array3d[wp.bool], removed: wp.array[wp.int64]
) -> None:
    """Clear whole bricks, and count the voxels that were set, as `subtract_near` does."""
    brick, voxel = wp.tid()
    at = voxel_at(corner[brick] - origin, voxel)
    if is_set(occupancy, at):
        occupancy[at[0], at[1], at[2]] = False
        wp.atomic_add(removed, 0, wp.int64(1))
