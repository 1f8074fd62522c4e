"""Surfaces of volumes, against closed forms."""

import importlib.util
import sys

import numpy as np
import pytest

from tests.command_line import run
from tests.formats import volumes
from voxel_carve.compute import CarveCancelled, InputError
from voxel_carve.compute.level_set import SparseField
from voxel_carve.compute.model import signed_volume
from voxel_carve.compute.runtime import reporting_to
from voxel_carve.formats import read_mesh, read_volume, write_volume

VOXEL = 0.05
RADIUS = 0.8
VOLUME = 4 / 3 * np.pi * RADIUS**3


def ball(radius=RADIUS, name="surface"):
    return volumes.level_set(volumes.ball_distance(radius), 1.0, VOXEL, name)


def is_closed(mesh):
    sides = np.concatenate([mesh.triangles[:, [i, (i + 1) % 3]] for i in range(3)])
    return {tuple(side) for side in sides.tolist()} == {(b, a) for a, b in sides.tolist()}


def test_the_surface_of_a_level_set(openvdb, tmp_path):
    centre = (0.013, -0.021, 0.008)
    distance = volumes.ball_distance(RADIUS, centre)
    mesh = read_volume(volumes.write(tmp_path / "ball.vdb", volumes.level_set(distance, 1.0, VOXEL)))
    assert np.abs(distance(mesh.points)).max() < 0.05 * VOXEL
    assert is_closed(mesh)
    assert signed_volume(mesh.points, mesh.triangles) == pytest.approx(VOLUME, rel=5e-3)


def test_only_the_edges_of_a_box_are_cut_off(openvdb, tmp_path):
    distance = volumes.box_distance((0.51, 0.62, 0.43))
    mesh = read_mesh(volumes.write(tmp_path / "box.vdb", volumes.level_set(distance, 0.8, VOXEL)))
    off = np.abs(distance(mesh.points)) / VOXEL
    assert off.max() < 0.75
    assert np.median(off) < 1e-4


def test_a_fog_ends_where_its_density_is_a_tenth(openvdb, tmp_path):
    distance = volumes.ball_distance(RADIUS)
    fog = volumes.fog(lambda points: np.clip(-distance(points) / 0.4, 0, 1), 1.0, VOXEL)
    mesh = read_volume(volumes.write(tmp_path / "fog.vdb", fog))
    assert np.linalg.norm(mesh.points, axis=1) == pytest.approx(RADIUS - 0.04, abs=0.05 * VOXEL)
    assert signed_volume(mesh.points, mesh.triangles) == pytest.approx(4 / 3 * np.pi * (RADIUS - 0.04) ** 3, rel=5e-3)


def test_distances_without_a_class_are_a_level_set(openvdb, tmp_path):
    grid = ball()
    grid.gridClass = openvdb.GridClass.UNKNOWN
    mesh = read_volume(volumes.write(tmp_path / "ball.vdb", grid))
    assert signed_volume(mesh.points, mesh.triangles) == pytest.approx(VOLUME, rel=5e-3)


def test_the_transform_of_a_grid(openvdb, tmp_path):
    grid = ball()
    grid.transform.postScale((2.0, 1.0, 1.0))
    grid.transform.postTranslate((5.0, 6.0, 7.0))
    mesh = read_volume(volumes.write(tmp_path / "ball.vdb", grid))
    assert np.ptp(mesh.bounds(), axis=0) == pytest.approx([4 * RADIUS, 2 * RADIUS, 2 * RADIUS], rel=0.01)
    assert mesh.bounds().mean(axis=0) == pytest.approx([5, 6, 7], abs=0.01)


def test_a_grid_is_chosen_by_its_name_or_is_the_first_one_of_numbers(openvdb, tmp_path):
    flow = openvdb.Vec3SGrid((0.0, 0.0, 0.0))
    flow.name = "a flow"
    file = volumes.write(tmp_path / "grids.vdb", flow, ball(0.4, "small"), ball(0.8, "zzz"))
    assert np.abs(read_volume(file).bounds()) == pytest.approx(np.full((2, 3), 0.4), rel=0.02)
    assert np.abs(read_volume(file, grid_name="zzz").bounds()) == pytest.approx(np.full((2, 3), 0.8), rel=0.02)
    with pytest.raises(InputError, match="no grid 'a flow' of numbers"):
        read_volume(file, grid_name="a flow")


