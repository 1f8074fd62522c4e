"""The lines of the viewport overlay, as numbers: the box of a grid, the outlines of a sweep, voxels of a surface.

Lines are (2 L, 3) float32 points in world space, two for each line. Nothing here knows Blender or a GPU.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise, product

import numpy as np
import numpy.typing as npt

from ..compute import Grid, Path

Floats = npt.NDArray[np.float64]
Lines = npt.NDArray[np.float32]
Indices = npt.NDArray[np.int64]

# Points of lines that an overlay has at most, all in all: 3.6 MB.
MOST_POINTS = 300_000
# Of these, the parts for the lines along segments and for the rings around them; the caps have the rest.
_SIDE_SHARE, _RING_SHARE = 0.5, 0.35
_SIDES = (8, 6, 4, 2)
_FACETS = (32, 24, 16, 12, 8)
# Radii from ring to ring along a path of short segments.
_RING_SPACING = 2.0
# Cosine of the turn from which on both segments of a joint have a ring there.
_CORNER = 0.94


def box_lines(low: npt.ArrayLike, high: npt.ArrayLike) -> Lines:
    """(24, 3): the twelve edges of a box between two corners (3,)."""
    low, high = np.asarray(low, dtype=np.float64), np.asarray(high, dtype=np.float64)
    ends = []
    for axis in range(3):
        for corner in product((0, 1), repeat=2):
            ends += [np.insert(corner, axis, 0), np.insert(corner, axis, 1)]
    return np.asarray(low + np.array(ends) * (high - low), dtype=np.float32)


@dataclass(frozen=True)
class _Cones:
    """Round cones in a row: the segments of one path after the other.

    Where one end ball holds the other, both ends are the greater one, and the axis is of no account.

    Attributes:
        centre: (2, K, 3) of the balls at the start and at the end.    radius: (2, K).
        axis: (K, 3) of length 1.
        slope: (K,) sine of half the cone's angle: where its sides touch a ball, they are this part of the ball's
            radius farther along the axis than its centre.
        across: (2, K, 3) two directions of length 1, at right angles to each other and to the axis, that turn along
            a path no more than the path does.
        first: (K,) whether a path starts here.    closed: (K,) whether the path is cyclic.
    """

    centre: Floats
    radius: Floats
    axis: Floats
    slope: Floats
    across: Floats
    first: npt.NDArray[np.bool_]
    closed: npt.NDArray[np.bool_]

    def __len__(self) -> int:
        return len(self.axis)

    def last(self) -> npt.NDArray[np.bool_]:
        """(K,) whether a path ends here."""
        return np.append(self.first[1:], True)

    def ring(self, end: int, which: Indices | slice = slice(None)) -> tuple[Floats, Floats]:
        """Where the sides of some cones touch the balls at one end: centres (R, 3) and two spokes each (2, R, 3)."""
        slope, radius = self.slope[which, None], self.radius[end, which, None]
        foot = self.centre[end, which] + radius * slope * self.axis[which]
        return foot, radius * np.sqrt((1.0 - slope) * (1.0 + slope)) * self.across[:, which]


def tube_lines(paths: Sequence[Path], most_points: int = MOST_POINTS) -> Lines:
    """Outlines of what a round tool sweeps along paths: lines along it, rings around it, and round caps.

    Each line along a segment touches both of its balls, and each point of a ring or a cap lies on one, so that all
    lie on the round cone itself. Of more segments, fewer lines are drawn; in the end, of every few points one.

    Args:
        paths: any number.
        most_points: of lines, all in all.
    """
    if not paths:
        return np.empty((0, 3), dtype=np.float32)
    side_points, ring_points = int(_SIDE_SHARE * most_points), int(_RING_SHARE * most_points)
    cones = _cones(paths, most=max(side_points // (2 * _SIDES[-1]), 1))
    parts = [
        _side_lines(cones, side_points),
        _ring_lines(cones, ring_points),
        _cap_lines(cones, most_points - side_points - ring_points),
    ]
    return np.concatenate(parts)


def _cones(paths: Sequence[Path], most: int) -> _Cones:
    """At most so many, about: points are thinned out evenly, and of more paths than that every few are left out."""
    paths = paths[:: -(-len(paths) // most)]
    count = np.array([len(path.points) for path in paths])
    path_of = np.repeat(np.arange(len(paths)), count)
    number = np.arange(len(path_of)) - (np.cumsum(count) - count)[path_of]
    step = -(-len(number) // most)
    kept = np.flatnonzero((number % step == 0) | (number == count[path_of] - 1))
    points = np.column_stack(
        [np.concatenate([path.points for path in paths]), np.concatenate([path.radii for path in paths])]
    )[kept]
    path_of = path_of[kept]
    first = np.append(True, path_of[1:] != path_of[:-1])
    last = np.append(first[1:], True)
    closed = (np.array([path.cyclic for path in paths]) & (count > 1))[path_of]
    after = np.where(last, np.flatnonzero(first)[path_of], np.arange(1, len(kept) + 1))
    # A path of one point is a ball: a segment to itself. Others that go nowhere are left out, but for a path's first.
    begin = np.flatnonzero(first | ((~last | closed) & (points[after] != points).any(axis=1)))
    path_of = path_of[begin]
    first = np.append(True, path_of[1:] != path_of[:-1])
    return _shaped(points[begin], points[after[begin]], first, closed[begin])


def _shaped(start: Floats, end: Floats, first: npt.NDArray[np.bool_], closed: npt.NDArray[np.bool_]) -> _Cones:
    """Cones between points (K, 4): x, y, z and radius."""
    length = np.sqrt(np.einsum("ij,ij->i", end[:, :3] - start[:, :3], end[:, :3] - start[:, :3]))
    ball = length <= np.abs(start[:, 3] - end[:, 3])
    if ball.any():
        greater = np.where((start[:, 3] >= end[:, 3])[:, None], start, end)
        start, end = np.where(ball[:, None], greater, start), np.where(ball[:, None], greater, end)
    safe = np.where(ball, 1.0, length)[:, None]
    axis = np.where(ball[:, None], (0.0, 0.0, 1.0), (end[:, :3] - start[:, :3]) / safe)
    slope = (start[:, 3] - end[:, 3]) / safe[:, 0]
    return _Cones(
        centre=np.stack([start[:, :3], end[:, :3]]),
        radius=np.stack([start[:, 3], end[:, 3]]),
        axis=axis,
        slope=slope,
        across=_without_twist(axis, first),
        first=first,
        closed=closed,
    )


def _without_twist(axis: Floats, first: npt.NDArray[np.bool_]) -> Floats:
    """(2, K, 3): directions across axes (K, 3) that are carried from axis to axis by the least turn.

    Each axis has a frame of its own (Duff et al., 2017). Carried on, one frame differs from the next by an angle about
    the axis; the sums of these angles turn all frames into one that is carried along.
    """
    x, y, z = axis.T
    sign = np.where(z < 0, -1.0, 1.0)
    a = -1.0 / (sign + z)
    b = x * y * a
    u = np.stack([1.0 + sign * x * x * a, sign * b, -sign * x], axis=1)
    v = np.stack([b, sign + y * y * a, -y], axis=1)
    cosine = np.einsum("ij,ij->i", axis[:-1], axis[1:])
    lean = np.einsum("ij,ij->i", u[:-1], axis[1:]) / np.maximum(1.0 + cosine, 1e-12)
    carried = u[:-1] - lean[:, None] * (axis[:-1] + axis[1:])
    turn = np.arctan2(np.einsum("ij,ij->i", carried, v[1:]), np.einsum("ij,ij->i", carried, u[1:]))
    angle = np.concatenate([[0.0], np.cumsum(np.where(first[1:], 0.0, turn))])
    cos, sin = np.cos(angle)[:, None], np.sin(angle)[:, None]
    return np.stack([cos * u + sin * v, cos * v - sin * u])


def _side_lines(cones: _Cones, most_points: int) -> Lines:
    """Lines along the cones, as many around each as there may be."""
    count = next((sides for sides in _SIDES if 2 * sides * len(cones) <= most_points), _SIDES[-1])
    lines = np.empty((count, len(cones), 2, 3), dtype=np.float32)
    for end in (0, 1):
        foot, spokes = cones.ring(end)
        for side, angle in enumerate(2 * np.pi / count * np.arange(count)):
            lines[side, :, end] = foot + np.cos(angle) * spokes[0] + np.sin(angle) * spokes[1]
    return lines.reshape(-1, 3)


def _ring_lines(cones: _Cones, most_points: int) -> Lines:
    """Rings where the sides touch balls: at both ends of paths and at corners, and spaced out in between."""
    most = most_points // (2 * _FACETS[-1])
    turn = np.einsum("ij,ij->i", cones.axis[1:], cones.axis[:-1])
    corner = np.append(True, cones.first[1:] | (turn < _CORNER))
    at_end = np.flatnonzero(np.append(corner[1:], True) & ~(cones.last() & cones.closed))
    length = np.linalg.norm(cones.centre[1] - cones.centre[0], axis=1) / cones.radius.mean(axis=0)
    along = np.cumsum(length)
    spacing = max(_RING_SPACING, along[-1] / max(most - int(corner.sum()) - len(at_end), 1))
    at_start = np.flatnonzero(corner | np.append(True, np.diff(np.floor((along - length) / spacing)) > 0))
    every = max(-(-(len(at_start) + len(at_end)) // max(most, 1)), 1)
    rings = [cones.ring(0, at_start[::every]), cones.ring(1, at_end[::every])]
    foot = np.concatenate([ring[0] for ring in rings])
    spokes = np.concatenate([ring[1] for ring in rings], axis=1)
    facets = _finest(len(foot), most_points)
    return _arcs(foot, spokes[0], spokes[1], 2 * np.pi / facets * np.arange(facets + 1)[None])


def _cap_lines(cones: _Cones, most_points: int) -> Lines:
    """Two arcs over each end of a path, from side to side."""
    parts = [(0, -1.0, cones.first & ~cones.closed), (1, 1.0, cones.last() & ~cones.closed)]
    count = sum(int(mask.sum()) for _, _, mask in parts)
    every = max(-(-count * 2 * _FACETS[-1] // max(most_points, 1)), 1)
    facets = _finest(-(-count // every), most_points) // 2
    lines = []
    for end, way, mask in parts:
        which = np.flatnonzero(mask)[::every]
        radius = cones.radius[end, which, None]
        reach = np.arccos(np.clip(way * cones.slope[which], -1.0, 1.0))
        angles = reach[:, None] * np.linspace(-1.0, 1.0, facets + 1)
        outward = way * radius * cones.axis[which]
        lines += [_arcs(cones.centre[end, which], outward, radius * across[which], angles) for across in cones.across]
    return np.concatenate(lines)


def _finest(count: int, most_points: int) -> int:
    """Lines of each of so many circles."""
    return next((facets for facets in _FACETS if 2 * facets * count <= most_points), _FACETS[-1])


def _arcs(centre: Floats, first: Floats, second: Floats, angles: Floats) -> Lines:
    """Lines through centre + cos(angle) first + sin(angle) second, of vectors (R, 3) and angles (R, A) or (1, A)."""
    cos, sin = np.cos(angles)[..., None], np.sin(angles)[..., None]
    points = (centre[:, None] + cos * first[:, None] + sin * second[:, None]).astype(np.float32)
    return np.stack([points[:, :-1], points[:, 1:]], axis=2).reshape(-1, 3)


def voxel_lines(grid: Grid, axis: int, low: tuple[int, int], planes: npt.ArrayLike, shown: npt.ArrayLike) -> Lines:
    """The outer squares of columns of voxels, and the steps between them.

    Args:
        grid: the voxels.
        axis: 0 for columns along x, 1 along y, 2 along z.
        low: numbers of the first voxel along the two other axes, in the order of x, y, z.
        planes: (P, Q) whole numbers: between which voxels of its column each square lies; 0 is the grid's side.
        shown: (P, Q) bool: which columns there are.
    """
    planes, shown = np.asarray(planes, dtype=np.int64), np.asarray(shown, dtype=bool)
    p, q = np.nonzero(shown)
    h = planes[p, q]
    square = [(0, 0), (0, 1), (1, 1), (1, 0), (0, 0)]
    edges = [np.stack([p + a, q + b, h, p + c, q + d, h], axis=1) for (a, b), (c, d) in pairwise(square)]
    for dp, dq in ((1, 0), (0, 1)):
        both = shown[: -dp or None, : -dq or None] & shown[dp:, dq:]
        both &= planes[: -dp or None, : -dq or None] != planes[dp:, dq:]
        p, q = np.nonzero(both)
        h, g = planes[p, q], planes[p + dp, q + dq]
        for a, b in ((dp, dq), (1, 1)):
            edges.append(np.stack([p + a, q + b, h, p + a, q + b, g], axis=1))
    ends = np.concatenate(edges).reshape(-1, 2, 3)
    # Neighbours share edges: each is drawn once, whichever way it runs.
    swap = (ends[:, 0] > ends[:, 1]).any(axis=1)
    ends[swap] = ends[swap, ::-1]
    lattice = np.unique(ends.reshape(-1, 6), axis=0).reshape(-1, 3)
    first, second = (other for other in range(3) if other != axis)
    voxels = np.empty((len(lattice), 3))
    voxels[:, first], voxels[:, second], voxels[:, axis] = lattice[:, 0] + low[0], lattice[:, 1] + low[1], lattice[:, 2]
    return np.asarray(grid.to_world(voxels), dtype=np.float32)


def drawn_nearer(projection: npt.ArrayLike, share: float, distance: float) -> Floats:
    """(4, 4): a projection that puts depths nearer to the viewer and leaves all else in its place.

    So lines on a surface win against it.

    Args:
        projection: (4, 4) from view space to clip space, as OpenGL has it, in perspective or orthographic.
        share: by how much nearer: in perspective a part of each point's own distance.
        distance: of what is looked at; in an orthographic view, points come nearer by the share of it.
    """
    matrix = np.array(projection, dtype=np.float64)
    perspective = matrix[3, 2] != 0
    matrix[2, 3] += matrix[2, 3] * share if perspective else matrix[2, 2] * share * distance
    return matrix
