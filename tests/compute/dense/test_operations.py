"""Operations on occupancies of any kind: the same voxels for every kind, budget and form, without needless copies."""

import tracemalloc

import numpy as np
import pytest

from tests.compute.arrays.stand_ins import KINDS, Chunked, OnDevice, of_kind
from tests.shapes import box, hemisphere, sphere
from voxel_carve.compute import (
    CarveSession,
    Grid,
    InputError,
    Path,
    Sweep,
    boolean,
    dilate,
    get_backend,
    occupancy_surface,
    sweep,
    voxelize,
)

GRID = Grid([-1.2, -1.1, -1.3], 0.11, (27, 22, 25))
KERNEL = np.random.default_rng(3).random((5, 3, 7)) < 0.4
PATH = Path([[-1.0, 0.0, -1.2], [0.5, 0.4, 0.3], [1.0, -0.8, 1.3]], [0.3, 0.5, 0.2])
BUDGETS = [1, 5 * 22 * 25, 40 * 22 * 25, 2**31]  # a layer, some, some bricks, all


def random_voxels(seed):
    return np.random.default_rng(seed).random(GRID.shape) < 0.5


@pytest.fixture(scope="module")
def cpu():
    return get_backend("cpu")


def swept(occupancy, operation, cpu):
    """What an operation with the sweep leaves, from one subtraction of it from a full grid."""
    rest = np.ones(GRID.shape, dtype=bool)
    cpu.subtract_sweep(rest, GRID, Sweep.of(PATH))
    return {"subtract": occupancy & rest, "union": occupancy | ~rest, "intersect": occupancy & ~rest}[operation]


@pytest.mark.parametrize("byte_budget", BUDGETS)
@pytest.mark.parametrize("operation", ["union", "intersect", "subtract"])
def test_boolean(cpu, operation, byte_budget):
    a, b = random_voxels(1), random_voxels(2)
    expected = {"union": a | b, "intersect": a & b, "subtract": a & ~b}[operation]
    found = boolean(operation, a, b, backend=cpu, byte_budget=byte_budget)
    assert np.array_equal(found, expected)
    assert np.array_equal(a, random_voxels(1))
    assert boolean(operation, a, b, out=a, backend=cpu, byte_budget=byte_budget) is a
    assert np.array_equal(a, expected)


@pytest.mark.parametrize("byte_budget", BUDGETS)
def test_dilate(cpu, byte_budget):
    occupancy = np.random.default_rng(4).random(GRID.shape) < 0.01
    expected = cpu.dilate(occupancy, KERNEL)
    assert np.array_equal(dilate(occupancy, KERNEL, backend=cpu, byte_budget=byte_budget), expected)
    assert dilate(occupancy, KERNEL, out=occupancy, backend=cpu, byte_budget=byte_budget) is occupancy
    assert np.array_equal(occupancy, expected)


@pytest.mark.parametrize("byte_budget", BUDGETS)
@pytest.mark.parametrize("mesh", [box((-1, -0.99, -1.08)), sphere(), hemisphere()], ids=["box", "sphere", "open"])
def test_voxelize(cpu, mesh, byte_budget):
    expected = cpu.voxelize_mesh(mesh, GRID)
    assert expected.any() and not expected.all()
    assert np.array_equal(voxelize(mesh, GRID, backend=cpu, byte_budget=byte_budget), expected)
    out = random_voxels(5)
    assert voxelize(mesh, GRID, out=out, backend=cpu, byte_budget=byte_budget) is out
    assert np.array_equal(out, expected)


def test_voxelize_fills_a_hole_that_reaches_into_the_last_layers(cpu):
    """These are less than a brick, and would be a slab of their own."""
    grid, outer, inner = Grid([0, 0, 0], 1.0, (27, 12, 12)), box((1, 1, 1), (11, 11, 26)), box((3, 3, 3), (9, 9, 25))
    points = np.concatenate([outer.points, inner.points])
    hollow = (points, np.concatenate([outer.triangles, inner.triangles[:, ::-1] + 8]))
    assert voxelize(hollow, grid, backend=cpu).sum() == 10 * 10 * 25 - 6 * 6 * 22
    assert voxelize(hollow, grid, fill_holes=True, backend=cpu).sum() == 10 * 10 * 25


