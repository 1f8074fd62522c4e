"""Kernels for the distances between voxels and triangles.

A point over an edge is equally near to both triangles there. All backends must choose the same one, so their float32
distances must be equal to the last digit.
"""

import math

import numpy as np

from ....formulas import triangle
from ....model.bricks import BRICK_SIZE, BRICK_VOXELS, REACH, VOXEL_STEPS
from ..compiler.decorators import CLAMP, NONE, inlined, subroutine
from ..compiler.formulas import DOUBLE, SINGLE

STEPS = VOXEL_STEPS
REACH_SQUARE = CLAMP * CLAMP
MIDDLE = np.float32((BRICK_SIZE - 1) / 2)
FAR = np.float32(REACH + 1e-3)  # more than the rounding of a distance

anchor_triangle, affine_in_row = DOUBLE(triangle.anchor_triangle), SINGLE(triangle.affine_in_row)
anchored_square = SINGLE(triangle.anchored_square)


@subroutine
def measure_triangles(centre, which, mesh, frame, out, nearest):  # type: ignore[no-untyped-def]
    """Set out (512,) to the unsigned distance to the nearest of triangles `which` (L,), clamped to REACH.

    nearest (512,) is set to that triangle, the lowest number of a tie, or to NO_PRIMITIVE beyond REACH. A triangle is
    measured only in the rows of its box that its plane and its sides come near.
    """
    for voxel in range(BRICK_VOXELS):
        out[voxel], nearest[voxel] = REACH_SQUARE, NONE
    for i in which:
        a, b, c = (
            mesh.points[mesh.triangles[i, 0]],
            mesh.points[mesh.triangles[i, 1]],
            mesh.points[mesh.triangles[i, 2]],
        )
        first_x, stop_x = steps_near(a[0], b[0], c[0], centre[0])
        first_y, stop_y = steps_near(a[1], b[1], c[1], centre[1])
        first_z, stop_z = steps_near(a[2], b[2], c[2], centre[2])
        if first_x >= stop_x or first_y >= stop_y or first_z >= stop_z:
            continue
        anchor_triangle(mesh, i, centre[0], centre[1], centre[2], frame, 0)
        lower_rows(out, nearest, i, first_y, stop_y, first_z, stop_z, frame)
    for voxel in range(BRICK_VOXELS):
        out[voxel] = min(math.sqrt(out[voxel]), CLAMP)


@inlined
def steps_near(a, b, c, centre):  # type: ignore[no-untyped-def]
    """The range of a brick's voxels along an axis that are near a triangle with corners at these coordinates."""
    low, high = min(a, b, c) - centre, max(a, b, c) - centre
    first = math.ceil(max(low - FAR + MIDDLE, 0.0))
    return first, math.floor(min(high + FAR + MIDDLE, BRICK_SIZE - 1.0)) + 1


@subroutine
def lower_rows(out, nearest, triangle, first_y, stop_y, first_z, stop_z, frame):  # type: ignore[no-untyped-def]
    """Call `lower_row` for the rows of out (512,) and nearest (512,) in a range of y and z."""
    # The compiler must not know the width: it would unroll a loop of eight steps instead of vectorising it.
    width = len(out) // (BRICK_SIZE * BRICK_SIZE)
    for k in range(first_z, stop_z):
        for j in range(first_y, stop_y):
            row = (k * BRICK_SIZE + j) * BRICK_SIZE
            lower_row(
                out[row : row + width], nearest[row : row + width],
                triangle, STEPS[j], STEPS[k], frame,
            )  # fmt: skip


@inlined
def lower_row(out, nearest, triangle, y, z, frame):  # type: ignore[no-untyped-def]
    """Lower out (8,) to the squared distances between the voxels at y and z and one triangle, and update nearest (8,).

    All reads come before the loop. Otherwise the compiler would read again after each write.
    """
    px, pa, pb, pc = frame[1, 0], frame[5, 0], frame[15, 0], frame[25, 0]
    plane, side_a = affine_in_row(frame, 0, 0, y, z), affine_in_row(frame, 4, 0, y, z)
    side_b, side_c = affine_in_row(frame, 14, 0, y, z), affine_in_row(frame, 24, 0, y, z)
    # Along a row, a distance differs from its value in the middle by at most |slope| * MIDDLE.
    if abs(plane) > abs(px) * MIDDLE + FAR:
        return
    if side_a > abs(pa) * MIDDLE + FAR or side_b > abs(pb) * MIDDLE + FAR or side_c > abs(pc) * MIDDLE + FAR:
        return
    along_a, along_b, along_c = (
        affine_in_row(frame, 8, 0, y, z),
        affine_in_row(frame, 18, 0, y, z),
        affine_in_row(frame, 28, 0, y, z),
    )
    ta, tb, tc = frame[9, 0], frame[19, 0], frame[29, 0]
    low_a, low_b, low_c = frame[12, 0], frame[22, 0], frame[32, 0]
    high_a, high_b, high_c = frame[13, 0], frame[23, 0], frame[33, 0]
    for h in range(len(out)):
        x = STEPS[h]
        height = plane + px * x
        a, b, c = side_a + pa * x, side_b + pb * x, side_c + pc * x
        square = anchored_square(
            height, a, b, c, along_a + ta * x, along_b + tb * x, along_c + tc * x,
            low_a, low_b, low_c, high_a, high_b, high_c,
        )  # fmt: skip
        before, owner = out[h], nearest[h]
        closer = (square < before) | ((square == before) & (triangle < owner))
        nearest[h] = triangle if closer else owner
        out[h] = square if closer else before
