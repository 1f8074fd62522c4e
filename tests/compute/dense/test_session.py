"""Sessions: the same voxels and counts under every budget, and what happens when something goes wrong."""

import subprocess
import sys
import textwrap
from functools import partial
from pathlib import Path as FilePath
from types import SimpleNamespace

import numpy as np
import pytest

from voxel_carve.compute import CarveSession, Grid, InputError, Path, Sweep, UnknownBackendError, get_backend
from voxel_carve.compute.engines.scipy.dense import ScipyBackend
from voxel_carve.compute.engines.warp.backend import WarpBackend

ROOT = FilePath(__file__).resolve().parents[3]
GRID = Grid([-1.0, 2.0, 3.0], 0.25, (45, 38, 51))
RNG = np.random.default_rng(7)


def random_path(points, radius):
    low, high = GRID.origin, GRID.origin + 0.25 * np.array(GRID.shape[::-1])
    return Path(RNG.uniform(low - 0.5, high + 0.5, (points, 3)), RNG.uniform(0.5 * radius, radius, points))


SWEEPS = [
    Sweep.from_paths([random_path(8, 0.6)]),
    Sweep.from_paths([random_path(2, 2.5), random_path(5, 0.3)]),
    Sweep([[-60.0, 0.0, 0.0]], [[-50.0, 0.0, 0.0]], [1.0], [1.0]),  # outside of the grid
    Sweep([[4.0, 6.0, 8.0]], [[4.0, 6.0, 8.0]], [3.0], [3.0]),
    Sweep.from_paths([random_path(8, 0.05)]),
]


BACKENDS = {"scipy": ScipyBackend, "cpu": partial(get_backend, "cpu"), "warp": partial(WarpBackend, "cpu")}


@pytest.fixture(scope="module", params=BACKENDS)
def backend(request):
    return BACKENDS[request.param]()


@pytest.fixture(scope="module")
def expected():
    """The occupancy after all sweeps, one after the other in one piece, and the counts."""
    occupancy, backend = start(), get_backend("cpu")
    return occupancy, [backend.subtract_sweep(occupancy, GRID, sweep) for sweep in SWEEPS]


def start():
    return np.random.default_rng(8).random(GRID.shape) < 0.8


class Watching:
    """A backend whose calls are told, whether it combines all sweeps at once or one after the other."""

    def __init__(self, backend, told):
        self.backend, self.told = backend, told

    def __getattr__(self, name):
        found = getattr(self.backend, name)
        return partial(self.held, found) if name == "hold" else found

    def held(self, hold, voxels, origin, *rest):
        slab = hold(voxels, origin, *rest)

        def combine(group):
            self.told(origin[0], voxels.shape)
            slab.combine(group)

        return SimpleNamespace(combine=combine, copied=slab.copied, leave_out=slab.leave_out, finish=slab.finish)

    def subtract_segments(self, occupancy, first_layer, *rest):
        self.told(first_layer, occupancy.shape)
        return self.backend.subtract_segments(occupancy, first_layer, *rest)


def failing(backend, calls):
    """A backend that fails once, in the midst of a flush."""
    left = [RuntimeError("the device is gone"), *[None] * (calls - 1)]

    def told(*_):
        error = left.pop() if left else None
        if error:
            raise error

    return Watching(backend, told)


def assert_same(occupancy, session, expected):
    assert session.removed == expected[1]
    assert sum(count > 0 for count in session.removed) == 4
    assert all(type(count) is int for count in session.removed)
    assert np.array_equal(occupancy, expected[0])


@pytest.mark.parametrize("byte_budget", [pytest.param(1, marks=pytest.mark.slow), 20_000, 45 * 38 * 51, 2 * 2**30])
def test_every_budget_gives_the_same(backend, expected, byte_budget):
    occupancy = start()
    with CarveSession(occupancy, GRID, backend, byte_budget) as session:
        places = [session.subtract(sweep) for sweep in SWEEPS]
        assert session.removed == []
        assert np.array_equal(occupancy, start())
    assert places == [0, 1, 2, 3, 4]
    assert_same(occupancy, session, expected)


