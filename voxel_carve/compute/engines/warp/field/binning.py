"""Binning on a Warp device: see `field.binning`. The lists come down once. They stay on the device as well, for what
reads them there."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from ....field.binning import BinnedSweep, tiles_in_boxes, widened
from ....model.bricks import BRICK_SIZE, Bins, BrickTable, runs
from ....model.grid import Grid
from ....primitives.segments import Segments
from ....primitives.triangles import Triangles
from ....runtime.progress import progress_range, with_progress
from ..device.device import MOST_ELEMENTS, WarpDevice
from ..device.packing import Packed
from .binning_kernels import TILE, TILE_BRICKS, find_least, join_lists, list_segments, list_triangles, prune_lists
from .pairs import Lists, segments_on, triangles_on

# Where boxes hold more bricks than this, the pairs are counted before there is room for them: one download more.
MOST_GUESSED = 1 << 22

# Tests of a brick or a tile in a launch, so that it does not block the graphics card of a display for long.
TESTS_PER_LAUNCH = 1 << 26


@dataclass(frozen=True)
class Work:
    """What primitives take to be binned.

    Attributes:
        pairs: the bricks in all boxes: there are not more pairs.
        launches: runs of primitives (start, stop), each for one launch.
    """

    pairs: int
    launches: list[tuple[int, int]]

    @classmethod
    def of(cls, primitives: Segments | Triangles, grid: Grid) -> "Work | None":
        """The work for primitives on a grid; None if they cannot be binned here, because 32 bits number the pairs."""
        boxes, table = widened(primitives.bounds()), BrickTable.over(grid)
        pairs = int(tiles_in_boxes(*boxes, BRICK_SIZE, table).sum())
        if max(2 * pairs, len(table)) >= MOST_ELEMENTS:
            return None
        tests = TILE_BRICKS * np.maximum(tiles_in_boxes(*boxes, TILE * BRICK_SIZE, table), 1).astype(np.int64)
        return cls(pairs, list(runs(tests, TESTS_PER_LAUNCH)))

    def launch(self, device: WarpDevice, kernel: Any, inputs: list[Any], outputs: list[Any]) -> None:
        """Launch a kernel that takes the first primitive of a run behind its other inputs."""
        for start, stop in with_progress(self.launches):
            device.launch(kernel, (stop - start, TILE_BRICKS), [*inputs, start], outputs)


def bin_segments(device: WarpDevice, segments: Segments, grid: Grid, work: Work) -> BinnedSweep:
    """See `Backend.bin_segments`."""
    wp, table = device.wp, BrickTable.over(grid)
    nearest = device.filled(len(table), np.inf, wp.float64)
    inputs = [segments_on(device, segments), wp.vec3i(*table.shape)]
    with progress_range(0.0, 0.3):
        work.launch(device, find_least, inputs, [nearest])
    inputs.append(nearest)
    with progress_range(0.3, 1.0):
        first, listed = _listed(device, list_segments, inputs, table, work)
    found = _room(device, table, listed, states=((len(table),), wp.uint8))
    count = device.filled(len(table) + 1, 0, wp.int32)
    device.launch(prune_lists, len(table), [*inputs, first], [listed, count, found["states"]])
    host = _joined(device, table, first, listed, device.scan(count), found)
    return BinnedSweep(host["states"].reshape(table.shape), _bins(device, segments, found, host))


def bin_triangles(device: WarpDevice, triangles: Triangles, grid: Grid, work: Work) -> Bins:
    """See `Backend.bin_triangles`."""
    table = BrickTable.over(grid)
    inputs = [triangles_on(device, triangles), device.wp.vec3i(*table.shape)]
    first, listed = _listed(device, list_triangles, inputs, table, work)
    found = _room(device, table, listed)
    return _bins(device, triangles, found, _joined(device, table, first, listed, first, found))


def _listed(device: WarpDevice, kernel: Any, inputs: list[Any], table: BrickTable, work: Work) -> tuple[Any, Any]:
    """Where the list of each brick begins (T + 1,), and the lists, ascending, in the first half of an array."""
    int32, most = device.wp.int32, work.pairs
    lengths = device.filled(len(table) + 1, 0, int32)
    with progress_range(0.0, 0.5):
        work.launch(device, kernel, inputs, [lengths, device.empty(0, int32)])
    first = device.scan(lengths)
    if most > MOST_GUESSED:
        most = int(device.download(first[len(table) :])[0])
    listed = device.empty(2 * most, int32)
    with progress_range(0.5, 1.0):
        work.launch(device, kernel, inputs, [device.scan(lengths), listed])
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
