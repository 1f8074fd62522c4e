"""The border of a cut runs smoothly, also where the rim is thinner than a voxel. See `compute.contour.fairing`."""

import numpy as np
import pytest
from scipy.sparse import coo_matrix
from scipy.sparse.csgraph import connected_components

from tests.brute_force import segment_distances, triangle_distances
from tests.fuzz.__main__ import backend_of
from tests.fuzz.judge import overlapping_pairs
from tests.shapes import box, sphere
from voxel_carve.compute import Path, Sweep, carve
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


def border(surface):
    """The vertices between stock and cut with two sides on the border, and the two neighbours (N, 2) of each."""
    faces, count = surface.faces.astype(np.int64), len(surface.points)
    here, there = faces.ravel(), np.roll(faces, -1, axis=1).ravel()
    from_stock = np.repeat(surface.source == Source.STOCK, faces.shape[1])
    key, opposite = here * count + there, there * count + here
    of_stock = np.zeros(len(key), dtype=bool)
    order = np.argsort(key)
    of_stock[:] = from_stock[order[np.searchsorted(key[order], opposite)]]
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
    here, there = surface.faces.ravel(), np.roll(surface.faces, -1, axis=1).ravel()
    links = coo_matrix((np.ones(len(here)), (here, there)), (len(surface.points),) * 2)
    return connected_components(links, directed=False)[0]


def overlaps(surface):
    """The number of pairs of triangles that overlap."""
    return len(overlapping_pairs(surface.points / VOXEL_SIZE, surface.triangles()))


@pytest.mark.parametrize("backend", ["cpu", "warp"])
@pytest.mark.parametrize("depth", [0.3, 0.6])
def test_the_border_of_a_deep_groove_is_smooth_and_true(backend, depth):
    sweep = ring_under_the_surface(depth)
    surface = carve(BALL, sweep, VOXEL_SIZE, backend=backend_of(backend)).surface
    vertex, _ = border(surface)
    assert len(vertex) > 500
    assert (turns(surface) > 45).mean() < 0.005
    assert length_over_smoothed(surface) < 1.01
    points = surface.points[vertex]
    off = [
        np.abs(segment_distances(points, sweep)).min(axis=0) / VOXEL_SIZE,
        triangle_distances(points, BALL).min(axis=0) / VOXEL_SIZE,
    ]
    assert np.quantile(off, 0.99) < 0.05
    assert surface.is_closed()
    assert parts(surface) == 1
    assert overlaps(surface) == 0


def test_without_fairing_it_is_ragged(monkeypatch):
    """Show that the test above depends on this."""
    monkeypatch.setattr("voxel_carve.compute.engines.numba.contour.surface.fair_ragged", lambda *given: given[-1])
    surface = carve(BALL, ring_under_the_surface(0.6), VOXEL_SIZE, backend="cpu").surface
    assert (turns(surface) > 45).mean() > 0.01
    assert parts(surface) > 1


def test_a_mesh_that_is_not_ragged_stays_as_it_is(monkeypatch):
    sweep = Sweep.from_paths([Path([[-2.0, 0.3, 0.8], [2.0, 0.1, 0.9]], [0.4])])
    faired = carve(box(), sweep, 1 / 20, backend="cpu").surface
    monkeypatch.setattr("voxel_carve.compute.engines.numba.contour.surface.fair_ragged", lambda *given: given[-1])
    before = carve(box(), sweep, 1 / 20, backend="cpu").surface
    assert np.array_equal(faired.points, before.points)
    assert np.array_equal(faired.faces, before.faces)


def test_threads_decide_no_bit(monkeypatch):
    sweep = ring_under_the_surface(0.8)
    several = carve(BALL, sweep, VOXEL_SIZE, backend="cpu").surface
    monkeypatch.setattr("voxel_carve.compute.runtime.threads.thread_count", lambda: 1)
    one = carve(BALL, sweep, VOXEL_SIZE, backend="cpu").surface
    for name in ("points", "faces", "source", "primitive"):
        assert np.array_equal(getattr(one, name), getattr(several, name))
