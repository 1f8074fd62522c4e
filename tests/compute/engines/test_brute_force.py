"""The fields and vertices of both engines, against every primitive at every voxel, in float64."""

from functools import cache

import numpy as np
import pytest

from tests.brute_force import (
    brick_centres,
    segment_distances,
    segment_rows,
    stock_field,
    stock_rows,
    sweep_field,
    triangle_distances,
    true_field,
    voxel_centres,
)
from tests.shapes import (
    box,
    hemisphere,
    joined,
    keep_triangles,
    lidless_box,
    solid_angle_winding,
    sphere,
    triangle_distance,
    tube,
)
from voxel_carve.compute import Backend, Grid, Path, Sweep, TriMesh, carve, get_backend, plan_grid
from voxel_carve.compute.engines.warp.backend import WarpBackend
from voxel_carve.compute.field.stock import prepare_on_grid, prepare_stock
from voxel_carve.compute.model import State
from voxel_carve.compute.model.bricks import BAND, NO_PRIMITIVE, REACH, VOXEL_OFFSETS, Bins, BrickTable
from voxel_carve.compute.primitives.segments import Segments
from voxel_carve.compute.primitives.triangles import Triangles

GRID = Grid(np.full(3, -2.0), 1 / 6, (24, 24, 24))
FINE = Grid(np.full(3, -2.0), 1 / 12, (48, 48, 48))
DIAGONAL = 3**0.5  # of a cell, in voxels
RNG = np.random.default_rng(11)


def raster(passes=9, steps=14):
    """Passes of a ball, nearer to each other than a voxel. Then many segments are near each place."""
    across, along = np.meshgrid(np.linspace(-0.3, 0.3, passes), np.linspace(-0.5, 0.5, steps), indexing="ij")
    along[1::2] = along[1::2, ::-1]
    points = np.stack([along, across, 0.1 * np.sin(5 * along) * np.cos(4 * across)], axis=-1)
    return Sweep.from_paths([Path(points.reshape(-1, 3), [0.9])])


SWEEPS = {
    "one": Sweep.from_paths([Path([[-1.2, -0.3, 0.1], [1.1, 0.4, 0.6]], [0.4])]),
    "ball": Sweep.from_paths([Path([[0.1, 0.2, -0.3]], [1.1])]),
    "thin": Sweep.from_paths([Path([[-1.2, -1.3, 1.1], [1.1, 1.4, -1.6]], [0.02])]),
    "taper": Sweep.from_paths([Path([[-0.6, 0.1, 0], [0.5, 0.0, 0.3]], [0.7, 0.1])]),
    "ball in ball": Sweep([[0, 0, 0]], [[0.1, 0, 0]], [0.2], [0.9]),
    "two": Sweep.from_paths([Path([[-1.6, 0.1, 0.2], [0.3, -0.4, 1.1], [1.5, 0.8, 0.4]], [0.4, 0.5, 0.7])]),
    "deep": Sweep.from_paths([Path([[-2, -2, -2], [2, 2, 2]], [1.9, 2.4])]),
    "walk": Sweep.from_paths([Path(np.cumsum(RNG.normal(0, 0.25, (24, 3)), axis=0), RNG.uniform(0.05, 0.3, 24))]),
    "raster": raster(),
    "bundle": Sweep.from_paths([Path(RNG.uniform(-1, 1, (8, 3)) * [1, 0.15, 0.15], [1.1])]),
}

STOCKS = {
    "sphere": sphere(1.3, subdivisions=2),
    "box on voxel borders": box((-1.5, -1, -0.5), (1.5, 1.5, 0.5)),
    "box on voxel centres": box((-1.5 + 1 / 12,) * 3, (1.5 + 1 / 12,) * 3),
    "crossing": joined(sphere(0.9, subdivisions=1), sphere(0.8, (0.7, 0.2, 0.1), subdivisions=1)),
    "hemisphere": hemisphere(1.4, subdivisions=2),
    "tube": tube(1.1, 2.2),
    "lidless box": lidless_box(),
    "inverted": TriMesh(box().points, box().triangles[:, ::-1]),
    "doubled face": TriMesh(box().points, np.vstack([box().triangles, box().triangles[:1]])),
    "soup": TriMesh(sphere(subdivisions=1).corners().reshape(-1, 3), np.arange(3 * 32).reshape(-1, 3)),
}
OPEN = {"hemisphere", "tube", "lidless box"}


@pytest.fixture(scope="module", params=["cpu", "warp"])
def backend(request) -> Backend:
    return get_backend("cpu") if request.param == "cpu" else WarpBackend("cpu")


@cache
def truth(name):
    return true_field(SWEEPS.get(name) or STOCKS[name], GRID)


