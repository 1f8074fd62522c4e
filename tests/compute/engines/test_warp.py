"""The Warp backend against the others: equal voxels, and distances in bricks equal to 1e-5 of a voxel.

Without a GPU, the kernels for CUDA run on Warp's own CPU device.
"""

from dataclasses import replace

import numpy as np
import pytest

from tests.brute_force import stock_field, sweep_field
from tests.shapes import box, hemisphere, joined, keep_triangles, lidless_box, solid_angle_winding, sphere, tube
from voxel_carve.compute import (
    Backend,
    BackendError,
    CarveSession,
    EmptyResultError,
    Grid,
    InputError,
    Path,
    Sweep,
    TriMesh,
    carve,
    get_backend,
    plan_grid,
)
from voxel_carve.compute.engines.scipy.dense import ScipyBackend
from voxel_carve.compute.engines.warp.backend import JOB_KERNELS, WarpBackend
from voxel_carve.compute.engines.warp.device.device import WarpDevice
from voxel_carve.compute.engines.warp.device.formulas import kernels_of
from voxel_carve.compute.engines.warp.field import dense as warp_dense
from voxel_carve.compute.engines.warp.field import dense_kernels
from voxel_carve.compute.engines.warp.field import pairs as warp_pairs
from voxel_carve.compute.engines.warp.field import winding as warp_winding
from voxel_carve.compute.model.bricks import BrickTable
from voxel_carve.compute.primitives.boundary import Boundary
from voxel_carve.compute.primitives.segments import Segments
from voxel_carve.compute.primitives.triangles import Triangles

SCIPY, CPU = ScipyBackend(), get_backend("cpu")
GRID = Grid([-5.0, -3.5, -4.5], 0.25, (37, 29, 43))  # no side is a whole number of bricks
FAR = replace(GRID, origin=np.array([1e6, -2e6, 3e5]))


@pytest.fixture(scope="session", params=["cpu", pytest.param("cuda", marks=pytest.mark.cuda)])
def warp(request):
    return WarpBackend(request.param)


@pytest.fixture
def small_launches(monkeypatch):
    """Every operation needs several launches."""
    monkeypatch.setattr(warp_pairs, "BRICKS_PER_LAUNCH", 5)
    monkeypatch.setattr(warp_pairs, "BYTES_PER_LAUNCH", 10_000)
    monkeypatch.setattr(warp_dense, "VOXELS_PER_LAUNCH", 3000)
    monkeypatch.setattr(warp_winding, "POINTS_PER_LAUNCH", 50)


def noise(shape=GRID.shape, share=0.5, seed=3):
    return np.random.default_rng(seed).random(shape) < share


def assert_same_occupancy(expected, found, before=None):
    """Fail with the number of differing voxels and, given `before`, the ratio of the removed voxels."""
    assert found.shape == expected.shape
    assert found.dtype == np.bool_
    differing = np.argwhere(expected != found)
    if len(differing) == 0:
        return
    message = f"{len(differing)} of {expected.size} voxels differ, the first at (z, y, x) = {tuple(differing[0])}"
    if before is not None:
        removed = np.count_nonzero(before & ~expected), np.count_nonzero(before & ~found)
        ratio = removed[1] / removed[0] if removed[0] else np.inf
        message += (
            f"; {removed[0]} were to be removed and {removed[1]} were, {ratio:.3f} times as many "
            "(about 4 in area or 2 in width means that a diameter was taken for a radius)"
        )
    pytest.fail(message)


def test_a_failing_parity_says_how_far_off_it_is():
    before, expected = np.ones((4, 8, 8), bool), np.ones((4, 8, 8), bool)
    found = expected.copy()
    expected[1, 2:4, 2:4] = False
    found[1, 1:5, 1:5] = False
    with pytest.raises(
        pytest.fail.Exception, match=r"12 of 256 voxels differ.*4 were to be removed and 16 were, 4\.000"
    ):
        assert_same_occupancy(expected, found, before)


def test_is_a_backend(warp):
    assert isinstance(warp, Backend)
    assert warp.name in ("warp", "cuda")
    assert warp.device


def test_unknown_device_is_named():
    with pytest.raises(BackendError, match=r"no device 'cuda:99'.*cpu"):
        WarpBackend("cuda:99")


