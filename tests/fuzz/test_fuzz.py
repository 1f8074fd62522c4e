"""Random scenes: results are closed and manifold, hardly any faces overlap, and the volume is true."""

from dataclasses import replace

import numpy as np
import pytest

from benchmarks import cases
from tests.fuzz.__main__ import backend_of, open_verdicts_on, overlap_share, table, verdicts_on
from tests.fuzz.judge import OVERLAP_BAR, cross, in_sweep, overlapping_pairs, swept_body, true_body, verdict_on, winding
from tests.fuzz.scenes import FAMILIES, Scene, scene
from tests.shapes import ball_union_distance, box, hemisphere, joined, solid_angle_winding, sphere
from voxel_carve.compute import Sweep, carve, plan_grid
from voxel_carve.compute.model import voxel_size_for_resolution

pytest.importorskip("bpy")  # mathutils, and Suzanne

SCENES = 1000
# Fewer scenes on slower backends, with a step that is not that of the families.
SHARE = {"cpu": range(SCENES), "warp": range(5, SCENES, 10)}


def check(numbers, backend):
    verdicts = list(verdicts_on(numbers, backend_of(backend)))
    wrong = [str(verdict) for verdict in verdicts if verdict.complaints]
    assert not wrong, f"make one again by 'dev.py fuzz --scenes 1 --backend {backend} --first NUMBER':\n" + "\n".join(
        wrong
    )
    overlapping = "\n".join(str(verdict) for verdict in verdicts if verdict.overlapping)
    assert overlap_share(verdicts) <= OVERLAP_BAR, overlapping
    print(table(verdicts))


def test_some_random_scenes():
    check(range(29), "cpu")


@pytest.mark.parametrize("number", [471, 858])
def test_faces_at_a_cut_do_not_touch_because_vertices_were_shifted_for_it(number):
    verdict = next(verdicts_on([number], backend_of("cpu")))
    assert not verdict.complaints and verdict.overlapping == 0


@pytest.mark.parametrize("backend", ["cpu", "warp"])
@pytest.mark.parametrize("number", [576, 945])
def test_faces_do_not_touch_with_their_sides_where_surfaces_are_tangent(number, backend):
    verdict = next(verdicts_on([number], backend_of(backend)))
    assert not verdict.complaints and verdict.overlapping == 0


@pytest.mark.slow
@pytest.mark.parametrize("backend", SHARE)
def test_a_thousand_random_scenes(backend):
    check(SHARE[backend], backend)


def check_open(numbers, backend):
    wrong = [str(verdict) for verdict in open_verdicts_on(numbers, backend_of(backend)) if verdict.complaints]
    assert not wrong, f"make one again by 'dev.py fuzz --open --scenes 1 --backend {backend} --first NUMBER':\n" + (
        "\n".join(wrong)
    )


@pytest.mark.parametrize("backend", ["cpu", "warp"])
def test_some_random_open_scenes(backend):
    check_open(range(21 if backend == "cpu" else 7), backend)


@pytest.mark.slow
@pytest.mark.parametrize("backend", SHARE)
def test_a_thousand_random_open_scenes(backend):
    check_open(SHARE[backend], backend)


@pytest.mark.parametrize("case", ["W1-100", "W1-1000"])
@pytest.mark.parametrize("resolution", [128, 256])
def test_no_faces_overlap_on_a_faced_block(case, resolution):
    job = cases.make(case)
    voxel_size = voxel_size_for_resolution(job.stock, resolution)
    surface = carve(job.stock, Sweep.from_paths([job.path]), voxel_size, backend="cpu").surface
    points = (surface.points - job.stock.bounds().mean(axis=0)) / voxel_size
    overlapping = len(overlapping_pairs(points, surface.triangles()))
    assert overlapping == 0


# The judge itself


def test_a_number_always_gives_the_same_scene():
    for number in (7, 13, 25):
        first, again = scene(number), scene(number)
        assert np.array_equal(first.stock.points, again.stock.points)
        assert np.array_equal(first.sweep.start, again.sweep.start)
        assert (first.operation, first.voxel_size, first.thin) == (again.operation, again.voxel_size, again.thin)


def test_families_take_turns_and_every_kind_of_job_occurs():
    scenes = [scene(number) for number in range(4 * len(FAMILIES))]
    assert {one.name for one in scenes} == set(FAMILIES)
    assert {one.operation for one in scenes} == {"subtract", "union", "intersect"}
    assert 0.1 < np.mean([one.thin for one in scenes]) < 0.5
    radii = np.concatenate([one.sweep.start_radius / one.voxel_size for one in scenes])
    assert radii.min() < 0.7 and radii.max() > 10


