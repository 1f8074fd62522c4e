"""z columns passed on a Warp device: the crossings of the CPU backend, in its order, and the counts of a raster."""

import gc

import numpy as np
import pytest

from tests.shapes import box, hemisphere, joined, keep_triangles, lidless_box, sphere
from voxel_carve.compute import CarveCancelled, Grid, Path, Sweep, TriMesh, carve, get_backend
from voxel_carve.compute.engines.warp.backend import WarpBackend
from voxel_carve.compute.engines.warp.field import binning as warp_binning
from voxel_carve.compute.engines.warp.field import stock as warp_stock
from voxel_carve.compute.primitives.crossings import signed_crossings
from voxel_carve.compute.primitives.triangles import Triangles
from voxel_carve.compute.runtime.progress import reporting_to

CPU = get_backend("cpu")
GRID = Grid([-5.0, -3.5, -4.5], 0.125, (74, 59, 85))  # no side is a whole number of bricks
RNG = np.random.default_rng(29)


@pytest.fixture(scope="module", params=["cpu", pytest.param("cuda", marks=pytest.mark.cuda)])
def warp(request):
    return WarpBackend(request.param)


def soup(count, size, step=0.0):
    """Triangles anywhere in the grid and beside it; with corners on a lattice if it has a step."""
    corners = RNG.uniform(-6, 6, (count, 1, 3)) + RNG.normal(0, size, (count, 3, 3))
    if step:
        corners = GRID.origin + np.round((corners - GRID.origin) / step) * step
    return TriMesh(corners.reshape(-1, 3), np.arange(3 * count).reshape(-1, 3))


def around_centres():
    """Triangles that share a corner or an edge exactly at voxel centres, among them some seen from the side."""
    centre = GRID.to_world(np.array([40.5, 30.5, 35.5]))
    ring = centre + 0.125 * np.array([[0, 0, 0], [9, 0, 2], [7, 7, -1], [0, 8, 0], [-8, 8, 3], [-9, 0, 0], [0, -8, 1]])
    faces = [[0, n, n % 6 + 1] for n in range(1, 7)]
    return TriMesh(np.concatenate([ring, ring[:3] + np.array([0, 0, 1])]), [*faces, [0, 1, 7], [1, 8, 7]])


MESHES = {
    "box on voxel centres": box([-3.0625, -2.0625, -2.0625], [2.9375, 1.9375, 3.0625]),
    "box on voxel corners": box([-3, -2, -2], [3, 2, 3]),
    "sphere": sphere(2.9, (0.1, 0.2, 0.3), subdivisions=4),
    "inside out": TriMesh(sphere(2.5).points, sphere(2.5).triangles[:, ::-1]),
    "shells": joined(sphere(2.0, subdivisions=2), sphere(2.0, subdivisions=2), box([-0.4, -0.4, -9], [0.4, 0.4, 9])),
    "open": keep_triangles(sphere(3.0, subdivisions=3), RNG.random(512) < 0.7),
    "lidless box": lidless_box(),
    "large triangles": soup(60, 7.0),
    "small triangles": soup(900, 0.2),
    "corners on centres": soup(300, 1.5, 0.0625),
    "around centres": around_centres(),
    "slivers": TriMesh(soup(200, 3.0).points * [1, 1e-14, 1] + [0, 0.0625, 0], soup(200, 3.0).triangles),
    "above the grid": sphere(2.0, (0, 0, 40), subdivisions=2),
    "below the grid": sphere(2.0, (0, 0, -40), subdivisions=2),
    "beside the grid": sphere(2.0, (40, 0, 0), subdivisions=1),
    "huge": box([-1e10, -2e10, -3e10], [1e10, 2e10, 1.0]),
    "nothing": TriMesh(np.zeros((3, 3)), [[0, 1, 2]]),
}


def same(found, expected):
    return all(
        np.asarray(one).dtype == np.asarray(other).dtype and np.array_equal(one, other)
        for one, other in zip(found, expected, strict=True)
    )


@pytest.mark.parametrize("guessed", [True, False])
@pytest.mark.parametrize("name", MESHES)
def test_crossings(warp, monkeypatch, name, guessed):
    monkeypatch.setattr(warp_binning, "MOST_GUESSED", 1 << 26 if guessed else 0)
    triangles = Triangles.on_grid(MESHES[name], GRID)
    found = warp.pass_columns(triangles, GRID.shape)
    assert same(found, CPU.pass_columns(triangles, GRID.shape))
    assert (len(found.height) == 0) == (name in ("beside the grid", "nothing"))
    index = np.argwhere(np.ones(GRID.shape, bool))
    above = found.above(index[:, 0], index[:, 1] * GRID.shape[2] + index[:, 2]).reshape(GRID.shape)
    assert np.array_equal(above, signed_crossings(triangles.points, triangles.triangles, GRID.shape))


