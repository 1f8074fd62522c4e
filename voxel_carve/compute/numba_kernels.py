"""Distances and winding numbers on bricks, compiled by numba: the operations of scipy_kernels, in the same order."""

import math

import numba
import numpy as np

from .bricks import BRICK_SIZE, BRICK_VOXELS, REACH, VOXEL_STEPS
from .combining import JUST_OUTSIDE
from .mesh import Source
from .winding import SHIFT

FIRST_STEP = np.float32(VOXEL_STEPS[0])
ZERO = np.float32(0.0)
ONE = np.float32(1.0)
CLAMP = np.float32(REACH)
HALF = np.float32(0.5)
OUTSIDE = np.float32(JUST_OUTSIDE)
STOCK, PATH, CLOSURE = int(Source.STOCK), int(Source.PATH), int(Source.CLOSURE)

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


@parallel
def segment_distance(centres, first, primitive, start, axis, length, radius, slope, tangent):  # type: ignore[no-untyped-def]
    """(B, 512) signed distance to the nearest segment; see `Segments` for the columns, (B, 3) centres in voxels."""
    out = np.empty((len(centres), BRICK_VOXELS), dtype=np.float32)
    for b in numba.prange(len(centres)):
        row = out[b]
        row[:] = CLAMP
        for pair in range(first[b], first[b + 1]):
            i = primitive[pair]
            s, tx, ty, tz = nearest_ball(start, axis, length, tangent, i, centres[b, 0], centres[b, 1], centres[b, 2])
            fx, fy, fz = np.float32(tx), np.float32(ty), np.float32(tz)
            ax, ay, az = np.float32(axis[i, 0]), np.float32(axis[i, 1]), np.float32(axis[i, 2])
            low, high = np.float32(-s), np.float32(length[i] - s)
            r = np.float32(radius[i] - s * slope[i])
            sine, tan = np.float32(slope[i]), np.float32(tangent[i])
            voxel = 0
            for k in range(BRICK_SIZE):
                z = fz + (FIRST_STEP + np.float32(k))
                for j in range(BRICK_SIZE):
                    y = fy + (FIRST_STEP + np.float32(j))
                    for h in range(BRICK_SIZE):
                        x = fx + (FIRST_STEP + np.float32(h))
                        along = (ax * x + ay * y) + az * z
                        square = (x * x + y * y) + z * z
                        across = math.sqrt(max(square - along * along, ZERO))
                        place = min(max(along - across * tan, low), high)
                        square = max(square - place * (along + along - place), ZERO)
                        distance = math.sqrt(square) - (r - place * sine)
                        row[voxel + h] = min(row[voxel + h], distance)
                    voxel += BRICK_SIZE
        for voxel in range(BRICK_VOXELS):
            row[voxel] = max(row[voxel], -CLAMP)
    return out


@inlined
def point_triangle_distance(ax, ay, az, bx, by, bz, cx, cy, cz, nx, ny, nz, plane):  # type: ignore[no-untyped-def]
    """Distance from the origin to a triangle, as `triangles.point_triangle_distance`."""
    inside = True
    nearest = np.float32(np.inf)
    for side in range(3):
        if side == 0:
            px, py, pz, ex, ey, ez = ax, ay, az, bx - ax, by - ay, bz - az
        elif side == 1:
            px, py, pz, ex, ey, ez = bx, by, bz, cx - bx, cy - by, cz - bz
        else:
            px, py, pz, ex, ey, ez = cx, cy, cz, ax - cx, ay - cy, az - cz
        ux, uy, uz = ny * ez - nz * ey, nz * ex - nx * ez, nx * ey - ny * ex
        inside = inside and (ux * px + uy * py + uz * pz) < ZERO
        along = -(px * ex + py * ey + pz * ez) / max(ex * ex + ey * ey + ez * ez, np.float32(1e-30))
        t = min(max(along, ZERO), ONE)
        fx, fy, fz = px + t * ex, py + t * ey, pz + t * ez
        nearest = min(nearest, fx * fx + fy * fy + fz * fz)
    return abs(plane) if inside else math.sqrt(nearest)