def check_names(found, each, least, wanted):
    """That a voxel's primitive, wherever one is `wanted`, is as near as any."""
    assert (found.nearest[wanted] != NO_PRIMITIVE).all()
    named = found.nearest != NO_PRIMITIVE
    there = np.take_along_axis(each, np.where(named, found.nearest, 0)[None], axis=0)[0]
    assert np.abs(there - least)[named & (np.abs(least) < DIAGONAL)].max() < 1e-3


@pytest.mark.parametrize("name", SWEEPS)
def test_sweeps(backend, name):
    found, true = sweep_field(backend, SWEEPS[name], GRID), truth(name)
    least = true.each.min(axis=0)
    assert found.distance == pytest.approx(np.clip(least, -REACH, REACH), abs=5e-4)
    # Vertices ask for the segments at the corners of their cells, which may lie deeper than distances are known.
    check_names(found, true.each, least, (least > -DIAGONAL) & (least < REACH - 1e-3))
    assert (least[found.states == State.EMPTY] > BAND - 1e-6).all()
    assert (least[found.states == State.SOLID] < -BAND + 1e-6).all()
    assert (found.states == State.SOLID).any() == (name == "deep")


@pytest.mark.parametrize("name", STOCKS)
def test_stocks(backend, name):
    found, true = stock_field(backend, STOCKS[name], GRID), truth(name)
    least, sure = true.each.min(axis=0), ~true.doubtful
    assert np.array_equal((found.distance <= 0)[sure], true.inside[sure])
    # The sheet over a hole is nearer than any triangle where it is nearest, and is no primitive.
    from_sheet = (found.nearest == NO_PRIMITIVE) & (np.abs(found.distance) < REACH)
    assert from_sheet.any() == (name in OPEN)
    assert (np.abs(found.distance)[from_sheet] <= least[from_sheet] + 2e-4).all()
    assert np.abs(found.distance)[~from_sheet] == pytest.approx(np.minimum(least, REACH)[~from_sheet], abs=2e-4)
    check_names(found, true.each, least, (least < REACH - 1e-3) & ~from_sheet)
    away = found.states != State.NEAR
    assert (least[away] > BAND - 1e-6).all()
    assert np.array_equal(true.inside[away], np.repeat(found.states[away] == State.SOLID, 512).reshape(-1, 512))


@pytest.mark.parametrize("operation", ["subtract", "union", "intersect"])
@pytest.mark.parametrize("name", ["sphere", "box on voxel borders", "box on voxel centres", "inverted"])
def test_vertices_are_on_the_surface(backend, name, operation):
    """But for a few beside edges that their cells do not see: those may be off by part of a voxel."""
    stock, sweep = STOCKS[name], SWEEPS["two"]
    points = carve(stock, sweep, GRID.voxel_size, operation=operation, backend=backend).surface.points
    inside = np.abs(solid_angle_winding(stock, points)) > 0.5
    to_stock = triangle_distances(points, stock).min(axis=0) * np.where(inside, -1, 1)
    to_sweep = segment_distances(points, sweep).min(axis=0)
    value = {
        "subtract": np.maximum(to_stock, -to_sweep),
        "union": np.minimum(to_stock, to_sweep),
        "intersect": np.maximum(to_stock, to_sweep),
    }[operation]
    off = np.abs(value) / GRID.voxel_size
    assert len(off) > 200
    assert (off > 0.02).mean() < 0.025
    assert off.max() < 0.6


def test_inside_of_a_large_ball_is_never_given_voxels(backend):
    centre = np.array([0.1, 0.2, -0.3])
    found = sweep_field(backend, Sweep([centre], [centre], [1.7], [1.7]), FINE)
    off = np.linalg.norm(FINE.to_world(brick_centres(BrickTable.over(FINE), np.arange(216))) - centre, axis=1)
    deep = off < 1.7 - (np.sqrt(3) * 3.5 + 2) / 12
    assert deep.sum() >= 8
    assert (found.states[deep] == State.SOLID).all()


def test_a_segment_whose_axis_passes_a_brick_centre_is_not_dropped(backend):
    """There the gradient of its distance has no direction; beside it lies a large ball of about the same distance."""
    grid = Grid(np.zeros(3), 1.0, (64, 64, 64))
    thin = Sweep([[-3908.0, 2660, 1356]], [[1828.0, -1164, -556]], [2.0], [2.0])
    ball = Sweep([[194.86, -52.338, -9.003]], [[194.86, -52.338, -9.003]], [200.0], [200.0])
    both = Sweep(np.vstack([thin.start, ball.start]), np.vstack([thin.end, ball.end]), [2.0, 200.0], [2.0, 200.0])
    together = np.ones(grid.shape, dtype=bool)
    one_by_one = together.copy()
    removed = backend.subtract_sweep(together, grid, both)
    assert removed == sum(backend.subtract_sweep(one_by_one, grid, sweep) for sweep in (thin, ball))
    assert np.array_equal(together, one_by_one)


