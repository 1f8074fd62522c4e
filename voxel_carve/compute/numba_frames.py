"""Distances to triangles in bricks, compiled by numba.

All that lies over an edge is equally near to both triangles there. Every backend has to take the same one, and so the
last digit of a float32 distance has to be the same.
"""

import math
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from .bricks import BRICK_SIZE, BRICK_VOXELS, REACH, VOXEL_STEPS, Bins, BrickTable
from .formulas import triangle, vector
from .numba_formulas import DOUBLE, SINGLE
from .numba_kernels import CLAMP, NONE, ZERO, inlined, kernel, merged, part
from .primitives import Primitives
from .threads import in_runs
from .triangles import FAR, Triangles

BRICKS_PER_RUN = 64

STEPS = VOXEL_STEPS
REACH_SQUARE = CLAMP * CLAMP
MIDDLE = np.float32((BRICK_SIZE - 1) / 2)
BEYOND = np.float32(REACH + 1e-3)  # over the rounding of the distances themselves

side_frame, across_line = DOUBLE(triangle.side_frame), DOUBLE(triangle.across_line)
dot, length_of = DOUBLE(vector.dot), DOUBLE(vector.length)
square_in_frame = SINGLE(triangle.square_in_frame)


@part
def triangle_row(centre, which, mesh, room, out, nearest):  # type: ignore[no-untyped-def]
    """Set out (512,) to the unsigned distance to the nearest of triangles `which` (L,), clamped to REACH, and nearest
    (512,) to that triangle, the one of the least number of several, or NO_PRIMITIVE beyond.

    A triangle is looked at in the rows of its box that its plane and its sides come near to.
    """
    direction, offset, limit = room
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
        write_frame(mesh, i, centre, direction, offset, limit)
        lower_rows(out, nearest, i, first_y, stop_y, first_z, stop_z, direction, offset, limit)
    for voxel in range(BRICK_VOXELS):
        out[voxel] = min(math.sqrt(out[voxel]), CLAMP)


@inlined
def steps_near(a, b, c, centre):  # type: ignore[no-untyped-def]
    """The range of a brick's steps along an axis that are near to corners at these coordinates."""
    low, high = min(a, b, c) - centre, max(a, b, c) - centre
    first = math.ceil(max(low - BEYOND + MIDDLE, 0.0))
    return first, math.floor(min(high + BEYOND + MIDDLE, BRICK_SIZE - 1.0)) + 1


@merged
def write_frame(mesh, k, centre, direction, offset, limit):  # type: ignore[no-untyped-def]
    """Write the numbers of triangle k in the brick of a centre from which distances are computed in float32.

    direction (7, 3) and offset (7,) are those of the plane, then of each side from its line, then along it; limit
    (2, 3) the least and the greatest place along each side: see `triangle.side_frame`.
    """
    nx, ny, nz = mesh.normal[k, 0], mesh.normal[k, 1], mesh.normal[k, 2]
    if nx == 0.0 and ny == 0.0 and nz == 0.0:
        write_line_frame(mesh, k, centre, direction, offset, limit)
        return
    write_plane(mesh.points[mesh.triangles[k, 0]], nx, ny, nz, centre, direction, offset)
    for side in range(3):
        start, end = mesh.triangles[k, side], mesh.triangles[k, side + 1 if side < 2 else 0]
        write_side(side, mesh.points[start], mesh.points[end], nx, ny, nz, centre, direction, offset, limit)


@merged
def write_plane(point, nx, ny, nz, centre, direction, offset):  # type: ignore[no-untyped-def]
    """Write the rows of `write_frame` for the plane through a point (3,)."""
    x, y, z = point[0] - centre[0], point[1] - centre[1], point[2] - centre[2]
    direction[0, 0], direction[0, 1], direction[0, 2] = nx, ny, nz
    offset[0] = -dot(nx, ny, nz, x, y, z)


@merged
def write_side(side, start, end, nx, ny, nz, centre, direction, offset, limit):  # type: ignore[no-untyped-def]
    """Write the rows of `write_frame` for a side from `start` to `end` (3,)."""
    (
        direction[1 + side, 0], direction[1 + side, 1], direction[1 + side, 2], offset[1 + side],
        direction[4 + side, 0], direction[4 + side, 1], direction[4 + side, 2], offset[4 + side],
        limit[0, side], limit[1, side],
    ) = side_frame(
        start[0] - centre[0], start[1] - centre[1], start[2] - centre[2],
        end[0] - centre[0], end[1] - centre[1], end[2] - centre[2], nx, ny, nz,
    )  # fmt: skip


