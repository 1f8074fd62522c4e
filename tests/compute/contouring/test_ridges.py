"""The ridge between two grooves that diverge, with their axes in the top of a plate or over it."""

from functools import cache

import numpy as np
import pytest

from tests.compute.contouring.results import assert_manifold, carved, cases, parts, rounded
from tests.fuzz.judge import overlapping_pairs
from tests.shapes import box
from voxel_carve.compute import Path, Sweep

PLATE = box((-20, -20, -8.3), (25, 20, 0))
TIP = np.array([0.3, 0.2])  # where the flat top of the ridge begins, at height 0; the ridge runs along the bisector


def along(heading):
    return np.array([np.cos(heading), np.sin(heading)])


def diverging(angle, heading, radius, depth):
    """The sweep of two grooves whose edges meet at TIP, with this angle between their axes, in degrees."""
    half_angle, half_width = np.radians(angle) / 2, np.sqrt(radius**2 - (radius - depth) ** 2)
    apart = half_width / np.sin(half_angle)
    meet = TIP - apart * along(heading)
    ends = [
        [np.append(meet + (apart + way) * along(heading + side * half_angle), radius - depth) for way in (-60, 80)]
        for side in (-1, 1)
    ]
    return Sweep.from_paths([Path(points, [radius]) for points in ends])


def true_heights(way, angle, radius, depth):
    """(N,) heights of the ridge, at ways (N,) from the tip on."""
    half_width = np.sqrt(radius**2 - (radius - depth) ** 2)
    aside = half_width + way * np.sin(np.radians(angle) / 2)
    floor = radius - depth - np.sqrt(np.maximum(radius**2 - aside**2, 0))
    return np.where(way < 0, floor, 0.0)


def heights(surface, places):
    """(N,) the greatest heights of the surface over places (N, 2), which lie on a line."""
    corners = surface.points[surface.triangles()]
    aside = (corners[:, :, :2] - places[0]) @ np.array([[0, -1], [1, 0]]) @ (places[-1] - places[0])
    corners = corners[(aside.min(axis=1) <= 0) & (aside.max(axis=1) >= 0)]
    a, b, c = (corners[:, None, n, :2] - places for n in range(3))
    weights = np.stack([_cross(b, c), _cross(c, a), _cross(a, b)], axis=-1)
    whole = weights.sum(axis=-1, keepdims=True)
    weights = weights / np.where(whole > 1e-12, whole, np.nan)
    height = np.einsum("tnk,tk->tn", weights, corners[:, :, 2])
    return np.where((weights >= -1e-9).all(axis=-1), height, -np.inf).max(axis=0)


def _cross(u, v):
    return u[..., 0] * v[..., 1] - u[..., 1] * v[..., 0]


SHAPES = {"deep": (2.0, 2.0), "wide": (6.0, 2.0), "narrow": (1.0, 1.0)}
HEADINGS = {"deep": (0.0, 0.2, 0.7), "wide": (0.2, 0.7), "narrow": (0.2, 0.7)}
WAY = np.arange(-5, 15, 0.1)


@cache
def ridges(name):
    """For each angle and heading: the surface."""
    return {
        (angle, heading): carved(PLATE, diverging(angle, heading, *SHAPES[name]))
        for angle in (5, 9, 20)
        for heading in HEADINGS[name]
    }


@pytest.mark.parametrize("name", SHAPES)
def test_ridges_are_one_part_with_the_plate(name):
    for surface in ridges(name).values():
        assert_manifold(surface)
        assert parts(surface) == 1


@pytest.mark.parametrize("name", SHAPES)
def test_a_ridge_ends_where_the_grooves_meet(name):
    for (angle, heading), surface in ridges(name).items():
        found = heights(surface, TIP + WAY[:, None] * along(heading))
        assert abs(WAY[found > -1e-3].min()) < 0.5
        # Before the tip, the ridge is the edge between the grooves.
        off = (found - true_heights(WAY, angle, *SHAPES[name]))[WAY < -0.5]
        assert -0.1 < off.min() and off.max() < 0.25


@pytest.mark.parametrize(
    "name",
    cases(SHAPES, ["wide"], "notches 0.02 to 0.05 voxels deep: a hub outside its cell stays at a border point"),
)
def test_a_ridge_has_no_notch(name):
    depth = {
        (angle, heading): -heights(surface, TIP + WAY[WAY > 0.5, None] * along(heading)).min()
        for (angle, heading), surface in ridges(name).items()
    }
    assert max(depth.values()) < 0.02, rounded(depth)


@pytest.mark.parametrize(
    "name",
    cases(SHAPES, ["wide"], "0.05 to 0.09 voxels, for the same reason"),
)
def test_the_top_of_a_ridge_is_flat_to_its_edges(name):
    """Where it is thinner than a voxel, too."""
    depth, way = {}, WAY[WAY > 0.5, None]
    for (angle, heading), surface in ridges(name).items():
        aside = 0.8 * way * np.sin(np.radians(angle) / 2) * along(heading + np.pi / 2)
        places = [TIP + way * along(heading) + side * aside for side in (-1, 1)]
        depth[angle, heading] = max(-heights(surface, each).min() for each in places)
    assert max(depth.values()) < 0.02, rounded(depth)


@pytest.mark.parametrize("name", SHAPES)
def test_no_faces_overlap_at_a_ridge(name):
    pytest.importorskip("bpy")
    count = {job: len(overlapping_pairs(surface.points, surface.triangles())) for job, surface in ridges(name).items()}
    assert set(count.values()) == {0}, count
