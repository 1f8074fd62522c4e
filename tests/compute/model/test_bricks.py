"""The two halves of the sign, signed crossings and the sum over the open boundary, against brute force.

On both engines, and in plain numpy.
"""

from types import SimpleNamespace

import numpy as np
import pytest

from tests.shapes import box, hemisphere, joined, lidless_box, solid_angle_winding, sphere, triangle_distance, tube
from voxel_carve.compute import Grid, TriMesh, get_backend
from voxel_carve.compute.engines.warp.backend import WarpBackend
from voxel_carve.compute.primitives.boundary import Boundary, boundary_winding, change_bound
from voxel_carve.compute.primitives.crossings import signed_crossings
from voxel_carve.compute.primitives.triangles import Triangles

GRID = Grid(np.full(3, -2.0), 1 / 12, (48, 48, 48))
RNG = np.random.default_rng(11)

STOCKS = {
    "crossing": joined(sphere(0.9, subdivisions=3), sphere(0.8, (0.7, 0.2, 0.1), subdivisions=3)),
    "hemisphere": hemisphere(1.4, subdivisions=3),
    "tube": tube(1.1, 2.2),
    "lidless box": lidless_box(),
    "inverted": TriMesh(box().points, box().triangles[:, ::-1]),
    "doubled face": TriMesh(box().points, np.vstack([box().triangles, box().triangles[:1]])),
}


@pytest.fixture(scope="module", params=["cpu", "warp", "plain"])
def sums(request):
    """What sums over the boundary, by the name of a backend, or in plain numpy."""
    if request.param == "plain":
        return SimpleNamespace(boundary_winding=boundary_winding)
    return get_backend("cpu") if request.param == "cpu" else WarpBackend("cpu")


def signed_above(sums, triangles, shape):
    """(N,) signed crossings above all voxels of a grid."""
    if isinstance(sums, SimpleNamespace):
        return signed_crossings(triangles.points, triangles.triangles, shape).ravel()
    index = np.argwhere(np.ones(shape, bool))
    return sums.pass_columns(triangles, shape).above(index[:, 0], index[:, 1] * shape[2] + index[:, 2])


@pytest.mark.parametrize("name", ["hemisphere", "tube", "lidless box", "crossing", "doubled face", "inverted"])
def test_crossings_and_boundary_make_the_winding_number(sums, name):
    """Voxel columns pass exactly through edges of these meshes: ties must agree in both halves."""
    mesh, grid = STOCKS[name], Grid(np.full(3, -2.0), 1 / 4, (16, 16, 16))
    triangles = Triangles.on_grid(mesh, grid)
    boundary = Boundary.of(triangles.points, triangles.triangles)
    index = np.argwhere(np.ones(grid.shape, bool))
    above = signed_above(sums, triangles, grid.shape)
    w = above + sums.boundary_winding(index[:, ::-1] + 0.5, boundary)
    points = grid.centres(index)
    clear = triangle_distance(points, mesh) > 1e-9
    assert w[clear] == pytest.approx(solid_angle_winding(mesh, points)[clear], abs=1e-9)


def test_ties_below_edges_and_corners_of_an_open_boundary(sums):
    """Voxel centres exactly below the open edges and corners of a box without lower side and one wall."""
    whole = box((0, 0, 0), (4, 4, 4))
    normal = np.cross(*(whole.corners()[:, i] - whole.corners()[:, 0] for i in (1, 2)))
    mesh = TriMesh(whole.points + 0.5, whole.triangles[(normal[:, 2] >= 0) & (normal[:, 0] <= 0)])
    grid = Grid(np.zeros(3), 1.0, (6, 6, 6))
    triangles = Triangles.on_grid(mesh, grid)
    boundary = Boundary.of(triangles.points, triangles.triangles)
    index = np.argwhere(np.ones(grid.shape, bool))
    above = signed_above(sums, triangles, grid.shape)
    w = above + sums.boundary_winding(index[:, ::-1] + 0.5, boundary)
    points = grid.centres(index)
    clear = triangle_distance(points, mesh) > 1e-9
    assert clear.sum() > 100
    assert w[clear] == pytest.approx(solid_angle_winding(mesh, points)[clear], abs=1e-9)


def test_boundary_sum_below_the_ends_of_edges(sums):
    """There, the numbers whose angles are added up are as small as the shift that breaks ties."""
    corners = np.array([[0, 0, 0], [6, 0, 0], [6, 6, 0], [0, 6, 0]]) + 0.5
    spokes = np.array([[0, 1, 4], [1, 2, 4], [2, 3, 4], [3, 0, 4]])
    tip = [[3.5, 3.5, 4.5]]
    # Four triangles that hang together in one point only: eight edges of the boundary end there.
    around = [0, 2, 4, 6]
    ring = np.array([[9, 2, 0], [9, 5, 0], [5, 9, 0], [2, 9, 0], [-2, 5, 0], [-2, 2, 0], [2, -2, 0], [5, -2, 0]]) + 0.5
    fan = TriMesh(np.vstack([ring, tip]), np.array([[i, i + 1, 8] for i in around]))
    pyramid = TriMesh(np.vstack([corners, tip]), spokes)
    for mesh in (fan, pyramid):
        points = np.vstack([mesh.points, mesh.points]) - np.repeat([[0, 0, 1.0], [0, 0, 2.5]], len(mesh.points), axis=0)
        triangles = Triangles.on_grid(mesh, Grid(np.zeros(3), 1.0, (12, 12, 12)))
        boundary = Boundary.of(triangles.points, triangles.triangles)
        apart = [sums.boundary_winding(point[None] + 1e-7 * np.array([1, 1e-3, 0]), boundary)[0] for point in points]
        assert sums.boundary_winding(points, boundary) == pytest.approx(np.array(apart), abs=1e-6)


def test_gradient_and_bound_of_the_change(sums):
    mesh = hemisphere(1.4, subdivisions=2)
    triangles = Triangles.on_grid(mesh, GRID)
    boundary = Boundary.of(triangles.points, triangles.triangles)
    points = RNG.uniform(0, 48, (200, 3))
    step = RNG.normal(size=(200, 3)) * 0.5
    around, far = points + step, np.linalg.norm(step, axis=1)
    reach = float(far.max())
    bound = bound_of(sums, points, boundary, reach)
    change = sums.boundary_winding(around, boundary) - sums.boundary_winding(points, boundary)
    # Below an edge, the sum jumps by a whole number.
    assert (np.abs(change - np.round(change)) <= bound + 1e-12).all()
    slope = slope_of(sums, around, boundary)
    if not isinstance(sums, SimpleNamespace):
        assert sums.winding_gradient(around, boundary) == pytest.approx(slope, abs=1e-7)


def bound_of(sums, points, boundary, reach):
    """(N,) upper bounds of the change within `reach`."""
    if isinstance(sums, SimpleNamespace):
        return change_bound(points, boundary, reach)
    bound = sums.change_bound(points, boundary, reach)
    return reach * np.linalg.norm(bound[:, :3], axis=1) + bound[:, 3]


def slope_of(sums, points, boundary, step=1e-4):
    """(N, 3) slopes of the boundary sum, by its differences."""

    def along(axis):
        there, back = (sums.boundary_winding(points + turn * step * axis, boundary) for turn in (1, -1))
        return (there - back) / (2 * step)

    return np.stack([along(axis) for axis in np.eye(3)], axis=1)
