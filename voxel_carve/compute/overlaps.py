"""Which triangles of a mesh overlap: run through each other, or touch where they share no corner.

Two triangles with two common corners never count, and two in one plane do not either.
"""

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from .bricks import expand_ranges
from .progress import steps
from .threads import slices
from .triangles import cross, dot

Array = npt.NDArray[np.float64]
Indices = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]

# In voxels: what counts as a common plane, and as a touch; of two with a common corner, how near to the other's plane
# one is on it, and what counts as a stretch that they share.
FLAT = 2e-5
TOUCH = 1e-4
COMMON = 1e-6
STRETCH = 1e-3

CHOSEN_PER_BLOCK = 1024


def overlapping(points: Array, triangles: npt.NDArray[np.int32], chosen: Indices) -> Indices:
    """(N, 2) triangles that overlap, at least one of each two among `chosen` (K,), ascending.

    Args:
        points: (V, 3) in voxels.
        triangles: (M, 3) indices of points.
        chosen: which may have come to overlap.
    """
    corners = [np.ascontiguousarray(points[triangles[:, i]].T) for i in range(3)]
    low, high = (np.ascontiguousarray(ends(ends(*corners[:2]), corners[2]).T) for ends in (np.minimum, np.maximum))
    normals = _unit(cross(corners[1] - corners[0], corners[2] - corners[0]))
    found = [np.empty((0, 2), dtype=np.int64)]
    for first, second in touching_boxes(low, high, chosen):
        common = np.zeros(len(first), dtype=np.int8)
        for i in range(3):
            for j in range(3):
                common += triangles[first, i] == triangles[second, j]
        apart = np.flatnonzero(common < 2)
        one, two = first[apart], second[apart]
        meet = _meet(corners, normals, triangles, one, two, common[apart] == 1)
        found.append(np.column_stack([one[meet], two[meet]]))
    return np.concatenate(found)


def touching_boxes(low: Array, high: Array, chosen: Indices) -> Iterator[tuple[Indices, Indices]]:
    """Pairs (P,) and (P,) of boxes that touch, the first one of `chosen` (K,), ascending: each pair once, in blocks.

    Boxes have corners low and high (M, 3), and reach over a few voxels: they are found through lists of each voxel's.
    """
    origin = low.min(axis=0, initial=np.inf)
    first, last = (np.floor(ends - origin).astype(np.int64) for ends in (low, high))
    side = last.max(axis=0, initial=0) + 1
    is_chosen = np.zeros(len(low), dtype=bool)
    is_chosen[chosen] = True
    cell, box = _cells(first, last, np.arange(len(low)), side)
    order = np.argsort(cell, kind="stable")
    cell, box = cell[order], box[order]
    for rows in steps(slices(len(chosen), CHOSEN_PER_BLOCK)):
        own_cell, own = _cells(first, last, chosen[rows], side)
        begin, end = (np.searchsorted(cell, own_cell, side=which) for which in ("left", "right"))
        one, at = np.repeat(own, end - begin), np.repeat(own_cell, end - begin)
        two = box[expand_ranges(begin, end - begin)]
        kept = np.flatnonzero((one != two) & ~(is_chosen[two] & (two < one)))
        one, two, at = one[kept], two[kept], at[kept]
        # Boxes share several cells: the one at the least corner of what they share counts.
        kept = np.flatnonzero(_number(np.maximum(first[one], first[two]), side) == at)
        one, two = one[kept], two[kept]
        touch = ((low[one] <= high[two]) & (low[two] <= high[one])).all(axis=1)
        yield one[touch], two[touch]


def _cells(first: Indices, last: Indices, which: Indices, side: Indices) -> tuple[Indices, Indices]:
    """The number of each voxel that boxes `which` (N,) reach, first to last (M, 3); and which box it is of."""
    extent = last[which] - first[which] + 1
    count = extent.prod(axis=1)
    owner = np.repeat(np.arange(len(which)), count)
    step = expand_ranges(np.zeros(len(which), dtype=np.int64), count)
    x, y = extent[owner, 0], extent[owner, 1]
    corner = first[which][owner] + np.column_stack([step % x, step // x % y, step // (x * y)])
    return _number(corner, side), which[owner]


def _number(cell: Indices, side: Indices) -> Indices:
    """(N,) one number for each cell (N, 3) of a grid with these sides."""
    number: Indices = (cell[:, 2] * side[1] + cell[:, 1]) * side[0] + cell[:, 0]
    return number


def _meet(
    corners: list[Array],
    normals: Array,
    triangles: npt.NDArray[np.int32],
    one: Indices,
    two: Indices,
    joined: Mask,
) -> Indices:
    """Which of pairs (N,) of triangles (M, 3), corners three times (3, M), normals (3, M), overlap: both have a stretch
    on the line where their planes meet, and these stretches do (Moeller 1997). Those `joined` (N,) must share more than
    their corner, which cannot be where the others lie on one side."""
    rows = np.arange(len(one))
    for here, there in ((one, two), (two, one)):
        height = _heights(corners, normals, here[rows], there[rows])
        common = (triangles[there[rows]].T[:, None] == triangles[here[rows]].T).any(axis=1)
        least, most = (np.where(common, end, height) for end in (np.inf, -np.inf))
        rows = rows[(least.min(axis=0) <= TOUCH) & (most.max(axis=0) >= -TOUCH)]
    one, two = one[rows], two[rows]
    along = cross(normals[:, one], normals[:, two])
    heights = [_heights(corners, normals, here, there) for here, there in ((two, one), (one, two))]
    crossing = np.flatnonzero((dot(along, along) > TOUCH * TOUCH) & (np.abs(heights) > FLAT).any(axis=(0, 1)))
    along, joined = _unit(along[:, crossing]), joined[rows[crossing]]
    first, second = (
        _stretch([dot(corner[:, which[crossing]], along) for corner in corners], height[:, crossing], joined)
        for which, height in zip((one, two), heights, strict=True)
    )
    shared = np.minimum(first[1], second[1]) - np.maximum(first[0], second[0])
    return rows[crossing[shared > np.where(joined, STRETCH, -TOUCH)]]


def _heights(corners: list[Array], normals: Array, plane: Indices, which: Indices) -> Array:
    """(3, N) how high the corners of triangles `which` (N,) lie over the planes of triangles `plane` (N,)."""
    normal, foot = normals[:, plane], corners[0][:, plane]
    return np.stack([dot(normal, corner[:, which] - foot) for corner in corners])


def _stretch(place: list[Array], height: Array, joined: Mask) -> tuple[Array, Array]:
    """From where to where (N,), along a line, a plane cuts triangles: their corners are at three places (N,) along it,
    and at heights (3, N) over the plane. Empty where it does not."""
    touch = np.where(joined, COMMON, TOUCH)
    low, high = np.full(height.shape[1], np.inf), np.full(height.shape[1], -np.inf)
    for here, there in ((0, 1), (1, 2), (2, 0)):
        above, other = height[here], height[there]
        passes = (above > 0) != (other > 0)
        at = place[here] + above / np.where(passes, above - other, 1) * (place[there] - place[here])
        for hit, where in ((passes, at), (np.abs(above) <= touch, place[here])):
            low, high = np.where(hit, np.minimum(low, where), low), np.where(hit, np.maximum(high, where), high)
    return low, high


def _unit(vectors: Array) -> Array:
    """Vectors (3, N) made 1 long; those without a length stay."""
    length = np.sqrt(dot(vectors, vectors))
    unit: Array = vectors / np.where(length > 0, length, 1)
    return unit
