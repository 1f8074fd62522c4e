"""The CUDA backend: Warp kernels. They also run on Warp's CPU device, where they are tested without a GPU."""

from collections import Counter
from collections.abc import Sequence
from contextlib import AbstractContextManager
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from ...arrays import Occupancy
from ...field.binning import BinnedSweep
from ...field.fields import Field, Fields, Known
from ...field.occupancies import BooleanOperation
from ...field.protocol import HeldSlab
from ...field.sweep_group import BinnedSweeps, SweepGroup
from ...model.bricks import Bins, BrickTable
from ...model.combining import Operation
from ...model.grid import Grid
from ...model.mesh import Surface, TriMesh
from ...model.parts import SurfacePart
from ...primitives.boundary import Array, Boundary, EdgeLists
from ...primitives.crossings import Crossings
from ...primitives.segments import Segments
from ...primitives.triangles import Triangles
from ...runtime.errors import BackendError
from ..numba.backend import NumbaBackend
from ..numba.compiler import loading as numba_loading
from ..numba.field import segment_binning
from . import nearest, neighbours
from .contouring import (
    candidate_kernels,
    cell_kernels,
    edge_kernels,
    face_kernels,
    overlap_kernels,
    plain_kernels,
    quad_kernels,
    voxel_kernels,
)
from .contouring import contour as warp_contour
from .device.device import COUNTED, WarpDevice, compile_seconds, load_kernels, start_warp
from .field import binning as warp_binning
from .field import binning_kernels, brick_kernels, column_kernels, field_kernels, lent
from .field import dense as warp_dense
from .field import fields as warp_fields
from .field import stock as warp_stock
from .field import winding as warp_winding
from .field.lent import LentLayers
from .field.sweeps import DeviceSlab, bin_one_sweep

# The modules with the kernels of a carve.
JOB_KERNELS = (
    binning_kernels, brick_kernels, column_kernels, field_kernels, warp_winding, voxel_kernels, candidate_kernels,
    edge_kernels, face_kernels, plain_kernels, cell_kernels, quad_kernels, overlap_kernels,
)  # fmt: skip


