"""What a carve loses where no path is: measured after it and expected before it, against distances by brute force."""

import re

import numpy as np
import pytest

from tests.shapes import box, joined, sphere, triangle_distance
from voxel_carve.compute import Grid, Path, Sweep, TriMesh, carve, keep_stock, plan_grid
from voxel_carve.compute.exact.samples import surface_samples
from voxel_carve.compute.losses import expected_loss, keeping_voxel_size
from voxel_carve.compute.primitives.triangles import Triangles

UNIT = Grid(np.zeros(3), 1.0, (1, 1, 1))
ASIDE = Path([[0, 0, -12], [0, 0, 12]], 1.0)


def turned(points, seed):
    """Points turned by a random rotation."""
    turn, triangular = np.linalg.qr(np.random.default_rng(seed).normal(size=(3, 3)))
    turn = turn * np.sign(np.diag(triangular))
    return points @ turn.T


def wires(thickness, count=24) -> TriMesh:
    """Square wires 20 long, each of its own direction, through one another."""
    half = np.array([thickness / 2, thickness / 2, 10.0])
    middle = np.random.default_rng(5).uniform(-7, 7, (count, 3))
    bars = [turned(box(-half, half).points, seed) + move for seed, move in enumerate(middle)]
    return joined(*(TriMesh(points, box().triangles) for points in bars), name="wires")


def points_on(mesh, count=1500):
    """Random points on a mesh, as many on each part of its area."""
    rng, corners = np.random.default_rng(0), mesh.corners()
    area = np.linalg.norm(np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]), axis=1)
    chosen = corners[rng.choice(len(corners), count, p=area / area.sum())]
    return np.einsum("nc,ncx->nx", rng.dirichlet([1, 1, 1], count), chosen)


def true_loss(stock, result, paths):
    """The share of a stock's surface, a voxel and more from a straight path, more than a voxel from the result."""
    points, size = points_on(stock), result.report.voxel_size
    (low, high), radius = paths.points, paths.radii[0]
    along = np.clip((points - low) @ (high - low) / ((high - low) @ (high - low)), 0, 1)
    points = points[np.linalg.norm(points - low - along[:, None] * (high - low), axis=1) > radius + size]
    return float((triangle_distance(points, result.surface.to_tri_mesh()) > size).mean())


def told_loss(report):
    """The share that the warnings tell; 0 if they tell none."""
    told = [re.search(r"lost (\d+)% of its surface away from the paths", warning) for warning in report.warnings]
    return sum(int(found[1]) for found in told if found) / 100


@pytest.mark.parametrize("thickness", [0.2, 0.35])
def test_a_loss_is_told_with_its_size(thickness):
    stock = wires(thickness)
    result = carve(stock, ASIDE, 1.0)
    truth = true_loss(stock, result, ASIDE)
    assert truth > 0.1
    assert told_loss(result.report) == pytest.approx(truth, rel=0.2)


def test_voxels_of_the_size_that_is_told_keep_everything():
    stock = wires(0.5)
    warning = next(each for each in carve(stock, ASIDE, 1.0).report.warnings if "lost" in each)
    size = float(warning.fields["voxel_size"])
    result = carve(stock, ASIDE, size)
    assert told_loss(result.report) == 0
    assert true_loss(stock, result, ASIDE) < 0.01


@pytest.mark.parametrize("thickness", [0.4, 0.6, 0.9])
def test_thin_walls_are_kept_and_nothing_is_told(thickness):
    half = np.array([20, 14, thickness / 2])
    stock = TriMesh(turned(box(-half, half).points, 3), box().triangles, "wall")
    result = carve(stock, Path(turned(np.array([[-9.0, 3, 0], [9, -3, 0]]), 3), 2.0), 1.0)
    slot = thickness * (np.pi * 4 + 4 * np.hypot(18, 6))
    assert result.report.warnings == ()
    assert result.report.volume + slot == pytest.approx(stock.volume(), rel=0.01)


def test_surface_within_another_shell_is_not_lost():
    stock = joined(box((-9, -9, -9), (9, 9, 9)), *(sphere(3, (x, 0, 0)) for x in (-5, 5)), name="filled")
    assert told_loss(carve(stock, Path([[0, -12, 8], [0, 12, 8]], 2.0), 0.5).report) == 0


def test_of_an_intersection_only_what_the_paths_keep_can_be_lost():
    block, kept = box((-9, -9, -9), (9, 9, 9)), Path([[0, 0, -12], [0, 0, 12]], 4.0)
    assert told_loss(carve(block, kept, 0.5, operation="intersect").report) == 0
    assert told_loss(carve(joined(block, wires(0.25), name="both"), kept, 1.0, operation="intersect").report) == 0
    stock = wires(0.25)
    assert told_loss(carve(stock, Path([[0, 0, -1], [0, 0, 1]], 30.0), 1.0, operation="intersect").report) > 0.3


def test_holes_that_cost_surface_are_told():
    steps = np.linspace(-8, 8, 33)
    x, y = (each.ravel() for each in np.meshgrid(steps, steps, indexing="ij"))
    corner = np.arange(32)[:, None] * 33 + np.arange(32)
    quads = np.stack([corner, corner + 33, corner + 34, corner + 1], axis=-1).reshape(-1, 4)
    triangles = np.concatenate([quads[:, [0, 1, 2]], quads[:, [0, 2, 3]]])
    relief = TriMesh(np.column_stack([x, y, 0.1 * x + 0.3 * np.sin(x) * np.cos(y)]), triangles, "relief")
    path = Path([[-3, -3, 0], [3, 3, 0]], 1.0)
    filled = carve(relief, path, 0.5, open_stock="fill")
    assert told_loss(filled.report) == pytest.approx(true_loss(relief, filled, path), rel=0.2)
    assert "give open_stock='sheet'" in " ".join(filled.report.warnings)
    assert told_loss(carve(relief, path, 0.25).report) == 0


