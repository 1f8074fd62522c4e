"""The Warp backend against the CPU's: distances in bricks equal to 1e-5 of a voxel.

Without a GPU, the kernels for CUDA run on Warp's own CPU device.
"""

import numpy as np
import pytest

from tests.brute_force import stock_field, sweep_field
from tests.shapes import box, hemisphere, joined, keep_triangles, sphere, tube
from voxel_carve.compute import (
    Backend,
    BackendError,
    EmptyResultError,
    Grid,
    Path,
    Sweep,
    TriMesh,
    carve,
    get_backend,
    plan_grid,
)
from voxel_carve.compute.engines.warp.backend import JOB_KERNELS, WarpBackend
from voxel_carve.compute.engines.warp.device.formulas import kernels_of
from voxel_carve.compute.engines.warp.field import pairs as warp_pairs
from voxel_carve.compute.engines.warp.field import winding as warp_winding
from voxel_carve.compute.primitives.boundary import Boundary
from voxel_carve.compute.primitives.triangles import Triangles

CPU = get_backend("cpu")
GRID = Grid([-5.0, -3.5, -4.5], 0.25, (37, 29, 43))  # no side is a whole number of bricks


@pytest.fixture(scope="session", params=["cpu", pytest.param("cuda", marks=pytest.mark.cuda)])
def warp(request):
    return WarpBackend(request.param)


@pytest.fixture
def small_launches(monkeypatch):
    """Every operation needs several launches."""
    monkeypatch.setattr(warp_pairs, "BRICKS_PER_LAUNCH", 5)
    monkeypatch.setattr(warp_pairs, "BYTES_PER_LAUNCH", 10_000)
    monkeypatch.setattr(warp_winding, "POINTS_PER_LAUNCH", 50)


def test_is_a_backend(warp):
    assert isinstance(warp, Backend)
    assert warp.name in ("warp", "cuda")
    assert warp.device


def test_unknown_device_is_named():
    with pytest.raises(BackendError, match=r"no device 'cuda:99'.*cpu"):
        WarpBackend("cuda:99")


def test_kernels_are_compiled_once_in_a_process(warp):
    at = np.zeros((1, 3)), Triangles.on_grid(MESHES["open"], GRID).boundary
    warp.boundary_winding(*at)
    seconds = warp.compile_seconds()
    assert seconds > 0
    warp.boundary_winding(*at)
    again = WarpBackend("cpu" if warp.name == "warp" else "cuda")
    loading = again.compile_seconds() - seconds
    again.winding_gradient(*at)
    assert again.compile_seconds() == seconds + loading


@pytest.mark.usefixtures("warp")
@pytest.mark.parametrize("module", JOB_KERNELS)
def test_kernels_keep_every_rounding(module):
    assert kernels_of(module)
    for kernel in kernels_of(module):
        options = kernel.module.options
        assert not any(options[name] for name in ("enable_backward", "fuse_fp", "fast_math"))


# Bricks

STAR = joined(sphere(2.0, subdivisions=2), box([-0.4, -0.4, -3.1], [0.4, 0.4, 3.3]), box([0.1, -3, -0.7], [4, 3, 0.7]))

MESHES = {
    "open": keep_triangles(STAR, np.random.default_rng(5).random(len(STAR.triangles)) < 0.7),
    "hemisphere": TriMesh(hemisphere(2.6, 3).points, hemisphere(2.6, 3).triangles),
    "tube": tube(2.0, 5.0, 24),
    "one triangle": TriMesh([[-2, -2, 0], [2, -2, 0], [0, 2, 0.5]], [[0, 1, 2]]),
}