@part
def write_line_frame(mesh, k, centre, direction, offset, limit):  # type: ignore[no-untyped-def]
    """`write_frame` of a triangle whose corners lie on a line: only its longest side counts, as the first."""
    longest, most = 0, -1.0
    x, y, z = 0.0, 0.0, 0.0
    for side in range(3):
        start, end = mesh.points[mesh.triangles[k, side]], mesh.points[mesh.triangles[k, (side + 1) % 3]]
        along_x = end[0] - centre[0] - (start[0] - centre[0])
        along_y = end[1] - centre[1] - (start[1] - centre[1])
        along_z = end[2] - centre[2] - (start[2] - centre[2])
        length = length_of(along_x, along_y, along_z)
        if length > most:
            longest, most, x, y, z = side, length, along_x, along_y, along_z
    nx, ny, nz = across_line(x / most, y / most, z / most)
    # The other two sides are far, and every point is on their lines: not inside, and no farther than the first side.
    for row in range(7):
        direction[row, 0], direction[row, 1], direction[row, 2] = ZERO, ZERO, ZERO
        offset[row] = ZERO if row < 5 else np.float32(FAR)
    for side in range(3):
        limit[0, side], limit[1, side] = ZERO, ZERO
    start, end = mesh.points[mesh.triangles[k, longest]], mesh.points[mesh.triangles[k, (longest + 1) % 3]]
    write_plane(start, nx, ny, nz, centre, direction, offset)
    # A plain 0 would be a type of its own, for which it is compiled once more.
    write_side(np.int64(0), start, end, nx, ny, nz, centre, direction, offset, limit)


@merged
def at_middle(row, y, z, direction, offset):  # type: ignore[no-untyped-def]
    """Number of a frame's row at x = 0 of the row of voxels at y and z."""
    return (offset[row] + direction[row, 1] * y) + direction[row, 2] * z


@part
def lower_rows(out, nearest, triangle, first_y, stop_y, first_z, stop_z, direction, offset, limit):  # type: ignore[no-untyped-def]
    """Lower out (512,) by `lower_row`, of the rows of voxels in a range of y and z; nearest (512,) is whose each is."""
    # A width that the compiler does not know: it would take a loop of eight turns apart, and make no vectors of it.
    width = len(out) // (BRICK_SIZE * BRICK_SIZE)
    for k in range(first_z, stop_z):
        for j in range(first_y, stop_y):
            row = (k * BRICK_SIZE + j) * BRICK_SIZE
            lower_row(
                out[row : row + width], nearest[row : row + width],
                triangle, STEPS[j], STEPS[k], direction, offset, limit,
            )  # fmt: skip


@merged
def lower_row(out, nearest, triangle, y, z, direction, offset, limit):  # type: ignore[no-untyped-def]
    """Lower out (8,) to the squares of the distances of the voxels at y and z to one triangle; nearest (8,) is whose
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
    for h in range(len(out)):
        x = STEPS[h]
        height = plane + px * x
        a, b, c = side_a + pa * x, side_b + pb * x, side_c + pc * x
        square = square_in_frame(
            height, a, b, c, along_a + ta * x, along_b + tb * x, along_c + tc * x,
            low_a, low_b, low_c, high_a, high_b, high_c,
        )  # fmt: skip
        before, whose = out[h], nearest[h]
        closer = (square < before) | ((square == before) & (triangle < whose))
        nearest[h] = triangle if closer else whose
        out[h] = square if closer else before


class FrameRoom(NamedTuple):
    """What a thread needs to work on a triangle: see `write_frame`."""

    direction: npt.NDArray[np.float32]
    offset: npt.NDArray[np.float32]
    limit: npt.NDArray[np.float32]

    @classmethod
    def of(cls) -> "FrameRoom":
        """It is the same for every triangle."""
        return cls(np.empty((7, 3), np.float32), np.empty(7, np.float32), np.empty((2, 3), np.float32))


@kernel
def triangle_distances(start, stop, centres, first, primitive, mesh, out, nearest, room):  # type: ignore[no-untyped-def]
    """Set out (B, 512) to the unsigned distance to the nearest triangle, and nearest (B, 512) to that one."""
    for b in range(start, stop):
        which = primitive[first[b] : first[b + 1]]
        triangle_row(centres[b], which, mesh, room, out[b], nearest[b])


def triangle_distance(triangles: Triangles, bins: Bins, table: BrickTable) -> npt.NDArray[np.float32]:
    """(B, 512) unsigned distance to the nearest triangle of each brick."""
    out = np.empty((len(bins.bricks), BRICK_VOXELS), np.float32)
    in_runs(
        triangle_distances, len(bins.bricks), BRICKS_PER_RUN, table.centres(bins.bricks), bins.first, bins.primitive,
        Primitives.of_triangles(triangles), out, np.empty(out.shape, np.int32), room=FrameRoom.of,
    )  # fmt: skip
    return out
