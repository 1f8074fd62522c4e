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

# Every second kernel, from the one of this number. Zips that tests build bring what is lowered here: see lower.py.
COMPILE = """
import sys
from pathlib import Path
from voxel_carve.compute.engines.numba.compiler import SETS, shipped, signatures, store

shipped.FOLDER = Path(sys.argv[1])
shipped.FOLDER.mkdir(parents=True, exist_ok=True)
kernels = [kernel for name in SETS for kernel in signatures.kernels_of(name)]
for kernel in signatures.missing(kernels[int(sys.argv[2]) :: 2]):
    if shipped.shipped(kernel) is None:
        shipped.write_lowered(shipped.FOLDER, kernel, store.lower(kernel))
    store.compile_listed(kernel)
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
    command, root = [sys.executable, "-c", COMPILE, "build/lowered"], session.config.rootpath
    running = [subprocess.Popen([*command, str(first)], cwd=root) for first in range(2)]
    if max(process.wait() for process in running):
        pytest.exit("the kernels cannot be compiled", returncode=1)


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
