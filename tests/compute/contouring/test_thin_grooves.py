"""Grooves thinner than a voxel, along the top of a plate, with their axis in it."""

from functools import cache

import numpy as np
import pytest

from tests.compute.contouring.results import carved, cases, crowded_edges, parts, path, rounded
from tests.shapes import box
from voxel_carve.compute import verify

HALF_LENGTH, HALF_WIDTH = 20.0, 15.0
TOPS = (3.0, 3.3, 3.5)  # heights of the top over the middle of the plate: between voxel centres, and on them
# The least share of the half cylinder that is to be gone. The rest lies between the round floor and its polygon.
SHARES = {0.2: 0.55, 0.5: 0.60, 1.0: 0.88, 2.0: 0.96}


def straight(heading, aside):
    """The ends of a pass over the whole plate, and its length over the plate."""
    along = np.array([np.cos(heading), np.sin(heading)])
    return np.array([[-60, -60], [60, 60]]) * along + [0, aside], 2 * HALF_LENGTH / along[0]


def wave():
    """A sine along the plate, over both ends, and its length over the plate."""
    x, fine = np.linspace(-26, 26, 261), np.linspace(-HALF_LENGTH, HALF_LENGTH, 100_001)
    length = np.hypot(np.diff(fine), np.diff(5 * np.sin(fine / 5))).sum()
    return np.column_stack([x, 5 * np.sin(x / 5)]), length


def ring(radius=10.3):
    """A circle on the plate, as a polygon, and its length."""
    angle = np.linspace(0, 2 * np.pi, 181)
    points = radius * np.column_stack([np.cos(angle), np.sin(angle)]) + [0.2, 0.1]
    return points, np.linalg.norm(np.diff(points, axis=0), axis=1).sum()


STRAIGHT = {
    "along x, between voxel centres": straight(0, 0.0),
    "along x": straight(0, 0.25),
    "along x, on voxel centres": straight(0, 0.5),
    "a little turned": straight(0.05, 0.2),
    "turned": straight(0.3, 0.2),
    "turned more": straight(0.6, 0.2),
}
CURVED = {"wave": wave(), "ring": ring()}
COURSES = {"straight": STRAIGHT, "curved": CURVED}
JOBS = [(radius, kind) for radius in SHARES for kind in COURSES]


@cache
def grooves(radius, kind):
    """For each course and top: the stock, the sweep, the volume of what they share, and the result."""
    found = {}
    for name, (points, length) in COURSES[kind].items():
        for top in TOPS:
            stock = box((-HALF_LENGTH, -HALF_WIDTH, -top), (HALF_LENGTH, HALF_WIDTH, top))
            sweep = path(np.column_stack([points, np.full(len(points), top)]), radius)
            found[name, top] = stock, sweep, np.pi / 2 * radius**2 * length, carved(stock, sweep)
    return found


@pytest.mark.parametrize(
    ("radius", "kind"),
    cases(JOBS, [(0.2, "curved")], "where the top lies on voxel centres, pieces of its skin are left in the groove"),
)
def test_a_groove_leaves_one_part(radius, kind):
    assert all(surface.is_closed() for *_, surface in grooves(radius, kind).values())
    count = {job: parts(surface) for job, (*_, surface) in grooves(radius, kind).items()}
    assert set(count.values()) == {1}, count


@pytest.mark.parametrize(
    ("radius", "kind"),
    cases(
        JOBS,
        [job for job in JOBS if job[0] != 2.0],
        "a groove narrower than a voxel is lost where no grid line meets it; wider ones lose parts of their floor",
    ),
)
def test_a_groove_is_as_large_as_a_polygon_of_its_floor(radius, kind):
    share = {
        job: (stock.volume() - surface.volume()) / shared
        for job, (stock, _, shared, surface) in grooves(radius, kind).items()
    }
    assert max(share.values()) < 1.01
    assert min(share.values()) >= SHARES[radius], rounded(share)


@pytest.mark.parametrize(
    ("radius", "kind"),
    cases(
        JOBS,
        [job for job in JOBS if job[0] < 1.0] + [(1.0, "straight")],
        "vertices of the top are left within the groove, up to its radius deep",
    ),
)
def test_no_vertex_is_left_in_a_groove(radius, kind):
    off = {
        job: verify(surface, stock, sweep, 1.0).vertices.largest
        for job, (stock, sweep, _, surface) in grooves(radius, kind).items()
        if job[1] != 3.3
    }
    assert max(off.values()) < 0.1, rounded(off)


def test_every_edge_of_a_grooved_plate_has_two_faces():
    count = {(*job, *each): crowded_edges(found[-1]) for job in JOBS for each, found in grooves(*job).items()}
    assert {job: number for job, number in count.items() if number} == {}
