"""Sheets for tests: reliefs over a square, and a Moebius strip."""

import numpy as np

from voxel_carve.compute import Path, Sweep, TriMesh


def grid_sheet(height=lambda x, y: 0 * x, count=41) -> TriMesh:
    """A grid over the square from -1 to 1, facing up."""
    x, y = (side.ravel() for side in np.meshgrid(*[np.linspace(-1, 1, count)] * 2))
    number = np.arange(count**2).reshape(count, count)
    a, b, c, d = number[:-1, :-1], number[:-1, 1:], number[1:, 1:], number[1:, :-1]
    corners = np.concatenate([np.stack([a, b, c], axis=-1).reshape(-1, 3), np.stack([a, c, d], axis=-1).reshape(-1, 3)])
    return TriMesh(np.stack([x, y, height(x, y)], axis=1), corners, "sheet")


RELIEFS = {
    "ramp": grid_sheet(lambda x, y: 0.8 * x),
    "hill": grid_sheet(lambda x, y: np.exp(-4 * (x**2 + y**2))),
    "hills": grid_sheet(lambda x, y: 0.1 * np.sin(4 * x) * np.cos(3 * y)),
    "valley": grid_sheet(lambda x, y: 0.7 * (x**2 + y**2)),
}


def path(start, end, radius) -> Sweep:
    return Sweep.from_paths([Path(np.array([start, end], dtype=float), np.array([radius]))])


def road(relief: TriMesh) -> Sweep:
    """A path along a relief, from beyond one side to beyond the other."""
    x, y, z = (side.reshape(41, 41) for side in relief.points.T)
    line = np.stack([x[14], y[14], z[14]], axis=1)
    ends = line[[0, -1]] + (line[[0, -1]] - line[[1, -2]]) * 5
    return Sweep.from_paths([Path(np.concatenate([ends[:1], line, ends[1:]]), np.array([0.08]))])


def _moebius(count=60, across=7) -> TriMesh:
    points, triangles = [], []
    for turn in np.linspace(0, 2 * np.pi, count, endpoint=False):
        for side in np.linspace(-0.3, 0.3, across):
            out = 1 + side * np.cos(turn / 2)
            points.append((out * np.cos(turn), out * np.sin(turn), side * np.sin(turn / 2)))
    for i in range(count):
        for j in range(across - 1):
            a, b = i * across + j, i * across + j + 1
            c, d = (b + across, a + across) if i < count - 1 else (across - 2 - j, across - 1 - j)
            triangles += [(a, b, c), (a, c, d)]
    return TriMesh(points, triangles, "strip")


MOEBIUS = _moebius()

# Two turns of a spiral, which lie over each other.
_FLAT = grid_sheet()
_TURN = 2 * np.pi * (_FLAT.points[:, 0] + 1)
_OUT = 1 + 0.3 * _FLAT.points[:, 1]
RAMP = TriMesh(
    np.stack([_OUT * np.cos(_TURN), _OUT * np.sin(_TURN), 0.3 * _TURN], axis=1), _FLAT.triangles[:, ::-1], "ramp"
)
