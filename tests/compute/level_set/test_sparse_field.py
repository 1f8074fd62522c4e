"""Sparse fields: from and to arrays, sampled, and what their primitives are, against closed forms."""

import numpy as np
import pytest
from scipy.ndimage import map_coordinates

from tests.shapes import box, sphere
from voxel_carve.compute import Grid, InputError, Path, SparseField, Sweep, carve, exact_distance, get_backend
from voxel_carve.compute.model.bricks import BRICK_SIZE, NO_PRIMITIVE, VOXEL_OFFSETS

VOXEL = 1 / 16
GRID = Grid(np.array([-1.5, -1.25, -1.0]), VOXEL, (33, 41, 50))  # (Z, Y, X), no multiples of a brick


def centres_of(grid):
    """(Z, Y, X, 3) the points of all voxels."""
    return grid.centres(np.stack(np.meshgrid(*map(np.arange, grid.shape), indexing="ij"), axis=-1))


def capsule(points, start=(-0.8, -0.2, 0.0), end=(0.8, 0.3, 0.1), radius=0.6):
    """The signed distance from a capsule, wide enough that whole bricks lie inside."""
    a, chord = np.array(start), np.subtract(end, start)
    along = np.clip((points - a) @ chord / (chord @ chord), 0, 1)
    return np.linalg.norm(points - a - along[..., None] * chord, axis=-1) - radius


DENSE = capsule(centres_of(GRID)).astype(np.float32)


@pytest.fixture(scope="module")
def field():
    return SparseField.from_dense(DENSE, GRID)


@pytest.fixture(scope="module")
def bored():
    """A ball, bored through along x."""
    return carve(sphere(1.0, subdivisions=5), ([[-2, 0, 0], [2, 0, 0]], 0.3), VOXEL, half_width=3, backend="cpu")


def clamped(values, width=3.0):
    return np.clip(values, -np.float32(width * VOXEL), np.float32(width * VOXEL))


