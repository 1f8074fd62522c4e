"""Programs that work pass checkers of types, as a user runs them: the examples of all pages, and kinds of arguments."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from environment import small_interpreter

ROOT = Path(__file__).resolve().parents[2]
PAGES = ("README.md", "docs/package.md", "docs/manual/python.md")

# A program with the kinds of arguments that people have.
KINDS = """
import numpy as np
import trimesh
import voxel_carve
from voxel_carve import Grid, Path, Sweep, TriMesh, carve, get_backend, keep_stock, prepare, verify, voxelize

corners: list[list[float]] = [[0, 0, 0], [4, 0, 0], [0, 4, 0], [0, 0, 4]]
triangles = np.array([[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]], dtype=np.uint8)
whole = np.arange(6).reshape(2, 3)
mesh = TriMesh(corners, triangles)
path = Path(whole, [1, 2], name="tool")
paths: list[Path] = [path]
sweep = Sweep([0, 0, 0], np.ones(3), 1, 0.5)
grid = Grid((0, 0, 0), 0.5, np.ones((4, 5, 6)).shape[:3])
for result in (
    carve((corners, triangles), (whole, 0.5), 0.1),
    carve(mesh, path, resolution=32, operation="union"),
    carve(mesh, [path, (corners, 0.2)], resolution=32, operation=["union", "subtract"], backend=get_backend("cpu")),
    carve(trimesh.creation.box((4, 4, 4)), sweep, voxel_size=0.1),
    carve(prepare(mesh, 0.1), Sweep.of(path), 0.1),
    keep_stock(mesh, Sweep.of(path), 0.1),
    keep_stock((corners, triangles), (path,), resolution=32),
    carve(mesh, paths, 0.1),
    carve(mesh, (each for each in paths), 0.1),
):
    points, source = result.surface.points, result.surface.source
    print(points.mean(axis=0) + 1.0, source.dtype, result.report.volume * 2, result.report.closed)
    result.save("out.ply", overwrite=True)
print(verify(result.surface, mesh, sweep, 0.1).vertices.largest / 2, voxelize(mesh, grid).sum())
print(carve(mesh, sweep, voxel_size=0.1, half_width=3).band.background)
print(path.points[0] * path.radii[0], grid.origin + 1.0, voxel_carve.__version__.split("."))
"""
# What no checker may let pass, so that one that checks nothing is found.
FAULTS = """
from voxel_carve import TriMesh, carve

carve(TriMesh.box([0, 0, 0], [1, 1, 1]), ([[0, 0, 0]], 0.1), resolutoin=32)
carve(TriMesh.box([0, 0, 0], [1, 1, 1]), ([[0, 0, 0]], 0.1), operation="minus")
TriMesh.box([0, 0, 0], [1, 1, 1]).volum()
"""


@pytest.fixture
def programs(tmp_path) -> Path:
    """A folder with all programs."""
    for page in PAGES:
        text = (ROOT / page).read_text(encoding="utf-8")
        for number, example in enumerate(re.findall(r"```python\n(.*?)```", text, flags=re.DOTALL)):
            (tmp_path / f"{Path(page).stem}_{number:02}.py").write_text(example, encoding="utf-8")
    (tmp_path / "kinds.py").write_text(KINDS, encoding="utf-8")
    (tmp_path / "faults.py").write_text(FAULTS, encoding="utf-8")
    assert len(list(tmp_path.glob("*.py"))) > 20
    return tmp_path


def test_the_kinds_of_arguments_are_those_that_work(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("VOXEL_CARVE_BACKEND", "cpu")
    exec(compile(KINDS, "kinds", "exec"), {"__name__": "__main__"})


@pytest.mark.slow
def test_mypy_finds_the_faults_alone(programs):
    settings = ["check_untyped_defs = True", "follow_imports = silent", "ignore_missing_imports = True"]
    (programs / "mypy.ini").write_text("\n".join(["[mypy]", f"mypy_path = {ROOT}", *settings]), encoding="utf-8")
    cache = ROOT / ".mypy_cache" / "examples"
    command = [
        sys.executable,
        "-m",
        "mypy",
        "--cache-dir",
        str(cache),
        *sorted(each.name for each in programs.glob("*.py")),
    ]
    told = subprocess.run(command, cwd=programs, capture_output=True, text=True, check=False).stdout
    found = re.findall(r"^(\w+)\.py:(\d+): error: (.*)$", told, flags=re.MULTILINE)
    assert [(name, line) for name, line, _ in found] == [("faults", "4"), ("faults", "5"), ("faults", "6")], told


def test_pyright_finds_the_faults_alone(programs):
    """By basedpyright, which brings its own Node.js, with the rules that pyright has by default."""
    checker = small_interpreter(Path(sys.executable), "types")
    settings = {"typeCheckingMode": "standard", "extraPaths": [str(ROOT)], "reportMissingImports": False}
    (programs / "pyrightconfig.json").write_text(json.dumps(settings))
    command = [str(checker), "-m", "basedpyright", "--outputjson", "--pythonpath", sys.executable, "-p", str(programs)]
    done = subprocess.run(command, cwd=programs, capture_output=True, text=True, check=False)
    told = json.loads(done.stdout)["generalDiagnostics"]
    found = [
        (Path(each["file"]).stem, each["range"]["start"]["line"] + 1) for each in told if each["severity"] == "error"
    ]
    assert sorted(found) == [("faults", 4), ("faults", 5), ("faults", 6)], told
