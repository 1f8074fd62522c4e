"""Binning on a Warp device: see `field.binning`. The lists come down once. They stay on the device as well, for what
reads them there."""

from typing import Any

import numpy as np

from ....field.binning import BinnedSweep, bricks_in_boxes, widened
from ....model.bricks import Bins, BrickTable
from ....model.grid import Grid
from ....primitives.segments import Segments
from ....primitives.triangles import Triangles
from ..device.device import MOST_ELEMENTS, WarpDevice
from ..device.packing import Packed
from .binning_kernels import TILE_BRICKS, find_least, join_lists, list_segments, list_triangles, prune_lists
from .pairs import Lists, segments_on, triangles_on

# Where boxes hold more bricks than this, the pairs are counted before there is room for them: one download more.
MOST_GUESSED = 1 << 22


def most_pairs(primitives: Segments | Triangles, grid: Grid) -> int | None:
    """An upper bound of the number of pairs: the bricks in the boxes of primitives.

    None if they cannot be binned here: threads and pairs are numbered by 32 bits.
    """
    table = BrickTable.over(grid)
    most = bricks_in_boxes(*widened(primitives.bounds()), table)
    return most if max(2 * most, len(primitives) * TILE_BRICKS, len(table)) < MOST_ELEMENTS else None


def bin_segments(device: WarpDevice, segments: Segments, grid: Grid, most: int) -> BinnedSweep:
    """See `Backend.bin_segments`. There are at most `most` pairs."""
    wp, table = device.wp, BrickTable.over(grid)
    nearest = device.filled(len(table), np.inf, wp.float64)
    inputs = [segments_on(device, segments), wp.vec3i(*table.shape)]
    device.launch(find_least, (len(segments), TILE_BRICKS), inputs, [nearest])
    inputs.append(nearest)
    first, listed = _listed(device, list_segments, len(segments), inputs, table, most)
    found = _room(device, table, listed, states=((len(table),), wp.uint8))
    count = device.filled(len(table) + 1, 0, wp.int32)
    device.launch(prune_lists, len(table), [*inputs, first], [listed, count, found["states"]])
    host = _joined(device, table, first, listed, device.scan(count), found)
    return BinnedSweep(host["states"].reshape(table.shape), _bins(device, segments, found, host))


def bin_triangles(device: WarpDevice, triangles: Triangles, grid: Grid, most: int) -> Bins:
    """See `Backend.bin_triangles`, likewise."""
    table = BrickTable.over(grid)
    inputs = [triangles_on(device, triangles), device.wp.vec3i(*table.shape)]
    first, listed = _listed(device, list_triangles, len(triangles), inputs, table, most)
    found = _room(device, table, listed)
    return _bins(device, triangles, found, _joined(device, table, first, listed, first, found))


def _listed(
    device: WarpDevice, kernel: Any, count: int, inputs: list[Any], table: BrickTable, most: int
) -> tuple[Any, Any]:
    """Where the list of each brick begins (T + 1,), and the lists, ascending, in the first half of an array."""
    int32, threads = device.wp.int32, (count, TILE_BRICKS)
    lengths = device.filled(len(table) + 1, 0, int32)
    device.launch(kernel, threads, inputs, [lengths, device.empty(0, int32)])
    first = device.scan(lengths)
    if most > MOST_GUESSED:
        most = int(device.download(first[len(table) :])[0])
    listed = device.empty(2 * most, int32)
    device.launch(kernel, threads, inputs, [device.scan(lengths), listed])
    device.sort_runs(listed, first)
    return first, listed


def _room(device: WarpDevice, table: BrickTable, listed: Any, **more: Any) -> Packed:
    """Room for lists as they come down."""
    int32 = device.wp.int32
    return device.packed(first=((len(table) + 1,), int32), primitive=((listed.shape[0] // 2,), int32), **more)


def _joined(
    device: WarpDevice, table: BrickTable, from_first: Any, listed: Any, first: Any, found: Packed
) -> dict[str, Any]:
    """The lists without gaps, set in `found` and downloaded."""
    device.launch(join_lists, len(table), [from_first, listed, first], [found["first"], found["primitive"]])
    return device.download_together(found)


def _bins(device: WarpDevice, owner: Any, found: Packed, host: dict[str, Any]) -> Bins:
    """The lists on the host. Those on the device stay as long as their owner."""
    first = host["first"]
    device.keep(owner, Lists, Lists(first, found["primitive"]))
    bricks = np.flatnonzero(np.diff(first))
    return Bins(bricks, np.append(first[bricks], first[-1]).astype(np.int64), host["primitive"][: first[-1]])