@parallel
def triangle_distance(centres, first, primitive, points, triangles, normal):  # type: ignore[no-untyped-def]
    """(B, 512) unsigned distance to the nearest triangle; see `Triangles` for the columns."""
    out = np.empty((len(centres), BRICK_VOXELS), dtype=np.float32)
    reach = REACH + 1e-3  # over the rounding of the distances themselves
    middle = (BRICK_SIZE - 1) / 2
    for b in numba.prange(len(centres)):
        row = out[b]
        row[:] = CLAMP
        corner = np.empty((3, 3))
        box = np.empty((3, 2), dtype=np.int64)
        for pair in range(first[b], first[b + 1]):
            i = primitive[pair]
            empty = False
            for axis in range(3):
                for v in range(3):
                    corner[v, axis] = points[triangles[i, v], axis] - centres[b, axis]
                low = min(corner[0, axis], corner[1, axis], corner[2, axis]) - reach + middle
                high = max(corner[0, axis], corner[1, axis], corner[2, axis]) + reach + middle
                box[axis, 0] = max(math.ceil(max(low, 0.0)), 0)
                box[axis, 1] = min(math.floor(min(high, BRICK_SIZE - 1.0)), BRICK_SIZE - 1)
                empty = empty or box[axis, 0] > box[axis, 1]
            if empty:
                continue
            height = normal[i, 0] * corner[0, 0] + normal[i, 1] * corner[0, 1] + normal[i, 2] * corner[0, 2]
            plane = np.float32(height)
            nx, ny, nz = np.float32(normal[i, 0]), np.float32(normal[i, 1]), np.float32(normal[i, 2])
            ax, ay, az = np.float32(corner[0, 0]), np.float32(corner[0, 1]), np.float32(corner[0, 2])
            bx, by, bz = np.float32(corner[1, 0]), np.float32(corner[1, 1]), np.float32(corner[1, 2])
            cx, cy, cz = np.float32(corner[2, 0]), np.float32(corner[2, 1]), np.float32(corner[2, 2])
            for k in range(box[2, 0], box[2, 1] + 1):
                z = FIRST_STEP + np.float32(k)
                for j in range(box[1, 0], box[1, 1] + 1):
                    y = FIRST_STEP + np.float32(j)
                    for h in range(box[0, 0], box[0, 1] + 1):
                        x = FIRST_STEP + np.float32(h)
                        off = ((nx * x + ny * y) + nz * z) - plane
                        voxel = (k * BRICK_SIZE + j) * BRICK_SIZE + h
                        if abs(off) > reach or abs(off) >= row[voxel]:
                            continue
                        distance = point_triangle_distance(
                            ax - x, ay - y, az - z, bx - x, by - y, bz - z, cx - x, cy - y, cz - z, nx, ny, nz, off
                        )
                        row[voxel] = min(row[voxel], distance)
    return out


@parallel
def combine(stock, closure, sweep, sign, inner):  # type: ignore[no-untyped-def]
    """Combine distances (B, 512): see `combining.combine`.

    `sign` is -1 where the sweep's outside counts, else 1; `inner` whether the lesser distance counts, or the greater.
    """
    distance = np.empty_like(stock)
    source = np.empty(stock.shape, dtype=np.uint8)
    lost = np.zeros(len(stock))
    for b in numba.prange(len(stock)):
        for voxel in range(BRICK_VOXELS):
            here, other = stock[b, voxel], sign * sweep[b, voxel]
            if sign < ZERO and other == ZERO:
                other = OUTSIDE
            if (other < here) if inner else (other > here):
                source[b, voxel] = PATH
            else:
                source[b, voxel] = CLOSURE if closure[b, voxel] else STOCK
                other = here
            distance[b, voxel] = other
            lost[b] += min(max(HALF - here, ZERO), ONE) - min(max(HALF - other, ZERO), ONE)
    return distance, source, lost


@parallel
def boundary_winding(points, low, high, sign):  # type: ignore[no-untyped-def]
    """(N,) sum over boundary edges; see `winding.boundary_winding`."""
    out = np.empty(len(points))
    for p in numba.prange(len(points)):
        total = 0.0
        for e in range(len(low)):
            ax, ay, az = low[e, 0] - points[p, 0], low[e, 1] - points[p, 1], low[e, 2] - points[p, 2]
            bx, by, bz = high[e, 0] - points[p, 0], high[e, 1] - points[p, 1], high[e, 2] - points[p, 2]
            dx, dy = high[e, 0] - low[e, 0], high[e, 1] - low[e, 1]
            side = dy * ax - dx * ay
            if side == 0.0:
                side = -dy * SHIFT if dy != 0.0 else dx * SHIFT**2
            across = (ax - SHIFT) * (bx - SHIFT) + (ay - SHIFT**2) * (by - SHIFT**2)
            length_a = math.sqrt(ax * ax + ay * ay + az * az)
            length_b = math.sqrt(bx * bx + by * by + bz * bz)
            total += math.atan2(-side, (length_a - az) * (length_b - bz) + across) * sign[e]
        out[p] = total / (2 * math.pi)
    return out


@parallel
def winding_gradient(points, low, high, sign):  # type: ignore[no-untyped-def]
    """(N, 3) gradient of the winding number; see `winding.winding_gradient`."""
    out = np.empty((len(points), 3))
    for p in numba.prange(len(points)):
        gx = gy = gz = 0.0
        for e in range(len(low)):
            ax, ay, az = low[e, 0] - points[p, 0], low[e, 1] - points[p, 1], low[e, 2] - points[p, 2]
            bx, by, bz = high[e, 0] - points[p, 0], high[e, 1] - points[p, 1], high[e, 2] - points[p, 2]
            length_a = math.sqrt(ax * ax + ay * ay + az * az)
            length_b = math.sqrt(bx * bx + by * by + bz * bz)
            product = length_a * length_b
            scale = max(product * (product + ax * bx + ay * by + az * bz), 1e-12)
            weight = sign[e] * (length_a + length_b) / scale / (4 * math.pi)
            gx += (ay * bz - az * by) * weight
            gy += (az * bx - ax * bz) * weight
            gz += (ax * by - ay * bx) * weight
        out[p, 0], out[p, 1], out[p, 2] = gx, gy, gz
    return out
