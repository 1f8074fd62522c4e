"""The planes of the caps that close the holes of an open stock, for both engines.

Where the surface of the stock crosses an edge of the grid and no triangle lies there, the crossing gets a plane of its
own: a small triangle after those of the stock. From there on, a cap is like any other surface. It meets triangles at
border points and hubs.

The crossing is moved along its edge to where the winding number is a half, to which the plane is tangent. Near the rim,
where the cap may bend, the plane holds the nearest point of the rim instead: so the cap meets the triangles in the rim.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt

from ....field.boundary_tiles import Tiles
from ....field.cap_planes import Caps, Planes, edge_numbers
from ....formulas import vector
from ....primitives.triangles import Triangles
from ....runtime.progress import with_progress
from ....runtime.threads import over_rows, slices
from ..compiler.decorators import inlined, kernel
from ..compiler.formulas import DOUBLE
from ..field import winding

Array = npt.NDArray[np.float64]
T = TypeVar("T", bound=np.generic)

OF_CAP = -1  # instead of the index of a triangle in the mesh
STEPS = 6  # of Newton's method
SETTLED = 1e-5  # voxels that the last step leaves to go, about
LEAST_SLOPE = 1e-3  # per voxel
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
    axis, room = np.empty(len(which), dtype=np.int64), np.empty((len(which), 3))
    before, after = (points_of(np.clip(which + step, 0, len(code) - 1)) for step in (-1, 1))
    over_rows(find_room, len(which), CROSSINGS_AT_ONCE, which, len(code), points, before, after, place, axis, room)
    own, low, high = room.T
    planes = Planes.unknown(edge_numbers(points, axis), room)
    left = np.flatnonzero(planes.take_from(caps.known[0])) if caps.known else np.arange(len(which))
    for run in with_progress(slices(len(left), CROSSINGS_PER_RUN)):
        rows = left[run]
        at = points[rows]
        gradient, moved = _settled(at, axis[rows], own[rows], low[rows], high[rows], caps.tiles)
        moved = moved.astype(np.float32).astype(np.float64)  # as it is kept
        at[np.arange(len(at)), axis[rows]] += moved - own[rows]
        planes.put(rows, moved, _normals(at, gradient, caps.tiles))
    if not caps.known or len(which) > len(caps.known[0].edge):
        caps.known[:] = [planes]
    place[which] = planes.place
    code[which] = len(triangles) + np.arange(len(which), dtype=np.int32)
    points[np.arange(len(points)), axis] += planes.place - own
    corners = _with_room(triangles.points, 3 * len(which))
    own_corners = corners[len(triangles.points) :].reshape(-1, 3, 3)
    over_rows(put_corners, len(which), CROSSINGS_AT_ONCE, points, planes.normal, own_corners)
    index = _with_room(triangles.triangles, len(which))
    index[len(triangles) :] = len(triangles.points) + np.arange(len(which) * 3).reshape(-1, 3)
    return replace(
        triangles,
        points=corners,
        triangles=index,
        normal=np.concatenate([triangles.normal, planes.normal]),
        order=np.concatenate([triangles.order, np.full(len(which), OF_CAP, dtype=np.int32)]),
    )


def _with_room(rows: npt.NDArray[T], count: int) -> npt.NDArray[T]:
    """Rows (N, 3), and after them room for `count` others."""
    made = np.empty((len(rows) + count, 3), dtype=rows.dtype)
    made[: len(rows)] = rows
    return made


def _tiles_of(points: Array, tiles: Tiles) -> npt.NDArray[np.int64]:
    """The tiles (K,) that points (K, 3) lie in, or -1."""
    return tiles.holding(np.floor(points[:, ::-1]).astype(np.int64))


@kernel
def find_room(start, stop, which, count, points, before, after, place, axis, room):  # type: ignore[no-untyped-def]
    """Set axis (K,) to that of the edge of each crossing, and room (K, 3) to its place there, and the places between
    which it may move: those of others on the same edge, or its ends.

    Args:
        which: (K,) the crossings, of `count`.    points, before, after: (K, 3) where they are, and those beside them.
        place: (count,) of all.
    """
    for n in range(start, stop):
        along, most = 0, -1.0
        for i in range(3):
            off = points[n, i] - 0.5
            off = abs(off - np.round(off))
            if off > most:
                along, most = i, off
        own = np.float64(place[which[n]])
        axis[n] = along
        room[n, 0], room[n, 1], room[n, 2] = own, 0.0, 1.0
        for side in range(2):
            beside = before if side == 0 else after
            is_there = (which[n] > 0) if side == 0 else (which[n] + 1 < count)
            for i in range(3):
                is_there = is_there and (i == along or beside[n, i] == points[n, i])
            other = own + (beside[n, along] - points[n, along])
            if is_there and other >= 0.0 and other <= 1.0:
                room[n, 1 + side] = min(other, own) if side == 0 else max(other, own)


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
def put_normals(start, stop, points, gradient, tile, tiles, normal):  # type: ignore[no-untyped-def]
    """Set normal (K, 3) to those of planes through points (K, 3), out of the stock, if its triangles look out of it.

    Args:
        tile: (K,) that each lies in.    tiles: see `_Rims`.
    """
    low, high = tiles.low, tiles.high
    for n in range(start, stop):
        x, y, z = points[n, 0], points[n, 1], points[n, 2]
        nx, ny, nz = unit(-gradient[n, 0], -gradient[n, 1], -gradient[n, 2])
        far, tx, ty, tz = np.inf, 0.0, 0.0, 0.0  # the way to the rim
        for k in range(tiles.start[tile[n]], tiles.stop[tile[n]]):
            e = tiles.edge[k]
            # Ends are in order along x.
            if tiles.is_chord[e] or x < low[e, 0] - RIM_NEAR or x > high[e, 0] + RIM_NEAR:
                continue
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


@kernel
def put_corners(start, stop, points, normal, corners):  # type: ignore[no-untyped-def]
    """Set corners (K, 3, 3) to small triangles around points (K, 3), across a normal (K, 3)."""
    for n in range(start, stop):
        x, y, z = points[n, 0], points[n, 1], points[n, 2]
        nx, ny, nz = normal[n, 0], normal[n, 1], normal[n, 2]
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


class _Rims(NamedTuple):
    """The edges near each of T tiles, among them all that are as near as RIM_NEAR: see `Tiles` and `Loops`."""

    start: npt.NDArray[np.int64]
    stop: npt.NDArray[np.int64]
    edge: npt.NDArray[np.int32]
    low: Array
    high: Array
    is_chord: npt.NDArray[np.bool_]


def _normals(points: Array, gradient: Array, tiles: Tiles) -> Array:
    """The normals (K, 3) of the planes: see `put_normals`."""
    edges, normal = tiles.loops.boundary, np.empty((len(points), 3))
    rims = _Rims(tiles.edge_start, tiles.edge_stop, tiles.edge, edges.low, edges.high, tiles.loops.other >= 0)
    over_rows(put_normals, len(points), CROSSINGS_AT_ONCE, points, gradient, _tiles_of(points, tiles), rims, normal)
    return normal