def test_kernels_are_compiled_once_in_a_process(warp):
    a = noise((4, 5, 6))
    warp.boolean("union", a, a)
    seconds = warp.compile_seconds()
    assert seconds > 0
    warp.boolean("union", a, a)
    WarpBackend("cpu" if warp.name == "warp" else "cuda").boolean("intersect", a, a)
    assert warp.compile_seconds() == seconds


@pytest.mark.usefixtures("warp")
@pytest.mark.parametrize("module", [*JOB_KERNELS, dense_kernels])
def test_kernels_keep_every_rounding(module):
    assert kernels_of(module)
    for kernel in kernels_of(module):
        options = kernel.module.options
        assert not any(options[name] for name in ("enable_backward", "fuse_fp", "fast_math"))


# Dense operations


@pytest.mark.parametrize("operation", ["union", "intersect", "subtract"])
def test_boolean(warp, operation):
    a, b = noise(seed=1), noise(seed=2)
    assert_same_occupancy(SCIPY.boolean(operation, a, b), warp.boolean(operation, a, b))
    assert_same_occupancy(SCIPY.boolean(operation, a.T, b.T), warp.boolean(operation, a.T, b.T))


def ball_element(radius):
    z, y, x = np.mgrid[-radius : radius + 1, -radius : radius + 1, -radius : radius + 1]
    return z**2 + y**2 + x**2 <= radius**2


ELEMENTS = {
    "one voxel": np.ones((1, 1, 1), bool),
    "nothing": np.zeros((3, 3, 3), bool),
    "box": np.ones((3, 5, 1), bool),
    "ball": ball_element(3),
    "lopsided": noise((5, 3, 7), 0.2, seed=8),
    "larger than the grid": noise((61, 41, 21), 0.001, seed=9),
}


@pytest.mark.parametrize("name", ELEMENTS)
def test_dilate(warp, name):
    occupancy = noise((19, 18, 23), 0.01)
    expected = SCIPY.dilate(occupancy, ELEMENTS[name])
    for backend in (CPU, warp):
        assert_same_occupancy(expected, backend.dilate(occupancy, ELEMENTS[name]))


STAR = joined(sphere(2.0, subdivisions=2), box([-0.4, -0.4, -3.1], [0.4, 0.4, 3.3]), box([0.1, -3, -0.7], [4, 3, 0.7]))

MESHES = {
    "box on voxel centres": box([-3.125, -2.125, -2.125], [2.875, 1.875, 3.125]),
    "box on voxel corners": box([-3, -2, -2], [3, 2, 3]),
    "sphere": sphere(2.9, (0.1, 0.2, 0.3), subdivisions=3),
    "inside out": TriMesh(sphere(2.5).points, sphere(2.5).triangles[:, ::-1]),
    "self-crossing": STAR,
    "non-manifold": joined(box([-2, -2, -2], [0, 0, 0]), box([0, 0, -2], [2, 2, 0]), box([-2, -2, -2], [0, 0, 0])),
    "open": keep_triangles(STAR, np.random.default_rng(5).random(len(STAR.triangles)) < 0.7),
    "hemisphere": TriMesh(hemisphere(2.6, 3).points, hemisphere(2.6, 3).triangles),
    "tube": tube(2.0, 5.0, 24),
    "one triangle": TriMesh([[-2, -2, 0], [2, -2, 0], [0, 2, 0.5]], [[0, 1, 2]]),
    "larger than the grid": sphere(20.0, (12, 5, 3), subdivisions=3),
    "beside the grid": sphere(2.0, (40, 0, 0), subdivisions=1),
}


@pytest.mark.parametrize("name", MESHES)
def test_voxelize_mesh(warp, name):
    expected = SCIPY.voxelize_mesh(MESHES[name], GRID)
    for backend in (CPU, warp):
        assert_same_occupancy(expected, backend.voxelize_mesh(MESHES[name], GRID))


@pytest.mark.parametrize("name", ["open", "self-crossing", "tube"])
def test_voxelize_mesh_is_the_winding_number(warp, name):
    grid = plan_grid(MESHES[name].bounds(), 0.47)
    index = np.argwhere(np.ones(grid.shape, bool))
    w = np.abs(solid_angle_winding(MESHES[name], grid.centres(index))).reshape(grid.shape)
    found = warp.voxelize_mesh(MESHES[name], grid)
    sure = np.abs(w - 0.5) > 1e-6
    assert sure.mean() > 0.98
    assert_same_occupancy((w > 0.5) & sure, found & sure)


