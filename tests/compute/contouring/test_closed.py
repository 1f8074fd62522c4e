"""The result is closed, and every edge of its triangles has two of them: random scenes, open and broken stocks."""

import numpy as np
import pytest

from tests.compute.contouring.results import (
    BACKEND,
    assert_manifold,
    carved,
    crowded_edges,
    parts,
    path,
    turned,
)
from tests.fuzz.judge import in_voxels, overlapping_pairs, shared_diagonals
from tests.fuzz.scenes import both, scene
from tests.shapes import (
    ball_union_distance,
    box,
    hemisphere,
    joined,
    keep_triangles,
    lidless_box,
    solid_angle_winding,
    sphere,
    tube,
)
from voxel_carve.compute import EmptyResultError, Source, TriMesh, carve

SCENES = range(58)  # two of each family


@pytest.fixture(scope="module")
def scenes():
    """The surfaces of the scenes, by their numbers; those where nothing is left have none."""
    pytest.importorskip("bpy")  # Suzanne
    found = {}
    for number in SCENES:
        job = scene(number)
        try:
            found[number] = carved(job.stock, job.sweep, job.operation, job.voxel_size)
        except EmptyResultError:
            continue
    return found


def test_random_scenes_are_closed(scenes):
    assert len(scenes) > 50
    assert [number for number, surface in scenes.items() if not surface.is_closed()] == []


def test_every_edge_in_random_scenes_has_two_faces(scenes):
    found = {number: crowded_edges(surface) for number, surface in scenes.items()}
    assert {number: count for number, count in found.items() if count} == {}


def test_quads_may_be_split_along_either_diagonal(scenes):
    """Exporters of Blender split them in ways of their own."""
    found = {number: shared_diagonals(surface.faces) for number, surface in scenes.items()}
    assert {number: count for number, count in found.items() if count} == {}


@pytest.mark.parametrize("seed", [0, 2])
def test_quads_of_thin_walls_may_be_split_along_either_diagonal(seed):
    """Tools between whose paths thin walls are left: pairs with two border points, and edges that are crossed twice."""
    points = np.random.default_rng(seed).normal(size=(200, 3))
    sweep = path(30 * points / np.linalg.norm(points, axis=1)[:, None], 1)
    assert shared_diagonals(carved(sphere(31.0, subdivisions=3), sweep).faces) == 0


def test_a_wall_that_ends_in_two_faces_of_one_edge_does_not_touch_itself_there():
    """A grid line passes the rim of each of Suzanne's ears."""
    bpy = pytest.importorskip("bpy")
    bpy.ops.wm.read_factory_settings(use_empty=True)
    bpy.ops.mesh.primitive_monkey_add(size=4)
    mesh = bpy.context.object.data
    mesh.calc_loop_triangles()
    points = np.array([vertex.co for vertex in mesh.vertices])
    stock = TriMesh(points, np.array([triangle.vertices for triangle in mesh.loop_triangles]))
    voxel_size = float(np.ptp(points, axis=0).max()) / 40
    surface = carved(stock, path([[-0.5, 0, 1.5], [0.5, 0, 1.5]], 0.3, 0.3), voxel_size=voxel_size)
    assert len(np.unique(surface.points, axis=0)) == len(surface.points)
    assert len(overlapping_pairs(surface.points / voxel_size, surface.triangles())) == 0


# Open stocks


def expected_inside(stock, sweep, operation, points):
    """(N,) whether points are inside the result, by brute force."""
    in_stock = np.abs(solid_angle_winding(stock, points)) > 0.5
    in_sweep = ball_union_distance(points, sweep, balls=300) < 0
    return {
        "subtract": in_stock & ~in_sweep,
        "union": in_stock | in_sweep,
        "intersect": in_stock & in_sweep,
    }[operation]


def without_some_triangles(count):
    """A ball of radius 10 with a hole of so many triangles, and small holes elsewhere."""
    whole = sphere(10.0, (0.2, 0.3, 0.1), 3)
    kept = np.ones(len(whole.triangles), dtype=bool)
    kept[[100, 300, 400]] = False
    kept[np.argsort(np.linalg.norm(whole.corners().mean(axis=1) - whole.points[0], axis=1))[:count]] = False
    return keep_triangles(whole, kept)


