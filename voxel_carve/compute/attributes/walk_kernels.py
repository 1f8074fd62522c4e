"""The walks of `transfer.Walker`, and the interpolation of corner values, compiled by numba."""

import math

from ..engines.numba.compiler.decorators import kernel, subroutine
from ..engines.numba.compiler.formulas import DOUBLE
from ..formulas import vector

dot = DOUBLE(vector.dot)

# A walk takes about a voxel's size divided by a triangle's. More steps than this are not worth their time.
MOST_STEPS = 64
# The number of triangles to try around a vertex that is the nearest point of several. Distances are equal if they
# differ by less than this fraction.
MOST_IDLE = 8
TIE = 1e-9
FLAT = 1e-14  # the square of a triangle's area, by those of two sides, that is only rounding
# A smaller barycentric weight is outside. Rounding moves vertices off edges.
OUTSIDE = -1e-7
# Extrapolation beyond the border assumes that no triangle is thinner than this fraction of its length.
THINNEST = 1 / 8


@subroutine
def copy(weights, other):  # type: ignore[no-untyped-def]
    """Copy three weights to another array."""
    other[0], other[1], other[2] = weights[0], weights[1], weights[2]


@subroutine
def weigh(corner, point, weights):  # type: ignore[no-untyped-def]
    """Set weights (3,) of a point projected onto a triangle's plane. Return whether it is outside the triangle."""
    ux, uy, uz = corner[1, 0] - corner[0, 0], corner[1, 1] - corner[0, 1], corner[1, 2] - corner[0, 2]
    vx, vy, vz = corner[2, 0] - corner[0, 0], corner[2, 1] - corner[0, 1], corner[2, 2] - corner[0, 2]
    x, y, z = point[0] - corner[0, 0], point[1] - corner[0, 1], point[2] - corner[0, 2]
    uu, uv, vv = dot(ux, uy, uz, ux, uy, uz), dot(ux, uy, uz, vx, vy, vz), dot(vx, vy, vz, vx, vy, vz)
    along_u, along_v = dot(ux, uy, uz, x, y, z), dot(vx, vy, vz, x, y, z)
    area = uu * vv - uv * uv
    if area > FLAT * uu * vv:
        weights[1] = (vv * along_u - uv * along_v) / area
        weights[2] = (uu * along_v - uv * along_u) / area
    else:  # A triangle without area counts as its longer side.
        weights[1] = along_u / uu if uu >= vv and uu > 0.0 else 0.0
        weights[2] = along_v / vv if vv > uu else 0.0
    weights[0] = 1.0 - weights[1] - weights[2]
    return weights[0] < OUTSIDE or weights[1] < OUTSIDE or weights[2] < OUTSIDE


@subroutine
def find_nearest(corner, weights, point, place):  # type: ignore[no-untyped-def]
    """Set place (3,) to the weights of the nearest point of a triangle. Return its squared distance from the point."""
    if not (weights[0] < OUTSIDE or weights[1] < OUTSIDE or weights[2] < OUTSIDE):
        copy(weights, place)
        distance = 0.0
        for i in range(3):
            at = weights[0] * corner[0, i] + weights[1] * corner[1, i] + weights[2] * corner[2, i]
            distance += (point[i] - at) ** 2
        return distance
    least = math.inf
    for a in range(3):
        b = 0 if a == 2 else a + 1
        length, along = 0.0, 0.0
        for i in range(3):
            side = corner[b, i] - corner[a, i]
            length += side * side
            along += side * (point[i] - corner[a, i])
        along = min(max(along / (length if length > 0 else 1.0), 0.0), 1.0)
        distance = 0.0
        for i in range(3):
            distance += (point[i] - corner[a, i] - along * (corner[b, i] - corner[a, i])) ** 2
        if distance < least:
            least = distance
            place[a], place[b], place[3 - a - b] = 1.0 - along, along, 0.0
    return least


@subroutine
def bound(corner, place, weights):  # type: ignore[no-untyped-def]
    """Scale down how far weights (3,) extrapolate beyond the nearest place (3,) of a triangle. The slopes of a thin
    triangle are not reliable."""
    way, longest, size = 0.0, 0.0, 0.0
    for i in range(3):
        step = 0.0
        for k in range(3):
            step += (weights[k] - place[k]) * corner[k, i]
        way += step * step
    for k in range(3):
        side = 0.0
        for i in range(3):
            side += (corner[k, i] - corner[k - 1, i]) ** 2
        longest = max(longest, side)
        size = max(size, abs(weights[k] - place[k]))
    most = math.sqrt(way / (longest if longest > 0 else 1.0)) / THINNEST
    scale = min(1.0, most / (size if size > 0 else 1.0))
    for k in range(3):
        weights[k] = place[k] + scale * (weights[k] - place[k])


@subroutine
def reach(start, point, corners, joined, scratch):  # type: ignore[no-untyped-def]
    """Walk from triangle `start` toward a point: see `transfer.Walker.walk`.

    Set scratch[0] to the weights of the point, and scratch[3] to those of the nearest place. Return the triangle.
    """
    here, there, best, place = scratch[0], scratch[1], scratch[2], scratch[3]
    t = start
    out = weigh(corners[t], point, here)
    away = find_nearest(corners[t], here, point, place) if out else 0.0
    before, idle, steps = -1, 0, 0
    while out and steps < MOST_STEPS:
        steps += 1
        least, chosen = math.inf, -1
        for side in range(3):
            beyond = joined[t, side]
            if here[side] < OUTSIDE and beyond >= 0 and beyond != before:
                weigh(corners[beyond], point, there)
                distance = find_nearest(corners[beyond], there, point, place)
                if distance < least:
                    least, chosen = distance, beyond
                    copy(there, best)
        idle = 0 if least < away * (1 - TIE) else idle + 1
        if chosen < 0 or least > away * (1 + TIE) or idle > MOST_IDLE:
            break
        before, t, away = t, chosen, least
        copy(best, here)
        out = here[0] < OUTSIDE or here[1] < OUTSIDE or here[2] < OUTSIDE
    copy(here, place)
    if out:
        find_nearest(corners[t], here, point, place)
        bound(corners[t], place, here)
    return t


@kernel
def walk(first, stop, start, points, corners, joined, triangle, weights, nearest, scratch):  # type: ignore[no-untyped-def]
    """Walk from triangles `start` (N,) toward points (N, 3): see `transfer.Walker.walk`.

    `triangle`, `weights` and `nearest` are the results. `corners` and `joined` are the walker's.
    """
    for n in range(first, stop):
        triangle[n] = reach(start[n], points[n], corners, joined, scratch)
        copy(scratch[0], weights[n])
        copy(scratch[3], nearest[n])


@kernel
def blend(start, stop, triangle, weights, values, index, out):  # type: ignore[no-untyped-def]
    """Set out (P, C) to values (N, C), interpolated by weights (P, 3) at the corners `index` (T, 3) of triangles
    (P,)."""
    for n in range(start, stop):
        a, b, c = index[triangle[n], 0], index[triangle[n], 1], index[triangle[n], 2]
        for i in range(values.shape[1]):
            out[n, i] = weights[n, 0] * values[a, i] + weights[n, 1] * values[b, i] + weights[n, 2] * values[c, i]
