"""Arrays in the memory of the backend's own device: worked on where they lie, in the order of their stream.

Without a graphics card, Warp's CPU device stands in for it, and stand-ins for the streams.
"""

from types import SimpleNamespace

import numpy as np
import pytest

from tests.compute.arrays.stand_ins import OnDevice
from tests.shapes import sphere
from voxel_carve.compute import (
    CarveSession,
    Grid,
    InputError,
    Path,
    boolean,
    dilate,
    get_dense_backend,
    sweep,
    voxelize,
)
from voxel_carve.compute.engines.warp.backend import WarpBackend
from voxel_carve.compute.engines.warp.field.lent import in_order

wp = pytest.importorskip("warp")

GRID = Grid([-1.2, -1.1, -1.3], 0.11, (27, 22, 25))
PATH = Path([[-1.0, 0.0, -1.2], [0.5, 0.4, 0.3], [1.0, -0.8, 1.3]], [0.3, 0.5, 0.2])
FAR = Path([[0.0, 0.0, 0.0]], [0.9])
OUTSIDE = Path([[9.0, 9.0, 9.0]], [0.3])
KERNEL = np.random.default_rng(3).random((5, 3, 7)) < 0.4


@pytest.fixture(scope="module", params=["cpu", pytest.param("cuda", marks=pytest.mark.cuda)])
def backend(request):
    return WarpBackend(request.param)


@pytest.fixture(scope="module")
def cpu():
    return get_dense_backend("cpu")


def voxels(seed, density=0.5):
    return np.random.default_rng(seed).random(GRID.shape) < density


def lent(backend, array):
    """A copy of an array on the device."""
    kind = wp.bool if array.dtype == bool else wp.uint8
    return wp.array(array, dtype=kind, device=backend._first.found)


def new(backend, array):
    """The voxels of a result, which is on the device."""
    assert isinstance(array, wp.array) and array.device == backend._first.found
    return array.numpy()


@pytest.mark.parametrize("operation", ["union", "intersect", "subtract"])
def test_boolean_copies_nothing(backend, cpu, operation):
    a, b = lent(backend, voxels(1)), lent(backend, voxels(2))
    expected = boolean(operation, voxels(1), voxels(2), backend=cpu)
    backend._counts.clear()
    found = boolean(operation, a, b, backend=backend)
    place = a.ptr
    assert boolean(operation, a, b, out=a, backend=backend, byte_budget=1) is a and a.ptr == place
    counts = backend.counts()
    assert counts["launches"] == 2 and counts["copies"] == 1  # the second result into `out`
    assert counts["uploads"] == counts["downloads"] == counts["waits"] == 0
    assert np.array_equal(new(backend, found), expected) and np.array_equal(a.numpy(), expected)


def test_dilate(backend, cpu):
    given, out = lent(backend, voxels(3, 0.01)), lent(backend, voxels(4))
    expected = dilate(voxels(3, 0.01), KERNEL, backend=cpu)
    assert np.array_equal(new(backend, dilate(given, KERNEL, backend=backend)), expected)
    assert dilate(given, lent(backend, KERNEL), out=out, backend=backend) is out
    assert np.array_equal(out.numpy(), expected)
    assert np.array_equal(dilate(given, KERNEL, out=given, backend=backend).numpy(), expected)


def test_voxelize_into_an_array(backend, cpu):
    out = lent(backend, voxels(5))
    assert voxelize(sphere(), GRID, out=out, backend=backend) is out
    assert np.array_equal(out.numpy(), voxelize(sphere(), GRID, backend=cpu))


@pytest.mark.parametrize("byte_budget", [5 * 22 * 25, 2**31])
@pytest.mark.parametrize("operation", ["union", "intersect", "subtract"])
def test_sweep(backend, cpu, operation, byte_budget):
    given, expected = lent(backend, voxels(6)), sweep(voxels(6), GRID, PATH, operation, backend=cpu)
    found = sweep(given, GRID, PATH, operation, backend=backend, byte_budget=byte_budget)
    assert np.array_equal(new(backend, found), expected)
    assert np.array_equal(given.numpy(), voxels(6))
    out = lent(backend, voxels(7))
    assert sweep(given, GRID, PATH, operation, out=out, backend=backend) is out
    assert np.array_equal(out.numpy(), expected)
    assert sweep(given, GRID, PATH, operation, out=given, backend=backend) is given
    assert np.array_equal(given.numpy(), expected)


@pytest.mark.parametrize("byte_budget", [5 * 22 * 25, 2**31])
def test_a_session_carves_the_array_itself_and_counts(backend, cpu, byte_budget):
    given, host = lent(backend, voxels(8)), voxels(8)
    removed = []
    for array, used in ((given, backend), (host, cpu)):
        with CarveSession(array, GRID, used, byte_budget) as session:
            session.subtract(PATH)
            session.add(FAR)
            session.add(OUTSIDE)
            session.intersect(PATH)
            session.intersect(FAR)
        removed.append(session.removed)
    assert np.array_equal(given.numpy(), host) and removed[0] == removed[1]


