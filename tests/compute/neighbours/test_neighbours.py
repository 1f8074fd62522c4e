"""What lies within a radius of what, against brute force, on the CPU and on Warp's own CPU device."""

import subprocess
import sys

import numpy as np
import pytest

from tests.shapes import box, joined, sphere
from voxel_carve.compute import (
    CarveCancelled,
    InputError,
    Path,
    Sweep,
    TriMesh,
    carve,
    duplicate_points,
    duplicate_segments,
    isolated_parts,
    neighbours,
)
from voxel_carve.compute.runtime import memory

RNG = np.random.default_rng(6)


@pytest.fixture(params=["cpu", "warp:cpu"], scope="module")
def backend(request):
    if request.param != "cpu":
        pytest.importorskip("warp")
    return request.param


def all_pairs(points, queries, radius):
    """The lists by comparing each with each."""
    off = queries[:, None] - points[None]
    return [np.flatnonzero(near) for near in (off * off).sum(axis=2) <= radius * radius]


def check(found, expected):
    assert np.array_equal(found.count(), [len(each) for each in expected])
    assert np.array_equal(found.index, np.concatenate(expected))
    assert all(np.array_equal(found.of(i), each) for i, each in enumerate(expected))
    assert np.array_equal(found.query(), np.repeat(np.arange(len(expected)), found.count()))


@pytest.mark.parametrize("radius", [0.0, 0.03, 0.15, 5.0])
def test_random_points(backend, radius):
    points, queries = RNG.uniform(-1, 1, (1500, 3)), RNG.uniform(-1.3, 1.3, (400, 3))
    queries[:50] = points[:50]
    check(neighbours(points, queries, radius, backend), all_pairs(points, queries, radius))


@pytest.mark.parametrize("radius", [1.0, 3.0, 5.0])
def test_points_at_the_very_radius_count(backend, radius):
    """On a lattice, many distances are whole numbers."""
    points = np.argwhere(np.ones((9, 9, 9))).astype(float) - 4
    check(neighbours(points, points[::7], radius, backend), all_pairs(points, points[::7], radius))


def test_lists_hold_points_that_are_there_twice(backend):
    points = np.repeat(RNG.uniform(0, 1, (40, 3)), 3, axis=0)
    found = neighbours(points, points, 0.0, backend)
    assert (found.count() == 3).all()
    assert np.array_equal(found.index.reshape(40, 3, 3), np.arange(120).reshape(40, 1, 3).repeat(3, axis=1))


def test_points_far_from_the_origin(backend):
    points = RNG.uniform(-1, 1, (500, 3)) + np.array([1e6, -2e7, 3e5])
    check(neighbours(points, points, 0.2, backend), all_pairs(points, points, 0.2))


def test_nothing_to_find(backend):
    found = neighbours(np.zeros((3, 3)), np.full((2, 3), 9.0), 1, backend)
    assert (found.first.tolist(), len(found.index)) == ([0, 0, 0], 0)
    assert neighbours(np.zeros((0, 3)), np.zeros((2, 3)), 1, backend).first.tolist() == [0, 0, 0]
    assert neighbours(np.zeros((3, 3)), np.zeros((0, 3)), 1, backend).first.tolist() == [0]


@pytest.mark.parametrize(
    ("points", "radius", "fault"),
    [
        ([[0, 0]], 1, r"give \(N, 3\)"),
        ([[0, 0, np.nan]], 1, "not all finite"),
        ([[0, 0, 0]], -1, "it must be a length, or 0"),
        ([[0, 0, 0]], np.inf, "it must be a length, or 0"),
    ],
)
def test_bad_input_is_named(points, radius, fault):
    with pytest.raises(InputError, match=fault):
        neighbours(points, [[0, 0, 0]], radius)


def test_more_pairs_than_fit_are_refused(monkeypatch):
    monkeypatch.setattr(memory, "available_bytes", lambda: 1 << 20)
    points = np.zeros((3000, 3))
    with pytest.raises(InputError, match="do not fit into memory: choose a smaller radius"):
        neighbours(points, points, 1.0, "cpu")


def test_a_search_can_be_cancelled():
    def stop(stage, fraction):
        raise CarveCancelled

    with pytest.raises(CarveCancelled):
        neighbours(np.zeros((3, 3)), np.zeros((3, 3)), 1, "cpu", progress=stop)


