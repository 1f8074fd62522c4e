"""Values carried from a mesh's corners to a surface made of it: against linear functions and brute force."""

import numpy as np
import pytest

from tests.shapes import sphere
from voxel_carve.compute import Source, Surface, TriMesh
from voxel_carve.compute.attributes.transfer import CornerData, Walker, corner_values, joined_triangles, point_places

pytestmark = pytest.mark.compiled

RNG = np.random.default_rng(11)


def sheet(side=10, height=0.0):
    """A square from 0 to 1 in the plane z = 0, 2 side^2 triangles; `height` bends it."""
    x, y = np.meshgrid(np.linspace(0, 1, side + 1), np.linspace(0, 1, side + 1), indexing="ij")
    points = np.column_stack([x.ravel(), y.ravel(), height * np.sin(3 * x.ravel())])
    index = np.arange(len(points)).reshape(side + 1, side + 1)
    a, b, c, d = index[:-1, :-1].ravel(), index[1:, :-1].ravel(), index[1:, 1:].ravel(), index[:-1, 1:].ravel()
    return TriMesh(points, np.concatenate([np.stack([a, b, c], axis=1), np.stack([a, c, d], axis=1)]))


def torn(mesh, where):
    """u = x, but from the line x = `where` on 10 more, with a seam there; v = y. One row for each corner."""
    corner = mesh.corners()
    right = corner.mean(axis=1)[:, 0] > where
    values = corner[:, :, :2] + np.where(right, 10.0, 0.0)[:, None, None] * (1, 0)
    index = np.arange(3 * len(corner), dtype=np.int32).reshape(-1, 3)
    return CornerData(values.reshape(-1, 2).astype(np.float32), index), right


def quads_at(middles, half, primitive, source=Source.STOCK):
    """Loose quads in the plane z = 0 about middles (M, 3)."""
    ring = half * np.array([(-1, -1, 0), (1, -1, 0), (1, 1, 0), (-1, 1, 0)])
    points = (middles[:, None] + ring).reshape(-1, 3)
    faces = np.arange(len(points), dtype=np.int32).reshape(-1, 4)
    return Surface(points, faces, np.full(len(faces), source, dtype=np.uint8), primitive.astype(np.int32))


def test_triangles_are_joined_over_edges_where_the_values_are_one():
    mesh = sheet(4)
    data, right = torn(mesh, 0.5)
    whole, parted = joined_triangles(mesh.triangles), joined_triangles(mesh.triangles, data)
    assert (whole >= 0).sum() == 2 * (3 * 16 * 2 - 16) // 2  # all but the 16 edges of the border
    triangle, corner = np.nonzero(whole >= 0)
    across = right[triangle] != right[whole[triangle, corner]]
    assert across.sum() == 2 * 4
    np.testing.assert_array_equal(parted[triangle, corner] < 0, across)
    # The edge is the one opposite the corner: the two triangles share its ends.
    for t, k in zip(triangle.tolist(), corner.tolist(), strict=True):
        ends = set(np.delete(mesh.triangles[t], k).tolist())
        assert ends <= set(mesh.triangles[whole[t, k]].tolist())


def test_an_edge_of_three_triangles_joins_none():
    triangles = np.array([[0, 1, 2], [1, 0, 3], [0, 1, 4]], dtype=np.int32)
    assert (joined_triangles(triangles) == -1).all()


@pytest.mark.parametrize("side", [1, 7, 60])
def test_a_linear_map_is_exact_whatever_the_size_of_triangles(side):
    mesh = sheet(side)
    data, right = torn(mesh, 2.0)
    assert not right.any()
    middles = np.column_stack([RNG.uniform(0.1, 0.9, (200, 2)), np.zeros(200)])
    # The face's triangle is not quite the nearest: that of a place a little off.
    near = np.clip(middles + RNG.uniform(-0.08, 0.08, (200, 3)) * (1, 1, 0), 0, 1)
    primitive = np.linalg.norm(mesh.corners().mean(axis=1)[None] - near[:, None], axis=2).argmin(axis=1)
    surface = quads_at(middles, 0.05, primitive)
    walker = Walker(mesh.corners(), joined_triangles(mesh.triangles, data))
    (found,) = corner_values(walker, surface, [data], beyond=True)
    np.testing.assert_allclose(found, surface.points[surface.faces][:, :, :2], atol=1e-6)


