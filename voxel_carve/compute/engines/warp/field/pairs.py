"""Segments, triangles and their pairs with bricks on a Warp device, and the kernels that set the numbers of each pair.

The kernels have the operations of numba's in the same order.
"""

# mypy: disable-error-code="name-defined"

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from ....formulas import swept_body, triangle
from ....formulas.language import Primitives
from ....formulas.swept_body import anchor
from ....formulas.triangle import anchor_triangle
from ....model.bricks import BRICK_SIZE, Bins, BrickTable, runs
from ....primitives.segments import Segments
from ....primitives.triangles import Triangles
from ..device.device import WarpDevice
from ..device.formulas import double, kernel
from ..device.functions import BRICK_BLOCK_DIM, Pairs, brick_centre
from ..device.structs import wp

BLOCK_DIM = BRICK_BLOCK_DIM
LANES = 32  # threads that share the pairs of a brick

# Limits of a launch: it stays far below 2^31 threads, takes a small part of the free memory, and does not block the
# graphics card of a display for long.
BRICKS_PER_LAUNCH = 1 << 16
BYTES_PER_LAUNCH = 1 << 29
SHARE_OF_MEMORY = 8

BYTES_PER_PAIR = 144  # its primitive and its numbers


@kernel(double)
def anchor_segments(segments: wp.array2d[wp.float64], corner: wp.array[wp.vec3i], pairs: Pairs) -> None:
    """Set the numbers of each pair (brick, segment).

    Launch with (B, LANES).

    Args:
        segments: (K, 10), see `Segments.rows`.
        corner: (B,) index (z, y, x) of each brick's first voxel.
        pairs: `first` and `primitive` are read, `numbers` is written.
    """
    brick, lane = wp.tid()
    centre = brick_centre(corner[brick])
    for pair in range(pairs.first[brick] + lane, pairs.first[brick + 1], LANES):
        anchor(segments, pairs.primitive[pair], centre[0], centre[1], centre[2], pairs.numbers, pair)


@kernel(double)
def anchor_triangles(triangles: Primitives, corner: wp.array[wp.vec3i], pairs: Pairs) -> None:
    """Set the numbers of each pair (brick, triangle), as `anchor_segments` does. `triangles` has no segments."""
    brick, lane = wp.tid()
    centre = brick_centre(corner[brick])
    for pair in range(pairs.first[brick] + lane, pairs.first[brick + 1], LANES):
        anchor_triangle(triangles, pairs.primitive[pair], centre[0], centre[1], centre[2], pairs.numbers, pair)


def launches(device: WarpDevice, cost: npt.NDArray[np.int64]) -> Iterator[tuple[int, int]]:
    """Runs of bricks (start, stop), each for one launch, if each takes `cost` (B,) bytes."""
    return runs(cost, min(BYTES_PER_LAUNCH, device.free_bytes() // SHARE_OF_MEMORY), BRICKS_PER_LAUNCH)


def corners_on(device: WarpDevice, table: BrickTable, bricks: npt.NDArray[np.int64]) -> Any:
    """(B,) vec3i: index (z, y, x) of each brick's first voxel."""
    return device.upload(table.coordinates(bricks) * BRICK_SIZE, device.wp.vec3i)


def segments_on(device: WarpDevice, segments: Segments) -> Any:
    """`Segments.rows`, uploaded once."""
    return device.cached(segments, lambda: device.upload(segments.rows, device.wp.float64))


def triangles_on(device: WarpDevice, triangles: Triangles) -> Any:
    """The struct `Primitives` with these triangles alone, uploaded once."""
    names = ("points", "triangles", "normal")
    return device.cached(
        triangles, lambda: device.struct(Primitives, **{name: getattr(triangles, name) for name in names})
    )


def primitives_on(device: WarpDevice, segments: Segments, triangles: Triangles) -> Any:
    """The struct `Primitives`, uploaded once."""
    mesh = triangles_on(device, triangles)
    rows = segments_on(device, segments)
    return device.struct(Primitives, segments=rows, points=mesh.points, triangles=mesh.triangles, normal=mesh.normal)


def segment_pairs(device: WarpDevice, segments: Segments, bins: Bins, corner: Any) -> Any:
    """The struct `Pairs` of segments and the bricks of `bins`, which have the first voxels `corner` (B,)."""
    return _pairs(device, anchor_segments, swept_body.NUMBERS, lambda: segments_on(device, segments), bins, corner)


def triangle_pairs(device: WarpDevice, triangles: Triangles, bins: Bins, corner: Any) -> Any:
    """The struct `Pairs` of triangles, likewise."""
    return _pairs(device, anchor_triangles, triangle.NUMBERS, lambda: triangles_on(device, triangles), bins, corner)


def _pairs(device: WarpDevice, anchoring: Any, numbers: int, bodies: Callable[[], Any], bins: Bins, corner: Any) -> Any:
    count = len(bins.primitive)
    if not count:
        return device.struct(Pairs, first=bins.first)
    room = device.empty((numbers, count), device.wp.float32)
    pairs = device.struct(Pairs, first=bins.first, primitive=bins.primitive, numbers=room)
    device.launch(anchoring, (len(corner), LANES), [bodies(), corner], [pairs])
    return pairs