class WarpBackend(NumbaBackend):
    """Runs the heavy steps on Warp devices. See `Backend` for what each operation does.

    All devices share the fused pass, and the slabs of dense operations and sessions; other device steps run on the
    first. Measuring runs on the host, in the compiled functions of `NumbaBackend`, and so do the binning of several
    sweeps of a session, and binning and columns where boxes hold more than 32 bits can number. A job waits for those
    kernels too.

    Args:
        devices: names in Warp: "cuda", "cuda:1", "cpu".

    Raises:
        BackendError: Warp is missing, does not start, or has no such device.
    """

    def __init__(self, *devices: str) -> None:
        self._wp = start_warp()
        self._counts: Counter[str] = Counter()
        found = [self._find(name) for name in devices or ("cuda",)]
        self._devices = tuple(WarpDevice(self._wp, device, self._counts) for device in found)
        self._first = self._devices[0]
        self.slabs_at_once = len(self._devices)
        self.name = "cuda" if found[0].is_cuda else "warp"
        self.device = ", ".join(
            name if count == 1 else f"{count} x {name}" for name, count in Counter(d.name for d in found).items()
        )

    def _find(self, name: str) -> Any:
        try:
            return self._wp.get_device(name)
        except (ValueError, RuntimeError) as error:
            names = ", ".join(other.alias for other in self._wp.get_devices())
            raise BackendError("Warp has no device '{name}': choose {names}", name=name, names=names) from error

    def begin_job(self) -> None:
        """Load the kernels of a job, those of the host first, and reset all counts."""
        self._counts.clear()
        numba_loading.load_kernels()
        for device in self._devices:
            for module in JOB_KERNELS:
                load_kernels(module, device.found)

    def counts(self) -> dict[str, int]:
        """Numbers of launches, uploads, downloads, copies between devices, and waits since `begin_job`."""
        return {name: self._counts[name] for name in COUNTED}

    def compile_seconds(self) -> float:
        """Seconds spent on compiling kernels and on loading them from the cache."""
        return compile_seconds() + numba_loading.load_seconds()

    def lend(self, array: Any, writes: bool = False) -> LentLayers | None:
        """The layers of an array on one of the devices, without a copy; None if the host reads it."""
        return lent.lend(self._devices, array, writes)

    def in_order(self, arrays: Sequence[Any], stream: Any) -> AbstractContextManager[None]:
        """Order the work of a block with a stream, or with that of arrays on a device."""
        return lent.in_order(self._devices, arrays, stream)

    def _at(self, *arrays: Any) -> tuple[WarpDevice, ...]:
        """The device that holds the first of these arrays that one holds, or all devices."""
        found = next((each for array in arrays for each in self._devices if each.holds(array)), None)
        return (found,) if found else self._devices

    def boolean(self, operation: BooleanOperation, a: Occupancy, b: Occupancy) -> Occupancy:
        """Union, intersection or difference."""
        return warp_dense.boolean(self._at(a, b), operation, a, b)

    def dilate(self, occupancy: Occupancy, kernel: Occupancy) -> Occupancy:
        """Dilate by a structuring element."""
        return warp_dense.dilate(self._at(occupancy), occupancy, kernel)

    def voxelize_mesh(self, mesh: TriMesh, grid: Grid, fill_holes: bool = False) -> Occupancy:
        """The voxels inside a mesh."""
        return warp_dense.voxelize_mesh(self._devices, mesh, grid, fill_holes)

    def subtract_segments(
        self, occupancy: Occupancy, first_layer: int, segments: Segments, binned: BinnedSweep, table: BrickTable
    ) -> int:
        """Clear the voxels of a slab within binned segments."""
        return warp_dense.subtract_segments(self._at(occupancy)[0], occupancy, first_layer, segments, binned, table)

    def hold(
        self,
        voxels: Any,
        origin: tuple[int, int, int],
        grid: Grid,
        removed: npt.NDArray[np.int64],
        number: int,
    ) -> HeldSlab:
        """Combine sweeps with voxels on the device that holds them, or with a copy on the next device."""
        devices = self._at(voxels)
        device = devices[number % len(devices)]
        is_lent = device.holds(voxels)
        counts, host = device.filled(len(removed), 0, self._wp.int64), None if is_lent else voxels
        here = voxels if is_lent else device.upload(voxels, self._wp.bool)
        return DeviceSlab(device, partial(self._bin_sweeps, device), here, origin, grid, counts, host, removed)

    def _bin_sweeps(self, device: WarpDevice, group: SweepGroup, grid: Grid, layers: slice) -> BinnedSweeps:
        """What the sweeps of a group do in each brick of some layers."""
        if found := bin_one_sweep(device, group, grid, layers):
            return found
        numba_loading.load_kernels()
        return segment_binning.bin_sweeps(group, grid, layers)

    def bin_segments(self, segments: Segments, grid: Grid) -> BinnedSweep:
        """The segments that may be nearest in each brick."""
        if work := warp_binning.Work.of(segments, grid):
            return warp_binning.bin_segments(self._first, segments, grid, work)
        numba_loading.load_kernels()  # dense operations have no `begin_job`
        return super().bin_segments(segments, grid)

    def bin_triangles(self, triangles: Triangles, grid: Grid) -> Bins:
        """The triangles that come near each brick."""
        if work := warp_binning.Work.of(triangles, grid):
            return warp_stock.bin_triangles(self._first, triangles, grid, work)
        return super().bin_triangles(triangles, grid)

    def pass_columns(self, triangles: Triangles, shape: tuple[int, int, int]) -> Crossings:
        """The crossings of the z columns of a grid."""
        found = warp_stock.pass_columns(self._first, triangles, shape)
        return super().pass_columns(triangles, shape) if found is None else found

    def evaluate(self, fields: Fields, operation: Operation) -> Field:
        """Both fields, combined in every brick."""
        return warp_fields.evaluate(self._devices, fields, operation)

    def boundary_winding(self, points: Array, boundary: Boundary, lists: EdgeLists | None = None) -> Array:
        """(N,) sum over the open boundary."""
        return warp_winding.at_points(self._first, warp_winding.sum_at_points, points, boundary, lists)

    def winding_gradient(self, points: Array, boundary: Boundary, lists: EdgeLists | None = None) -> Array:
        """(N, 3) gradient of the winding number."""
        return warp_winding.at_points(self._first, warp_winding.gradient_at_points, points, boundary, lists)

    def change_bound(self, points: Array, boundary: Boundary, reach: float, lists: EdgeLists | None = None) -> Array:
        """(N, 4) its gradient, and how far the sum departs from its linear approximation, at most."""
        return warp_winding.at_points(self._first, warp_winding.bound_at_points, points, boundary, lists, reach)

    def pairs_within(
        self, points: npt.NDArray[np.float64], queries: npt.NDArray[np.float64], radius: float, reach: float
    ) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
        """The pairs of a query and a point within a radius of it: see `neighbours.search.Searching`."""
        return neighbours.pairs_within(self._first, points, queries, radius, reach)

    def nearest_segments(
        self, points: npt.NDArray[np.float64], segments: Segments
    ) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.int64]]:
        """The nearest segment to each point: see `exact.nearest.SegmentSearching`."""
        return nearest.nearest_segments(self._first, points, segments)

    def contour(
        self,
        fields: Fields,
        grid: Grid,
        operation: Operation,
        stock_states: npt.NDArray[np.uint8],
        sweep_states: npt.NDArray[np.uint8],
        octants: npt.NDArray[np.uint8] | None = None,
    ) -> Surface:
        """The surface of the result, made on the first device."""
        return warp_contour.contour(self._first, fields, grid, operation, stock_states, sweep_states, octants)

    def contour_part(
        self,
        fields: Fields,
        known: Known,
        grid: Grid,
        operation: Operation,
        stock_states: npt.NDArray[np.uint8],
        sweep_states: npt.NDArray[np.uint8],
    ) -> SurfacePart:
        """A part of it, likewise."""
        return warp_contour.contour_part(self._first, fields, known, grid, operation, stock_states, sweep_states)
