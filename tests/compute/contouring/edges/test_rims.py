"""Where stock and sweep meet in a ragged border, the border of the mesh is that of an exact cut."""

import numpy as np
import pytest
import scipy

from tests.borders import (
    BALL,
    VOXEL_SIZE,
    assert_smooth_and_true,
    ring_under_the_surface,
    turns,
)
from tests.compute.contouring.results import ENGINES, assert_manifold, cases
from tests.fuzz.__main__ import backend_of
from tests.fuzz.judge import overlapping_pairs, true_body, verdict_on
from tests.fuzz.scenes import Scene
from tests.shapes import box
from voxel_carve.compute import Path, Sweep, TriMesh, carve, exact_distance, verify
from voxel_carve.compute.model import OPERATIONS
from voxel_carve.compute.model.mesh import Source


def triangular(surface):
    """(M,) which faces are triangles."""
    return surface.faces[:, 2] == surface.faces[:, 3]


def parts_of(surface):
    """(V,) the closed part that each vertex belongs to."""
    tail, head = surface.faces.ravel(), np.roll(surface.faces, -1, axis=1).ravel()
    links = scipy.sparse.coo_array((np.ones(len(tail)), (tail, head)), shape=(len(surface.points),) * 2)
    return scipy.sparse.csgraph.connected_components(links, directed=False)[1]


def assert_equal(one, other):
    for name in ("points", "faces", "source", "primitive"):
        assert np.array_equal(getattr(one, name), getattr(other, name)), name


@pytest.mark.parametrize("backend", ENGINES)
@pytest.mark.parametrize("operation", OPERATIONS)
@pytest.mark.parametrize("depth", [0.6, 0.9])
def test_the_rim_of_a_deep_groove_is_smooth_and_true(depth, operation, backend):
    sweep = ring_under_the_surface(depth)
    surface = carve(BALL, sweep, VOXEL_SIZE, operation=operation, backend=backend_of(backend)).surface
    assert_smooth_and_true(surface, sweep)


def crossing_passes(headings=(0.2, 0.9, 1.7, 2.6), depth=0.9, radius=0.3):
    """Straight passes under the top of a plate that cross near its middle. Their axes lie some radii below the top."""
    paths = []
    for number, heading in enumerate(headings):
        along = np.array([np.cos(heading), np.sin(heading), 0])
        middle = np.array([0.4 * np.cos(2 * heading), 0.3 * np.sin(5 * number), 0.5 - depth * radius])
        paths.append(Path([middle - 3.5 * along, middle + 3.5 * along], [radius]))
    return Sweep.from_paths(paths)


@pytest.mark.parametrize("backend", ENGINES)
@pytest.mark.parametrize("operation", OPERATIONS)
def test_passes_that_cross(operation, backend):
    pytest.importorskip("bpy")
    plate, sweep, voxel_size = box((-2, -2, -0.5), (2, 2, 0.5)), crossing_passes(), 1 / 20
    job = {"operation": operation, "backend": backend_of(backend)}
    surface = carve(plate, sweep, voxel_size, **job).surface
    assert surface.is_closed()
    scene = Scene(0, "plate", plate, sweep, operation, voxel_size, False, (plate,))
    volume, area = true_body(scene)
    assert verdict_on(scene, surface, backend, volume, area).complaints == ()
    # Chords of the passes' round sides cost 0.02 voxels of them.
    assert abs(surface.volume() / voxel_size**3 - volume) < 0.02 * area


def wire(seed, radius):
    """A bent wire, in voxels, through a box with six voxels on each side of the origin."""
    return Sweep.from_paths([Path(np.random.default_rng(seed).uniform(-9, 9, (7, 3)), [radius])])


