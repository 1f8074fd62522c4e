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
        place: (K,) where it is.    normal: (K, 3) of the plane.    corners: (K, 3, 3) of a triangle in it.
    """

    edge: Indices
    room: Array
    place: Array
    normal: Array
    corners: Array

    @classmethod
    def unknown(cls, edge: Indices, room: Array) -> "Planes":
        """Planes of which nothing else is known yet."""
        count = len(edge)
        return cls(edge, room, np.empty(count), np.empty((count, 3)), np.empty((count, 3, 3)))

    def put(self, rows: Indices, place: Array, normal: Array, corners: Array) -> None:
        """Set some of them (N,)."""
        self.place[rows], self.normal[rows], self.corners[rows] = place, normal, corners

    def take_from(self, known: "Planes") -> npt.NDArray[np.bool_]:
        """Set those that are `known`, whose edges are in ascending order. Return (K,) which are not."""
        if len(known.edge) == 0:
            return np.ones(len(self.edge), dtype=bool)
        other = np.minimum(np.searchsorted(known.edge, self.edge), len(known.edge) - 1)
        is_known = (known.edge[other] == self.edge) & (known.room[other] == self.room).all(axis=1)
        rows = np.flatnonzero(is_known)
        other = other[rows]
        self.put(rows, known.place[other], known.normal[other], known.corners[other])
        return ~is_known

    def in_order(self) -> "Planes":
        """The same in ascending order of their edges."""
        order = np.argsort(self.edge, kind="stable")
        return Planes(self.edge[order], self.room[order], self.place[order], self.normal[order], self.corners[order])


@dataclass(frozen=True, eq=False)
class Caps:
    """The caps of a stock.

    Attributes:
        tiles: where they can be.
        known: the planes of the last surface, in ascending order of their edges; empty before the first.
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