OPEN = {
    "small holes": without_some_triangles(0),
    "a hole": without_some_triangles(12),
    "hemisphere": hemisphere(10.0, 3),
    "tube": TriMesh(tube().points * 8, tube().triangles),
    "lidless box": TriMesh(lidless_box().points * 8, lidless_box().triangles),
}


@pytest.mark.parametrize("operation", ["subtract", "union", "intersect"])
@pytest.mark.parametrize("stock", OPEN.values(), ids=OPEN)
def test_an_open_stock_is_closed_where_its_winding_number_is_one_half(stock, operation):
    sweep = path([[-3, 1, -6], [4, -1, 12]], 4, 2)
    surface = carved(stock, sweep, operation)
    assert_manifold(surface)
    low, high = surface.points.min(axis=0), surface.points.max(axis=0)
    points = np.random.default_rng(5).uniform(low - 1, high + 1, (300, 3))
    off = np.linalg.norm(surface.points[None] - points[:, None], axis=2).min(axis=1)
    points = points[off > 1.5]
    assert len(points) > 30
    inside = solid_angle_winding(surface.to_tri_mesh(), points) > 0.5
    assert np.array_equal(inside, expected_inside(stock, sweep, operation, points))


def test_the_faces_over_a_hole_are_told():
    result = carve(hemisphere(10.0, 3), path([[-3, 1, -6], [4, -1, 12]], 4, 2), 1.0, backend=BACKEND)
    assert (result.surface.source == Source.CLOSURE).sum() > 50
    assert any("open edges" in warning for warning in result.report.warnings)


# Stocks that are broken, or lie as badly as they can


BLOCK = box((-8, -7, -6), (8, 7, 6))
VOLUME = 16 * 14 * 12
THROUGH = path([[-20, 1, 2], [20, -1, 3]], 3)
BESIDE = box((2, 1, -3), (13, 9, 4.5))  # 6 * 6 * 7.5 of it lie in the block
STOCKS = {
    "crossing boxes": (joined(BLOCK, BESIDE), VOLUME + 11 * 8 * 7.5 - 6 * 6 * 7.5),
    "one box in another, with a common face": (joined(BLOCK, box((2, -3, -6), (6, 3, 0))), VOLUME),
    "two boxes with a common face": (joined(BLOCK, box((8, -7, -6), (12, 7, 6))), VOLUME + 4 * 14 * 12),
    "two boxes with a common edge": (joined(BLOCK, box((8, 7, -6), (12, 12, 6))), VOLUME + 4 * 5 * 12),
    "the same box twice": (joined(BLOCK, BLOCK), VOLUME),
    "some equal triangles": (TriMesh(BLOCK.points, [*BLOCK.triangles, *BLOCK.triangles[:5]]), VOLUME),
    "some triangles and their reverse": (
        TriMesh(BLOCK.points, [*BLOCK.triangles, *BLOCK.triangles[:5], *BLOCK.triangles[:5, ::-1]]),
        VOLUME,
    ),
    "inside out": (turned(BLOCK), VOLUME),
    "a box with a cavity": (joined(BLOCK, turned(box((-4, -3, -2), (3, 2, 1.5)))), VOLUME - 7 * 5 * 3.5),
}


@pytest.mark.parametrize(("stock", "volume"), STOCKS.values(), ids=STOCKS)
def test_shells_that_overlap_or_repeat_or_face_inward(stock, volume):
    alone, grooved = carved(stock), carved(stock, THROUGH)
    for surface in (alone, grooved):
        assert_manifold(surface)
    assert alone.volume() == pytest.approx(volume, rel=2e-4)
    # The groove's axis lies in the block, for all of its length.
    removed = np.pi * 9 * np.sqrt(16**2 + 0.8**2 + 0.4**2)
    if volume == VOLUME:
        assert alone.volume() - grooved.volume() == pytest.approx(removed, rel=0.02)