@pytest.mark.parametrize("radius", [0.4, 0.6])
def test_what_the_grid_cuts_off_from_a_wire_is_there_once(radius):
    for seed in range(4):
        job = box((-6, -6, -6), (6, 6, 6)), wire(seed, radius), 1.0
        points = carve(*job, operation="intersect", backend="cpu").surface.points
        assert len(np.unique(points, axis=0)) == len(points)


@pytest.mark.parametrize(("seed", "balls", "radius"), [(21, 400, 1.6), (57, 400, 1.6), (4, 800, 1.6)])
def test_no_part_lies_outside_the_true_body(seed, balls, radius):
    """Among many balls near a face, chips of the stock lie beside gaps between balls in the air."""
    centres = np.random.default_rng(seed).uniform([-10, -10, 2], [10, 10, 10], (balls, 3))
    radii = np.full(balls, radius)
    job = box((-9, -9, -6), (9, 9, 6)), Sweep(centres, centres, radii, radii)
    surface = carve(*job, 1.0, backend="cpu").surface
    distance, part = exact_distance(surface.points, *job), parts_of(surface)
    least = np.full(part.max() + 1, np.inf)
    np.minimum.at(least, part, distance)
    assert len(least) > 1
    assert least.max() < 0.05


@pytest.mark.parametrize(
    "start",
    [
        pytest.param(5.38, id="the stock passes the corner of a brick"),
        pytest.param(8.58, id="a bump of the sweep goes through one triangle of the stock"),
    ],
)
def test_a_rim_with_one_hard_place_is_smooth(start):
    stock = TriMesh(BALL.points * [0.86, 0.7, 0.74], BALL.triangles)
    along = np.linspace(0, 1, 240)
    turn, rise = 8 * np.pi * along + start, np.radians(32 + 52 * along)
    helix = [0.83 * np.cos(rise) * np.cos(turn), 0.66 * np.cos(rise) * np.sin(turn), 0.7 * np.sin(rise)]
    surface = carve(stock, Sweep.from_paths([Path(np.column_stack(helix), [0.06])]), 1 / 47, backend="cpu").surface
    assert (turns(surface) > 45).mean() < 0.005


def winding_pass(seed, depth, corners=32):
    """A pass under the top of a plate that winds: some short segments are near each vertex of its rims."""
    rng = np.random.default_rng(seed)
    aside = 0.4 * np.cumsum(rng.uniform(-1, 1, corners)) / np.sqrt(corners)
    height = np.full(corners, 0.5 - depth * 0.1) + rng.uniform(-0.02, 0.02, corners)
    return Sweep.from_paths([Path(np.column_stack([np.linspace(-1.4, 1.4, corners), aside, height]), [0.1])])


@pytest.mark.parametrize(
    ("seed", "depth", "limit"),
    cases(
        [(0, 0.6, 0.03), (3, 0.6, 0.03), (4, 0.6, 0.03), (5, 0.9, 0.1), (7, 0.9, 0.04)],
        [(7, 0.9, 0.04)],
        "0.08 voxels: a roof over the groove stays closed where the groove comes through between two edges",
    ),
)
def test_the_vertices_of_a_cut_lie_on_the_exact_surface(seed, depth, limit):
    """In the last two scenes, the path's axis is nearly a radius deep, so its rims are thin."""
    job = box((-1, -1, -0.5), (1, 1, 0.5)), winding_pass(seed, depth), 1 / 20
    surface = carve(*job, backend="cpu").surface
    assert verify(surface, *job).vertices.largest * 20 < limit


def diverging_grooves(slope, radius=6.0, depth=2.0):
    """A plate with its top at 0, and two grooves along x that diverge from where their edges meet; and that x.

    Between them is a ridge whose flat top grows from nothing, by twice the slope.
    """
    half = np.sqrt(radius**2 - (radius - depth) ** 2)  # of a groove, at the top
    passes = [
        Path(
            [[-10.0, side * (half - 20 * slope), radius - depth], [90.0, side * (half + 80 * slope), radius - depth]],
            [radius],
        )
        for side in (1, -1)
    ]
    tip = 10 + half * (np.hypot(1, slope) - 1) / slope
    return box((0.0, -30.0, -12.0), (80.0, 30.0, 0.0)), Sweep.from_paths(passes), tip


