"""The fields of stock and sweep in the bricks where the result's surface can be: before they are evaluated (`Fields`),
and combined (`Field`)."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from ..model.bricks import Bins, BrickTable, State
from ..model.combining import Operation
from ..primitives.boundary import BoundarySums
from ..primitives.crossings import Crossings
from ..primitives.segments import Segments
from ..primitives.triangles import Triangles
from ..runtime.threads import slices
from .cap_planes import Caps

BRICKS_PER_CHUNK = 2048
EVERY_OCTANT = 255


@dataclass(frozen=True)
class Field:
    """The result's field.

    Attributes:
        table: the bricks of the grid.
        states: (Z, Y, X) uint8 table of `State`.
        bricks: (B,) int64, ids of the NEAR bricks in ascending order.
        distance: (B, 512) float32, in voxels, 0 is inside, exact up to REACH.
        nearest: (B, 512) int32, the primitive that gives the distance: triangle k as k, segment j as -1 - j, and
            NO_PRIMITIVE for none, or for the cap of a hole.
        segments, triangles: the primitives.
        operation: how the fields of the stock and of the sweep were combined.

    A backend may keep distance and nearest on its device.
    """

    table: BrickTable
    states: npt.NDArray[np.uint8]
    bricks: npt.NDArray[np.int64]
    distance: Any
    nearest: Any
    segments: Segments
    triangles: Triangles
    operation: Operation

    def distances(self) -> npt.NDArray[np.float32]:
        """(B, 512) the distance, wherever it is kept."""
        return _on_host(self.distance)

    def primitives(self) -> npt.NDArray[np.int32]:
        """(B, 512) the nearest primitive, likewise."""
        return _on_host(self.nearest)


def _on_host(array: Any) -> npt.NDArray[Any]:
    return np.asarray(array if isinstance(array, np.ndarray) else array.numpy())


def places_of(field: "Field | Fields") -> npt.NDArray[np.int32]:
    """(Z + 2, Y + 2, X + 2): the row of each brick in the field; -1 for other bricks and around the table."""
    places = np.full(tuple(side + 2 for side in field.table.shape), -1, dtype=np.int32)
    z, y, x = field.table.coordinates(field.bricks).T + 1
    places[z, y, x] = np.arange(len(field.bricks), dtype=np.int32)
    return places


@dataclass(frozen=True)
class Fields:
    """Everything that the fused evaluation reads. Row i of each array belongs to brick i.

    The bricks of a part of a job are in the order that `Known` needs, and all others ascend.

    Attributes:
        table: the bricks of the grid.
        states: (Z, Y, X) uint8 table of `State`, of the result.
        bricks: (B,) int64 ids.
        stock_state, sweep_state: (B,) uint8, `State` of each brick in each field. Only NEAR bricks are evaluated.
        triangles, triangle_bins: of the stock, in voxel units. Lists of bricks that are not NEAR are empty.
        crossings: of the z columns with the stock.
        sums: the open boundary's part of the winding number.
        segments, segment_bins: of the sweep, likewise.
        caps: where caps of holes can be, if there are any.
    """

    table: BrickTable
    states: npt.NDArray[np.uint8]
    bricks: npt.NDArray[np.int64]
    stock_state: npt.NDArray[np.uint8]
    sweep_state: npt.NDArray[np.uint8]
    triangles: Triangles
    triangle_bins: Bins
    crossings: Crossings
    sums: BoundarySums
    segments: Segments
    segment_bins: Bins
    caps: Caps | None = None

    def __len__(self) -> int:
        return len(self.bricks)

    def at(self, rows: npt.NDArray[np.integer]) -> "Fields":
        """The bricks `rows` (N,), in their order."""
        return replace(
            self,
            bricks=self.bricks[rows],
            stock_state=self.stock_state[rows],
            sweep_state=self.sweep_state[rows],
            triangle_bins=self.triangle_bins.at(rows),
            sums=self.sums.at(rows),
            segment_bins=self.segment_bins.at(rows),
        )

    def combined(self, distance: Any, nearest: Any, operation: Operation) -> Field:
        """The result's field, from its distances (B, 512) and nearest primitives (B, 512)."""
        return Field(self.table, self.states, self.bricks, distance, nearest, self.segments, self.triangles, operation)

    def chunks(self) -> list[slice]:
        """The rows of each chunk of bricks that is processed at once."""
        return slices(len(self), BRICKS_PER_CHUNK)


@dataclass(frozen=True)
class Known:
    """How far a part of a job is known, if `Fields` have its bricks in this order.

    Attributes:
        edges: of so many of the first bricks, with the bricks in which their edges end.
        faces: of so many, with the edges of their faces.    cells: of so many, with the faces of their cells.
        own: (B,) which of these are the part itself. The others are known for its sake.
        octants: (B, 3) uint8, of each brick those whose edges, faces and cells are made: see `formulas.octants`. None
            for all.
    """

    edges: int
    faces: int
    cells: int
    own: npt.NDArray[np.bool_]
    octants: npt.NDArray[np.uint8] | None = None

    def masks(self) -> npt.NDArray[np.uint8]:
        """(B, 3) the octants, whether all are or not."""
        return np.full((len(self.own), 3), EVERY_OCTANT, dtype=np.uint8) if self.octants is None else self.octants

    @classmethod
    def all_of(cls, count: int, octants: npt.NDArray[np.uint8] | None = None) -> "Known":
        """Of all `count` bricks, or of some of their octants."""
        return cls(count, count, count, np.ones(count, dtype=np.bool_), octants)


def aligned(bins: Bins, bricks: npt.NDArray[np.int64], states: npt.NDArray[np.uint8]) -> Bins:
    """The lists of `bricks` (B,), ids in ascending order. Lists of bricks that are not NEAR are empty."""
    return bins.at(np.searchsorted(bins.bricks, bricks[states == State.NEAR])).spread(bricks)
