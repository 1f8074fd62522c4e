"""The backend of each name, and the message if it is not available."""

import logging
import subprocess
import sys
from pathlib import Path

import pytest
import warp

from voxel_carve.compute import Backend, BackendError, UnknownBackendError, get_backend, get_dense_backend
from voxel_carve.compute.engines import registry
from voxel_carve.compute.engines.warp.device import device as warp_device
from voxel_carve.compute.engines.warp.device import driver as driver_module

ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture
def driver(monkeypatch):
    """As if an NVIDIA driver were installed, with a card."""
    monkeypatch.setattr(warp_device, "usable_cards", lambda: [0])


@pytest.fixture
def no_driver(monkeypatch):
    monkeypatch.setattr(driver_module, "LIBRARIES", ("libcuda_of_nobody.so",))


@pytest.fixture
def no_warp(monkeypatch, driver):
    monkeypatch.setitem(sys.modules, "warp", None)


@pytest.fixture
def no_device(monkeypatch, driver):
    monkeypatch.setattr(warp, "get_cuda_device_count", lambda: 0)


@pytest.fixture
def damaged_warp(monkeypatch, driver):
    def fail():
        raise OSError("warp.so: cannot open shared object file")

    monkeypatch.setattr(warp, "init", fail)


@pytest.fixture
def untrusted_folder(monkeypatch, driver, tmp_path):
    """As before Warp's start, with a link in place of the kernel folder."""
    (tmp_path / "voxel_carve").mkdir()
    (tmp_path / "voxel_carve" / "kernels").symlink_to(tmp_path)
    for name in ("XDG_CACHE_HOME", "LOCALAPPDATA"):
        monkeypatch.setenv(name, str(tmp_path))
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.setattr(warp.config, "kernel_cache_dir", None)


FAULTS = {
    "no_warp": ("Warp is not installed", r"pip install 'voxel-carve\[cuda\]'$"),
    "no_driver": ("CUDA needs an NVIDIA driver", "install version 580 or newer"),
    "no_device": ("Warp finds no CUDA device", "update the driver"),
    "damaged_warp": ("Warp does not start", "cannot open shared object file.*update the graphics driver"),
    "untrusted_folder": ("folder for compiled kernels", "is a symbolic link: delete it"),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_auto_falls_back_to_the_cpu_and_logs_why(fault, request, caplog):
    request.getfixturevalue(fault)
    registry._tell_once.cache_clear()
    with caplog.at_level(logging.INFO, logger="voxel_carve"):
        assert get_backend("auto").name == "cpu"
    assert [record for record in caplog.records if FAULTS[fault][0] in record.getMessage()]


@pytest.mark.parametrize("name", ["cuda", "cuda:0", "cuda:1"])
@pytest.mark.parametrize("fault", FAULTS)
def test_cuda_says_what_to_do_if_it_does_not_work(fault, name, request):
    request.getfixturevalue(fault)
    with pytest.raises(BackendError, match=FAULTS[fault][1]):
        get_backend(name)


@pytest.mark.parametrize(("count", "there"), [(1, "there is only cuda:0"), (3, "there is cuda:0 to cuda:2")])
@pytest.mark.usefixtures("driver")
def test_a_device_that_is_not_there_is_named(count, there, monkeypatch):
    monkeypatch.setattr(warp, "get_cuda_device_count", lambda: count)
    with pytest.raises(BackendError, match=f"no CUDA device 7: choose another, {there}"):
        get_backend("cuda:7")


@pytest.mark.parametrize("name", ["gpu", "CPU", "cuda:", "cuda:one", "cuda:-1", " "])
def test_unknown_names_list_the_choices(name):
    with pytest.raises(UnknownBackendError, match="choose auto, cpu, cuda or cuda:N") as raised:
        get_backend(name)
    assert isinstance(raised.value, ValueError)


@pytest.mark.usefixtures("no_driver")
def test_environment_variable_is_the_default(monkeypatch):
    monkeypatch.setenv("VOXEL_CARVE_BACKEND", "cpu")
    assert get_backend().name == "cpu"
    monkeypatch.setenv("VOXEL_CARVE_BACKEND", "cuda")
    with pytest.raises(BackendError):
        get_backend()
    assert get_backend("cpu").name == "cpu"
    monkeypatch.setenv("VOXEL_CARVE_BACKEND", "abacus")
    with pytest.raises(UnknownBackendError, match="abacus"):
        get_backend()
    monkeypatch.setenv("VOXEL_CARVE_BACKEND", "")
    assert get_backend().name == "cpu"


def test_cpu_is_a_backend():
    backend = get_backend("cpu")
    assert isinstance(backend, Backend)
    assert backend.device
    assert backend.compile_seconds() > 0
    assert isinstance(get_dense_backend("cpu"), Backend)


def test_the_former_name_of_the_cpu_is_taken(monkeypatch):
    assert get_backend("numba").name == "cpu"
    monkeypatch.setenv("VOXEL_CARVE_BACKEND", "numba")
    assert get_backend().name == "cpu"


@pytest.mark.cuda
@pytest.mark.parametrize("name", ["auto", "cuda", "cuda:0"])
def test_cuda_is_used_if_it_works(name, monkeypatch):
    monkeypatch.delenv("VOXEL_CARVE_BACKEND", raising=False)
    assert get_backend(name).name == "cuda"


def test_a_process_without_warp_and_numba_has_the_dense_operations():
    program = """
import sys
sys.modules["warp"] = sys.modules["numba"] = None
import numpy as np
from voxel_carve.compute import BackendError, CarveSession, Grid, Path, Sweep, TriMesh, carve, get_dense_backend
points = np.array([[0, 0, 0], [3, 0, 0], [0, 3, 0], [0, 0, 3.0]])
stock = TriMesh(points, np.array([[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]]))
sweep, grid = Sweep.from_paths([Path(np.array([[0.5, 0.5, 0.5]]), np.array([0.3]))]), Grid(np.zeros(3), 0.1, (30,) * 3)
backend = get_dense_backend("cpu")
occupancy = backend.voxelize_mesh(stock, grid)
for name in (None, "auto", "cpu"):
    again = occupancy.copy()
    with CarveSession(again, grid, name) as session:
        session.subtract(sweep)
    print(backend.name, session.removed[0] > 50, (occupancy ^ again).sum() == session.removed[0])
try:
    carve(stock, sweep, 0.1)
except BackendError as error:
    print(error)
"""
    answer = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=False)
    *sessions, refusal = answer.stdout.splitlines()
    assert (sessions, answer.stderr) == (["scipy True True"] * 3, "")
    assert refusal.startswith("numba is not installed") and "pip install numba" in refusal
