"""Binning, distances and signs on bricks, against brute force."""

import numpy as np
import pytest

from tests.shapes import (
    ball_union_distance,
    box,
    hemisphere,
    joined,
    lidless_box,
    solid_angle_winding,
    sphere,
    triangle_distance,
    tube,
)
from voxel_carve.compute import Grid, Path, State, Sweep, TriMesh, get_backend
from voxel_carve.compute.binning import bin_segments
from voxel_carve.compute.bricks import BRICK_VOXELS, REACH, VOXEL_OFFSETS, BrickTable
from voxel_carve.compute.crossings import Crossings
from voxel_carve.compute.segments import Segments
from voxel_carve.compute.stock import prepare_stock, stock_distance
from voxel_carve.compute.triangles import Triangles
from voxel_carve.compute.winding import Boundary, boundary_winding, gradient_bound, winding_gradient

GRID = Grid(np.full(3, -2.0), 1 / 12, (48, 48, 48))
RNG = np.random.default_rng(11)

SWEEPS = {
    "one": Sweep.from_paths([Path([[-1.2, -0.3, 0.1], [1.1, 0.4, 0.6]], [0.4])]),
    "ball": Sweep.from_paths([Path([[0.1, 0.2, -0.3]], [1.1])]),
    "thin": Sweep.from_paths([Path([[-1.2, -1.3, 1.1], [1.1, 1.4, -1.6]], [0.02])]),
    "taper": Sweep.from_paths([Path([[-0.6, 0.1, 0], [0.5, 0.0, 0.3]], [0.7, 0.1])]),
    "ball in ball": Sweep([[0, 0, 0]], [[0.1, 0, 0]], [0.2], [0.9]),
    "walk": Sweep.from_paths([Path(np.cumsum(RNG.normal(0, 0.25, (40, 3)), axis=0), RNG.uniform(0.05, 0.3, 40))]),
}


def voxel_centres(bricks):
    table = BrickTable.over(GRID)
    return GRID.to_world((table.centres(bricks)[:, None] + VOXEL_OFFSETS).reshape(-1, 3))


@pytest.mark.parametrize("name", [*list(SWEEPS)[:-1], pytest.param("walk", marks=pytest.mark.slow)])
def test_sweep_distance_and_states(name):
    sweep, table = SWEEPS[name], BrickTable.over(GRID)
    segments = Segments.on_grid(sweep, GRID)
    binned = bin_segments(segments, GRID)
    assert np.array_equal(np.flatnonzero(binned.states == State.NEAR), binned.bins.bricks)
    distance = get_backend("cpu").segment_distance(segments, binned.bins, table)
    dense = np.where(binned.states.ravel() == State.SOLID, -REACH, REACH)[:, None].repeat(BRICK_VOXELS, axis=1)
    dense[binned.bins.bricks] = distance

    picked = RNG.choice(dense.size, 4000, replace=False)
    points = voxel_centres(np.arange(len(table)))[picked]
    exact = ball_union_distance(points, sweep) / GRID.voxel_size
    assert dense.ravel()[picked] == pytest.approx(np.clip(exact, -REACH, REACH), abs=5e-4)


def test_inside_of_a_large_ball_is_never_given_voxels():
    centre = np.array([0.1, 0.2, -0.3])
    binned = bin_segments(Segments.on_grid(Sweep([centre], [centre], [1.7], [1.7]), GRID), GRID)
    off = np.linalg.norm(GRID.to_world(BrickTable.over(GRID).centres(np.arange(216))) - centre, axis=1)
    deep = off < 1.7 - (np.sqrt(3) * 3.5 + 2) / 12
    assert deep.sum() >= 8
    assert (binned.states.ravel()[deep] == State.SOLID).all()


def test_a_segment_whose_axis_passes_a_brick_centre_is_not_dropped():
    """There the gradient of its distance has no direction; beside it lies a large ball of about the same distance."""
    grid = Grid(np.zeros(3), 1.0, (64, 64, 64))
    thin = Sweep([[-3908.0, 2660, 1356]], [[1828.0, -1164, -556]], [2.0], [2.0])
    ball = Sweep([[194.86, -52.338, -9.003]], [[194.86, -52.338, -9.003]], [200.0], [200.0])
    both = Sweep(np.vstack([thin.start, ball.start]), np.vstack([thin.end, ball.end]), [2.0, 200.0], [2.0, 200.0])
    backend, together = get_backend("cpu"), np.ones(grid.shape, dtype=bool)
    one_by_one = together.copy()
    removed = backend.subtract_sweep(together, grid, both)
    assert removed == sum(backend.subtract_sweep(one_by_one, grid, sweep) for sweep in (thin, ball))
    assert np.array_equal(together, one_by_one)


