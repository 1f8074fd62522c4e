"""Warp kernels for the z columns of a stock: see `primitives.crossings`. They find what the numba kernels find."""

# mypy: disable-error-code="name-defined"

from __future__ import annotations

from ....formulas.language import Primitives
from ....formulas.vector import greatest, least
from ....formulas.z_columns import column_crossing, column_range, height_in
from ..device.formulas import double, function, kernel
from ..device.structs import wp

BLOCK_DIM = 256
LANES = 64  # threads that share the columns of a triangle
HALF = 0.5


class Rectangle:
    """The columns between two, as (y, x): the first one, and their number along both axes."""

    first: wp.vec2i
    size: wp.vec2i


@function(double)
def columns_near(points: wp.array2d[wp.float64], a: wp.int32, b: wp.int32, c: wp.int32, shape: wp.vec3i) -> Rectangle:
    """The columns in the box of a triangle, on a grid of shape (Z, Y, X)."""
    found = Rectangle()
    for axis in range(2):
        low = least(points[a, axis], points[b, axis], points[c, axis])
        high = greatest(points[a, axis], points[b, axis], points[c, axis])
        first, last = column_range(low, high, wp.float64(shape[2 - axis]))
        found.first[1 - axis] = int(first)
        found.size[1 - axis] = wp.max(int(last) - int(first) + 1, 0)
    return found


@kernel(double)
def list_crossings(
    mesh: Primitives, shape: wp.vec3i, start: wp.int32, place: wp.array[wp.int32], listed: wp.array[wp.int64]
) -> None:
    """List the crossings of z columns with the triangles `start` to `start` + N. Launch with (N, LANES).

    Args:
        mesh: has no segments.
        shape: of the grid, (Z, Y, X).
        place: (C,) where the list of each column, y * X + x, goes on; grows by its length.
        listed: (P,) column * (2 Z + 2) + key of the crossings, in no order: see `Crossings.of`. An empty array means:
            only count.
    """
    i, lane = wp.tid()
    t = start + i
    a, b, c = mesh.triangles[t, 0], mesh.triangles[t, 1], mesh.triangles[t, 2]
    near = columns_near(mesh.points, a, b, c, shape)
    for n in range(lane, near.size[0] * near.size[1], LANES):
        y = near.first[0] + n // near.size[1]
        x = near.first[1] + n % near.size[1]
        up, above = column_crossing(mesh.points, a, b, c, wp.float64(x) + HALF, wp.float64(y) + HALF)
        if up != 0:
            column = y * shape[2] + x
            to = wp.atomic_add(place, column, 1)
            if listed.shape[0] > 0:
                key = 2 * int(height_in(above, wp.float64(shape[0]))) + wp.where(up > 0, 1, 0)
                listed[to] = wp.int64(column) * wp.int64(2 * shape[0] + 2) + wp.int64(key)


@kernel(double)
def read_crossings(
    first: wp.array[wp.int32],
    listed: wp.array[wp.int64],
    rows: wp.int64,
    start: wp.array[wp.int32],
    key: wp.array[wp.int32],
    height: wp.array[wp.int32],
    sign: wp.array[wp.int32],
) -> None:
    """Take the sorted crossings of C columns apart. Launch with (max(C + 1, P + 1),).

    Args:
        first: (C + 1,) where each list begins.
        listed: (P,) or more: see `list_crossings`. The first ones are used, as many as `first` says.
        rows: 2 Z + 2.
        start: (C + 1,) becomes `first`.
        key, height: (P,) of each crossing.
        sign: (P + 1,) of each crossing, and 0 beyond.
    """
    i = wp.tid()
    count = first[first.shape[0] - 1]
    if i < first.shape[0]:
        start[i] = first[i]
    if i < sign.shape[0]:
        sign[i] = 0
    if i < key.shape[0] and i < count:
        value = int(listed[i] % rows)
        key[i] = value
        height[i] = value >> 1
        sign[i] = 2 * (value & 1) - 1
