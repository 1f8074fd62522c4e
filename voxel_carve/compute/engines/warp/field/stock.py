"""The stock on a Warp device: its triangles binned, and its z columns passed. Both come down together, and both stay on
the device as well, for what reads them there."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from ....formulas import z_columns
from ....formulas.binding import ON_ARRAYS
from ....model.bricks import Bins, BrickTable, runs
from ....model.grid import Grid
from ....primitives.crossings import Crossings, keys_in_column
from ....primitives.triangles import Triangles
from ....runtime.progress import progress_range
from ..device.device import MOST_ELEMENTS, WarpDevice
from ..device.packing import Packed
from . import binning
from .binning import Work, bins_of, join, make_lists, room_for
from .binning_kernels import list_triangles
from .column_kernels import LANES, list_crossings, read_crossings
from .field_kernels import Columns
from .pairs import triangles_on

column_range = ON_ARRAYS(z_columns.column_range)


@dataclass(frozen=True)
class Passed:
    """The crossings of the z columns of a grid, on a device.

    Attributes:
        device: where they are.
        shape: of the grid, (Z, Y, X).
        first: (C + 1,) int32, where the list of each column begins.
        listed: (2 P,) int64, in its first half the crossings, sorted: column * `keys_in_column(shape)` + key, see
            `Crossings.of`. There may be fewer than P.
    """

    device: WarpDevice
    shape: tuple[int, int, int]
    first: Any
    listed: Any

    @classmethod
    def of(cls, device: WarpDevice, triangles: Triangles, shape: tuple[int, int, int]) -> "Passed | None":
        """The crossings with triangles; None if 32 bits cannot number them."""
        columns, (low, high) = np.ones(len(triangles)), triangles.bounds()
        for axis, side in enumerate((shape[2], shape[1])):
            first, last = column_range(low[:, axis], high[:, axis], float(side))
            columns *= np.maximum(last - first + 1, 0)
        most = int(columns.sum())
        if max(2 * most, shape[1] * shape[2]) >= MOST_ELEMENTS:
            return None
        work = Work(most, list(runs(np.maximum(columns, LANES).astype(np.int64), binning.TESTS_PER_LAUNCH)))
        inputs, count = [triangles_on(device, triangles), device.wp.vec3i(*shape)], shape[1] * shape[2]
        first, listed = make_lists(device, list_crossings, inputs, count, keys_in_column(shape), work)
        return cls(device, shape, first, listed)

    def shapes(self) -> dict[str, Any]:
        """What comes down, as for `WarpDevice.packed`."""
        int32 = self.device.wp.int32
        return {"start": (self.first.shape, int32), "key": ((self.listed.shape[0] // 2,), int32)}

    def columns(self, found: Packed) -> Any:
        """The struct `Columns`. What comes down is set in `found`."""
        device, int32, (start, key) = self.device, self.device.wp.int32, (found["start"], found["key"])
        height, sign = device.empty(key.shape, int32), device.empty(key.shape[0] + 1, int32)
        outputs = [start, key, height, sign]
        inputs = [self.first, self.listed, keys_in_column(self.shape)]
        device.launch(read_crossings, max(start.shape[0], sign.shape[0]), inputs, outputs)
        shape = device.wp.vec3i(*self.shape)
        return device.struct(Columns, shape=shape, start=start, height=height, total=device.scan(sign))

    def crossings(self, columns: Any, host: dict[str, Any]) -> Crossings:
        """The crossings, from what came down. On the device, `columns` stay as long as they do."""
        start = host["start"].astype(np.int64)
        found = Crossings.of(self.shape, host["key"][: start[-1]], start)
        self.device.keep(found.start, None, columns)
        return found


def bin_triangles(device: WarpDevice, triangles: Triangles, grid: Grid, work: Work) -> Bins:
    """See `Backend.bin_triangles`. The z columns of the grid are passed as well, because they can come down at once."""
    table = BrickTable.over(grid)
    inputs = [triangles_on(device, triangles), device.wp.vec3i(*table.shape)]
    with progress_range(0.0, 0.6):
        first, lists = make_lists(device, list_triangles, inputs, len(table), len(triangles), work)
    with progress_range(0.6, 1.0):
        passed = Passed.of(device, triangles, grid.shape)
    found = room_for(device, len(table), lists, **(passed.shapes() if passed else {}))
    join(device, first, lists, first, len(triangles), found)
    columns = passed.columns(found) if passed else None
    host = device.download_together(found)
    if passed:
        device.keep(triangles, Crossings, passed.crossings(columns, host))
    return bins_of(device, triangles, found, host)


def pass_columns(device: WarpDevice, triangles: Triangles, shape: tuple[int, int, int]) -> Crossings | None:
    """See `Backend.pass_columns`. They are there if the triangles were binned on the same grid. None if 32 bits cannot
    number them."""
    known: Crossings | None = device.kept(triangles, Crossings)
    if known is not None and known.shape == shape:
        return known
    passed = Passed.of(device, triangles, shape)
    if passed is None:
        return None
    found = device.packed(**passed.shapes())
    columns = passed.columns(found)
    return passed.crossings(columns, device.download_together(found))
