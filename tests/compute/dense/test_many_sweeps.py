"""Many sweeps in one session: combined in their order as by brute force, and at once where the backend can do that."""

from functools import cache, partial

import numpy as np
import pytest

from tests.brute_force import segment_distances
from voxel_carve.compute import CarveSession, Grid, Path, Sweep, get_backend, get_dense_backend
from voxel_carve.compute.engines.numba.field import sweeps as numba_sweeps
from voxel_carve.compute.engines.scipy.dense import ScipyBackend
from voxel_carve.compute.engines.warp.backend import WarpBackend
from voxel_carve.compute.engines.warp.field import pairs as warp_pairs

wp = pytest.importorskip("warp")

GRID = Grid([-1.0, 2.0, 3.0], 0.25, (29, 20, 27))
OPERATIONS = ("subtract", "union", "intersect")
# For slabs of one layer, of three or six layers, of whole bricks, and of the whole.
BUDGETS = [pytest.param(1, marks=pytest.mark.slow), 12 * 20 * 27, 60_000, 2**31]
BACKENDS = {
    "scipy": ScipyBackend,  # which brings no more than `DenseBackend`
    "cpu": partial(get_backend, "cpu"),
    "warp": partial(WarpBackend, "cpu"),
    "two": partial(WarpBackend, "cpu", "cpu"),
}


@pytest.fixture(scope="module", params=BACKENDS)
def backend(request):
    return BACKENDS[request.param]()


def path(rng, points, radius):
    low, high = GRID.origin, GRID.origin + 0.25 * np.array(GRID.shape[::-1])
    return Path(rng.uniform(low - 0.5, high + 0.5, (points, 3)), rng.uniform(0.3 * radius, radius, points))


@cache
def queue(kind):
    """Operations and sweeps that overlap."""
    rng = np.random.default_rng(11)
    if kind == "mixed":
        operations = ["subtract", "union", "union", "subtract", "intersect", "union", "subtract", "intersect", "union"]
        sweeps = [[path(rng, 4, 1.2)] for _ in operations]
        sweeps[4], sweeps[7] = [path(rng, 9, 2.5)], [path(rng, 12, 2.0), path(rng, 1, 3.0)]
    elif kind == "one segment each":
        operations = ["subtract", "union", "subtract"] * 12
        sweeps = [[path(rng, 2, 1.0)] for _ in operations]
    else:  # what misses the grid, and balls that hold all of it
        operations = ["subtract", "union", "union", "subtract", "union", "intersect", "union", "intersect"]
        beside, around = Path([[90.0, 5.0, 5.0]], [2.0]), Path([[3.0, 4.0, 6.0]], [40.0])
        sweeps = [[each] for each in (beside, beside, path(rng, 3, 2.0), path(rng, 2, 1.0), around, around)]
        sweeps += [[path(rng, 2, 2.0)], [beside]]
    return list(zip(operations, [Sweep.from_paths(each) for each in sweeps], strict=True))


def start():
    return np.random.default_rng(12).random(GRID.shape) < 0.6


@cache
def distances(kind):
    """(S, Z, Y, X): of the voxel centres from each sweep, in voxels; none is too near to 0 to tell."""
    z, y, x = np.meshgrid(*map(np.arange, GRID.shape), indexing="ij")
    centres = GRID.origin + (np.stack([x, y, z], axis=-1) + 0.5) * GRID.voxel_size
    found = np.array([segment_distances(centres, sweep).min(axis=0) for _, sweep in queue(kind)]) / GRID.voxel_size
    assert np.abs(found).min() > 1e-5
    return found


@cache
def expected(kind, first=0, stop=GRID.shape[0]):
    """Some layers after each sweep, from the definition, and the counts."""
    occupancy, removed = start()[first:stop], []
    for (operation, _), distance in zip(queue(kind), distances(kind)[:, first:stop], strict=True):
        inside = distance <= 0
        before = np.count_nonzero(occupancy)
        if operation == "subtract":
            occupancy = occupancy & ~inside
        else:
            occupancy = occupancy | inside if operation == "union" else occupancy & inside
        removed.append(int(before - np.count_nonzero(occupancy)))
    return occupancy, removed


def combine(occupancy, kind, backend, byte_budget=2**31, **options):
    with CarveSession(occupancy, GRID, backend, byte_budget, **options) as session:
        for operation, sweep in queue(kind):
            session.queue(operation, sweep)
    return session.removed


KINDS = ["mixed", "one segment each", "beside and around"]


def test_what_is_expected_has_all_that_can_happen():
    for kind in KINDS:
        occupancy, removed = expected(kind)
        assert min(removed) < 0 < max(removed)
        assert kind == "beside and around" or 0.02 < occupancy.mean() < 0.9
    assert expected("beside and around")[1][:2] == [0, 0]
    assert expected("beside and around")[1][5] == 0 < expected("beside and around")[1][7]


@pytest.mark.parametrize("byte_budget", BUDGETS)
@pytest.mark.parametrize("kind", KINDS)
def test_as_by_brute_force(backend, kind, byte_budget):
    occupancy = start()
    removed = combine(occupancy, kind, backend, byte_budget)
    assert removed == expected(kind)[1]
    assert np.array_equal(occupancy, expected(kind)[0])


