"""Feature edges are complete even where they just miss a cell, and no face overlaps another because of it."""

import numpy as np
import pytest
from scipy.spatial import cKDTree

from tests.borders import skip_fairing, skip_rims
from tests.fuzz.__main__ import backend_of
from tests.fuzz.judge import overlapping_pairs
from tests.shapes import box, triangle_distance
from voxel_carve.compute import Path, Sweep, TriMesh, carve, get_backend, verify
from voxel_carve.compute.model.bricks import NO_PRIMITIVE
from voxel_carve.compute.model.mesh import DualMesh

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


@pytest.mark.parametrize("backend", ["cpu", "warp"])
@pytest.mark.parametrize(("heading", "lean"), [(0.3, 0.13), (0.8, 0.2), (2.0, -0.17), (4.1, 0.09)])
def test_the_edge_of_a_groove_is_complete(backend, heading, lean):
    sweep, edge = tilted_groove(heading, lean)
    result = carve(TOP, sweep, VOXEL_SIZE, backend=backend_of(backend)).surface
    assert distance_to(edge, result).max() < 0.05


def complete_edges_only(monkeypatch):
    """Neither cut rims nor fair ragged places."""
    skip_rims(monkeypatch)
    skip_fairing(monkeypatch)


def skip_snapping(monkeypatch):
    complete_edges_only(monkeypatch)
    monkeypatch.setattr("voxel_carve.compute.engines.numba.surface.surface.complete_edges", lambda *_: None)


def test_without_snapping_the_edge_is_cut_off(monkeypatch):
    """Show that the test above depends on this."""
    skip_snapping(monkeypatch)
    sweep, edge = tilted_groove(0.3, 0.13)
    assert distance_to(edge, carve(TOP, sweep, VOXEL_SIZE, backend="cpu").surface).max() > 0.2


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


def all_overlap(points, quads, nearby, changed, movers):
    back = np.zeros(len(movers.moved), dtype=bool)
    moved = movers.of_vertex[quads[changed]]
    back[moved[moved >= 0]] = True
    return back & movers.moved


def test_a_vertex_goes_back_where_its_faces_would_overlap(monkeypatch):
    """If every changed quad overlaps another, nothing moves."""
    sweep, _ = tilted_groove(0.3, 0.13)
    skip_snapping(monkeypatch)
    left = carve(TOP, sweep, VOXEL_SIZE, backend="cpu")
    monkeypatch.undo()
    complete_edges_only(monkeypatch)
    monkeypatch.setattr("voxel_carve.compute.engines.numba.contour.edge_snapping.mark_overlaps", all_overlap)
    same = carve(TOP, sweep, VOXEL_SIZE, backend="cpu")
    assert np.array_equal(left.surface.points, same.surface.points)
    assert np.array_equal(left.surface.faces, same.surface.faces)
    assert left.report.counts["fallback_vertices"] == same.report.counts["fallback_vertices"] > 0


def test_vertices_go_back_from_the_overlaps_that_blender_finds():
    """In each pair of overlapping faces, the vertex that moved farthest goes back."""
    pytest.importorskip("bpy")
    from voxel_carve.compute.engines.numba.contour.edge_snapping import Movers
    from voxel_carve.compute.engines.numba.contour.overlaps import mark_overlaps

    get_backend("cpu")
    rng, count = np.random.default_rng(0), 300
    points = np.repeat(rng.uniform(0, 8, (count, 3)), 4, axis=0) + rng.normal(0, 0.6, (4 * count, 3))
    points = points.astype(np.float32).astype(np.float64)
    quads = np.arange(4 * count, dtype=np.int32).reshape(-1, 4)
    triangles = np.concatenate([quads[:, [0, 1, 2]], quads[:, [0, 2, 3]]])
    movers = Movers(np.arange(4 * count, dtype=np.int32), np.ones(4 * count, dtype=bool), rng.random(4 * count))
    pairs = overlapping_pairs(points, triangles)
    corners = triangles[pairs].reshape(-1, 6)
    for changed in (np.arange(count), np.flatnonzero(rng.random(count) < 0.3), np.empty(0, dtype=np.int64)):
        found = mark_overlaps(points, quads, np.arange(count), changed, movers)
        seen = corners[np.isin(pairs % count, changed).any(axis=1)]
        expected = np.zeros(4 * count, dtype=bool)
        expected[np.take_along_axis(seen, movers.distance[seen].argmax(axis=1)[:, None], axis=1)] = True
        assert np.array_equal(found, expected)
        assert found.sum() > 20 or not len(changed)


