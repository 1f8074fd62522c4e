"""How true a result is said to be, against distances written out here, and against errors put in by hand."""

import numpy as np
import pytest
from scipy.spatial import cKDTree

from tests.shapes import ball_union_distance, box, hemisphere, joined, solid_angle_winding, sphere, tube
from voxel_carve.compute import CarveCancelled, Grid, InputError, Path, Source, Sweep, TriMesh, carve
from voxel_carve.compute.exact.inside import inside
from voxel_carve.compute.exact.nearest import covered, nearest, partners
from voxel_carve.compute.formulas.binding import ON_ARRAYS
from voxel_carve.compute.formulas.triangle import squared_distance
from voxel_carve.compute.primitives.segments import Segments
from voxel_carve.compute.primitives.triangles import Triangles
from voxel_carve.compute.verification.exact_surface import ExactSurface
from voxel_carve.compute.verification.true_edges import sample
from voxel_carve.compute.verification.verify import REACH, Deviation, verify

VOXEL = 0.05


def triangle_distance(points, mesh, per_side=60):
    """Distance to the nearest of many points of every triangle: at most a little too large."""
    i, j = np.triu_indices(per_side + 1)
    weights = np.column_stack([i, j - i, per_side - j]) / per_side
    return cKDTree((weights @ mesh.corners()).reshape(-1, 3)).query(points)[0]


def box_distance(points, low=-1.0, high=1.0):
    """Signed distance to a box by its closed form."""
    middle, half = (np.add(low, high)) / 2, (np.subtract(high, low)) / 2
    off = np.abs(points - middle) - half
    return np.linalg.norm(np.maximum(off, 0), axis=1) + np.minimum(off.max(axis=1), 0)


def grid_of(mesh):
    return Grid(mesh.bounds()[0] - 1, VOXEL, (1, 1, 1))


def one_capsule(a=(-2.0, 0.1, 0.95), b=(2.0, 0.1, 0.95), ra=0.4, rb=0.4):
    return Sweep(np.array(a), np.array(b), np.array([ra]), np.array([rb]))


def subdivided(mesh, times):
    """Every triangle cut into four, as often as asked."""
    corners = mesh.corners()
    for _ in range(times):
        a, b, c = corners[:, 0], corners[:, 1], corners[:, 2]
        ab, bc, ca = (a + b) / 2, (b + c) / 2, (c + a) / 2
        parts = ((a, ab, ca), (ab, b, bc), (ca, bc, c), (ab, bc, ca))
        corners = np.concatenate([np.stack(part, axis=1) for part in parts])
    points, index = np.unique(corners.reshape(-1, 3), axis=0, return_inverse=True)
    return TriMesh(points, index.reshape(-1, 3), mesh.name)


# The nearest primitive


@pytest.fixture(
    scope="module",
    params=[sphere(subdivisions=3), joined(box(), sphere(0.7, (0.8, 0, 0))), box((-40, -1, -1), (40, 1, 1))],
    ids=["sphere", "box and sphere", "long box"],
)
def measured(request):
    """Points in voxels, triangles, and the distances from each triangle and from the mesh, for all tests of a mesh."""
    points, mesh = np.random.default_rng(1).uniform(-2, 2, (700, 3)), request.param
    grid = grid_of(mesh)
    triangles, in_voxels = Triangles.on_grid(mesh, grid), grid.to_voxels(points)
    square = ON_ARRAYS(squared_distance)
    every = np.sqrt([square(triangles, np.full(len(points), which), *in_voxels.T) for which in range(len(triangles))])
    from_mesh = triangle_distance(points, mesh)
    for array in (in_voxels, every, from_mesh):
        array.flags.writeable = False
    return in_voxels, triangles, every, from_mesh


