"""Narrow gaps between the rim of an open stock and another body of it.

There a cap would dive into the gap, which may be finer than voxels. So the body with the rim goes on, as a *flap*, up
to the other body: in its own plane, or else, as between the rims of two shells, the shortest way. The flap ends a
little inside. The winding number then says of the gap what it says of a closed stock.

Two bowls in each other and two flat sheets over each other are the same near their rims, but the cap of the sheets
bulges around both. So there is a flap only where the winding number in the gap is near a half: there a cap comes in.

Each point of a rim decides this alone.
"""

from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np
import numpy.typing as npt
import scipy

from ..model.mesh import unit_rows
from ..primitives.boundary import Boundary
from ..primitives.half_edges import face_sides, side_keys
from ..primitives.triangles import Triangles, cross, dot, weld

Array = npt.NDArray[np.float64]
Indices = npt.NDArray[np.integer]

NARROW = 2.5  # voxels: a wider gap stays
INSIDE = 0.05  # voxels: so far inside the other body a flap ends
BEYOND = 0.5  # voxels: so far beyond the rim of the other body
TURNED = 0.1  # cosine: the other body faces the flap by more
NEAR_HALF = 0.25  # of the winding number in a gap that a cap comes into: nearer to a half than to a whole number
BEHIND = 0.02  # cosine: a flap bends toward the inside, or hardly outward
ROUNDING = 1e-9
PAIRS = 1 << 18  # of a point and a triangle, at once, or little more


def without_narrow_gaps(triangles: Triangles, boundary_winding: Callable[[Array, Boundary], Array]) -> Triangles:
    """The triangles of a stock, with flaps across its narrow gaps. Each flap counts as the triangle that it goes on
    from.

    Args:
        boundary_winding: see `field.protocol.Backend`.
    """
    if len(triangles.boundary) == 0:
        return triangles
    count, part = _parts(triangles)
    if count < 2:
        return triangles
    tail, head, owner = _rim(triangles)
    points = np.unique(tail)
    has_rim = np.zeros(len(triangles), dtype=bool)
    has_rim[owner] = True
    gap, beyond = _gaps(triangles, part, has_rim, points, *_directions(triangles, points, tail, head, owner))
    narrow = (gap != 0.0).any(axis=1)
    points, gap, beyond = points[narrow], gap[narrow], beyond[narrow]
    # The sum of the boundary is the winding number, but for a whole number.
    fraction = boundary_winding(triangles.points[points] + gap / 2, triangles.boundary) % 1.0
    capped = abs(fraction - 0.5) < NEAR_HALF
    way = gap + beyond[:, None] * unit_rows(gap)
    return _with_flaps(triangles, points[capped], way[capped], tail, head, owner)


def _parts(triangles: Triangles) -> tuple[int, Indices]:
    """The number of bodies, and (N,) that of each point."""
    a, b, c = triangles.triangles.T
    links = (np.ones(2 * len(a), dtype=np.int8), (np.concatenate([a, b]), np.concatenate([b, c])))
    whole = scipy.sparse.coo_matrix(links, (len(triangles.points),) * 2)
    _, part = scipy.sparse.csgraph.connected_components(whole, directed=False)
    return len(np.unique(part[a])), part


def _rim(triangles: Triangles) -> tuple[Indices, Indices, Indices]:
    """Tail and head (E,) of the half-edges of the open boundary, and the triangle of each."""
    tail, head = triangles.rim
    begins, ends = np.zeros((2, len(triangles.points)), dtype=bool)
    begins[tail], ends[head] = True, True
    sides = face_sides(triangles.triangles)
    side = np.flatnonzero(begins[sides[0]] & ends[sides[1]])
    keys = side_keys(sides[0][side], sides[1][side])
    order = np.argsort(keys, kind="stable")
    at = np.searchsorted(keys[order], side_keys(tail, head))
    return tail, head, side[order[at]] // 3


def _directions(
    triangles: Triangles, points: Indices, tail: Indices, head: Indices, owner: Indices
) -> tuple[Array, Array]:
    """At each point of the rim (P,): the direction in which the surface would go on, and its normal (P, 3)."""
    normal = triangles.normal[owner]
    outward = unit_rows(cross((triangles.points[head] - triangles.points[tail]).T, normal.T).T)
    sums = np.zeros((2, len(points), 3))
    for ends in (tail, head):
        at = np.searchsorted(points, ends)
        known = points[np.minimum(at, len(points) - 1)] == ends
        np.add.at(sums[0], at[known], outward[known])
        np.add.at(sums[1], at[known], normal[known])
    return unit_rows(sums[0]), unit_rows(sums[1])


