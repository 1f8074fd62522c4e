"""Feature edges are complete even where they just miss a cell, and no face overlaps another because of it."""

import numpy as np
import pytest
from scipy.spatial import cKDTree

from tests.compute.contouring.results import ENGINES
from tests.fuzz.__main__ import backend_of
from tests.fuzz.judge import overlapping_pairs
from tests.shapes import box, triangle_distance
from voxel_carve.compute import Path, Sweep, TriMesh, carve, verify

VOXEL_SIZE = 1 / 8
RADIUS = 1.0
TOP = box((-4, -4, -2), (4, 4, 1.03))


def tilted_groove(heading, lean):
    """A straight path into the top of the box, and points of the ellipse where its cylinder meets the top."""
    along = np.array([np.cos(heading), np.sin(heading), lean])
    along /= np.linalg.norm(along)
    start, end = np.array([0, 0, 0.7]) - 2.5 * along, np.array([0, 0, 0.7]) + 2.5 * along
    u = np.cross(along, (0, 0, 1))
    u /= np.linalg.norm(u)
    v = np.cross(along, u)
    angle = np.linspace(0, 2 * np.pi, 4000)[:, None]
    ring = start + RADIUS * (np.cos(angle) * u + np.sin(angle) * v)
    place = (1.03 - ring[:, 2:]) / along[2]
    edge = ring + place * along
    steep = np.abs((ring - start)[:, 2]) < RADIUS * np.cos(np.radians(20))
    on_path = (place[:, 0] > 0) & (place[:, 0] < 5) & steep
    assert on_path.sum() > 500
    return Sweep.from_paths([Path([start, end], [RADIUS])]), edge[on_path]


def distance_to(edge, result):
    """Distances between points of an edge and the mesh, in voxels."""
    edge, triangles = edge[::7], result.triangles()
    off, _ = cKDTree(edge).query(result.points)
    near = TriMesh(result.points, triangles[(off < 3 * VOXEL_SIZE)[triangles].any(axis=1)])
    return triangle_distance(edge, near) / VOXEL_SIZE


@pytest.mark.parametrize("backend", ENGINES)
@pytest.mark.parametrize(("heading", "lean"), [(0.3, 0.13), (0.8, 0.2), (2.0, -0.17), (4.1, 0.09)])
def test_the_edge_of_a_groove_is_complete(backend, heading, lean):
    sweep, edge = tilted_groove(heading, lean)
    result = carve(TOP, sweep, VOXEL_SIZE, backend=backend_of(backend)).surface
    assert distance_to(edge, result).max() < 0.05


@pytest.mark.parametrize("operation", ["subtract", "union", "intersect"])
def test_no_face_overlaps_another_where_edges_cross(operation):
    """Rounded ridges and islands lower than a voxel, as between the rows of a tool path."""
    pytest.importorskip("bpy")
    rows = [Path([(-3, y, 0.9 + 0.04 * y), (3, y + 0.4, 1.0)], [0.5]) for y in np.arange(-2, 2.5, 0.73)]
    result = carve(TOP, Sweep.from_paths(rows), VOXEL_SIZE, operation=operation, backend="cpu").surface
    assert len(overlapping_pairs(result.points / VOXEL_SIZE, result.triangles())) == 0


@pytest.mark.parametrize(
    ("operation", "radius", "seeds"), [("subtract", 0.2, (9,)), ("subtract", 0.4, (6, 10)), ("union", 0.3, (0,))]
)
def test_the_beads_of_a_path_thinner_than_a_voxel_do_not_overlap(operation, radius, seeds):
    """The grid sees such a path at some voxels only, and most cells around one of them hold hardly any of it."""
    pytest.importorskip("bpy")
    side = 8 if operation == "subtract" else 2
    for seed in seeds:
        along = np.random.default_rng(seed).normal(size=3)
        along *= 7 / np.linalg.norm(along)
        job = box([-side] * 3, [side] * 3), Sweep(0.13 - along, 0.13 + along, radius, radius), 1.0
        result = carve(*job, operation=operation, backend="cpu").surface
        assert len(overlapping_pairs(result.points, result.triangles())) == 0


def crossing_tubes(count=12, radii=(0.4, 0.7)):
    """Tubes a few voxels wide that cross each other and the sides of the box, three or more in some places."""
    rng = np.random.default_rng(5)
    steps = rng.normal(0, 0.55, (count, 30, 3))
    points = np.clip(rng.uniform(-2, 2, (count, 1, 3)) + np.cumsum(steps, axis=1), -3.5, 3.5) * (1, 1, 0.45)
    return Sweep.from_paths([Path(path, rng.uniform(*radii, 30)) for path in points])


@pytest.mark.parametrize("backend", ENGINES)
def test_vertices_are_on_the_surface_where_many_meet(backend):
    sweep = crossing_tubes()
    result = carve(TOP, sweep, VOXEL_SIZE, backend=backend_of(backend)).surface
    assert verify(result, TOP, sweep, VOXEL_SIZE).vertices.largest < 0.1 * VOXEL_SIZE


def bevelled_bar(segments):
    """A bar with rounded edges, turned away from the grid; and points of the edges along the rounded ones."""
    corner = np.linspace(0, np.pi / 2, segments + 1)
    profile = np.concatenate(
        [
            np.stack([x + 1.5 * np.cos(turn + corner), y + 1.5 * np.sin(turn + corner)], axis=1)
            for x, y, turn in ((1, 0.7, 0), (-1, 0.7, np.pi / 2), (-1, -0.7, np.pi), (1, -0.7, 1.5 * np.pi))
        ]
    )
    number = len(profile)
    points = np.concatenate([np.column_stack([profile, np.full(number, z)]) for z in (-3, 3)])
    here, there = np.arange(number), np.roll(np.arange(number), -1)
    fan = np.stack([np.zeros(number - 2, int), np.arange(1, number - 1), np.arange(2, number)], axis=1)
    sides = [np.stack([here, there, there + number], axis=1), np.stack([here, there + number, here + number], axis=1)]
    triangles = np.concatenate([*sides, fan + number, fan[:, ::-1]])
    turned = np.linalg.qr(np.array([[0.8, 0.3, -0.5], [-0.2, 0.9, 0.4], [0.5, -0.3, 0.7]]))[0]
    turned *= np.sign(np.linalg.det(turned))
    height = np.linspace(-2.6, 2.6, 200)
    edges = np.concatenate([np.column_stack([np.tile(each, (200, 1)), height]) for each in profile])
    return TriMesh(points @ turned.T, triangles), edges @ turned.T


@pytest.mark.parametrize("backend", ENGINES)
@pytest.mark.parametrize("segments", [2, 4, 6])
def test_edges_of_small_angles_are_edges_of_the_result(backend, segments):
    """A bevel bends by 45, 22.5 or 15 degrees at each of its edges."""
    stock, edge = bevelled_bar(segments)
    sweep = Sweep.from_paths([Path([(0, 0, 0), (0.1, 0, 0)], [0.2])])
    result = carve(stock, sweep, VOXEL_SIZE, backend=backend_of(backend)).surface
    assert np.sqrt(np.mean(distance_to(edge, result) ** 2)) < 0.01
