"""The peer in C++: it does the same job where it can be built, and says what is missing where it cannot."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from benchmarks import cases, runs
from benchmarks.openvdb import program
from benchmarks.results import OPENVDB, load
from voxel_carve.compute import Path as PathLine
from voxel_carve.compute import Sweep, carve

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def built():
    """The program; the first time on a machine, compiling it takes a minute."""
    try:
        return program.build(runs.BUILD)
    except program.ProgramError as error:
        pytest.skip(f"OpenVDB in C++: {error}")


def compiler(folder, text):
    """A compiler that says a text and fails."""
    script = folder / "compiler"
    script.write_text(f"#!/bin/sh\ncat >&2 <<'END'\n{text}\nEND\nexit 1\n")
    script.chmod(0o755)
    return script


@pytest.mark.slow
@pytest.mark.parametrize("radii", [(1.0, 1.0), (0.6, 1.4)])
def test_it_removes_what_we_remove(built, radii):
    """Constant and tapering radii go by different functions of OpenVDB."""
    path = PathLine(np.array([[-3.0, 2.1, 4], [4, 1.9, 3.9], [11, 2.1, 4]]), np.array([radii[0], 1.0, radii[1]]))
    case = cases.Case(cases.box((0, 0, 0), (8, 4, 4)), path)
    figures = program.run(built, case, 8 / 96)
    ours = carve(case.stock, Sweep.from_paths([path]), 8 / 96, backend="cpu")
    assert ours.report.removed_volume > 10
    # Level sets round edges off, which is what is left of the difference.
    assert figures["volume"] == pytest.approx(ours.report.volume, rel=0.003)
    assert figures["triangles"] == pytest.approx(ours.report.triangles, rel=0.05)
    seconds = figures["seconds"]
    parts = sum(seconds[name] for name in ("voxelize", "sweep", "combine", "surface"))
    assert 0 < parts <= seconds["compute"] * 1.01 and figures["peak_memory_mb"] > 5
    assert int(figures["openvdb"].partition(".")[0]) >= 12


@pytest.mark.slow
def test_a_case_that_cannot_be_read_is_refused(built, tmp_path):
    (tmp_path / "short").write_bytes(b"too little")
    for name in ("short", "none"):
        done = subprocess.run([built, tmp_path / name], capture_output=True, text=True, check=False)
        assert done.returncode == 1 and "no case can be read" in done.stderr


@pytest.mark.skipif(sys.platform == "win32", reason="the compiler is a script")
def test_a_program_is_built_once(tmp_path, monkeypatch):
    script = tmp_path / "compiler"
    script.write_text('#!/bin/sh\necho built >> log\nfor last; do :; done\necho "$last" > "$last"\n')
    script.chmod(0o755)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("CXX", str(script))
    first = program.build(tmp_path / "made")
    assert program.build(tmp_path / "made") == first and (tmp_path / "log").read_text() == "built\n"
    monkeypatch.setenv("CXXFLAGS", "-DOTHER")
    assert program.build(tmp_path / "made") != first
    assert len(list((tmp_path / "made").iterdir())) == 2


def test_a_missing_compiler_is_named(tmp_path, monkeypatch):
    monkeypatch.setenv("CXX", "no-such-compiler -pipe")
    with pytest.raises(program.ProgramError, match=r"no C\+\+ compiler 'no-such-compiler'; the variable CXX"):
        program.build(tmp_path / "made")
    assert not (tmp_path / "made").exists()


@pytest.mark.skipif(sys.platform == "win32", reason="the compiler is a script")
@pytest.mark.parametrize(
    ("says", "line"),
    [
        ("In file\nx.cpp:1:1: fatal error: openvdb/openvdb.h: No such file\n  1 | #include", "openvdb.h: No such file"),
        ("x.cpp:9:2: error: #error OpenVDB 12.1 is needed\nmore", "OpenVDB 12.1 is needed"),
        ("/usr/bin/ld: cannot find -lopenvdb\ncollect2: error: ld returned 1", "cannot find -lopenvdb"),
        ("", "said nothing"),
    ],
)
def test_what_the_compiler_misses_is_told(tmp_path, monkeypatch, says, line):
    monkeypatch.setenv("CXX", str(compiler(tmp_path, says)))
    with pytest.raises(program.ProgramError, match=line):
        program.build(tmp_path / "made")
    assert list((tmp_path / "made").iterdir()) == []


def bench(folder, **variables):
    """Run the bench on a groove in a block, with Blender's nodes beside it."""
    path = PathLine(np.array([[-3.0, 2, 4], [11, 2, 4]]), np.array([1.0]))
    cases.write(cases.Case(cases.box((0, 0, 0), (8, 4, 4)), path), "groove", folder)
    command = [sys.executable, ROOT / "benchmarks", "--cases", folder, "groove@64", "--repeat", "1"]
    return subprocess.run(
        [*map(str, command), "--backend", "cpu", "--json", str(folder / "r.json")],
        capture_output=True, text=True, check=False, cwd=ROOT, env={**os.environ, **variables},
    )  # fmt: skip


def needs_blender_5():
    """Skip if this Blender has no SDF grid nodes."""
    bpy = pytest.importorskip("bpy")
    if bpy.app.version < (5, 0):
        pytest.skip("the first peer needs Blender 5")


@pytest.mark.slow
def test_the_bench_runs_it_beside_the_first_peer(built, tmp_path):
    needs_blender_5()
    done = bench(tmp_path)
    assert done.returncode == 0 and "left out" not in done.stderr, done.stderr
    results = load(tmp_path / "r.json")
    (one,) = results.measurements
    assert one.ratio("cpu") > 0 and one.ratio("cpu", OPENVDB) > 0
    assert one.peer_volume_error(OPENVDB) == pytest.approx(0, abs=0.005)
    assert "Beside OpenVDB in C++" in done.stdout and "OpenVDB" in results.facts["second peer"]


@pytest.mark.slow
def test_the_bench_goes_on_without_it(tmp_path):
    needs_blender_5()
    done = bench(tmp_path, CXX="no-such-compiler")
    assert done.returncode == 0, done.stderr
    assert "OpenVDB in C++ is left out: there is no C++ compiler 'no-such-compiler'" in done.stderr
    (one,) = load(tmp_path / "r.json").measurements
    assert one.ratio("cpu") > 0 and not one.done(OPENVDB) and "Beside OpenVDB" not in done.stdout