def test_no_face_goes_over_a_seam():
    mesh = sheet(60)
    data, right = torn(mesh, 0.5)
    middles = np.column_stack([RNG.uniform(0.4, 0.6, 300), RNG.uniform(0.1, 0.9, 300), np.zeros(300)])
    primitive = np.linalg.norm(mesh.corners().mean(axis=1)[None] - middles[:, None], axis=2).argmin(axis=1)
    surface = quads_at(middles, 0.04, primitive)
    walker = Walker(mesh.corners(), joined_triangles(mesh.triangles, data))
    (found,) = corner_values(walker, surface, [data], beyond=True)
    own = right[primitive]
    at = surface.points[surface.faces]
    assert (((at[:, :, 0] > 0.5) != own[:, None]).any(axis=1)).sum() > 50  # so many go over it in space
    expected = at[:, :, :2] + np.where(own, 10.0, 0.0)[:, None, None] * (1, 0)
    np.testing.assert_allclose(found, expected, atol=1e-5)  # the island's own function, continued
    (clamped,) = corner_values(walker, surface, [data], beyond=False)
    assert clamped[own][:, :, 0].min() >= 10.5 - 1e-5 and clamped[~own][:, :, 0].max() <= 0.5 + 1e-5


def test_slivers_give_no_garbage():
    """A triangle as thin as rounding, whose values differ across it by as much as along it."""
    mesh = TriMesh([[0, 0, 0], [1, 0, 0], [0.5, 1e-9, 0]], [[0, 1, 2]])
    data = CornerData(np.array([[0.0], [1.0], [5.0]], dtype=np.float32), np.array([[0, 1, 2]], dtype=np.int32))
    surface = quads_at(np.array([[0.5, 0.0, 0.0]]), 0.1, np.zeros(1))
    walker = Walker(mesh.corners(), joined_triangles(mesh.triangles, data))
    (found,) = corner_values(walker, surface, [data], beyond=True)
    assert np.isfinite(found).all() and np.abs(found).max() < 10
    flat = TriMesh([[0, 0, 0], [1, 0, 0], [0.5, 0, 0]], [[0, 1, 2]])
    (found,) = corner_values(Walker(flat.corners(), walker.joined), surface, [data], beyond=True)
    assert np.isfinite(found).all() and np.abs(found).max() < 10


def test_walks_end_at_the_nearest_triangle():
    mesh = sphere(subdivisions=4)
    corner = mesh.corners()
    points = RNG.normal(size=(300, 3))
    points /= np.linalg.norm(points, axis=1, keepdims=True)
    start = np.linalg.norm(
        corner.mean(axis=1)[None] - (points + RNG.normal(scale=0.15, size=(300, 3)))[:, None], axis=2
    )
    walker = Walker(mesh.corners(), joined_triangles(mesh.triangles))
    triangle, weights, nearest = walker.walk(start.argmin(axis=1).astype(np.int32), points)
    place = np.einsum("ni,nij->nj", nearest, corner[triangle])
    found = np.linalg.norm(place - points, axis=1)
    # By brute force: the distance to each of many places on each triangle is at least the true one.
    lattice = np.array([(i, j, 12 - i - j) for i in range(13) for j in range(13 - i)]) / 12
    places = np.einsum("ki,tij->tkj", lattice, corner).reshape(-1, 3)
    brute = np.array([np.linalg.norm(places - point, axis=1).min() for point in points])
    assert (found <= brute + 1e-12).mean() > 0.97
    np.testing.assert_allclose(nearest.sum(axis=1), 1)
    np.testing.assert_allclose(weights.sum(axis=1), 1)
    assert nearest.min() > -1e-6


def test_faces_and_points_that_are_not_the_stock_s_have_nothing():
    mesh = sheet(3)
    data = CornerData(np.ones((len(mesh.points), 3), dtype=np.float32), mesh.triangles)
    surface = quads_at(np.array([[0.3, 0.3, 0], [0.7, 0.7, 0], [0.5, 0.2, 0]]), 0.05, np.array([0, 5, -1]))
    surface = Surface(surface.points, surface.faces, np.array([0, 1, 0], dtype=np.uint8), surface.primitive)
    walker = Walker(mesh.corners(), joined_triangles(mesh.triangles))
    (found,) = corner_values(walker, surface, [data], beyond=False)
    np.testing.assert_allclose(found, np.broadcast_to(np.array([1.0, 0, 0])[:, None, None], (3, 4, 3)), atol=1e-6)
    values = point_places(walker, surface).values(data, len(surface.points))
    np.testing.assert_allclose(values, np.repeat([1.0, 0, 0], 4)[:, None] * np.ones(3), atol=1e-6)
