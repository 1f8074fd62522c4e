"""Distances to triangles in bricks, compiled by numba: those of `scipy_triangles`, by the same operations.

All that lies over an edge is equally near to both triangles there. Every backend has to take the same one, and so the
last digit of a float32 distance has to be the same.
"""

import math

import numba
import numpy as np

from .bricks import BRICK_SIZE, BRICK_VOXELS, VOXEL_STEPS
from .numba_kernels import CLAMP, NONE, ZERO, inlined, parallel, serial
from .scipy_triangles import BEYOND, MIDDLE
from .triangles import FAR

STEPS = VOXEL_STEPS
REACH_SQUARE = CLAMP * CLAMP


@serial
def triangle_row(centre, which, points, triangles, normal, out, nearest):  # type: ignore[no-untyped-def]
    """Set out (512,) to the unsigned distance to the nearest of triangles `which` (L,), clamped to REACH, and nearest
    (512,) to that triangle, the one of the least number of several, or NO_PRIMITIVE beyond.

    A triangle is looked at in the rows of its box that its plane and its sides come near to.
    """
    out[:] = REACH_SQUARE
    nearest[:] = NONE
    corner = np.empty((3, 3))
    direction, offset, limit = np.empty((7, 3), np.float32), np.empty(7, np.float32), np.empty((2, 3), np.float32)
    for i in which:
        for v in range(3):
            for axis in range(3):
                corner[v, axis] = points[triangles[i, v], axis] - centre[axis]
        first_y, stop_y = steps_near(corner[0, 1], corner[1, 1], corner[2, 1])
        first_z, stop_z = steps_near(corner[0, 2], corner[1, 2], corner[2, 2])
        if first_y >= stop_y or first_z >= stop_z:
            continue
        write_frame(corner, normal[i], direction, offset, limit)
        for k in range(first_z, stop_z):
            for j in range(first_y, stop_y):
                row = slice((k * BRICK_SIZE + j) * BRICK_SIZE, (k * BRICK_SIZE + j + 1) * BRICK_SIZE)
                lower_row(out[row], nearest[row], i, STEPS[j], STEPS[k], direction, offset, limit)
    for voxel in range(BRICK_VOXELS):
        out[voxel] = min(math.sqrt(out[voxel]), CLAMP)


@inlined
def steps_near(a, b, c):  # type: ignore[no-untyped-def]
    """The range of a brick's steps along an axis that are near to corners at these coordinates."""
    first = math.ceil(max(min(a, b, c) - BEYOND + MIDDLE, 0.0))
    return first, math.floor(min(max(a, b, c) + BEYOND + MIDDLE, BRICK_SIZE - 1.0)) + 1


@serial
def write_frame(corner, n, direction, offset, limit):  # type: ignore[no-untyped-def]
    """Write the `triangles.TriangleFrames` of a triangle corner (3, 3), counted from the brick's centre, normal n (3,).

    direction (7, 3) and offset (7,) are those of the plane, then of each side from its line, then along it; limit
    (2, 3) the least and the greatest place along each side.
    """
    if n[0] == 0.0 and n[1] == 0.0 and n[2] == 0.0:
        write_line_frame(corner, direction, offset, limit)
        return
    direction[0] = n
    offset[0] = -dot(n, corner[0])
    for side in range(3):
        start, end = corner[side], corner[side + 1 if side < 2 else 0]
        write_side(side, start, end, n, direction, offset, limit)


@serial
def write_side(side, start, end, n, direction, offset, limit):  # type: ignore[no-untyped-def]
    """Write the rows of `write_frame` for a side from `start` to `end` (3,)."""
    x, y, z = end[0] - start[0], end[1] - start[1], end[2] - start[2]
    length = math.sqrt(x * x + y * y + z * z)
    x, y, z = x / length, y / length, z / length
    along = x * start[0] + y * start[1] + z * start[2]
    place = min(max(-along, 0.0), length)
    across_x, across_y, across_z = y * n[2] - z * n[1], z * n[0] - x * n[2], x * n[1] - y * n[0]
    direction[1 + side, 0], direction[1 + side, 1], direction[1 + side, 2] = across_x, across_y, across_z
    direction[4 + side, 0], direction[4 + side, 1], direction[4 + side, 2] = x, y, z
    offset[1 + side] = -(across_x * start[0] + across_y * start[1] + across_z * start[2])
    offset[4 + side] = -along - place
    limit[0, side], limit[1, side] = -place, length - place


