"""The sharp edges of the exact surface, found from stock and sweep alone.

There are three kinds: the stock's own edges outside the sweep, the curves where stock and sweep meet, and the creases
between segments, of one step or of two. Points on the last two kinds are found from samples of the segments' surfaces.
"""

from collections.abc import Callable, Iterator
from functools import partial
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ..exact.nearest import covered, nearest, partners
from ..primitives.half_edges import face_sides, paired_sides
from ..primitives.segments import Segments
from ..primitives.triangles import Triangles
from ..runtime.progress import with_progress
from ..runtime.threads import slices
from .exact_surface import ExactSurface

Array = npt.NDArray[np.float64]
Indices = npt.NDArray[np.int64]
Condition = Callable[[Array], tuple[Array, Array]]

# Degrees between the normals of the two sides. What is measured is sharper: see `verify`.
LEAST, GREATEST = 10.0, 170.0
NEAR = 1.5  # voxels: search radius for an edge around a sample of the sweep
ON_EDGE = 1e-4  # voxels
SLACK = 0.02  # voxels: how far an edge may reach into what was removed, as at a corner
SPACING = 1.0  # voxels, between samples of the sweep's surface
STOCK_SPACING = 0.5  # voxels, between points on the stock's edges
MOST_PLACES = 1 << 22
MOST_PLACES_OF_ONE = 1 << 17  # segment: on a larger one, samples are farther apart
PLACES_PER_BLOCK = 1 << 15
MOST_STOCK_POINTS = 1 << 20
ROUNDS = 8


class OnEdges(NamedTuple):
    """Points on sharp edges, in voxels.

    Attributes:
        points: (N, 3).
        angle: (N,) between the normals of the two sides, in degrees.
        row: (N,) the index of the starting point.
    """

    points: Array
    angle: Array
    row: Indices

    def at(self, rows: npt.NDArray[np.bool_]) -> "OnEdges":
        """The points where the mask is true."""
        return OnEdges(self.points[rows], self.angle[rows], self.row[rows])

    @classmethod
    def joined(cls, *parts: "OnEdges") -> "OnEdges":
        """All points of all parts."""
        return cls(*map(np.concatenate, zip(*parts, strict=True)))


def sample(surface: ExactSurface) -> OnEdges:
    """Points along all edges with an angle from LEAST to GREATEST between their sides; their rows mean nothing.

    If the sweep's surface needs more than MOST_PLACES samples, only every n-th segment is used. A segment that needs
    more than MOST_PLACES_OF_ONE is sampled more coarsely. The points then cover only a part of the edges.
    """
    parts = [_on_stock_edges(surface)]
    for number, step in enumerate(surface.steps):
        for places, which in with_progress(_places(step.segments)):
            for block in slices(len(places), PLACES_PER_BLOCK):
                here, mine = places[block], which[block]
                # A sample deep inside another segment of its step is not on an edge.
                shown = ~covered(here, step.segments, SPACING / 2)
                parts.append(edge_points_near(surface, here[shown], number, mine[shown], NEAR))
    return OnEdges.joined(*parts)


def edge_points_near(surface: ExactSurface, points: Array, number: int, which: Indices, reach: float) -> OnEdges:
    """The nearest points, from points (N, 3) near segments `which` (N,) of a step, on the edges of these segments.

    These are the edges with the stock, with the nearest segment of the same step at a sharp angle, and with the nearest
    of each other step. A point may reach none or several, within `reach` voxels.
    """
    segments, triangles = surface.steps[number].segments, surface.triangles
    row = np.flatnonzero(np.isfinite(nearest(points, triangles, reach)[0]))
    with_stock, normal = _met(points, row, _of_segments(segments, which[row]), partial(_of_stock, triangles), reach)
    kept = np.isfinite(nearest(with_stock.points, triangles, ON_EDGE)[0])
    kept[kept] = surface.keeps_stock(with_stock.points[kept], SLACK)
    kept[kept] = surface.bounds_stock(with_stock.points[kept], normal[kept])

    parts = [with_stock.at(kept)]
    for other_number, step in enumerate(surface.steps):
        if other_number == number:
            # The angle at the edge may differ from that at the point. It is tested again there.
            other = partners(points, which, segments, reach, LEAST / 2, GREATEST + LEAST / 2)
        else:
            other = nearest(points, step.segments, reach)[1]
        row = np.flatnonzero(other >= 0)
        one, two = _of_segments(segments, which[row]), _of_segments(step.segments, other[row])
        creases, _ = _met(points, row, one, two, reach)
        for each in {number, other_number}:
            creases = creases.at(surface.keeps_sweep(creases.points, each, SLACK))
        parts.append(creases)
    return OnEdges.joined(*parts)


