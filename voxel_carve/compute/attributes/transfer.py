"""Transfer of values from the corners of a mesh's triangles to the corners of a surface made from it.

A face of the surface knows its triangle, but its corners may lie beyond it: triangles may be smaller than voxels. From
there, each corner walks downhill over joined edges to the nearest triangle. The walk never crosses an edge where the
values are discontinuous, such as a seam of a UV map. So all corners of a face stay on one island. A corner beyond the
island's border extrapolates the linear function of its triangle.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ..engines.numba.compiler.loading import load_kernels
from ..model.mesh import Source, Surface
from ..primitives.half_edges import paired_sides
from ..runtime.threads import over_rows

Floats = npt.NDArray[np.float64]
Indices = npt.NDArray[np.int32]

FACES_PER_BLOCK = 1 << 14
POINTS_PER_RUN = 1 << 13
# Values that differ by less are equal, up to the rounding of the program that made them.
SAME = 1e-5


def joined_triangles(triangles: Indices, data: "CornerData | None" = None) -> Indices:
    """(T, 3) int32: the triangle across the edge opposite each corner; -1 if there is not exactly one.

    Args:
        triangles: (T, 3) indices of points.
        data: values at the corners. An edge does not join triangles with different values at its ends.
    """
    count = len(triangles)
    start, stop = triangles[:, [1, 2, 0]].ravel(), triangles[:, [2, 0, 1]].ravel()
    one, other = paired_sides(start, stop)
    if data is not None:
        same = np.ones(len(one), dtype=bool)
        for ends in _end_rows(data.index, start < stop):
            same &= (np.abs(data.values[ends[one]] - data.values[ends[other]]) <= SAME).all(axis=1)
        one, other = one[same], other[same]
    joined = np.full(3 * count, -1, dtype=np.int32)
    joined[one], joined[other] = other // 3, one // 3
    return joined.reshape(-1, 3)


def _end_rows(index: Indices, upward: npt.NDArray[np.bool_]) -> tuple[Indices, Indices]:
    """(3 T,) the rows of the values at the lower and the higher vertex of the edge opposite each corner."""
    start, stop = index[:, [1, 2, 0]].ravel(), index[:, [2, 0, 1]].ravel()
    return np.where(upward, start, stop), np.where(upward, stop, start)


@dataclass(frozen=True)
class Walker:
    """A mesh, prepared to find the triangles that nearby points belong to.

    Attributes:
        corners: (T, 3, 3) float64: triangle, corner, (x, y, z).
        joined: (T, 3) int32, see `joined_triangles`.
    """

    corners: Floats
    joined: Indices

    def walk(self, start: Indices, points: Floats) -> tuple[Indices, Floats, Floats]:
        """The triangles that points belong to.

        Args:
            start: (N,) the triangle that each walk begins on.
            points: (N, 3).

        Returns:
            (N,) triangles; (N, 3) barycentric weights, extrapolated beyond the triangle; and (N, 3) weights of the
            nearest point of the triangle.
        """
        from .walk_kernels import walk

        triangle = np.empty(len(start), dtype=np.int32)
        weights, nearest = np.empty((len(start), 3)), np.empty((len(start), 3))
        arguments = (start, points, self.corners, self.joined, triangle, weights, nearest)
        over_rows(walk, len(start), POINTS_PER_RUN, *arguments, scratch=lambda: np.empty((4, 3)))
        return triangle, weights, nearest


@dataclass(frozen=True)
class CornerData:
    """Values at the corners of a mesh's triangles.

    Attributes:
        values: (N, C) float32.
        index: (T, 3) int32, the row of each corner.
    """

    values: npt.NDArray[np.float32]
    index: Indices

    def at(self, triangle: Indices, weights: Floats) -> npt.NDArray[np.float32]:
        """(P, C) interpolated values, from triangles (P,) and barycentric weights (P, 3)."""
        from .walk_kernels import blend

        out = np.empty((len(triangle), self.values.shape[1]), dtype=np.float32)
        over_rows(blend, len(triangle), POINTS_PER_RUN, triangle, weights, self.values, self.index, out)
        return out


@dataclass(frozen=True)
class Places:
    """The places on a mesh of some points of a surface.

    Attributes:
        points: (P,) their indices.
        triangle: (P,) int32.
        weights: (P, 3) float64, barycentric.
    """

    points: npt.NDArray[np.int64]
    triangle: Indices
    weights: Floats

    def values(self, data: CornerData, count: int) -> npt.NDArray[np.float32]:
        """(count, C) float32 values at all points of the surface; 0 for a point without a place."""
        out = np.zeros((count, data.values.shape[1]), dtype=np.float32)
        out[self.points] = data.at(self.triangle, self.weights)
        return out


def corner_values(
    walker: Walker, surface: Surface, layers: Sequence[CornerData], beyond: bool
) -> list[npt.NDArray[np.float32]]:
    """Values at the corners of a surface's faces, linear on the triangles of the stock.

    Args:
        walker: of the stock.
        surface: its `STOCK` faces know their triangles.
        layers: values at the corners of the stock's triangles.
        beyond: whether a corner beyond its island extrapolates the linear function, or takes the nearest value.

    Returns:
        For each layer, (M, K, C) float32 for the K corners of M faces; 0 on faces that are not from the stock.
    """
    load_kernels("write")
    outs = [np.zeros((*surface.faces.shape, layer.values.shape[1]), dtype=np.float32) for layer in layers]
    faces = _of_stock(surface)

    def fill(first: int, stop: int) -> None:
        own = faces[first:stop]
        corners = surface.faces[own]
        start = np.repeat(surface.primitive[own], corners.shape[1])
        triangle, weights, clamped = walker.walk(start, surface.points[corners.ravel()])
        chosen = weights if beyond else clamped
        for layer, out in zip(layers, outs, strict=True):
            out[own] = layer.at(triangle, chosen).reshape(len(own), *out.shape[1:])

    over_rows(fill, len(faces), FACES_PER_BLOCK)
    return outs


def point_places(walker: Walker, surface: Surface) -> Places:
    """The places on the stock of all points that belong to a face from the stock."""
    load_kernels("write")
    faces = _of_stock(surface)
    # Of several faces around a point the last one counts.
    start = np.full(len(surface.points), -1, dtype=np.int32)
    start[surface.faces[faces].ravel()] = np.repeat(surface.primitive[faces], surface.faces.shape[1])
    points = np.flatnonzero(start >= 0)
    places = Places(points, start[points], np.empty((len(points), 3)))

    def fill(first: int, stop: int) -> None:
        own, block = points[first:stop], slice(first, stop)
        places.triangle[block], _, places.weights[block] = walker.walk(start[own], surface.points[own])

    over_rows(fill, len(points), 4 * FACES_PER_BLOCK)
    return places


def _of_stock(surface: Surface) -> npt.NDArray[np.int64]:
    return np.flatnonzero((surface.source == Source.STOCK) & (surface.primitive >= 0))
