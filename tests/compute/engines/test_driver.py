"""Machines with an NVIDIA driver and no card that it can use: users read our message, and nothing of Warp's own."""

import subprocess
import sys
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

import pytest
from numpy._core import _multiarray_umath

from tests.command_line import start, write_input
from tests.compute.engines.fake_driver import make_driver, put_in_front
from voxel_carve.compute import BackendError
from voxel_carve.compute.engines.warp.device import driver
from voxel_carve.compute.engines.warp.device.device import cuda_devices

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="libraries are found by LD_LIBRARY_PATH")

ROOT = Path(__file__).resolve().parents[3]
JOB = ["--stock", "box.stl", "--path", "tool.csv", "--resolution", "16", "--output", "out.ply"]


@dataclass(frozen=True)
class State:
    """A driver, and what our message says of it.

    Attributes:
        start: the code of its start.    version: of CUDA.    count: of devices.    capability: theirs, times ten.
        said: a part of our message.
        visible: CUDA_VISIBLE_DEVICES.
    """

    start: int
    version: int
    count: int
    capability: int
    said: str
    visible: str | None = None


STATES = {
    "no card": State(100, 13000, 0, 0, "the NVIDIA driver finds no graphics card: check that one is installed"),
    "no card, without an error": State(0, 13010, 0, 0, "the NVIDIA driver finds no graphics card: check that one is"),
    "a hidden card": State(100, 13000, 0, 0, "finds no graphics card, and CUDA_VISIBLE_DEVICES is '-1'", "-1"),
    "a very old driver": State(
        0, 11040, 1, 75, "is too old: it has CUDA 11.4, and Warp needs 13.0; install version 580"
    ),
    "an old driver": State(0, 12080, 1, 75, "is too old: it has CUDA 12.8, and Warp needs 13.0; install version 580"),
    "a driver of another kernel": State(803, 13000, 0, 0, "does not start (an error of this driver, 803): restart"),
    "an old card": State(
        0, 13000, 2, 61, "the graphics card is too old: it has compute capability 6.1, and Warp needs"
    ),
}
DAMAGED = "the NVIDIA driver is damaged"


def make(state, folder, monkeypatch):
    """Let processes find a driver in such a state; None is a library that is no driver."""
    if state is None:
        put_in_front(Path(_multiarray_umath.__file__), folder, monkeypatch)
        return
    numbers = {name.upper(): getattr(state, name) for name in ("start", "version", "count", "capability")}
    make_driver(folder, monkeypatch, **numbers)
    if state.visible is not None:
        monkeypatch.setenv("CUDA_VISIBLE_DEVICES", state.visible)


@pytest.mark.parametrize("name", [*STATES, "a damaged library"])
def test_only_our_message_is_printed(name, tmp_path, monkeypatch):
    state = STATES.get(name)
    make(state, tmp_path, monkeypatch)
    write_input(tmp_path)
    done = start([*JOB, "--backend", "cuda"], tmp_path)
    assert (done.status, done.out, done.err.count("\n")) == (2, "", 1), done.err
    assert (state.said if state else DAMAGED) in done.err
    assert "choose cpu" in done.err
    done = start([*JOB, "--backend", "auto"], tmp_path)
    assert (done.status, done.err) == (0, "")
    assert done.out.startswith("out.ply: ")


# Warp's own CPU device also makes Warp look for a driver.
START_WARP = """
import logging, sys
logging.basicConfig(filename="log", level=logging.DEBUG)
from voxel_carve.compute import get_backend
print("before", file=sys.stderr, end="")
get_backend("warp:cpu")
print("after", file=sys.stderr, end="")
"""


@pytest.mark.parametrize(
    ("name", "words"),
    {
        "a very old driver": "Warp requires CUDA driver 12.0 or higher",
        "an old driver": "required CUDA driver version is 13.0, but the installed CUDA driver version is 12.8",
        "no card": "CUDA Toolkit 13.",
        "a damaged library": "Failed to get function cuGetProcAddress",
    }.items(),
)
def test_what_warp_says_goes_to_the_log(name, words, tmp_path, monkeypatch):
    """With it, Warp confirms the version that our message names."""
    make(STATES.get(name), tmp_path, monkeypatch)
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    done = subprocess.run([sys.executable, "-c", START_WARP], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "beforeafter")
    log = (tmp_path / "log").read_text()
    assert words in log
    assert f"Warp {version('warp-lang')} initialized" in log


def test_a_process_without_standard_error_starts_warp(tmp_path):
    program = "import os; os.close(2)\nfrom voxel_carve.compute import get_backend\nprint(get_backend('warp:cpu').name)"
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "warp\n")


def test_one_new_card_among_old_ones_is_used(monkeypatch):
    capabilities = [(6, 1), (8, 9), (7, 0)]
    monkeypatch.setattr(driver, "_loaded", object)
    monkeypatch.setattr(driver, "_device_count", lambda library: len(capabilities))
    monkeypatch.setattr(driver, "_capability", lambda library, number: capabilities[number])
    monkeypatch.setattr("warp.get_cuda_device_count", lambda: len(capabilities))
    assert cuda_devices("cuda") == cuda_devices("cuda:1") == ("cuda:1",)
    with pytest.raises(BackendError, match="CUDA device 2 is too old for Warp"):
        cuda_devices("cuda:2")


@pytest.mark.cuda
def test_a_driver_with_cards_counts_them():
    import warp

    usable = [device.ordinal for device in warp.get_cuda_devices() if device.arch >= 75]
    assert driver.usable_cards() == usable


def test_no_driver_is_told_from_one_without_cards(monkeypatch):
    monkeypatch.setattr(driver, "LIBRARIES", ("libcuda_of_nobody.so",))
    with pytest.raises(BackendError, match="CUDA needs an NVIDIA driver: install version 580 or newer"):
        driver.usable_cards()
