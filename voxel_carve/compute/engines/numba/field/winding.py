"""Kernels for the generalised winding number: sums over an open boundary. See `formulas.winding`.

The sums of LANES points are computed together. The inner loop runs over these points without branches, so that the
compiler can vectorise it.
"""

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from ....field.boundary_tiles import Tiles
from ....field.harmonics import DEGREE
from ....formulas import vector, winding
from ....primitives.boundary import Array, Boundary, EdgeLists, Indices
from ....runtime.threads import over_rows
from ..compiler.decorators import kernel, subroutine
from ..compiler.formulas import DOUBLE

LANES = 16
VECTOR = 4  # numbers that a processor handles at once: a group of few points costs as many as it has
PAIRS_PER_RUN = 1 << 16  # pairs of a point and an edge, where all edges count
LISTS_PER_RUN = 1 << 6
POINTS_PER_RUN = 1 << 10

factor_between, multiply = DOUBLE(winding.factor_between), DOUBLE(winding.multiply)
winding_of, length = DOUBLE(winding.winding_of), DOUBLE(vector.length)
edge_gradient, edge_remainder = DOUBLE(winding.edge_gradient), DOUBLE(winding.edge_remainder)


@subroutine
def load_group(points, first, count, px, py, pz):  # type: ignore[no-untyped-def]
    """Set px, py and pz (LANES,) to the next `count` of points (N, 3), and the remaining lanes to 0."""
    for i in range(LANES):
        px[i], py[i], pz[i] = 0.0, 0.0, 0.0
    for i in range(count):
        px[i], py[i], pz[i] = points[first + i, 0], points[first + i, 1], points[first + i, 2]


@kernel
def sum_over_lists(start, stop, points, edges, lists, out, lanes):  # type: ignore[no-untyped-def]
    """Set out (N,) to `winding.boundary_sum`."""
    px, py, pz, real, imaginary, turns, distance = (
        lanes[0], lanes[1], lanes[2], lanes[3], lanes[4], lanes[5], lanes[6]
    )  # fmt: skip
    for k in range(start, stop):
        for first in range(lists.point[k], lists.point[k + 1], LANES):
            count = min(LANES, lists.point[k + 1] - first)
            many = (count + VECTOR - 1) // VECTOR * VECTOR
            load_group(points, first, count, px, py, pz)
            for i in range(many):
                real[i], imaginary[i], turns[i] = 1.0, 0.0, 0.0
            hx, hy, hz = np.nan, np.nan, np.nan
            for n in range(lists.start[k], lists.stop[k]):
                e = lists.edge[n]
                forward = edges.sign[e] > 0.0
                tx = edges.low[e, 0] if forward else edges.high[e, 0]
                ty = edges.low[e, 1] if forward else edges.high[e, 1]
                tz = edges.low[e, 2] if forward else edges.high[e, 2]
                # Most edges begin where the one before ends.
                if not (tx == hx and ty == hy and tz == hz):
                    for i in range(many):
                        distance[i] = length(tx - px[i], ty - py[i], tz - pz[i])
                hx = edges.high[e, 0] if forward else edges.low[e, 0]
                hy = edges.high[e, 1] if forward else edges.low[e, 1]
                hz = edges.high[e, 2] if forward else edges.low[e, 2]
                for i in range(many):
                    tail, head = distance[i], length(hx - px[i], hy - py[i], hz - pz[i])
                    distance[i] = head
                    low, high = (tail if forward else head), (head if forward else tail)
                    x, y = factor_between(edges, e, px[i], py[i], pz[i], low, high)
                    real[i], imaginary[i], turn = multiply(real[i], imaginary[i], x, y)
                    turns[i] += turn
                if (n - lists.start[k]) & 63 == 63:
                    for i in range(many):
                        scale = 1.0 / (abs(real[i]) + abs(imaginary[i]))
                        real[i], imaginary[i] = real[i] * scale, imaginary[i] * scale
            for i in range(count):
                out[first + i] = winding_of(real[i], imaginary[i], turns[i])


@kernel
def add_gradients(start, stop, points, edges, lists, out, lanes):  # type: ignore[no-untyped-def]
    """Set out (N, 3) to `winding.gradient_sum`."""
    px, py, pz, gx, gy, gz = lanes[0], lanes[1], lanes[2], lanes[3], lanes[4], lanes[5]
    for k in range(start, stop):
        for first in range(lists.point[k], lists.point[k + 1], LANES):
            count = min(LANES, lists.point[k + 1] - first)
            many = (count + VECTOR - 1) // VECTOR * VECTOR
            load_group(points, first, count, px, py, pz)
            for i in range(many):
                gx[i], gy[i], gz[i] = 0.0, 0.0, 0.0
            for n in range(lists.start[k], lists.stop[k]):
                e = lists.edge[n]
                for i in range(many):
                    dx, dy, dz = edge_gradient(edges, e, px[i], py[i], pz[i])
                    gx[i] += dx
                    gy[i] += dy
                    gz[i] += dz
            for i in range(count):
                out[first + i, 0], out[first + i, 1], out[first + i, 2] = gx[i], gy[i], gz[i]


