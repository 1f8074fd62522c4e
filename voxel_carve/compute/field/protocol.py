"""The operations of every backend, as protocols."""

from collections.abc import Sequence
from contextlib import AbstractContextManager
from typing import Any, Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt

from ..arrays import Occupancy
from ..model.bricks import Bins, BrickTable
from ..model.combining import Operation
from ..model.grid import Grid, as_floats
from ..model.mesh import Surface, TriMesh
from ..model.parts import SurfacePart
from ..model.sweep import Sweep
from ..primitives.boundary import Boundary, EdgeLists
from ..primitives.crossings import Crossings
from ..primitives.segments import Segments
from ..primitives.triangles import Triangles
from .binning import BinnedSweep
from .fields import Field, Fields, Known
from .occupancies import BooleanOperation, carvable
from .sweep_group import SweepGroup


@runtime_checkable
class DenseBackend(Protocol):
    """The operations on dense occupancies. All backends give the same voxels.

    All operations report progress and can be cancelled: see `progress`. Occupancies are bool arrays in (Z, Y, X) order.

    Attributes:
        name: "cpu" or "cuda"; "scipy" for a backend with dense operations alone.
        device: what it runs on, for reports.
    """

    name: str
    device: str

    def boolean(self, operation: BooleanOperation, a: Occupancy, b: Occupancy) -> Occupancy:
        """Union, intersection or difference (a without b) of two occupancies of the same shape, as a new array.

        Raises:
            InputError: unknown operation, wrong type, or shapes that differ.
        """

    def dilate(self, occupancy: Occupancy, kernel: Occupancy) -> Occupancy:
        """Place a structuring element on every set voxel, centred on its middle voxel, and clip it to the grid.

        Args:
            occupancy: (Z, Y, X).
            kernel: any structuring element with odd sides, in the same order of axes.

        Returns:
            A new occupancy of the same shape.

        Raises:
            InputError: wrong type, or an even side.
        """

    def voxelize_mesh(self, mesh: TriMesh, grid: Grid, fill_holes: bool = False) -> Occupancy:
        """The voxels where the generalised winding number of the centre is above 0.5 in absolute value.

        Any mesh is accepted: closed, open, self-intersecting, non-manifold, and partly or wholly outside the grid.

        Args:
            mesh: in world space.
            grid: of any shape.
            fill_holes: also set the voxels that cannot be reached from the grid's sides, face to face.
        """

    def bin_segments(self, segments: Segments, grid: Grid) -> BinnedSweep:
        """For each brick that the sweep's surface can reach, the segments that can be nearest to a voxel centre."""

    def subtract_segments(
        self, occupancy: Occupancy, first_layer: int, segments: Segments, binned: BinnedSweep, table: BrickTable
    ) -> int:
        """Clear, in place, the voxels of a slab whose distance to the nearest segment is 0 or less.

        SOLID bricks are cleared entirely, NEAR bricks by distance. No other voxels are touched. Bricks are those of the
        whole grid, so that slabs of any height give the same voxels.

        Args:
            occupancy: (L, Y, X), the layers first_layer to first_layer + L of a grid; any strides.
            first_layer: index z of the slab's lowest layer in the grid.
            segments: in voxel units from the grid's origin.
            binned: their bins in the bricks of the whole grid. Bricks outside the slab are ignored.
            table: the bricks of the whole grid.

        Returns:
            The number of cleared voxels that were set.
        """

    def subtract_sweep(self, occupancy: Occupancy, grid: Grid, sweep: Sweep) -> int:
        """Clear, in place, the voxels in a sweep. Return how many of them were set.

        Args:
            occupancy: (Z, Y, X), of the grid's shape, writeable.
            grid: where the voxels lie.
            sweep: in world space.

        Raises:
            InputError: wrong type or shape, or read-only.
        """
        voxels = carvable(occupancy, grid)
        segments = Segments.on_grid(sweep, grid)
        binned = self.bin_segments(segments, grid)
        return self.subtract_segments(voxels, 0, segments, binned, BrickTable.over(grid))

    def subtract_swept_capsule(
        self, occupancy: Occupancy, grid: Grid, p0: npt.ArrayLike, p1: npt.ArrayLike, radius: float
    ) -> int:
        """Clear, in place, the voxels within `radius` of the line from p0 to p1. Return how many of them were set.

        Args:
            occupancy: (Z, Y, X), of the grid's shape, writeable.
            grid: where the voxels lie.
            p0, p1: (3,) points (x, y, z) in any unit of length. If they are equal, the capsule is a ball.
            radius: in the unit of the points.

        Raises:
            InputError: as `subtract_sweep`; a radius that is not positive; points that are not finite.
        """
        start, end = (as_floats(point, "one of a capsule's points") for point in (p0, p1))
        size = as_floats(radius, "a capsule's radius")
        return self.subtract_sweep(occupancy, grid, Sweep(start, end, size, size))


@runtime_checkable
class LendingBackend(Protocol):
    """What a dense backend has beside that if it works on arrays in the memory of its devices, without a copy.

    Its dense operations take such arrays, as `lend` shows them, in place of those of numpy, and then give such.
    """

    def lend(self, array: Any, writes: bool = False) -> Any:
        """What stands in for the `Layers` of an array in a device's memory; None if the host reads it.

        Raises:
            InputError: it is no occupancy, or lies where the backend does not work; or it is to be written to and must
                not be.
        """

    def in_order(self, arrays: Sequence[Any], stream: Any) -> AbstractContextManager[None]:
        """Order the work of a block with that of a stream: if it is None, that of the first of these arrays that a
        device has."""


