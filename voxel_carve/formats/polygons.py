"""Triangulation of polygons.

A polygon becomes a fan about its first corner that sees all of it; for a convex polygon, that is the first corner. If
no corner does, ears are clipped (Meisters 1975, "Polygons have ears") in the plane of Newell's normal (Sutherland,
Sproull, Schumacker 1974). A polygon that crosses itself has no inside and becomes a fan about its first corner. So do
small polygons once clipping has used up its time.
"""

from collections import deque
from itertools import product
from typing import Any

import numpy as np
import numpy.typing as npt

from .files import Room

Floats = npt.NDArray[np.float64]
Triangles = npt.NDArray[np.int32]

# A triangle with at most this fraction of its polygon's area is flat: more than float32 rounding along a straight side.
# A fan about the first corner may have flat triangles, one about another corner may not.
FLAT = 1e-6
# Corners processed at once.
BLOCK = 1 << 15
# Up to this many corners, plain Python is faster than numpy.
FEW = 64
# With more corners, clipping is faster than finding a corner that sees all.
MOST_FANS = 16
# A polygon with at most this many corners that does not cross itself is a fan about one of them, because the two
# diagonals that split a pentagon share a corner.
ALWAYS_FAN = 5
# Clipping costs corners * (corners + PER_CORNER). The limit on the total is at most 17 seconds, measured.
MOST_CLIPPING, PER_CORNER = 1_000_000_000, 3000
# Measured: memory per triangle, per corner and polygon of the input, and per corner of the largest polygon.
BYTES_PER_TRIANGLE, BYTES_PER_CORNER, BYTES_PER_POLYGON, BYTES_PER_LARGEST = 64, 24, 40, 160