def stock_edges(triangles: Triangles) -> tuple[Array, Array, Array, Array]:
    """Edges of a stock between two triangles with normals that differ by LEAST to GREATEST degrees.

    Returns:
        start, end: (E, 3) in voxels; angle: (E,) in degrees; outward: (E, 3) half-way between the two normals.
    """
    tail, head = face_sides(triangles.triangles)
    side, across = paired_sides(tail, head)
    one, other = triangles.normal[side // 3], triangles.normal[across // 3]
    angle = angle_between(one, other)
    sharp = (angle >= LEAST) & (angle <= GREATEST) & one.any(axis=1) & other.any(axis=1)
    outward = one[sharp] + other[sharp]
    outward /= np.linalg.norm(outward, axis=1, keepdims=True)
    side = side[sharp]
    return triangles.points[tail[side]], triangles.points[head[side]], angle[sharp], outward


def angle_between(one: Array, other: Array) -> Array:
    """(N,) angles in degrees between vectors (N, 3) of any length."""
    across = np.linalg.norm(np.cross(one, other), axis=1)
    return np.degrees(np.arctan2(across, np.einsum("ij,ij->i", one, other)))


def _steps(count: Indices) -> tuple[Indices, Array]:
    """The owner of each of `count` (K,) equal steps, and the place of its middle from 0 to 1."""
    owner = np.repeat(np.arange(len(count)), count)
    step = np.arange(len(owner)) - np.repeat(np.cumsum(count) - count, count)
    return owner, (step + 0.5) / count[owner]


def _on_stock_edges(surface: ExactSurface) -> OnEdges:
    """Points on the edges of the stock that remain in the result."""
    start, end, angle, outward = stock_edges(surface.triangles)
    length = np.linalg.norm(end - start, axis=1)
    spacing = max(STOCK_SPACING, float(length.sum()) / MOST_STOCK_POINTS)
    edge, place = _steps(np.ceil(length / spacing).astype(np.int64))
    points = start[edge] + place[:, None] * (end - start)[edge]
    kept = surface.keeps_stock(points, 0.0)
    kept[kept] = surface.bounds_stock(points[kept], outward[edge[kept]])
    return OnEdges(points, angle[edge], edge).at(kept)


def _places(segments: Segments) -> Iterator[tuple[Array, Indices]]:
    """Points about SPACING apart on the surfaces of the segments, and the segment of each."""
    area = 2 * np.pi * segments.radius * (2 * segments.radius + segments.length)
    stride = max(1, int(np.ceil(float(area.sum()) / SPACING**2 / MOST_PLACES)))
    chosen = np.arange(0, len(segments), stride)
    spacing = np.maximum(SPACING, np.sqrt(area[chosen] / MOST_PLACES_OF_ONE))
    block = (np.cumsum(area[chosen] / spacing**2) / PLACES_PER_BLOCK).astype(np.int64)
    for rows in np.split(np.arange(len(chosen)), np.flatnonzero(np.diff(block)) + 1):
        yield _rings(segments, chosen[rows], spacing[rows])


def _rings(segments: Segments, which: Indices, spacing: Array) -> tuple[Array, Indices]:
    """Points on rings around the axes of segments `which` (K,), `spacing` (K,) apart, and the segment of each.

    The points of a ring have the same ball and the same angle between normal and axis. Cosines from -1 up to the slope
    belong to the first ball, the slope itself to all balls, and those up to 1 to the last ball.
    """
    start, axis, length = segments.start[which], segments.axis[which], segments.length[which]
    radius, slope = segments.radius[which], segments.slope[which]
    axis = np.where(axis.any(axis=1, keepdims=True), axis, [0.0, 0.0, 1.0])
    last, turn = radius - length * slope, np.arccos(slope)
    arcs = (np.pi - turn) * radius, length, turn * last
    (first, p), (middle, q), (end, r) = (_steps(np.ceil(arc / spacing).astype(np.int64)) for arc in arcs)
    owner = np.concatenate([first, middle, end])
    angle = np.concatenate([np.pi - p * (np.pi - turn)[first], turn[middle], (1 - r) * turn[end]])
    s = np.concatenate([np.zeros(len(p)), q * length[middle], length[end]])
    ball = radius[owner] - s * slope[owner]

    ring, place = _steps(np.ceil(2 * np.pi * ball * np.sin(angle) / spacing[owner]).astype(np.int64).clip(1))
    round_, mine = 2 * np.pi * place, owner[ring]
    u, v = _across(axis)
    across = np.cos(round_)[:, None] * u[mine] + np.sin(round_)[:, None] * v[mine]
    normal = np.cos(angle[ring])[:, None] * axis[mine] + np.sin(angle[ring])[:, None] * across
    return start[mine] + s[ring, None] * axis[mine] + ball[ring, None] * normal, which[mine]


def _across(axis: Array) -> tuple[Array, Array]:
    """Two unit vectors for each unit vector (K, 3), perpendicular to it and to each other."""
    least = np.eye(3)[np.abs(axis).argmin(axis=1)]
    u = np.cross(axis, least)
    u = np.asarray(u / np.linalg.norm(u, axis=1, keepdims=True), dtype=np.float64)
    return u, np.asarray(np.cross(axis, u), dtype=np.float64)


def _of_segments(segments: Segments, which: Indices) -> Condition:
    """The condition of points (N, 3) on segments `which` (N,)."""
    return lambda x: (segments.distance(which, x), segments.normals(which, x))


def _of_stock(triangles: Triangles, x: Array) -> tuple[Array, Array]:
    """The condition of points (N, 3) on the plane of the nearest triangle."""
    _, found = nearest(x, triangles)
    normal = triangles.normal[found]
    return np.einsum("ij,ij->i", x - triangles.points[triangles.triangles[found, 0]], normal), normal


def _met(points: Array, row: Indices, one: Condition, other: Condition, reach: float) -> tuple[OnEdges, Array]:
    """The edge points nearest to points[row] where two fields are 0, within reach; and the normals of the other field.

    Each round linearises both fields, and moves to their common zero that is nearest to the starting point.
    """
    seeds = x = points[row]
    for _ in range(ROUNDS):
        (f, n), (g, m) = one(x), other(x)
        back = seeds - x
        f, g = f + np.einsum("ij,ij->i", n, back), g + np.einsum("ij,ij->i", m, back)
        c = np.einsum("ij,ij->i", n, m)
        determinant = np.maximum(1 - c * c, 1e-4)
        x = seeds - ((f - c * g) / determinant)[:, None] * n - ((g - c * f) / determinant)[:, None] * m
    angle = angle_between(n, m)
    good = (np.linalg.norm(x - seeds, axis=1) <= reach) & (angle >= LEAST) & (angle <= GREATEST)
    good &= (np.abs(one(x)[0]) <= ON_EDGE) & (np.abs(other(x)[0]) <= ON_EDGE)
    return OnEdges(x, angle, row).at(good), m[good]
