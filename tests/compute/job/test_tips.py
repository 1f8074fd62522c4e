"""A radius of 0 is a tip: paths taper to points, and what lies between two such points is left out."""

import json

import numpy as np
import pytest

from tests.shapes import box
from voxel_carve import cli
from voxel_carve.compute import InputError, Path, Sweep, carve, keep_stock

BLOCK = box((-4, -4, -4), (4, 4, 4), name="block")


def tipped_ball(radius, length) -> float:
    """The volume of a ball and the tangents to it from a point at this distance from its centre."""
    sine = radius / length
    cone = np.pi * radius**2 * (1 - sine**2) * (length - radius * sine) / 3
    height = radius * (1 + sine)
    return float(cone + np.pi * height**2 * (3 * radius - height) / 3)


@pytest.mark.parametrize("work", [carve, keep_stock])
@pytest.mark.parametrize("radii", [(0.0, 1.0), (1.0, 0.0)])
def test_a_path_ends_in_a_tip(work, radii):
    sweep = Sweep.from_paths([Path([[0.1, 0.2, -1.5], [0.3, 0.1, 1.5]], radii)])
    report = work(BLOCK, sweep, 0.05).report
    assert report.warnings == ()
    assert report.removed_volume == pytest.approx(tipped_ball(1.0, np.hypot(3, np.hypot(0.2, 0.1))), rel=0.005)


def test_cones_along_a_line_cut_the_groove_of_a_v_bit():
    depth, half = 2.0, np.radians(30)
    cones = [([[x, 0, 4 - depth], [x, 0, 7 - depth]], [0.0, 3 * np.sin(half)]) for x in np.linspace(-5, 5, 401)]
    assert carve(BLOCK, cones, 0.1).report.removed_volume == pytest.approx(8 * depth**2 * np.tan(half), rel=0.005)


def test_points_of_radius_0_between_others_are_left_out_and_counted():
    line = Path([[x, 0.1, 0.2] for x in (-3, -1, 0, 1, 3)], [0.7, 0, 0, 0, 0.7])
    sweep = Sweep.of(line)
    assert (len(sweep), sweep.left_out) == (2, 1)
    report = carve(BLOCK, line, 0.05).report
    assert report.warnings == ("a point of the paths has a radius of 0: it was left out",)
    assert report.removed_volume == pytest.approx(2 * tipped_ball(0.7, 2), rel=0.01)
    gap = Path([[x, 0.1, 0.2] for x in (-3, -1, 1, 3)], [0.7, 0, 0, 0.7])
    assert (len(Sweep.of(gap)), Sweep.of(gap).left_out) == (2, 0)
    assert carve(BLOCK, gap, 0.05).report.removed_volume == pytest.approx(2 * tipped_ball(0.7, 2), rel=0.01)
    balls = Path([[x, 0, 0] for x in range(4)], [0.5, 0, 0, 0.5], joined=False)
    assert (len(Sweep.of(balls)), Sweep.of(balls).left_out) == (2, 2)
    ring = Path([[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]], [0, 0.3, 0, 0], cyclic=True)
    assert (len(Sweep.of(ring)), Sweep.of(ring).left_out) == (2, 1)


def test_a_path_without_any_radius_is_left_out_beside_others():
    paths = [Path([[0, 0, 0], [1, 0, 0]], 0.0), Path([[0, 0, 0], [0, 1, 0]], 0.5)]
    sweep = Sweep.from_paths(paths)
    assert sweep.path.tolist() == [1] and sweep.left_out == 2
    with pytest.raises(InputError, match="no point of the paths has a radius"):
        Sweep.from_paths(paths[:1])


def test_steps_tell_of_left_out_points_once():
    paths = [Path([[-3, 0, z], [-1, 0, z], [1, 0, z]], [0.5, 0, 0]) for z in (0, 2)]
    report = carve(BLOCK, paths, 0.1, operation=["subtract", "union"]).report
    assert [each for each in report.warnings if "radius of 0" in each] == [
        "2 points of the paths have a radius of 0: they were left out"
    ]


def test_a_table_may_have_a_radius_of_0(tmp_path):
    stock, table, report = tmp_path / "block.ply", tmp_path / "path.csv", tmp_path / "report.json"
    carve(BLOCK, Path([[9, 9, 9]], 0.1), 0.5).save(stock)
    table.write_text("x,y,z,radius\n0.1,0.2,-1.5,0\n0.3,0.1,1.5,1\n")
    command = ["--stock", stock, "--path", table, "--voxel-size", "0.05", "--output", tmp_path / "a.ply"]
    assert cli.main([str(each) for each in [*command, "--report", report]]) == 0
    removed = json.loads(report.read_text())["removed_volume"]
    assert removed == pytest.approx(tipped_ball(1.0, np.hypot(3, np.hypot(0.2, 0.1))), rel=0.005)
