"""Kernels that the cuda zip brings along, in processes that see a stand-in for a driver with a card."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import build_zip
from tests.compute.engines.fake_driver import make_driver

pytestmark = [
    pytest.mark.skipif(not sys.platform.startswith("linux"), reason="libraries are found by LD_LIBRARY_PATH"),
    pytest.mark.compiled,
]

ROOT = Path(__file__).resolve().parents[3]
REFUSED = 222  # CUDA_ERROR_UNSUPPORTED_PTX_VERSION
# As Blender names it, unlike the process that compiled.
EXTENSION = "bl_ext.user_default.voxel_carve"
LOAD = f"""
import logging
logging.basicConfig(filename="log", level=logging.INFO)
from {EXTENSION}.voxel_carve.compute.engines.warp import nearest
from {EXTENSION}.voxel_carve.compute.engines.warp.device import device, formulas
warp = device.start_warp()
card = warp.get_device("cuda:0")
device.load_kernels(nearest, card)
warp.load_module(nearest, device=card, block_dim=nearest.BLOCK_DIM)  # as a launch does
for kernel in formulas.kernels_of(nearest):
    kernel.module.get_kernel_hooks(kernel, card)
"""


@pytest.fixture(scope="module")
def compiled(tmp_path_factory):
    """The files of one small module."""
    folder = tmp_path_factory.mktemp("ptx")
    subprocess.run([sys.executable, ROOT / "scripts" / "kernels" / "compile_ptx.py", folder, "nearest"], check=True)
    return folder


@pytest.fixture
def installed(compiled, tmp_path, monkeypatch):
    """The extension with these kernels, as Blender installs it: the folder with the kernels."""
    base = tmp_path.joinpath(*EXTENSION.split("."))
    shutil.copytree(ROOT / "voxel_carve", base / "voxel_carve", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copytree(compiled, base / build_zip.PTX_FOLDER)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    (tmp_path / "cache").mkdir()
    return base / build_zip.PTX_FOLDER


def log_of_loading(folder):
    """Our log after a new process has loaded the kernels."""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    done = subprocess.run(
        [sys.executable, "-c", LOAD], cwd=folder, env=environment, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    return (folder / "log").read_text()


def loaded(folder):
    """What the driver received meanwhile, and the log."""
    (folder / "received").unlink(missing_ok=True)
    log = log_of_loading(folder)
    received = (folder / "received").read_text().splitlines()
    return [line.strip() for line in received if not line.startswith("function")], log


@pytest.mark.cuda
def test_a_real_driver_takes_what_was_shipped(installed, tmp_path):
    assert "nearest are those that were shipped" in log_of_loading(tmp_path)


@pytest.mark.parametrize("version", [13000, 13040, 14000])
def test_a_driver_gets_what_was_shipped(version, installed, tmp_path, monkeypatch):
    """Nothing is compiled, not by Warp either, and each kernel is in the file."""
    make_driver(tmp_path, monkeypatch, VERSION=version)
    received, log = loaded(tmp_path)
    assert received == ["PTX .version 9.0"]
    assert "nearest are those that were shipped" in log
    assert not list(tmp_path.glob("cache/**/*.cubin"))
    (ptx,) = installed.rglob("*.ptx")
    functions = [line.split()[1] for line in (tmp_path / "received").read_text().splitlines() if "function" in line]
    assert functions
    assert [name for name in functions if f".entry {name}(" not in ptx.read_text()] == []


def take_away(folder):
    shutil.rmtree(folder)


def change_the_hash(folder):
    for file in folder.rglob("nearest_*"):
        file.rename(file.with_name(f"nearest_0000000.{file.name.partition('.')[2]}"))


def change_the_code(folder):
    source = folder.parents[1] / "nearest.py"
    changed = source.read_text().replace("BLOCK_DIM = 256", "BLOCK_DIM = 128")
    assert changed != source.read_text()
    source.write_text(changed)


def damage_the_notes(folder):
    (file,) = folder.rglob("*.meta")
    with pytest.raises(ValueError):
        json.loads(file.read_bytes()[:-5])
    file.write_bytes(file.read_bytes()[:-5])


def take_the_notes_away(folder):
    (file,) = folder.rglob("*.meta")
    file.unlink()


def use_another_warp(folder):
    (versioned,) = folder.iterdir()
    versioned.rename(folder / "1.0.0")


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (take_away, ""),
        (use_another_warp, ""),
        (change_the_hash, "do not fit, and are compiled here: Binary file not found"),
        (change_the_code, "do not fit, and are compiled here: Binary file not found"),
        (damage_the_notes, "do not fit, and are compiled here"),
        (take_the_notes_away, "do not fit, and are compiled here: Module metadata file"),
    ],
)
def test_kernels_that_do_not_fit_are_compiled(change, said, installed, tmp_path, monkeypatch):
    make_driver(tmp_path, monkeypatch)
    change(installed)
    received, log = loaded(tmp_path)
    assert received == ["compiled"]
    assert said in log
    assert "those that were shipped" not in log


def test_kernels_that_the_driver_refuses_are_compiled_once(installed, tmp_path, monkeypatch):
    """What Warp says of it goes to the log."""
    make_driver(tmp_path, monkeypatch, REFUSED=REFUSED)
    received, log = loaded(tmp_path)
    assert received == ["PTX .version 9.0", "compiled"]
    assert "the driver refuses the shipped kernels" in log
    assert "Loading module failed" in log
    received, _ = loaded(tmp_path)
    assert received == ["compiled"]