def test_volumes_without_a_surface_are_named(openvdb, tmp_path):
    flow = openvdb.Vec3SGrid((0.0, 0.0, 0.0))
    flow.name = "flow"
    thin = volumes.fog(lambda points: np.full(points.shape[:-1], 0.05), 0.2, VOXEL)
    for grid, fault in ((flow, "no grid of numbers"), (thin, "its grid 'density' has no surface at 0.1")):
        with pytest.raises(InputError, match=fault):
            read_volume(volumes.write(tmp_path / "bad.vdb", grid))


@pytest.mark.parametrize("content", [b"", b"no volume", "a part"], ids=["empty", "text", "truncated"])
def test_a_damaged_volume_is_named(openvdb, tmp_path, content):
    file = volumes.write(tmp_path / "bad.vdb", ball())
    file.write_bytes(file.read_bytes()[:2000] if content == "a part" else content)
    with pytest.raises(InputError, match=r"bad\.vdb cannot be read as \.vdb"):
        read_volume(file)


def test_a_volume_that_takes_too_much_memory_is_refused(openvdb, tmp_path):
    with pytest.raises(InputError, match="voxels of its grid 'surface' need about"):
        read_volume(volumes.write(tmp_path / "ball.vdb", ball()), memory_limit=100_000)


def test_a_missing_module_is_told(tmp_path, monkeypatch):
    file = tmp_path / "any.vdb"
    file.write_bytes(b"any")
    monkeypatch.delitem(sys.modules, "openvdb", raising=False)
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(
        InputError, match="volumes need the openvdb module, which this Python does not have: use Blender as"
    ):
        read_volume(file)


def test_a_volume_is_carved_from_the_command_line(openvdb, tmp_path):
    volumes.write(tmp_path / "ball.vdb", ball())
    (tmp_path / "drill.csv").write_text("x,y,z,radius\n-2,0,0,0.3\n2,0,0,0.3\n", encoding="utf-8")
    done = run(["--stock", "ball.vdb", "--path", "drill.csv", "--resolution", "64", "--output", "ball.ply"], tmp_path)
    assert done.status == 0, done.err
    left = 4 / 3 * np.pi * (RADIUS**2 - 0.3**2) ** 1.5
    mesh = read_mesh(tmp_path / "ball.ply")
    assert signed_volume(mesh.points, mesh.triangles) == pytest.approx(left, rel=0.01)


def test_a_volume_is_written_from_the_command_line(openvdb, tmp_path):
    """It is read as a stock again, and carved once more."""
    volumes.write(tmp_path / "ball.vdb", ball())
    (tmp_path / "drill.csv").write_text("x,y,z,radius\n-2,0,0,0.3\n2,0,0,0.3\n", encoding="utf-8")
    carve = ["--stock", "ball.vdb", "--path", "drill.csv", "--resolution", "64", "--output", "drilled.vdb"]
    done = run(carve, tmp_path)
    assert done.status == 0, done.err
    mesh = read_mesh(tmp_path / "drilled.vdb")
    left = 4 / 3 * np.pi * (RADIUS**2 - 0.3**2) ** 1.5
    assert signed_volume(mesh.points, mesh.triangles) == pytest.approx(left, rel=0.01)
    off_drill, off_ball = np.hypot(*mesh.points[:, 1:].T) - 0.3, np.linalg.norm(mesh.points, axis=1) - RADIUS
    assert np.maximum(-off_drill, off_ball).max() < 0.6 * RADIUS / 32  # the rims are cut off
    assert np.median(np.abs(np.maximum(-off_drill, off_ball))) < 0.1 * RADIUS / 32
    again = run(carve, tmp_path)
    assert (again.status, "exists already" in again.err) == (2, True)


def test_writing_that_is_cancelled_is_no_fault_of_the_file(openvdb, tmp_path):
    one = SparseField(
        np.zeros(3), VOXEL, 3.0, np.zeros((1, 3), dtype=np.int64), np.full((1, 512), -1, dtype=np.float32)
    )

    def stop(stage, fraction):
        raise CarveCancelled

    with pytest.raises(CarveCancelled), reporting_to(stop):
        write_volume(tmp_path / "ball.vdb", one)
    assert list(tmp_path.iterdir()) == []


def test_what_a_volume_cannot_hold_is_refused(tmp_path):
    begin = ["--stock", "a.stl", "--path", "b.csv", "--resolution", "64", "--output", "c.vdb"]
    for more, fault in (
        (["--stock", "d.stl"], "a volume holds one result: give one stock"),
        (["--result", "keep"], "a volume has no faces to keep: leave --result out"),
    ):
        done = run([*begin, *more], tmp_path)
        assert done.status == 2
        assert fault in done.err
