"""Machines with an NVIDIA driver and no card that it can use: users read our message, and nothing of Warp's own."""

import os
import shutil
import subprocess
import sys

import pytest
from numpy._core import _multiarray_umath

from tests.command_line import start, write_input
from voxel_carve.compute.engines.warp.device import driver

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="libraries are found by LD_LIBRARY_PATH")

JOB = ["--stock", "box.stl", "--path", "tool.csv", "--resolution", "16", "--output", "out.ply"]

# A driver with COUNT devices, and a code for its start. It hands out its own functions, as Warp asks for them.
DRIVER = """
#include <dlfcn.h>
#include <stddef.h>
int cuInit(unsigned flags) { return START; }
int cuDriverGetVersion(int *version) { *version = VERSION; return 0; }
int cuDeviceGetCount(int *count) { *count = COUNT; return START; }
int cuGetErrorString(int code, const char **text) { *text = "an error of this driver"; return 0; }
static int other(void) { return 100; }
int cuGetProcAddress(const char *name, void **found, int version, unsigned long flags, void *more) {
    void *mine = dlsym(RTLD_DEFAULT, name);
    *found = mine ? mine : (void *)other;
    return 0;
}
"""
STATES = {"no card": (100, 13000, 0), "an old driver": (0, 11040, 1), "a driver of another kernel": (803, 13000, 0)}


@pytest.fixture(params=[*STATES, "a damaged library"])
def folder(request, tmp_path, monkeypatch):
    """Input for a carve, where processes find a driver in such a state."""
    library = tmp_path / "driver" / "libcuda.so.1"
    library.parent.mkdir()
    if request.param not in STATES:
        library.symlink_to(_multiarray_umath.__file__)  # any library but a driver
    elif compiler := shutil.which("cc"):
        (tmp_path / "driver.c").write_text("#define _GNU_SOURCE\n" + DRIVER)
        values = dict(zip(("START", "VERSION", "COUNT"), STATES[request.param], strict=True))
        given = [f"-D{name}={value}" for name, value in values.items()]
        subprocess.run([compiler, "-shared", "-fPIC", *given, tmp_path / "driver.c", "-o", library], check=True)
    else:
        pytest.skip("no C compiler")
    (library.parent / "libcuda.so").symlink_to(library)
    paths = [str(library.parent), *filter(None, [os.environ.get("LD_LIBRARY_PATH")])]
    monkeypatch.setenv("LD_LIBRARY_PATH", os.pathsep.join(paths))
    write_input(tmp_path)
    return tmp_path


def test_only_our_message_is_printed(folder):
    done = start([*JOB, "--backend", "cuda"], folder)
    assert (done.status, done.out, done.err.count("\n")) == (2, "", 1), done.err
    assert done.err.startswith("voxel_carve: Warp finds no CUDA device: update the driver")
    done = start([*JOB, "--backend", "auto"], folder)
    assert (done.status, done.err) == (0, "")
    assert done.out.startswith("out.ply: ")


@pytest.mark.cuda
def test_a_driver_with_cards_counts_them():
    import warp

    assert driver.driver_count() == warp.get_cuda_device_count() > 0


def test_no_driver_is_told_from_one_without_cards(monkeypatch):
    monkeypatch.setattr(driver, "LIBRARIES", ("libcuda_of_nobody.so",))
    assert driver.driver_count() is None
