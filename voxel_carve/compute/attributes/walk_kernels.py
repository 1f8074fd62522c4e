"""The walks of `transfer.Walker`, and the interpolation of corner values, compiled by numba."""

import math

from ..engines.numba.compiler.decorators import kernel, subroutine

# A walk takes about a voxel's size divided by a triangle's. More steps than this are not worth their time.
MOST_STEPS = 64
# The number of triangles to try around a vertex that is the nearest point of several. Distances are equal if they
# differ by less than this fraction.
MOST_IDLE = 8
TIE = 1e-9
# A smaller barycentric weight is outside. Rounding moves vertices off edges.
OUTSIDE = -1e-7
# Extrapolation beyond the border assumes that no triangle is thinner than this fraction of its length.
THINNEST = 1 / 8


@subroutine
def copy(weights, other):  # type: ignore[no-untyped-def]
    """Copy three weights to another array."""
    other[0], other[1], other[2] = weights[0], weights[1], weights[2]


@subroutine
def weigh(corner, slope, point, weights):  # type: ignore[no-untyped-def]
    """Set weights (3,) of a point projected onto a triangle's plane. Return whether it is outside the triangle."""
    x, y, z = point[0] - corner[0, 0], point[1] - corner[0, 1], point[2] - corner[0, 2]
    weights[1] = slope[0, 0] * x + slope[0, 1] * y + slope[0, 2] * z
    weights[2] = slope[1, 0] * x + slope[1, 1] * y + slope[1, 2] * z
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


@kernel
def walk(first, stop, start, points, corners, slopes, joined, triangle, weights, nearest, scratch):  # type: ignore[no-untyped-def]
    """Walk from triangles `start` (N,) toward points (N, 3): see `transfer.Walker.walk`.

    `triangle`, `weights` and `nearest` are the results. `corners`, `slopes` and `joined` are the walker's.
    """
    here, there, best, place = scratch[0], scratch[1], scratch[2], scratch[3]
    for n in range(first, stop):
        t, point = start[n], points[n]
        out = weigh(corners[t], slopes[t], point, here)
        away = find_nearest(corners[t], here, point, place) if out else 0.0
        before, idle, steps = -1, 0, 0
        while out and steps < MOST_STEPS:
            steps += 1
            least, chosen = math.inf, -1
            for side in range(3):
                beyond = joined[t, side]
                if here[side] < OUTSIDE and beyond >= 0 and beyond != before:
                    weigh(corners[beyond], slopes[beyond], point, there)
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
        triangle[n] = t
        copy(here, weights[n])
        copy(place, nearest[n])


@kernel
def blend(start, stop, triangle, weights, values, index, out):  # type: ignore[no-untyped-def]
    """Set out (P, C) to values (N, C), interpolated by weights (P, 3) at the corners `index` (T, 3) of triangles
    (P,)."""
    for n in range(start, stop):
        a, b, c = index[triangle[n], 0], index[triangle[n], 1], index[triangle[n], 2]
        for i in range(values.shape[1]):
            out[n, i] = weights[n, 0] * values[a, i] + weights[n, 1] * values[b, i] + weights[n, 2] * values[c, i]
