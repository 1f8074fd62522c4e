"""Kernels of the CPU that the zip brings along as LLVM's code: they need no numba, and are the same on every system."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import build_zip
from tests.command_line import ROOT
from voxel_carve.compute.engines.numba.compiler.signatures import SETS, kernels_of

pytestmark = pytest.mark.compiled

NAMES = ("blend", "find_bricks")
# As Blender names it, unlike the process that lowered.
EXTENSION = "bl_ext.user_default.voxel_carve"
COMPILE = f"""
import logging
logging.basicConfig(filename="log", level=logging.WARNING)
from {EXTENSION}.voxel_carve.compute.engines.numba.compiler.signatures import SETS, kernels_of
from {EXTENSION}.voxel_carve.compute.engines.numba.compiler.store import compile_kernel
kernels = [kernel for name in SETS for kernel in kernels_of(name) if kernel.function.endswith({NAMES})]
open("made", "w").write(repr([compile_kernel(kernel) for kernel in kernels]))
"""
# Carves a cube by compiled kernels, none of which is in the cache.
CARVE = f"""
from {EXTENSION}.voxel_carve.compute import carve
from tests.shapes import box
cube = box((-1, -1, -1), (1, 1, 1))
surface = carve((cube.points, cube.triangles), ([[-2, 0.1, 0.2], [2, 0.3, -0.2]], 0.4), 0.05, backend="cpu").surface
open("made", "wb").write(surface.points.tobytes() + surface.faces.tobytes())
"""
# Lowers kernels with the layouts of data of another system, which name no sizes but those of numbers and addresses.
LAYOUTS = {
    "Linux, x64": "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128",
    "Windows, x64": "e-m:w-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128",
    "macOS, arm64": "e-m:o-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-n32:64-S128-Fn32",
}
LOWER = f"""
import sys
import llvmlite.binding as llvm
from voxel_carve.compute.engines.numba.compiler.lowering import _Target
from voxel_carve.compute.engines.numba.compiler.signatures import SETS, kernels_of
from voxel_carve.compute.engines.numba.compiler.store import lower
codegen, layout = _Target._codegen, sys.argv[1]
codegen._target_data, codegen._data_layout = llvm.create_target_data(layout), layout
for kernel in (kernel for name in SETS for kernel in kernels_of(name) if kernel.function.endswith({NAMES})):
    print(llvm.parse_bitcode(lower(kernel)[2]))
"""


@pytest.fixture(scope="module")
def lowered(tmp_path_factory):
    """The files of some small kernels."""
    folder = tmp_path_factory.mktemp("lowered")
    subprocess.run([sys.executable, ROOT / "scripts" / "kernels" / "lower.py", folder, *NAMES], check=True)
    assert len(list(folder.iterdir())) == len(NAMES)
    return folder


@pytest.fixture
def installed(tmp_path, monkeypatch):
    """The extension's folder for kernels, as Blender installs it, without them; a cache that is empty."""
    base = tmp_path.joinpath(*EXTENSION.split("."))
    shutil.copytree(ROOT / "voxel_carve", base / "voxel_carve", ignore=shutil.ignore_patterns("__pycache__"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    (tmp_path / "cache").mkdir()
    return base / build_zip.LOWERED_FOLDER


def made_by(code, folder, has_numba):
    """The file that a process in a folder has written, and its log. Where it has no numba, importing it fails."""
    paths = [str(folder), str(ROOT)]
    if not has_numba:
        (folder / "without" / "numba").mkdir(parents=True)
        (folder / "without" / "numba" / "__init__.py").write_text("raise ImportError('numba is not to be imported')")
        paths.insert(0, str(folder / "without"))
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(paths)}
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=folder, env=environment, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    log = folder / "log"
    return (folder / "made").read_bytes(), log.read_text() if log.exists() else ""


def test_shipped_kernels_become_the_same_machine_code_without_numba(lowered, installed, tmp_path):
    # Functions are named in the code, by their modules in the process that lowered them.
    by_numba = made_by(COMPILE.replace(f"{EXTENSION}.", ""), tmp_path, has_numba=True)
    shutil.copytree(lowered, installed)
    assert made_by(COMPILE, tmp_path, has_numba=False) == by_numba


def damage(folder):
    for file in folder.iterdir():
        content = file.read_bytes()
        file.write_bytes(content[:-9] + bytes([content[-9] ^ 1]) + content[-8:])


def cut_off(folder):
    for file in folder.iterdir():
        file.write_bytes(file.read_bytes()[:20])


def change_the_code(folder):
    source = folder.parents[3] / "formulas" / "newton.py"
    source.write_text(source.read_text() + "\n")


@pytest.mark.parametrize(
    ("change", "said"), [(damage, ["is damaged"]), (cut_off, ["cannot be read"]), (change_the_code, [])]
)
def test_kernels_that_do_not_fit_are_compiled_from_their_source(change, said, lowered, installed, tmp_path):
    by_numba, _ = made_by(COMPILE, tmp_path, has_numba=True)
    shutil.copytree(lowered, installed)
    change(installed)
    again, log = made_by(COMPILE, tmp_path, has_numba=True)
    assert again == by_numba
    warnings = log.splitlines()
    assert len(warnings) == len(said) * len(NAMES)
    assert all(each in line for each in said for line in warnings)


def test_what_numba_lowers_is_the_same_on_every_system():
    """But for the two lines that name the system, which `emitting` sets."""
    made = set()
    for layout in LAYOUTS.values():
        command = [sys.executable, "-c", LOWER, layout]
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        assert f'target datalayout = "{layout}"' in done.stdout
        made.add(re.sub("^target .*$", "", done.stdout, flags=re.MULTILINE))
    assert len(made) == 1


def test_a_folder_keeps_what_fits_and_loses_what_does_not(lowered, tmp_path):
    folder = shutil.copytree(lowered, tmp_path / "lowered")
    (folder / "llvmlite-0.1.0-0123456789abcdef-blend-01234567.bc").touch()
    before = {path.name: path.stat().st_mtime_ns for path in lowered.iterdir()}
    subprocess.run([sys.executable, ROOT / "scripts" / "kernels" / "lower.py", folder, *NAMES], check=True)
    assert {path.name: path.stat().st_mtime_ns for path in folder.iterdir()} == before


@pytest.mark.slow
def test_the_zip_has_all_kernels_and_a_first_carve_needs_no_numba(installed, tmp_path):
    files = build_zip.lowered_files()
    names = {kernel.lowered_name for name in SETS for kernel in kernels_of(name)}
    assert {Path(name).name for name in files} == names
    installed.mkdir()
    for name, content in files.items():
        (installed / Path(name).name).write_bytes(content)
    carved, log = made_by(CARVE, tmp_path, has_numba=False)
    assert log == ""
    shutil.rmtree(installed)
    shutil.rmtree(tmp_path / "cache")
    (tmp_path / "cache").mkdir()
    assert made_by(CARVE, tmp_path, has_numba=True)[0] == carved
