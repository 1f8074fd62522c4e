"""The border between stock and cut on a result's mesh, and jobs whose border is hard to get right."""

import numpy as np
from scipy.sparse import coo_matrix
from scipy.sparse.csgraph import connected_components

from tests.brute_force import segment_distances, triangle_distances
from tests.shapes import sphere
from voxel_carve.compute import Path, Sweep
from voxel_carve.compute.model.mesh import Source

VOXEL_SIZE = 1 / 48
RADIUS = 0.1
BALL = sphere(1.0, subdivisions=5)


def ring_under_the_surface(depth):
    """A path around the ball, with its axis some radii under the surface. The rim of its groove is acute."""
    angle = np.linspace(0, 2 * np.pi, 181)
    tilt = np.array([[1, 0, 0], [0, np.cos(0.5), -np.sin(0.5)], [0, np.sin(0.5), np.cos(0.5)]])
    ring = np.column_stack([np.cos(angle), np.sin(angle), 0 * angle]) * (1 - depth * RADIUS)
    return Sweep.from_paths([Path(ring @ tilt.T, [RADIUS])])


def sides(surface):
    """The half-edges of a surface: from (E,), to (E,), and the face of each (E,)."""
    here, there = surface.faces.astype(np.int64), np.roll(surface.faces, -1, axis=1).astype(np.int64)
    face, corner = np.nonzero(here != there)
    return here[face, corner], there[face, corner], face


def border(surface):
    """The vertices between stock and cut with two sides on the border, and the two neighbours (N, 2) of each."""
    here, there, face = sides(surface)
    count = len(surface.points)
    from_stock = surface.source[face] == Source.STOCK
    key, opposite = here * count + there, there * count + here
    order = np.argsort(key)
    of_stock = from_stock[order[np.searchsorted(key[order], opposite)]]
    side = from_stock & ~of_stock
    after, before = np.full(count, -1), np.full(count, -1)
    after[here[side]], before[there[side]] = there[side], here[side]
    once = np.flatnonzero(
        (np.bincount(here[side], minlength=count) == 1) & (np.bincount(there[side], minlength=count) == 1)
    )
    return once, np.column_stack([before[once], after[once]])


def turns(surface):
    """The turn of the border at each of its vertices, in degrees."""
    vertex, beside = border(surface)
    come = surface.points[vertex] - surface.points[beside[:, 0]]
    go = surface.points[beside[:, 1]] - surface.points[vertex]
    cosine = (come * go).sum(axis=1) / np.linalg.norm(come, axis=1) / np.linalg.norm(go, axis=1)
    return np.degrees(np.arccos(np.clip(cosine, -1, 1)))


def length_over_smoothed(surface):
    """The length of the border against that of the same border averaged with its neighbours ten times."""
    vertex, beside = border(surface)
    smoothed = surface.points.copy()
    for _ in range(10):
        smoothed[vertex] = smoothed[beside].sum(axis=1) / 4 + smoothed[vertex] / 2
    lengths = [
        np.linalg.norm(points[vertex] - points[beside[:, 1]], axis=1).sum() for points in (surface.points, smoothed)
    ]
    return lengths[0] / lengths[1]


def parts(surface):
    """The number of parts that the mesh consists of."""
    here, there, _ = sides(surface)
    links = coo_matrix((np.ones(len(here)), (here, there)), (len(surface.points),) * 2)
    return connected_components(links, directed=False)[0]


def assert_smooth_and_true(surface, sweep):
    """The border of a groove in the ball runs smoothly, on the exact ball and on the exact sweep."""
    vertex, _ = border(surface)
    assert len(vertex) > 500
    assert (turns(surface) > 45).mean() < 0.005
    assert length_over_smoothed(surface) < 1.01
    points = surface.points[vertex]
    off = [
        np.abs(segment_distances(points, sweep)).min(axis=0) / VOXEL_SIZE,
        triangle_distances(points, BALL).min(axis=0) / VOXEL_SIZE,
    ]
    assert np.quantile(np.max(off, axis=0), 0.99) < 0.05
    assert surface.is_closed()
    assert parts(surface) == 1