def test_voxelize_mesh_far_from_the_origin(warp):
    mesh = TriMesh(STAR.points + FAR.origin - GRID.origin, STAR.triangles)
    found = warp.voxelize_mesh(mesh, FAR)
    assert found.any()
    assert_same_occupancy(SCIPY.voxelize_mesh(mesh, FAR), found)


def test_voxelize_mesh_fills_holes_where_asked(warp):
    shell = sphere(1.5, subdivisions=3)
    hollow = joined(sphere(3.0, subdivisions=3), TriMesh(shell.points, shell.triangles[:, ::-1]))
    for fill_holes in (False, True):
        found = warp.voxelize_mesh(hollow, GRID, fill_holes)
        assert_same_occupancy(SCIPY.voxelize_mesh(hollow, GRID, fill_holes), found)
        assert found[tuple(np.round((-GRID.origin / 0.25 - 0.5)[::-1]).astype(int))] == fill_holes


@pytest.mark.parametrize("flip", [False, True])
@pytest.mark.parametrize("name", ["scipy", "cpu", "warp"])
def test_voxel_centres_exactly_in_the_cap_of_a_flat_hole_are_inside(warp, name, flip):
    mesh = lidless_box()
    mesh = TriMesh(mesh.points, mesh.triangles[:, ::-1] if flip else mesh.triangles)
    grid = Grid([-1.25, -1.25, -1.35], 0.1, (26, 25, 25))  # voxel centres at z = 1, and on the other sides
    found = {"scipy": SCIPY, "cpu": CPU, "warp": warp}[name].voxelize_mesh(mesh, grid)
    assert found[23, 4:21, 4:21].all()
    assert not found[24].any()


@pytest.mark.parametrize("name", ["scipy", "cpu", "warp"])
def test_triangles_collapsed_to_a_line_enclose_nothing(warp, name):
    backend = {"scipy": SCIPY, "cpu": CPU, "warp": warp}[name]
    mesh = TriMesh(np.array([[0.0, 0, 0], [1, 1, 1]]), np.array([[0, 1, 1], [0, 0, 1]]))
    assert not backend.voxelize_mesh(mesh, GRID).any()
    if name != "scipy":
        with pytest.raises(EmptyResultError, match="encloses no volume"):
            carve(mesh, SWEEPS["zero-length"], 0.1, backend=backend)


@pytest.mark.parametrize("shape", [(0, 3, 4), (3, 0, 4), (3, 4, 0)])
@pytest.mark.parametrize("name", ["scipy", "cpu", "warp"])
def test_occupancies_without_voxels(warp, name, shape):
    backend, nothing = warp if name == "warp" else SCIPY, np.zeros(shape, bool)
    assert backend.boolean("union", nothing, nothing).shape == shape
    assert backend.dilate(nothing, np.ones((3, 3, 3), bool)).shape == shape


# Sweeps out of dense occupancies


def points_of(*indices):
    """World points of voxel centres, from indices (x, y, z)."""
    return GRID.to_world(np.array(indices) + 0.5)


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


SWEEPS = {
    "axis-aligned": Sweep.from_paths([Path([[-4, 0.1, 0.2], [4, 0.1, 0.2]], [1.1])]),
    "along z": Sweep.from_paths([Path([[0.3, 0.1, -40], [0.3, 0.1, 40]], [0.9])]),
    "diagonal": Sweep.from_paths([Path([[-4, -3, -4], [4, 3, 4]], [0.8])]),
    "zero-length": Sweep.from_paths([Path([[0.3, 0.2, -0.1]], [1.7])]),
    "thinner than a voxel": Sweep.from_paths([Path([[-4, -3, -4], [4.1, 2.9, 3.3]], [0.11])]),
    "tapering": Sweep.from_paths([Path([[-3, -1, 0], [3, 1, 0.5]], [2.0, 0.05])]),
    "ball in ball": Sweep([[0, 0, 0]], [[0.1, 0, 0]], [0.4], [1.9]),
    "ends on voxel centres": Sweep.from_paths([Path(points_of([4, 5, 6], [30, 20, 25], [31, 6, 30]), [1.0])]),
    "thick": Sweep.from_paths([Path([[-2, 0, 0], [2, 0, 0]], [3.6])]),
    "beside the grid": Sweep.from_paths([Path([[50, 0, 0], [60, 0, 0]], [2.0])]),
    "zigzag": Sweep.from_paths([zigzag()]),
    "helix": Sweep.from_paths([helix()]),
    "walk": Sweep.from_paths([walk()]),
}