def _gaps(
    triangles: Triangles,
    part: Indices,
    has_rim: npt.NDArray[np.bool_],
    points: Indices,
    direction: Array,
    normal: Array,
) -> tuple[Array, Array]:
    """The ways (P, 3) from points of the rim to another body, 0 where there is none near; and how far (P,) a flap goes
    beyond.

    Args:
        has_rim: (M,) which triangles have a side on the rim.
    """
    gap, beyond, best = np.zeros((len(points), 3)), np.zeros(len(points)), np.full((2, len(points)), np.inf)
    place = triangles.points[points]
    own = part[points]
    for point, triangle in _near(triangles, part, place, own):
        faces = triangles.normal[triangle]
        corners = triangles.points[triangles.triangles[triangle]]
        for turn in range(2):
            # The way in the plane counts before the shortest.
            if turn == 0:
                length, reached = _along(place[point], direction[point], faces, corners)
                step = length[:, None] * direction[point]
            else:
                step = _closest(place[point], corners) - place[point]
                length = np.linalg.norm(step, axis=1)
                reached = (step * normal[point]).sum(axis=1) <= BEHIND * length
            toward = unit_rows(step)
            reached &= (toward * faces).sum(axis=1) < -TURNED
            reached &= (length <= NARROW) & (length > ROUNDING)
            which = np.flatnonzero(reached)
            which = which[np.lexsort((triangle[which], length[which], point[which]))]
            of, first = np.unique(point[which], return_index=True)
            which = which[first]
            nearer = length[which] < best[turn, of]
            of, which = of[nearer], which[nearer]
            best[turn, of] = length[which]
            if turn == 1:
                shows = np.isinf(best[0, of])
                of, which = of[shows], which[shows]
            gap[of] = step[which]
            beyond[of] = np.where(has_rim[triangle[which]] & (turn == 1), BEYOND, INSIDE)
    return gap, beyond


def _near(triangles: Triangles, part: Indices, place: Array, own: Indices) -> Iterator[tuple[Indices, Indices]]:
    """Pairs (K,), (K,) of a place and a triangle of another body that are not farther apart than NARROW, and some
    others, in parts.

    Args:
        part, own: the body of each point of a triangle, and of each place.
    """
    # By columns: numpy is slow along an axis of three.
    candidates = _in_box(triangles, place.min(axis=0) - NARROW, place.max(axis=0) + NARROW)
    indices = triangles.triangles[candidates].T
    corners = [triangles.points.T.take(each, axis=1) for each in indices]
    middle, body = np.add(np.add(corners[0], corners[1]), corners[2]) / 3, part[indices[0]]
    reach = np.sqrt(np.max([dot(each - middle, each - middle) for each in corners], axis=0)) + NARROW
    level = np.ceil(np.log2(reach)).astype(np.int64)
    for each in np.unique(level):
        rows = np.flatnonzero(level == each)
        for at, row in _beside(place, middle[:, rows], 2.0**each):
            another = body[rows[row]] != own[at]
            point, triangle = at[another], rows[row[another]]
            step = place[point].T - middle[:, triangle]
            is_near = dot(step, step) <= reach[triangle] ** 2
            yield point[is_near], candidates[triangle[is_near]]


def _in_box(triangles: Triangles, low: Array, high: Array) -> Indices:
    """The triangles (K,) whose boxes touch a box."""
    found = np.arange(len(triangles))
    for axis in range(3):
        a, b, c = triangles.points[:, axis].take(triangles.triangles[found].T)
        touch = (np.minimum(np.minimum(a, b), c) <= high[axis]) & (np.maximum(np.maximum(a, b), c) >= low[axis])
        found = found[touch]
    return found


