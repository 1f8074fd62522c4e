"""What is on a Warp device while a surface is made."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ....field.fields import Fields, Known, places_of
from ....formulas import language
from ....model.bricks import BRICK_SIZE, BRICK_VOXELS, Bins
from ....model.combining import Operation, Rule
from ....primitives.segments import Segments
from ....primitives.triangles import Triangles
from ....runtime.progress import with_progress
from ..device.device import WarpDevice
from ..field import pairs as field_pairs
from ..field.fields import BYTES_PER_BRICK, columns_on
from ..field.pairs import BYTES_PER_PAIR, launches, primitives_on, segment_pairs, segments_on
from . import layout, voxel_kernels

ITEMS_PER_LAUNCH = 1 << 20  # edges, faces or cells


@dataclass(frozen=True)
class Job:
    """What is on the device throughout: structs of the kernels.

    Attributes:
        device: where it is.    bricks: how many there are.    known: how far.    carves: see `Rule`.
    """

    device: WarpDevice
    bricks: int
    known: Known
    carves: bool
    layout: Any
    primitives: Any
    rule: Any
    stock: Any
    columns: Any
    swept: Any
    triangles: Any
    segments: Any

    @classmethod
    def of(
        cls,
        device: WarpDevice,
        fields: Fields,
        known: Known,
        operation: Operation,
        stock_states: Any,
        sweep_states: Any,
    ) -> "Job":
        """The fields on the device, and the sweep sampled there."""
        wp, bricks, rule = device.wp, len(fields), Rule.of(operation)
        corner = fields.table.coordinates(fields.bricks) * BRICK_SIZE
        lie = device.struct(
            layout.Layout, corner=corner, places=places_of(fields), states=fields.states, octants=known.masks()
        )
        sums = fields.sums
        by_voxel = {"voxel_sum": sums.voxel_sum} if len(sums.voxel_sum) else {}
        stock = device.struct(
            voxel_kernels.Stock, states=stock_states, state=fields.stock_state, sum=sums.sum, row=sums.row, **by_voxel
        )
        swept = device.struct(
            voxel_kernels.Swept,
            states=sweep_states,
            state=fields.sweep_state,
            distance=device.empty((bricks, BRICK_VOXELS), wp.float32),
            nearest=device.empty((bricks, BRICK_VOXELS), wp.int32),
            thin=device.filled(bricks, 0, wp.uint8),
        )
        _sample_sweep(device, fields, corner, swept)
        return cls(
            device,
            bricks,
            known,
            rule.carves,
            lie,
            primitives_on(device, fields.segments, fields.triangles),
            device.struct(language.Rule, **rule._asdict()),
            stock,
            columns_on(device, fields.crossings),
            swept,
            _lists(device, fields.triangles, fields.triangle_bins),
            _lists(device, fields.segments, fields.segment_bins),
        )


def _sample_sweep(device: WarpDevice, fields: Fields, corner: npt.NDArray[np.int64], swept: Any) -> None:
    """Sample the sweep in all bricks, as many at once as there is memory for their pairs."""
    rows, bins = segments_on(device, fields.segments), fields.segment_bins
    cost = np.diff(bins.first) * BYTES_PER_PAIR + BYTES_PER_BRICK
    for start, stop in with_progress(list(launches(device, cost))):
        own = bins if stop - start == len(fields) else bins.at(np.arange(start, stop))
        first = device.upload(corner[start:stop], device.wp.vec3i)
        pairs = segment_pairs(device, fields.segments, own, first)
        device.launch(voxel_kernels.sample_sweep, (stop - start, BRICK_VOXELS), [pairs, rows, start], [swept])


def _lists(device: WarpDevice, primitives: Segments | Triangles, bins: Bins) -> Any:
    """The struct `Lists` of these bricks. The lists themselves may be on the device already."""
    kept = device.kept(primitives, field_pairs.Lists)
    shift = None if kept is None else kept.shift_of(bins)
    if shift is None:
        return device.struct(
            layout.Lists, first=bins.first, shift=np.zeros(len(bins.bricks), np.int32), listed=bins.primitive
        )
    return device.struct(layout.Lists, first=bins.first, shift=shift, listed=kept.primitive)


def runs_of(length: int, most: int | None = None) -> list[tuple[int, int]]:
    """Runs (start, count) of at most `most`, or of as many edges, faces or cells as one launch takes."""
    step = ITEMS_PER_LAUNCH if most is None else most
    return [(start, min(step, length - start)) for start in range(0, length, step)]


def total_of(device: WarpDevice, scanned: Any) -> int:
    """The last element of a prefix sum."""
    return int(device.download(scanned[scanned.shape[0] - 1 :])[0])