def test_the_cpu_compiles_nothing_for_it():
    """In a process of its own, numba is not even imported."""
    script = """
import sys
from voxel_carve.compute import duplicate_segments, isolated_parts, neighbours
line = [[0, 0, 0], [1, 0, 0], [0, 0, 0]]
triangle = [[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2]]
print(neighbours(line, line, 0.5).index, duplicate_segments((line, 0.1)), isolated_parts(triangle))
print(sorted({"numba", "warp"} & set(sys.modules)))
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, timeout=300)
    assert done.stdout.splitlines() == ["[0 2 1 0 2] [0 0] [0]", "[]"]


# Duplicates


def first_kept(near):
    """What each thing repeats, one by one, from an (N, N) table of what is near what."""
    first, kept = [], []
    for i in range(len(near)):
        before = [j for j in kept if near[i, j]]
        first.append(before[0] if before else i)
        kept += [] if before else [i]
    return first


@pytest.mark.parametrize("tolerance", [0.0, 0.05, 0.2])
def test_duplicate_points(backend, tolerance):
    points = RNG.uniform(0, 1, (300, 3))
    points[200:] = points[:100] + RNG.uniform(-0.02, 0.02, (100, 3)) * (tolerance > 0)
    off = points[:, None] - points[None]
    expected = first_kept((off * off).sum(axis=2) <= tolerance * tolerance)
    assert duplicate_points(points, tolerance, backend).tolist() == expected


def test_duplicate_moves_of_a_toolpath(backend):
    """There and back, once more a little beside, with another radius, and half of the way."""
    there = np.array([[0.0, 0, 0], [1, 0, 0], [1, 2, 0], [0, 2, 1]])
    paths = [
        Path(there, 0.1),
        Path(there[::-1], 0.1),
        Path(there + 0.001, 0.1),
        Path(there, 0.2),
        Path(there[:2] / 2, 0.1),
    ]
    sweep = Sweep.of(paths)
    assert duplicate_segments(sweep, backend=backend).tolist() == [0, 1, 2, 2, 1, 0, 6, 7, 8, 9, 10, 11, 12]
    found = duplicate_segments(sweep, 0.002, backend)
    assert found.tolist() == [0, 1, 2, 2, 1, 0, 0, 1, 2, 9, 10, 11, 12]
    assert len(sweep.part(np.unique(found))) == 7


def test_a_sweep_without_its_duplicate_moves_carves_the_same():
    there = np.array([[-2.0, 0, 1], [0.3, 0.2, 1], [2, -0.4, 1]])
    sweep = Sweep.of([Path(there, 0.3), Path(there[::-1], 0.3)])
    single = sweep.part(np.unique(duplicate_segments(sweep)))
    assert (len(sweep), len(single)) == (4, 2)
    one, other = (carve(box(), each, 0.1, backend="cpu").surface for each in (sweep, single))
    assert np.array_equal(one.points, other.points)
    assert np.array_equal(one.faces, other.faces)
    assert len(duplicate_segments(Sweep.nothing())) == 0


def test_duplicate_balls():
    cloud = Path([[0, 0, 0], [1, 0, 0], [0, 0, 0], [0, 0, 0]], [0.1, 0.1, 0.1, 0.2], joined=False)
    assert duplicate_segments(cloud).tolist() == [0, 1, 0, 3]


# Parts


def test_parts_of_bodies_by_the_gaps_between_them(backend):
    """A large ball, a chip 0.1 beside it, another 0.5 beside that, and a small one far away."""
    bodies = [
        sphere(1.0),
        sphere(0.1, centre=(1.2, 0, 0)),
        sphere(0.2, centre=(2.0, 0, 0)),
        sphere(0.05, centre=(0, 9, 0)),
    ]
    mesh = joined(*bodies)
    count = [len(body.triangles) for body in bodies]
    for gap, numbers in ((0.0, (0, 2, 1, 3)), (0.15, (0, 0, 1, 2)), (0.6, (0, 0, 0, 1)), (20.0, (0, 0, 0, 0))):
        assert np.array_equal(isolated_parts(mesh, gap, backend), np.repeat(numbers, count)), gap


def test_parts_that_touch_in_a_point_are_one():
    mesh = TriMesh([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 0], [-1, 0, 0], [0, -1, 0]], [[0, 1, 2], [3, 4, 5]])
    assert isolated_parts(mesh).tolist() == [0, 0]


def test_chips_of_a_result():
    """Two cuts leave a thin slice of a box, and a corner."""
    paths = [([[-2, 0, 0.6], [2, 0, 0.6]], 0.2), ([[0.5, -2, -2], [0.5, 2, -2]], 0.2)]
    wide = [Path([[-2, y, 0.2], [2, y, 0.2]], 0.2) for y in np.linspace(-1.2, 1.2, 20)]
    surface = carve(box(), [*paths, *wide], 0.05, backend="cpu").surface
    parts = isolated_parts(surface, 0.1)
    assert parts.max() == 1
    height = surface.points[surface.faces[:, 0]][:, 2]
    assert (height[parts == 0] < 0.3).all()
    assert (height[parts == 1] > 0.3).all()
    assert not isolated_parts(surface, 0.5).any()
