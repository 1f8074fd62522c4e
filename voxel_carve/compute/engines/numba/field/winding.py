"""Kernels for the generalised winding number: sums over an open boundary. See `formulas.winding`.

The sums of LANES points are computed together. The inner loop runs over these points without branches, so that the
compiler can vectorise it.
"""

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from ....formulas import winding
from ....primitives.boundary import Array, Edges
from ....runtime.threads import over_rows
from ..compiler.decorators import kernel, subroutine
from ..compiler.formulas import DOUBLE

LANES = 16
PAIRS_PER_RUN = 1 << 16  # pairs of a point and an edge

edge_factor, multiply, winding_of = DOUBLE(winding.edge_factor), DOUBLE(winding.multiply), DOUBLE(winding.winding_of)
edge_gradient, edge_curvature = DOUBLE(winding.edge_gradient), DOUBLE(winding.edge_curvature)
steepness_of = DOUBLE(winding.steepness_of)


@subroutine
def load_group(points, first, count, px, py, pz):  # type: ignore[no-untyped-def]
    """Set px, py and pz (LANES,) to the next `count` of points (N, 3), and the remaining lanes to 0."""
    for i in range(LANES):
        px[i], py[i], pz[i] = 0.0, 0.0, 0.0
    for i in range(count):
        px[i], py[i], pz[i] = points[first + i, 0], points[first + i, 1], points[first + i, 2]


@kernel
def boundary_winding(start, stop, points, edges, out, lanes):  # type: ignore[no-untyped-def]
    """Set out (N,) to `winding.boundary_sum`."""
    px, py, pz, real, imaginary, turns = lanes[0], lanes[1], lanes[2], lanes[3], lanes[4], lanes[5]
    for first in range(start, stop, LANES):
        count = min(LANES, stop - first)
        load_group(points, first, count, px, py, pz)
        for i in range(LANES):
            real[i], imaginary[i], turns[i] = 1.0, 0.0, 0.0
        for e in range(len(edges.sign)):
            for i in range(LANES):
                x, y = edge_factor(edges, e, px[i], py[i], pz[i])
                real[i], imaginary[i], turn = multiply(real[i], imaginary[i], x, y)
                turns[i] += turn
            if e & 63 == 63:
                for i in range(LANES):
                    scale = 1.0 / (abs(real[i]) + abs(imaginary[i]))
                    real[i], imaginary[i] = real[i] * scale, imaginary[i] * scale
        for i in range(count):
            out[first + i] = winding_of(real[i], imaginary[i], turns[i])


@kernel
def winding_gradient(start, stop, points, edges, out, lanes):  # type: ignore[no-untyped-def]
    """Set out (N, 3) to `winding.gradient_sum`."""
    px, py, pz, gx, gy, gz = lanes[0], lanes[1], lanes[2], lanes[3], lanes[4], lanes[5]
    for first in range(start, stop, LANES):
        count = min(LANES, stop - first)
        load_group(points, first, count, px, py, pz)
        for i in range(LANES):
            gx[i], gy[i], gz[i] = 0.0, 0.0, 0.0
        for e in range(len(edges.sign)):
            for i in range(LANES):
                dx, dy, dz = edge_gradient(edges, e, px[i], py[i], pz[i])
                gx[i] += dx
                gy[i] += dy
                gz[i] += dz
        for i in range(count):
            out[first + i, 0], out[first + i, 1], out[first + i, 2] = gx[i], gy[i], gz[i]


@kernel
def steepness_bound(start, stop, points, edges, reach, out, lanes):  # type: ignore[no-untyped-def]
    """Set out (N,) to `winding.steepness_bound`."""
    px, py, pz, gx, gy, gz, curvature = lanes[0], lanes[1], lanes[2], lanes[3], lanes[4], lanes[5], lanes[6]
    for first in range(start, stop, LANES):
        count = min(LANES, stop - first)
        load_group(points, first, count, px, py, pz)
        for i in range(LANES):
            gx[i], gy[i], gz[i], curvature[i] = 0.0, 0.0, 0.0, 0.0
        for e in range(len(edges.sign)):
            for i in range(LANES):
                dx, dy, dz = edge_gradient(edges, e, px[i], py[i], pz[i])
                gx[i] += dx
                gy[i] += dy
                gz[i] += dz
                curvature[i] += edge_curvature(edges, e, px[i], py[i], pz[i], reach)
        for i in range(count):
            out[first + i] = steepness_of(gx[i], gy[i], gz[i], curvature[i], reach)


def at_points(kernel: Callable[..., None], points: Array, edges: Edges, *more: Any, width: int | None = None) -> Array:
    """(N,) results of a kernel for points (N, 3) and edges; (N, width) if `width` is given."""
    size = max(1, PAIRS_PER_RUN // (LANES * max(1, len(edges[-1])))) * LANES
    out = np.empty(len(points) if width is None else (len(points), width))
    scratch = partial(np.empty, (7, LANES))
    over_rows(kernel, len(points), size, np.ascontiguousarray(points), edges, *more, out, scratch=scratch)
    return out
