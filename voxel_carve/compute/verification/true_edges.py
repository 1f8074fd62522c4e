"""The sharp edges of the exact surface, found from stock and sweep alone.

There are three kinds: the stock's own edges outside the sweep, the curves where stock and sweep meet, and the creases
between segments of the sweep. Points on the last two kinds are found from samples of the sweep's surface.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ..exact.nearest import near_pairs, nearest, ranges
from ..primitives.segments import Segments
from ..primitives.triangles import Triangles
from ..runtime.progress import with_progress
from ..runtime.threads import slices
from .exact_surface import ExactSurface

Array = npt.NDArray[np.float64]
Indices = npt.NDArray[np.int64]
Condition = Callable[[Array], tuple[Array, Array]]

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


@dataclass(frozen=True)
class OnEdges:
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
        return cls(
            np.concatenate([part.points for part in parts]),
            np.concatenate([part.angle for part in parts]),
            np.concatenate([part.row for part in parts]),
        )


def sample(surface: ExactSurface, least: float, greatest: float) -> OnEdges:
    """Points along all edges with an angle from `least` to `greatest` degrees between their sides.

    If the sweep's surface needs more than MOST_PLACES samples, only every n-th segment is used. A segment that needs
    more than MOST_PLACES_OF_ONE is sampled more coarsely. The points then cover only a part of the edges.
    """
    parts = [_on_stock_edges(surface, least, greatest)]
    for places, which in with_progress(_places(surface.segments)):
        for block in slices(len(places), PLACES_PER_BLOCK):
            here, mine = places[block], which[block]
            # A sample deep inside another segment is not on an edge.
            shown = nearest(here, surface.segments, 0.0)[0] >= -SPACING / 2
            parts.append(edge_points_near(surface, here[shown], mine[shown], least, greatest, NEAR))
    found = OnEdges.joined(*parts)
    return OnEdges(found.points, found.angle, np.full(len(found.row), -1))


def edge_points_near(
    surface: ExactSurface, points: Array, which: Indices, least: float, greatest: float, reach: float
) -> OnEdges:
    """The nearest points, from points (N, 3) near segments `which` (N,), on the edges of these segments.

    These are the edges with the stock, and with the nearest segment at a sharp angle. A point may reach none, one or
    both, within `reach` voxels.
    """
    return OnEdges.joined(
        _with_stock(surface, points, which, least, greatest, reach),
        _with_other(surface, points, which, least, greatest, reach),
    )


def stock_edges(triangles: Triangles, least: float, greatest: float) -> tuple[Array, Array, Array, Array]:
    """Edges of a stock between two triangles with normals that differ by `least` to `greatest` degrees.

    Returns:
        start, end: (E, 3) in voxels; angle: (E,) in degrees; outward: (E, 3) half-way between the two normals.
    """
    edges = triangles.triangles[:, [[0, 1], [1, 2], [2, 0]]].reshape(-1, 2)
    low, high = edges.min(axis=1), edges.max(axis=1)
    order = np.lexsort((high, low))
    same = (np.diff(low[order]) == 0) & (np.diff(high[order]) == 0)
    # A run of exactly two: no open boundary, and no edge of three or more triangles.
    alone = np.concatenate([[True], ~same, [True]])
    first = np.flatnonzero(same & alone[:-2] & alone[2:])
    one, other = triangles.normal[order[first] // 3], triangles.normal[order[first + 1] // 3]
    angle = angle_between(one, other)
    sharp = (angle >= least) & (angle <= greatest) & one.any(axis=1) & other.any(axis=1)
    outward = one[sharp] + other[sharp]
    outward /= np.linalg.norm(outward, axis=1, keepdims=True)
    rows = order[first[sharp]]
    return triangles.points[low[rows]], triangles.points[high[rows]], angle[sharp], outward


def lines(start: Array, end: Array) -> Segments:
    """Lines from (E, 3) to (E, 3), as segments of radius 0."""
    length = np.linalg.norm(end - start, axis=1)
    none = np.zeros(len(start))
    axis = (end - start) / np.where(length > 0, length, 1.0)[:, None]
    return Segments(start, axis, length, none, none, none, np.arange(len(start), dtype=np.int32))


def angle_between(one: Array, other: Array) -> Array:
    """(N,) angles in degrees between vectors (N, 3) of any length."""
    across = np.linalg.norm(np.cross(one, other), axis=1)
    return np.degrees(np.arctan2(across, np.einsum("ij,ij->i", one, other)))


def _on_stock_edges(surface: ExactSurface, least: float, greatest: float) -> OnEdges:
    """Points on the edges of the stock that remain in the result."""
    start, end, angle, outward = stock_edges(surface.triangles, least, greatest)
    length = np.linalg.norm(end - start, axis=1)
    spacing = max(STOCK_SPACING, float(length.sum()) / MOST_STOCK_POINTS)
    count = np.ceil(length / spacing).astype(np.int64)
    edge = np.repeat(np.arange(len(count)), count)
    place = (ranges(np.zeros(len(count), dtype=np.int64), count) + 0.5) / count[edge]
    points = start[edge] + place[:, None] * (end - start)[edge]
    kept = surface.keeps_stock(points, 0.0)
    kept[kept] = surface.bounds_stock(points[kept], outward[edge[kept]])
    return OnEdges(points[kept], angle[edge[kept]], edge[kept])


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
    arcs = [(np.pi - turn) * radius, length, turn * last]
    counts = [np.ceil(arc / spacing).astype(np.int64) for arc in arcs]
    owners = [np.repeat(np.arange(len(which)), count) for count in counts]
    place = [
        (ranges(np.zeros(len(which), dtype=np.int64), count) + 0.5) / count[owner]
        for count, owner in zip(counts, owners, strict=True)
    ]
    angle = [np.pi - place[0] * (np.pi - turn)[owners[0]], turn[owners[1]], (1 - place[2]) * turn[owners[2]]]
    along = [np.zeros(len(owners[0])), place[1] * length[owners[1]], length[owners[2]]]
    owner, angles, s = np.concatenate(owners), np.concatenate(angle), np.concatenate(along)
    ball = radius[owner] - s * slope[owner]

    count = np.ceil(2 * np.pi * ball * np.sin(angles) / spacing[owner]).astype(np.int64).clip(1)
    ring = np.repeat(np.arange(len(count)), count)
    round_ = 2 * np.pi * (ranges(np.zeros(len(count), dtype=np.int64), count) + 0.5) / count[ring]
    u, v = _across(axis)
    mine = owner[ring]
    across = np.cos(round_)[:, None] * u[mine] + np.sin(round_)[:, None] * v[mine]
    normal = np.cos(angles[ring])[:, None] * axis[mine] + np.sin(angles[ring])[:, None] * across
    return start[mine] + s[ring, None] * axis[mine] + ball[ring, None] * normal, which[mine]


def _across(axis: Array) -> tuple[Array, Array]:
    """Two unit vectors for each unit vector (K, 3), perpendicular to it and to each other."""
    least = np.eye(3)[np.abs(axis).argmin(axis=1)]
    u = np.cross(axis, least)
    u = np.asarray(u / np.linalg.norm(u, axis=1, keepdims=True), dtype=np.float64)
    return u, np.asarray(np.cross(axis, u), dtype=np.float64)


def _with_stock(
    surface: ExactSurface, points: Array, which: Indices, least: float, greatest: float, reach: float
) -> OnEdges:
    """Points of the curves where segments and stock meet."""
    distance, triangle = nearest(points, surface.triangles, reach)
    row = np.flatnonzero(np.isfinite(distance))
    seeds, segment = points[row], which[row]
    near = _near_triangles(surface.triangles, seeds, triangle[row], reach)

    def stock(x: Array) -> tuple[Array, Array]:
        _, found = nearest(x, near)
        normal = near.normal[found]
        corner = near.points[near.triangles[found, 0]]
        return np.einsum("ij,ij->i", x - corner, normal), normal

    met, normals = _onto(seeds, _segment_condition(surface, segment), stock)
    off, _ = nearest(met, near, ON_EDGE)
    good = np.isfinite(off) & (np.linalg.norm(met - seeds, axis=1) <= reach)
    good[good] = np.abs(surface.segments.distance(segment[good], met[good])) <= ON_EDGE
    angle = angle_between(*normals)
    good &= (angle >= least) & (angle <= greatest)
    good[good] = surface.keeps_stock(met[good], SLACK)
    good[good] = surface.bounds_stock(met[good], normals[1][good])
    return OnEdges(met, angle, row).at(good)


def _with_other(
    surface: ExactSurface, points: Array, which: Indices, least: float, greatest: float, reach: float
) -> OnEdges:
    """Points of the creases between segments."""
    row, other = _partners(surface, points, which, least, greatest, reach)
    seeds, segment = points[row], which[row]
    met, normals = _onto(seeds, _segment_condition(surface, segment), _segment_condition(surface, other))
    good = np.linalg.norm(met - seeds, axis=1) <= reach
    for one in (segment, other):
        good[good] = np.abs(surface.segments.distance(one[good], met[good])) <= ON_EDGE
    angle = angle_between(*normals)
    good &= (angle >= least) & (angle <= greatest)
    good[good] = surface.keeps_sweep(met[good], SLACK)
    return OnEdges(met, angle, row).at(good)


def _partners(
    surface: ExactSurface, points: Array, which: Indices, least: float, greatest: float, reach: float
) -> tuple[Indices, Indices]:
    """Rows of points, and for each the nearest segment at a sharp angle to its own."""
    rows, others = [], []
    for point, segment, distance in near_pairs(points, surface.segments, reach):
        mine = which[point]
        angle = angle_between(
            surface.segments.normals(segment, points[point]), surface.segments.normals(mine, points[point])
        )
        # The angle at the edge may differ from that at the point. It is tested again there.
        sharp = np.flatnonzero((segment != mine) & (angle >= least / 2) & (angle <= greatest + least / 2))
        order = sharp[np.lexsort((distance[sharp], point[sharp]))]
        first = np.flatnonzero(np.diff(point[order], prepend=-1))
        rows.append(point[order[first]])
        others.append(segment[order[first]])
    if not rows:
        return np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int64)
    return np.concatenate(rows), np.concatenate(others)


def _segment_condition(surface: ExactSurface, which: Indices) -> Condition:
    return lambda x: (surface.segments.distance(which, x), surface.segments.normals(which, x))


def _onto(points: Array, one: Condition, other: Condition) -> tuple[Array, tuple[Array, Array]]:
    """The nearest points, from points (N, 3), where two fields are 0, and the two normals there.

    Each round linearises both fields, and moves to their common zero that is nearest to the starting point.
    """
    x = points
    normals = np.zeros_like(points), np.zeros_like(points)
    for _ in range(ROUNDS):
        (f, n), (g, m) = one(x), other(x)
        normals = n, m
        back = points - x
        f, g = f + np.einsum("ij,ij->i", n, back), g + np.einsum("ij,ij->i", m, back)
        c = np.einsum("ij,ij->i", n, m)
        determinant = np.maximum(1 - c * c, 1e-4)
        x = points - ((f - c * g) / determinant)[:, None] * n - ((g - c * f) / determinant)[:, None] * m
    return x, normals


def _near_triangles(triangles: Triangles, points: Array, own: Indices, reach: float) -> Triangles:
    """The triangles that can be nearest to points after they move by at most the reach."""
    found = [np.unique(which) for _, which, _ in near_pairs(points, triangles, 3 * reach)]
    kept = np.unique(np.concatenate([own, *found]))
    return Triangles(triangles.points, triangles.triangles[kept], triangles.normal[kept], triangles.order[kept])
