"""The same job gives the same bytes, however its bricks are shared out, and in whatever order its paths come."""

import importlib
import pkgutil

import numpy as np
import pytest
from scipy.spatial import cKDTree

from tests.compute.contouring.results import carved, contents
from tests.shapes import box, hemisphere, joined, sphere
from voxel_carve.compute import Path, Sweep


def set_runs(monkeypatch, size):
    """Let no kernel of the surface take more than so many bricks, quads or vertices at once."""
    package, count = importlib.import_module("voxel_carve.compute.engines.numba.contouring"), 0
    for found in pkgutil.iter_modules(package.__path__, package.__name__ + "."):
        module = importlib.import_module(found.name)
        for name in [name for name in vars(module) if name.endswith("_PER_RUN")]:
            monkeypatch.setattr(module, name, size)
            count += 1
    assert count > 4


def tangle(seed=2, count=5):
    """Paths that wind, thick and thin, through a box of 24 voxels around the origin."""
    rng = np.random.default_rng(seed)
    return [Path(rng.uniform(-14, 14, (5, 3)), rng.uniform(0.4, 3.0, 5)) for _ in range(count)]


STOCKS = {
    "box": box((-12, -11, -10.3), (12, 10.4, 10)),
    "ball": sphere(12.0, subdivisions=3),
    "hemisphere": hemisphere(12.0, 2),
}


@pytest.fixture(params=STOCKS, scope="module")
def stock(request):
    return STOCKS[request.param]


@pytest.fixture(params=["subtract", "union", "intersect"])
def operation(request):
    return request.param


def test_threads_decide_no_bit(stock, operation, monkeypatch):
    sweep = Sweep.from_paths(tangle())
    expected = contents(carved(stock, sweep, operation))
    set_runs(monkeypatch, 1)
    for threads in (1, 2, 5):
        monkeypatch.setattr("voxel_carve.compute.runtime.threads.thread_count", lambda threads=threads: threads)
        assert contents(carved(stock, sweep, operation)) == expected


@pytest.mark.parametrize("bricks", [1, 7])
def test_the_length_of_runs_decides_no_bit(stock, operation, bricks, monkeypatch):
    sweep = Sweep.from_paths(tangle())
    expected = contents(carved(stock, sweep, operation))
    set_runs(monkeypatch, bricks)
    monkeypatch.setattr("voxel_carve.compute.field.fields.BRICKS_PER_CHUNK", bricks)
    assert contents(carved(stock, sweep, operation)) == expected


def test_the_order_of_paths_decides_no_bit(stock, operation):
    """But the segments have other numbers then."""
    paths = tangle()
    first = carved(stock, Sweep.from_paths(paths), operation)
    for order in (paths[::-1], paths[3:] + paths[:3]):
        other = carved(stock, Sweep.from_paths(order), operation)
        assert contents(other)[:3] == contents(first)[:3]


def test_a_path_and_its_reverse_give_the_same_bytes(stock, operation):
    there = tangle()
    back = [Path(each.points[::-1], each.radii[::-1]) for each in there]
    surfaces = [carved(stock, Sweep.from_paths(paths), operation) for paths in (there, back)]
    assert contents(surfaces[0])[:3] == contents(surfaces[1])[:3]


def test_a_path_there_and_back_gives_the_bytes_of_one_way(stock, operation):
    """Near the sides of a stock, segments that are equal may both be near a border point."""
    there = [*tangle(), Path([[-2.0, 0, 1], [0.3, 0.2, 1], [2, -0.4, 1]], [0.3])]
    back = [Path(each.points[::-1], each.radii[::-1]) for each in there]
    once, twice = (carved(stock, Sweep.from_paths(paths), operation) for paths in (there, [*there, *back]))
    assert contents(twice)[:3] == contents(once)[:3]


def test_where_bricks_begin_decides_hardly_anything(operation):
    """A small box far to the side moves the grid by one voxel for each two that it is farther away.

    Which segments are listed near a vertex depends on its brick, and the nearest of equally near ones on rounding.
    """
    block, sweep, seen = STOCKS["box"], Sweep.from_paths(tangle()), []
    for shift in range(4):
        low = 40.0 + 2 * shift
        surface = carved(joined(block, box((low - 2, -2, -2), (low, 2, 2))), sweep, operation)
        assert surface.is_closed()
        seen.append((surface.points[surface.points[:, 0] < 30], surface.volume()))
    (points, volume), *others = seen
    for other, of_other in others:
        assert (cKDTree(points).query(other)[0] > 1e-3).mean() < 0.005
        assert of_other == pytest.approx(volume, rel=1e-4)