@pytest.mark.parametrize("place", [GRID, FAR], ids=["near", "far from the origin"])
@pytest.mark.parametrize("name", SWEEPS)
def test_subtract_sweep(warp, name, place):
    shift = place.origin - GRID.origin
    sweep = replace(SWEEPS[name], start=SWEEPS[name].start + shift, end=SWEEPS[name].end + shift)
    before = noise()
    expected, found = before.copy(), before.copy()
    removed = SCIPY.subtract_sweep(expected, place, sweep)
    assert warp.subtract_sweep(found, place, sweep) == removed
    assert_same_occupancy(expected, found, before)
    assert removed == np.count_nonzero(before & ~found)
    if name == "beside the grid":
        assert removed == 0


@pytest.mark.parametrize("name", ["diagonal", "tapering", "walk", "thick"])
def test_subtract_sweep_touches_no_voxel_out_of_its_reach(warp, name):
    segments = Segments.on_grid(SWEEPS[name], GRID)
    centres = np.argwhere(np.ones(GRID.shape, bool))[:, ::-1] + 0.5
    which = [np.full(len(centres), index) for index in range(len(segments))]
    distance = np.min([segments.distance(one, centres) for one in which], axis=0).reshape(GRID.shape)
    found = np.ones(GRID.shape, bool)
    warp.subtract_sweep(found, GRID, SWEEPS[name])
    sure = np.abs(distance) > 1e-4
    assert_same_occupancy((distance > 0) | ~sure, found | ~sure, np.ones(GRID.shape, bool))


@pytest.mark.parametrize(("p0", "p1"), [((20, 14, 18), (20, 14, 18)), ((10, 14, 18), (30, 14, 18))])
def test_a_distance_of_zero_is_inside(warp, p0, p1):
    found = np.ones(GRID.shape, bool)
    start, end = points_of(p0, p1)
    removed = warp.subtract_swept_capsule(found, GRID, start, end, 5 * GRID.voxel_size)
    for axis, step in ((0, 5), (0, -5), (1, 5), (1, -5)):
        index = np.array([18, 14, 20])
        index[axis] += step
        assert not found[tuple(index)]
        index[axis] += np.sign(step)
        assert found[tuple(index)]
    expected = np.ones(GRID.shape, bool)
    assert SCIPY.subtract_swept_capsule(expected, GRID, start, end, 5 * GRID.voxel_size) == removed
    assert_same_occupancy(expected, found, np.ones(GRID.shape, bool))


def test_order_and_direction_of_paths_do_not_matter(warp):
    paths = [walk(seed=4), zigzag(), helix(), zigzag(), Path([[-3, -2.5, 0.4], [3, 2.5, 0.4]], [0.55])]
    reverse = [replace(path, points=path.points[::-1], radii=path.radii[::-1]) for path in paths[::-1]]
    first, second = noise(), noise()
    assert warp.subtract_sweep(first, GRID, Sweep.from_paths(paths)) == warp.subtract_sweep(
        second, GRID, Sweep.from_paths(reverse)
    )
    assert_same_occupancy(first, second, noise())
    expected = noise()
    SCIPY.subtract_sweep(expected, GRID, Sweep.from_paths(paths))
    assert_same_occupancy(expected, first, noise())


@pytest.mark.parametrize("layers", [1, 5, 8, 36])
def test_slabs_of_any_height_give_the_same_voxels(warp, layers):
    segments, table = Segments.on_grid(SWEEPS["walk"], GRID), BrickTable.over(GRID)
    binned = CPU.bin_segments(segments, GRID)
    expected, found = noise(), noise()
    whole = SCIPY.subtract_segments(expected, 0, segments, binned, table)
    parts = [
        warp.subtract_segments(found[first : first + layers], first, segments, binned, table)
        for first in range(0, GRID.shape[0], layers)
    ]
    assert_same_occupancy(expected, found, noise())
    assert sum(parts) == whole


