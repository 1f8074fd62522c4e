"""The command line as a process: results against closed forms, bytes, exit statuses, and one line for bad input."""

import json
import os
import pty
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
import trimesh

import voxel_carve
from tests.command_line import (
    BOX_SIZE,
    BOX_VOLUME,
    CAPSULE_CSV,
    CAPSULE_LENGTH,
    CAPSULE_RADIUS,
    CAPSULE_VOLUME,
    ROOT,
    SCRIPT,
    box,
    environment,
    run,
    run_each,
    start,
    write_input,
)
from tests.settings.outside_package import install
from voxel_carve.formats import MESH_SUFFIXES, read_mesh, write_meshes

JOB = ["--stock", "box.stl", "--path", "tool.csv"]


@pytest.fixture
def folder(tmp_path):
    write_input(tmp_path)
    return tmp_path


def test_as_a_module(folder):
    command = [sys.executable, "-m", "voxel_carve", *JOB, "--resolution", "24", "--output", "out.ply"]
    paths = {"PYTHONPATH": str(ROOT), "VOXEL_CARVE_BACKEND": "cpu"}
    done = subprocess.run(
        command, cwd=folder, env=os.environ | paths, capture_output=True, text=True, timeout=300, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert read_mesh(folder / "out.ply").volume() == pytest.approx(BOX_VOLUME - CAPSULE_VOLUME, rel=0.02)


def test_the_backends_of_a_package_are_listed_and_carve(folder):
    (folder / "installed").mkdir()
    install(folder / "installed")
    job = {"stock": ["box.stl"], "path": ["tool.csv"], "resolution": 16, "backend": "abacus", "output": "out.ply"}
    (folder / "jobs.json").write_text(json.dumps([job, job | {"backend": "rusty", "output": "other.ply"}]))
    blocked = 'import sys; sys.modules["warp"] = None; from voxel_carve.cli import main; sys.exit(main(sys.argv[1:]))'
    paths = {"PYTHONPATH": os.pathsep.join([str(ROOT), str(folder / "installed")]), "VOXEL_CARVE_BACKEND": "cpu"}
    listed, carved = (
        subprocess.run(
            [sys.executable, "-c", blocked, *arguments],
            cwd=folder,
            env=os.environ | paths,
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )
        for arguments in (["--backends"], ["--jobs", "jobs.json"])
    )
    assert (listed.returncode, listed.stderr) == (0, "")
    lines = dict(line.split(": ", 1) for line in listed.stdout.splitlines())
    assert lines["auto"] == lines["cpu"] and lines["cpu"].startswith("CPU on ")
    assert lines["cuda"].startswith("does not work here: ") and "install" in lines["cuda"]
    assert lines["abacus (abacus-backend 1.0)"] == "abacus on wood"
    assert lines["rusty (abacus-backend 1.0)"].endswith("the frame is rusty")
    assert carved.returncode == 1 and "abacus (wood)" in carved.stdout and "the frame is rusty" in carved.stderr


def names(folder):
    return sorted(file.name for file in folder.iterdir())


@pytest.mark.parametrize(("resolution", "tolerance"), [(32, 0.02), (96, 0.004)])
def test_box_minus_capsule_has_the_volume_of_the_closed_form(folder, resolution, tolerance):
    done = run([*JOB, "--resolution", resolution, "--output", "out.ply", "--report", "out.json"], folder)
    assert (done.status, done.err) == (0, "")
    report = json.loads((folder / "out.json").read_text())
    assert report["removed_volume"] == pytest.approx(CAPSULE_VOLUME, rel=tolerance)
    assert report["volume"] == pytest.approx(BOX_VOLUME - CAPSULE_VOLUME, rel=tolerance / 4)
    result = trimesh.load_mesh(folder / "out.ply", process=False)
    assert result.is_watertight
    assert result.is_winding_consistent
    assert result.volume == pytest.approx(report["volume"], rel=1e-5)
    assert report["triangles"] == len(result.faces)
    assert report["vertices"] == len(result.vertices)


def test_report_is_complete(folder):
    done = run([*JOB, "--voxel-size", "0.125", "--output", "out.ply", "--report", "out.json"], folder)
    report = json.loads((folder / "out.json").read_text())
    assert done.status == 0
    assert report["operation"] == "subtract"
    assert report["backend"] == "cpu"
    assert report["device"]
    assert report["voxel_size"] == 0.125
    assert len(report["grid_shape"]) == 3
    assert np.array(report["grid_shape"][::-1]).min() * 0.125 >= 2.0
    assert report["grid_shape"][0] < report["grid_shape"][2]  # z is the short side, x the long one
    assert report["segments"] == 1
    assert report["stock_triangles"] == 12
    assert report["faces"] < report["triangles"] == report["triangles_before"] <= 2 * report["faces"]
    assert report["tolerance"] == 0
    assert report["closed"] is True
    assert report["peak_memory_mb"] > 10
    assert report["warnings"] == []
    seconds = report["seconds"]
    stages = {"read", "voxelize", "sweep", "combine", "surface", "simplify", "write", "compute", "compile", "total"}
    assert set(seconds) == stages
    assert all(value >= 0 for value in seconds.values())
    assert seconds["total"] >= seconds["compute"]


@pytest.mark.parametrize("option", [("--adaptivity", "0.1"), ("--tolerance", "0.0125")])
def test_faces_are_merged_within_the_tolerance(folder, option):
    done = run([*JOB, "--voxel-size", "0.125", "--output", "all.ply", "--report", "all.json"], folder)
    done = start([*JOB, "--voxel-size", "0.125", *option, "--output", "few.ply", "--report", "few.json"], folder)
    assert (done.status, done.err) == (0, "")
    whole, few = (json.loads((folder / name).read_text()) for name in ("all.json", "few.json"))
    result = trimesh.load_mesh(folder / "few.ply", process=False)
    assert result.is_watertight
    assert few["tolerance"] == pytest.approx(0.0125)
    assert few["triangles_before"] == whole["triangles"] > 3 * few["triangles"]
    assert few["triangles"] == few["faces"] == len(result.faces)
    assert few["vertices"] == len(result.vertices)
    assert few["volume"] == pytest.approx(result.volume, rel=1e-5)
    assert abs(few["volume"] - whole["volume"]) <= 0.0125 * result.area


def test_verify_measures_the_accuracy_of_the_written_file(folder):
    done = start([*JOB, "--voxel-size", "0.125", "--output", "out.ply", "--report", "out.json", "--verify"], folder)
    assert (done.status, done.err) == (0, "")
    report = json.loads((folder / "out.json").read_text())
    accuracy, points = report["accuracy"], trimesh.load_mesh(folder / "out.ply", process=False).vertices
    assert accuracy["voxel_size"] == 0.125
    assert accuracy["vertices"]["count"] == len(points)
    a, b, radius = np.array([1, 1.5, 1]), np.array([1 + CAPSULE_LENGTH, 1.5, 1]), CAPSULE_RADIUS
    along = np.clip((points - a) @ (b - a) / ((b - a) @ (b - a)), 0, 1)
    sweep = np.linalg.norm(points - a - along[:, None] * (b - a), axis=1) - radius
    beside = np.abs(points - BOX_SIZE / 2) - BOX_SIZE / 2
    stock = np.linalg.norm(np.maximum(beside, 0), axis=1) + np.minimum(beside.max(axis=1), 0)
    off = np.abs(np.maximum(stock, -sweep))
    assert accuracy["vertices"]["largest"] == pytest.approx(off.max(), abs=1e-6)
    assert accuracy["vertices"]["rms"] == pytest.approx(np.sqrt((off**2).mean()), abs=1e-6)
    for name in ("vertices", "centroids", "edges", "true_edges"):
        assert accuracy["voxels"][name]["largest"] == pytest.approx(accuracy[name]["largest"] / 0.125)
    assert report["seconds"]["verify"] > 0
    first, second = done.out.splitlines()
    assert f"vertices {accuracy['voxels']['vertices']['rms']:.4f} RMS" in second
    assert "verify" not in first


def test_a_quiet_run_prints_nothing_and_a_normal_one_the_outcome(folder):
    quiet = run([*JOB, "--resolution", 24, "--output", "quiet.ply", "--quiet"], folder)
    assert (quiet.status, quiet.out, quiet.err) == (0, "", "")
    loud = run([*JOB, "--resolution", 24, "--output", "loud.ply"], folder)
    assert (loud.status, loud.err) == (0, "")
    assert loud.out.startswith("loud.ply: ")
    assert "removed" in loud.out


def test_same_input_gives_the_same_bytes_whatever_the_order_of_paths(folder):
    rng = np.random.default_rng(3)
    for name in "abc":
        points = rng.uniform([0.5, 0.5, 0.2], [3.5, 2.5, 1.8], (12, 3))
        lines = [f"{x},{y},{z},{r}" for (x, y, z), r in zip(points, rng.uniform(0.1, 0.3, 12), strict=True)]
        (folder / f"{name}.csv").write_text("\n".join(["x,y,z,radius", *lines]))
    for output, order in (("first", "abc"), ("again", "abc"), ("other", "cab")):
        paths = [word for name in order for word in ("--path", f"{name}.csv")]
        done = run(["--stock", "box.stl", *paths, "--resolution", 64, "--output", f"{output}.ply"], folder)
        assert done.status == 0, done.err
    first = (folder / "first.ply").read_bytes()
    assert (folder / "again.ply").read_bytes() == first
    assert (folder / "other.ply").read_bytes() == first


@pytest.mark.parametrize("suffix", MESH_SUFFIXES)
def test_every_format_keeps_the_up_direction(folder, suffix):
    write_meshes(folder / f"part{suffix}", [box("part", (10, 20, 30))])
    (folder / "high.csv").write_text("x,y,z\n11,21.5,31.8\n13,21.5,31.8\n")
    arguments = ["--stock", f"part{suffix}", "--path", "high.csv", "--radius", "0.5", "--voxel-size", "0.1"]
    done = run([*arguments, "--output", f"out{suffix}"], folder)
    assert (done.status, done.err) == (0, "")
    result = read_mesh(folder / f"out{suffix}")
    np.testing.assert_allclose(result.bounds(), box(offset=(10, 20, 30)).bounds(), atol=0.05)
    # The groove is open at the top, z = 32: in its middle the result is empty there and solid below.
    middle = (np.abs(result.corners().mean(axis=1)[:, :2] - [12, 21.5]) < [0.5, 0.3]).all(axis=1)
    height = result.corners().mean(axis=1)[middle, 2]
    assert height.max() < 31.6
    assert height.min() < 30.05


@pytest.mark.parametrize("operation", ["union", "intersect"])
def test_operations(folder, operation):
    (folder / "out.csv").write_text(CAPSULE_CSV.replace(",1,", ",2,"))  # half of it above the box
    run_arguments = ["--stock", "box.stl", "--path", "out.csv", "--resolution", "64", "--operation", operation]
    done = run([*run_arguments, "--output", "out.ply", "--report", "out.json"], folder)
    assert (done.status, done.err) == (0, "")
    added = CAPSULE_VOLUME / 2
    removed = -added if operation == "union" else BOX_VOLUME - added
    assert json.loads((folder / "out.json").read_text())["removed_volume"] == pytest.approx(removed, rel=0.005)
    # the corners of the result are cut by part of a voxel
    assert trimesh.load_mesh(folder / "out.ply").volume == pytest.approx(BOX_VOLUME - removed, rel=0.03)


def test_several_stocks_and_paths_go_into_one_file(folder):
    write_meshes(folder / "small.stl", [replace_size(box("small"), 0.5, (0, 0, 5))])
    (folder / "second.csv").write_text("x,y,z,radius\n1,0.75,5.5,0.25\n")
    arguments = ["--stock", "box.stl", "--stock", "small.stl", "--path", "tool.csv", "--path", "second.csv"]
    done = start([*arguments, "--resolution", 64, "--output", "out.glb", "--report", "out.json"], folder)
    assert (done.status, done.err) == (0, "")
    scene = trimesh.load_scene(folder / "out.glb")
    assert sorted(scene.geometry) == ["box Carved", "small Carved"]
    ball_volume = 4 / 3 * np.pi * 0.25**3
    assert scene.geometry["box Carved"].volume == pytest.approx(BOX_VOLUME - CAPSULE_VOLUME, rel=0.005)
    assert scene.geometry["small Carved"].volume == pytest.approx(BOX_VOLUME / 8 - ball_volume, rel=0.005)
    report = json.loads((folder / "out.json").read_text())
    first, second = report["stocks"]
    assert (first["name"], second["name"]) == ("box", "small")
    assert first["voxel_size"] == 2 * second["voxel_size"]  # the resolution applies to each stock
    for key in ("removed_volume", "volume", "vertices", "faces", "triangles", "stock_triangles"):
        assert report[key] == pytest.approx(first[key] + second[key])
    assert report["removed_volume"] == pytest.approx(CAPSULE_VOLUME + ball_volume, rel=0.02)


def replace_size(mesh, factor, offset):
    return type(mesh)(mesh.points * factor + offset, mesh.triangles, mesh.name)


def test_path_beside_the_stock_gives_a_warning_and_the_unchanged_stock(folder):
    (folder / "far.csv").write_text("x,y,z,radius\n50,50,50,1\n")
    done = run(["--stock", "box.stl", "--path", "far.csv", "--resolution", 32, "--output", "out.ply"], folder)
    assert done.status == 0
    assert done.err.startswith("voxel_carve: warning: ")
    assert done.err.count("\n") == 1
    assert trimesh.load_mesh(folder / "out.ply").volume == pytest.approx(BOX_VOLUME, rel=0.01)


def test_overwrite_replaces_and_without_it_nothing_changes(folder):
    (folder / "out.ply").write_text("mine")
    refused = run([*JOB, "--resolution", 16, "--output", "out.ply"], folder)
    assert refused.status == 2
    assert (folder / "out.ply").read_text() == "mine"
    allowed = run([*JOB, "--resolution", 16, "--output", "out.ply", "--overwrite"], folder)
    assert (allowed.status, allowed.err) == (0, "")
    assert (folder / "out.ply").read_bytes().startswith(b"ply")
    assert names(folder) == ["box.stl", "out.ply", "tool.csv"]


NO_CUDA = """
import sys
sys.modules["warp"] = None
sys.argv = sys.argv[1:]
exec(compile(open(sys.argv[0]).read(), sys.argv[0], "exec"), {"__name__": "__main__", "__file__": sys.argv[0]})
"""

BOX, TOOL, SIZE, OUT = "--stock box.stl", "--path tool.csv", "--resolution 9", "--output o.ply"
BAD_INPUT = {
    "nothing at all": ("", ["--voxel-size", "--resolution"]),
    "unknown option": ("--stok box.stl", ["--stok"]),
    "option without value": ("--stock", ["--stock"]),
    "stray word": ("box.stl", ["box.stl"]),
    "no stock": (f"{TOOL} {SIZE} {OUT}", ["no stock", "--stock"]),
    "no path": (f"{BOX} {SIZE} {OUT}", ["no path", "--path"]),
    "no output": (f"{BOX} {TOOL} {SIZE}", ["no output", "--output"]),
    "no voxel size": (f"{BOX} {TOOL} {OUT}", ["--voxel-size", "--resolution"]),
    "two voxel sizes": (f"{BOX} {TOOL} {OUT} {SIZE} --voxel-size 1", ["either"]),
    "resume alone": (f"{BOX} {TOOL} {OUT} {SIZE} --resume", ["--jobs", "--frames"]),
    "a jobs file without a name": ("--jobs=", [". is a folder"]),
    "missing stock": (f"--stock gone.stl {TOOL} {SIZE} {OUT}", ["gone.stl", "no such file"]),
    "missing path": (f"{BOX} --path gone.csv {SIZE} {OUT}", ["gone.csv", "no such file"]),
    "stock of another kind": (f"--stock tool.csv {TOOL} {SIZE} {OUT}", ["tool.csv", ".stl"]),
    "path of another kind": (f"{BOX} --path box.stl {SIZE} {OUT}", ["box.stl", ".csv"]),
    "output of another kind": (f"{BOX} {TOOL} {SIZE} --output o.step", ["o.step", ".ply"]),
    "name without a .blend": (f"--stock Cube {TOOL} {SIZE} {OUT}", ["Cube", "--blend"]),
    "frames without a .blend": (f"{BOX} {TOOL} {SIZE} --frames 1:2 --output {{frame}}.ply", ["--blend"]),
    "frames without a place": (f"{BOX} {TOOL} {SIZE} {OUT} --frames 1:2 --blend a.blend", ["o.ply", "{frame:04}"]),
    "frames backwards": (f"{BOX} {TOOL} {SIZE} --frames 9:1 --output {{frame}}.ply", ["--frames 9:1"]),
    "frames of words": (f"{BOX} {TOOL} {SIZE} --frames all --output {{frame}}.ply", ["--frames all"]),
    "stock without faces": (f"--stock points.obj {TOOL} {SIZE} {OUT}", ["points.obj", "no faces"]),
    "stock with NaN": (f"--stock nan.obj {TOOL} {SIZE} {OUT}", ["nan.obj", "1 of 3"]),
    "stock with infinity": (f"--stock inf.obj {TOOL} {SIZE} {OUT}", ["inf.obj", "1 of 3"]),
    "empty stock": (f"--stock empty.stl {TOOL} {SIZE} {OUT}", ["empty.stl", "is empty"]),
    "empty path": (f"{BOX} --path empty.csv {SIZE} {OUT}", ["empty.csv", "is empty"]),
    "binary path": (f"{BOX} --path binary.csv {SIZE} {OUT}", ["binary.csv", "text"]),
    "path with NaN": (f"{BOX} --path nan.csv {SIZE} {OUT}", ["nan.csv", "line 3", "'y'"]),
    "path without a radius": (f"{BOX} --path thin.csv {SIZE} {OUT}", ["thin.csv", "--radius"]),
    "radius of a path zero": (f"{BOX} {TOOL} --path-radius 0 {SIZE} {OUT}", ["--path-radius 0", "positive"]),
    "radius zero": (f"{BOX} {TOOL} {SIZE} {OUT} --radius 0", ["--radius 0", "positive"]),
    "radius negative": (f"{BOX} {TOOL} {SIZE} {OUT} --radius -1", ["--radius -1", "positive"]),
    "radius a word": (f"{BOX} {TOOL} {SIZE} {OUT} --radius thick", ["--radius thick", "number"]),
    "radius NaN": (f"{BOX} {TOOL} {SIZE} {OUT} --radius nan", ["--radius nan", "positive"]),
    "voxel size zero": (f"{BOX} {TOOL} {OUT} --voxel-size 0", ["--voxel-size 0", "positive"]),
    "voxel size negative": (f"{BOX} {TOOL} {OUT} --voxel-size -0.1", ["--voxel-size -0.1", "positive"]),
    "voxel size too large": (f"{BOX} {TOOL} {OUT} --voxel-size 5", ["box.stl", "larger", "4"]),
    "voxel size too small": (f"{BOX} {TOOL} {OUT} --voxel-size 1e-5", ["GiB", "would fit"]),
    "memory limit": (f"{BOX} {TOOL} {OUT} --resolution 512 --memory-limit 0.001", ["MiB", "would fit"]),
    "resolution broken": (f"{BOX} {TOOL} {OUT} --resolution 9.5", ["--resolution 9.5"]),
    "unknown operation": (f"{BOX} {TOOL} {SIZE} {OUT} --operation melt", ["melt", "subtract"]),
    "unknown backend": (f"{BOX} {TOOL} {SIZE} {OUT} --backend gpu", ["gpu", "auto", "cuda"]),
    "cuda without Warp": (f"{BOX} {TOOL} {SIZE} {OUT} --backend cuda", ["CUDA", "install"]),
    "all carved away": (f"{BOX} --path all.csv {SIZE} {OUT}", ["nothing is left"]),
    "nothing shared": (f"{BOX} --path far.csv {SIZE} {OUT} --operation intersect", ["nothing is left"]),
    "folder missing": (f"{BOX} {TOOL} {SIZE} --output gone/o.ply", ["gone", "folder"]),
    "folder not writable": (f"{BOX} {TOOL} {SIZE} --output /proc/o.ply", ["/proc/o.ply", "cannot be written"]),
    "report folder missing": (f"{BOX} {TOOL} {SIZE} {OUT} --report gone/r.json", ["gone", "folder"]),
    "output exists": (f"{BOX} {TOOL} {SIZE} --output nan.obj", ["nan.obj", "--overwrite"]),
    "missing .blend": (f"--stock Cube {TOOL} {SIZE} {OUT} --blend gone.blend", ["gone.blend"]),
    "broken .blend": (f"--stock Cube {TOOL} {SIZE} {OUT} --blend broken.blend", ["broken.blend", "no .blend file"]),
    "jobs file missing": ("--jobs gone.json", ["gone.json"]),
    "jobs file broken": ("--jobs tool.csv", ["tool.csv", "JSON"]),
    "jobs file of another shape": ("--jobs shape.json", ["shape.json", "list"]),
    "jobs file empty": ("--jobs none.json", ["none.json", "no jobs"]),
    "output beside jobs": (f"--jobs shape.json {OUT}", ["--output", "jobs file"]),
}


# Once loaded, Blender stays in a process, and its output bypasses Python.
ALONE = {case for case, (arguments, _) in BAD_INPUT.items() if ".blend" in arguments} | {"cuda without Warp"}


@pytest.fixture(scope="module")
def bad_folder(tmp_path_factory):
    """Bad input of every kind."""
    folder = tmp_path_factory.mktemp("bad")
    write_input(folder)
    (folder / "points.obj").write_text("v 0 0 0\nv 1 0 0\nv 0 1 0\n")
    (folder / "nan.obj").write_text("v 0 0 0\nv 1 nan 0\nv 0 1 0\nf 1 2 3\n")
    (folder / "inf.obj").write_text("v 0 0 0\nv 1 inf 0\nv 0 1 0\nf 1 2 3\n")
    (folder / "empty.stl").touch()
    (folder / "empty.csv").touch()
    (folder / "binary.csv").write_bytes(bytes(range(256)))
    (folder / "nan.csv").write_text("x,y,z,radius\n0,0,0,1\n1,nan,1,1\n")
    (folder / "thin.csv").write_text("x,y,z\n0,0,0\n")
    (folder / "all.csv").write_text("x,y,z,radius\n2,1.5,1,9\n")
    (folder / "far.csv").write_text("x,y,z,radius\n90,90,90,1\n")
    (folder / "broken.blend").write_text("hello")
    (folder / "shape.json").write_text('{"stock": "box.stl"}')
    (folder / "none.json").write_text("[]")
    return folder


@pytest.fixture(scope="module")
def answers(bad_folder):
    """The result of each case of bad input, and the files before and after all of them."""
    before = names(bad_folder)
    together = [case for case in BAD_INPUT if case not in ALONE]
    jobs = {case: arguments.split() for case, (arguments, _) in BAD_INPUT.items()}
    found = dict(zip(together, run_each([jobs[case] for case in together], bad_folder), strict=True))
    for case in ALONE:
        python = ["-c", NO_CUDA] if case == "cuda without Warp" else []
        found[case] = start(jobs[case], bad_folder, python) if python else run(jobs[case], bad_folder)
    return found, before, names(bad_folder)


@pytest.mark.parametrize("case", BAD_INPUT)
def test_bad_input_is_status_2_and_one_line(answers, case):
    done, messages = answers[0][case], BAD_INPUT[case][1]
    assert done.status == 2
    assert done.err.startswith("voxel_carve: ")
    assert done.err.count("\n") == 1, done.err
    for message in messages:
        assert message in done.err
    assert done.out == ""


def test_bad_input_leaves_nothing(answers):
    assert answers[2] == answers[1]


def test_help_names_every_option():
    done = start(["--help"], ROOT)
    assert (done.status, done.err) == (0, "")
    options = "stock path radius voxel-size resolution operation backend memory-limit output overwrite report quiet"
    for option in [*options.split(), "frames", "jobs", "resume", "blend", "backends", "version"]:
        assert f"--{option}" in done.out


def test_the_version_is_told_without_a_library(folder):
    blocked = NO_CUDA.replace('sys.modules["warp"] = None', "sys.modules.update(numpy=None, scipy=None)")
    done = start(["--version"], folder, ["-c", blocked])
    assert (done.status, done.out, done.err) == (0, f"voxel_carve {voxel_carve.__version__}\n", "")


def test_the_command_that_compiles_is_refused_at_once_where_nothing_can_be_kept(folder, tmp_path, monkeypatch):
    (tmp_path / "file").touch()
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    done = run(["compile"], folder)
    assert (done.status, done.out) == (2, "")
    assert re.fullmatch(
        r"voxel_carve: the folder for compiled kernels, .*, cannot be made: Not a directory\n", done.err
    )


def test_the_command_that_compiles_says_that_all_is_there(folder):
    done = run(["compile"], folder)
    assert (done.status, done.err) == (0, "")
    assert re.fullmatch(r"all \d+ kernels are in .*kernels already\n", done.out)
    assert run(["compile", "--quiet"], folder).out == ""
    refused = run(["compile", "--resolution", "3"], folder)
    assert refused.status == 2
    assert "unrecognized arguments: --resolution 3" in refused.err
    assert "--quiet" in run(["compile", "--help"], folder).out


@pytest.mark.slow
@pytest.mark.compiled
def test_after_the_command_that_compiles_no_carve_does(tmp_path):
    program = """
import logging
logging.basicConfig(level=logging.INFO)
import numpy as np
from voxel_carve.compute import TriMesh, carve, sensitivity
path = ([[0, 0, 1], [1, 1, 1]], 0.1)
sensitivity(carve(TriMesh.box(np.zeros(3), np.ones(3)), path, resolution=24, tolerance=0.01, backend="cpu"), path)
"""
    variables = os.environ | {"XDG_CACHE_HOME": str(tmp_path), "PYTHONPATH": str(ROOT)}

    def python(*words):
        return subprocess.run(
            [sys.executable, *words], cwd=tmp_path, env=variables, capture_output=True, text=True, check=False
        )

    compiled = python("-m", "voxel_carve", "compile")
    assert compiled.returncode == 0, compiled.stderr
    assert re.fullmatch(r"compiled (\d+) of \1 kernels in \d+ s into .*kernels\n", compiled.stdout)
    assert "voxel_carve: compiling the fast kernels, once: " in compiled.stderr
    carved = python("-c", program)
    assert (carved.returncode, carved.stderr) == (0, "")


def test_file_to_file_needs_no_blender_and_trimesh_only_to_write_glb(folder):
    write_meshes(folder / "box.ply", [box()])
    blocked = NO_CUDA.replace('sys.modules["warp"] = None', "sys.modules.update(bpy=None, trimesh=None)")
    done = start(["--stock", "box.ply", *JOB[2:], "--resolution", 16, "--output", "o.obj"], folder, ["-c", blocked])
    assert (done.status, done.err) == (0, "")
    done = start([*JOB, "--resolution", 16, "--output", "o.stl"], folder, ["-c", blocked])
    assert (done.status, done.err) == (0, "")
    done = start([*JOB, "--resolution", 16, "--output", "o.glb"], folder, ["-c", blocked])
    assert done.status == 2
    assert "trimesh is missing" in done.err
    assert "pip install trimesh" in done.err


def test_missing_scipy_is_named_with_a_remedy(folder):
    blocked = NO_CUDA.replace('sys.modules["warp"] = None', 'sys.modules["scipy"] = None')
    done = start([*JOB, "--resolution", 16, "--output", "o.ply"], folder, ["-c", blocked])
    assert done.status == 2
    assert done.err.count("\n") == 1
    assert "scipy is missing" in done.err
    assert "pip install" in done.err


def test_an_internal_error_is_status_1(folder):
    broken = NO_CUDA.replace(
        'sys.modules["warp"] = None',
        f"sys.path.insert(0, {str(ROOT)!r}); import voxel_carve.headless as h; h.get_backend = lambda name: 1 / 0",
    )
    done = start([*JOB, "--resolution", 16, "--output", "o.ply"], folder, ["-c", broken])
    assert done.status == 1
    assert "ZeroDivisionError" in done.err
    assert "please report" in done.err


@pytest.mark.skipif(sys.platform == "win32", reason="signals of another kind")
def test_interrupt_is_status_130_and_leaves_nothing(folder):
    rng = np.random.default_rng(1)
    lines = [f"{x},{y},{z},0.05" for x, y, z in rng.uniform([0, 0, 0], [4, 3, 2], (4000, 3))]
    (folder / "long.csv").write_text("\n".join(["x,y,z,radius", *lines]))
    arguments = ["--stock", "box.stl", "--path", "long.csv", "--resolution", "500", "--output", "out.ply"]
    process = subprocess.Popen(
        [sys.executable, str(SCRIPT), *arguments],
        cwd=folder,
        stderr=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env=environment(),
    )
    time.sleep(2.5)
    assert process.poll() is None, "it ended before it could be interrupted: give it more to do"
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert err.startswith("voxel_carve: interrupted")
    assert err.count("\n") == 1
    assert out == ""
    assert names(folder) == ["box.stl", "long.csv", "tool.csv"]


@pytest.mark.skipif(sys.platform == "win32", reason="no terminals of that kind")
def test_progress_bar_on_a_terminal_and_nothing_of_it_remains(folder):
    ours, theirs = pty.openpty()
    command = [sys.executable, str(SCRIPT), *JOB, "--resolution", "64", "--output", "out.ply"]
    done = subprocess.run(command, cwd=folder, stdout=subprocess.PIPE, stderr=theirs, check=False, env=environment())
    os.close(theirs)
    shown = b""
    while True:
        try:
            part = os.read(ours, 65536)
        except OSError:  # Linux: the other end is closed
            part = b""
        if not part:
            break
        shown += part
    os.close(ours)
    assert done.returncode == 0
    assert b"%" in shown
    assert shown.endswith(b"\r\x1b[K")
    assert b"\n" not in shown


def test_memory_limit_that_is_enough(folder):
    done = run([*JOB, "--resolution", 32, "--memory-limit", 2, "--output", "out.ply"], folder)
    assert (done.status, done.err) == (0, "")
    assert Path(folder / "out.ply").stat().st_size > 1000


def test_a_dry_run_tells_what_a_job_would_make_and_writes_nothing(folder):
    before, job = names(folder), [*JOB, "--resolution", "48", "--backend", "cpu", "--output", "out.ply"]
    dry = run([*job, "--dry-run"], folder)
    told = re.fullmatch(r"box: 56 x 40 x 32 voxels, about (\d+) faces, \d+ MiB, [\d.]+ to [\d.]+ s\n", dry.out)
    assert told, dry
    assert (dry.status, dry.err, names(folder)) == (0, "", before)
    made = re.search(r" (\d+) faces,", run(job, folder).out)
    assert int(told[1]) == pytest.approx(int(made[1]), rel=0.25)
    refused = run(["--jobs", "jobs.json", "--dry-run"], folder)
    assert refused.status != 0 and "leave --jobs out" in refused.err