def test_voxelize_fills_holes_whatever_the_budget(cpu):
    shell = box((-1, -1, -1), (1, 1, 1)), box((-0.5, -0.5, -0.5), (0.5, 0.5, 0.5))
    points = np.concatenate([each.points for each in shell])
    hollow = (points, np.concatenate([shell[0].triangles, shell[1].triangles[:, ::-1] + 8]))
    expected = cpu.voxelize_mesh(box((-1, -1, -1), (1, 1, 1)), GRID)
    assert voxelize(hollow, GRID, backend=cpu).sum() < expected.sum()
    assert np.array_equal(voxelize(hollow, GRID, fill_holes=True, backend=cpu, byte_budget=1), expected)


@pytest.mark.parametrize("byte_budget", BUDGETS)
@pytest.mark.parametrize("operation", ["union", "intersect", "subtract"])
def test_sweep(cpu, operation, byte_budget):
    occupancy = random_voxels(6)
    expected = swept(occupancy, operation, cpu)
    assert np.array_equal(sweep(occupancy, GRID, PATH, operation, backend=cpu, byte_budget=byte_budget), expected)
    assert np.array_equal(occupancy, random_voxels(6))
    out = np.zeros(GRID.shape, dtype=bool)
    assert sweep(occupancy, GRID, PATH, operation, out=out, backend=cpu, byte_budget=byte_budget) is out
    assert np.array_equal(out, expected)
    assert sweep(occupancy, GRID, PATH, operation, out=occupancy, backend=cpu, byte_budget=byte_budget) is occupancy
    assert np.array_equal(occupancy, expected)


@pytest.mark.parametrize("byte_budget", BUDGETS)
@pytest.mark.parametrize("operation", ["union", "intersect", "subtract"])
def test_layers_of_a_grid_become_what_they_are_in_the_whole(cpu, operation, byte_budget):
    occupancy, options = random_voxels(6), {"backend": cpu, "byte_budget": byte_budget}
    expected = swept(occupancy, operation, cpu)
    for first, stop in ((0, 5), (5, 14), (14, 27)):
        part = occupancy[first:stop]
        found = sweep(part, GRID, PATH, operation, first_layer=first, **options)
        assert np.array_equal(found, expected[first:stop])
        with CarveSession(part, GRID, cpu, byte_budget, first_layer=first) as session:
            session.queue(operation, PATH)
        assert session.removed == [int(random_voxels(6)[first:stop].sum()) - int(found.sum())]
    assert np.array_equal(occupancy, expected)


@pytest.mark.parametrize("byte_budget", BUDGETS)
def test_a_session_keeps_the_order_of_its_sweeps(cpu, byte_budget):
    occupancy, far = random_voxels(7), Path([[0.0, 0.0, 0.0]], [0.9])
    counts, expected = [], occupancy.copy()
    with CarveSession(occupancy, GRID, cpu, byte_budget) as session:
        assert [session.subtract(PATH), session.add(far), session.intersect(PATH), session.add(PATH)] == [0, 1, 2, 3]
    for operation, path in (("subtract", PATH), ("union", far), ("intersect", PATH), ("union", PATH)):
        before = expected.copy()
        sweep(before, GRID, path, operation, out=expected, backend=cpu)
        counts.append(int(before.sum()) - int(expected.sum()))
    assert np.array_equal(occupancy, expected)
    assert session.removed == counts
    assert counts[0] > 0 > counts[1] and counts[2] > 0 > counts[3]


def test_a_failure_while_voxels_are_added_leaves_none_of_them_turned_over(cpu):
    class Failing:
        def __getattr__(self, name):
            if name == "hold":
                raise AttributeError(name)
            return getattr(cpu, name)

        def subtract_segments(self, *_):
            raise RuntimeError("the device is gone")

    occupancy = random_voxels(8)
    session = CarveSession(occupancy, GRID, Failing())
    session.add(PATH)
    with pytest.raises(RuntimeError, match="gone"):
        session.flush()
    assert np.array_equal(occupancy, random_voxels(8))


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_array_gives_the_same_voxels(cpu, kind, tmp_path):
    given, kernel = of_kind(kind, random_voxels(9), tmp_path / "a"), of_kind(kind, KERNEL, tmp_path / "kernel")
    a, b = random_voxels(9), random_voxels(10)
    for byte_budget in (5 * 22 * 25, 2**31):
        found = boolean("subtract", given, b, backend=cpu, byte_budget=byte_budget)
        assert np.array_equal(np.asarray(found), a & ~b)
        assert np.array_equal(np.asarray(dilate(given, kernel, backend=cpu)), cpu.dilate(a, KERNEL))
        expected = swept(a, "intersect", cpu)
        assert np.array_equal(np.asarray(sweep(given, GRID, PATH, "intersect", backend=cpu)), expected)
    assert len(occupancy_surface(given, GRID).faces) == len(occupancy_surface(a, GRID).faces)


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_array_is_carved_in_place(cpu, kind, tmp_path):
    given, b = of_kind(kind, random_voxels(11), tmp_path / "a"), random_voxels(12)
    expected = swept(random_voxels(11), "subtract", cpu)
    with CarveSession(given, GRID, cpu, 5 * 22 * 25) as session:
        session.subtract(PATH)
    assert session.removed == [random_voxels(11).sum() - expected.sum()]
    assert np.array_equal(np.asarray(given).astype(bool), expected)
    assert boolean("union", given, b, out=given, backend=cpu) is given
    assert np.array_equal(np.asarray(given).astype(bool), expected | b)