def crossing_tubes(count=12, radii=(0.4, 0.7)):
    """Tubes a few voxels wide that cross each other and the sides of the box, three or more in some places."""
    rng = np.random.default_rng(5)
    steps = rng.normal(0, 0.55, (count, 30, 3))
    points = np.clip(rng.uniform(-2, 2, (count, 1, 3)) + np.cumsum(steps, axis=1), -3.5, 3.5) * (1, 1, 0.45)
    return Sweep.from_paths([Path(path, rng.uniform(*radii, 30)) for path in points])


@pytest.mark.parametrize("backend", ["cpu", "warp"])
def test_vertices_are_on_the_surface_where_many_meet(backend):
    sweep = crossing_tubes()
    result = carve(TOP, sweep, VOXEL_SIZE, backend=backend_of(backend)).surface
    assert verify(result, TOP, sweep, VOXEL_SIZE).vertices.largest < 0.1 * VOXEL_SIZE


@pytest.mark.parametrize("search", ["find_occluders", "drop_off_triangle"])
def test_without_the_occlusion_search_some_are_not(monkeypatch, search):
    """Show that the test above depends on this."""
    finds_nothing = {
        "find_occluders": lambda primitives, lookup, points, wanted: np.full(len(points), NO_PRIMITIVE, dtype=np.int32),
        "drop_off_triangle": lambda *_: None,
    }
    complete_edges_only(monkeypatch)
    monkeypatch.setattr(f"voxel_carve.compute.engines.numba.contour.sharp_edges.{search}", finds_nothing[search])
    sweep = crossing_tubes()
    result = carve(TOP, sweep, VOXEL_SIZE, backend="cpu").surface
    assert verify(result, TOP, sweep, VOXEL_SIZE).vertices.largest > 0.2 * VOXEL_SIZE


def test_a_chain_that_cannot_move_stays():
    """As when the edge is farther than its vertices may move."""
    from voxel_carve.compute.engines.numba.contour.edge_snapping import LocalQuads, snap

    quads, kinds = np.array([[0, 1, 2, 3]], np.int32), np.full(4, 3, np.uint8)
    mesh = DualMesh(np.eye(4, 3), quads, np.zeros(1, np.int32), kinds, np.arange(4))
    none = np.empty(0, dtype=np.int32)
    snap(None, mesh, LocalQuads(np.zeros(1, dtype=np.int64), np.ones(1)), none, np.empty((0, 3)))
    assert np.array_equal(mesh.points, np.eye(4, 3))
    assert (mesh.kinds == 3).all()


@pytest.mark.slow
def test_occluded_vertices_without_an_edge_step_out(monkeypatch):
    """Among tubes one or two voxels wide."""
    skip_rims(monkeypatch)
    sweep = crossing_tubes(count=60, radii=(0.15, 0.3))

    def deviation():
        return verify(carve(TOP, sweep, VOXEL_SIZE, backend="cpu").surface, TOP, sweep, VOXEL_SIZE).vertices

    found = deviation()
    monkeypatch.setattr(
        "voxel_carve.compute.engines.numba.contour.sharp_edges._pushed_out",
        lambda _, __, points: (np.zeros(len(points), dtype=bool), points[:0]),
    )
    assert found.rms < 0.9 * deviation().rms