def test_arrays_of_any_strides_are_carved_in_place(warp):
    expected = noise()
    removed = SCIPY.subtract_sweep(expected, GRID, SWEEPS["helix"])
    strided = np.zeros([2 * side for side in GRID.shape[::-1]], bool)
    view = strided.T[::2, ::-2, ::2]
    view[:] = noise()
    assert warp.subtract_sweep(view, GRID, SWEEPS["helix"]) == removed
    assert_same_occupancy(expected, view, noise())


def test_session(warp):
    counts, arrays = [], []
    for backend in (SCIPY, warp):
        occupancy = noise()
        with CarveSession(occupancy, GRID, backend, byte_budget=6 * GRID.shape[1] * GRID.shape[2]) as session:
            for name in ("zigzag", "helix", "beside the grid", "walk"):
                session.subtract(SWEEPS[name])
        counts.append(session.removed)
        arrays.append(occupancy)
    assert counts[0] == counts[1]
    assert_same_occupancy(*arrays, before=noise())


@pytest.mark.usefixtures("small_launches")
def test_many_launches_give_what_one_gives(warp):
    a, b = noise((9, 30, 31), seed=1), noise((9, 30, 31), seed=2)
    assert_same_occupancy(SCIPY.boolean("subtract", a, b), warp.boolean("subtract", a, b))
    sparse = noise((19, 18, 23), 0.01)
    assert_same_occupancy(SCIPY.dilate(sparse, ELEMENTS["lopsided"]), warp.dilate(sparse, ELEMENTS["lopsided"]))
    assert_same_occupancy(SCIPY.voxelize_mesh(MESHES["open"], GRID), warp.voxelize_mesh(MESHES["open"], GRID))
    for name in ("walk", "thick"):
        expected, found = noise(), noise()
        removed = SCIPY.subtract_sweep(expected, GRID, SWEEPS[name])
        assert warp.subtract_sweep(found, GRID, SWEEPS[name]) == removed
        assert_same_occupancy(expected, found, noise())


@pytest.mark.usefixtures("small_launches")
def test_several_devices_take_slabs_in_turn(warp, monkeypatch):
    several, used, launch = WarpBackend(*["cuda:0" if warp.name == "cuda" else "cpu"] * 3), set(), WarpDevice.launch

    def noted(device, *arguments):
        used.add(device)
        launch(device, *arguments)

    monkeypatch.setattr(WarpDevice, "launch", noted)
    a, b, sparse = noise((9, 30, 31), seed=1), noise((9, 30, 31), seed=2), noise((19, 18, 23), 0.01)
    for name, arguments in (
        ("boolean", ("subtract", a, b)),
        ("dilate", (sparse, ELEMENTS["lopsided"])),
        ("voxelize_mesh", (MESHES["open"], GRID)),
    ):
        used.clear()
        assert_same_occupancy(getattr(SCIPY, name)(*arguments), getattr(several, name)(*arguments))
        assert used == set(several._devices)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda backend: backend.boolean("xor", noise(), noise()), "unknown operation 'xor'"),
        (lambda backend: backend.dilate(noise(), np.ones((2, 3, 3), bool)), "odd sides"),
        (lambda backend: backend.subtract_sweep(noise().astype(int), GRID, SWEEPS["walk"]), "array of bool"),
        (lambda backend: backend.subtract_swept_capsule(noise(), GRID, [0, 0, 0], [1, 0, 0], -1.0), "positive"),
    ],
)
def test_bad_input_is_refused_alike(warp, call, message):
    for backend in (SCIPY, warp):
        with pytest.raises(InputError, match=message):
            call(backend)


# Bricks

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
        assert np.array_equal(backend.change_bound(np.ones((2, 3)), closed, 1.0), np.zeros((2, 4)))


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
    bound = CPU.change_bound(points, boundary, 2.5)[:, 3]
    assert warp.change_bound(points, boundary, 2.5)[:, 3] == pytest.approx(bound, rel=1e-12)
    scale = np.maximum(np.linalg.norm(gradient, axis=1, keepdims=True), 1.0)
    assert (np.abs(warp.winding_gradient(points, boundary) - gradient) / scale).max() <= 1e-11