def zigzag():
    y = np.repeat(np.linspace(-2.5, 2.5, 6), 2)
    x = np.where(np.arange(12) % 4 // 2, 3.5, -3.5) * np.where(np.arange(12) % 2, -1, 1)
    return Path(np.column_stack([x, y, np.full(12, 0.4)]), [0.55])


def helix(turns=3.0, radius=2.0, pitch=1.6, count=60):
    t = np.linspace(0, turns, count)
    angle = 2 * np.pi * t
    points = np.column_stack([radius * np.cos(angle), radius * np.sin(angle), pitch * (t - turns / 2)])
    return Path(points, np.linspace(0.7, 0.1, count))


def walk(seed=2, count=40):
    rng = np.random.default_rng(seed)
    return Path(np.cumsum(rng.normal(0, 0.8, (count, 3)), axis=0), rng.uniform(0.1, 0.7, count))


JOBS = {
    "box and zigzag": (box([-4, -3, -1], [4, 3, 1]), Sweep.from_paths([zigzag()])),
    "sphere and walk": (sphere(3.0, subdivisions=3), Sweep.from_paths([walk()])),
    "hemisphere": (hemisphere(3.0, 3), Sweep.from_paths([Path([[-3, 0.2, -1.5], [3, 0.4, -0.3]], [0.6])])),
    "sphere and helix": (sphere(2.6, subdivisions=3), Sweep.from_paths([helix()])),
}
VOXEL_SIZE = 0.17


def assert_same_field(expected, found):
    """Distances must agree to 1e-5 of a voxel, and in sign wherever they are larger than that."""
    assert found.dtype == expected.dtype
    assert np.abs(found - expected).max() <= 1e-5
    far = np.abs(expected) > 1e-5
    differing = np.count_nonzero((found < 0)[far] != (expected < 0)[far])
    assert differing == 0, f"{differing} of {far.sum()} voxels are on the other side"


def test_a_stock_collapsed_to_a_line_encloses_nothing(warp):
    mesh = TriMesh(np.array([[0.0, 0, 0], [1, 1, 1]]), np.array([[0, 1, 1], [0, 0, 1]]))
    for backend in (CPU, warp):
        with pytest.raises(EmptyResultError, match="encloses no volume"):
            carve(mesh, ([[0.3, 0.2, -0.1]], 1.7), 0.1, backend=backend)


@pytest.mark.parametrize("name", JOBS)
def test_fields(warp, name):
    stock, sweep = JOBS[name]
    grid = plan_grid(stock.bounds(), VOXEL_SIZE)
    for field, thing in ((sweep_field, sweep), (stock_field, stock)):
        expected, found = field(CPU, thing, grid), field(warp, thing, grid)
        assert len(expected.bricks) > 20
        assert np.array_equal(expected.states, found.states)
        assert_same_field(expected.distance, found.distance)
        if warp.name == "warp":
            # The same float32 operations in the same order.
            assert np.array_equal(expected.distance, found.distance)
            assert np.array_equal(expected.nearest, found.nearest)


@pytest.mark.usefixtures("small_launches")
def test_bricks_over_many_launches(warp):
    stock, sweep = JOBS["hemisphere"]
    grid = plan_grid(stock.bounds(), 0.4)
    for field, thing in ((sweep_field, sweep), (stock_field, stock)):
        assert_same_field(field(CPU, thing, grid).distance, field(warp, thing, grid).distance)


def test_no_points(warp):
    triangles = Triangles.on_grid(JOBS["hemisphere"][0], GRID)
    boundary = Boundary.of(triangles.points, triangles.triangles)
    closed = Boundary(np.empty((0, 3)), np.empty((0, 3)), np.empty(0))
    for backend in (CPU, warp):
        assert backend.boundary_winding(np.empty((0, 3)), boundary).shape == (0,)
        assert backend.winding_gradient(np.empty((0, 3)), boundary).shape == (0, 3)
        assert np.array_equal(backend.boundary_winding(np.ones((2, 3)), closed), np.zeros(2))
        assert np.array_equal(backend.winding_gradient(np.ones((2, 3)), closed), np.zeros((2, 3)))
        assert np.array_equal(backend.gradient_bound(np.ones((2, 3)), closed, 1.0), np.zeros(2))


@pytest.mark.parametrize("name", ["open", "hemisphere", "tube", "one triangle"])
def test_boundary_sum_and_gradient(warp, name):
    triangles = Triangles.on_grid(MESHES[name], GRID)
    boundary = Boundary.of(triangles.points, triangles.triangles)
    rng = np.random.default_rng(6)
    points = rng.uniform(-5, 45, (300, 3))
    # Exactly below the ends and middles of edges, also shifted along x and y, where ties are broken.
    middle = (boundary.low + boundary.high) / 2
    below = np.concatenate([boundary.low, boundary.high, middle]) - [0.0, 0.0, 3.0]
    points = np.concatenate([points, below, below + np.array([0.0, 2.0, 0.0]), below + np.array([2.0, 0.0, 0.0])])
    expected = CPU.boundary_winding(points, boundary)
    assert np.abs(warp.boundary_winding(points, boundary) - expected).max() <= 1e-12
    gradient = CPU.winding_gradient(points, boundary)
    bound = CPU.gradient_bound(points, boundary, 2.5)
    assert warp.gradient_bound(points, boundary, 2.5) == pytest.approx(bound, rel=1e-12)
    scale = np.maximum(np.linalg.norm(gradient, axis=1, keepdims=True), 1.0)
    assert (np.abs(warp.winding_gradient(points, boundary) - gradient) / scale).max() <= 1e-11
