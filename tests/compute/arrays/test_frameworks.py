"""Arrays of the libraries themselves, where they are installed: `dev.py arrays` sees to that.

CuPy is not among them: it can be imported without a graphics card, but makes no array. What it speaks is tested by the
stand-ins.
"""

from typing import Any

import numpy as np
import pytest

from tests.shapes import box
from voxel_carve.compute import CarveSession, Grid, InputError, Path, Sweep, TriMesh, boolean, dilate, sweep, voxelize
from voxel_carve.compute.arrays import given_back, host_array

GRID = Grid([0.0, 0.0, 0.0], 1.0, (20, 21, 22))
PATH = Path([[3.0, 4.0, 5.0], [18.0, 15.0, 14.0]], [3.0, 5.0])
KERNEL = np.ones((3, 3, 3), dtype=bool)


def voxels(seed):
    return np.random.default_rng(seed).random(GRID.shape) < 0.5


def address(array: Any) -> int:
    """Where numpy sees the memory of an array."""
    return int(host_array(array, "it").__array_interface__["data"][0])


class Torch:
    """PyTorch on the CPU."""

    module = "torch"

    def of(self, array):
        return pytest.importorskip("torch").from_numpy(array.copy())

    def address(self, array):
        return array.data_ptr()


class Jax:
    """JAX on the CPU, whose arrays never change."""

    module = "jax"

    def of(self, array):
        return pytest.importorskip("jax").numpy.asarray(array)

    def address(self, array):
        return array.unsafe_buffer_pointer()


class Warp:
    """Warp's CPU device."""

    module = "warp"

    def of(self, array):
        warp = pytest.importorskip("warp")
        kinds = {"bool": warp.bool, "uint8": warp.uint8, "int32": warp.int32, "float32": warp.float32}
        return warp.array(array, dtype=kinds[str(array.dtype)], device="cpu")

    def address(self, array):
        return array.ptr


class Paddle:
    """PaddlePaddle on the CPU."""

    module = "paddle"

    def of(self, array):
        return pytest.importorskip("paddle").to_tensor(array)

    def address(self, array):
        return array.data_ptr()


LIBRARIES = [Torch(), Jax(), Warp(), Paddle()]
each_library = pytest.mark.parametrize("library", LIBRARIES, ids=lambda each: each.module)
changing = pytest.mark.parametrize("library", [LIBRARIES[0], *LIBRARIES[2:]], ids=lambda each: each.module)


@each_library
def test_an_array_is_read_where_it_lies(library):
    given = library.of(voxels(1))
    assert address(given) == library.address(given)
    assert np.array_equal(host_array(given, "it"), voxels(1))


@each_library
def test_results_are_of_the_kind_that_came_in(library):
    a, b = library.of(voxels(1)), library.of(voxels(2))
    for found, expected in (
        (boolean("union", a, b), voxels(1) | voxels(2)),
        (dilate(a, library.of(KERNEL)), dilate(voxels(1), KERNEL)),
        (sweep(a, GRID, PATH), sweep(voxels(1), GRID, PATH)),
        (sweep(a, GRID, PATH, "union"), sweep(voxels(1), GRID, PATH, "union")),
    ):
        assert type(found) is type(a)
        assert np.array_equal(np.asarray(host_array(found, "it")), expected)


@changing
def test_a_result_is_given_back_without_a_copy(library):
    library.of(voxels(1))  # skips where there is none
    found = voxels(3)
    assert library.address(given_back(found, library.of(voxels(1)))) == found.__array_interface__["data"][0]


@changing
def test_an_array_is_carved_where_it_lies(library):
    given = library.of(voxels(4))
    before = library.address(given)
    with CarveSession(given, GRID) as session:
        session.subtract(PATH)
    assert library.address(given) == before
    assert np.array_equal(host_array(given, "it"), sweep(voxels(4), GRID, PATH))
    assert boolean("union", given, given, out=given) is given


@each_library
def test_meshes_and_sweeps_are_made_of_them(library):
    mesh = box((2, 2, 2), (15, 16, 17))
    points, triangles = library.of(mesh.points.astype(np.float32)), library.of(mesh.triangles)
    same = TriMesh(points, triangles)
    assert np.array_equal(same.points, mesh.points)
    assert np.array_equal(same.triangles, mesh.triangles)
    made = Sweep.of((library.of(PATH.points.astype(np.float32)), library.of(PATH.radii.astype(np.float32))))
    assert np.array_equal(made.start, PATH.points[:1])
    found = voxelize((points, triangles), GRID)
    assert type(found) is type(points)
    assert np.array_equal(host_array(found, "it"), voxelize(mesh, GRID))


