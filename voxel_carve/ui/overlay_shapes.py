"""The lines of the viewport overlay as arrays: the box of a grid, the outlines of a sweep, squares on a surface.

Lines are (2 L, 3) float32 points in world space, two for each line. Nothing here uses Blender or a GPU.

A *viewer* is (4,): an eye (x, y, z, 1), or in an orthographic view a direction toward the viewer (x, y, z, 0).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np
import numpy.typing as npt

from ..compute import Path

Floats = npt.NDArray[np.float64]
Indices = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]
Lines = npt.NDArray[np.float32]

# Longer sweeps are thinned out evenly to this many segments. Each takes two lines.
MOST_SEGMENTS = 50_000
# The most rings and outlines of balls. `_FACETS` has the lines per circle, for at most this many circles.
MOST_CIRCLES = 4_000
_FACETS = ((300, 48), (1_000, 32), (2_000, 24), (MOST_CIRCLES, 16))
# Distance between rings along a path, in radii.
_RING_SPACING = 2.0
# Cosine of the turning angle between two segments from which on the ball in their joint is visible.
_CORNER = 0.97


def box_lines(low: npt.ArrayLike, high: npt.ArrayLike) -> Lines:
    """(24, 3): the twelve edges of a box between two corners (3,)."""
    low, high = np.asarray(low, dtype=np.float64), np.asarray(high, dtype=np.float64)
    ends = []
    for axis in range(3):
        for corner in product((0, 1), repeat=2):
            ends += [np.insert(corner, axis, 0), np.insert(corner, axis, 1)]
    return np.asarray(low + np.array(ends) * (high - low), dtype=np.float32)


def lattice_lines(points: npt.ArrayLike, shown: npt.ArrayLike) -> Lines:
    """Lines between neighbours in a lattice (P, Q, 3) if both are shown (P, Q)."""
    points, shown = np.asarray(points, dtype=np.float32), np.asarray(shown, dtype=bool)
    lines = []
    for a, b in ((np.s_[:-1], np.s_[1:]), (np.s_[:, :-1], np.s_[:, 1:])):
        both = shown[a] & shown[b]
        lines.append(np.stack([points[a][both], points[b][both]], axis=1).reshape(-1, 3))
    return np.concatenate(lines)


@dataclass(frozen=True)
class Tubes:
    """The segments of a sweep as round cones, path after path.

    If one end ball contains the other, both ends are the greater one, and the axis does not matter.

    Attributes:
        centre: (2, K, 3) of the balls at the start and at the end.    radius: (2, K).
        axis: (K, 3) unit vectors.    length: (K,).
        slope: (K,) sine of half the cone's angle. The sides touch a ball ahead of its centre, along the axis, by this
            fraction of the ball's radius.
        joined: (K,) whether it starts where the previous segment ends.
        free: (2, K) whether it starts or ends a path that is not cyclic.
    """

    centre: Floats
    radius: Floats
    axis: Floats
    length: Floats
    slope: Floats
    joined: Flags
    free: Flags

    def __len__(self) -> int:
        return len(self.axis)

    @classmethod
    def of(cls, paths: Sequence[Path], most: int = MOST_SEGMENTS) -> "Tubes":
        """The tubes of all segments, or of a regular selection so that there are at most `most`."""
        if not any((path.radii > 0).any() for path in paths):
            none = np.empty(0)
            flags = np.empty((2, 0), dtype=bool)
            return cls(np.empty((2, 0, 3)), np.empty((2, 0)), np.empty((0, 3)), none, none, flags[0], flags)
        count = np.array([len(path.points) for path in paths])
        points = np.concatenate([path.points for path in paths])
        radii = np.concatenate([path.radii for path in paths])
        path_of = np.repeat(np.arange(len(paths)), count)
        first = np.append(True, path_of[1:] != path_of[:-1])
        last = np.append(first[1:], True)
        ball = (np.array([not path.joined for path in paths]) | (count == 1))[path_of]
        closed = np.array([path.cyclic for path in paths])[path_of] & ~ball
        after = np.where(last, (np.cumsum(count) - count)[path_of], np.arange(1, len(points) + 1))
        after = np.where(ball, np.arange(len(points)), after)
        # A ball is a segment of length zero. All other segments of length zero are left out.
        goes = (points[after] != points).any(axis=1) | (radii[after] != radii)
        has_radius = (radii > 0) | (radii[after] > 0)
        begin = np.flatnonzero((ball | ((~last | closed) & goes)) & has_radius)
        path_of, closed, ball = path_of[begin], closed[begin], ball[begin]
        joined = np.append(False, path_of[1:] == path_of[:-1]) & ~ball
        free = np.stack([~joined & ~closed, ~np.append(joined[1:], False) & ~closed])
        step = -(-len(begin) // most)
        begin, joined, free = begin[::step], joined[::step] & (step == 1), free[:, ::step]
        ends = np.stack([begin, after[begin]])
        return cls._shaped(points[ends], radii[ends], joined, free)

    @classmethod
    def _shaped(cls, centre: Floats, radius: Floats, joined: Flags, free: Flags) -> "Tubes":
        along = centre[1] - centre[0]
        length = _norm(along)
        ball = length <= np.abs(radius[0] - radius[1])
        if ball.any():
            greater = (radius[1] > radius[0]).astype(np.intp)[ball], np.flatnonzero(ball)
            centre[:, ball], radius[:, ball] = centre[greater], radius[greater]
        safe = np.where(ball, 1.0, length)
        axis = np.where(ball[:, None], (0.0, 0.0, 1.0), along / safe[:, None])
        length = np.where(ball, 0.0, length)
        return cls(centre, radius, axis, length, (radius[0] - radius[1]) / safe, joined, free)


def ring_lines(tubes: Tubes) -> Lines:
    """Rings where the sides of cones touch balls: at both ends of paths, and at regular distances in between."""
    if not len(tubes):
        return np.empty((0, 3), dtype=np.float32)
    along = np.cumsum(tubes.length / tubes.radius.mean(axis=0))
    at_end = np.flatnonzero(tubes.free[1])
    spacing = max(_RING_SPACING, along[-1] / MOST_CIRCLES)
    steps = np.floor(np.append(0.0, along[:-1]) / spacing)
    at_start = np.flatnonzero(tubes.free[0] | np.append(False, np.diff(steps) > 0))
    end = np.repeat([0, 1], [len(at_start), len(at_end)])
    which = np.concatenate([at_start, at_end])
    every = -(-len(which) // MOST_CIRCLES)
    end, which = end[::every], which[::every]
    axis, slope, radius = tubes.axis[which], tubes.slope[which, None], tubes.radius[end, which, None]
    across = _across(axis)
    wide = radius * np.sqrt((1.0 - slope) * (1.0 + slope))
    foot = tubes.centre[end, which] + radius * slope * axis
    lines, _ = _circles(foot, wide * across, wide * np.cross(axis, across))
    return lines.reshape(-1, 3)


def outline_lines(tubes: Tubes, viewer: npt.ArrayLike) -> Lines:
    """The silhouettes of the tubes, of the balls at their free ends, and of the balls in corners, for a viewer."""
    viewer = np.asarray(viewer, dtype=np.float64)
    return np.concatenate([_side_lines(tubes, viewer), _ball_lines(tubes, viewer)])


def _side_lines(tubes: Tubes, viewer: Floats) -> Lines:
    """The two silhouette lines of each cone: their tangent planes contain the viewer. A cone seen end-on has none.

    A normal of the side is n = slope axis + wide (cos first + sin second), with `first` perpendicular to the axis,
    toward the viewer. The tangent plane of the ball at c of radius r contains the viewer v if n . (v - c) = r.

    In a joint that is no corner, lines end at the mean of both normals, so that there is no gap.
    """
    toward = viewer[:3] - viewer[3] * tubes.centre[0]
    along = np.einsum("ij,ij->i", toward, tubes.axis)
    first = toward - along[:, None] * tubes.axis
    reach = _norm(first)
    wide = np.sqrt((1.0 - tubes.slope) * (1.0 + tubes.slope))
    side = viewer[3] * tubes.radius[0] - tubes.slope * along
    seen = (np.abs(side) < wide * reach) & (tubes.length > 0)
    reach = np.where(seen, wide * reach, 1.0)
    cosine = np.where(seen, side / reach, 0.0)
    first *= (wide / reach)[:, None]
    second = np.cross(tubes.axis, first) * (wide * np.sqrt((1.0 - cosine) * (1.0 + cosine)))[:, None]
    middle = tubes.slope[:, None] * tubes.axis + (wide * cosine)[:, None] * first
    bend = np.flatnonzero(tubes.joined & ~_corners(tubes) & seen & np.roll(seen, 1))
    lines = np.empty((2, len(tubes), 2, 3), dtype=np.float32)
    for number, normal in enumerate((middle + second, middle - second)):
        mean = normal[bend - 1] + normal[bend]
        mean /= _norm(mean)[:, None]
        for end, ends in ((0, bend), (1, bend - 1)):
            points = tubes.centre[end] + tubes.radius[end][:, None] * normal
            points[ends] = tubes.centre[end, ends] + tubes.radius[end, ends, None] * mean
            lines[number, :, end] = points
    return lines[:, seen].reshape(-1, 3)


def _corners(tubes: Tubes) -> Flags:
    """(K,) whether the angle to the previous segment is so large that the ball between them is visible."""
    turn = np.einsum("ij,ij->i", tubes.axis[1:], tubes.axis[:-1])
    return np.append(False, turn < _CORNER)[: len(tubes)] & tubes.joined


def _ball_lines(tubes: Tubes, viewer: Floats) -> Lines:
    """Silhouettes of the balls at free ends and in corners, where they are outside the cones that meet there."""
    corner = _corners(tubes)
    starts, ends = np.flatnonzero(tubes.free[0] | corner), np.flatnonzero(tubes.free[1])
    which = np.concatenate([starts, ends])
    end = np.repeat([0, 1], [len(starts), len(ends)])
    # The cone that ends where this one starts, else this one again.
    other = which - ((end == 0) & corner[which])
    every = max(-(-len(which) // MOST_CIRCLES), 1)
    which, end, other = which[::every], end[::every], other[::every]
    centre, radius = tubes.centre[end, which], tubes.radius[end, which]
    toward = viewer[:3] - viewer[3] * centre
    distance = _norm(toward)
    outside = distance > viewer[3] * radius
    which, end, other, centre, radius, toward, distance = (
        each[outside] for each in (which, end, other, centre, radius, toward, distance)
    )
    look = toward / distance[:, None]
    sine = viewer[3] * radius / distance
    wide = (radius * np.sqrt((1.0 - sine) * (1.0 + sine)))[:, None]
    across = _across(look)
    lines, middles = _circles(centre + (radius * sine)[:, None] * look, wide * across, wide * np.cross(look, across))
    bare = ~_within(tubes, which, middles) & ~_within(tubes, other, middles)
    return lines[bare].reshape(-1, 3)


def _within(tubes: Tubes, which: Indices, points: Floats) -> Flags:
    """(R, A) whether points (R, A, 3) are strictly inside the cones `which` (R,)."""
    axis, slope, radius = tubes.axis[which, None], tubes.slope[which, None], tubes.radius[0, which, None]
    offset = points - tubes.centre[0, which, None]
    along = np.einsum("rai,rbi->ra", offset, axis)
    across = _norm(offset - along[..., None] * axis)
    tangent = slope / np.sqrt((1.0 - slope) * (1.0 + slope))
    place = np.clip(along - across * tangent, 0.0, tubes.length[which, None])
    distance = np.hypot(along - place, across) - (radius - place * slope)
    return np.asarray(distance < -1e-4 * radius)


def _across(axis: Floats) -> Floats:
    """(R, 3): a unit vector perpendicular to each unit vector (R, 3)."""
    flat = np.abs(axis[:, 2]) > 0.9
    aside = np.where(flat[:, None], (1.0, 0.0, 0.0), (0.0, 0.0, 1.0))
    across = np.cross(aside, axis)
    return np.asarray(across / _norm(across)[:, None])


def _circles(centre: Floats, first: Floats, second: Floats) -> tuple[Lines, Floats]:
    """Lines (R, A, 2, 3) around centre + cos(angle) first + sin(angle) second, and (R, A, 3) the arcs' middles."""
    facets = next((each for most, each in _FACETS if len(centre) <= most), _FACETS[-1][1])
    points = [
        centre[:, None] + np.cos(angle)[:, None] * first[:, None] + np.sin(angle)[:, None] * second[:, None]
        for angle in (2 * np.pi / facets * np.arange(facets), 2 * np.pi / facets * (np.arange(facets) + 0.5))
    ]
    ring = points[0].astype(np.float32)
    return np.stack([ring, np.roll(ring, -1, axis=1)], axis=2), points[1]


def _norm(vectors: Floats) -> Floats:
    return np.asarray(np.sqrt(np.einsum("...i,...i->...", vectors, vectors)))


def drawn_nearer(projection: npt.ArrayLike, share: float, distance: float) -> Floats:
    """(4, 4): a projection that moves depths nearer to the viewer and changes nothing else.

    So lines on a surface win against it.

    Args:
        projection: (4, 4) from view space to OpenGL's clip space, perspective or orthographic.
        share: by how much nearer: in perspective, a fraction of each point's own distance.
        distance: of the point looked at; in an orthographic view, points come nearer by `share` times this.
    """
    matrix = np.array(projection, dtype=np.float64)
    perspective = matrix[3, 2] != 0
    matrix[2, 3] += matrix[2, 3] * share if perspective else matrix[2, 2] * share * distance
    return matrix
