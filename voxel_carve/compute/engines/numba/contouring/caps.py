"""The planes of the caps that close the holes of an open stock, for both engines.

Where the surface of the stock crosses an edge of the grid and no triangle lies there, the crossing gets a plane of its
own: a small triangle after those of the stock. From there on, a cap is like any other surface. It meets triangles at
border points and hubs.

The crossing is moved along its edge to where the winding number is a half, to which the plane is tangent. Near the rim,
where the cap may bend, the plane holds the nearest point of the rim instead: so the cap meets the triangles in the rim.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import scipy

from ....field.boundary_tiles import Tiles
from ....model.mesh import unit_rows
from ....primitives.boundary import Boundary
from ....primitives.triangles import Triangles
from ....runtime.progress import with_progress
from ....runtime.threads import slices
from ..field import winding

Array = npt.NDArray[np.float64]

OF_CAP = -1  # instead of the index of a triangle in the mesh
STEPS = 6  # of Newton's method
SETTLED = 1e-5  # voxels that the last step leaves to go, about
LEAST_SLOPE = 1e-3  # per voxel
PIECE = 0.5  # voxels: the rim is searched in pieces that are no longer
PIECES = 4  # of the rim that are compared
RIM_NEAR, RIM_AT = 1.8, 0.02  # voxels: between these distances, a plane holds the nearest point of the rim
STEEPEST = 0.3  # the cosine between the gradient and the way to the rim, at most: else that way says nothing
SIZE = 0.5  # voxels, of a triangle
CROSSINGS_PER_RUN = 1 << 16


class _Rim(NamedTuple):
    """The middles of pieces of the open boundary.

    Attributes:
        tree: of the middles (P, 3).    owner: (P,) the edge that each is a piece of.
    """

    tree: Any
    owner: npt.NDArray[np.int64]

    @classmethod
    def of(cls, boundary: Boundary) -> "_Rim":
        """The pieces of a boundary."""
        step = boundary.high - boundary.low
        number = np.maximum(np.ceil(np.linalg.norm(step, axis=1) / PIECE), 1).astype(int)
        owner = np.repeat(np.arange(len(number)), number)
        share = (np.arange(len(owner)) - (np.cumsum(number) - number)[owner] + 0.5) / number[owner]
        return cls(scipy.spatial.cKDTree(boundary.low[owner] + share[:, None] * step[owner]), owner)


def with_caps(
    triangles: Triangles,
    tiles: Tiles,
    code: npt.NDArray[np.int32],
    place: npt.NDArray[np.float32],
    is_cap: npt.NDArray[np.bool_],
    points_of: Callable[[npt.NDArray[np.int64]], Array],
) -> Triangles:
    """The triangles, and after them one for each crossing of a cap. Codes and places (C,) change in place.

    Args:
        tiles: where caps can be.
        is_cap: (C,) which crossings have no triangle. Where no cap can be, rounding has lost it; they stay as they are.
        points_of: gives the points (K, 3) of crossings (K,).
    """
    which, boundary = np.flatnonzero(is_cap), triangles.boundary
    runs = slices(len(which), CROSSINGS_PER_RUN)
    which = which[np.concatenate([_tiles_of(points_of(which[run]), tiles) >= 0 for run in runs])]
    moved = place[which]
    normal, corners = np.empty((len(which), 3)), np.empty((len(which), 3, 3))
    rim = _Rim.of(boundary)
    for run in with_progress(slices(len(which), CROSSINGS_PER_RUN)):
        points = points_of(which[run])
        axis = np.abs(points - 0.5 - np.round(points - 0.5)).argmax(axis=1)
        rows = np.arange(len(points))
        start = points[rows, axis] - moved[run]
        own = moved[run].astype(np.float64)
        low, high = _room(which[run], points, axis, own, len(code), points_of)
        gradient, moved[run] = _settled(points, np.eye(3)[axis], own, low, high, tiles)
        points[rows, axis] = start + moved[run]
        normal[run] = _normals(points, gradient, boundary, rim)
        corners[run] = _corners(points, normal[run])
    place[which] = moved
    code[which] = len(triangles) + np.arange(len(which), dtype=np.int32)
    index = len(triangles.points) + np.arange(len(which) * 3).reshape(-1, 3)
    return replace(
        triangles,
        points=np.concatenate([triangles.points, corners.reshape(-1, 3)]),
        triangles=np.concatenate([triangles.triangles, index]),
        normal=np.concatenate([triangles.normal, normal]),
        order=np.concatenate([triangles.order, np.full(len(which), OF_CAP, dtype=np.int32)]),
    )


def _tiles_of(points: Array, tiles: Tiles) -> npt.NDArray[np.int64]:
    """The tiles (K,) that points (K, 3) lie in, or -1."""
    return tiles.holding(np.floor(points[:, ::-1]).astype(np.int64))


def _room(
    which: npt.NDArray[np.int64],
    points: Array,
    axis: npt.NDArray[np.int64],
    place: Array,
    count: int,
    points_of: Callable[[npt.NDArray[np.int64]], Array],
) -> tuple[Array, Array]:
    """The places (K,) between which crossings may move: those of others on the same edge, or its ends."""
    low, high, rows = np.zeros(len(which)), np.ones(len(which)), np.arange(len(which))
    for beside in (-1, 1):
        way = points_of(np.clip(which + beside, 0, count - 1)) - points
        other = place + way[rows, axis]
        way[rows, axis] = 0.0
        is_there = (way == 0.0).all(axis=1) & (which + beside >= 0) & (which + beside < count)
        is_there &= (other >= 0.0) & (other <= 1.0)
        if beside < 0:
            low = np.where(is_there, np.minimum(other, place), low)
        else:
            high = np.where(is_there, np.maximum(other, place), high)
    return low, high


def _settled(points: Array, step: Array, place: Array, low: Array, high: Array, tiles: Tiles) -> tuple[Array, Array]:
    """The gradients of the winding number (K, 3) where it is a half, and the places of these points on their edges.

    Newton's method, held between the places where the number was too high and too low, which are `low` and `high` at
    first.
    """
    tile = _tiles_of(points, tiles)
    gradient, moved = np.empty((len(points), 3)), place.copy()
    low, high, left = low.copy(), high.copy(), np.argsort(tile, kind="stable")
    for _ in range(STEPS):
        at = points[left] + (moved[left] - place[left])[:, None] * step[left]
        b, gradient[left] = winding.sums_in_tiles(at, tiles, tile[left])
        excess = b % 1.0 - 0.5
        slope = (gradient[left] * step[left]).sum(axis=1)
        way = np.where(np.abs(slope) > LEAST_SLOPE, -excess / np.where(slope == 0.0, 1.0, slope), 0.0)
        low[left] = np.where(way > 0.0, moved[left], low[left])
        high[left] = np.where(way < 0.0, moved[left], high[left])
        to = moved[left] + way
        beyond = (to < low[left]) | (to > high[left])
        to = np.where(beyond, (low[left] + high[left]) / 2, to)
        # At a distance d from a rim, the number is an angle in turns: its slope is 1 / (2 pi d), and it bends by 1 / d
        # of that. A step leaves half of the bend, times its square.
        to_go = np.pi * np.linalg.norm(gradient[left], axis=1) * (to - moved[left]) ** 2
        moved[left] = to
        left = left[to_go > SETTLED]
        if len(left) == 0:
            break
    return gradient, moved


def _normals(points: Array, gradient: Array, boundary: Boundary, rim: _Rim) -> Array:
    """The normals of the planes (K, 3): out of the stock, if its triangles look out of it."""
    normal = -unit_rows(gradient)
    way, far = _way_to_rim(points, boundary, rim)
    toward = unit_rows(way)
    cosine = (toward * normal).sum(axis=1)
    held = (far < RIM_NEAR) & (far > RIM_AT) & (np.abs(cosine) < STEEPEST)
    along_rim = unit_rows(normal - cosine[:, None] * toward)
    return np.where(held[:, None], along_rim, normal)


def _way_to_rim(points: Array, boundary: Boundary, rim: _Rim) -> tuple[Array, Array]:
    """The ways (K, 3) to the nearest points of the boundary, and their lengths; infinite where that is not near."""
    step, owner = boundary.high - boundary.low, rim.owner
    found = rim.tree.query(points, k=list(range(1, PIECES + 1)), distance_upper_bound=RIM_NEAR + PIECE)[1]
    best, far = np.zeros_like(points), np.full(len(points), np.inf)
    for k in range(PIECES):
        known = np.flatnonzero(found[:, k] < len(owner))
        edge = owner[found[known, k]]
        across = points[known] - boundary.low[edge]
        length = (step[edge] * step[edge]).sum(axis=1)
        t = np.clip((across * step[edge]).sum(axis=1) / np.where(length > 0, length, 1.0), 0.0, 1.0)
        way = t[:, None] * step[edge] - across
        size = np.linalg.norm(way, axis=1)
        nearer = size < far[known]
        best[known[nearer]], far[known[nearer]] = way[nearer], size[nearer]
    return best, far


def _corners(points: Array, normal: Array) -> Array:
    """Small triangles (K, 3, 3) around points, across normals."""
    axis = np.abs(normal).argmin(axis=1)
    first = unit_rows(np.cross(normal, np.eye(3)[axis]))
    second = np.cross(normal, first)
    angle = np.array([0.0, 2.0, 4.0]) * np.pi / 3
    return points[:, None] + SIZE * (
        np.cos(angle)[None, :, None] * first[:, None] + np.sin(angle)[None, :, None] * second[:, None]
    )
