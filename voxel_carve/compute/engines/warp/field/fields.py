"""The fused pass on Warp devices. It visits each brick once. The field stays on the first device."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise, zip_longest
from typing import Any

import numpy as np
import numpy.typing as npt

from ....field.fields import Field, Fields
from ....model.bricks import BRICK_SIZE, BRICK_VOXELS
from ....model.combining import Operation
from ....primitives.boundary import BoundarySums
from ....primitives.crossings import Crossings
from ....runtime.errors import BackendError
from ....runtime.progress import report_progress
from ..device.device import WarpDevice
from .field_kernels import Bricks, Columns, Sums, evaluate_bricks
from .pairs import BYTES_PER_PAIR, launches, segment_pairs, triangle_pairs

# Memory of a brick during its evaluation, without its pairs; and of its boundary sums, if it has its own.
BYTES_PER_BRICK = 128
BYTES_PER_SUMS = 12 * BRICK_VOXELS

# Memory of a brick's distances and nearest primitives.
BYTES_PER_FIELD = 8 * BRICK_VOXELS

# The cost of a brick without pairs, in pairs.
PAIRS_PER_BRICK = 16


@dataclass(frozen=True)
class Share:
    """The bricks that one device evaluates.

    Attributes:
        device: where they are evaluated.
        start, stop: the first of its B bricks among all, and the first after them.
        distance, nearest: (B, 512) float32 and int32 on the device: see `Field`.
    """

    device: WarpDevice
    start: int
    stop: int
    distance: Any
    nearest: Any


def evaluate(devices: Sequence[WarpDevice], fields: Fields, operation: Operation) -> Field:
    """See `Backend.evaluate`. The devices share the bricks; the field stays on the first device.

    Raises:
        BackendError: a device has too little memory for its share.
    """
    check_device_memory(devices[0], len(fields), BYTES_PER_FIELD)
    wp, shape = devices[0].wp, (len(fields), BRICK_VOXELS)
    ends = split_by_cost(estimated_cost(fields), len(devices))
    distance, nearest = devices[0].empty(shape, wp.float32), devices[0].empty(shape, wp.int32)
    shares = [
        Share(device, start, stop, distance[start:stop], nearest[start:stop])
        if device is devices[0]
        else _share(device, start, stop)
        for device, (start, stop) in zip(devices, pairwise(ends), strict=True)
        if stop > start
    ]
    done = 0
    for chunks in zip_longest(*(_chunks(share, fields) for share in shares)):
        report_progress(done / len(fields))
        # All devices get work before the first wait.
        for share, chunk in zip(shares, chunks, strict=True):
            if chunk:
                start, stop = chunk
                _evaluate_bricks(share, fields, start, stop, operation)
                done += stop - start
        for share in shares:
            share.device.wait()
    gathered = [share for share in shares if share.device is not devices[0]]
    for share in gathered:
        devices[0].gather(share.distance, distance[share.start : share.stop])
        devices[0].gather(share.nearest, nearest[share.start : share.stop])
    if gathered:
        # The sources of these copies are freed on return.
        devices[0].wait()
    return fields.combined(distance, nearest, operation)


def check_device_memory(device: WarpDevice, bricks: int, each: int) -> None:
    """Raise BackendError if a device has too little memory for `bricks` bricks, which take `each` bytes."""
    needed, free = bricks * each, device.free_bytes()
    if needed > free:
        raise BackendError(
            "{name} has {free:.0f} MiB of memory free, and the job needs about {needed:.0f} MiB: "
            "use larger voxels, or choose cpu",
            name=device.name,
            free=free / 2**20,
            needed=needed / 2**20,
        )


def estimated_cost(fields: Fields) -> npt.NDArray[np.int64]:
    """(B,) estimated cost of evaluating each brick, in pairs."""
    return np.diff(fields.triangle_bins.first) + np.diff(fields.segment_bins.first) + PAIRS_PER_BRICK


def split_by_cost(cost: npt.NDArray[np.int64], devices: int) -> list[int]:
    """First row of each device, then the end of the last one, so that all have about the same cost."""
    total = np.cumsum(cost)
    parts = total[-1] * np.arange(1, devices) / devices if len(total) else np.zeros(devices - 1)
    return [0, *np.searchsorted(total, parts, side="right").tolist(), len(cost)]


def _share(device: WarpDevice, start: int, stop: int) -> Share:
    """The share of bricks start to stop, with memory of its own."""
    wp, shape = device.wp, (stop - start, BRICK_VOXELS)
    return Share(device, start, stop, device.empty(shape, wp.float32), device.empty(shape, wp.int32))


def _chunks(share: Share, fields: Fields) -> Iterator[tuple[int, int]]:
    """Runs of bricks (start, stop) of a share, each small enough for the memory at hand."""
    pairs = np.diff(fields.triangle_bins.first) + np.diff(fields.segment_bins.first)
    cost = pairs * BYTES_PER_PAIR + (fields.sums.row >= 0) * BYTES_PER_SUMS + BYTES_PER_BRICK
    for start, stop in launches(share.device, cost[share.start : share.stop]):
        yield share.start + start, share.start + stop


def _evaluate_bricks(share: Share, fields: Fields, start: int, stop: int, operation: Operation) -> None:
    """Launch the evaluation of bricks start to stop, which are of a share."""
    device, fields = share.device, fields.at(np.arange(start, stop))
    own = slice(start - share.start, stop - share.start)
    corner = fields.table.coordinates(fields.bricks) * BRICK_SIZE
    bricks = device.struct(Bricks, corner=corner, stock=fields.stock_state, sweep=fields.sweep_state)
    inputs = [
        bricks,
        triangle_pairs(device, fields.triangles, fields.triangle_bins, bricks.corner),
        columns_on(device, fields.crossings),
        _sums(device, fields.sums),
        segment_pairs(device, fields.segments, fields.segment_bins, bricks.corner),
        -1.0 if operation == "subtract" else 1.0,
        operation == "union",
    ]
    distance = share.distance[own]
    device.launch(evaluate_bricks, distance.shape, inputs, [distance, share.nearest[own]])


def columns_on(device: WarpDevice, crossings: Crossings) -> Any:
    """The struct `Columns`, uploaded once."""
    shape, names = device.wp.vec3i(*crossings.shape), ("start", "height", "total")
    return device.cached(
        crossings.start,
        lambda: device.struct(Columns, shape=shape, **{name: getattr(crossings, name) for name in names}),
    )


def _sums(device: WarpDevice, sums: BoundarySums) -> Any:
    """The struct `Sums`, with only the rows of these bricks."""
    own = sums.row >= 0
    row, kept = np.where(own, np.cumsum(own) - 1, -1), sums.row[own]
    by_voxel = {"voxel_sum": sums.voxel_sum[kept], "to_cap": sums.to_cap[kept]} if len(kept) else {}
    return device.struct(Sums, sum=sums.sum, row=row, **by_voxel)
