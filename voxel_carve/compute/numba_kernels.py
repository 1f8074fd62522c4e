"""Distances in bricks, compiled by numba: those of `scipy_kernels`.

The innermost loops run without branches over neighbouring float32 numbers, so that the compiler makes vector
instructions of them.
"""

import math

import numba
import numpy as np

from .binning import ON_AXIS, PRUNING_SLACK
from .bricks import BRICK_SIZE, BRICK_VOXELS, NO_PRIMITIVE, REACH, VOXEL_OFFSETS, VOXEL_STEPS

ZERO = np.float32(0.0)
ONE = np.float32(1.0)
CLAMP = np.float32(REACH)
NONE = np.int32(NO_PRIMITIVE)
STEPS = VOXEL_STEPS
TINY = np.float32(1e-30)
BEYOND = np.float32(REACH + 1e-3)  # over the rounding of the distances themselves
MIDDLE = (BRICK_SIZE - 1) / 2

# A brick's eighths: the voxels of each, and (8, 3, 64) float32 where their centres lie.
EIGHTH_SIZE = BRICK_SIZE // 2
EIGHTH_VOXELS = EIGHTH_SIZE**3
_EIGHTH = ((VOXEL_OFFSETS > 0) @ np.array([1, 2, 4])).astype(int)
EIGHTH_INDEX = np.argsort(_EIGHTH, kind="stable").reshape(8, EIGHTH_VOXELS)
EIGHTH_OFFSETS = np.ascontiguousarray(VOXEL_OFFSETS[EIGHTH_INDEX].transpose(0, 2, 1), dtype=np.float32)
EIGHTH_CENTRES = EIGHTH_OFFSETS.mean(axis=2)
EIGHTH_HALF = np.float32((EIGHTH_SIZE - 1) / 2)
EIGHTH_REACH = np.float32(math.sqrt(3) * EIGHTH_HALF)
# The slack of the pruning bounds, and its part for the float32 rounding of distances to a large body.
SLACK = np.float32(PRUNING_SLACK)
RADIUS_SLACK = np.float32(2e-6)
AXIS = np.float32(ON_AXIS)
SHORT_LIST = 3  # pruning it would take longer than it saves

parallel = numba.njit(parallel=True, cache=True, nogil=True, error_model="numpy")
serial = numba.njit(cache=True, nogil=True, error_model="numpy")
inlined = numba.njit(cache=True, nogil=True, error_model="numpy", inline="always")


@inlined
def nearest_ball(start, axis, length, tangent, i, x, y, z):  # type: ignore[no-untyped-def]
    """Place s along the axis of segment i of the ball nearest to a point, and the vector from its centre there."""
    ox, oy, oz = x - start[i, 0], y - start[i, 1], z - start[i, 2]
    along = ox * axis[i, 0] + oy * axis[i, 1] + oz * axis[i, 2]
    ax, ay, az = ox - along * axis[i, 0], oy - along * axis[i, 1], oz - along * axis[i, 2]
    across = math.sqrt(ax * ax + ay * ay + az * az)
    s = min(max(along - across * tangent[i], 0.0), length[i])
    return s, ox - s * axis[i, 0], oy - s * axis[i, 1], oz - s * axis[i, 2]


@serial
def anchor(centre, which, start, axis, length, radius, slope, tangent):  # type: ignore[no-untyped-def]
    """(11, L) float32: the columns of `SegmentPairs` for segments `which` (L,) and a brick's centre."""
    out = np.empty((11, len(which)), dtype=np.float32)
    for n in range(len(which)):
        i = which[n]
        s, x, y, z = nearest_ball(start, axis, length, tangent, i, centre[0], centre[1], centre[2])
        out[0, n], out[1, n], out[2, n] = x, y, z
        out[3, n], out[4, n], out[5, n] = axis[i, 0], axis[i, 1], axis[i, 2]
        out[6, n], out[7, n] = -s, length[i] - s
        out[8, n], out[9, n], out[10, n] = radius[i] - s * slope[i], slope[i], tangent[i]
    return out