@pytest.mark.parametrize("parity", [0, 1])
def test_faces_lie_on_voxel_centres_or_borders(parity):
    """The families rely on this: `plan_grid` puts the faces there."""
    name = ["box on voxel borders", "box on voxel centres"][parity]
    for turn in range(4):
        one = scene(list(FAMILIES).index(name) + turn * len(FAMILIES))
        grid = plan_grid(one.stock.bounds(), one.voxel_size)
        assert np.array_equal(grid.to_voxels(one.stock.points) % 1, np.full((8, 3), 0.5 * parity))


def test_boxes_through_each_other_cross_and_touching_ones_do_not():
    through = joined(box(), box([0.3, 0.2, 0.1], [2, 3, 4]))
    beside = joined(box(), box([1, -0.5, -0.5], [2, 0.5, 0.5]))
    on_edge = joined(box(), box([1, 1, -3], [2, 2, 3]))
    for mesh, crossing in ((through, True), (beside, False), (on_edge, False), (box(), False)):
        pairs = overlapping_pairs(mesh.points, mesh.triangles)
        assert cross(mesh.points, mesh.triangles, pairs).any() == crossing
    assert len(overlapping_pairs(through.points, through.triangles)) > 0


def test_a_face_pushed_through_another_crosses_it_at_their_common_vertex():
    points = np.array([[0, 0, 0], [2, -1, 0], [2, 1, 0], [2, 0, -1], [2, 0, 1.0]])
    triangles = np.array([[0, 1, 2], [0, 3, 4]])
    pairs = overlapping_pairs(points, triangles)
    assert pairs.tolist() == [[0, 1]]
    assert cross(points, triangles, pairs).all()


def test_a_rotated_flat_grid_has_no_overlaps():
    """Although it has some by the default of `mathutils`."""
    i, j = np.meshgrid(np.arange(60.0), np.arange(60.0), indexing="ij")
    turn = np.linalg.qr(np.random.default_rng(1).normal(size=(3, 3)))[0]
    points = np.stack([i - 30, j - 30, np.full_like(i, 7.3)], axis=-1).reshape(-1, 3) @ turn.T
    index = np.arange(3600).reshape(60, 60)
    a, b, c, d = (part.ravel() for part in (index[:-1, :-1], index[1:, :-1], index[1:, 1:], index[:-1, 1:]))
    triangles = np.concatenate([np.stack([a, b, c], axis=1), np.stack([a, c, d], axis=1)])
    assert len(overlapping_pairs(points, triangles)) == 0


def lone_scene(stock, sweep, operation="subtract", parts=True):
    return Scene(0, "test", stock, sweep, operation, 0.1, False, (stock,) if parts else ())


def test_the_true_volume_is_that_of_closed_forms():
    capsule = Sweep([-0.5, 0.1, 0.2], [0.4, 0.0, -0.1], 0.3, 0.3)
    length = np.linalg.norm(capsule.end - capsule.start)
    volume = (np.pi * 0.09 * length + 4 / 3 * np.pi * 0.027) / 0.1**3
    one = lone_scene(box(), capsule)
    assert swept_body(one).volume() == pytest.approx(volume, rel=1e-3)
    assert true_body(one)[0] == pytest.approx(8000 - volume, rel=1e-4)
    assert true_body(one)[1] > 2400


def test_the_counted_volume_agrees_with_the_exact_one():
    stock, sweep = sphere(subdivisions=2), Sweep([-2, 0.1, 0.2], [0.4, 0.0, -0.1], 0.5, 0.1)
    for operation in ("subtract", "union", "intersect"):
        exact = true_body(lone_scene(stock, sweep, operation))[0]
        assert true_body(lone_scene(stock, sweep, operation, parts=False))[0] == pytest.approx(exact, rel=0.02)


def test_points_are_classified_as_by_brute_force():
    rng = np.random.default_rng(3)
    points = rng.uniform(-1.5, 1.5, (400, 3))
    assert winding(hemisphere(), points) == pytest.approx(solid_angle_winding(hemisphere(), points), abs=1e-9)
    sweep = Sweep(rng.normal(size=(5, 3)), rng.normal(size=(5, 3)), rng.uniform(0.1, 0.9, 5), rng.uniform(0.1, 0.9, 5))
    distance = ball_union_distance(points, sweep)
    clear = np.abs(distance) > 1e-3
    assert np.array_equal(in_sweep(points, sweep)[clear], distance[clear] < 0)


def test_a_swollen_and_an_open_result_are_complained_of():
    one = lone_scene(box(), Sweep([-2, 0, 0], [2, 0, 0], 0.5, 0.5))
    surface = carve(one.stock, one.sweep, one.voxel_size, backend="cpu").surface
    truth = true_body(one)
    assert verdict_on(one, surface, "cpu", *truth).complaints == ()
    swollen = replace(surface, points=surface.points * 1.02)
    assert "volume" in verdict_on(one, swollen, "cpu", *truth).complaints
    fewer = replace(surface, faces=surface.faces[1:], source=surface.source[1:], primitive=surface.primitive[1:])
    assert {"not closed", "manifold3d says NotManifold"} <= set(verdict_on(one, fewer, "cpu", *truth).complaints)