def test_views_with_strides_are_carved_through(backend, cpu):
    whole = lent(backend, np.ones((22, 25, 54), dtype=bool))
    view = whole.transpose([2, 0, 1])[0:27]
    with CarveSession(view, GRID, backend) as session:
        session.subtract(PATH)
    expected = sweep(np.ones(GRID.shape, dtype=bool), GRID, PATH, backend=cpu)
    assert np.array_equal(whole.numpy().transpose(2, 0, 1)[:27], expected)
    assert whole.numpy().transpose(2, 0, 1)[27:].all()


def test_bytes_stay_bytes_and_hold_nothing_but_0_and_1(backend):
    a, b = (lent(backend, voxels(seed).astype(np.uint8)) for seed in (1, 2))
    found = boolean("union", a, b, backend=backend)
    assert found.dtype is wp.uint8 and np.array_equal(found.numpy(), voxels(1) | voxels(2))
    with pytest.raises(InputError, match="nothing but 0 and 1"):
        boolean("union", lent(backend, np.full(GRID.shape, 2, dtype=np.uint8)), b, backend=backend)


def test_the_host_and_the_device_may_be_mixed(backend, cpu):
    a, b = voxels(1), lent(backend, voxels(2))
    expected = boolean("subtract", voxels(1), voxels(2), backend=cpu)
    assert np.array_equal(boolean("subtract", a, b, backend=backend, byte_budget=1000), expected)
    assert np.array_equal(new(backend, boolean("intersect", b, a, backend=backend)), voxels(1) & voxels(2))
    assert np.array_equal(boolean("intersect", b, a, out=a, backend=backend), voxels(1) & voxels(2))


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (np.ones((27, 22), dtype=np.uint8), "axes"),
        (np.ones((2, 2, 2), dtype=np.float32), "this one is of float32"),
        (np.ones((2, 2, 2), dtype=bool), "does not fit"),
    ],
)
def test_what_is_no_occupancy_of_the_grid_is_refused(backend, given, message):
    array = wp.array(given, device=backend._first.found)
    with pytest.raises(InputError, match=message):
        CarveSession(array, GRID, backend)


def test_a_card_and_the_backend_cpu_do_not_go_together(cpu):
    with pytest.raises(InputError, match="memory of another device"):
        sweep(OnDevice(voxels(1)), GRID, PATH, backend=cpu)
    for used in (cpu, WarpBackend("cpu")):
        with pytest.raises(InputError, match="a stream orders work on a graphics card"):
            sweep(voxels(1), GRID, PATH, backend=used, stream=0)


class Card:
    """Stands in for Warp with two cards, and for a device of a backend on the first of them. Keeps what waits."""

    class array:  # noqa: N801 - as Warp has it
        """No array here is one of Warp's."""

    def __init__(self):
        self.log, self.wp = [], self
        self.places = [SimpleNamespace(is_cuda=True, alias=f"cuda:{number}") for number in range(2)]
        self.found = self.places[0]
        self.found.stream = self.Stream(self.found, 5)

    def get_cuda_device(self, number=0):
        return self.places[number]

    def Stream(self, place, cuda_stream):  # noqa: N802 - as Warp has it
        stream = SimpleNamespace(name=cuda_stream)
        stream.wait_stream = lambda other: self.log.append((stream.name, "after", other.name))
        return stream

    def wait(self):
        self.log.append("the host waits")


def interface(**told):
    return SimpleNamespace(__cuda_array_interface__={"data": (4096, False)} | told)


@pytest.mark.parametrize(
    ("array", "stream", "before", "after"),
    [
        (OnDevice(voxels(1)), 9, (5, "after", 9), (9, "after", 5)),
        (OnDevice(voxels(1)), 0, (5, "after", None), (None, "after", 5)),  # None is Warp's default stream
        (interface(stream=7), None, (5, "after", 7), (7, "after", 5)),
        (interface(stream=7), SimpleNamespace(cuda_stream=9), (5, "after", 9), (9, "after", 5)),
        (interface(), None, None, "the host waits"),
    ],
)
def test_work_is_ordered_with_the_stream_of_an_array(array, stream, before, after):
    card = Card()
    with in_order([card], [None, voxels(1), array], stream):
        assert card.log == ([before] if before else [])
    assert card.log == ([before, after] if before else [after])


def test_the_stream_goes_on_after_the_work_if_that_fails():
    card = Card()
    with pytest.raises(RuntimeError), in_order([card], [interface(stream=7)], None):
        raise RuntimeError
    assert card.log == [(5, "after", 7), (7, "after", 5)]


def test_an_array_on_a_card_of_which_the_backend_knows_nothing_is_refused():
    array = SimpleNamespace(__dlpack_device__=lambda: (2, 1))
    with pytest.raises(InputError, match="lies on cuda:1, where this backend does not work: choose the backend cuda:1"):
        in_order([Card()], [array], None).__enter__()
