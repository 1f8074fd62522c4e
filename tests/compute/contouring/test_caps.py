"""The caps of open stocks: they meet the rims of holes smoothly, and close narrow gaps in the plane of the rim."""

import numpy as np
import pytest

from tests.borders import turns
from tests.compute.contouring.edges.test_fine_steps import VOXEL_SIZE, teeth
from tests.compute.contouring.edges.test_gaps import CENTRE, HOLE, RADIUS, TURN, dish_in_the_hole, drum_with_a_hole
from tests.compute.contouring.results import assert_manifold, carved, contents, path, rounded
from tests.fuzz.judge import overlapping_pairs
from tests.shapes import hemisphere, joined, keep_triangles, sphere
from voxel_carve.compute import Sweep, TriMesh, carve, get_backend
from voxel_carve.compute.field.stock import prepare_on_grid
from voxel_carve.compute.model.bricks import BAND, BRICK_SIZE
from voxel_carve.compute.model.mesh import Source
from voxel_carve.compute.model.plan import plan_grid

ELSEWHERE = Sweep([4.0, 4, 4], [5.0, 4, 4], 0.1, 0.1)  # a tool that does not come near


def turned_bowl(*radii):
    """Bowls in each other, turned."""
    bowls = joined(*(hemisphere(radius, 5) for radius in radii)) if len(radii) > 1 else hemisphere(radii[0], 5)
    return TriMesh(bowls.points @ TURN.T, bowls.triangles)


def cap_heights(surface):
    """How far the vertices of caps are from the plane z = 0 of the turned rim, in voxels."""
    vertices = np.unique(surface.faces[surface.source == Source.CLOSURE])
    return abs((surface.points @ TURN)[vertices, 2]) / VOXEL_SIZE


def test_the_cap_of_a_bowl_is_flat_up_to_its_rim():
    surface = carved(turned_bowl(1.0), ELSEWHERE, voxel_size=VOXEL_SIZE)
    assert_manifold(surface)
    assert np.quantile(cap_heights(surface), 0.99) < 0.05
    across, around = teeth(surface)
    assert across < 0.1
    assert around > 2 * np.pi


def test_bricks_far_from_the_holes_of_a_scan_hold_no_cap():
    """Those that a cap passes near are found, and few others: a bound that adds up over all edges would find most."""
    ball, ways = sphere(40.0), np.random.default_rng(5).normal(size=(30, 3))
    holes = 40 * ways / np.linalg.norm(ways, axis=1)[:, None]
    apart = np.linalg.norm(ball.corners().mean(axis=1)[:, None] - holes, axis=2).min(axis=1)
    mesh, backend = keep_triangles(ball, apart > 5), get_backend("cpu")
    stock = prepare_on_grid(mesh, plan_grid(mesh.bounds(), 1.0), backend)
    voxels = np.argwhere(np.ones(stock.grid.shape, dtype=bool))
    fraction = backend.boundary_winding(voxels[:, ::-1] + 0.5, stock.boundary) % 1.0
    slope = np.linalg.norm(backend.winding_gradient(voxels[:, ::-1] + 0.5, stock.boundary), axis=1)
    passed = np.unique(stock.table.ids(voxels[abs(fraction - 0.5) <= BAND * slope] // BRICK_SIZE))
    found = stock.search.cap_bricks
    assert len(passed) > 100
    assert np.isin(passed, found).all()
    assert len(found) < 2.5 * len(passed)


def test_the_rims_of_two_bowls_have_few_teeth():
    surface = carved(turned_bowl(1.0, 1 - 0.8 * VOXEL_SIZE), ELSEWHERE, voxel_size=VOXEL_SIZE)
    assert_manifold(surface)
    assert teeth(surface)[0] < 2 * np.pi


@pytest.mark.parametrize("resolution", [120, 140])
def test_a_narrow_gap_is_closed_in_the_plane_of_its_rim(resolution):
    voxel_size = 2 / resolution
    surface = carved(joined(drum_with_a_hole(), dish_in_the_hole()), ELSEWHERE, voxel_size=voxel_size)
    points, triangles = surface.points @ TURN, surface.triangles()
    middle = points[triangles].mean(axis=1)
    near = abs(np.linalg.norm(middle[:, :2], axis=1) - HOLE) < 3 * voxel_size
    vertices = np.unique(triangles[near & (middle[:, 2] > -5 * voxel_size)])
    from_ball = abs(np.linalg.norm(points[vertices] - CENTRE, axis=1) - RADIUS)
    far = np.minimum(abs(points[vertices, 2]), from_ball) / voxel_size
    figures = {"far": far.max(), "turns": (turns(surface) > 45).sum(), "caps": (surface.source == Source.CLOSURE).sum()}
    assert figures["far"] < 0.05 and figures["turns"] == 0 and figures["caps"] == 0, rounded(figures)
    assert_manifold(surface)


def test_what_closes_a_gap_counts_as_the_triangles_that_it_goes_on_from():
    stock = joined(drum_with_a_hole(), dish_in_the_hole())
    surface = carved(stock, ELSEWHERE, voxel_size=1 / 60)
    assert surface.primitive.min() >= 0
    assert surface.primitive.max() < len(stock.triangles)


def test_a_groove_through_a_cap():
    stock = turned_bowl(1.0)
    groove = path(np.array([[-1.2, 0, 0], [1.2, 0, 0]]) @ TURN.T, 0.1)
    surface = carved(stock, groove, voxel_size=VOXEL_SIZE)
    assert_manifold(surface)
    assert np.quantile(cap_heights(surface), 0.99) < 0.05
    turned_sharply = (turns(surface) > 45).mean()
    assert turned_sharply < 0.05


def test_no_faces_overlap_at_a_cap():
    pytest.importorskip("bpy")
    for stock, size in (
        (turned_bowl(1.0), VOXEL_SIZE),
        (turned_bowl(1.0, 1 - 0.8 * VOXEL_SIZE), VOXEL_SIZE),
        (joined(drum_with_a_hole(), dish_in_the_hole()), 1 / 60),
    ):
        surface = carved(stock, ELSEWHERE, voxel_size=size)
        assert len(overlapping_pairs(surface.points / size, surface.triangles())) == 0


def test_threads_decide_no_bit(monkeypatch):
    job = turned_bowl(1.0, 1 - 0.8 * VOXEL_SIZE), ELSEWHERE, "subtract", VOXEL_SIZE
    several = carved(*job)
    monkeypatch.setattr("voxel_carve.compute.runtime.threads.thread_count", lambda: 1)
    one = carved(*job)
    assert np.array_equal(one.points, several.points) and np.array_equal(one.faces, several.faces)


WARP_JOBS = {
    "a bowl": (turned_bowl(1.0), 2 * VOXEL_SIZE),
    "two bowls": (turned_bowl(1.0, 1 - 0.8 * VOXEL_SIZE), 2 * VOXEL_SIZE),
    "a narrow gap": (joined(drum_with_a_hole(), dish_in_the_hole()), 1 / 20),
}


@pytest.mark.parametrize("name", WARP_JOBS)
def test_warp_makes_the_same_caps(name):
    pytest.importorskip("warp")
    stock, size = WARP_JOBS[name]
    groove = path(np.array([[-1.2, 0, 0], [1.2, 0, 0]]) @ TURN.T, 0.1)
    expected, found = (carve(stock, groove, size, backend=each).surface for each in ("cpu", "warp:cpu"))
    assert contents(found) == contents(expected)