@pytest.mark.parametrize("reach", [np.inf, 6.0, 0.5])
def test_the_nearest_triangle_is_that_of_all(measured, reach):
    in_voxels, triangles, every, from_mesh = measured
    distance, which = nearest(in_voxels, triangles, reach)
    least = every.min(axis=0)
    np.testing.assert_array_equal(distance, np.where(least <= reach, least, np.inf))
    np.testing.assert_array_equal(which >= 0, least <= reach)
    found = which >= 0
    np.testing.assert_array_equal(every[which[found], np.flatnonzero(found)], least[found])
    assert (distance * VOXEL)[found] == pytest.approx(from_mesh[found], abs=0.75)


@pytest.mark.slow
def test_the_nearest_segment_is_that_of_all_and_the_partner_that_of_those_at_an_angle():
    rng = np.random.default_rng(2)
    sweep = Sweep(*rng.uniform(-2, 2, (2, 300, 3)), *rng.uniform(0.02, 0.4, (2, 300)))
    grid = Grid(np.full(3, -3.0), VOXEL, (1, 1, 1))
    segments, points = Segments.on_grid(sweep, grid), rng.uniform(-3, 3, (400, 3))
    in_voxels = grid.to_voxels(points)
    every = np.stack([segments.distance(np.full(len(points), which), in_voxels) for which in range(300)])
    distance, own = nearest(in_voxels, segments)
    np.testing.assert_array_equal(distance, every.min(axis=0))
    np.testing.assert_allclose(every.min(axis=0) * VOXEL, ball_union_distance(points, sweep), atol=2e-3)
    normals = np.stack([segments.normals(np.full(len(points), which), in_voxels) for which in range(300)])
    angle = np.degrees(np.arccos(np.clip((normals * segments.normals(own, in_voxels)).sum(axis=2), -1, 1)))
    at_angle = (angle >= 60) & (angle <= 120) & (every <= 9.0) & (np.arange(300)[:, None] != own)
    least = np.where(at_angle, every, np.inf).argmin(axis=0)
    found = partners(in_voxels, own, segments, 9.0, 60.0, 120.0)
    np.testing.assert_array_equal(found, np.where(at_angle.any(axis=0), least, -1))
    assert (found >= 0).sum() > 100 and (found < 0).sum() > 20


@pytest.mark.parametrize("depth", [0.0, 0.02, 2.5])
def test_a_point_is_covered_where_any_segment_is_deep_enough(depth):
    rng = np.random.default_rng(3)
    sweep = Sweep(*rng.uniform(-2, 2, (2, 100, 3)), *rng.uniform(0.1, 0.5, (2, 100)))
    grid = Grid(np.full(3, -3.0), VOXEL, (1, 1, 1))
    segments, points = Segments.on_grid(sweep, grid), grid.to_voxels(rng.uniform(-3, 3, (500, 3)))
    every = np.stack([segments.distance(np.full(len(points), which), points) for which in range(100)])
    found = covered(points, segments, depth)
    np.testing.assert_array_equal(found, (every < -depth).any(axis=0))
    assert 20 < found.sum() < 480
    assert not covered(points, Segments.on_grid(Sweep.nothing(), grid), depth).any()


def test_points_far_apart_and_many_in_one_place_have_their_nearest():
    points = np.concatenate([np.full((50, 3), 0.25), [[1e9, 0, 0], [-1e9, 5, 0]]])
    triangles = Triangles.on_grid(box(), Grid(np.zeros(3), 1.0, (1, 1, 1)))
    distance, _ = nearest(points, triangles)
    np.testing.assert_allclose(distance, [*[0.75] * 50, 1e9 - 1, np.hypot(1e9 - 1, 4)], rtol=1e-12)


def test_nothing_is_near_where_there_is_nothing():
    triangles = Triangles.on_grid(box(), Grid(np.zeros(3), 1.0, (1, 1, 1)))
    assert len(nearest(np.empty((0, 3)), triangles)[0]) == 0
    none = Segments(np.empty((0, 10)), np.empty(0, dtype=np.int32))
    assert np.isinf(nearest(np.zeros((3, 3)), none)[0]).all()


# Inside


