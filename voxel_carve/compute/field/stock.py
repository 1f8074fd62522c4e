"""The stock on bricks: which bricks its surface can cross, and on which side the others lie."""

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt
import scipy

from ..model.bricks import BRICK_SIZE, Bins, BrickTable, State
from ..model.grid import Grid
from ..model.mesh import TriMesh
from ..model.plan import plan_grid
from ..primitives.boundary import INSIDE, Boundary, BoundarySums
from ..primitives.crossings import Crossings
from ..primitives.triangles import Triangles
from ..repair.narrow_gaps import without_narrow_gaps
from ..repair.repair import Repaired, repaired_triangles
from ..runtime.errors import InputError
from ..runtime.progress import progress_range
from .hole_caps import CapSearch, boundary_sums, cap_distances, search_caps
from .protocol import Backend

Array = npt.NDArray[np.float64]
Indices = npt.NDArray[np.int64]

MOST_GROWTHS = 6  # of the grid, for a cap that leaves it; each enlarges it by half


@dataclass(frozen=True, eq=False)
class PreparedStock:
    """A stock that is prepared for a grid.

    Attributes:
        mesh: the stock itself.
        grid: the voxels; larger than requested if the cap of a hole leaves it.
        table: the bricks of the grid.
        triangles, boundary: in voxel units from the grid's origin.
        crossings: of the z columns of the grid.
        states: (Z, Y, X) uint8 table of `State`.
        bins: triangles of all NEAR bricks. The list is empty if only a cap can be near.
        search: for the caps of holes, if there are any.
        sums: the boundary sums in the NEAR bricks, if they are kept.
        notes: sentences for the user on what was repaired in the mesh.
    """

    mesh: TriMesh
    grid: Grid
    table: BrickTable
    triangles: Triangles
    boundary: Boundary
    crossings: Crossings
    states: npt.NDArray[np.uint8]
    bins: Bins
    search: CapSearch | None = None
    sums: BoundarySums | None = None
    notes: tuple[str, ...] = ()

    def sums_in(self, bricks: Indices, backend: Backend) -> BoundarySums:
        """The boundary sums in some of the NEAR bricks, ids (B,) in ascending order."""
        if self.sums is not None:
            return self.sums.at(np.searchsorted(self.bins.bricks, bricks))
        if self.search is None:
            return BoundarySums.none(len(bricks))
        return boundary_sums(self.search, bricks, backend)

    def with_cap_distances(self, backend: Backend) -> "PreparedStock":
        """The same, keeping its sums, with distances to caps among them. Only the values of a field need these."""
        if self.search is None:
            return self
        sums = self.sums_in(self.bins.bricks, backend)
        to_cap = cap_distances(self.search, self.crossings, sums, self.bins.bricks, backend)
        return replace(self, sums=sums._replace(to_cap=to_cap))


def prepare_stock(mesh: TriMesh, grid: Grid, backend: Backend, repaired: Repaired | None = None) -> PreparedStock:
    """Bin the triangles, find the crossings, the caps, and the state of every brick, and keep the boundary sums.

    The grid contains all triangles. It grows if a cap leaves it. A cap can extend far beyond open shells that lie over
    each other.

    Args:
        repaired: the triangles on this grid, if they are known: see `repaired_triangles`.

    Raises:
        InputError: a cap leaves even a grid that is many times as large.
    """
    for _ in range(MOST_GROWTHS):
        with progress_range(0.0, 0.5):
            stock = prepare_on_grid(mesh, grid, backend, repaired, closes_gaps=True)
        with progress_range(0.5, 1.0):
            stock = replace(stock, sums=stock.sums_in(stock.bins.bricks, backend))
        if not _reaches_sides(stock, backend):
            return stock
        sides = np.array(grid.shape[::-1], dtype=np.float64)
        room = sides.max() / 4
        grid, repaired = plan_grid(grid.to_world(np.stack([np.full(3, -room), sides + room])), grid.voxel_size), None
    raise InputError(
        "'{name}' has holes too large to be closed ({count} open edges): close them",
        name=mesh.name,
        count=len(stock.boundary),
    )


