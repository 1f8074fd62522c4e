"""Which of a sparse field's bricks a place lies in, and on which side of the surface it is where there is none."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ..model.bricks import BRICK_SIZE, BRICK_VOXELS, BrickTable

Indices = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class BrickLookup:
    """The bricks of a field whose surface is closed, so that all is outside beyond the box around them.

    No surface passes between two bricks of a row along x. So what lies between is on the side of the first one's end.

    Attributes:
        low: (3,) int64, the least coordinates (z, y, x) of the bricks, in bricks.
        table: of the box around them.
        ids: (B,) int64, ascending.
        ends_inside: (B,) whether the last voxels of each brick along x are inside.
    """

    low: Indices
    table: BrickTable
    ids: Indices
    ends_inside: Mask

    @classmethod
    def of(cls, corners: Indices, distance: npt.NDArray[np.float32]) -> "BrickLookup":
        """The lookup of bricks with corners (B, 3), in ascending order, and distances (B, 512)."""
        bricks = corners // BRICK_SIZE
        low = bricks.min(axis=0) if len(bricks) else np.zeros(3, dtype=np.int64)
        z, y, x = (bricks - low).max(axis=0, initial=0).tolist()
        table = BrickTable((z + 1, y + 1, x + 1))
        return cls(low, table, table.ids(bricks - low), ends_inside(distance))

    def find(self, bricks: Indices) -> tuple[Indices, Mask]:
        """The row of each brick at (N, 3) coordinates (z, y, x), in bricks, -1 if there is none; and whether all of a
        brick that is not there is inside."""
        row = np.full(len(bricks), -1)
        inside = np.zeros(len(bricks), dtype=np.bool_)
        place = bricks - self.low
        within = np.flatnonzero(((place >= 0) & (place < self.table.shape)).all(axis=1))
        asked = self.table.ids(place[within])
        before = np.searchsorted(self.ids, asked, side="right") - 1
        within, asked, before = within[before >= 0], asked[before >= 0], before[before >= 0]
        found, side = self.ids[before], self.table.shape[2]
        row[within] = np.where(found == asked, before, -1)
        inside[within] = (found // side == asked // side) & self.ends_inside[before]
        return row, inside


def ends_inside(distance: npt.NDArray[np.float32]) -> Mask:
    """(B,): whether the last voxels along x of bricks with distances (B, 512) are inside, for the most part."""
    ends = distance.reshape(-1, BRICK_VOXELS // BRICK_SIZE, BRICK_SIZE)[:, :, -1]
    return np.asarray(ends.sum(axis=1, dtype=np.float64) < 0)