@pytest.mark.parametrize(("first", "stop"), [(0, 29), (5, 6), (3, 22), (16, 24)])
@pytest.mark.parametrize("byte_budget", [12 * 20 * 27, 2**31])
def test_some_layers_of_a_grid(backend, byte_budget, first, stop):
    occupancy = start()[first:stop].copy()
    removed = combine(occupancy, "mixed", backend, byte_budget, first_layer=first)
    assert removed == expected("mixed", first, stop)[1]
    assert np.array_equal(occupancy, expected("mixed", first, stop)[0])


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("byte_budget", [12 * 20 * 27, 2**31])
def test_an_array_on_the_device(kind, byte_budget):
    for backend in (WarpBackend("cpu"), WarpBackend("cpu", "cpu")):
        given = wp.array(start(), dtype=wp.bool, device="cpu")
        assert combine(given, kind, backend, byte_budget) == expected(kind)[1]
        assert np.array_equal(given.numpy(), expected(kind)[0])


def test_views_with_strides(backend):
    whole = np.ones((27 * 2, 29, 20), dtype=bool)
    view = whole[::-2].transpose(1, 2, 0)
    view[:] = start()
    assert combine(view, "mixed", backend, 60_000) == expected("mixed")[1]
    assert np.array_equal(view, expected("mixed")[0])
    assert whole[::2].all()


def test_order_matters_and_is_kept(backend):
    """The same sweeps, the other way round, leave other voxels."""
    occupancy = start()
    with CarveSession(occupancy, GRID, backend) as session:
        for operation, sweep in queue("one segment each")[::-1]:
            session.queue(operation, sweep)
    assert not np.array_equal(occupancy, expected("one segment each")[0])


@pytest.mark.parametrize("voxels", [1, 8 * 8 * 27 * 8, 3 * 8 * 24 * 32])
def test_small_blocks_of_bricks(monkeypatch, voxels):
    monkeypatch.setattr(numba_sweeps, "VOXELS_PER_BLOCK", voxels)
    occupancy = start()
    assert combine(occupancy, "mixed", "cpu") == expected("mixed")[1]
    assert np.array_equal(occupancy, expected("mixed")[0])


def test_small_launches(monkeypatch):
    monkeypatch.setattr(warp_pairs, "BRICKS_PER_LAUNCH", 5)
    monkeypatch.setattr(warp_pairs, "BYTES_PER_LAUNCH", 10_000)
    occupancy = start()
    assert combine(occupancy, "mixed", WarpBackend("cpu")) == expected("mixed")[1]
    assert np.array_equal(occupancy, expected("mixed")[0])


def counts_of(count, devices=1, lent=False):
    """What a session of that many sweeps, and two that reach all slabs, uploads, launches and downloads."""
    backend, occupancy = WarpBackend(*["cpu"] * devices), start()
    given = wp.array(occupancy, dtype=wp.bool, device="cpu") if lent else occupancy
    with CarveSession(given, GRID, backend) as session:
        for _, sweep in queue("one segment each")[:count]:
            session.subtract(sweep)
        for x in (2.0, 3.0):
            session.subtract(Path([[x, 4.0, 2.0], [x, 4.0, 11.0]], [1.0]))
        backend._counts.clear()
    assert len(session.removed) == count + 2
    return backend.counts()


def test_uploads_launches_and_downloads_do_not_grow_with_the_sweeps():
    """The voxels, the segments, and what the sweeps do in each brick and by which segments go up, and the voxels and
    the counts come down, once a slab; two launches are needed: the numbers of the pairs, and all sweeps."""
    expected = {"launches": 2, "uploads": 4, "downloads": 2, "copies": 0, "waits": 0}
    assert counts_of(1) == counts_of(36) == expected
    # A slab for each device.
    assert counts_of(1, devices=4) == counts_of(36, devices=4) == {name: 4 * each for name, each in expected.items()}
    assert counts_of(36, lent=True) == expected | {"uploads": 3, "downloads": 1}


def test_slabs_are_dealt_out_among_devices():
    backend = WarpBackend("cpu", "cpu", "cpu")
    used, hold = [], backend.hold

    def watched(*arguments):
        slab = hold(*arguments)
        used.append((slab.device, slab.voxels.shape[0]))
        return slab

    backend.hold = watched
    occupancy = start()
    assert combine(occupancy, "mixed", backend, 2 * 3 * 8 * 20 * 27) == expected("mixed")[1]
    assert np.array_equal(occupancy, expected("mixed")[0])
    assert used == [(backend._devices[number % 3], 8 if number < 3 else 5) for number in range(4)]


def test_a_backend_with_the_operations_of_the_protocol_alone():
    class Plain:
        """Brings what `DenseBackend` asks for, and no more."""

        name, device = "plain", "wood"

        def __init__(self):
            self.calls, scipy = 0, ScipyBackend()
            for operation in ("boolean", "dilate", "voxelize_mesh", "bin_segments", "subtract_sweep"):
                setattr(self, operation, getattr(scipy, operation))
            self._subtract = scipy.subtract_segments

        def subtract_segments(self, *arguments):
            self.calls += 1
            return self._subtract(*arguments)

        def subtract_swept_capsule(self, *arguments):
            raise NotImplementedError

    plain, occupancy = Plain(), start()
    assert get_dense_backend(plain) is plain
    assert combine(occupancy, "mixed", plain, 60_000) == expected("mixed")[1]
    assert np.array_equal(occupancy, expected("mixed")[0])
    assert plain.calls >= len(queue("mixed"))