def test_a_stock_that_is_lost_whole_is_told():
    wire = TriMesh(turned(box((-10, -0.01, -0.01), (10, 0.01, 0.01)).points, 4) + 0.3, box().triangles, "wire")
    assert told_loss(carve(wire, Path([[0, 0, 30], [5, 0, 30]], 3.0), 1.0, operation="union").report) == 1


def test_thin_parts_of_a_stock_with_a_hole_are_told_as_thin():
    stock = wires(0.2)
    stock = TriMesh(stock.points, stock.triangles[1:], "wires")
    assert "thinner than a voxel" in " ".join(carve(stock, ASIDE, 1.0).report.warnings)


# Before the carve


@pytest.mark.parametrize("thickness", [0.2, 0.35])
def test_a_loss_is_expected_before_the_carve(thickness):
    stock = wires(thickness)
    expected = expected_loss(Triangles.on_grid(stock, UNIT), plan_grid(stock.bounds(), 1.0))
    truth = true_loss(stock, carve(stock, ASIDE, 1.0), ASIDE)
    assert 0.8 * truth <= expected <= 0.2 + truth


@pytest.mark.parametrize("thickness", [0.05, 0.3])
def test_walls_of_any_thickness_are_expected_to_stay(thickness):
    half = np.array([20, 14, thickness / 2])
    wall = TriMesh(turned(box(-half, half).points, 3), box().triangles)
    assert expected_loss(Triangles.on_grid(wall, UNIT), plan_grid(wall.bounds(), 1.0)) < 0.01


def test_half_the_voxel_size_and_a_half_again_is_tried_until_nothing_is_lost():
    stock = Triangles.on_grid(wires(0.5), UNIT)
    size = keeping_voxel_size(stock, UNIT)
    assert size in (0.5, 0.25)
    assert expected_loss(stock, Grid(np.zeros(3), size, (1, 1, 1))) <= 0.01
    assert expected_loss(stock, Grid(np.zeros(3), 2 * size, (1, 1, 1))) > 0.01


# Cuts


@pytest.mark.parametrize("work", [carve, keep_stock])
def test_a_radius_of_less_than_a_voxel_is_told_with_the_size_that_it_takes(work):
    block = box((0, 0, 0), (10, 10, 10))
    path = Sweep.from_paths([Path([[1, 1, 10], [9, 8.7, 10]], 0.08)])
    report = work(block, path, 10 / 64).report
    warning = next(each for each in report.warnings if "less than a voxel" in each)
    assert warning.fields["radius"] == 0.08
    assert "voxels of at most 0.04," in warning
    assert report.removed_volume < 0.8 * 0.1127  # of half a capsule
    fine = work(block, path, 0.04).report
    assert not any("less than a voxel" in each for each in fine.warnings)
    assert fine.removed_volume == pytest.approx(0.1127, rel=0.05)


def test_a_thin_path_that_cuts_nothing_is_not_told():
    block = box((0, 0, 0), (10, 10, 10))
    paths = [Path([[0, 5, 10], [10, 5, 10]], 1.0), Path([[0, 5, 20], [10, 5, 20]], 0.1)]
    assert carve(block, paths, 0.25).report.warnings == ()


# Shells inside others


def hollow(is_turned, count=1):
    """A block with closed shells inside, those of hollows or, turned over, those of bodies."""
    cavities = [box((2, 2, 2 + 4 * i), (8, 8, 4 + 4 * i)) for i in range(count)]
    cavities = [TriMesh(each.points, each.triangles[:, ::-1] if not is_turned else each.triangles) for each in cavities]
    return joined(box((0, 0, 0), (10, 10, 10)), *cavities, name="hollow")


@pytest.mark.parametrize("work", [carve, keep_stock])
@pytest.mark.parametrize("count", [1, 2])
def test_a_shell_inside_another_that_looks_the_same_way_is_told(work, count):
    bore = Sweep.from_paths([Path([[5, 5, 12], [5, 5, 5]], 1.0)])
    wrong = " ".join(work(hollow(True, count), bore, 0.2).report.warnings)
    assert ("a shell of 'hollow' lies inside another" if count == 1 else "2 shells of 'hollow' lie inside") in wrong
    assert work(hollow(False, count), bore, 0.2).report.warnings == ()


def test_bodies_that_overlap_are_not_inside_each_other():
    both = joined(box((0, 0, 0), (10, 10, 10)), box((5, 5, 5), (15, 9, 9)), name="both")
    assert carve(both, Path([[5, 5, 12], [5, 5, 5]], 1.0), 0.25).report.warnings == ()


# Samples


def test_samples_are_spread_over_the_area():
    block = Triangles.on_grid(box((0, 0, 0), (1, 2, 3)), UNIT)
    points, which = surface_samples(block, 2200)
    on = [(points[:, axis] == end).sum() for axis, high in enumerate((1, 2, 3)) for end in (0, high)]
    assert on == pytest.approx([600, 600, 300, 300, 200, 200], abs=2)
    low, high = block.bounds()
    assert ((points >= low[which] - 1e-12) & (points <= high[which] + 1e-12)).all()
    assert points[points[:, 2] == 3][:, :2].mean(axis=0) == pytest.approx([0.5, 1], abs=0.05)