def test_slabs_are_no_larger_than_the_budget(backend):
    seen = []
    watching = Watching(backend, lambda first, shape: seen.append((first, shape)))
    with CarveSession(start(), GRID, watching, byte_budget=17 * 38 * 51) as session:
        session.subtract(SWEEPS[0])
    assert len(seen) >= 3
    assert all(first % 8 == 0 and shape[0] <= 16 for first, shape in seen)


def test_second_flush_does_nothing(backend, expected):
    occupancy = start()
    session = CarveSession(occupancy, GRID, backend, 20_000)
    for sweep in SWEEPS:
        session.subtract(sweep)
    session.flush()
    assert_same(occupancy, session, expected)
    occupancy[:] = True
    session.flush()
    assert occupancy.all()
    assert session.removed == expected[1]


def test_flush_in_the_midst_and_at_the_end(backend, expected):
    occupancy = start()
    with CarveSession(occupancy, GRID, backend, 20_000) as session:
        for place, sweep in enumerate(SWEEPS):
            assert session.subtract(sweep) == place
            if place == 2:
                session.flush()
                assert session.removed == expected[1][:3]
    assert_same(occupancy, session, expected)


def test_exception_in_the_block_applies_nothing(backend):
    occupancy = start()
    session = CarveSession(occupancy, GRID, backend)
    with pytest.raises(ZeroDivisionError), session:
        session.subtract(SWEEPS[0])
        raise ZeroDivisionError
    session.flush()
    assert session.removed == []
    assert np.array_equal(occupancy, start())


@pytest.mark.parametrize("queue", ["subtract", "add", "intersect"])
def test_a_sweep_after_the_block_is_refused(queue):
    """It would be lost: nobody flushes any more. Another block of the session takes it."""
    occupancy = start()
    with CarveSession(occupancy, GRID, "cpu") as session:
        session.subtract(SWEEPS[0])
    before = occupancy.copy()
    with pytest.raises(InputError, match=r"with block of this session has ended: .* another session"):
        getattr(session, queue)(SWEEPS[1])
    session.flush()
    assert np.array_equal(occupancy, before) and len(session.removed) == 1
    with session:
        getattr(session, queue)(SWEEPS[1])
    assert not np.array_equal(occupancy, before) and len(session.removed) == 2


def test_a_sweep_after_a_block_that_failed_is_refused():
    with pytest.raises(ZeroDivisionError), CarveSession(start(), GRID, "cpu") as session:
        raise ZeroDivisionError
    with pytest.raises(InputError, match="has ended"):
        session.subtract(SWEEPS[0])


@pytest.mark.parametrize("calls", [1, 4, 9])
def test_flush_again_after_a_failure(backend, expected, calls):
    occupancy = start()
    session = CarveSession(occupancy, GRID, failing(backend, calls), 20_000)
    for sweep in SWEEPS:
        session.subtract(sweep)
    with pytest.raises(RuntimeError, match="gone"):
        session.flush()
    assert session.removed == []
    session.flush()
    assert np.array_equal(occupancy, expected[0])
    assert sum(session.removed) == start().sum() - occupancy.sum()


def test_memmap(tmp_path, backend, expected):
    np.save(tmp_path / "occupancy.npy", start())
    occupancy = np.load(tmp_path / "occupancy.npy", mmap_mode="r+")
    with CarveSession(occupancy, GRID, backend, 20_000) as session:
        for sweep in SWEEPS:
            session.subtract(sweep)
    assert_same(occupancy, session, expected)
    occupancy.flush()
    assert np.array_equal(np.load(tmp_path / "occupancy.npy"), expected[0])