@pytest.mark.parametrize(
    "mesh", [box(), hemisphere(), joined(sphere(), sphere(0.7, (0.8, 0, 0)), hemisphere(0.5), name="mixed")]
)
def test_inside_is_where_the_solid_angles_add_up_to_more_than_half(mesh):
    points = np.random.default_rng(3).uniform(-1.5, 1.5, (3000, 3))
    number = solid_angle_winding(mesh, points)
    clear = np.abs(np.abs(number) - 0.5) > 1e-6
    grid = grid_of(mesh)
    within = inside(grid.to_voxels(points), Triangles.on_grid(mesh, grid))
    np.testing.assert_array_equal(within[clear], (np.abs(number) > 0.5)[clear])
    assert within.any() and not within.all()


# Distances from the surface


@pytest.mark.parametrize("operation", ["subtract", "union", "intersect"])
@pytest.mark.parametrize("sweep", [one_capsule(), one_capsule((0.2, 0, 0), (0.9, 0.5, 0.8), 0.3, 0.6)])
def test_deviation_is_the_larger_field_by_brute_force(operation, sweep):
    points = np.random.default_rng(4).uniform(-1.6, 1.6, (1500, 3))
    stock, swept = box_distance(points), ball_union_distance(points, sweep)
    fields = {"subtract": (stock, -swept), "union": (-stock, -swept), "intersect": (stock, swept)}[operation]
    surface = ExactSurface.of(box(), sweep, VOXEL, operation)
    off = surface.deviation(surface.grid.to_voxels(points)) * VOXEL
    np.testing.assert_allclose(off, np.abs(np.maximum(*fields)), atol=1e-4)


def test_vertices_moved_by_known_lengths_are_off_by_them():
    stock, sweep = box(), Sweep(np.zeros(3), np.zeros(3), 0.3, 0.3)
    ball = sphere(0.3, subdivisions=3)
    moved = np.linspace(0, 2.5 * VOXEL, len(ball.points))
    radial = ball.points / np.linalg.norm(ball.points, axis=1, keepdims=True)
    cavity = TriMesh(ball.points + moved[:, None] * radial, ball.triangles[:, ::-1])
    found = verify(joined(stock, cavity), stock, sweep, VOXEL)
    count = len(ball.points) + 8
    assert found.vertices.count == count
    assert found.vertices.largest == pytest.approx(2.5 * VOXEL, abs=1e-9)
    assert found.vertices.rms == pytest.approx(np.sqrt((moved**2).sum() / count), abs=1e-9)
    expected = np.abs(0.3 - np.linalg.norm(cavity.corners().mean(axis=1), axis=1))
    assert found.centroids.largest == pytest.approx(expected.max(), abs=1e-9)
    assert found.centroids.rms == pytest.approx(np.sqrt((expected**2).sum() / (len(expected) + 12)), abs=1e-9)


def test_the_exact_result_is_exact_and_its_chords_are_told_by_the_centroids():
    stock, sweep = box(), Sweep(np.zeros(3), np.zeros(3), 0.3, 0.3)
    ball = sphere(0.3, subdivisions=3)
    cavity = TriMesh(ball.points, ball.triangles[:, ::-1])
    found = verify(joined(stock, cavity), stock, sweep, VOXEL)
    assert found.vertices.largest < 1e-9
    assert found.edges.largest < 1e-9 and found.edges.count > 0
    assert found.true_edges.largest < 1e-9 and found.true_edges.count > 12 * 2 / VOXEL
    assert (found.stray_edges, found.lost_points, found.closure_faces) == (0, 0, 0)
    sagitta = 0.3 - np.linalg.norm(cavity.corners().mean(axis=1), axis=1)
    assert found.centroids.largest == pytest.approx(sagitta.max(), abs=1e-9)


def test_a_cut_deep_inside_is_no_error_and_a_stray_shell_is_a_large_one():
    stock, sweep = box(), Sweep(np.zeros(3), np.zeros(3), 0.3, 0.3)
    cavity = sphere(0.3, subdivisions=2)
    stray = sphere(0.1, (3.0, 0, 0), subdivisions=1)
    found = verify(joined(stock, cavity, stray), stock, sweep, VOXEL)
    assert found.vertices.largest == pytest.approx(2.1)
    assert found.vertices.percentile_99 > 1.9