def prepare_on_grid(
    mesh: TriMesh, grid: Grid, backend: Backend, repaired: Repaired | None = None, closes_gaps: bool = False
) -> PreparedStock:
    """As `prepare_stock`, on exactly this grid, wherever the triangles lie.

    Args:
        closes_gaps: whether flaps close narrow gaps. Voxels alone need none.
    """
    table = BrickTable.over(grid)
    with progress_range(0.0, 0.2):
        triangles, notes = repaired_triangles(mesh, grid) if repaired is None else repaired
        if closes_gaps:
            triangles = without_narrow_gaps(triangles, backend.boundary_winding)
        boundary = triangles.boundary
    # In this order: a device may find both at once.
    with progress_range(0.2, 0.5):
        bins = backend.bin_triangles(triangles, grid)
    with progress_range(0.5, 0.7):
        crossings = backend.pass_columns(triangles, grid.shape)
    with progress_range(0.7, 0.9):
        search = search_caps(boundary, table, bins.bricks, backend) if len(boundary) else None
        if search is not None:
            bins = bins.spread(np.union1d(bins.bricks, search.cap_bricks))
    states = np.full(len(table), State.EMPTY, dtype=np.uint8)
    states[bins.bricks] = State.NEAR
    states = states.reshape(table.shape)
    stock = PreparedStock(mesh, grid, table, triangles, boundary, crossings, states, bins, search, notes=notes)
    with progress_range(0.9, 1.0):
        return replace(stock, states=_flood_states(stock, backend))


def _reaches_sides(stock: PreparedStock, backend: Backend) -> bool:
    """Whether any voxel at the sides of the grid is inside."""
    if not len(stock.boundary):
        return False
    coordinates, last = stock.table.coordinates(stock.bins.bricks), np.array(stock.table.shape) - 1
    at_side = ((coordinates == 0) | (coordinates == last)).any(axis=1)
    w = winding_in_bricks(stock, stock.bins.bricks[at_side], backend)
    inside = (np.abs(w) > INSIDE).reshape(-1, *[BRICK_SIZE] * 3)
    for axis in range(3):
        for brick, layer in ((0, 0), (last[axis], -1)):
            at = coordinates[at_side, axis] == brick
            if np.take(inside[at], layer, axis=axis + 1).any():
                return True
            if (np.take(stock.states, brick, axis=axis) == State.SOLID).any():
                return True
    return False


def _flood_states(stock: PreparedStock, backend: Backend) -> npt.NDArray[np.uint8]:
    """Set the states of the bricks that are not NEAR. No surface separates two that touch, so one voxel decides for a
    whole connected region."""
    states = stock.states.copy()
    label, count = scipy.ndimage.label(states != State.NEAR)
    # Regions are looked up where rows enter them: sorting every brick of a large grid would take seconds.
    flat = label.ravel()
    starts = np.flatnonzero(np.concatenate([[True], flat[1:] != flat[:-1]]))
    found, first = np.unique(flat[starts], return_index=True)
    found, first = found[found > 0], starts[first[found > 0]]
    corner = stock.table.coordinates(first) * BRICK_SIZE
    above = stock.crossings.above(corner[:, 0], corner[:, 1] * stock.crossings.shape[2] + corner[:, 2])
    w = above + backend.boundary_winding(corner[:, ::-1].astype(np.float64) + 0.5, stock.boundary)
    is_solid = np.zeros(count + 1, dtype=bool)
    is_solid[found] = np.abs(w) > INSIDE
    states[is_solid[label]] = State.SOLID
    return states


def winding_in_bricks(stock: PreparedStock, bricks: Indices, backend: Backend) -> Array:
    """(B, 512) winding number in bricks (B,), ids in ascending order, with an error that cannot move it across 0.5."""
    sums = stock.sums_in(bricks, backend)
    return backend.crossings_in_bricks(stock.crossings, bricks, stock.table) + sums.by_voxel()
