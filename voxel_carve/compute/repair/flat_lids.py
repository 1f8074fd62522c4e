"""Lids over the holes of an open mesh, each a cone over one loop of its border."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ..model.mesh import signed_volume
from ..primitives.half_edges import border, connected

Points = npt.NDArray[np.float64]
Corners = npt.NDArray[np.int32]
Indices = npt.NDArray[np.integer]


@dataclass(frozen=True)
class Lids:
    """Cones over the loops of a border.

    Attributes:
        tips: (L, 3) float64, the tip of each.
        triangles: (E, 3) int32: an edge of the border, backwards, and a tip, whose index follows those of the points.
        loop: (E,) the lid of each triangle.
    """

    tips: Points
    triangles: Corners
    loop: Indices

    def __len__(self) -> int:
        return len(self.tips)

    def close(self, points: Points, triangles: Corners) -> tuple[Points, Corners]:
        """The points and triangles of the closed mesh: those of the lids come last."""
        if len(self) == 0:
            return points, triangles
        return np.concatenate([points, self.tips]), np.concatenate([triangles, self.triangles])


NO_LIDS = Lids(np.empty((0, 3)), np.empty((0, 3), dtype=np.int32), np.empty(0, dtype=np.int64))


def flat_lids(points: Points, triangles: Corners) -> Lids:
    """Lids for all holes of a mesh, each as flat as its loop."""
    tail, head = border(triangles)
    if len(tail) == 0:
        return NO_LIDS
    loop = border_loops(tail, head)
    return Lids(measures_of(points[tail], points[head], loop)[0], cones(tail, head, loop, len(points)), loop)


def closed_volume(points: Points, triangles: Corners) -> float:
    """The volume within a mesh (N, 3), (M, 3) whose holes are closed flat."""
    return signed_volume(*flat_lids(points, triangles).close(points, triangles))


def cones(tail: Indices, head: Indices, loop: Indices, first: int) -> Corners:
    """(E, 3) triangles between the edges of loops, backwards, and tips, whose indices begin with `first`."""
    return np.stack([head, tail, first + loop], axis=1).astype(np.int32)


def border_loops(tail: Indices, head: Indices) -> Indices:
    """(E,) the connected part of a border that each of its edges is in."""
    part = connected(tail, head, int(max(tail.max(), head.max())) + 1)[tail]
    return np.asarray(np.unique(part, return_inverse=True)[1].reshape(-1))


def measures_of(tail: Points, head: Points, loop: Indices) -> tuple[Points, Points, Points]:
    """Middle (L, 3), unit normal (L, 3) and radius (L,) of each loop. The normal is that of the faces along it."""
    length = np.linalg.norm(head - tail, axis=1)
    total = np.bincount(loop, length)
    weight = length / np.where(total > 0, total, 1.0)[loop]
    middle = _sums((tail + head) / 2 * weight[:, None], loop)
    area = _sums(np.cross(tail - middle[loop], head - middle[loop]), loop)
    size = np.linalg.norm(area, axis=1, keepdims=True)
    radius = np.zeros(len(total))
    np.maximum.at(radius, loop, np.linalg.norm(tail - middle[loop], axis=1))
    return middle, np.divide(area, size, out=np.zeros_like(area), where=size > 0), radius


def _sums(rows: npt.NDArray[np.floating[Any]], loop: Indices) -> Points:
    return np.stack([np.bincount(loop, column) for column in rows.T], axis=1)
