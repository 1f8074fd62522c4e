"""Vertices in one place are set apart where joining them by their coordinates would spoil a face."""

import numpy as np
import pytest
import scipy
from scipy.spatial.transform import Rotation

from tests.shapes import sphere
from voxel_carve.compute.repair import set_apart, set_apart_where_joined, short_step, unpaired_edges
from voxel_carve.compute.repair.rounding import near_distance, twins_of

TETRAHEDRON = np.array([[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]], dtype=np.int32)
CORNERS = np.array([[0, 0, 0], [0, 0, 1], [1, 0, 0], [0.5, 0.5, 0]])


def around_an_edge(count, kind=np.float32):
    """Tetrahedra around the z axis, each with vertices of its own: points and triangles."""
    turned = [Rotation.from_rotvec([0, 0, n * 2 * np.pi / count]).apply(CORNERS) for n in range(count)]
    points = np.concatenate(turned)
    points[np.abs(points) < 1e-9] = 0
    triangles = np.concatenate([TETRAHEDRON[:, [0, 2, 1]] + 4 * n for n in range(count)])
    return points.astype(kind), triangles.astype(np.int32)


def sides_of(faces):
    return faces.ravel(), np.roll(faces, -1, axis=1).ravel()


def wrong_edges(points, triangles):
    """The edges without two faces, after vertices are joined by their coordinates, and faces without area are gone."""
    joined = np.unique(points, axis=0, return_inverse=True)[1].reshape(-1)[triangles]
    assert all((joined[:, i] != joined[:, i - 1]).all() for i in range(3))
    return len(unpaired_edges(*sides_of(joined)))


@pytest.mark.parametrize("kind", [np.float32, np.float64])
@pytest.mark.parametrize("count", [2, 3, 4])
def test_bodies_that_touch_in_an_edge_are_closed_when_joined_by_coordinates(count, kind):
    points, triangles = around_an_edge(count, kind)
    assert wrong_edges(points, triangles) > 0
    apart = set_apart_where_joined(points, triangles)
    assert apart.dtype == kind
    assert wrong_edges(apart, triangles) == 0
    assert np.linalg.norm(apart - points, axis=1).max() <= 2 * short_step(points) < 1e-5
    np.testing.assert_array_equal(apart[:4], points[:4])


def test_bodies_one_step_apart_are_closed_when_text_joins_them():
    """Text has six decimals: an edge of the second body is rounded to that of the first."""
    points, triangles = around_an_edge(2)
    away = 3 + points  # where a step is larger
    away[4:6] = np.nextafter(away[4:6], 9)
    assert wrong_edges(away, triangles) == 0
    assert wrong_edges(np.round(away.astype(float), 6), triangles) > 0
    apart = set_apart_where_joined(away, triangles)
    assert wrong_edges(np.round(apart.astype(float), 6), triangles) == 0
    np.testing.assert_array_equal(apart[:4], away[:4])


@pytest.mark.parametrize("on_lattice", [False, True])
def test_all_points_are_found_that_are_near_another(on_lattice):
    """Against a tree. Points on a lattice may lie beside the sides of the cells that are searched."""
    random = np.random.default_rng(int(on_lattice))
    points = random.uniform(-2, 2, (4000, 3))
    points = (np.round(points * 4) / 4 if on_lattice else points).astype(np.float32)
    near = near_distance(points)
    points[:1500] = points[1500:3000] + random.uniform(-1.2, 1.2, (1500, 3)) * near
    pairs = scipy.spatial.cKDTree(points).query_pairs(near, p=np.inf, output_type="ndarray")
    found, first = twins_of(points)
    np.testing.assert_array_equal(found, np.unique(pairs))
    whole = scipy.sparse.coo_matrix((np.ones(len(pairs)), pairs.T), (len(points),) * 2)
    group = scipy.sparse.csgraph.connected_components(whole, directed=False)[1]
    np.testing.assert_array_equal(first, np.unique(group, return_index=True)[1][group[found]])


def test_quads_that_touch_in_an_edge_are_set_apart_too():
    quads = np.array([[0, 3, 2, 1], [4, 5, 6, 7], [0, 1, 5, 4], [1, 2, 6, 5], [2, 3, 7, 6], [3, 0, 4, 7]])
    corners = np.array([(x, y, z) for z in (0, 1) for x, y in ((0, 0), (1, 0), (1, 1), (0, 1))])
    beside = corners + np.array([1, 1, 0])
    points = np.concatenate([corners, beside]).astype(np.float32)
    faces = np.concatenate([quads, quads + 8]).astype(np.int32)
    triangles = faces[:, [0, 1, 2, 0, 2, 3]].reshape(-1, 3)
    assert wrong_edges(points, triangles) > 0
    assert wrong_edges(set_apart_where_joined(points, faces), triangles) == 0


def test_an_edge_without_length_gets_one():
    points, triangles = around_an_edge(1)
    # The edge from 2 to 3 is split by two vertices in one place.
    points = np.concatenate([points, [(points[2] + points[3]) / 2] * 2])
    whole = triangles[(triangles == 0).any(axis=1) & (triangles == 1).any(axis=1)]
    split = [[(0, 2, 4), (0, 4, 5), (0, 5, 3)], [(1, 4, 2), (1, 5, 4), (1, 3, 5)]]
    triangles = np.concatenate([whole, *split]).astype(np.int32)
    assert len(unpaired_edges(*sides_of(triangles))) == 0
    apart = set_apart_where_joined(points, triangles)
    assert wrong_edges(apart, triangles) == 0
    np.testing.assert_array_equal(apart[:5], points[:5])


def test_corners_that_no_face_joins_stay_where_they_are():
    points, triangles = around_an_edge(1)
    corners = points[triangles].reshape(-1, 3)
    loose = np.arange(len(corners), dtype=np.int32).reshape(-1, 3)
    np.testing.assert_array_equal(set_apart_where_joined(corners, loose), corners)


def test_vertices_far_from_the_origin_stay_where_they_are():
    """A step of the precision is half a unit there, and some edges have only a few steps."""
    ball = sphere(30.0, (5e6, 0, 0), subdivisions=3)
    points = ball.points.astype(np.float32)
    assert len(np.unique(points, axis=0)) == len(points)
    np.testing.assert_array_equal(set_apart_where_joined(points, ball.triangles), points)


def test_bodies_that_touch_in_a_point_stay_where_they_are():
    points, triangles = around_an_edge(1)
    both = np.concatenate([points, -points])
    faces = np.concatenate([triangles, triangles[:, ::-1] + 4])
    np.testing.assert_array_equal(set_apart_where_joined(both, faces), both)


def test_only_vertices_that_may_move_do():
    points, triangles = around_an_edge(3)
    moves = np.zeros(len(points), dtype=bool)
    moves[:8] = True
    apart = set_apart(points, *sides_of(triangles), moves)
    np.testing.assert_array_equal(apart[8:], points[8:])
    assert len(np.unique(apart, axis=0)) == len(points)


def test_nothing_is_copied_where_all_vertices_are_apart():
    points, triangles = around_an_edge(1)
    assert set_apart_where_joined(points, triangles) is points
