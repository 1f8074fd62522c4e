"""Warp kernels of the dense operations."""

# mypy: disable-error-code="name-defined"

from __future__ import annotations

import numpy as np

from ....formulas.language import Edges
from ....formulas.winding import boundary_sum, change_bound
from ....formulas.z_columns import column_crossing
from ....model.bricks import BRICK_SIZE
from ..device.formulas import double, function, kernel, single
from ..device.functions import is_set
from ..device.structs import wp
from .field_kernels import is_inside

BLOCK_DIM = 256  # threads per block: the stacks of their mesh queries must fit into its memory

FARTHEST = 3.0e38  # ends of a z column: practically infinite in float32
HALF = 0.5
ONE = 1.0
SIDE = float(BRICK_SIZE)
HALF_DIAGONAL = float(np.sqrt(3.0) * (BRICK_SIZE - 1) / 2)
SLACK = 1e-6

# For each operation, a bit for each of the four cases: 1 if a is set, plus 2 if b is.
CASES = {"union": 0b1110, "intersect": 0b1000, "subtract": 0b0010}


@kernel(single)
def combine(a: wp.array3d[wp.bool], b: wp.array3d[wp.bool], cases: wp.int32, out: wp.array3d[wp.bool]) -> None:
    """Combine a and b, all (Z, Y, X), by one of CASES. Launch with (Z, Y, X)."""
    z, y, x = wp.tid()
    out[z, y, x] = wp.bool((cases >> (int(a[z, y, x]) + 2 * int(b[z, y, x]))) & 1)


@kernel(single)
def count_above(values: wp.array3d[wp.uint8], most: wp.uint8, count: wp.array[wp.int64]) -> None:
    """Count the bytes (Z, Y, X) above a limit. Launch with (Z, Y, X)."""
    z, y, x = wp.tid()
    if values[z, y, x] > most:
        wp.atomic_add(count, 0, wp.int64(1))


@kernel(single)
def dilate(
    occupancy: wp.array3d[wp.bool], steps: wp.array[wp.vec3i], first_layer: wp.int32, out: wp.array3d[wp.bool]
) -> None:
    """Set each voxel that the structuring element covers from a set voxel.

    Launch with (L, Y, X).

    Args:
        occupancy: (Z, Y, X).
        steps: (K,) set voxels of the element, as (z, y, x) from its middle.
        first_layer: index z in `occupancy` of the lowest layer of `out`.
        out: (L, Y, X).
    """
    layer, y, x = wp.tid()
    covered = wp.bool(False)
    for k in range(steps.shape[0]):
        if not covered:
            covered = is_set(occupancy, wp.vec3i(first_layer + layer, y, x) - steps[k])
    out[layer, y, x] = covered


@kernel(double)
def pass_columns(
    mesh: wp.uint64,
    points: wp.array2d[wp.float64],
    triangles: wp.array[wp.vec3i],
    first_row: wp.int32,
    count: wp.array3d[wp.int32],
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
    row, x = wp.tid()
    px = wp.float64(x) + HALF
    py = wp.float64(first_row + row) + HALF
    # Rounding to float32 keeps the order of numbers, so the rounded column lies in the rounded boxes.
    column_x = wp.float32(px)
    column_y = wp.float32(py)
    farthest = wp.float32(FARTHEST)
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
            if sign != 0 and above >= ONE:
                layer = wp.int32(wp.min(above, wp.float64(count.shape[0]))) - 1
                count[layer, row, x] = count[layer, row, x] + sign
    total = wp.int32(0)
    for step in range(count.shape[0]):
        layer = count.shape[0] - 1 - step
        total += count[layer, row, x]
        count[layer, row, x] = total


@function(double)
def is_over(edges: Edges, k: wp.int32, corner: wp.vec3d) -> wp.bool:
    """Whether the box of an edge lies over a part of the brick with its lowest corner at `corner`."""
    for i in range(2):
        low = wp.min(edges.low[k, i], edges.high[k, i])
        if low > corner[i] + SIDE or wp.max(edges.low[k, i], edges.high[k, i]) < corner[i]:
            return wp.bool(False)
    return wp.max(edges.low[k, 2], edges.high[k, 2]) >= corner[2]


@kernel(double)
def decide_bricks(
    edges: Edges,
    listed: wp.array[wp.int32],
    first_row: wp.int32,
    total: wp.array3d[wp.float64],
    decided: wp.array3d[wp.bool],
) -> None:
    """Find the bricks that a single boundary sum b decides.

    There, b has no jump, and by the bound of its change its fraction cannot reach 0.5.

    Launch with (bricks Z, Y, X).

    Args:
        edges: see `formulas.language`.
        listed: all edges.
        first_row: index y, in bricks, of the first row.
        total: (bricks Z, Y, X) b at the brick's centre.
        decided: (bricks Z, Y, X).
    """
    z, row, x = wp.tid()
    corner = wp.vec3d(wp.float64(x), wp.float64(first_row + row), wp.float64(z)) * SIDE
    centre = corner + wp.vec3d(HALF, HALF, HALF) * SIDE
    b = boundary_sum(edges, listed, 0, listed.shape[0], centre[0], centre[1], centre[2])
    bound = change_bound(edges, listed, 0, listed.shape[0], centre[0], centre[1], centre[2], HALF_DIAGONAL)
    jumps = wp.bool(False)
    for k in range(edges.sign.shape[0]):
        jumps = jumps or is_over(edges, k, corner)
    total[z, row, x] = b
    decided[z, row, x] = not jumps and wp.abs(b - wp.floor(b) - HALF) > bound + SLACK


@kernel(double)
def mark_inside(
    count: wp.array3d[wp.int32],
    edges: Edges,
    listed: wp.array[wp.int32],
    first_row: wp.int32,
    total: wp.array3d[wp.float64],
    decided: wp.array3d[wp.bool],
    out: wp.array3d[wp.bool],
) -> None:
    """Set the voxels inside by the winding number: crossings plus boundary sum.

    Launch with (Z, rows, X).

    Args:
        count: (Z, rows, X) signed crossings, from `pass_columns`.
        edges, listed: as for `decide_bricks`.
        first_row: index y of the first row, a multiple of 8.
        total, decided: (bricks Z, Y, X), from `decide_bricks`.
        out: (Z, rows, X).
    """
    z, row, x = wp.tid()
    b = total[z // BRICK_SIZE, row // BRICK_SIZE, x // BRICK_SIZE]
    if not decided[z // BRICK_SIZE, row // BRICK_SIZE, x // BRICK_SIZE]:
        y = wp.float64(first_row + row) + HALF
        b = boundary_sum(edges, listed, 0, listed.shape[0], wp.float64(x) + HALF, y, wp.float64(z) + HALF)
    out[z, row, x] = is_inside(count[z, row, x], b)
