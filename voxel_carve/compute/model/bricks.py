"""Bricks: cubes of 8 x 8 x 8 voxels that tile a grid, and lists of primitives per brick.

The id of a brick is its flat index (C order) in the table of bricks. Only NEAR bricks, which a surface can cross, hold
voxels.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import IntEnum
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from .grid import Grid

BRICK_SIZE = 8
BRICK_VOXELS = BRICK_SIZE**3
BLOCKS_ACROSS = 4  # blocks of 2 x 2 x 2 voxels, along each side of a brick

# All eight corners of a cell with a sign change are within sqrt(3) voxels of the surface. With this band, they all lie
# in NEAR bricks.
BAND = 1.75

# Both ends of an edge with a sign change are within one voxel of the surface. Distances are exact up to this reach, and
# clamped beyond it.
REACH = 1.05

# The code for "no primitive".
NO_PRIMITIVE = 2**31 - 1
LOWEST = -(2**31)  # the same as the code of a segment

PAIRS_AT_ONCE = 1 << 18  # when lists are put into another order


class State(IntEnum):
    """What is known about all voxels of a brick at once."""

    EMPTY = 0  # outside, and farther than BAND from the surface
    SOLID = 1  # inside, and farther than BAND from the surface
    NEAR = 2  # neither is certain


# (8,) float32: offsets of a brick's voxel centres along one axis from the brick's centre, in voxels.
VOXEL_STEPS = np.arange(BRICK_SIZE, dtype=np.float32) - np.float32((BRICK_SIZE - 1) / 2)

# (512, 3) float64: offsets (x, y, z) of a brick's voxel centres from its centre, in voxels, in (Z, Y, X) order.
VOXEL_OFFSETS = np.stack(np.meshgrid(*[VOXEL_STEPS] * 3, indexing="ij"), axis=-1).reshape(-1, 3)[:, ::-1].astype(float)


@dataclass(frozen=True)
class BrickTable:
    """The bricks that cover a grid. Those at the far sides may extend beyond it.

    Attributes:
        shape: number of bricks as (Z, Y, X).
    """

    shape: tuple[int, int, int]

    @classmethod
    def over(cls, grid: Grid) -> "BrickTable":
        """The table that covers `grid`."""
        z, y, x = (-(-side // BRICK_SIZE) for side in grid.shape)
        return cls((z, y, x))

    def __len__(self) -> int:
        return self.shape[0] * self.shape[1] * self.shape[2]

    def ids(self, coordinates: npt.NDArray[np.integer]) -> npt.NDArray[np.int64]:
        """(N,) ids of bricks at (N, 3) coordinates (z, y, x), which must lie inside the table."""
        z, y, x = (coordinates[..., axis].astype(np.int64) for axis in range(3))
        return (z * self.shape[1] + y) * self.shape[2] + x

    def coordinates(self, ids: npt.NDArray[np.integer]) -> npt.NDArray[np.int64]:
        """(N, 3) coordinates (z, y, x) of bricks with ids (N,)."""
        rows, x = np.divmod(np.asarray(ids, dtype=np.int64), self.shape[2])
        z, y = np.divmod(rows, self.shape[1])
        return np.stack([z, y, x], axis=-1)

    def centres(self, ids: npt.NDArray[np.integer]) -> npt.NDArray[np.float64]:
        """(N, 3) centres (x, y, z) of bricks, in voxel units from the grid's origin."""
        return (self.coordinates(ids)[:, ::-1].astype(np.float64) + 0.5) * BRICK_SIZE


class Bins(NamedTuple):
    """Lists of the relevant primitives, one list per brick.

    Attributes:
        bricks: (B,) int64, ids in ascending order.
        first: (B + 1,) int64, brick i owns the pairs first[i] to first[i + 1].
        primitive: (P,) int32, segment or triangle of each pair.
    """

    bricks: npt.NDArray[np.int64]
    first: npt.NDArray[np.int64]
    primitive: npt.NDArray[np.int32]

    @classmethod
    def from_pairs(cls, brick: npt.NDArray[np.int64], primitive: npt.NDArray[np.int32]) -> "Bins":
        """Sort pairs (brick, primitive) by brick, then by primitive."""
        if brick.max(initial=0) < 2**31:
            # A sort is several times as fast as an argsort, and a stable one merges what ascends already.
            both = brick << 32
            both |= primitive
            both.sort(kind="stable")
            primitive = both.astype(np.int32)  # the lower half
            both >>= 32
            brick = both
        else:
            order = np.lexsort((primitive, brick))
            brick, primitive = brick[order], primitive[order]
        start = np.flatnonzero(np.diff(brick, prepend=-1))
        return cls(brick[start], np.append(start, len(brick)), primitive)

    def owner(self) -> npt.NDArray[np.int64]:
        """(P,): the index in `bricks` that each pair belongs to."""
        return np.repeat(np.arange(len(self.bricks)), np.diff(self.first))

    def where(self, kept: npt.NDArray[np.bool_]) -> "Bins":
        """Only the pairs where the mask (P,) is true, and the bricks that have one."""
        first = np.concatenate([[0], np.cumsum(kept)])[self.first]
        has = np.diff(first) > 0
        return Bins(self.bricks[has], np.append(first[:-1][has], first[-1]), self.primitive[kept])

    def at(self, rows: npt.NDArray[np.integer]) -> "Bins":
        """The bricks `rows` (N,), in their order."""
        length = np.diff(self.first)[rows]
        first = np.concatenate([[0], np.cumsum(length)])
        primitive = np.empty(first[-1], dtype=self.primitive.dtype)
        # A part at a time, because the places of pairs take several times the memory of the pairs.
        for start, stop in runs(length, PAIRS_AT_ONCE):
            shift = np.repeat(self.first[rows[start:stop]] - first[start:stop], length[start:stop])
            primitive[first[start] : first[stop]] = self.primitive[np.arange(first[start], first[stop]) + shift]
        return Bins(self.bricks[rows], first, primitive)

    def spread(self, bricks: npt.NDArray[np.int64]) -> "Bins":
        """The lists of bricks (B,), ids in ascending order, among them all of these. The lists of others are empty."""
        count = np.zeros(len(bricks), dtype=np.int64)
        count[np.searchsorted(bricks, self.bricks)] = np.diff(self.first)
        return Bins(bricks, np.concatenate([[0], np.cumsum(count)]), self.primitive)


def runs(cost: npt.NDArray[np.integer], most: int, longest: int = 2**31) -> Iterator[tuple[int, int]]:
    """Runs of rows (start, stop) with a total cost (N,) of `most` at the most, or of a single row; none is longer than
    `longest`."""
    total = np.concatenate([[0], np.cumsum(cost)])
    start = 0
    while start < len(cost):
        stop = int(np.searchsorted(total, total[start] + most, side="right")) - 1
        stop = min(max(stop, start + 1), start + longest, len(cost))
        yield start, stop
        start = stop
