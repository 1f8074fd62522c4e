"""The boundary sum of the winding number on Warp: kernels, and their launches. See `formulas.winding`."""

# mypy: disable-error-code="name-defined"

from __future__ import annotations

from typing import Any

import numpy as np

from ....formulas.language import Edges
from ....formulas.winding import boundary_sum, gradient_sum, remainder_bound
from ....primitives.boundary import Array, Boundary, EdgeLists
from ....runtime.progress import with_progress
from ....runtime.threads import slices
from ..device.device import WarpDevice
from ..device.formulas import double, kernel
from ..device.structs import wp

BLOCK_DIM = 256

# Limits of a launch, so that it blocks the graphics card of a display only for a moment.
POINTS_PER_LAUNCH = 1 << 22
POINT_EDGES_PER_LAUNCH = 1 << 32


@kernel(double)
def sum_at_points(
    points: wp.array[wp.vec3d],
    edges: Edges,
    owner: wp.array[wp.int32],
    start: wp.array[wp.int32],
    stop: wp.array[wp.int32],
    listed: wp.array[wp.int32],
    out: wp.array[wp.float64],
) -> None:
    """Set out (N,) to the boundary sum at points (N,), in voxels. Launch with (N,).

    Args:
        owner: (N,) the list of each point.    start, stop, listed: see `EdgeLists`.
    """
    p, k = points[wp.tid()], owner[wp.tid()]
    out[wp.tid()] = boundary_sum(edges, listed, start[k], stop[k], p[0], p[1], p[2])


@kernel(double)
def gradient_at_points(
    points: wp.array[wp.vec3d],
    edges: Edges,
    owner: wp.array[wp.int32],
    start: wp.array[wp.int32],
    stop: wp.array[wp.int32],
    listed: wp.array[wp.int32],
    out: wp.array[wp.vec3d],
) -> None:
    """Set out (N,) to the gradient of the winding number, per voxel, at points (N,), likewise. Launch with (N,)."""
    p, k = points[wp.tid()], owner[wp.tid()]
    x, y, z = gradient_sum(edges, listed, start[k], stop[k], p[0], p[1], p[2])
    out[wp.tid()] = wp.vec3d(x, y, z)


@kernel(double)
def bound_at_points(
    points: wp.array[wp.vec3d],
    edges: Edges,
    owner: wp.array[wp.int32],
    start: wp.array[wp.int32],
    stop: wp.array[wp.int32],
    listed: wp.array[wp.int32],
    reach: wp.float64,
    out: wp.array[wp.vec4d],
) -> None:
    """Set out (N,) to the gradient at points (N,), and how far the sum departs within `reach` from its linear
    approximation there, at most, likewise. Launch with (N,)."""
    p, k = points[wp.tid()], owner[wp.tid()]
    x, y, z = gradient_sum(edges, listed, start[k], stop[k], p[0], p[1], p[2])
    remainder = remainder_bound(edges, listed, start[k], stop[k], p[0], p[1], p[2], reach)
    out[wp.tid()] = wp.vec4d(x, y, z, remainder)


def boundary_on(device: WarpDevice, boundary: Boundary) -> Any:
    """The struct `Edges` of a boundary, uploaded once."""
    return device.cached(boundary, lambda: device.struct(Edges, **boundary.edges._asdict()))


def at_points(
    device: WarpDevice, kernel: Any, points: Array, boundary: Boundary, lists: EdgeLists | None, *more: float
) -> Array:
    """(N,) results of a kernel for points (N, 3) and their edges: all, if no lists are given; (N, 3) or (N, 4) of those
    with gradients."""
    wp, width = device.wp, {gradient_at_points: 3, bound_at_points: 4}.get(kernel, 0)
    out = np.zeros((len(points), width) if width else len(points))
    if not len(boundary) or not len(points):
        return out
    lists = boundary.whole_lists(len(points), len(points)) if lists is None else lists
    edges, kind = boundary_on(device, boundary), {3: wp.vec3d, 4: wp.vec4d}.get(width, wp.float64)
    of_list = [device.upload(part, wp.int32) for part in (lists.start, lists.stop, lists.edge)]
    owner = np.repeat(np.arange(len(lists.start), dtype=np.int32), np.diff(lists.point))
    step = max(1, min(POINTS_PER_LAUNCH, POINT_EDGES_PER_LAUNCH // len(boundary)))
    for rows in with_progress(slices(len(points), step)):
        place, own = device.upload(points[rows], wp.vec3d), device.upload(owner[rows], wp.int32)
        result = device.empty(len(place), kind)
        device.launch(kernel, len(place), [place, edges, own, *of_list, *more], [result])
        out[rows] = device.download(result)
        del place, own, result
    return out