@inlined
def pair_distance(x, y, z, ax, ay, az, low, high, radius, slope, tangent):  # type: ignore[no-untyped-def]
    """Signed distance at an offset from the anchor, the place of the nearest ball, and the distance to its centre."""
    along = (ax * x + ay * y) + az * z
    square = (x * x + y * y) + z * z
    across = math.sqrt(max(square - along * along, ZERO))
    place = min(max(along - across * tangent, low), high)
    square = max(square - place * (along + along - place), ZERO)
    to_centre = math.sqrt(square)
    return to_centre - (radius - place * slope), place, to_centre


@serial
def keep_nearest(pairs, x, y, z, least, kept):  # type: ignore[no-untyped-def]
    """Which of pairs (11, L) can be nearest in an eighth of a brick with its centre at (x, y, z) from the brick's.

    See `binning._settle`. `least` (5, L) float32 and `kept` (L,) int64 are overwritten.

    Returns:
        How many, their numbers first in `kept`; -1 where the whole eighth is deep inside of one of them.
    """
    for n in range(pairs.shape[1]):
        ox, oy, oz = pairs[0, n] + x, pairs[1, n] + y, pairs[2, n] + z
        ax, ay, az = pairs[3, n], pairs[4, n], pairs[5, n]
        distance, place, to_centre = pair_distance(
            ox, oy, oz, ax, ay, az, pairs[6, n], pairs[7, n], pairs[8, n], pairs[9, n], pairs[10, n]
        )
        scale = ONE / max(to_centre, TINY)
        least[0, n], least[4, n] = distance, to_centre
        least[1, n] = (ox - place * ax) * scale
        least[2, n] = (oy - place * ay) * scale
        least[3, n] = (oz - place * az) * scale
    j = 0
    for n in range(1, pairs.shape[1]):
        if least[0, n] < least[0, j]:
            j = n
    slack = SLACK + RADIUS_SLACK * pairs[8, j]
    if least[0, j] < -(CLAMP + EIGHTH_REACH + slack):
        return -1
    bound = np.float32(1.5) * EIGHTH_HALF * EIGHTH_HALF / max(least[4, j], TINY) + slack
    count = 0
    for n in range(pairs.shape[1]):
        own = RADIUS_SLACK * pairs[8, n]
        if least[0, n] > CLAMP + EIGHTH_REACH + SLACK + own:
            continue
        apart = abs(least[1, n] - least[1, j]) + abs(least[2, n] - least[2, j]) + abs(least[3, n] - least[3, j])
        if least[0, n] - least[0, j] <= EIGHTH_HALF * apart + bound + own or least[4, n] < AXIS:
            kept[count] = n
            count += 1
    return count


@serial
def fill_eighth(pairs, kept, offsets, out, nearest):  # type: ignore[no-untyped-def]
    """Lower out (V,) to the distances of the pairs `kept` at offsets (3, V) from the brick's centre; nearest (V,) int32
    is whose they are."""
    for n in kept:
        here = np.int32(n)
        fx, fy, fz = pairs[0, n], pairs[1, n], pairs[2, n]
        ax, ay, az = pairs[3, n], pairs[4, n], pairs[5, n]
        low, high, radius, slope, tangent = pairs[6, n], pairs[7, n], pairs[8, n], pairs[9, n], pairs[10, n]
        for v in range(len(out)):
            distance, _, _ = pair_distance(
                fx + offsets[0, v], fy + offsets[1, v], fz + offsets[2, v],
                ax, ay, az, low, high, radius, slope, tangent,
            )  # fmt: skip
            closer = distance < out[v]
            nearest[v] = here if closer else nearest[v]
            out[v] = distance if closer else out[v]


@serial
def segment_row(centre, which, start, axis, length, radius, slope, tangent, out, nearest):  # type: ignore[no-untyped-def]
    """Set out (512,) to the signed distance to the nearest of segments `which` (L,), clamped to REACH, and nearest
    (512,) to that segment, the first of several, or NO_PRIMITIVE beyond."""
    pairs = anchor(centre, which, start, axis, length, radius, slope, tangent)
    least = np.empty((5, len(which)), dtype=np.float32)
    kept = np.arange(len(which))
    eighth, own = np.empty(EIGHTH_VOXELS, dtype=np.float32), np.empty(EIGHTH_VOXELS, dtype=np.int32)
    count = len(which)
    for part in range(8):
        if len(which) > SHORT_LIST:
            x, y, z = EIGHTH_CENTRES[part, 0], EIGHTH_CENTRES[part, 1], EIGHTH_CENTRES[part, 2]
            count = keep_nearest(pairs, x, y, z, least, kept)
        own[:] = -1
        if count < 0:
            eighth[:] = -CLAMP
        else:
            eighth[:] = CLAMP
            fill_eighth(pairs, kept[:count], EIGHTH_OFFSETS[part], eighth, own)
        for v in range(EIGHTH_VOXELS):
            voxel = EIGHTH_INDEX[part, v]
            out[voxel] = max(eighth[v], -CLAMP)
            nearest[voxel] = which[own[v]] if own[v] >= 0 else NONE