@serial
def write_line_frame(corner, direction, offset, limit):  # type: ignore[no-untyped-def]
    """`write_frame` of a triangle whose corners lie on a line: only its longest side counts, as the first."""
    longest, most = 0, -1.0
    for side in range(3):
        edge = corner[(side + 1) % 3] - corner[side]
        length = math.sqrt(dot(edge, edge))
        if length > most:
            longest, most = side, length
    start, end = corner[longest], corner[(longest + 1) % 3]
    along = (end - start) / most
    least = 0
    for axis in range(1, 3):
        if abs(along[axis]) < abs(along[least]):
            least = axis
    other = np.zeros(3)
    other[least] = 1.0
    n = np.empty(3)
    n[0] = along[1] * other[2] - along[2] * other[1]
    n[1] = along[2] * other[0] - along[0] * other[2]
    n[2] = along[0] * other[1] - along[1] * other[0]
    n /= math.sqrt(dot(n, n))
    # The other two sides are far, and every point is on their lines: not inside, and no farther than the first side.
    direction[:] = ZERO
    offset[:], limit[:] = ZERO, ZERO
    offset[5:] = FAR
    direction[0] = n
    offset[0] = -dot(n, start)
    write_side(np.int64(0), start, end, n, direction, offset, limit)


@inlined
def dot(a, b):  # type: ignore[no-untyped-def]
    """Scalar product of vectors (3,)."""
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


@inlined
def at_middle(row, y, z, direction, offset):  # type: ignore[no-untyped-def]
    """Number of a frame's row at x = 0 of the row of voxels at y and z."""
    return (offset[row] + direction[row, 1] * y) + direction[row, 2] * z


@serial
def lower_row(row, nearest, triangle, y, z, direction, offset, limit):  # type: ignore[no-untyped-def]
    """Lower row (8,) to the squares of the distances of the voxels at y and z to one triangle; nearest (8,) is whose
    they are.

    All that is read stands before the loop: what could be written in between would have to be read again.
    """
    px, pa, pb, pc = direction[0, 0], direction[1, 0], direction[2, 0], direction[3, 0]
    plane = at_middle(0, y, z, direction, offset)
    side_a, side_b = at_middle(1, y, z, direction, offset), at_middle(2, y, z, direction, offset)
    side_c = at_middle(3, y, z, direction, offset)
    # Over a row, a distance runs over this much on each side of its middle.
    if abs(plane) > abs(px) * MIDDLE + BEYOND:
        return
    if side_a > abs(pa) * MIDDLE + BEYOND or side_b > abs(pb) * MIDDLE + BEYOND or side_c > abs(pc) * MIDDLE + BEYOND:
        return
    along_a, along_b = at_middle(4, y, z, direction, offset), at_middle(5, y, z, direction, offset)
    along_c = at_middle(6, y, z, direction, offset)
    ta, tb, tc = direction[4, 0], direction[5, 0], direction[6, 0]
    low_a, low_b, low_c = limit[0, 0], limit[0, 1], limit[0, 2]
    high_a, high_b, high_c = limit[1, 0], limit[1, 1], limit[1, 2]
    for h in range(BRICK_SIZE):
        x = STEPS[h]
        height = plane + px * x
        a, b, c = side_a + pa * x, side_b + pb * x, side_c + pc * x
        to_a = square_to_side(a, along_a + ta * x, low_a, high_a)
        to_b = square_to_side(b, along_b + tb * x, low_b, high_b)
        to_c = square_to_side(c, along_c + tc * x, low_c, high_c)
        square = height * height
        square = square if max(a, b, c) < ZERO else min(to_a, to_b, to_c) + square
        closer = (square < row[h]) | ((square == row[h]) & (triangle < nearest[h]))
        nearest[h] = triangle if closer else nearest[h]
        row[h] = square if closer else row[h]


@inlined
def square_to_side(across, along, low, high):  # type: ignore[no-untyped-def]
    """Square of the distance, in the triangle's plane, to a side that runs from `low` to `high`."""
    beyond = along - min(max(along, low), high)
    return across * across + beyond * beyond


@parallel
def triangle_distance(centres, first, primitive, points, triangles, normal):  # type: ignore[no-untyped-def]
    """(B, 512) unsigned distance to the nearest triangle; see `Triangles` for the columns."""
    out = np.empty((len(centres), BRICK_VOXELS), dtype=np.float32)
    for b in numba.prange(len(centres)):
        nearest = np.empty(BRICK_VOXELS, dtype=np.int32)
        triangle_row(centres[b], primitive[first[b] : first[b + 1]], points, triangles, normal, out[b], nearest)
    return out