def _beside(place: Array, middle: Array, size: float) -> Iterator[tuple[Indices, Indices]]:
    """Pairs (K,), (K,) of places (P, 3) and of columns of `middle` (3, N) whose tiles of a size touch, in parts."""
    keys = _keys(np.floor(middle / size).astype(np.int64))
    order = np.argsort(keys)
    steps = np.stack(np.meshgrid(*[[-1, 0, 1]] * 3), axis=-1).reshape(-1, 3)
    around = _keys((np.floor(place / size).astype(np.int64)[:, None] + steps).reshape(-1, 3).T)
    start, stop = (np.searchsorted(keys[order], around, side) for side in ("left", "right"))
    tile = np.flatnonzero(stop > start)
    before = np.cumsum(stop[tile] - start[tile])
    for some in np.split(tile, np.searchsorted(before, np.arange(PAIRS, before[-1], PAIRS)) if len(tile) else []):
        number = stop[some] - start[some]
        first = np.repeat(start[some] - np.cumsum(number) + number, number)
        yield np.repeat(some // len(steps), number), order[first + np.arange(len(first))]


def _keys(tiles: Indices) -> Indices:
    """(N,) a number for each tile (3, N); a few may share one."""
    keys: Indices = (tiles[0] << 42) + (tiles[1] << 21) + tiles[2]
    return keys


def _along(place: Array, direction: Array, normal: Array, corners: Array) -> tuple[Array, npt.NDArray[np.bool_]]:
    """How far rays (K,) go to the planes of triangles, and whether they meet these triangles."""
    slope = (direction * normal).sum(axis=1)
    height = ((place - corners[:, 0]) * normal).sum(axis=1)
    length = -height / np.where(slope == 0.0, np.inf, slope)
    hit = place + length[:, None] * direction
    within = slope < 0.0
    for k in range(3):
        side = corners[:, (k + 1) % 3] - corners[:, k]
        within &= dot(cross(side.T, (hit - corners[:, k]).T), normal.T) >= -ROUNDING
    return length, within


def _closest(place: Array, corners: Array) -> Array:
    """The points (K, 3) of triangles that are nearest to points (K, 3)."""
    a, b, c = corners[:, 0], corners[:, 1], corners[:, 2]
    normal = unit_rows(cross((b - a).T, (c - a).T).T)
    foot = place - ((place - a) * normal).sum(axis=1)[:, None] * normal
    within = np.ones(len(place), dtype=bool)
    best, least = foot.copy(), np.full(len(place), np.inf)
    for start, end in ((a, b), (b, c), (c, a)):
        side = end - start
        within &= (np.cross(side, foot - start) * normal).sum(axis=1) >= 0.0
        size = (side * side).sum(axis=1)
        t = np.clip(((place - start) * side).sum(axis=1) / np.where(size > 0.0, size, 1.0), 0.0, 1.0)
        at = start + t[:, None] * side
        square = ((place - at) ** 2).sum(axis=1)
        nearer = square < least
        best[nearer], least[nearer] = at[nearer], square[nearer]
    return np.where(within[:, None], foot, best)


def _with_flaps(
    triangles: Triangles, points: Indices, way: Array, tail: Indices, head: Indices, owner: Indices
) -> Triangles:
    """The triangles, and those of the flaps from half-edges of the rim, the `way` (P, 3) from some of its points."""
    if len(points) == 0:
        return triangles
    end = np.full(len(triangles.points), -1, dtype=np.int64)
    end[points] = len(triangles.points) + np.arange(len(points))
    both, here, there = np.stack([tail, head, end[tail]], axis=1), end[tail] >= 0, end[head] >= 0
    first = np.stack([both[:, 1], both[:, 0], np.where(here, end[tail], end[head])], axis=1)[here | there]
    second = np.stack([head, end[tail], end[head]], axis=1)[here & there]
    made, of = np.concatenate([first, second]), np.concatenate([owner[here | there], owner[here & there]])
    where = np.concatenate([triangles.points, triangles.points[points] + way])
    welded, corners, kept = weld(where, np.concatenate([triangles.triangles, made]))
    a, b, c = (welded.T.take(corners[:, i], axis=1) for i in range(3))
    normal = np.ascontiguousarray(unit_rows(cross(b - a, c - a).T))
    known = kept < len(triangles)
    normal[known] = triangles.normal[kept[known]]
    order = np.concatenate([triangles.order, triangles.order[of]])[kept]
    return replace(triangles, points=welded, triangles=corners, normal=normal, order=order)
