"""Segments, triangles and their pairs with bricks on a Warp device."""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from ....formulas import swept_body, triangle
from ....formulas.language import Primitives
from ....model.bricks import Bins, runs
from ....primitives.segments import Segments
from ....primitives.triangles import Triangles
from ..device.device import WarpDevice
from ..device.functions import Pairs
from .brick_kernels import LANES, anchor_segments, anchor_triangles

# Limits of a launch: it stays far below 2^31 threads, takes a small part of the free memory, and does not block the
# graphics card of a display for long.
BRICKS_PER_LAUNCH = 1 << 16
BYTES_PER_LAUNCH = 1 << 29
SHARE_OF_MEMORY = 8

BYTES_PER_PAIR = 144  # its primitive and its numbers


def launches(device: WarpDevice, cost: npt.NDArray[np.int64]) -> Iterator[tuple[int, int]]:
    """Runs of bricks (start, stop), each for one launch, if each takes `cost` (B,) bytes."""
    return runs(cost, min(BYTES_PER_LAUNCH, device.free_bytes() // SHARE_OF_MEMORY), BRICKS_PER_LAUNCH)


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


def _pairs(device: WarpDevice, kernel: Any, numbers: int, bodies: Callable[[], Any], bins: Bins, corner: Any) -> Any:
    count = len(bins.primitive)
    if not count:
        return device.struct(Pairs, first=bins.first)
    room = device.empty((numbers, count), device.wp.float32)
    pairs = device.struct(Pairs, first=bins.first, primitive=bins.primitive, numbers=room)
    device.launch(kernel, (len(corner), LANES), [bodies(), corner], [pairs])
    return pairs