def test_bytes_of_pytorch_stay_bytes():
    torch = pytest.importorskip("torch")
    given = torch.from_numpy(voxels(5).astype(np.uint8))
    assert boolean("union", given, given).dtype == torch.uint8


def test_views_of_pytorch_are_carved_through():
    torch = pytest.importorskip("torch")
    whole = torch.ones((22, 40, 21), dtype=torch.bool)
    view = whole[:, ::2].permute(1, 2, 0)
    assert sweep(view, GRID, PATH, out=view) is view
    assert np.array_equal(view.numpy(), sweep(np.ones(GRID.shape, dtype=bool), GRID, PATH))
    assert bool(whole[:, 1::2].all())


def test_what_a_library_does_not_allow_is_refused_with_the_remedy():
    torch, jax = pytest.importorskip("torch"), pytest.importorskip("jax")
    with pytest.raises(InputError, match=r"needs its gradient: pass array\.detach\(\)"):
        TriMesh(torch.zeros(3, 3, requires_grad=True), [[0, 1, 2]])
    with pytest.raises(InputError, match=r"memory of another device: pass array\.cpu\(\)"):
        boolean("union", torch.ones(GRID.shape, dtype=torch.bool, device="meta"), voxels(6))
    with pytest.raises(InputError, match="read-only"):
        CarveSession(jax.numpy.ones(GRID.shape, dtype=bool), GRID)
    with pytest.raises(InputError, match="this one is of float32"):
        boolean("union", torch.ones(GRID.shape), voxels(6))

    @jax.jit
    def traced(occupancy):
        return boolean("union", occupancy, occupancy)

    with pytest.raises(InputError, match="cannot be read as an array"):
        traced(jax.numpy.ones(GRID.shape, dtype=bool))


def test_views_of_paddle_are_carved_through_and_gradients_refused():
    paddle = pytest.importorskip("paddle")
    whole = paddle.ones((22, 20, 21), dtype=paddle.bool)
    view = whole.transpose([1, 2, 0])
    assert sweep(view, GRID, PATH, out=view) is view
    assert np.array_equal(whole.numpy().transpose(1, 2, 0), sweep(np.ones(GRID.shape, dtype=bool), GRID, PATH))
    with pytest.raises(InputError, match=r"needs its gradient: pass array\.detach\(\)"):
        TriMesh(paddle.to_tensor(np.zeros((3, 3)), stop_gradient=False), [[0, 1, 2]])


@pytest.mark.parametrize("byte_budget", [3 * 21 * 22, 2**31])
@pytest.mark.parametrize("kind", ["zarr", "h5py"])
@pytest.mark.parametrize("dtype", ["bool", "uint8"])
def test_stored_arrays_are_carved_in_pieces(kind, dtype, byte_budget, tmp_path):
    library = pytest.importorskip(kind)
    if kind == "zarr":
        stored = library.create_array(store=str(tmp_path / "a.zarr"), shape=GRID.shape, chunks=(4, 8, 8), dtype=dtype)
    else:
        stored = library.File(tmp_path / "a.h5", "w").create_dataset("a", GRID.shape, dtype, chunks=(4, 8, 8))
    stored[:] = voxels(7)
    with CarveSession(stored, GRID, byte_budget=byte_budget) as session:
        session.subtract(PATH)
        session.add(Path([[10.0, 10.0, 10.0]], [4.0]))
    expected = sweep(voxels(7), GRID, PATH)
    sweep(expected, GRID, Path([[10.0, 10.0, 10.0]], [4.0]), "union", out=expected)
    assert np.array_equal(np.asarray(stored).astype(bool), expected)
    found = boolean("subtract", stored, voxels(8), byte_budget=byte_budget)
    assert np.array_equal(np.asarray(found).astype(bool), expected & ~voxels(8))
    assert dilate(voxels(9), KERNEL, out=stored, byte_budget=byte_budget) is stored
    assert np.array_equal(np.asarray(stored).astype(bool), dilate(voxels(9), KERNEL))


def test_files_opened_for_reading_are_refused(tmp_path):
    h5py, zarr = pytest.importorskip("h5py"), pytest.importorskip("zarr")
    with h5py.File(tmp_path / "a.h5", "w") as file:
        file.create_dataset("a", GRID.shape, bool)
    zarr.create_array(store=str(tmp_path / "a.zarr"), shape=GRID.shape, chunks=(4, 8, 8), dtype=bool)
    for stored in (h5py.File(tmp_path / "a.h5")["a"], zarr.open_array(str(tmp_path / "a.zarr"), mode="r")):
        with pytest.raises(InputError, match="read-only"):
            CarveSession(stored, GRID)
