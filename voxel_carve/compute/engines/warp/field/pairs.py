"""Segments, triangles and their pairs with bricks on a Warp device."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, TypeVar

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

T = TypeVar("T", Segments, Triangles)

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
    return _pairs(device, anchor_segments, swept_body.NUMBERS, segments, segments_on, bins, corner)


def triangle_pairs(device: WarpDevice, triangles: Triangles, bins: Bins, corner: Any) -> Any:
    """The struct `Pairs` of triangles, likewise."""
    return _pairs(device, anchor_triangles, triangle.NUMBERS, triangles, triangles_on, bins, corner)


@dataclass(frozen=True)
class Lists:
    """The lists of all T bricks of a grid that were made on a device. Primitives are in voxels of one grid, and so have
    one such set of lists.

    Attributes:
        first: (T + 1,) int32, brick b owns the pairs first[b] to first[b + 1].
        primitive: (P,) int32 on the device.
    """

    first: npt.NDArray[np.int32]
    primitive: Any

    def shift_of(self, bins: Bins) -> npt.NDArray[np.int64] | None:
        """(B,) how many places later the lists of some bricks begin here; None if they are not as long here."""
        if not len(bins.bricks) or bins.bricks[-1] + 1 >= len(self.first):
            return None
        begin, stop = self.first[bins.bricks], self.first[bins.bricks + 1]
        return begin - bins.first[:-1] if np.array_equal(stop - begin, np.diff(bins.first)) else None


def _pairs(
    device: WarpDevice,
    kernel: Any,
    numbers: int,
    primitives: T,
    bodies: Callable[[WarpDevice, T], Any],
    bins: Bins,
    corner: Any,
) -> Any:
    count, lists = len(bins.primitive), device.kept(primitives, Lists)
    shift, listed = None if lists is None else lists.shift_of(bins), bins.primitive
    if shift is None:
        shift = np.zeros(len(bins.bricks), dtype=np.int64)
    else:
        listed = lists.primitive
    room = device.empty((numbers, count), device.wp.float32)
    pairs = device.struct(Pairs, first=bins.first, shift=shift, listed=listed, numbers=room)
    if count:
        device.launch(kernel, (len(corner), LANES), [bodies(device, primitives), corner], [pairs])
    return pairs
