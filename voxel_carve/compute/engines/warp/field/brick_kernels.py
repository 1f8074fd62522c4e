"""Warp kernels for operations on bricks, with the operations of the numba kernels in the same order."""

# mypy: disable-error-code="name-defined"

from __future__ import annotations

from ....formulas.language import Primitives
from ....formulas.swept_body import anchor
from ....formulas.triangle import anchor_triangle
from ....model.bricks import State
from ....model.combining import OPERATIONS
from ..device.formulas import double, function, kernel, single
from ..device.functions import BRICK_BLOCK_DIM, Pairs, brick_centre, segment_distance, voxel_at, voxel_step
from ..device.structs import wp

BLOCK_DIM = BRICK_BLOCK_DIM
NEAR, SOLID = int(State.NEAR), int(State.SOLID)
UNION, INTERSECT = OPERATIONS.index("union"), OPERATIONS.index("intersect")
LANES = 32  # threads that share the pairs of a brick


@kernel(double)
def anchor_segments(segments: wp.array2d[wp.float64], corner: wp.array[wp.vec3i], pairs: Pairs) -> None:
    """Set the numbers of each pair (brick, segment).

    Launch with (B, LANES).

    Args:
        segments: (K, 10), see `Segments.rows`.
        corner: (B,) index (z, y, x) of each brick's first voxel.
        pairs: `numbers` is written, the rest is read.
    """
    brick, lane = wp.tid()
    centre = brick_centre(corner[brick])
    for pair in range(pairs.first[brick] + lane, pairs.first[brick + 1], LANES):
        j = pairs.listed[pair + pairs.shift[brick]]
        anchor(segments, j, centre[0], centre[1], centre[2], pairs.numbers, pair)


@kernel(double)
def anchor_triangles(triangles: Primitives, corner: wp.array[wp.vec3i], pairs: Pairs) -> None:
    """Set the numbers of each pair (brick, triangle), as `anchor_segments` does. `triangles` has no segments."""
    brick, lane = wp.tid()
    centre = brick_centre(corner[brick])
    for pair in range(pairs.first[brick] + lane, pairs.first[brick + 1], LANES):
        k = pairs.listed[pair + pairs.shift[brick]]
        anchor_triangle(triangles, k, centre[0], centre[1], centre[2], pairs.numbers, pair)


class Entries:
    """What sweeps do with B bricks, in E entries.

    The entries of brick b are `first[b]` to `first[b + 1]`, with `first` (B + 1,). Of each entry (E,), `corner` is the
    index (z, y, x) of the brick's first voxel, and `state` the brick's `State` in the sweep; `operation` is that of the
    sweep, as an index in OPERATIONS, and `place` its place in the queue.
    """

    first: wp.array[wp.int32]
    corner: wp.array[wp.vec3i]
    state: wp.array[wp.uint8]
    operation: wp.array[wp.uint8]
    place: wp.array[wp.int32]


@function(single)
def is_inside_entry(pairs: Pairs, entry: wp.int32, state: wp.int32, step: wp.vec3) -> wp.bool:
    """Whether a voxel, at a step from its brick's centre, has a distance of 0 or less from the sweep of an entry."""
    if state != NEAR:
        return state == SOLID
    for pair in range(pairs.first[entry], pairs.first[entry + 1]):
        if segment_distance(pairs, pair, step) <= 0.0:
            return wp.bool(True)
    return wp.bool(False)


@kernel(single)
def combine_sweeps(
    entries: Entries,
    pairs: Pairs,
    origin: wp.vec3i,
    occupancy: wp.array3d[wp.bool],
    removed: wp.array[wp.int64],
) -> None:
    """Combine the voxels of bricks with their sweeps, one after the other, and count what each clears, less what it
    sets.

    Launch with (B, 512).

    Args:
        entries: of B bricks.
        pairs: of the entries with segments.
        origin: index (z, y, x) in the grid of the first voxel of `occupancy`.
        occupancy: (Z, Y, X), any part of the grid.
        removed: (S,) counts of the sweeps in the queue.
    """
    brick, voxel = wp.tid()
    first = entries.first[brick]
    at = voxel_at(entries.corner[first] - origin, voxel)
    for axis in range(3):
        if at[axis] < 0 or at[axis] >= occupancy.shape[axis]:
            return
    step = voxel_step(voxel)
    was = occupancy[at[0], at[1], at[2]]
    now = wp.bool(was)
    for entry in range(first, entries.first[brick + 1]):
        operation = int(entries.operation[entry])
        adds = operation == UNION
        # A set voxel can only be cleared, and a clear one only be set.
        if now != adds:
            inside = is_inside_entry(pairs, entry, int(entries.state[entry]), step)
            if inside != (operation == INTERSECT):
                now = adds
                wp.atomic_add(removed, entries.place[entry], wp.where(adds, wp.int64(-1), wp.int64(1)))
    if now != was:
        occupancy[at[0], at[1], at[2]] = now
