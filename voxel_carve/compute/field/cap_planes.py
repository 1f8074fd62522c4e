"""The planes of caps that are known: the surface of a stock alone has those of a result, and more.

A plane depends on the edge of the grid that it belongs to, and on the places between which it may cross that. So where
these are the same again, the plane is.
"""

from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from .boundary_tiles import Tiles

Array = npt.NDArray[np.float64]
Indices = npt.NDArray[np.int64]

COORDINATE_BITS = 20


class Planes(NamedTuple):
    """K planes, one for each crossing of a cap.

    Attributes:
        edge: (K,) a number for the edge of the grid: see `edge_numbers`.
        room: (K, 3) the place where the crossing was found, and the least and the greatest that it may have.
        place: (K,) where it is.    normal: (K, 3) of the plane.
    """

    edge: Indices
    room: Array
    place: Array
    normal: Array

    @classmethod
    def unknown(cls, edge: Indices, room: Array) -> "Planes":
        """Planes of which nothing else is known yet."""
        return cls(edge, room, np.empty(len(edge)), np.empty((len(edge), 3)))

    def put(self, rows: Indices | slice, place: Array, normal: Array) -> None:
        """Set some of them (N,)."""
        self.place[rows], self.normal[rows] = place, normal

    def take_from(self, known: "Planes") -> npt.NDArray[np.bool_]:
        """Set those that are `known`. Return (K,) which are not."""
        if len(known.edge) == 0:
            return np.ones(len(self.edge), dtype=bool)
        order = np.argsort(known.edge, kind="stable")
        other = order[np.minimum(np.searchsorted(known.edge[order], self.edge), len(order) - 1)]
        is_known = (known.edge[other] == self.edge) & (known.room[other] == self.room).all(axis=1)
        rows = np.flatnonzero(is_known)
        other = other[rows]
        self.put(rows, known.place[other], known.normal[other])
        return ~is_known


@dataclass(frozen=True, eq=False)
class Caps:
    """The caps of a stock.

    Attributes:
        tiles: where they can be.
        known: the planes of the surface with the most of them so far; empty before the first.
    """

    tiles: Tiles
    known: list[Planes] = field(default_factory=list)


def edge_numbers(points: Array, axis: Indices) -> Indices:
    """(K,) a number for each of the edges that points (K, 3) lie on, along axes (K,)."""
    voxel = np.floor(points).astype(np.int64)
    rows = np.arange(len(points))
    voxel[rows, axis] = np.floor(points[rows, axis] - 0.5).astype(np.int64)
    number: Indices = voxel[:, 2]
    for other in (voxel[:, 1], voxel[:, 0]):
        number = number << COORDINATE_BITS | other
    return number * 3 + axis