STOCKS = {
    "sphere": sphere(1.3, subdivisions=3),
    "box on voxel borders": box((-1.5, -1, -0.5), (1.25, 1.75, 0.75)),
    "box on voxel centres": box((-1.5 + 1 / 24,) * 3, (1.25 + 1 / 24,) * 3),
    "crossing": joined(sphere(0.9, subdivisions=3), sphere(0.8, (0.7, 0.2, 0.1), subdivisions=3)),
    "hemisphere": hemisphere(1.4, subdivisions=3),
    "tube": tube(1.1, 2.2),
    "lidless box": lidless_box(),
    "inverted": TriMesh(box().points, box().triangles[:, ::-1]),
    "doubled face": TriMesh(box().points, np.vstack([box().triangles, box().triangles[:1]])),
    "soup": TriMesh(sphere(subdivisions=2).corners().reshape(-1, 3), np.arange(3 * 128).reshape(-1, 3)),
}


@pytest.mark.parametrize("name", STOCKS)
def test_stock_distance_signs_and_states(name):
    mesh, backend = STOCKS[name], get_backend("cpu")
    stock = prepare_stock(mesh, GRID, backend)
    assert stock.grid is GRID
    distance, closure = stock_distance(stock, stock.bins, backend)
    dense = np.where(stock.states.ravel() == State.SOLID, -REACH, REACH)[:, None].repeat(BRICK_VOXELS, axis=1)
    dense[stock.bins.bricks] = distance
    picked = np.concatenate(
        [
            RNG.choice(dense.size, 1500, replace=False),
            RNG.choice(np.flatnonzero(np.abs(dense) < REACH), 1500, replace=False),
        ]
    )
    points = voxel_centres(np.arange(len(stock.table)))[picked]
    exact = triangle_distance(points, mesh) / GRID.voxel_size
    inside = np.abs(solid_angle_winding(mesh, points)) > 0.5
    clear = (exact > 1e-3) & (np.abs(np.abs(solid_angle_winding(mesh, points)) - 0.5) > 1e-9)
    assert np.array_equal((dense.ravel()[picked] < 0)[clear], inside[clear])

    all_closure = np.zeros(dense.shape, dtype=bool)
    all_closure[stock.bins.bricks] = closure
    from_triangle = ~all_closure.ravel()[picked]
    assert np.abs(dense.ravel()[picked])[from_triangle] == pytest.approx(
        np.minimum(exact, REACH)[from_triangle], abs=2e-4
    )
    assert all_closure.any() == (name in {"hemisphere", "tube", "lidless box"})


@pytest.mark.parametrize("name", ["hemisphere", "tube", "lidless box", "crossing", "doubled face", "inverted"])
def test_crossings_and_boundary_make_the_winding_number(name):
    """Voxel columns pass exactly through edges of these meshes: ties must agree in both halves."""
    mesh, grid = STOCKS[name], Grid(np.full(3, -2.0), 1 / 4, (16, 16, 16))
    triangles = Triangles.on_grid(mesh, grid)
    boundary = Boundary.of(triangles.points, triangles.triangles)
    index = np.argwhere(np.ones(grid.shape, bool))
    above = Crossings.of(triangles, grid.shape).above(index[:, 0], index[:, 1] * 16 + index[:, 2])
    w = above + boundary_winding(index[:, ::-1] + 0.5, boundary)
    points = grid.centres(index)
    clear = triangle_distance(points, mesh) > 1e-9
    assert w[clear] == pytest.approx(solid_angle_winding(mesh, points)[clear], abs=1e-9)


