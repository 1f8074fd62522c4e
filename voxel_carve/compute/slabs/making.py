"""One slab: the bricks between two planes across an axis, and the part of the surface that they own.

Bricks are independent, but for two things. A cell needs what is known of the bricks after its own: so some more are
known on that side, to different degrees. And triangles that cross are taken apart in rounds, in each of which a vertex
hears of what lies a few cells away. So cells are made in a *margin* on both sides as well, from whose far end nothing
can be heard in all rounds.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Generic, NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt

from ..contouring.dividing import TRIES
from ..contouring.overlaps import ROUNDS
from ..engines.numba.compiler.loading import load_kernels
from ..field.binning import LEVELS
from ..field.fields import Known
from ..field.protocol import Backend
from ..field.stock import PreparedStock
from ..job.combining import expected_vertices, fields_in
from ..job.estimate import Counts, check_limit, job_bytes
from ..losses import Kept
from ..model.bricks import BAND, BRICK_SIZE, State
from ..model.combining import Operation, combined_states
from ..model.grid import Grid
from ..model.mesh import TriMesh
from ..model.parts import SurfacePart
from ..primitives.segments import Segments

# How far a vertex hears in a round, in cells: what it is compared with is at a cell up to two away, and that has
# corners up to two away from it. In a try of dividing, parts are compared with what is in their cells.
HEARD = 4
MARGIN = -(-(HEARD * (ROUNDS + TRIES) + 1) // BRICK_SIZE)  # bricks; the outermost cells lack quads
AFTER = 3  # bricks after these: for the faces, the edges, and the field
# Bricks of the largest tiles of binning, which are twice the first level. In whole ones, lists are those of the whole
# job.
TILE = 2 * LEVELS[0] // BRICK_SIZE

# Of a slab: as it was made, as the bytes of its file, or None if that is there.
Part = TypeVar("Part", bound=SurfacePart | bytes | None)


class Slab(NamedTuple):
    """The bricks from `first` to `stop`, along an axis of the table of bricks (0 for z, 1 for y, 2 for x)."""

    axis: int
    first: int
    stop: int

    def known(self, side: int) -> range:
        """The bricks whose field has to be known, of the `side` bricks of the table along the axis."""
        return range(max(self.first - MARGIN, 0), min(self.stop + MARGIN + AFTER, side))

    def binned(self, side: int) -> range:
        """The same in whole tiles."""
        known = self.known(side)
        return range(known.start // TILE * TILE, -(-known.stop // TILE) * TILE)


class Spans(NamedTuple):
    """Where segments lie along an axis: low and high (K,), in voxels."""

    low: npt.NDArray[np.float64]
    high: npt.NDArray[np.float64]

    @classmethod
    def of(cls, segments: Segments, axis: int) -> "Spans":
        """Along an axis of the table of bricks."""
        low, high = segments.bounds()
        return cls(low[:, 2 - axis].copy(), high[:, 2 - axis].copy())

    def reaching(self, bricks: range) -> npt.NDArray[np.int64]:
        """The segments that can be near some bricks, ascending."""
        start, stop = bricks.start * BRICK_SIZE - BAND, bricks.stop * BRICK_SIZE + BAND
        return np.flatnonzero((self.high >= start) & (self.low <= stop))


@dataclass(frozen=True)
class SlabJob:
    """What all slabs share, as data.

    Attributes:
        mesh: the stock.    grid: of the job.    operation: of all paths.
        folder: of the parts.
        held: bytes that the stock, prepared, and the segments take where slabs are planned.
    """

    mesh: TriMesh
    grid: Grid
    operation: Operation
    folder: Path
    held: int

    def file_of(self, slab: Slab) -> Path:
        """The file of the part of a slab."""
        return self.folder / f"bricks_{slab.first:06}_{slab.stop:06}.npz"


class Made(NamedTuple, Generic[Part]):
    """What was made of a slab.

    Attributes:
        part: the surface that its bricks own: see `Part`.
        kept: what it says of samples of the stock's surface.
        bricks: how many were NEAR, with those around the slab.    estimated: the bytes that this was to take.
    """

    part: Part
    kept: Kept
    bricks: int
    estimated: int


def make_part(
    stock: PreparedStock, segments: Segments, slab: Slab, operation: Operation, backend: Backend, limit: int
) -> Made[SurfacePart]:
    """The part of the result's surface that the bricks of a slab own.

    Args:
        segments: all that reach the slab's `binned` bricks, in voxels, without repeats.
        limit: bytes that this may take.

    Raises:
        MemoryLimitError: the estimate exceeds the limit. No voxels were allocated.
        CarveError: the surface leaves the bricks.
    """
    load_kernels("slabs")
    table, side = stock.table, stock.table.shape[slab.axis]
    binned = backend.bin_segments(segments, stock.grid)
    known = slab.known(side)
    states = _only(combined_states(stock.states, binned.states, operation), slab.axis, known)
    vertices = expected_vertices(stock, segments, binned, states, operation, backend)
    counts = Counts.of(stock, binned, states, len(segments), vertices)
    needed = job_bytes(counts, backend.name)
    check_limit(needed, limit, needed, stock.grid.voxel_size)

    bricks = np.flatnonzero(states == State.NEAR)
    place = table.coordinates(bricks)[:, slab.axis]
    # How many of the bricks after each are known. Beyond the table there is nothing to know.
    after = np.minimum(known.stop - 1 - place, AFTER) if known.stop < side else np.full(len(place), AFTER)
    order = np.argsort(-after, kind="stable")
    cells, faces, edges = (int((after >= depth).sum()) for depth in range(AFTER, 0, -1))
    own = (place >= slab.first) & (place < slab.stop)
    fields = fields_in(stock, segments, binned, states, bricks, backend).at(order)
    part = backend.contour_part(
        fields, Known(edges, faces, cells, own[order]), stock.grid, operation, stock.states, binned.states
    )
    is_own = np.zeros(table.shape, dtype=np.bool_)
    is_own[_across(slab.axis, slice(slab.first, slab.stop))] = True
    return Made(part, Kept.by(part, stock, segments, binned, operation, is_own), len(bricks), needed)


def _only(states: npt.NDArray[np.uint8], axis: int, known: range) -> npt.NDArray[np.uint8]:
    """The states of the known bricks. Others are as if no surface were there."""
    only = np.full_like(states, State.EMPTY)
    layers = _across(axis, slice(known.start, known.stop))
    only[layers] = states[layers]
    return only


def _across(axis: int, layers: slice) -> tuple[slice, ...]:
    """Some layers of the table of bricks across an axis."""
    return tuple(layers if other == axis else slice(None) for other in range(3))
