"""Lists of primitives that are made on a Warp device: those of the CPU backend, and used where they lie."""

import gc

import numpy as np
import pytest

from tests.shapes import box, hemisphere, joined, sphere
from voxel_carve.compute import CarveCancelled, Grid, Path, Sweep, TriMesh, carve, get_backend
from voxel_carve.compute.engines.warp.backend import WarpBackend
from voxel_carve.compute.engines.warp.field import binning as warp_binning
from voxel_carve.compute.engines.warp.field.pairs import Lists
from voxel_carve.compute.model import State
from voxel_carve.compute.model.bricks import BrickTable
from voxel_carve.compute.primitives.segments import Segments
from voxel_carve.compute.primitives.triangles import Triangles
from voxel_carve.compute.runtime.progress import reporting_to

CPU = get_backend("cpu")
GRID = Grid([-9.0, -7.0, -8.0], 0.125, (130, 117, 141))  # no side is a whole number of bricks, or of tiles
RNG = np.random.default_rng(23)


@pytest.fixture(scope="module", params=["cpu", pytest.param("cuda", marks=pytest.mark.cuda)])
def warp(request):
    return WarpBackend(request.param)


def scattered(count, length, radius):
    """Segments anywhere in the grid and beside it, in any direction, most of them tapered."""
    start = RNG.uniform(-11, 11, (count, 3))
    end = start + RNG.normal(0, length, (count, 3))
    return Sweep(start, end, RNG.uniform(0, radius, count) + 1e-3, RNG.uniform(0, radius, count) + 1e-3)


def lattice():
    """Segments between brick centres, with radii for which distances equal bounds."""
    ends = np.array(np.meshgrid([-8.5, -4.5, 0.5], [-6.5, 0.5], [-7.5, 0.5])).reshape(3, -1).T
    radius = np.resize([0.25, 0.5, 0.4375, 1.0, 1.75 * 0.125, 3.5 * 0.125], len(ends))
    return Sweep(ends, np.roll(ends, 1, axis=0), radius, radius)


SWEEPS = {
    "short": scattered(400, 0.4, 0.5),
    "long": scattered(60, 9.0, 0.7),
    "thick": scattered(30, 4.0, 4.0),
    "balls": Sweep(*[RNG.uniform(-9, 9, (80, 3))] * 2, *[RNG.uniform(0.01, 3.0, 80)] * 2),
    "zero length": Sweep.from_paths([Path([[0.3, 0.2, -0.1]], [1.7]), Path([[1, 1, 1], [1, 1, 1]], [0.3])]),
    "ball in ball": Sweep([[0, 0, 0]], [[0.1, 0, 0]], [0.4], [1.9]),
    "the same many times": Sweep(*[np.repeat(each, 300, axis=0) for each in ([[-3, 0, 0]], [[4, 1, 2]], [0.6], [0.2])]),
    "on one line": Sweep.from_paths([Path([[x, 0.5, 0.5] for x in np.linspace(-8, 8, 33)], [0.5])]),
    "between brick centres": lattice(),
    "all of the grid": Sweep([[0, 0, 0]], [[1, 0, 0]], [60.0], [70.0]),
    "huge": Sweep([[0, 4e5 + 0.2, 3e5], [-4e8, 0, 4e8]], [[9, 4e5, 3e5], [-4e8, 0, 4e8]], *[[5e5, 5.6e8]] * 2),
    "far away": Sweep([[1e6, 0, 0], [0, -1e9, 0]], [[1e6, 5, 0], [0, -1e9, 3e9]], [0.5, 2.0], [0.5, 2.0]),
    "from afar": Sweep([[-1e5, 0.3, 0.1]], [[2e5, 0.5, -0.2]], [0.8], [0.3]),
}


@pytest.mark.parametrize("guessed", [True, False])
@pytest.mark.parametrize("name", SWEEPS)
def test_segments(warp, monkeypatch, name, guessed):
    monkeypatch.setattr(warp_binning, "MOST_GUESSED", 1 << 26 if guessed else 0)
    segments = Segments.on_grid(SWEEPS[name], GRID)
    expected, found = CPU.bin_segments(segments, GRID), warp.bin_segments(segments, GRID)
    assert found.states.shape == BrickTable.over(GRID).shape
    assert np.array_equal(found.states, expected.states)
    if name in ("thick", "balls", "all of the grid", "huge"):
        assert (found.states == State.SOLID).any()
    assert same_bins(found.bins, expected.bins)


def same_bins(found, expected):
    return all(
        one.dtype == other.dtype and np.array_equal(one, other) for one, other in zip(found, expected, strict=True)
    )


def soup(count, size):
    """Triangles anywhere in the grid and beside it."""
    corners = RNG.uniform(-10, 10, (count, 1, 3)) + RNG.normal(0, size, (count, 3, 3))
    return TriMesh(corners.reshape(-1, 3), np.arange(3 * count).reshape(-1, 3))