def test_an_array_comes_back_clamped(field):
    assert np.array_equal(field.to_dense(GRID), clamped(DENSE))
    assert len(field.corners) < 0.7 * np.prod([-(-side // BRICK_SIZE) for side in GRID.shape])
    assert field.active().sum() == (np.abs(DENSE) < np.float32(3 * VOXEL)).sum()


@pytest.mark.parametrize("width", [1.0, 2.0, 7.5])
def test_bands_of_any_width(width):
    field = SparseField.from_dense(DENSE, GRID, half_width=width)
    assert np.array_equal(field.to_dense(GRID), clamped(DENSE, width))


def test_an_array_without_a_band_comes_back_too():
    """Signs alone: no voxel is active."""
    signs = np.where(DENSE <= 0, -1.0, 1.0)
    field = SparseField.from_dense(signs, GRID)
    assert not field.active().any()
    assert np.array_equal(field.to_dense(GRID), clamped(signs))


def test_the_surface_may_lie_on_centres_of_voxels():
    """Beside a brick that ends in zeros, one without active voxels."""
    at = np.abs(np.arange(40) - 19.5) - 11.5  # 0 at voxels 8 and 31
    cube = np.maximum(np.maximum(at[:, None, None], at[:, None]), at)
    field = SparseField.from_dense(cube, Grid([0, 0, 0], 1.0, cube.shape), half_width=1)
    assert np.array_equal(field.to_dense(Grid([0, 0, 0], 1.0, cube.shape)), np.clip(cube, -1, 1))


def test_parts_of_the_field_and_more_than_all(field):
    low, side = np.array([5, 11, 3]), (20, 25, 40)
    part = Grid(GRID.origin + low[::-1] * VOXEL, VOXEL, side)
    assert np.array_equal(field.to_dense(part), clamped(DENSE)[5:25, 11:36, 3:43])
    wide = Grid(GRID.origin - 20 * VOXEL, VOXEL, tuple(side + 40 for side in GRID.shape))
    expected = np.full(wide.shape, np.float32(3 * VOXEL))
    expected[20:-20, 20:-20, 20:-20] = clamped(DENSE)
    assert np.array_equal(field.to_dense(wide), expected)


def test_the_grid_of_all_bricks(field):
    whole = field.grid()
    assert np.allclose((whole.origin - GRID.origin) / VOXEL % BRICK_SIZE, 0)
    true = clamped(capsule(centres_of(whole)))
    assert field.to_dense() == pytest.approx(true, abs=1e-6)


def test_a_result_as_an_array(bored):
    """Every voxel of the grid, near the surface or not, is on its side, and but for the rims at its distance."""
    grid = bored.band.grid()
    at = centres_of(grid)
    true = np.maximum(np.linalg.norm(at, axis=-1) - 1, 0.3 - np.hypot(at[..., 1], at[..., 2]))
    off = np.abs(bored.band.to_dense() - clamped(true))
    assert off[np.abs(true) < VOXEL].max() < 0.02 * VOXEL  # the ball has facets
    off_axis = np.hypot(at[..., 1], at[..., 2])
    off_rim = np.hypot(off_axis - 0.3, np.abs(at[..., 0]) - np.sqrt(1 - 0.3**2))
    assert off[off_rim > 5 * VOXEL].max() < 1.3 * VOXEL / 0.3 * VOXEL
    assert np.array_equal(bored.band.to_dense() <= 0, true <= 0)


def test_samples_are_trilinear(field):
    points = np.random.default_rng(1).uniform(-1.6, 1.7, (5000, 3))
    place = (points - GRID.origin)[:, ::-1] / VOXEL - 0.5
    inner = ((place >= 0) & (place <= np.array(GRID.shape) - 1)).all(axis=1)
    true = map_coordinates(clamped(DENSE).astype(float), place[inner].T, order=1, mode="nearest")
    assert field.sample(points)[inner] == pytest.approx(true, abs=1e-7)
    near = np.abs(capsule(points)) < 1.2 * VOXEL
    assert field.sample(points)[near] == pytest.approx(capsule(points)[near], abs=0.3 * VOXEL**2 / 0.5)


def test_samples_far_away_are_outside(field):
    far = np.array([[1e9, 0, 0], [-1e9, 0, 0], [0, 50, 0], [0, 0, -1e300]])
    assert np.array_equal(field.sample(far), np.full(4, field.background))
    assert field.sample(np.zeros((1, 3))) == -field.background
    assert field.sample(np.zeros((0, 3))).shape == (0,)


def test_primitives_of_a_result(bored):
    """Where they are known, the distance is that of the primitive."""
    band = bored.band
    at = band.origin + (band.corners[:, None, ::-1] + BRICK_SIZE / 2 + VOXEL_OFFSETS) * VOXEL
    off_ball, in_drill = np.linalg.norm(at, axis=-1) - 1, 0.3 - np.hypot(at[..., 1], at[..., 2])
    known = band.primitive != NO_PRIMITIVE
    assert known[np.abs(np.maximum(off_ball, in_drill)) < VOXEL].all()
    assert np.abs(band.distance[known]).max() < 1.06 * VOXEL
    clear = known & (np.abs(off_ball - in_drill) > 0.05 * VOXEL)
    assert set(np.unique(band.primitive[band.primitive < 0])) == {-1}
    assert np.array_equal(band.primitive[clear] < 0, (in_drill > off_ball)[clear])
    stock = sphere(1.0, subdivisions=5)
    of_stock = clear & (band.primitive >= 0)
    corners = stock.points[stock.triangles[band.primitive[of_stock]]]
    toward = at[of_stock] - corners[:, 0]
    normal = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    plane = (toward * normal).sum(axis=1) / np.linalg.norm(normal, axis=1)
    assert np.abs(plane) == pytest.approx(np.abs(band.distance[of_stock]), abs=0.01 * VOXEL)


def test_primitives_after_several_steps_are_those_of_the_first_stock():
    """A groove along the top, and a bead through the bottom."""
    paths = [Path([[-2, 0, 1], [2, 0, 1]], 0.3), Path([[-2, 0.6, 1], [2, 0.6, 1]], 0.2), Path([[0, 0, -1]], 0.4)]
    steps = ["subtract", "subtract", "union"]
    band = carve(box(), paths, VOXEL, operation=steps, half_width=2).band
    at = band.origin + (band.corners[:, None, ::-1] + BRICK_SIZE / 2 + VOXEL_OFFSETS) * VOXEL
    close = np.abs(band.distance) < 0.3 * VOXEL
    for segment, inner in (
        (0, np.hypot(at[..., 1], at[..., 2] - 1) < 0.32),
        (1, np.hypot(at[..., 1] - 0.6, at[..., 2] - 1) < 0.22),
        (2, (np.linalg.norm(at - [0, 0, -1], axis=-1) < 0.42) & (at[..., 2] < -1.1)),
    ):
        there = close & inner & (np.abs(at[..., 0]) < 0.9) & (at[..., 2] < 0.9)
        assert there.any()
        assert set(np.unique(band.primitive[there])) == {-1 - segment}
    stock = box()
    bottom = close & (at[..., 2] < -0.95) & (np.abs(at[..., 0]) > 0.6) & (np.abs(at[..., :2]).max(axis=-1) < 0.9)
    normals = stock.points[stock.triangles[np.unique(band.primitive[bottom])]][..., 2]
    assert (normals == -1).all()


def test_a_field_from_an_array_has_no_primitives(field):
    assert field.primitive is None


def test_warp_gives_the_same_primitives(bored):
    pytest.importorskip("warp")
    arguments = sphere(1.0, subdivisions=5), ([[-2, 0, 0], [2, 0, 0]], 0.3), VOXEL
    band = carve(*arguments, half_width=3, backend=get_backend("warp:cpu")).band
    assert np.array_equal(band.primitive, bored.band.primitive)


@pytest.mark.usefixtures("openvdb")
def test_openvdb_gives_back_what_it_got(field, bored):
    for given in (field, bored.band):
        grid = given.to_vdb()
        assert grid.activeVoxelCount() == given.active().sum()
        back = SparseField.from_vdb(grid)
        active = given.active().any(axis=1)
        assert np.array_equal(back.corners, given.corners[active])
        assert np.array_equal(back.distance, given.distance[active])
        assert (back.voxel_size, back.background) == (VOXEL, given.background)
        assert back.origin == pytest.approx(given.origin, abs=1e-12)


def test_a_sphere_of_openvdb(openvdb):
    ball = SparseField.from_vdb(openvdb.createLevelSetSphere(0.7, (0.2, -0.1, 3.0), VOXEL, 3.0))
    at = centres_of(ball.grid())
    true = np.linalg.norm(at - [0.2, -0.1, 3.0], axis=-1) - 0.7
    assert ball.to_dense() == pytest.approx(clamped(true), abs=1e-6)
    with pytest.raises(InputError, match="no level set: give numbers whose background is above 0"):
        SparseField.from_vdb(openvdb.FloatGrid(0.0))
    with pytest.raises(InputError, match="no active voxels"):
        SparseField.from_vdb(openvdb.FloatGrid(1.0))
    stretched = openvdb.createLevelSetSphere(0.7, (0, 0, 0), VOXEL, 3.0)
    stretched.transform.preScale((1.0, 1.0, 2.0))
    with pytest.raises(InputError, match="voxels that are not cubes"):
        SparseField.from_vdb(stretched)


@pytest.mark.parametrize(
    ("values", "grid", "fault"),
    [
        (DENSE[1:], GRID, "give numbers of the grid's shape"),
        (DENSE > 0, GRID, "give numbers of the grid's shape"),
        (np.where(DENSE > 0.3, np.nan, DENSE), GRID, "not numbers"),
        (np.abs(DENSE) + 1, GRID, "no voxel is within 3 of it"),
        (DENSE - 0.5, GRID, "leaves its grid"),
    ],
)
def test_arrays_that_hold_no_surface_are_refused(values, grid, fault):
    with pytest.raises(InputError, match=fault):
        SparseField.from_dense(values, grid)


def test_what_is_no_field_is_refused(field):
    with pytest.raises(InputError, match="at least 1"):
        SparseField.from_dense(DENSE, GRID, half_width=0.5)
    with pytest.raises(InputError, match="not those of the sparse field"):
        field.to_dense(Grid(GRID.origin + VOXEL / 3, VOXEL, (4, 4, 4)))
    with pytest.raises(InputError, match="not finite"):
        field.sample([[0, 0, np.nan]])
    values = np.ones((2, 512), dtype=np.float32)
    with pytest.raises(InputError, match="512 values for each brick"):
        SparseField(np.zeros(3), 1.0, 3.0, np.zeros((1, 3), dtype=np.int64), values)
    with pytest.raises(InputError, match="in ascending order"):
        SparseField(np.zeros(3), 1.0, 3.0, np.array([[0, 8, 0], [0, 0, 8]]), values)


# The exact distance


def test_exact_distances_of_a_drilled_box():
    points = np.random.default_rng(2).uniform(-1.5, 1.5, (4000, 3))
    box_off = np.abs(points).max(axis=1) - 1
    outside = np.linalg.norm(np.maximum(np.abs(points) - 1, 0), axis=1)
    box_off = np.where(box_off > 0, outside, box_off)
    drill = np.hypot(points[:, 0], points[:, 1]) - 0.4
    line = ([[0, 0, -5], [0, 0, 5]], 0.4)
    combined = (("subtract", np.maximum(box_off, -drill)), ("intersect", np.maximum(box_off, drill)))
    for operation, true in (*combined, ("union", np.minimum(box_off, drill))):
        assert exact_distance(points, box(), line, operation) == pytest.approx(true, abs=1e-9)


def test_samples_agree_with_exact_distances(bored):
    points = np.random.default_rng(3).uniform(-1.1, 1.1, (20000, 3))
    exact = exact_distance(points, sphere(1.0, subdivisions=5), Sweep.of(([[-2, 0, 0], [2, 0, 0]], 0.3)))
    smooth = (np.abs(exact) < VOXEL) & (np.abs(np.linalg.norm(points, axis=1) - 1) > 2 * VOXEL)
    assert np.abs(bored.band.sample(points) - exact)[smooth].max() < 0.5 * VOXEL**2 / 0.3


def test_points_of_an_exact_distance_must_be_finite():
    with pytest.raises(InputError, match="not finite"):
        exact_distance([[np.inf, 0, 0]], box(), ([[0, 0, 0]], 0.1))