class HeldSlab(Protocol):
    """A box of voxels that a backend holds where it works, while sweeps are combined with it."""

    def combine(self, group: SweepGroup) -> None:
        """Combine the sweeps of a group with the box, in their order. The work may still be going on afterwards."""

    def copied(self) -> Any:
        """A copy as it is now, which counts on its own, and needs no `finish`."""

    def leave_out(self, other: Any, place: int) -> None:
        """Clear the voxels that are in `other`, a part of this box, for the sweep at a place of the queue."""

    def finish(self) -> None:
        """Wait for the work, write the voxels back to where they came from, and count."""


@runtime_checkable
class HoldingBackend(Protocol):
    """What a dense backend has beside that if it combines many sweeps with a slab at once.

    A `CarveSession` with a backend that does not calls `bin_segments` and `subtract_segments` for each sweep.

    Attributes:
        slabs_at_once: the number of slabs that it can work on side by side.
    """

    slabs_at_once: int

    def hold(
        self,
        voxels: Any,
        origin: tuple[int, int, int],
        grid: Grid,
        removed: npt.NDArray[np.int64],
        number: int,
    ) -> HeldSlab:
        """Begin to work on a box of voxels.

        Args:
            voxels: (Z, Y, X) of bool, any strides; on one of its devices if it is a `LendingBackend`.
            origin: index (z, y, x) in the grid of the first voxel.
            grid: the whole grid.
            removed: (S,), for each sweep of the queue: the voxels cleared, less those set. What is done here is added.
            number: the slab's; consecutive ones are worked on side by side.
        """


@runtime_checkable
class Backend(DenseBackend, Protocol):
    """The additional operations that a carve needs. All backends give the same result.

    Arrays of bricks are (B, 512), voxels in (Z, Y, X) order.

    Attributes:
        notes: sentences for the user on why this backend was chosen, and not a faster one.
    """

    notes: tuple[str, ...]

    def begin_job(self) -> None:
        """Prepare for a job, and reset `counts`. If kernels must be compiled, the stage Compile is reported."""

    def counts(self) -> dict[str, int]:
        """Counts of the last job's work on a separate device, such as launches and transfers; empty without one."""

    def compile_seconds(self) -> float:
        """Seconds that this process has spent compiling kernels so far."""

    def bin_triangles(self, triangles: Triangles, grid: Grid) -> Bins:
        """For each brick, the triangles that can be nearest to a voxel centre within BAND. Empty bricks are left
        out."""

    def pass_columns(self, triangles: Triangles, shape: tuple[int, int, int]) -> Crossings:
        """Where the z columns of a grid of `shape` voxels cross triangles, which are in its voxel units."""

    def crossings_in_bricks(
        self, crossings: Crossings, bricks: npt.NDArray[np.int64], table: BrickTable
    ) -> npt.NDArray[np.int16]:
        """(B, 512) signed crossings above each voxel of bricks (B,), ids in ascending order."""

    def boundary_winding(
        self, points: npt.NDArray[np.float64], boundary: Boundary, lists: EdgeLists | None = None
    ) -> npt.NDArray[np.float64]:
        """(N,) the boundary sum at points (N, 3), in voxels.

        Args:
            lists: which edges count at which points; all, if it is None.
        """

    def winding_gradient(
        self, points: npt.NDArray[np.float64], boundary: Boundary, lists: EdgeLists | None = None
    ) -> npt.NDArray[np.float64]:
        """(N, 3) gradient of the winding number at points (N, 3), likewise."""

    def change_bound(
        self, points: npt.NDArray[np.float64], boundary: Boundary, reach: float, lists: EdgeLists | None = None
    ) -> npt.NDArray[np.float64]:
        """(N, 4) gradient of the winding number at points (N, 3), and an upper bound of how far it departs within
        `reach` from its linear approximation there, likewise."""

    def evaluate(self, fields: Fields, operation: Operation) -> Field:
        """Evaluate both fields in every brick, and combine them.

        Args:
            fields: the bricks and their primitives.
            operation: how they are combined: see `combining`.

        Returns:
            The result's field in all of these bricks.
        """

    def contour(
        self,
        fields: Fields,
        grid: Grid,
        operation: Operation,
        stock_states: npt.NDArray[np.uint8],
        sweep_states: npt.NDArray[np.uint8],
        octants: npt.NDArray[np.uint8] | None = None,
    ) -> Surface:
        """The surface between the inside and the outside of the result, made cell by cell: see `contouring`.

        Args:
            fields: the bricks where it can be, and their primitives.
            grid: where the voxels lie.
            operation: how stock and sweep are combined.
            stock_states, sweep_states: (Z, Y, X) `State` of all bricks.
            octants: see `Known`. Faces that lack a cell then are left out. None for all.

        Returns:
            A closed, oriented surface, empty if nothing is inside; or the part of it that these octants give.

        Raises:
            CarveError: the surface leaves the bricks.
        """

    def contour_part(
        self,
        fields: Fields,
        known: Known,
        grid: Grid,
        operation: Operation,
        stock_states: npt.NDArray[np.uint8],
        sweep_states: npt.NDArray[np.uint8],
    ) -> SurfacePart:
        """The part of this surface that some bricks own: the same vertices and faces, to the bit, that they have in it.

        Args:
            fields: these bricks, and others around them, in the order that `known` needs.
            known: how far each is known, and which are to be made.
            grid, operation, stock_states, sweep_states: as for `contour`.

        Raises:
            CarveError: the surface leaves the bricks.
        """

    def measure(self, surface: Surface) -> tuple[float, bool]:
        """Volume of a surface, and whether it is closed: see `Surface.volume` and `Surface.is_closed`."""
