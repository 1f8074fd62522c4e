"""Steps of the stock lower than a voxel: some faces of cells show them, no grid line. The result is smooth there."""

from itertools import pairwise

import numpy as np
import pytest

from tests.borders import sides
from tests.compute.contouring.results import ENGINES, assert_manifold
from tests.fuzz.__main__ import backend_of
from tests.fuzz.judge import overlapping_pairs
from tests.shapes import hemisphere, joined
from voxel_carve.compute import Path, Sweep, TriMesh, carve

VOXEL_SIZE = 1 / 30
SEGMENTS = 128
TURN = np.linalg.qr([[0.9, 0.3, 0.2], [-0.2, 0.8, 0.4], [0.1, -0.5, 0.9]])[0]
ELSEWHERE = Sweep.from_paths([Path([[4.0, 4, 4], [5, 4, 4]], [0.1])])


def profile_of(steps, height, width):
    """Radius and height (N, 2) of a drum, its top with some steps down to its side. Steps are measured in voxels."""
    radius, z = 0.6 + VOXEL_SIZE * width * np.arange(steps + 1), -VOXEL_SIZE * height * np.arange(steps + 1)
    profile = np.column_stack([np.repeat(radius, 2)[:-1], np.repeat(z, 2)[1:]])
    return np.vstack([profile, [[1, z[-1]], [1, -1]]])


def drum(profile):
    """A turned drum with that profile."""
    angle = 2 * np.pi * np.arange(SEGMENTS) / SEGMENTS
    rings = [np.column_stack([r * np.cos(angle), r * np.sin(angle), np.full(SEGMENTS, h)]) for r, h in profile]
    points = np.vstack([*rings, [[0, 0, 0], [0, 0, -1]]])
    here, there = np.arange(SEGMENTS), (np.arange(SEGMENTS) + 1) % SEGMENTS
    count, last = len(points), SEGMENTS * (len(profile) - 1)
    triangles = [
        np.stack([np.full(SEGMENTS, count - 2), here, there], axis=1),
        np.stack([np.full(SEGMENTS, count - 1), there + last, here + last], axis=1),
    ]
    for inner in range(0, last, SEGMENTS):
        a, b, c, d = here + inner, here + inner + SEGMENTS, there + inner + SEGMENTS, there + inner
        triangles += [np.stack([a, b, c], axis=1), np.stack([a, c, d], axis=1)]
    return TriMesh(points @ TURN.T, np.concatenate(triangles), "drum")


def sharp_sides(surface):
    """Ends (S, 2, 3) of the sides between triangles that meet at more than 40 degrees."""
    triangles = surface.triangles()
    corners = surface.points[triangles]
    normal = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    normal /= np.maximum(np.linalg.norm(normal, axis=1), 1e-300)[:, None]
    here, there, face = sides(type(surface)(surface.points, triangles, triangles[:, 0], triangles[:, 0]))
    forward = np.argsort(here * len(surface.points) + there)
    backward = np.argsort(there * len(surface.points) + here)
    cosine = (normal[face[forward]] * normal[face[backward]]).sum(axis=1)
    sharp = forward[cosine < np.cos(np.radians(40))]
    return surface.points[np.stack([here[sharp], there[sharp]], axis=1)]


def teeth(surface):
    """The length of sharp sides that runs across the turned drum, not around it, and the length of all."""
    ends = sharp_sides(surface) @ TURN
    way, middle = ends[:, 1] - ends[:, 0], ends.mean(axis=1)
    length, along = np.linalg.norm(way, axis=1), np.cross([0, 0, 1], middle)
    along /= np.linalg.norm(along, axis=1)[:, None]
    across = abs((way * along).sum(axis=1)) < np.cos(np.radians(30)) * length
    return length[across].sum(), length.sum()


def distances(surface, profile):
    """The distances (V,) of the vertices from a drum with that profile."""
    points, outline = surface.points @ TURN, np.vstack([[0, 0], profile, [0, -1]])
    place = np.column_stack([np.linalg.norm(points[:, :2], axis=1), points[:, 2]])
    far = np.full(len(place), np.inf)
    for start, end in pairwise(outline):
        side = end - start
        along = np.clip((place - start) @ side / (side @ side), 0, 1)
        far = np.minimum(far, np.linalg.norm(place - start - along[:, None] * side, axis=1))
    return far


@pytest.mark.parametrize("backend", ENGINES)
@pytest.mark.parametrize(("steps", "height", "width"), [(1, 0.8, 0.8), (2, 1.0, 0.6), (3, 0.6, 1.0), (3, 1.2, 1.2)])
def test_steps_finer_than_voxels_have_no_teeth(steps, height, width, backend):
    profile = profile_of(steps, height, width)
    surface = carve(drum(profile), ELSEWHERE, VOXEL_SIZE, backend=backend_of(backend)).surface
    across, length = teeth(surface)
    assert across < 0.1 * length
    far = distances(surface, profile) / VOXEL_SIZE
    assert far.max() < 1
    assert np.quantile(far, 0.9) < 0.1
    assert_manifold(surface)
    assert len(overlapping_pairs(surface.points / VOXEL_SIZE, surface.triangles())) == 0


def test_the_rims_of_two_bowls_have_few_teeth():
    """One bowl in another, 0.8 voxels apart, and a cap over both."""
    bowls = joined(hemisphere(1.0, 5), hemisphere(1 - 0.8 * VOXEL_SIZE, 5))
    surface = carve(TriMesh(bowls.points @ TURN.T, bowls.triangles), ELSEWHERE, VOXEL_SIZE, backend="cpu").surface
    assert teeth(surface)[0] < 2 * np.pi
    assert surface.is_closed()


def test_threads_decide_no_bit(monkeypatch):
    job = drum(profile_of(3, 0.8, 0.8)), ELSEWHERE, VOXEL_SIZE
    several = carve(*job, backend="cpu").surface
    monkeypatch.setattr("voxel_carve.compute.runtime.threads.thread_count", lambda: 1)
    one = carve(*job, backend="cpu").surface
    assert np.array_equal(one.points, several.points) and np.array_equal(one.faces, several.faces)
