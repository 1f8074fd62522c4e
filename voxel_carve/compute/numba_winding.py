"""Sums over an open boundary compiled by numba: those of `winding`, for LANES points at once.

The loop over the points of a group is the inner one, without branches, so that the compiler makes vector instructions
of it.
"""

import math
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from .numba_kernels import kernel
from .threads import in_runs
from .winding import SHIFT, Array

LANES = 16
PAIRS_PER_RUN = 1 << 19  # of points and edges
SHIFT_SQUARE = SHIFT**2


@kernel
def boundary_winding(start, stop, points, low, high, sign, out, lanes):  # type: ignore[no-untyped-def]
    """Set out (N,) to the sum over boundary edges; see `winding.boundary_winding`.

    Instead of angles, unit complex numbers are multiplied, and one angle is taken of the product. Where the product
    passes the negative half axis, a whole turn is counted.
    """
    px, py, pz, real, imaginary, turns = lanes[0], lanes[1], lanes[2], lanes[3], lanes[4], lanes[5]
    for first in range(start, stop, LANES):
        count = min(LANES, stop - first)
        for i in range(LANES):
            px[i], py[i], pz[i], real[i], imaginary[i], turns[i] = 0.0, 0.0, 0.0, 1.0, 0.0, 0.0
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


@kernel
def winding_gradient(start, stop, points, low, high, sign, out, lanes):  # type: ignore[no-untyped-def]
    """Set out (N, 3) to the gradient of the winding number; see `winding.winding_gradient`."""
    px, py, pz, gx, gy, gz = lanes[0], lanes[1], lanes[2], lanes[3], lanes[4], lanes[5]
    for first in range(start, stop, LANES):
        count = min(LANES, stop - first)
        for i in range(LANES):
            px[i], py[i], pz[i], gx[i], gy[i], gz[i] = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
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


@kernel
def gradient_bound(start, stop, points, middle, length, reach, out, lanes):  # type: ignore[no-untyped-def]
    """Set out (N,) to a bound of the gradient's length; see `winding.gradient_bound`."""
    px, py, pz, total = lanes[0], lanes[1], lanes[2], lanes[3]
    for first in range(start, stop, LANES):
        count = min(LANES, stop - first)
        for i in range(LANES):
            px[i], py[i], pz[i], total[i] = 0.0, 0.0, 0.0, 0.0
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


def at_points(
    kernel: Callable[..., None], points: Array, edges: tuple[Array, ...], *more: Any, width: int | None = None
) -> Array:
    """(N,) what a kernel gives for points (N, 3) and for edges, or pieces of them; (N, width) where it has a width."""
    size = max(1, PAIRS_PER_RUN // (LANES * max(1, len(edges[-1])))) * LANES
    out = np.empty(len(points) if width is None else (len(points), width))
    room = partial(np.empty, (6, LANES))
    in_runs(kernel, len(points), size, np.ascontiguousarray(points), *edges, *more, out, room=room)
    return out
