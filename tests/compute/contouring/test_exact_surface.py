"""Vertices lie on the exact surface, and edges run along the exact edges: by `verify`."""

from functools import cache

import numpy as np
import pytest

from benchmarks import cases as cases_of_benchmarks
from tests.compute.contouring.edges.test_sharp_edges import TOP, VOXEL_SIZE, crossing_tubes
from tests.compute.contouring.results import BACKEND, FAR_AWAY, assert_manifold, carved, cases, path
from tests.shapes import box
from voxel_carve.compute import Path, Source, Sweep, TriMesh, carve, sweep_distance, verify

STOCK = box((-12, -11, -9), (12, 10, 9))
OPERATIONS = ["subtract", "union", "intersect"]
THREE = Sweep.from_paths(
    [
        Path([[-30, 2.3, 1.2], [30, -1.7, 4.1]], [4.0]),
        Path([[2.1, -30, 3], [-3.2, 30, 1.1]], [3.0]),
        Path([[-1.3, 2, -30], [1.2, -2.5, 30]], [3.5]),
    ]
)


def random_capsules(seed):
    """Six capsules, thick and thin, that cross each other and the sides of the box."""
    rng = np.random.default_rng(seed)
    return Sweep.from_paths([Path(rng.uniform(-14, 14, (2, 3)), [rng.uniform(1, 4)]) for _ in range(6)])


@pytest.mark.parametrize("operation", OPERATIONS)
def test_three_capsules_that_cross(operation):
    surface = carved(STOCK, THREE, operation)
    assert_manifold(surface)
    found = verify(surface, STOCK, THREE, 1.0, operation)
    assert found.vertices.rms < 0.001 and found.vertices.largest < 0.02
    assert found.centroids.rms < 0.03 and found.centroids.largest < 0.15
    for edges in (found.edges, found.true_edges):
        assert edges.rms < 0.03 and edges.largest < 0.1
    assert found.stray_edges == found.lost_points == 0


@cache
def accuracies(operation):
    """Of some random jobs."""
    found = []
    for seed in range(4):
        sweep = random_capsules(seed)
        found.append(verify(carved(STOCK, sweep, operation), STOCK, sweep, 1.0, operation))
    return found


@pytest.mark.parametrize("operation", OPERATIONS)
def test_random_capsules(operation):
    for found in accuracies(operation):
        assert found.vertices.rms < 0.01
        assert found.centroids.rms < 0.06 and found.centroids.largest < 0.5
        assert found.edges.rms < 0.2 and found.true_edges.rms < 0.2


@pytest.mark.parametrize(
    "operation",
    cases(OPERATIONS, OPERATIONS, "vertices where three surfaces meet are 0.10 to 0.27 voxels off"),
)
def test_no_vertex_of_random_capsules_is_off(operation):
    assert max(found.vertices.largest for found in accuracies(operation)) < 0.1


@pytest.mark.parametrize("operation", cases(OPERATIONS, ["intersect"], "of one job, 5 points of true edges are lost"))
def test_all_true_edges_of_random_capsules_are_there(operation):
    assert [found.lost_points for found in accuracies(operation)] == [0] * 4


@pytest.mark.parametrize("radius", [2.0, 3.0])
@pytest.mark.parametrize("count", [180, 360, 720])
def test_a_smooth_path_of_short_segments_leaves_no_edge_in_its_groove(count, radius):
    """A ring of segments shorter than a voxel: within a cell, the ends of several are beside each other."""
    turn = np.linspace(0, 2 * np.pi, count + 1)
    points = np.column_stack([8.3 * np.cos(turn) + 0.2, 8.3 * np.sin(turn) + 0.1, np.full(count + 1, 3.1)])
    stock, sweep = box((-15, -15, -5), (15, 15, 3.3)), path(points, radius)
    found = verify(carved(stock, sweep), stock, sweep, 1.0)
    assert found.edges.largest < 0.05 and found.true_edges.largest < 0.05
    assert found.vertices.largest < 0.1 and found.vertices.rms < 0.01
    assert found.stray_edges == found.lost_points == 0


def test_no_vertex_among_crossing_tubes_is_off():
    """Tubes a few voxels wide, three or more in some places."""
    sweep = crossing_tubes()
    assert verify(carved(TOP, sweep, voxel_size=VOXEL_SIZE), TOP, sweep, VOXEL_SIZE).vertices.largest < 0.1 * VOXEL_SIZE


def test_no_vertex_of_a_raster_is_off():
    """Between two passes, islands of the top end in tips thinner than a voxel. Points beside them are hidden by passes
    that cross no edge of their cell."""
    case = cases_of_benchmarks.make("W1-1000")
    sweep = Sweep.of([case.path])
    result = carve(case.stock, sweep, resolution=128, backend=BACKEND)
    voxel_size = result.report.voxel_size
    assert verify(result.surface, case.stock, sweep, voxel_size).vertices.largest < 0.08 * voxel_size


def test_faces_lie_on_their_surface_where_a_border_lies_in_the_sides_of_cells():
    """The top of the stock goes through voxel centres. The walls of a curved groove that changes its width have no
    height in the cells over it."""
    t = np.linspace(0, 1, 49)
    points = np.stack([1 + 4 * t, 1.7 + 0.7 * np.sin(3 * t), 1.75 + 0.15 * np.cos(4 * t)], axis=1)
    groove = Sweep.from_paths([Path(points, 0.45 + 0.1 * np.sin(5 * t))])
    surface = carved(box((0, 0, 0), (6, 3.5, 2)), groove, voxel_size=0.08)
    assert_manifold(surface)
    of_groove = np.unique(surface.faces[surface.source == Source.PATH])
    assert abs(sweep_distance(surface.points[of_groove], groove).distance).max() < 0.01 * 0.08


def bevelled_bar(turn, first, second):
    """A bar along y whose top goes down in two narrow bevels, at 14 and 28 degrees, to a sharp edge; turned about y.

    Args:
        turn: in degrees.    first, second: the widths of the bevels.
    """
    place, profile = np.array([-6.0, 4.0]), [[-6.0, 4.0]]
    for angle, width in ((0, 6.0), (14, first), (28, second)):
        place = place + width * np.array([np.cos(np.radians(angle)), -np.sin(np.radians(angle))])
        profile.append(place.tolist())
    profile += [[place[0] - 1.0, -4.0], [-6.0, -4.0]]
    cosine, sine, count = np.cos(np.radians(turn)), np.sin(np.radians(turn)), len(profile)
    turned = np.array(profile) @ np.array([[cosine, sine], [-sine, cosine]])
    points = [[x, y, z] for y in (-8.3, 8.4) for x, z in turned]
    sides = [[i, count + i, count + (i + 1) % count, (i + 1) % count] for i in range(count)]
    halves = [half for a, b, c, d in sides for half in ((a, c, b), (a, d, c))]
    ends = [half for i in range(1, count - 1) for half in ((0, i + 1, i), (count, count + i, count + i + 1))]
    return TriMesh(np.array(points), np.array(halves + ends, dtype=np.int32))


@pytest.mark.parametrize("turn, first, second", [(5, 0.5, 0.5), (0, 0.7, 0.2), (20, 0.6, 0.3)])
def test_narrow_bevels_beside_a_sharp_edge(turn, first, second):
    """No edge of the grid may cross a bevel that is narrower than a voxel."""
    bar = bevelled_bar(turn, first, second)
    assert bar.volume() > 0
    assert verify(carved(bar), bar, FAR_AWAY, 1.0).vertices.largest < 0.002