def test_a_wall_inside_a_stock_that_crosses_itself_does_not_spoil_a_cut_through_it():
    stock = joined(box(), box((-0.5, -0.5, -0.5), (1.5, 0.5, 0.5)))
    ball = sphere(0.3, (1.0, 0.0, 0.0), subdivisions=3)
    sweep = Sweep(np.array([1.0, 0, 0]), np.array([1.0, 0, 0]), 0.3, 0.3)
    shell = TriMesh(ball.points, ball.triangles[:, ::-1])
    assert verify(shell, stock, sweep, VOXEL).vertices.largest < 1e-9


# Edges


@pytest.mark.parametrize("shift", [0.0, 0.3, 0.9])
def test_an_edge_moved_by_hand_is_off_by_as_much_both_ways(shift):
    stock, far = box(), Sweep(np.array([9.0, 0, 0]), np.array([9.0, 0, 0]), 0.1, 0.1)
    fine = subdivided(stock, 4)
    moved = fine.points.copy()
    edge = (moved[:, 0] == 1) & (moved[:, 2] == 1)
    moved[edge] -= [shift * VOXEL, 0.0, 0.0]
    found = verify(TriMesh(moved, fine.triangles), stock, far, VOXEL)
    assert found.edges.largest == pytest.approx(shift * VOXEL, abs=1e-9)
    assert found.true_edges.largest == pytest.approx(shift * VOXEL, abs=1e-9)
    # One of twelve edges; its ends are corners of others.
    assert found.edges.rms == pytest.approx(shift * VOXEL / np.sqrt(12), rel=0.05)
    assert found.true_edges.rms == pytest.approx(shift * VOXEL / np.sqrt(12), rel=0.05)


def test_a_chamfer_leaves_a_true_edge_behind():
    stock, far = box(), Sweep(np.array([9.0, 0, 0]), np.array([9.0, 0, 0]), 0.1, 0.1)
    size = VOXEL
    profile = np.array([[-1, -1], [1, -1], [1, 1 - size], [1 - size, 1], [-1, 1]])
    ring = [np.column_stack([profile[:, 0], np.full(5, y), profile[:, 1]]) for y in (-1.0, 1.0)]
    walls = [(i, i + 5, (i + 1) % 5 + 5, (i + 1) % 5) for i in range(5)]
    triangles = [t for a, b, c, d in walls for t in ((a, b, c), (a, c, d))]
    triangles += [(0, i, i + 1) for i in (1, 2, 3)] + [(5, i + 6, i + 5) for i in (1, 2, 3)]
    found = verify(TriMesh(np.vstack(ring), np.array(triangles)), stock, far, VOXEL)
    assert found.true_edges.largest == pytest.approx(size, rel=1e-6)
    assert found.vertices.largest < 1e-9


def groove_edges(y, z, radius):
    """Distance of points (N, 3) from the curves where a capsule along x leaves the box's top z = 1 and sides x = 1."""
    half = np.sqrt(radius**2 - (1 - z) ** 2)
    return lambda p: np.minimum(
        np.hypot(np.abs(p[:, 1] - y) - half, p[:, 2] - 1),
        np.hypot(np.hypot(p[:, 1] - y, p[:, 2] - z) - radius, np.abs(p[:, 0]) - 1),
    )


