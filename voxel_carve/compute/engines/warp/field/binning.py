"""Binning on a Warp device: see `field.binning`. The lists of a carve come down once. They stay on the device as well,
for what reads them there."""

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
from .binning_kernels import (
    TILE,
    TILE_BRICKS,
    find_least,
    join_lists,
    list_segments,
    prune_lists,
)
from .pairs import Lists, segments_on

# Where boxes hold more bricks than this, the pairs are counted before there is room for them: one download more.
MOST_GUESSED = 1 << 22

# By which boxes are widened to count their bricks, because the kernels round otherwise.
SLACK = 1e-6

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
        table = BrickTable.over(grid)
        low, high = widened(primitives.bounds())
        boxes = low - SLACK, high + SLACK
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
        first, listed = make_lists(device, list_segments, inputs, len(table), len(segments), work)
    found = room_for(device, len(table), listed, states=((len(table),), wp.uint8))
    count = device.filled(len(table) + 1, 0, wp.int32)
    device.launch(prune_lists, len(table), [*inputs, first], [listed, count, found["states"]])
    join(device, first, listed, device.scan(count), len(segments), found)
    host = device.download_together(found)
    return BinnedSweep(host["states"].reshape(table.shape), bins_of(device, segments, found, host))


def make_lists(
    device: WarpDevice, kernel: Any, inputs: list[Any], lists: int, members: int, work: Work
) -> tuple[Any, Any]:
    """Where each of T lists begins (T + 1,), and what is in them, sorted.

    Args:
        kernel: lists keys, list * members + member: see `list_segments`.
        lists, members: T, and how many members there are in all.

    Returns:
        Two device arrays. The first half of the second one (2 P,) int64 has the keys, and T * members after them.
    """
    int64, beyond = device.wp.int64, lists * members
    most, lengths = work.pairs, device.filled(lists + 1, 0, device.wp.int32)
    with progress_range(0.0, 0.5):
        work.launch(device, kernel, inputs, [lengths, device.empty(0, int64)])
    first = device.scan(lengths)
    if most > MOST_GUESSED:
        most = int(device.download(first[lists:])[0])
    listed = device.filled(2 * most, beyond, int64)
    with progress_range(0.5, 1.0):
        work.launch(device, kernel, inputs, [device.scan(lengths), listed])
    # Lists are short, and may be millions: sorted as one, they take a few passes.
    device.sort(listed, beyond.bit_length())
    return first, listed


def room_for(device: WarpDevice, count: int, listed: Any, **more: Any) -> Packed:
    """Room for lists as they come down."""
    int32 = device.wp.int32
    return device.packed(first=((count + 1,), int32), primitive=((listed.shape[0] // 2,), int32), **more)


def join(device: WarpDevice, from_first: Any, listed: Any, first: Any, primitives: int, found: Packed) -> Packed:
    """The lists without gaps, set in `found`."""
    outputs = [found["first"], found["primitive"]]
    device.launch(join_lists, first.shape[0] - 1, [from_first, listed, first, primitives], outputs)
    return found


def bins_of(device: WarpDevice, owner: Any, found: Packed, host: dict[str, Any]) -> Bins:
    """The lists on the host. Those on the device stay as long as their owner."""
    first = host["first"]
    device.keep(owner, Lists, Lists(first, found["primitive"]))
    bricks = np.flatnonzero(np.diff(first))
    return Bins(bricks, np.append(first[bricks], first[-1]).astype(np.int64), host["primitive"][: first[-1]])
