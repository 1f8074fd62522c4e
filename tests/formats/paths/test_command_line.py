"""The command line carves along files of each kind as along the same path, and says what its reader decided."""

import json

import numpy as np
import pytest

from tests.command_line import in_blender, run_each
from tests.formats.paths import kinds
from voxel_carve.compute import TriMesh, carve
from voxel_carve.formats import PATH_SUFFIXES, read_mesh, write_meshes

LOW, HIGH = np.array([-2.0, -1.5, -1.0]), np.array([2.0, 1.5, 1.0])


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("kinds")
    for name, unit in (("m", 1.0), ("mm", 1e3), ("in", 1 / 0.0254)):
        write_meshes(folder / f"{name}.ply", [TriMesh.box(LOW * unit, HIGH * unit)])
    for kind in kinds.KINDS:
        kinds.write(folder, kind)
    rows = "".join(f"{x},{y},{z}\n" for x, y, z in (kinds.POINTS * 1e3).tolist())
    (folder / "mm.csv").write_text(f"X (mm),Y (mm),Z (mm),speed\n{rows}".replace("\n", ",9\n").replace("d,9", "d"))
    return folder


def carved(folder, jobs):
    """The reports and results of jobs: for each its path, stock, and more words."""
    words = [
        ["--path", path, "--stock", stock, "--output", f"{n}.ply", "--report", f"{n}.json", "--overwrite", *more]
        for n, (path, stock, *more) in enumerate(jobs)
    ]
    for done in run_each([[*each, "--resolution", 40] for each in words], folder):
        assert done.status == 0, done.err
    reports = [json.loads((folder / f"{n}.json").read_text()) for n in range(len(jobs))]
    return [(report, read_mesh(folder / f"{n}.ply")) for n, report in enumerate(reports)]


def test_every_kind_is_tested():
    assert set(kinds.KINDS) == set(PATH_SUFFIXES)


def test_a_carve_along_a_file_of_any_kind_is_that_along_its_points(folder):
    pytest.importorskip("ezdxf")
    found = carved(folder, [(f"tool{kind}", "m.ply", "--radius", 0.25) for kind in kinds.KINDS])
    true = carve(TriMesh.box(LOW, HIGH), (kinds.POINTS, 0.25), resolution=40).surface
    for kind, (report, mesh) in zip(kinds.KINDS, found, strict=True):
        assert report["closed"]
        if kind == ".gpx":
            assert report["removed_volume"] == pytest.approx(found[0][0]["removed_volume"], rel=1e-6)
        else:
            np.testing.assert_allclose(mesh.points, true.points, rtol=0, atol=1e-6)
    said = {kind: report["warnings"] for kind, (report, _) in zip(kinds.KINDS, found, strict=True)}
    assert said[".txt"] == said[".obj"] == said[".npy"] == said[".dxf"] == []
    assert said[".csv"] == ["tool.csv: commas in its numbers were read as decimal marks"]
    assert said[".xyz"] == ["tool.xyz does not name its columns: they were taken as x, y, z"]
    assert said[".svg"] == ["tool.svg: a unit of the drawing is 1 m"]
    assert said[".gpx"][0] == "tool.gpx is in m" and "projected about 0.000000, 0.000000" in said[".gpx"][1]


def test_the_unit_of_the_coordinates(folder):
    jobs = [
        ("mm.csv", "m.ply", "--radius", 0.25),
        ("mm.csv", "mm.ply", "--radius", 250, "--unit", "mm"),
        ("mm.csv", "in.ply", "--radius", 0.25 / 0.0254, "--unit", "inches"),
        ("tool.svg", "mm.ply", "--radius", 250, "--unit", "mm"),
        ("tool.obj", "m.ply", "--radius", 0.25, "--unit", "mm"),  # its numbers have no unit
    ]
    found = carved(folder, jobs)
    units = (1.0, 1e3, 1 / 0.0254, 1e3, 1.0)
    for (report, _), unit in zip(found, units, strict=True):
        assert report["removed_volume"] / unit**3 == pytest.approx(found[0][0]["removed_volume"], rel=1e-4)
    assert found[0][0]["warnings"] == [
        "mm.csv is in mm: its lengths were multiplied by 0.001; --unit mm keeps them",
        "mm.csv: columns that we do not know were ignored: speed",
    ]
    assert found[1][0]["warnings"][0] == "mm.csv is in mm"
    assert (
        found[2][0]["warnings"][0] == "mm.csv is in mm: its lengths were multiplied by 0.0393701; --unit mm keeps them"
    )
    assert found[4][0]["warnings"] == []


@pytest.mark.blender
def test_the_unit_of_a_scene(folder):
    pytest.importorskip("bpy")
    make = """
import sys, bpy
bpy.ops.wm.read_factory_settings(use_empty=True)
bpy.context.scene.unit_settings.scale_length = 0.001
bpy.ops.mesh.primitive_cube_add(size=2)
bpy.context.object.scale = 2000, 1500, 1000
bpy.ops.wm.save_as_mainfile(filepath=sys.argv[1])
"""
    in_blender(make, folder / "scene.blend")
    jobs = [
        ("mm.csv", "Cube", "--radius", 250, "--blend", "scene.blend"),
        ("mm.csv", "Cube", "--radius", 250, "--blend", "scene.blend", "--unit", "mm"),
        ("mm.csv", "m.ply", "--radius", 0.25),
    ]
    found = [report for report, _ in carved(folder, jobs)]
    assert found[0]["removed_volume"] == found[1]["removed_volume"]
    assert found[0]["removed_volume"] / 1e9 == pytest.approx(found[2]["removed_volume"], rel=1e-4)
    assert found[0]["warnings"][0] == "mm.csv is in mm"


def test_refusals_are_one_line(folder):
    (folder / "bad.svg").write_text("<svg>\n <path d='M0 0 L1'/></svg>")
    (folder / "bad.txt").write_text("x y z\n0,5 0 0\n0.5 0 0\n")
    jobs = [
        ["--path", "bad.svg", "--radius", 1],
        ["--path", "bad.txt", "--radius", 1],
        ["--path", "tool.npy"],
        ["--path", "tool.obj", "--radius", 1, "--unit", "furlong"],
    ]
    done = run_each([[*job, "--stock", "m.ply", "--resolution", 9, "--output", "no.ply"] for job in jobs], folder)
    assert [each.status for each in done] == [2] * 4
    said = [each.err.strip() for each in done]
    assert "bad.svg, line 2, column 2: <path>: its d is cut short" in said[0]
    assert "bad.txt, line 3, column 'x': '0.5' has another decimal mark than line 2" in said[1]
    assert "tool.npy has no radius: give one with --radius" in said[2]
    assert "--unit furlong: choose µm, mm, cm" in said[3]
    assert not any("\n" in each for each in said)
    assert not (folder / "no.ply").exists()
