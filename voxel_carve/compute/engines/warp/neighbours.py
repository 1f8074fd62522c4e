"""The search for neighbours on a Warp device, by a hash grid: see `neighbours.search`."""

# mypy: disable-error-code="name-defined"

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ...formulas.vector import dot
from ...runtime.progress import with_progress
from ...runtime.threads import slices
from .device.device import WarpDevice
from .device.formulas import double, kernel
from .device.structs import wp

BLOCK_DIM = 256

QUERIES_PER_LAUNCH = 1 << 18
MOST_CELLS = 128  # of the hash grid along each axis

Array = npt.NDArray[np.float64]
Indices = npt.NDArray[np.int64]


@kernel(double)
def count_within(
    grid: wp.uint64,
    points: wp.array[wp.vec3d],
    queries: wp.array[wp.vec3d],
    centre: wp.vec3d,
    radius: wp.float64,
    reach: wp.float64,
    count: wp.array[wp.int32],
) -> None:
    """Set count (Q,) to the number of points within the radius of each query. Launch with (Q,).

    Args:
        grid: id of a `wp.HashGrid` of the points, relative to `centre`.
        points: (N,); queries: (Q,).
        radius: of the neighbours; reach: a little more, for the grid.
    """
    place = queries[wp.tid()]
    query = wp.hash_grid_query(grid, place - centre, reach)
    found = wp.int32(0)
    total = wp.int32(0)
    while wp.hash_grid_query_next(query, found):
        off = place - points[found]
        if dot(off[0], off[1], off[2], off[0], off[1], off[2]) <= radius * radius:
            total = total + 1
    count[wp.tid()] = total


@kernel(double)
def list_within(
    grid: wp.uint64,
    points: wp.array[wp.vec3d],
    queries: wp.array[wp.vec3d],
    centre: wp.vec3d,
    radius: wp.float64,
    reach: wp.float64,
    first: wp.array[wp.int64],
    index: wp.array[wp.int32],
) -> None:
    """As `count_within`, but write the points of query i to index (P,), from first[i] on."""
    place = queries[wp.tid()]
    query = wp.hash_grid_query(grid, place - centre, reach)
    found = wp.int32(0)
    at = first[wp.tid()]
    while wp.hash_grid_query_next(query, found):
        off = place - points[found]
        if dot(off[0], off[1], off[2], off[0], off[1], off[2]) <= radius * radius:
            index[at] = found
            at = at + wp.int64(1)


def pairs_within(
    device: WarpDevice, points: Array, queries: Array, radius: float, reach: float
) -> tuple[Indices, Indices]:
    """See `Searching.pairs_within`."""
    wp = device.wp
    middle = (points.min(axis=0) + points.max(axis=0)) / 2
    side = min(MOST_CELLS, int(len(points) ** (1 / 3)) + 1)
    grid = wp.HashGrid(side, side, side, device=device.found, dtype=wp.float64)
    placed = device.upload(points - middle, wp.vec3d)
    grid.build(placed, reach or 1.0)
    here, centre = device.upload(points, wp.vec3d), wp.vec3d(*middle.tolist())
    found = []
    for rows in with_progress(slices(len(queries), QUERIES_PER_LAUNCH)):
        asked = device.upload(queries[rows], wp.vec3d)
        given = [grid.id, here, asked, centre, wp.float64(radius), wp.float64(reach)]
        counts = device.empty(len(asked), wp.int32)
        device.launch(count_within, len(asked), given, [counts])
        count = device.download(counts).astype(np.int64)
        index = device.empty(max(int(count.sum()), 1), wp.int32)
        first = device.upload(np.cumsum(count) - count, wp.int64)
        device.launch(list_within, len(asked), [*given, first], [index])
        query = np.repeat(np.arange(rows.start, rows.start + len(asked)), count)
        found.append((query, device.download(index)[: len(query)].astype(np.int64)))
    return np.concatenate([query for query, _ in found]), np.concatenate([index for _, index in found])
