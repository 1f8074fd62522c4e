"""Steps of the stock lower than a voxel, and ridges that end narrower than one: some faces show them, no grid line."""

from itertools import pairwise

import numpy as np
import pytest

from tests.borders import sides
from tests.compute.contouring.results import BACKEND, assert_manifold
from tests.shapes import box
from voxel_carve.compute import Path, Sweep, TriMesh, carve
from voxel_carve.compute.model.mesh import Source

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


STEPS = [(1, 0.8, 0.8), (2, 1.0, 0.6), (3, 0.6, 1.0), (3, 1.2, 1.2)]


@pytest.mark.parametrize(("steps", "height", "width"), STEPS)
def test_steps_finer_than_voxels_have_no_teeth(steps, height, width):
    profile = profile_of(steps, height, width)
    surface = carve(drum(profile), ELSEWHERE, VOXEL_SIZE, backend=BACKEND).surface
    assert_manifold(surface)
    far = distances(surface, profile) / VOXEL_SIZE
    assert far.max() < 1
    assert np.quantile(far, 0.9) < 0.1
    across, length = teeth(surface)
    assert across < 0.1 * length


def diverging_grooves(slope, radius=6.0, depth=2.0):
    """A plate with its top at 0, and two grooves along x that diverge from where their edges meet; and that x.

    Between them is a ridge whose flat top grows from nothing, by twice the slope.
    """
    half = np.sqrt(radius**2 - (radius - depth) ** 2)  # of a groove, at the top
    passes = [
        Path(
            [[-10.0, side * (half - 20 * slope), radius - depth], [90.0, side * (half + 80 * slope), radius - depth]],
            [radius],
        )
        for side in (1, -1)
    ]
    tip = 10 + half * (np.hypot(1, slope) - 1) / slope
    return box((0.0, -30.0, -12.0), (80.0, 30.0, 0.0)), Sweep.from_paths(passes), tip


@pytest.mark.parametrize("slope", [0.02, 0.05, 0.1])
def test_a_ridge_between_grooves_ends_where_it_is_thinner_than_a_voxel(slope):
    """Where the ridge is narrower, no line of the grid crosses its top: only the faces of the cells tell of it."""
    stock, sweep, tip = diverging_grooves(slope)
    surface = carve(stock, sweep, 1.0, backend=BACKEND).surface
    assert_manifold(surface)
    corners = surface.points[surface.faces[surface.source == Source.STOCK]]
    at_top = (np.abs(corners[:, :, 2]) < 1e-4).all(axis=1)
    along, across = corners[at_top][:, :, 0], np.abs(corners[at_top][:, :, 1])
    on_ridge = across < slope * (along - tip) + 0.5
    start = along[on_ridge].min()
    assert tip - 0.01 < start
    assert 2 * slope * (start - tip) < 0.5
    true_half = slope * (along[on_ridge] - tip)
    assert (across[on_ridge] < true_half + 0.1).all()