@serial
def triangle_row(centre, which, points, triangles, normal, out, nearest):  # type: ignore[no-untyped-def]
    """Set out (512,) to the unsigned distance to the nearest of triangles `which` (L,), clamped to REACH, and nearest
    (512,) to that triangle, the first of several, or NO_PRIMITIVE beyond.

    See `triangles.point_triangle_distance`. A triangle is looked at in the rows of its box that its plane comes near.
    Each side is anchored, in float64, at its place nearest to the centre: float32 then has small numbers to work on.
    """
    out[:] = CLAMP
    nearest[:] = NONE
    corner = np.empty((3, 3))
    p, e, u = np.empty((3, 3), np.float32), np.empty((3, 3), np.float32), np.empty((3, 3), np.float32)
    inverse, limit = np.empty(3, np.float32), np.empty((3, 2), np.float32)
    for i in which:
        for v in range(3):
            for axis in range(3):
                corner[v, axis] = points[triangles[i, v], axis] - centre[axis]
        low_y = min(corner[0, 1], corner[1, 1], corner[2, 1]) - BEYOND + MIDDLE
        high_y = max(corner[0, 1], corner[1, 1], corner[2, 1]) + BEYOND + MIDDLE
        low_z = min(corner[0, 2], corner[1, 2], corner[2, 2]) - BEYOND + MIDDLE
        high_z = max(corner[0, 2], corner[1, 2], corner[2, 2]) + BEYOND + MIDDLE
        first_y, last_y = math.ceil(max(low_y, 0.0)), math.floor(min(high_y, BRICK_SIZE - 1.0))
        first_z, last_z = math.ceil(max(low_z, 0.0)), math.floor(min(high_z, BRICK_SIZE - 1.0))
        plane = np.float32(normal[i, 0] * corner[0, 0] + normal[i, 1] * corner[0, 1] + normal[i, 2] * corner[0, 2])
        nx, ny, nz = np.float32(normal[i, 0]), np.float32(normal[i, 1]), np.float32(normal[i, 2])
        for v in range(3):
            w = v + 1 if v < 2 else 0
            x, y, z = corner[v, 0], corner[v, 1], corner[v, 2]
            ex, ey, ez = corner[w, 0] - x, corner[w, 1] - y, corner[w, 2] - z
            scale = 1.0 / max(ex * ex + ey * ey + ez * ez, 1e-30)
            place = min(max(-(x * ex + y * ey + z * ez) * scale, 0.0), 1.0)
            p[v, 0], p[v, 1], p[v, 2] = x + place * ex, y + place * ey, z + place * ez
            limit[v, 0], limit[v, 1] = -place, 1.0 - place
            e[v, 0], e[v, 1], e[v, 2], inverse[v] = ex, ey, ez, scale
            u[v, 0] = normal[i, 1] * ez - normal[i, 2] * ey
            u[v, 1] = normal[i, 2] * ex - normal[i, 0] * ez
            u[v, 2] = normal[i, 0] * ey - normal[i, 1] * ex
        # Over a row, the distance from the plane runs over this much on each side of its middle.
        spread = abs(nx) * np.float32(MIDDLE) + BEYOND
        for k in range(first_z, last_z + 1):
            for j in range(first_y, last_y + 1):
                y, z = STEPS[j], STEPS[k]
                rest = ny * y + nz * z - plane
                if abs(rest) > spread:
                    continue
                row = slice((k * BRICK_SIZE + j) * BRICK_SIZE, (k * BRICK_SIZE + j + 1) * BRICK_SIZE)
                fill_row(out[row], nearest[row], i, nx, rest, y, z, p, e, u, inverse, limit)


