"""Sums over an open boundary compiled by numba: those of `winding`, for LANES points at once.

The loop over the points of a group is the inner one, without branches, so that the compiler makes vector instructions
of it.
"""

import math
from collections.abc import Callable
from typing import Any

import numba
import numpy as np

from .numba_kernels import parallel, runs
from .progress import steps
from .winding import SHIFT, Array

LANES = 16
PAIRS_PER_RUN = 1 << 24  # of points and edges
SHIFT_SQUARE = SHIFT**2


@parallel
def boundary_winding(points, low, high, sign):  # type: ignore[no-untyped-def]
    """(N,) sum over boundary edges; see `winding.boundary_winding`.

    Instead of angles, unit complex numbers are multiplied, and one angle is taken of the product. Where the product
    passes the negative half axis, a whole turn is counted.
    """
    out = np.empty(len(points))
    for group in numba.prange((len(points) + LANES - 1) // LANES):
        first = group * LANES
        count = min(LANES, len(points) - first)
        px, py, pz = np.zeros(LANES), np.zeros(LANES), np.zeros(LANES)
        real, imaginary, turns = np.ones(LANES), np.zeros(LANES), np.zeros(LANES)
        for i in range(count):
            px[i], py[i], pz[i] = points[first + i, 0], points[first + i, 1], points[first + i, 2]
        for e in range(len(low)):
            lx, ly, lz, hx, hy, hz = low[e, 0], low[e, 1], low[e, 2], high[e, 0], high[e, 1], high[e, 2]
            dx, dy = hx - lx, hy - ly
            tie = -dy * SHIFT if dy != 0.0 else dx * SHIFT_SQUARE
            for i in range(LANES):
                ax, ay, az = lx - px[i], ly - py[i], lz - pz[i]
                bx, by, bz = hx - px[i], hy - py[i], hz - pz[i]
                side = dy * ax - dx * ay
                side = tie if side == 0.0 else side
                across = (ax - SHIFT) * (bx - SHIFT) + (ay - SHIFT_SQUARE) * (by - SHIFT_SQUARE)
                length_a = math.sqrt(ax * ax + ay * ay + az * az)
                length_b = math.sqrt(bx * bx + by * by + bz * bz)
                x = (length_a - az) * (length_b - bz) + across
                y = -side * sign[e]
                size = abs(x) + abs(y)
                x = 1.0 if size == 0.0 else x
                scale = 1.0 / (1.0 if size == 0.0 else size)
                x, y = x * scale, y * scale
                before, above = real[i], imaginary[i]
                real[i] = before * x - above * y
                imaginary[i] = before * y + above * x
                forth = (y > 0.0) & (above >= 0.0) & (imaginary[i] < 0.0)
                back = (y < 0.0) & ((above < 0.0) | ((above == 0.0) & (before > 0.0))) & (imaginary[i] >= 0.0)
                turns[i] += (1.0 if forth else 0.0) - (1.0 if back else 0.0)
            if e & 63 == 63:  # each factor may halve the product's size
                for i in range(LANES):
                    scale = 1.0 / (abs(real[i]) + abs(imaginary[i]))
                    real[i], imaginary[i] = real[i] * scale, imaginary[i] * scale
        for i in range(count):
            out[first + i] = math.atan2(imaginary[i], real[i]) / (2 * math.pi) + turns[i]
    return out


@parallel
def winding_gradient(points, low, high, sign):  # type: ignore[no-untyped-def]
    """(N, 3) gradient of the winding number; see `winding.winding_gradient`."""
    out = np.empty((len(points), 3))
    for group in numba.prange((len(points) + LANES - 1) // LANES):
        first = group * LANES
        count = min(LANES, len(points) - first)
        px, py, pz = np.zeros(LANES), np.zeros(LANES), np.zeros(LANES)
        gx, gy, gz = np.zeros(LANES), np.zeros(LANES), np.zeros(LANES)
        for i in range(count):
            px[i], py[i], pz[i] = points[first + i, 0], points[first + i, 1], points[first + i, 2]
        for e in range(len(low)):
            lx, ly, lz, hx, hy, hz = low[e, 0], low[e, 1], low[e, 2], high[e, 0], high[e, 1], high[e, 2]
            for i in range(LANES):
                ax, ay, az = lx - px[i], ly - py[i], lz - pz[i]
                bx, by, bz = hx - px[i], hy - py[i], hz - pz[i]
                length_a = math.sqrt(ax * ax + ay * ay + az * az)
                length_b = math.sqrt(bx * bx + by * by + bz * bz)
                product = length_a * length_b
                scale = max(product * (product + ax * bx + ay * by + az * bz), 1e-12)
                weight = sign[e] * (length_a + length_b) / scale / (4 * math.pi)
                gx[i] += (ay * bz - az * by) * weight
                gy[i] += (az * bx - ax * bz) * weight
                gz[i] += (ax * by - ay * bx) * weight
        for i in range(count):
            out[first + i, 0], out[first + i, 1], out[first + i, 2] = gx[i], gy[i], gz[i]
    return out


@parallel
def gradient_bound(points, middle, length, reach):  # type: ignore[no-untyped-def]
    """(N,) bound of the gradient's length; see `winding.gradient_bound`."""
    out = np.empty(len(points))
    for group in numba.prange((len(points) + LANES - 1) // LANES):
        first = group * LANES
        count = min(LANES, len(points) - first)
        px, py, pz, total = np.zeros(LANES), np.zeros(LANES), np.zeros(LANES), np.zeros(LANES)
        for i in range(count):
            px[i], py[i], pz[i] = points[first + i, 0], points[first + i, 1], points[first + i, 2]
        for e in range(len(middle)):
            x, y, z, off = middle[e, 0], middle[e, 1], middle[e, 2], length[e] / 2 + reach
            for i in range(LANES):
                dx, dy, dz = x - px[i], y - py[i], z - pz[i]
                distance = max(math.sqrt(dx * dx + dy * dy + dz * dz) - off, 1e-6)
                total[i] += length[e] / (distance * distance)
        for i in range(count):
            out[first + i] = total[i] / (4 * math.pi)
    return out


def in_runs(kernel: Callable[..., Array], points: Array, edges: tuple[Array, ...], *more: Any) -> Array:
    """(N, ...) what a kernel gives for points (N, 3) and for edges, or pieces of them; a run of points at a time."""
    size = max(1, PAIRS_PER_RUN // (LANES * max(1, len(edges[-1])))) * LANES
    points = np.ascontiguousarray(points)
    return np.concatenate([kernel(points[rows], *edges, *more) for rows in steps(runs(len(points), size))])