def test_sampled_edges_lie_on_those_of_box_and_groove_and_all_along_them():
    surface = ExactSurface.of(box(), one_capsule(), VOXEL, "subtract")
    found = sample(surface)
    points = surface.grid.to_world(found.points)
    own = np.sort(np.abs(np.abs(points) - 1), axis=1)[:, 1]
    off = np.minimum(groove_edges(0.1, 0.95, 0.4)(points), own)
    assert off.max() < 1e-4 * VOXEL
    # Those of the box are gone where the groove is.
    gone = (np.hypot(points[:, 1] - 0.1, points[:, 2] - 0.95) < 0.4 - 1e-6) & (np.abs(points[:, 0]) < 2)
    assert not gone.any()
    along = np.linspace(-1, 1, 200)
    half = np.sqrt(0.4**2 - 0.05**2)
    angle = np.linspace(np.arcsin(-1), np.arcsin(0.05 / 0.4), 100)
    truth = [
        np.column_stack([along, np.full(200, 0.1 + half), np.ones(200)]),
        np.column_stack([along, np.full(200, 0.1 - half), np.ones(200)]),
        np.column_stack([np.ones(100), 0.1 + 0.4 * np.cos(angle), 0.95 + 0.4 * np.sin(angle)]),
        np.column_stack([along, np.ones(200), np.ones(200)]),
    ]
    assert cKDTree(points).query(np.concatenate(truth))[0].max() < 1.5 * VOXEL


def test_sampled_edges_have_the_crease_of_two_balls_and_only_where_it_shows():
    stock = box()
    sweep = Sweep(np.array([[-0.2, 0, 1.0], [0.2, 0, 1.0]]), np.array([[-0.2, 0, 1.0], [0.2, 0, 1.0]]), 0.35, 0.35)
    surface = ExactSurface.of(stock, sweep, VOXEL, "subtract")
    points = surface.grid.to_world(sample(surface).points)
    crease = np.abs(points[:, 0]) < 1e-6
    radius = np.hypot(points[crease, 1], points[crease, 2] - 1)
    np.testing.assert_allclose(radius, np.sqrt(0.35**2 - 0.2**2), atol=1e-6)
    assert (points[crease, 2] < 1 + 0.03 * VOXEL).all()
    angle = np.linspace(-np.pi, 0, 100)
    truth = np.sqrt(0.35**2 - 0.2**2) * np.column_stack([np.zeros(100), np.cos(angle), np.sin(angle)]) + [0, 0, 1]
    assert cKDTree(points).query(truth)[0].max() < 1.5 * VOXEL


def test_edges_hidden_inside_a_stock_that_crosses_itself_are_none():
    stock = joined(box(), box((-0.5, -0.5, -0.5), (1.5, 0.5, 0.5)))
    surface = ExactSurface.of(stock, one_capsule((9, 0, 0), (9, 0, 0)), VOXEL, "subtract")
    points = surface.grid.to_world(sample(surface).points)
    assert (box_distance(points) > -1e-9).all()
    assert (points[:, 0] > 1.2).any()


@pytest.mark.parametrize(
    ("wall", "reach"), [(sphere(2 * VOXEL, subdivisions=1), 0.0), (tube(2 * VOXEL, 1.0, sides=12), 5.0)]
)
def test_the_folds_of_a_round_place_are_no_edges(wall, reach):
    # Thirty degrees and more at each edge of the wall, and none is sharp: the tool has two voxels.
    sweep = Sweep(np.array([0, 0, -reach]), np.array([0, 0, reach]), 2 * VOXEL, 2 * VOXEL)
    found = verify(TriMesh(wall.points, wall.triangles[:, ::-1]), box(), sweep, VOXEL)
    assert found.vertices.largest < 1e-9
    assert (found.edges.count, found.stray_edges) == (0, 0)
    # Where the tool is larger, the same folds are sharp, and stray.
    large = verify(wall, box(), Sweep(np.zeros(3), np.zeros(3), 0.9, 0.9), VOXEL)
    assert large.stray_edges > 0


# Real results


