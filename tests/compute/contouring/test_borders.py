"""The border between stock and cut, around a ball."""

import numpy as np
import pytest

from tests.borders import BALL, RADIUS, VOXEL_SIZE, assert_smooth_and_true, ring_under_the_surface
from tests.compute.contouring.results import carved, crowded_edges, path
from tests.fuzz.judge import overlapping_pairs


def fading():
    """A path around the ball that rises out of it and comes back: 0.95 radii deep at one side, clear of it opposite."""
    angle = np.linspace(0, 2 * np.pi, 181)
    depth = np.cos(angle) - 0.05
    tilt = np.array([[1, 0, 0], [0, np.cos(0.5), -np.sin(0.5)], [0, np.sin(0.5), np.cos(0.5)]])
    ring = np.column_stack([np.cos(angle), np.sin(angle), 0 * angle]) * (1 - depth * RADIUS)[:, None]
    return path(ring @ tilt.T, RADIUS)


COURSES = {
    "0.6 radii deep": ring_under_the_surface(0.6),
    "0.9 radii deep": ring_under_the_surface(0.9),
    "0.95 radii deep": ring_under_the_surface(0.95),
    "fading": fading(),
}
JOBS = [
    ("0.6 radii deep", "subtract"),
    ("0.9 radii deep", "union"),
    *((course, operation) for course in list(COURSES)[2:] for operation in ("subtract", "union", "intersect")),
]


@pytest.fixture(scope="module")
def surfaces():
    return {job: carved(BALL, COURSES[job[0]], job[1], VOXEL_SIZE) for job in JOBS}


@pytest.mark.parametrize(("course", "operation"), JOBS)
def test_the_border_of_a_groove_is_smooth_and_true(course, operation, surfaces):
    assert_smooth_and_true(surfaces[course, operation], COURSES[course])


def test_every_edge_at_the_border_has_two_faces(surfaces):
    assert [job for job, surface in surfaces.items() if crowded_edges(surface)] == []


def test_no_faces_overlap_at_the_border(surfaces):
    pytest.importorskip("bpy")
    count = {
        job: len(overlapping_pairs(surface.points / VOXEL_SIZE, surface.triangles()))
        for job, surface in surfaces.items()
    }
    assert set(count.values()) == {0}, list(count.values())