def test_view_with_strides(backend, expected):
    whole = np.ones((51, 45 * 2, 38), dtype=bool)
    occupancy = whole[:, ::2].transpose(1, 2, 0)
    occupancy[:] = start()
    with CarveSession(occupancy, GRID, backend, 20_000) as session:
        for sweep in SWEEPS:
            session.subtract(sweep)
    assert_same(occupancy, session, expected)
    assert whole[:, 1::2].all()


def test_backend_by_name(expected):
    occupancy = start()
    with CarveSession(occupancy, GRID, "cpu") as session:
        for sweep in SWEEPS:
            session.subtract(sweep)
    assert_same(occupancy, session, expected)
    with pytest.raises(UnknownBackendError, match="quantum"):
        CarveSession(occupancy, GRID, "quantum")


def test_bad_input(backend):
    occupancy = start()
    with pytest.raises(InputError, match="does not fit"):
        CarveSession(occupancy[:-1], GRID, backend)
    with pytest.raises(InputError, match="float64"):
        CarveSession(occupancy.astype(float), GRID, backend)
    with pytest.raises(InputError, match="positive"):
        CarveSession(occupancy, GRID, backend, byte_budget=0)
    occupancy.flags.writeable = False
    with pytest.raises(InputError, match="read-only"):
        CarveSession(occupancy, GRID, backend)


LARGE = """
    import sys

    import numpy as np

    from voxel_carve.compute import CarveSession, Grid, Path, Sweep, get_backend
    from voxel_carve.compute.runtime.memory import peak_bytes
    from voxel_carve.compute.engines.warp.backend import WarpBackend

    backend = get_backend("cpu") if sys.argv[1] == "cpu" else WarpBackend("cpu")
    backend.subtract_swept_capsule(np.ones((8, 8, 8), dtype=bool), Grid([0, 0, 0], 1, (8, 8, 8)), [4] * 3, [4] * 3, 2)
    grid = Grid([0.0, 0.0, 0.0], 1.0, (1024, 1024, 1024))
    angle = np.linspace(0, 20 * np.pi, 1500)
    helix = np.column_stack([512 + 200 * np.cos(angle), 512 + 200 * np.sin(angle), np.linspace(100, 924, 1500)])
    sweeps = [
        ("subtract", Path(helix, [7.5])),
        ("subtract", Sweep([[100.0, 200.0, -50.0]], [[800.0, 700.0, 1100.0]], [150.0], [30.0])),
        ("intersect", Path([[512, 512, 200], [512, 512, 824]], [350])),
        *[("union", Path(helix[place : place + 3], [9.0])) for place in range(0, 1500, 5)],
        ("intersect", Path(helix, [60.0])),
    ]

    def carved(byte_budget):
        occupancy = np.ones(grid.shape, dtype=bool)
        before = peak_bytes()
        with CarveSession(occupancy, grid, backend, byte_budget) as session:
            for operation, sweep in sweeps:
                session.queue(operation, sweep)
        return occupancy, session.removed, peak_bytes() - before

    small, small_removed, extra = carved(64 * 2**20)
    assert extra < 128 * 2**20, f"{extra / 2**20:.0f} MiB beside the array"
    whole, whole_removed, _ = carved(2**40)
    assert small_removed == whole_removed, (small_removed, whole_removed)
    assert sum(small_removed) == whole.size - np.count_nonzero(whole)
    assert min(small_removed[:3]) > 1_000_000 and max(small_removed[3:-1]) < 0 < small_removed[-1]
    assert np.array_equal(small, whole)
"""


@pytest.mark.slow
@pytest.mark.parametrize("name", ["cpu", "warp"])
def test_large_array_under_a_small_budget(name):
    """1 GiB under 64 MiB, in a process of its own, whose greatest size the operating system counts."""
    script = textwrap.dedent(LARGE)
    run = subprocess.run([sys.executable, "-c", script, name], capture_output=True, text=True, check=False, cwd=ROOT)
    assert run.returncode == 0, run.stderr