@pytest.mark.parametrize("operation", ["subtract", "union", "intersect"])
def test_a_carve_is_measured_as_by_hand(operation):
    stock, sweep = box(), one_capsule((-0.6, 0.1, 0.8), (0.7, 0.3, 0.9), 0.3, 0.5)
    surface = carve(stock, sweep, VOXEL, operation=operation, backend="cpu").surface
    found = verify(surface, stock, sweep, VOXEL, operation)
    for points, part in (
        (surface.points, found.vertices),
        (surface.points[surface.triangles()].mean(1), found.centroids),
    ):
        b, w = box_distance(points), ball_union_distance(points, sweep)
        off = np.abs(np.maximum(*{"subtract": (b, -w), "union": (-b, -w), "intersect": (b, w)}[operation]))
        assert part.count == len(points)
        assert part.rms == pytest.approx(np.sqrt((off**2).mean()), abs=1e-4)
        assert part.largest == pytest.approx(off.max(), abs=1e-4)
    assert 0 < found.vertices.largest < VOXEL
    assert found.edges.count and found.true_edges.count
    assert found.edges.largest <= REACH * VOXEL


# Several operations: a box of side 2, a groove along its top, a bead across it that fills part of it, and a dent in the
# bead.

GROOVE, BEAD = ([[-2.0, 0, 1], [2.0, 0, 1]], 0.5), ([[0, -1.5, 1], [0, 1.5, 1]], 0.25)
DENT = ([[0, 0, 1.25]], 0.375)


def value_of_steps(points):
    """The signed field after groove, bead and dent, by closed forms."""
    groove = np.hypot(points[:, 1], points[:, 2] - 1) - 0.5
    beyond = np.maximum(np.abs(points[:, 1]) - 1.5, 0)  # the round ends of the bead
    bead = np.linalg.norm(np.column_stack([points[:, 0], points[:, 2] - 1, beyond]), axis=1) - 0.25
    return np.maximum(np.minimum(np.maximum(box_distance(points), -groove), bead), -dent_distance(points))


def dent_distance(points):
    return np.linalg.norm(points - DENT[0], axis=1) - DENT[1]


def steps(*operations):
    return Sweep.from_paths([Path(*each) for each in (GROOVE, BEAD, DENT)[: len(operations)]]), operations


def test_deviation_of_several_steps_is_the_last_value_by_closed_forms():
    points = np.random.default_rng(5).uniform(-1.6, 1.6, (3000, 3))
    sweep, operations = steps("subtract", "union", "subtract")
    surface = ExactSurface.of(box(), sweep, VOXEL, operations)
    off = surface.deviation(surface.grid.to_voxels(points)) * VOXEL
    np.testing.assert_allclose(off, np.abs(value_of_steps(points)), atol=1e-9)


def test_sampled_edges_of_several_steps_lie_on_the_last_surface_and_all_along_its_edges():
    sweep, operations = steps("subtract", "union", "subtract")
    surface = ExactSurface.of(box(), sweep, VOXEL, operations)
    points = surface.grid.to_world(sample(surface).points)
    assert np.abs(value_of_steps(points)).max() < 0.03 * VOXEL
    # Inside the bead, nothing is left of the groove's edge, nor of the box's.
    assert not (np.hypot(points[:, 0], points[:, 2] - 1) < 0.25 - 0.03 * VOXEL)[np.abs(points[:, 1]) > 0.4].any()
    signs = [(x, y) for x in (-1, 1) for y in (-1, 1)]
    down, along = np.linspace(0, np.pi / 6, 60), np.linspace(0.25, 1, 100)
    across = np.sqrt(0.25**2 - (0.5 * np.sin(down)) ** 2)
    crease = np.column_stack([across, 0.5 * np.cos(down), 1 - 0.5 * np.sin(down)])
    truth = [
        *(crease * [x, y, 1] for x, y in signs),  # of bead and groove
        *(np.column_stack([x * along, np.full(100, y * 0.5), np.ones(100)]) for x, y in signs),  # of groove and box
        *(np.column_stack([np.full(100, x * 0.25), y * (1 + along) / 2, np.ones(100)]) for x, y in signs),
    ]
    truth = np.concatenate(truth)[dent_distance(np.concatenate(truth)) > 0]
    assert len(truth) > 800 and cKDTree(points).query(truth)[0].max() < 1.5 * VOXEL
    on_dent = points[np.abs(dent_distance(points)) < 1e-3 * VOXEL]
    assert len(on_dent) > 50 and np.abs(np.hypot(on_dent[:, 0], on_dent[:, 2] - 1) - 0.25).max() < 0.03 * VOXEL