@inlined
def to_side(x, ex, ey, ez, y, z, along, inverse, low, high):  # type: ignore[no-untyped-def]
    """Square of the distance from the origin to a side that passes (x, y, z) along (ex, ey, ez).

    It runs from `low` to `high` times that. `along` is y ey + z ez, and `inverse` one over the square of its length.
    """
    t = min(max(-(x * ex + along) * inverse, low), high)
    fx, fy, fz = x + t * ex, y + t * ey, z + t * ez
    return fx * fx + fy * fy + fz * fz


@serial
def fill_row(row, nearest, triangle, nx, rest, y, z, p, e, u, inverse, limit):  # type: ignore[no-untyped-def]
    """Lower row (8,) to the distances of the voxels (x, y, z) of a row to one triangle; nearest (8,) is whose they are.

    p, e, u (3, 3) are points on its sides, the sides, and their outward normals; limit (3, 2) where they end, counted
    from these points. The row is at nx x + rest from the plane. All that
    is read stands before the loop: what could be written in between would have to be read again.
    """
    ax, ay, az = p[0, 0], p[0, 1] - y, p[0, 2] - z
    bx, by, bz = p[1, 0], p[1, 1] - y, p[1, 2] - z
    cx, cy, cz = p[2, 0], p[2, 1] - y, p[2, 2] - z
    eax, eay, eaz, ebx, eby, ebz = e[0, 0], e[0, 1], e[0, 2], e[1, 0], e[1, 1], e[1, 2]
    ecx, ecy, ecz = e[2, 0], e[2, 1], e[2, 2]
    along_a, along_b, along_c = ay * eay + az * eaz, by * eby + bz * ebz, cy * ecy + cz * ecz
    ua, ub, uc = u[0, 0], u[1, 0], u[2, 0]
    side_a, side_b = ay * u[0, 1] + az * u[0, 2], by * u[1, 1] + bz * u[1, 2]
    side_c = cy * u[2, 1] + cz * u[2, 2]
    inverse_a, inverse_b, inverse_c = inverse[0], inverse[1], inverse[2]
    low_a, high_a, low_b, high_b = limit[0, 0], limit[0, 1], limit[1, 0], limit[1, 1]
    low_c, high_c = limit[2, 0], limit[2, 1]
    for h in range(BRICK_SIZE):
        x = STEPS[h]
        one = to_side(ax - x, eax, eay, eaz, ay, az, along_a, inverse_a, low_a, high_a)
        two = to_side(bx - x, ebx, eby, ebz, by, bz, along_b, inverse_b, low_b, high_b)
        three = to_side(cx - x, ecx, ecy, ecz, cy, cz, along_c, inverse_c, low_c, high_c)
        outside = max(ua * (ax - x) + side_a, ub * (bx - x) + side_b, uc * (cx - x) + side_c)
        to_sides = math.sqrt(min(one, two, three))
        height = abs(nx * x + rest)
        distance = height if outside < ZERO else to_sides
        closer = distance < row[h]
        nearest[h] = triangle if closer else nearest[h]
        row[h] = distance if closer else row[h]


@parallel
def segment_distance(centres, first, primitive, start, axis, length, radius, slope, tangent):  # type: ignore[no-untyped-def]
    """(B, 512) signed distance to the nearest segment; see `Segments` for the columns, (B, 3) centres in voxels."""
    out = np.empty((len(centres), BRICK_VOXELS), dtype=np.float32)
    for b in numba.prange(len(centres)):
        which = primitive[first[b] : first[b + 1]]
        nearest = np.empty(BRICK_VOXELS, dtype=np.int32)
        segment_row(centres[b], which, start, axis, length, radius, slope, tangent, out[b], nearest)
    return out


@parallel
def triangle_distance(centres, first, primitive, points, triangles, normal):  # type: ignore[no-untyped-def]
    """(B, 512) unsigned distance to the nearest triangle; see `Triangles` for the columns."""
    out = np.empty((len(centres), BRICK_VOXELS), dtype=np.float32)
    for b in numba.prange(len(centres)):
        nearest = np.empty(BRICK_VOXELS, dtype=np.int32)
        triangle_row(centres[b], primitive[first[b] : first[b + 1]], points, triangles, normal, out[b], nearest)
    return out