def test_ties_below_edges_and_corners_of_an_open_boundary():
    """Voxel centres exactly below the open edges and corners of a box without lower side and one wall."""
    whole = box((0, 0, 0), (4, 4, 4))
    normal = np.cross(*(whole.corners()[:, i] - whole.corners()[:, 0] for i in (1, 2)))
    mesh = TriMesh(whole.points + 0.5, whole.triangles[(normal[:, 2] >= 0) & (normal[:, 0] <= 0)])
    grid = Grid(np.zeros(3), 1.0, (6, 6, 6))
    triangles = Triangles.on_grid(mesh, grid)
    boundary = Boundary.of(triangles.points, triangles.triangles)
    index = np.argwhere(np.ones(grid.shape, bool))
    above = Crossings.of(triangles, grid.shape).above(index[:, 0], index[:, 1] * 6 + index[:, 2])
    w = above + boundary_winding(index[:, ::-1] + 0.5, boundary)
    points = grid.centres(index)
    clear = triangle_distance(points, mesh) > 1e-9
    assert clear.sum() > 100
    assert w[clear] == pytest.approx(solid_angle_winding(mesh, points)[clear], abs=1e-9)


def test_boundary_sum_below_the_ends_of_edges():
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
        apart = [
            boundary_winding(points[i : i + 1] + 1e-7 * np.array([1, 1e-3, 0]), boundary)[0] for i in range(len(points))
        ]
        assert boundary_winding(points, boundary) == pytest.approx(np.array(apart), abs=1e-6)


def test_gradient_and_its_bound():
    mesh = hemisphere(1.4, subdivisions=2)
    triangles = Triangles.on_grid(mesh, GRID)
    boundary = Boundary.of(triangles.points, triangles.triangles)
    points, step = RNG.uniform(0, 48, (200, 3)), 1e-4
    numeric = np.stack(
        [
            (boundary_winding(points + step * e, boundary) - boundary_winding(points - step * e, boundary)) / (2 * step)
            for e in np.eye(3)
        ],
        axis=1,
    )
    assert winding_gradient(points, boundary) == pytest.approx(numeric, abs=1e-7)
    around = points + RNG.normal(size=(200, 3)) * 0.5
    reach = np.linalg.norm(around - points, axis=1).max()
    steepness = np.linalg.norm(winding_gradient(around, boundary), axis=1)
    assert (steepness <= gradient_bound(points, boundary, float(reach))).all()


@pytest.mark.parametrize("backend", ["cpu", "numba"])
def test_distance_to_sides_far_longer_than_a_brick(backend):
    """A slanted triangle of 20 000 voxels: in float32 alone, its sides would be a thousandth of a voxel off."""
    corners = np.array([[-11000.0, -9000, -7000], [9000.0, 10000, 8000], [-9000.0, 11000, 3000]])
    mesh = TriMesh(corners - corners[:2].mean(axis=0), np.array([[0, 1, 2]]))
    grid, chosen = Grid(np.full(3, -32.0), 1.0, (64, 64, 64)), get_backend(backend)
    triangles, table = Triangles.on_grid(mesh, grid), BrickTable.over(grid)
    bins = chosen.bin_triangles(triangles, grid)
    assert len(bins.bricks) > 20
    distance = chosen.triangle_distance(triangles, bins, table)
    points = grid.to_world((table.centres(bins.bricks)[:, None] + VOXEL_OFFSETS).reshape(-1, 3))
    exact = np.minimum(triangle_distance(points, mesh), REACH)
    assert distance.ravel() == pytest.approx(exact, abs=1e-5)


@pytest.mark.parametrize("backend", ["cpu", "numba"])
def test_a_sheet_without_a_slope_has_finite_distances(backend):
    """Every other face of an octahedron: its winding number is exactly 0.5 where it has no gradient."""
    points = 12.0 * np.array([[1, 0, 0], [-1, 0, 0], [0, 1, 0], [0, -1, 0], [0, 0, 1], [0, 0, -1]])
    mesh = TriMesh(points, np.array([[0, 2, 4], [1, 3, 4], [0, 3, 5], [1, 2, 5]]))
    grid, chosen = Grid(np.full(3, -20.5), 1.0, (40, 40, 40)), get_backend(backend)
    stock = prepare_stock(mesh, grid, chosen)
    distance, _ = stock_distance(stock, stock.bins, chosen)
    assert np.isfinite(distance).all()