def test_a_carve_in_steps_is_measured_as_by_hand():
    sweep, operations = steps("subtract", "union", "subtract")
    surface = carve(box(), sweep, VOXEL, operation=operations, backend="cpu").surface
    found = verify(surface, box(), sweep, VOXEL, operations)
    off = np.abs(value_of_steps(surface.points))
    assert found.vertices.count == len(surface.points)
    assert found.vertices.rms == pytest.approx(np.sqrt((off**2).mean()), abs=1e-6)
    assert found.vertices.largest == pytest.approx(off.max(), abs=1e-6) and off.max() < VOXEL
    assert found.edges.count > 500 and found.stray_edges < 0.02 * found.edges.count
    assert found.lost_points < 0.02 * found.true_edges.count
    # Of the first two steps alone, it is a bad result: the edge of the dent is stray.
    sweep, operations = steps("subtract", "union")
    wrong = verify(surface, box(), sweep, VOXEL, operations)
    assert wrong.vertices.largest > VOXEL and wrong.stray_edges > 50


def test_what_closes_a_hole_is_left_out_and_counted():
    stock = hemisphere()
    sweep = Sweep(np.array([0, 0, -0.9]), np.array([0, 0, -0.9]), 0.3, 0.3)
    surface = carve(stock, sweep, VOXEL, backend="cpu").surface
    found = verify(surface, stock, sweep, VOXEL)
    closing = int((surface.source[surface.face_of_triangle()] == Source.CLOSURE).sum())
    assert closing > 0 and found.closure_faces == closing
    on_sheet = np.unique(surface.faces[surface.source == Source.CLOSURE])
    assert found.vertices.count == len(surface.points) - len(on_sheet)
    assert found.vertices.largest < 1.0 * VOXEL


def test_lengths_follow_the_size_of_the_whole():
    stock, sweep = box(), one_capsule()
    scale = 1e-3
    small = TriMesh(stock.points * scale, stock.triangles)
    little = Sweep(sweep.start * scale, sweep.end * scale, sweep.start_radius * scale, sweep.end_radius * scale)
    large = verify(carve(stock, sweep, VOXEL, backend="cpu").surface, stock, sweep, VOXEL)
    tiny = verify(carve(small, little, VOXEL * scale, backend="cpu").surface, small, little, VOXEL * scale)
    assert tiny.vertices.rms == pytest.approx(large.vertices.rms * scale, rel=1e-3)
    voxels = tiny.to_dict()["voxels"]["vertices"]
    assert voxels["rms"] == pytest.approx(large.vertices.rms / VOXEL, rel=1e-3)


# What it is told as


def test_a_deviation_has_root_mean_square_percentile_and_largest():
    found = Deviation.of(np.arange(101.0))
    assert (found.count, found.percentile_99, found.largest) == (101, 99, 100)
    assert found.rms == pytest.approx(np.sqrt(np.mean(np.arange(101) ** 2)))
    assert Deviation.of(np.empty(0)) == Deviation(0, 0.0, 0.0, 0.0)
    assert found.over(2.0).largest == 50


def test_it_tells_how_far_it_is_and_can_be_stopped():
    told = []
    verify(box(), box(), one_capsule(), VOXEL, progress=lambda stage, part: told.append(part))
    assert len(told) > 3 and told == sorted(told) and 0 <= told[0] <= told[-1] <= 1

    def stop(stage, part):
        raise CarveCancelled

    with pytest.raises(CarveCancelled):
        verify(box(), box(), one_capsule(), VOXEL, progress=stop)


def test_bad_questions_are_refused():
    with pytest.raises(InputError, match="subtract"):
        verify(box(), box(), one_capsule(), VOXEL, "divide")
    with pytest.raises(InputError):
        verify(box(), box(), one_capsule(), 0.0)