@pytest.mark.parametrize("backend", ENGINES)
@pytest.mark.parametrize("slope", [0.02, 0.05, 0.1])
def test_a_ridge_between_grooves_ends_where_it_is_thinner_than_a_voxel(slope, backend):
    """Where the ridge is narrower, no line of the grid crosses its top: only the faces of the cells tell of it."""
    stock, sweep, tip = diverging_grooves(slope)
    surface = carve(stock, sweep, 1.0, backend=backend_of(backend)).surface
    assert_manifold(surface)
    corners = surface.points[surface.faces[surface.source == Source.STOCK]]
    at_top = (np.abs(corners[:, :, 2]) < 1e-4).all(axis=1)
    along, across = corners[at_top][:, :, 0], np.abs(corners[at_top][:, :, 1])
    on_ridge = across < slope * (along - tip) + 0.5
    start = along[on_ridge].min()
    assert tip - 0.01 < start
    assert 2 * slope * (start - tip) < 0.5
    true_half = slope * (along[on_ridge] - tip)
    assert (across[on_ridge] < true_half + 0.1).all()
    assert len(overlapping_pairs(surface.points - surface.points.mean(axis=0), surface.triangles())) == 0


@pytest.mark.parametrize(
    ("operation", "radius", "seeds"),
    [
        ("intersect", 0.95, (4, 5, 15)),
        ("intersect", 2.5, (5, 15)),
        ("subtract", 0.95, (1, 8)),
        ("subtract", 2.5, (14, 22)),
    ],
)
def test_the_sides_of_a_thin_rim_do_not_overlap(operation, radius, seeds):
    """The two sides of a thin rim come near each other."""
    pytest.importorskip("bpy")
    for seed in seeds:
        job = box((-6, -6, -6), (6, 6, 6)), wire(seed, radius), 1.0
        surface = carve(*job, operation=operation, backend="cpu").surface
        assert triangular(surface).any()
        assert len(overlapping_pairs(surface.points, surface.triangles())) == 0


@pytest.mark.parametrize("low", [-16, 0])
def test_an_axis_in_a_face_of_the_stock(low):
    """Then vertices of the sweep lie in the plane of that face."""
    pytest.importorskip("bpy")
    turn = np.linspace(0, 2 * np.pi, 80)
    ring = np.column_stack([54.4 * np.cos(turn), 38.4 * np.sin(turn), np.full(80, 16.0)])
    job = box((-64, -45, low), (64, 45, 16)), Sweep.from_paths([Path(ring, [1.9])]), 1.0
    surface = carve(*job, backend="cpu").surface
    assert triangular(surface).any()
    assert len(overlapping_pairs(surface.points, surface.triangles())) == 0


def test_triangles_name_their_last_corner_twice():
    surface = carve(BALL, ring_under_the_surface(0.6), VOXEL_SIZE, backend="cpu").surface
    which = triangular(surface)
    corners = np.sort(surface.faces, axis=1)
    distinct = 1 + (np.diff(corners, axis=1) > 0).sum(axis=1)
    assert set(distinct[which]) == {3} and set(distinct[~which]) == {4}
    assert len(surface.triangles()) == 2 * (~which).sum() + which.sum()


def test_neither_engine_nor_threads_decide_a_bit(monkeypatch):
    job = BALL, ring_under_the_surface(0.9), VOXEL_SIZE
    expected = carve(*job, backend="cpu").surface
    assert_equal(carve(*job, backend=backend_of("warp")).surface, expected)
    monkeypatch.setattr("voxel_carve.compute.runtime.threads.thread_count", lambda: 1)
    assert_equal(carve(*job, backend="cpu").surface, expected)