def test_distance_to_sides_far_longer_than_a_brick(backend):
    """A slanted triangle of 20 000 voxels: in float32 alone, its sides would be a thousandth of a voxel off."""
    corners = np.array([[-11000.0, -9000, -7000], [9000.0, 10000, 8000], [-9000.0, 11000, 3000]])
    mesh = TriMesh(corners - corners[:2].mean(axis=0), np.array([[0, 1, 2]]))
    grid = Grid(np.full(3, -32.0), 1.0, (64, 64, 64))
    stock = prepare_on_grid(mesh, grid, backend)
    bins = backend.bin_triangles(stock.triangles, grid)
    assert len(bins.bricks) > 20
    distance, nearest = stock_rows(backend, stock, bins)
    points = grid.to_world((brick_centres(stock.table, bins.bricks)[:, None] + VOXEL_OFFSETS).reshape(-1, 3))
    exact = np.minimum(triangle_distance(points, mesh), REACH)
    # The sheet that closes the hole is the triangle itself.
    assert np.abs(distance.ravel()) == pytest.approx(exact, abs=1e-5)
    assert (nearest[np.abs(distance) < 0.5] == 0).any()


def test_distance_to_triangles_whose_corners_lie_on_a_line(backend):
    """Any of the three sides may be the longest, in any direction."""
    ends = np.array([[-2.9, -2.1, -1.3], [2.2, 1.9, 2.4], [0.5, -2, 1], [0.5, 2, 1], [-2, 1, 0.3], [2.5, 1, 0.3]])
    points = np.concatenate([ends, ends[::2] + 0.25 * (ends[1::2] - ends[::2])])
    lines = np.array([[0, 1, 6], [2, 7, 3], [8, 5, 4]])
    mesh = TriMesh(
        np.concatenate([points, points + np.array([0.4, 0.3, -0.7])]), np.concatenate([lines, lines[:, ::-1] + 9])
    )
    grid = plan_grid(mesh.bounds(), 0.17)
    assert not Triangles.on_grid(mesh, grid).normal.any()
    found = stock_field(backend, mesh, grid)
    least = np.minimum(triangle_distances(voxel_centres(grid), mesh).min(axis=0) / grid.voxel_size, REACH)
    assert (least < 0.1).any()
    assert np.abs(np.abs(found.distance) - least)[found.nearest != NO_PRIMITIVE].max() <= 1e-5
    assert (found.nearest[least < REACH - 1e-3] != NO_PRIMITIVE).all()


def test_a_sheet_without_a_slope_has_finite_distances(backend):
    """Every other face of an octahedron: its winding number is exactly 0.5 where it has no gradient."""
    points = 12.0 * np.array([[1, 0, 0], [-1, 0, 0], [0, 1, 0], [0, -1, 0], [0, 0, 1], [0, 0, -1]])
    mesh = TriMesh(points, np.array([[0, 2, 4], [1, 3, 4], [0, 3, 5], [1, 2, 5]]))
    stock = prepare_stock(mesh, Grid(np.full(3, -20.5), 1.0, (40, 40, 40)), backend)
    distance, _ = stock_rows(backend, stock)
    assert np.isfinite(distance).all()


def test_no_bricks(backend):
    grid = plan_grid(STOCKS["hemisphere"].bounds(), 0.4)
    segments, table = Segments.on_grid(SWEEPS["walk"], grid), BrickTable.over(grid)
    none = Bins(*(np.empty(0, dtype=np.int64), np.zeros(1, dtype=np.int64), np.empty(0, dtype=np.int32)))
    assert segment_rows(backend, segments, none, table)[0].shape == (0, 512)
    stock = prepare_on_grid(STOCKS["hemisphere"], grid, backend)
    assert stock_rows(backend, stock, none)[0].shape == (0, 512)


def test_a_part_of_a_mesh_is_open(backend):
    """What is left of a sphere with holes at two sides has both sheets, and no others."""
    mesh = sphere(1.3, subdivisions=2)
    mesh = keep_triangles(mesh, np.abs(mesh.corners()[:, :, 0].mean(axis=1)) < 1.0)
    found, true = stock_field(backend, mesh, GRID), true_field(mesh, GRID)
    sure = ~true.doubtful
    assert np.array_equal((found.distance <= 0)[sure], true.inside[sure])
