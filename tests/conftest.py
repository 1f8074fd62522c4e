"""The meaning of the marks in pyproject.toml, and fixtures for a full Blender."""

import ctypes
import os
import shlex
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import pytest

from voxel_carve.compute import InputError, level_set
from voxel_carve.compute.engines.numba.compiler import compiled_fraction
from voxel_carve.process import skip_destructors

# Tests send Ctrl-C to processes that they start. If a shell started us in the background, we would ignore it, and so
# would they.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# What tests carve tells nothing about the carves of who runs them.
os.environ["VOXEL_CARVE_NO_HISTORY"] = "1"

# Tests import bpy, and so do pytest's worker processes.
skip_destructors()

COMPILE = """
from voxel_carve.compute.engines.numba.compiler import SETS, load_kernels
for name in SETS:
    load_kernels(name)
"""


def cuda_devices() -> int:
    """The number of CUDA devices, asked from the driver without the libraries under test."""
    library = "nvcuda.dll" if sys.platform == "win32" else "libcuda.so.1"
    try:
        driver = ctypes.CDLL(library)
    except OSError:
        return 0
    count = ctypes.c_int(0)
    if driver.cuInit(0) != 0 or driver.cuDeviceGetCount(ctypes.byref(count)) != 0:
        return 0
    return count.value


def blender_command() -> list[str]:
    """The command that starts a full Blender, as words; empty if there is none."""
    named = os.environ.get("VOXEL_CARVE_BLENDER") or shutil.which("blender")
    return shlex.split(named) if named else []


def pytest_sessionstart(session: pytest.Session) -> None:
    """Compile the kernels before the first test. A job that waits for them prints progress that tests do not expect."""
    if hasattr(session.config, "workerinput") or session.config.option.collectonly or compiled_fraction() == 1:
        return
    print("compiling the kernels, once")
    subprocess.run([sys.executable, "-c", COMPILE], cwd=session.config.rootpath, check=True)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    missing = {}
    if not cuda_devices():
        missing["cuda"] = "no CUDA device"
    if not blender_command():
        missing["real_blender"] = missing["window"] = (
            "no Blender: put one on PATH, or name its command in VOXEL_CARVE_BLENDER"
        )
    if not os.environ.get("VOXEL_CARVE_WINDOW"):
        missing["window"] = "no window asked for: run dev.py window, or set VOXEL_CARVE_WINDOW"
    for item in items:
        for mark, reason in missing.items():
            if item.get_closest_marker(mark):
                item.add_marker(pytest.mark.skip(reason=reason))


@pytest.fixture(scope="session")
def real_blender() -> list[str]:
    """The command that starts a full Blender, for tests marked real_blender."""
    return blender_command()


@pytest.fixture(scope="session")
def openvdb() -> Any:
    """The openvdb module. Without it, the test is skipped."""
    try:
        return level_set.openvdb()
    except InputError:
        pytest.skip("this Python has no openvdb module")


@pytest.fixture(scope="module")
def registered() -> Iterator[None]:
    """The extension registered, as when it is enabled in Blender."""
    import voxel_carve

    voxel_carve.register()
    yield
    voxel_carve.unregister()