def test_the_type_that_came_in_comes_back(cpu):
    a = random_voxels(13).view(np.uint8)
    for found in (boolean("union", a, a, backend=cpu), dilate(a, KERNEL, backend=cpu), sweep(a, GRID, PATH)):
        assert type(found) is np.ndarray and found.dtype == np.uint8


def test_stored_arrays_take_no_more_than_twice_the_budget(cpu):
    """In pieces, as Zarr keeps them, here on the other side of what is measured."""
    shape, budget = (512, 256, 256), 6 << 20
    grid = Grid([0.0, 0.0, 0.0], 1.0, shape)
    rng = np.random.default_rng(14)
    a, b, out = (Chunked(rng.integers(0, 2, shape, dtype=np.uint8).view(bool)) for _ in range(3))
    path = Path([[20.0, 20.0, 20.0], [200.0, 230.0, 480.0]], [12.0, 30.0])
    kernel = np.ones((3, 3, 3), dtype=bool)
    works = {
        "boolean": lambda: boolean("union", a, b, out=out, backend=cpu, byte_budget=budget),
        "dilate": lambda: dilate(a, kernel, out=out, backend=cpu, byte_budget=budget),
        "sweep": lambda: sweep(a, grid, path, "intersect", out=out, backend=cpu, byte_budget=budget),
        "in place": lambda: sweep(out, grid, path, "union", out=out, backend=cpu, byte_budget=budget),
    }
    for name, work in works.items():
        tracemalloc.start()
        work()
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert peak < 2 * budget, f"{name}: {peak / 2**20:.1f} MiB"


def test_bad_input(cpu):
    a = random_voxels(15)
    locked = a.copy()
    locked.flags.writeable = False
    refused = [
        (lambda: boolean("union", a, a[1:]), "shapes .* cannot be combined"),
        (lambda: boolean("xor", a, a, backend=cpu), "unknown operation 'xor'"),
        (lambda: boolean("union", a.astype(np.float32), a), "this one is of float32"),
        (lambda: boolean("union", a[0], a[0]), r"the axes \(Z, Y, X\)"),
        (lambda: boolean("union", a, a, out=locked), "read-only"),
        (lambda: boolean("union", a, a, out=a[1:]), "cannot be combined"),
        (lambda: boolean("union", a, a, out=a.tolist()), "this one is a list"),
        (lambda: boolean("union", a, a, byte_budget=0), "must be positive"),
        (lambda: boolean("union", [[[True], [True, False]]], a), "must be an array"),
        (lambda: dilate(a, KERNEL[1:], backend=cpu), "odd sides"),
        (lambda: sweep(a, GRID, PATH, "xor"), "unknown operation 'xor'"),
        (lambda: sweep(a[1:], GRID, PATH), "does not fit"),
        (lambda: sweep(a[1:], GRID, PATH, first_layer=2), "does not fit .* from layer 2 on"),
        (lambda: sweep(a[1:], GRID, PATH, first_layer=-1), "does not fit .* from layer -1 on"),
        (lambda: sweep(a[1:, :-1], GRID, PATH, first_layer=0), "does not fit .* from layer 0 on"),
        (lambda: sweep(a.astype(np.uint8) * 2, GRID, PATH), "nothing but 0 and 1"),
        (lambda: CarveSession(locked, GRID), "read-only"),
        (lambda: CarveSession(Chunked(a, read_only=True), GRID), "read-only"),
        (lambda: CarveSession(OnDevice(a), GRID), "memory of another device"),
        (lambda: cpu.subtract_sweep(Chunked(a), GRID, Sweep.of(PATH)), "a CarveSession"),
        (lambda: cpu.boolean("union", a.tolist(), a), "take others"),
    ]
    for ask, message in refused:
        with pytest.raises(InputError, match=message):
            ask()
