"""Signed crossings compiled by numba: see `crossings` for the rules."""

import math

import numba
import numpy as np
import numpy.typing as npt

from .bricks import BRICK_SIZE, BRICK_VOXELS, BrickTable
from .crossings import Crossings
from .numba_kernels import inlined, parallel, serial
from .triangles import Triangles


@inlined
def edge_function(points, i, j, px, py):  # type: ignore[no-untyped-def]
    """Twice the signed area of (i, j, p) seen from +z, and its sign with ties broken."""
    turned = i > j
    low, high = (j, i) if turned else (i, j)
    dx, dy = points[high, 0] - points[low, 0], points[high, 1] - points[low, 1]
    value = dx * (py - points[low, 1]) - dy * (px - points[low, 0])
    if value != 0.0:
        sign = 1 if value > 0.0 else -1
    elif dy != 0.0:
        sign = -1 if dy > 0.0 else 1
    else:
        sign = 1 if dx > 0.0 else (-1 if dx < 0.0 else 0)
    return (-value, -sign) if turned else (value, sign)


@serial
def pass_columns(points, triangles, shape, fill, column, height, sign):  # type: ignore[no-untyped-def]
    """Count the crossings of all triangles with the z columns, and write them into the arrays where `fill` is set."""
    found = 0
    for t in range(len(triangles)):
        a, b, c = triangles[t, 0], triangles[t, 1], triangles[t, 2]
        low_x, high_x = min(points[a, 0], points[b, 0], points[c, 0]), max(points[a, 0], points[b, 0], points[c, 0])
        low_y, high_y = min(points[a, 1], points[b, 1], points[c, 1]), max(points[a, 1], points[b, 1], points[c, 1])
        low_z, high_z = min(points[a, 2], points[b, 2], points[c, 2]), max(points[a, 2], points[b, 2], points[c, 2])
        first_x, last_x = math.ceil(max(low_x - 0.5, 0.0)), math.floor(min(high_x - 0.5, shape[2] - 1.0))
        first_y, last_y = math.ceil(max(low_y - 0.5, 0.0)), math.floor(min(high_y - 0.5, shape[1] - 1.0))
        for y in range(first_y, last_y + 1):
            for x in range(first_x, last_x + 1):
                wa, sa = edge_function(points, b, c, x + 0.5, y + 0.5)
                wb, sb = edge_function(points, c, a, x + 0.5, y + 0.5)
                if sa != sb:
                    continue
                wc, sc = edge_function(points, a, b, x + 0.5, y + 0.5)
                if sb != sc or sc == 0:
                    continue
                if fill:
                    total = wa + wb + wc
                    z = points[a, 2]
                    if total != 0.0:
                        z = (wa * points[a, 2] + wb * points[b, 2] + wc * points[c, 2]) / total
                    z = min(max(z, low_z), high_z) - 0.5
                    above = math.floor(z) + 1.0 if sc > 0 else math.ceil(z)
                    column[found] = y * shape[2] + x
                    height[found] = int(min(max(above, 0.0), float(shape[0])))
                    sign[found] = sc
                found += 1
    return found


@parallel
def crossings_in_bricks(corners, shape, start, height, total):  # type: ignore[no-untyped-def]
    """(B, 512) int16 signed crossings above each voxel; corners (B, 3) first voxels as (z, y, x)."""
    out = np.empty((len(corners), BRICK_VOXELS), dtype=np.int16)
    for b in numba.prange(len(corners)):
        for j in range(BRICK_SIZE):
            y = min(corners[b, 1] + j, shape[1] - 1)
            for i in range(BRICK_SIZE):
                column = y * shape[2] + min(corners[b, 2] + i, shape[2] - 1)
                hit, end = start[column + 1], start[column + 1]
                for k in range(BRICK_SIZE - 1, -1, -1):
                    while hit > start[column] and height[hit - 1] > corners[b, 0] + k:
                        hit -= 1
                    out[b, (k * BRICK_SIZE + j) * BRICK_SIZE + i] = total[end] - total[hit]
    return out


def crossings_of(triangles: Triangles, shape: tuple[int, int, int]) -> Crossings:
    """As `Crossings.of`."""
    nothing = np.empty(0, dtype=np.int64)
    count = pass_columns(triangles.points, triangles.triangles, shape, False, nothing, nothing, nothing)
    column, height, sign = (np.empty(count, dtype=np.int64) for _ in range(3))
    pass_columns(triangles.points, triangles.triangles, shape, True, column, height, sign)
    return Crossings.sorted(shape, column, height, sign)


def in_bricks(crossings: Crossings, bricks: npt.NDArray[np.int64], table: BrickTable) -> npt.NDArray[np.int16]:
    """As `Crossings.in_bricks`."""
    corners = table.coordinates(bricks) * BRICK_SIZE
    return crossings_in_bricks(corners, crossings.shape, crossings.start, crossings.height, crossings.total)