def triangulate(points: Floats, counts: npt.NDArray[Any], corners: npt.NDArray[Any], room: Room) -> Triangles:
    """The triangles (T, 3) of polygons, in order; polygons with fewer than three corners have none.

    Args:
        points: (N, 3).
        counts: (P,) the number of corners of each polygon.
        corners: (sum of counts,) point indices, polygon after polygon.
        room: the memory allowance.

    Raises:
        ValueError: an index is not an integer or out of range, or the work would take too much memory or time.
    """
    fans = np.maximum(counts.astype(np.int64) - 2, 0)
    total = int(fans.sum())
    most = int(counts.max(initial=0))
    needed = BYTES_PER_TRIANGLE * total + BYTES_PER_CORNER * len(corners)
    needed += BYTES_PER_POLYGON * len(counts) + BYTES_PER_LARGEST * most
    room.check(needed, f"its {total} triangles")
    corners = _checked(corners, len(points))
    starts = np.cumsum(counts, dtype=np.int64) - counts
    placed = np.cumsum(fans) - fans
    first = np.repeat(starts, fans)
    second = first + np.arange(1, total + 1) - np.repeat(placed, fans)
    triangles = np.empty((total, 3), np.int32)
    for column, place in enumerate((first, second, second + 1)):
        triangles[:, column] = corners[place]
    del first, second
    if total == np.count_nonzero(fans):
        return triangles
    clipping = 0
    large = np.flatnonzero(counts > 3)
    # The largest first, so that only small polygons stay fans when the time is used up.
    large = large[np.argsort(counts[large], kind="stable")[::-1]]
    for same in np.split(large, np.flatnonzero(np.diff(counts[large])) + 1):
        sides = int(counts[same[0]])
        step = max(1, BLOCK // sides)
        for block in (same[first : first + step] for first in range(0, len(same), step)):
            polygons = corners[starts[block, None] + np.arange(sides)]
            for polygon in _split(points, polygons, triangles, placed[block]):
                clipping += sides * (sides + PER_CORNER)
                if clipping > MOST_CLIPPING:
                    if sides <= MOST_FANS:
                        break
                    raise ValueError(
                        f"it has concave polygons of up to {most} corners, too many to be split here: export "
                        "it in triangles"
                    )
                ears = _ears(points[polygons[polygon]])
                if ears is not None:
                    at = placed[block[polygon]]
                    triangles[at : at + sides - 2] = polygons[polygon][ears]
    return triangles


def _checked(corners: npt.NDArray[Any], point_count: int) -> npt.NDArray[np.int32]:
    """The indices as int32, checked to be in range."""
    if corners.dtype.kind == "f" and not (corners == np.floor(corners)).all():
        raise ValueError("its faces have indices that are not whole numbers: it is damaged, export it again")
    if len(corners) and not (corners.min() >= 0 and corners.max() < point_count):
        raise ValueError("it has faces that refer to missing vertices: it is damaged, export it again")
    return corners.astype(np.int32)


def _split(
    points: Floats, polygons: npt.NDArray[np.int32], triangles: Triangles, placed: npt.NDArray[np.int64]
) -> npt.NDArray[np.int64]:
    """Make the fan about another corner for polygons (P, n) whose first corner does not see all of them. Write it to
    `triangles`, from the rows `placed` (P,). Return the indices of the polygons that have to be clipped."""
    sides = polygons.shape[1]
    left = np.flatnonzero(~_sees(points, polygons, -FLAT))
    if sides > MOST_FANS:
        return left
    fan = np.arange(sides - 2)
    about = np.stack([np.zeros_like(fan), fan + 1, fan + 2], axis=1)
    # Small polygons with a thin part have a flat fan, so accept that in a second try.
    for least, corner in product((FLAT, -FLAT) if sides <= ALWAYS_FAN else (FLAT,), range(1, sides)):
        if not len(left):
            break
        turned = np.roll(polygons[left], -corner, axis=1)
        sees = _sees(points, turned, least)
        triangles[placed[left[sees], None] + fan] = turned[sees][:, about]
        left = left[~sees]
    return left if sides > ALWAYS_FAN else left[:0]


def _sees(points: Floats, polygons: npt.NDArray[np.int32], least: float) -> npt.NDArray[np.bool_]:
    """(P,) whether each triangle of the fan about the first corner of polygons (P, n) has at least the fraction `least`
    of its polygon's area; a triangle that faces the other way has a negative area."""
    with np.errstate(all="ignore"):  # coordinates that are refused later
        # Corners along the first axis, so that sums over corners are sums of rows.
        x, y, z = (axis[1:] - axis[:1] for axis in points[polygons.T].transpose(2, 0, 1))
        across = (y[:-1] * z[1:] - z[:-1] * y[1:], z[:-1] * x[1:] - x[:-1] * z[1:], x[:-1] * y[1:] - y[:-1] * x[1:])
        normal = [part.sum(axis=0) for part in across]  # Newell's, from the first corner
        along = across[0] * normal[0] + across[1] * normal[1] + across[2] * normal[2]
        # Written so that it holds for NaN.
        sees: npt.NDArray[np.bool_] = ~(along < least * along.sum(axis=0)).any(axis=0)
    return sees


def _ears(points: Floats) -> npt.NDArray[np.int64] | None:
    """(n - 2, 3) corners of the triangles of one polygon (n, 3); None if it crosses itself.

    A corner is an ear if it is convex and its triangle with the two neighbours contains no other corner. Cutting off an
    ear affects only its two neighbours, so there are O(n) tests of O(n) corners each.
    """
    x, y = _flattened(points).T
    count = len(points)
    before, after = np.roll(np.arange(count), 1).tolist(), np.roll(np.arange(count), -1).tolist()
    px, py = x.tolist(), y.tolist()

    def turn(a: int, b: int, c: int) -> float:
        return float((px[b] - px[a]) * (py[c] - py[a]) - (py[b] - py[a]) * (px[c] - px[a]))

    # If a triangle contains corners, one of these non-convex corners is among them.
    blunt = bytearray(turn(before[corner], corner, after[corner]) <= 0 for corner in range(count))
    mask = np.frombuffer(blunt, np.bool_)

    def holds(sides: tuple[tuple[int, int], ...], k: int) -> bool:
        # A bridge to a hole runs there and back through the same points.
        return all(turn(i, j, k) >= 0 and (px[i], py[i]) != (px[k], py[k]) for i, j in sides)

    def is_ear(b: int) -> bool:
        if blunt[b]:
            return False
        a, c = before[b], after[b]
        sides = ((a, b), (b, c), (c, a))
        if count <= FEW:
            return not any(blunt[k] and holds(sides, k) for k in range(count))
        other = np.flatnonzero(mask)
        ox, oy = x[other], y[other]
        held = np.ones(len(other), np.bool_)
        for i, j in sides:
            held &= (px[j] - px[i]) * (oy - py[i]) - (py[j] - py[i]) * (ox - px[i]) >= 0
            held &= (ox != px[i]) | (oy != py[i])
        return not held.any()

    ears = deque(corner for corner in range(count) if is_ear(corner))
    gone = np.zeros(count, np.bool_)
    found: list[tuple[int, int, int]] = []
    while ears and len(found) < count - 2:
        b = ears.popleft()
        if gone[b] or not is_ear(b):
            continue
        a, c = before[b], after[b]
        found.append((a, b, c))
        gone[b] = True
        after[a], before[c] = c, a
        for corner in (a, c):
            blunt[corner] = turn(before[corner], corner, after[corner]) <= 0
            ears.append(corner)
    return np.array(found) if len(found) == count - 2 else None


def _flattened(points: Floats) -> Floats:
    """(n, 2) a polygon projected along its Newell normal, counter-clockwise, scaled to a size of about 1."""
    offset = points - points[0]
    offset /= np.abs(offset).max()
    normal = np.cross(offset[1:-1], offset[2:]).sum(axis=0)
    side = np.cross(normal, np.eye(3)[np.abs(normal).argmin()])
    plane = np.stack([side, np.cross(normal, side) / np.linalg.norm(normal)], axis=1)
    return offset @ (plane / np.linalg.norm(side))