@kernel
def bound_change(start, stop, points, edges, lists, reach, out, lanes):  # type: ignore[no-untyped-def]
    """Set out (N, 4) to `winding.gradient_sum` and `winding.remainder_bound`."""
    px, py, pz, gx, gy, gz, remainder = lanes[0], lanes[1], lanes[2], lanes[3], lanes[4], lanes[5], lanes[6]
    for k in range(start, stop):
        for first in range(lists.point[k], lists.point[k + 1], LANES):
            count = min(LANES, lists.point[k + 1] - first)
            many = (count + VECTOR - 1) // VECTOR * VECTOR
            load_group(points, first, count, px, py, pz)
            for i in range(many):
                gx[i], gy[i], gz[i], remainder[i] = 0.0, 0.0, 0.0, 0.0
            for n in range(lists.start[k], lists.stop[k]):
                e = lists.edge[n]
                for i in range(many):
                    dx, dy, dz = edge_gradient(edges, e, px[i], py[i], pz[i])
                    gx[i] += dx
                    gy[i] += dy
                    gz[i] += dz
                    remainder[i] += edge_remainder(edges, e, px[i], py[i], pz[i], reach)
            for i in range(count):
                out[first + i, 0], out[first + i, 1], out[first + i, 2] = gx[i], gy[i], gz[i]
                out[first + i, 3] = remainder[i]


@kernel
def evaluate_far(start, stop, points, tile, centre, radius, far, out):  # type: ignore[no-untyped-def]
    """Set out (N, 4) to the gradients of polynomials at points (N, 3), and their values, by Horner's method.

    Args:
        tile, centre, radius, far: see `field.boundary_tiles`, and `field.harmonics` for the order of the coefficients.
    """
    for i in range(start, stop):
        t, n = tile[i], 0
        x, y, z = points[i, 0] - centre[t, 0], points[i, 1] - centre[t, 1], points[i, 2] - centre[t, 2]
        x, y, z = x / radius, y / radius, z / radius
        value, dx, dy, dz = 0.0, 0.0, 0.0, 0.0
        for a in range(DEGREE + 1):
            plane, plane_y, plane_z = 0.0, 0.0, 0.0
            for b in range(a + 1):
                line, line_z = 0.0, 0.0
                for _ in range(b + 1):
                    line_z = line_z * z + line
                    line = line * z + far[t, n]
                    n += 1
                plane_z = plane_z * y + line_z
                plane_y = plane_y * y + plane
                plane = plane * y + line
            dz = dz * x + plane_z
            dy = dy * x + plane_y
            dx = dx * x + value
            value = value * x + plane
        out[i, 0], out[i, 1], out[i, 2], out[i, 3] = dx / radius, dy / radius, dz / radius, value


def boundary_winding(points: Array, boundary: Boundary, lists: EdgeLists | None = None) -> Array:
    """(N,) the boundary sum: see `Backend`."""
    return _at_points(sum_over_lists, points, boundary, lists, np.empty(len(points)))


def winding_gradient(points: Array, boundary: Boundary, lists: EdgeLists | None = None) -> Array:
    """(N, 3) its gradient: see `Backend`."""
    return _at_points(add_gradients, points, boundary, lists, np.empty((len(points), 3)))


def change_bound(points: Array, boundary: Boundary, reach: float, lists: EdgeLists | None = None) -> Array:
    """(N, 4) its gradient, and how far the sum departs from its linear approximation, at most: see `Backend`."""
    return _at_points(bound_change, points, boundary, lists, reach, np.empty((len(points), 4)))


def sums_in_tiles(points: Array, tiles: Tiles, tile: Indices) -> tuple[Array, Array]:
    """(N,) the boundary sum, and (N, 3) its gradient, at points (N, 3) in tiles (N,). Points of one tile should follow
    each other."""
    far, boundary, lists = np.empty((len(points), 4)), tiles.loops.boundary, tiles.lists_at(tile)
    over_rows(evaluate_far, len(points), POINTS_PER_RUN, points, tile, tiles.centre, tiles.radius, tiles.far, far)
    gradient = far[:, :3] + winding_gradient(points, boundary, lists)
    return far[:, 3] + boundary_winding(points, boundary, lists), gradient


def _at_points(kernel: Callable[..., None], points: Array, boundary: Boundary, lists: Any, *more: Any) -> Array:
    """The last argument, with the results of a kernel for points (N, 3)."""
    each = max(1, PAIRS_PER_RUN // (LANES * max(1, len(boundary)))) * LANES
    lists, size = (boundary.whole_lists(len(points), each), 1) if lists is None else (lists, LISTS_PER_RUN)
    arguments = (np.ascontiguousarray(points), boundary.edges, lists, *more)
    over_rows(kernel, len(lists.start), size, *arguments, scratch=partial(np.empty, (7, LANES)))
    out: Array = more[-1]
    return out