def slivers():
    """Triangles without area, or almost: on a line, with two equal corners, as thin as rounding allows."""
    a, b = np.array([-5.0, -3, -6]), np.array([6.0, 4, 3])
    step = np.array([0, 1e-9, 0])
    thin = [[a, (a + b) / 2, b], [a, a + 1e-13, b], [a, a, b], [a, b, b + step], [a, a, a]]
    return TriMesh(np.reshape(thin, (-1, 3)), np.arange(3 * len(thin)).reshape(-1, 3))


MESHES = {
    "box": box([-5, -4, -6], [5, 4, 6]),
    "box on brick corners": box([-8, -6, -7], [5, 4, 6]),
    "sphere": sphere(5.0, (0.3, 0.2, 0.1), subdivisions=4),
    "small": soup(500, 0.2),
    "large": soup(40, 6.0),
    "slivers": slivers(),
    "far away": TriMesh(box().points + 1e7, box().triangles),
    "huge": box([-1e7, -1.5e7, -2e7], [1e7, 2e7, 6.0]),
}


@pytest.mark.parametrize("guessed", [True, False])
@pytest.mark.parametrize("name", MESHES)
def test_triangles(warp, monkeypatch, name, guessed):
    monkeypatch.setattr(warp_binning, "MOST_GUESSED", 1 << 26 if guessed else 0)
    triangles = Triangles.on_grid(MESHES[name], GRID)
    expected, found = CPU.bin_triangles(triangles, GRID), warp.bin_triangles(triangles, GRID)
    assert (len(found.bricks) == 0) == (name == "far away")
    # The CPU backend lists large triangles after small ones.
    order = np.lexsort((expected.primitive, expected.owner()))
    assert same_bins(found, expected._replace(primitive=expected.primitive[order]))


def test_lists_are_read_where_they_were_made(warp, monkeypatch):
    stock, sweep = joined(sphere(3.0, subdivisions=3), box([-1, -1, -4], [1, 1, 4])), SWEEPS["short"]
    by_device = carve(stock, sweep, 0.17, backend=warp)
    monkeypatch.setattr(warp_binning.Work, "of", lambda primitives, grid: None)
    by_host = carve(stock, sweep, 0.17, backend=warp)
    assert by_device.report.counts["launches"] > by_host.report.counts["launches"]
    for name in ("points", "faces", "source", "primitive"):
        assert np.array_equal(getattr(by_device.surface, name), getattr(by_host.surface, name))


def test_other_lists_than_those_on_the_device_are_uploaded(warp):
    segments = Segments.on_grid(SWEEPS["long"], GRID)
    binned = warp.bin_segments(segments, GRID)
    lists = warp._first.kept(segments, Lists)
    assert np.array_equal(lists.shift_of(binned.bins), binned.bins.first[:-1] * 0)
    some = binned.bins.at(np.array([3, 7, 20]))
    assert np.array_equal(lists.shift_of(some), binned.bins.first[[3, 7, 20]] - some.first[:-1])
    assert lists.shift_of(some._replace(first=2 * some.first)) is None
    assert lists.shift_of(some._replace(bricks=some.bricks + len(lists.first))) is None


@pytest.mark.parametrize("of_all", ["bin_segments", "bin_triangles"])
def test_launches_are_bounded_and_binning_can_be_cancelled(warp, monkeypatch, of_all):
    monkeypatch.setattr(warp_binning, "TESTS_PER_LAUNCH", 2000)
    primitives = {
        "bin_segments": Segments.on_grid(SWEEPS["long"], GRID),
        "bin_triangles": Triangles.on_grid(MESHES["large"], GRID),
    }[of_all]
    assert 3 < len(warp_binning.Work.of(primitives, GRID).launches) <= len(primitives)
    seen = []
    with reporting_to(lambda stage, part: seen.append(part)):
        found = getattr(warp, of_all)(primitives, GRID)
    expected = getattr(CPU, of_all)(primitives, GRID)
    assert same_bins(*(getattr(each, "bins", each)[:2] for each in (found, expected)))
    assert seen == sorted(seen)
    assert len(set(seen)) > 3

    def stop(stage, part):
        raise CarveCancelled(stage)

    with reporting_to(stop), pytest.raises(CarveCancelled):
        getattr(warp, of_all)(primitives, GRID)


def test_lists_are_freed_with_the_primitives():
    backend = WarpBackend("cpu")
    segments = Segments.on_grid(SWEEPS["short"], GRID)
    triangles = Triangles.on_grid(hemisphere(3.0, 3), GRID)
    backend.bin_segments(segments, GRID)
    backend.bin_triangles(triangles, GRID)
    assert len(backend._first._cached) == 6  # both, their lists, and the z columns
    del segments, triangles
    gc.collect()
    assert len(backend._first._cached) == 0