def test_overlapping_balls_unite():
    first, second = sphere(8.0, subdivisions=4), sphere(8.0, (6.4, 0.8, 0), subdivisions=4)
    surface = carved(joined(first, second))
    assert_manifold(surface)
    assert parts(surface) == 1
    apart = np.hypot(6.4, 0.8)
    shared = np.pi / 12 * (32 + apart) * (16 - apart) ** 2
    assert surface.volume() == pytest.approx(2 * 4 / 3 * np.pi * 8**3 - shared, rel=0.02)


HALF, WHOLE, BALL = np.pi * 4.5, np.pi * 9, 4 / 3 * np.pi * 27
TOUCHING = {
    "axis in a face": ([[-20, 0, 6], [20, 0, 6]], "subtract", VOLUME - 16 * HALF),
    "axis along an edge": ([[-20, 7, 6], [20, 7, 6]], "subtract", VOLUME - 8 * HALF),
    "open at the top, flush with a wall": ([[-20, 4, 6], [20, 4, 6]], "subtract", VOLUME - 16 * HALF),
    "in the block, flush with a wall": ([[-20, 4, 0], [20, 4, 0]], "subtract", VOLUME - 16 * WHOLE),
    "in the block, flush with two walls": ([[-20, 4, 3], [20, 4, 3]], "subtract", VOLUME - 16 * WHOLE),
    "outside, along a face": ([[-20, 0, 9], [20, 0, 9]], "subtract", VOLUME),
    "a ball that touches a face from within": ([[0, 0, 3]], "subtract", VOLUME - BALL),
    "a ball that touches a face from without": ([[0, 0, 9]], "subtract", VOLUME),
    "a ball with its centre in a face": ([[0, 0, 6]], "subtract", VOLUME - BALL / 2),
    "added, flush with a wall": ([[-4, 4, 0], [4, 4, 0]], "union", VOLUME),
    "added, axis in a face": ([[-4, 0, 6], [4, 0, 6]], "union", VOLUME + 8 * HALF + BALL / 2),
    "shared, flush with a wall": ([[-4, 4, 0], [4, 4, 0]], "intersect", 8 * WHOLE + BALL),
}


@pytest.mark.parametrize(("points", "operation", "volume"), TOUCHING.values(), ids=TOUCHING)
def test_a_tool_whose_side_or_axis_lies_in_a_face(points, operation, volume):
    sweep = path(points, 3)
    surface = carved(BLOCK, sweep, operation)
    assert_manifold(surface)
    round_area = 2 * np.pi * 3 * (16 if len(points) > 1 else 6)
    assert abs(surface.volume() - volume) < 0.05 * round_area


def test_two_passes_that_touch_along_a_line():
    sweep = [[[-20, y, 6], [20, y, 6]] for y in (4, -2)]
    surface = carved(BLOCK, both(path(sweep[0], 3), path(sweep[1], 3)))
    assert_manifold(surface)
    assert surface.volume() == pytest.approx(VOLUME - 16 * WHOLE, rel=0.005)


def test_a_path_twice_is_that_path():
    once, twice = carved(BLOCK, THROUGH), carved(BLOCK, both(THROUGH, THROUGH))
    assert_manifold(twice)
    assert np.array_equal(once.points, twice.points) and np.array_equal(once.faces, twice.faces)


@pytest.mark.parametrize("number", [15, 44, 56])
def test_no_faces_are_folded_over_each_other(number):
    """Random scenes with many pairs of faces in one plane."""
    pytest.importorskip("bpy")
    drawn = scene(number)
    surface = carved(drawn.stock, drawn.sweep, drawn.operation, drawn.voxel_size)
    assert_manifold(surface)
    assert len(overlapping_pairs(in_voxels(drawn, surface.points), surface.triangles())) == 0


@pytest.mark.parametrize("number", [151, 302, 501, 595])
def test_a_corner_in_another_cell_crosses_nothing_there(number):
    """Random scenes where three surfaces meet beyond a side of the cell, close to others."""
    drawn = scene(number)
    surface = carved(drawn.stock, drawn.sweep, drawn.operation, drawn.voxel_size)
    assert_manifold(surface)
    assert len(overlapping_pairs(in_voxels(drawn, surface.points), surface.triangles())) == 0
