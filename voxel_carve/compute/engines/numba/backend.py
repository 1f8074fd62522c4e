"""The CPU backend: kernels compiled by numba over runs of bricks, points or faces, with numpy and scipy around them."""

import platform
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from ...arrays import Occupancy
from ...field.binning import BinnedSweep
from ...field.protocol import Backend, HeldSlab
from ...model.bricks import BrickTable
from ...model.grid import Grid
from ...model.mesh import TriMesh
from ...primitives.segments import Segments
from ..scipy import dense as scipy_dense
from .compiler.loading import load_kernels, load_seconds
from .contouring import contour, measuring
from .field import crossings, dense, fields, segment_binning, triangle_binning, winding
from .field.sweeps import HostSlab


class NumbaBackend(Backend):
    """Runs everything on the CPU. See `Backend` for what each operation does.

    Raises:
        BackendError: as `load_kernels`.
    """

    name = "cpu"
    device = platform.processor() or platform.machine()
    notes: tuple[str, ...] = ()
    slabs_at_once = 1
    boolean = staticmethod(scipy_dense.boolean)
    dilate = staticmethod(dense.dilate)
    bin_segments = staticmethod(segment_binning.bin_segments)
    bin_triangles = staticmethod(triangle_binning.bin_triangles)
    pass_columns = staticmethod(crossings.crossings_of)
    boundary_winding = staticmethod(winding.boundary_winding)
    winding_gradient = staticmethod(winding.winding_gradient)
    change_bound = staticmethod(winding.change_bound)
    crossings_in_bricks = staticmethod(crossings.in_bricks)
    evaluate = staticmethod(fields.evaluate)
    measure = staticmethod(measuring.measure)
    contour_part = staticmethod(contour.contour_part)
    contour = staticmethod(contour.contour)
    compile_seconds = staticmethod(load_seconds)

    def __init__(self) -> None:
        self.notes = load_kernels()

    def begin_job(self) -> None:
        """Do nothing: the kernels are loaded already."""

    def counts(self) -> dict[str, int]:
        """No counts: there is no device."""
        return {}

    def voxelize_mesh(self, mesh: TriMesh, grid: Grid, fill_holes: bool = False) -> Occupancy:
        """The voxels inside a mesh."""
        return dense.voxelize_mesh(mesh, grid, fill_holes, self)

    def subtract_segments(
        self, occupancy: Occupancy, first_layer: int, segments: Segments, binned: BinnedSweep, table: BrickTable
    ) -> int:
        """Clear the voxels of a slab within binned segments."""
        distance_in = partial(dense.segment_distance, self, segments, table)
        return scipy_dense.subtract_segments(occupancy, first_layer, binned, table, distance_in)

    def hold(
        self,
        voxels: Any,
        origin: tuple[int, int, int],
        grid: Grid,
        removed: npt.NDArray[np.int64],
        number: int,
    ) -> HeldSlab:
        """Combine sweeps with voxels where they lie."""
        return HostSlab(self, voxels, origin, grid, removed)