@pytest.mark.parametrize("shape", [(1, 1, 1), (1, 90, 1), (74, 1, 3), (200, 7, 85)])
def test_other_grids(warp, shape):
    triangles = Triangles.on_grid(MESHES["corners on centres"], GRID)
    assert same(warp.pass_columns(triangles, shape), CPU.pass_columns(triangles, shape))


def test_they_come_down_with_the_lists_of_triangles():
    backend = WarpBackend("cpu")
    triangles = Triangles.on_grid(MESHES["sphere"], GRID)
    backend.begin_job()
    backend.bin_triangles(triangles, GRID)
    assert backend.counts() == {"launches": 13, "uploads": 1, "downloads": 1, "copies": 0, "waits": 0}
    found = backend.pass_columns(triangles, GRID.shape)
    assert backend.counts()["launches"] == 13
    assert same(found, CPU.pass_columns(triangles, GRID.shape))
    # On another grid they are passed again, and come down alone.
    shape = (80, 40, 90)
    assert same(backend.pass_columns(triangles, shape), CPU.pass_columns(triangles, shape))
    assert backend.counts() == {"launches": 20, "uploads": 1, "downloads": 2, "copies": 0, "waits": 0}


def test_columns_that_32_bits_cannot_number_are_passed_on_the_host(monkeypatch):
    backend = WarpBackend("cpu")
    triangles, expected = Triangles.on_grid(MESHES["sphere"], GRID), WarpBackend("cpu")
    bins = expected.bin_triangles(triangles, GRID)
    monkeypatch.setattr(warp_stock, "MOST_ELEMENTS", 100)
    assert all(map(np.array_equal, backend.bin_triangles(triangles, GRID), bins))
    backend.begin_job()
    assert same(backend.pass_columns(triangles, GRID.shape), CPU.pass_columns(triangles, GRID.shape))
    assert backend.counts()["launches"] == 0


@pytest.mark.parametrize("stock", [sphere(2.0, subdivisions=3), hemisphere(2.0, 3)])
def test_the_field_reads_them_where_they_are(warp, monkeypatch, stock):
    sweep = Sweep.from_paths([Path([[-3, 0.2, -1], [3, 0.4, 0.3]], [0.6])])
    carve(stock, sweep, 0.15, backend=warp)  # the tables of the extraction are on the device now
    by_device = carve(stock, sweep, 0.15, backend=warp)
    monkeypatch.setattr(warp_stock.Passed, "of", lambda *given: None)
    by_host = carve(stock, sweep, 0.15, backend=warp)
    one, other = (each.report.counts for each in (by_device, by_host))
    assert (one["uploads"], one["downloads"]) == (other["uploads"] - 1, other["downloads"])
    assert one["launches"] == other["launches"] + 7
    for name in ("points", "faces", "source", "primitive"):
        assert np.array_equal(getattr(by_device.surface, name), getattr(by_host.surface, name))


def test_launches_are_bounded_and_can_be_cancelled(warp, monkeypatch):
    triangles = Triangles.on_grid(MESHES["small triangles"], GRID)
    warp.pass_columns(triangles, (9, 9, 9))  # what it needs is on the device
    monkeypatch.setattr(warp_binning, "TESTS_PER_LAUNCH", 2000)
    seen = []
    with reporting_to(lambda stage, part: seen.append(part)):
        found = warp.pass_columns(triangles, GRID.shape)
    assert same(found, CPU.pass_columns(triangles, GRID.shape))
    assert seen == sorted(seen) and len(set(seen)) > 30

    def stop(stage, part):
        raise CarveCancelled(stage)

    with reporting_to(stop), pytest.raises(CarveCancelled):
        warp.pass_columns(triangles, GRID.shape)


def test_they_are_freed_with_the_triangles():
    backend = WarpBackend("cpu")
    triangles = Triangles.on_grid(MESHES["sphere"], GRID)
    backend.bin_triangles(triangles, GRID)
    found = backend.pass_columns(triangles, GRID.shape)
    assert len(backend._first._cached) == 4
    del triangles
    gc.collect()
    assert len(backend._first._cached) == 1  # what belongs to the crossings
    del found
    gc.collect()
    assert len(backend._first._cached) == 0
