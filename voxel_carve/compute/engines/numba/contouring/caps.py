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
from ....field.cap_planes import Caps, Planes, edge_numbers
from ....formulas import vector
from ....primitives.boundary import Boundary
from ....primitives.triangles import Triangles
from ....runtime.progress import with_progress
from ....runtime.threads import over_rows, slices
from ..compiler.decorators import inlined, kernel
from ..compiler.formulas import DOUBLE
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
SIN_THIRD = 0.8660254037844386  # of a third of a turn
CROSSINGS_PER_RUN = 1 << 16
CROSSINGS_AT_ONCE = 1 << 12

dot, cross, length = DOUBLE(vector.dot), DOUBLE(vector.cross), DOUBLE(vector.length)


@inlined
def unit(x, y, z):  # type: ignore[no-untyped-def]
    """A vector, normalised. One of length 0 stays."""
    size = length(x, y, z)
    size = size if size > 0.0 else 1.0
    return x / size, y / size, z / size


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
    caps: Caps,
    code: npt.NDArray[np.int32],
    place: npt.NDArray[np.float32],
    is_cap: npt.NDArray[np.bool_],
    points_of: Callable[[npt.NDArray[np.int64]], Array],
) -> Triangles:
    """The triangles, and after them one for each crossing of a cap. Codes and places (C,) change in place.

    Args:
        caps: where they can be, and what is known of them.
        is_cap: (C,) which crossings have no triangle. Where no cap can be, rounding has lost it; they stay as they are.
        points_of: gives the points (K, 3) of crossings (K,).
    """
    which = np.flatnonzero(is_cap)
    points = points_of(which)
    kept = _tiles_of(points, caps.tiles) >= 0
    which, points = which[kept], points[kept]
    axis = np.abs(points - 0.5 - np.round(points - 0.5)).argmax(axis=1)
    own = place[which].astype(np.float64)
    low, high = _room(which, points, axis, own, len(code), points_of)
    planes = Planes.unknown(edge_numbers(points, axis), np.column_stack([own, low, high]))
    left = np.flatnonzero(planes.take_from(caps.known[0])) if caps.known else np.arange(len(which))
    rim = _Rim.of(triangles.boundary)
    for run in with_progress(slices(len(left), CROSSINGS_PER_RUN)):
        rows = left[run]
        at = points[rows]
        gradient, moved = _settled(at, axis[rows], own[rows], low[rows], high[rows], caps.tiles)
        moved = moved.astype(np.float32).astype(np.float64)  # as it is kept
        at[np.arange(len(at)), axis[rows]] += moved - own[rows]
        planes.put(rows, moved, *_planes(at, gradient, triangles.boundary, rim))
    caps.known[:] = [planes.in_order()]
    place[which] = planes.place
    code[which] = len(triangles) + np.arange(len(which), dtype=np.int32)
    index = len(triangles.points) + np.arange(len(which) * 3).reshape(-1, 3)
    return replace(
        triangles,
        points=np.concatenate([triangles.points, planes.corners.reshape(-1, 3)]),
        triangles=np.concatenate([triangles.triangles, index]),
        normal=np.concatenate([triangles.normal, planes.normal]),
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


@kernel
def step_along(start, stop, left, axis, b, slope, low, high, place, gradient, goes_on):  # type: ignore[no-untyped-def]
    """Move some crossings `left` (N,) by a step of Newton's method, held between low and high (K,).

    Args:
        b, slope: (N,), (N, 3) the boundary sum at their places, and its gradient.
        place, gradient: (K,), (K, 3) output.    goes_on: (N,) output, whether another step is needed.
    """
    for n in range(start, stop):
        k = left[n]
        gx, gy, gz = slope[n, 0], slope[n, 1], slope[n, 2]
        gradient[k, 0], gradient[k, 1], gradient[k, 2] = gx, gy, gz
        rise, excess = slope[n, axis[k]], b[n] - np.floor(b[n]) - 0.5
        way = -excess / rise if abs(rise) > LEAST_SLOPE else 0.0
        if way > 0.0:
            low[k] = place[k]
        elif way < 0.0:
            high[k] = place[k]
        to = place[k] + way
        if to < low[k] or to > high[k]:
            to = (low[k] + high[k]) / 2
        # At a distance d from a rim, the number is an angle in turns: its slope is 1 / (2 pi d), and it bends by 1 / d
        # of that. A step leaves half of the bend, times its square.
        goes_on[n] = np.pi * np.sqrt(gx * gx + gy * gy + gz * gz) * (to - place[k]) ** 2 > SETTLED
        place[k] = to


def _settled(
    points: Array, axis: npt.NDArray[np.int64], place: Array, low: Array, high: Array, tiles: Tiles
) -> tuple[Array, Array]:
    """The gradients of the winding number (K, 3) where it is a half, and the places of these points on their edges.

    Newton's method, held between the places where the number was too high and too low, which are `low` and `high` at
    first.
    """
    tile = _tiles_of(points, tiles)
    gradient, moved = np.empty((len(points), 3)), place.copy()
    low, high, left = low.copy(), high.copy(), np.argsort(tile, kind="stable")
    for _ in range(STEPS):
        at = points[left]
        at[np.arange(len(left)), axis[left]] += moved[left] - place[left]
        b, slope = winding.sums_in_tiles(at, tiles, tile[left])
        goes_on = np.empty(len(left), dtype=np.bool_)
        over_rows(step_along, len(left), CROSSINGS_AT_ONCE, left, axis, b, slope, low, high, moved, gradient, goes_on)
        left = left[goes_on]
        if len(left) == 0:
            break
    return gradient, moved


@kernel
def put_planes(start, stop, points, gradient, piece, owner, low, high, normal, corners):  # type: ignore[no-untyped-def]
    """Set normal (K, 3) to those of the planes, out of the stock, if its triangles look out of it; and corners
    (K, 3, 3) to small triangles around points (K, 3) in them.

    Args:
        piece: (K, PIECES) those of the rim that may be nearest; as many as there are pieces for none.
        owner, low, high: see `_Rim` and `Boundary`.
    """
    for n in range(start, stop):
        x, y, z = points[n, 0], points[n, 1], points[n, 2]
        nx, ny, nz = unit(-gradient[n, 0], -gradient[n, 1], -gradient[n, 2])
        far, tx, ty, tz = np.inf, 0.0, 0.0, 0.0  # the way to the rim
        for k in range(PIECES):
            if piece[n, k] >= len(owner):
                continue
            e = owner[piece[n, k]]
            dx, dy, dz = high[e, 0] - low[e, 0], high[e, 1] - low[e, 1], high[e, 2] - low[e, 2]
            ax, ay, az = x - low[e, 0], y - low[e, 1], z - low[e, 2]
            size = dot(dx, dy, dz, dx, dy, dz)
            t = min(max(dot(ax, ay, az, dx, dy, dz) / (size if size > 0.0 else 1.0), 0.0), 1.0)
            wx, wy, wz = t * dx - ax, t * dy - ay, t * dz - az
            size = length(wx, wy, wz)
            if size < far:
                far, tx, ty, tz = size, wx, wy, wz
        if far < RIM_NEAR and far > RIM_AT:
            tx, ty, tz = tx / far, ty / far, tz / far
            cosine = dot(tx, ty, tz, nx, ny, nz)
            if abs(cosine) < STEEPEST:
                nx, ny, nz = unit(nx - cosine * tx, ny - cosine * ty, nz - cosine * tz)
        normal[n, 0], normal[n, 1], normal[n, 2] = nx, ny, nz
        across = 0 if abs(nx) <= min(abs(ny), abs(nz)) else (1 if abs(ny) <= abs(nz) else 2)
        ux, uy, uz = cross(
            nx, ny, nz, 1.0 if across == 0 else 0.0, 1.0 if across == 1 else 0.0, 1.0 if across == 2 else 0.0
        )
        ux, uy, uz = unit(ux, uy, uz)
        vx, vy, vz = cross(nx, ny, nz, ux, uy, uz)
        for k in range(3):
            s, t = (SIZE, 0.0) if k == 0 else (-SIZE / 2, SIZE * SIN_THIRD if k == 1 else -SIZE * SIN_THIRD)
            corners[n, k, 0], corners[n, k, 1] = x + s * ux + t * vx, y + s * uy + t * vy
            corners[n, k, 2] = z + s * uz + t * vz


def _planes(points: Array, gradient: Array, boundary: Boundary, rim: _Rim) -> tuple[Array, Array]:
    """The normals (K, 3) of the planes, and triangles (K, 3, 3) in them: see `put_planes`."""
    piece = rim.tree.query(points, k=list(range(1, PIECES + 1)), distance_upper_bound=RIM_NEAR + PIECE)[1]
    normal, corners = np.empty((len(points), 3)), np.empty((len(points), 3, 3))
    over_rows(
        put_planes, len(points), CROSSINGS_AT_ONCE, points, gradient, np.ascontiguousarray(piece, dtype=np.int64),
        rim.owner, boundary.low, boundary.high, normal, corners,
    )  # fmt: skip
    return normal, corners
