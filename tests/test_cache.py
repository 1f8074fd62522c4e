"""Compiled kernels are native code: they are kept where nobody else can write."""

import os
import stat
import subprocess
import sys
import time
from pathlib import Path

import pytest

from voxel_carve.compute import BackendError
from voxel_carve.compute.cache import cache_folder, compiling_in, set_cache_folder

ROOT = Path(__file__).resolve().parent.parent
posix = pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such rights")


@pytest.fixture
def kernels(tmp_path):
    """A folder of ours, chosen and not made yet."""
    folder = tmp_path / "user" / "kernels"
    set_cache_folder(str(folder))
    yield folder
    set_cache_folder(None)


def test_default_is_in_the_users_cache(monkeypatch, tmp_path):
    for name in ("XDG_CACHE_HOME", "LOCALAPPDATA", "HOME"):
        monkeypatch.setenv(name, str(tmp_path))
    folder = cache_folder()
    assert folder.is_dir()
    assert folder.is_relative_to(tmp_path)
    assert folder.parts[-2:] == ("voxel_carve", "kernels")


def test_chosen_folder_is_made(kernels):
    assert cache_folder() == kernels
    assert kernels.is_dir()
    (kernels / "something").touch()
    assert cache_folder() == kernels


@posix
@pytest.mark.parametrize("mask", [0o000, 0o002, 0o022])
def test_folder_is_private_whatever_the_mask(kernels, mask):
    before = os.umask(mask)
    try:
        cache_folder()
    finally:
        os.umask(before)
    assert stat.S_IMODE(kernels.stat().st_mode) == 0o700


@posix
def test_folder_that_others_can_read_is_closed_to_them(kernels):
    kernels.mkdir(parents=True)
    kernels.chmod(0o755)
    cache_folder()
    assert stat.S_IMODE(kernels.stat().st_mode) == 0o700


def make_link(folder):
    folder.symlink_to(folder.parent, target_is_directory=True)


def make_file(folder):
    folder.touch()


def make_open(folder):
    folder.mkdir()
    folder.chmod(0o770)


@pytest.mark.parametrize(
    ("make", "fault"),
    [
        pytest.param(make_link, "is a symbolic link", marks=posix),
        (make_file, "is not a folder"),
        pytest.param(make_open, "can be written to by others", marks=posix),
    ],
)
def test_folder_that_cannot_be_trusted_is_refused(kernels, make, fault):
    kernels.parent.mkdir()
    make(kernels)
    with pytest.raises(BackendError, match=f"{fault}: delete it"):
        cache_folder()


@posix
def test_folder_of_someone_else_is_refused(kernels, monkeypatch):
    cache_folder()
    monkeypatch.setattr(os, "getuid", lambda: kernels.stat().st_uid + 1)
    with pytest.raises(BackendError, match="belongs to someone else"):
        cache_folder()


def test_folder_that_cannot_be_made_is_named(kernels):
    kernels.parent.write_text("a file is in the way")
    with pytest.raises(BackendError, match="cannot be made"):
        cache_folder()


def test_only_one_process_compiles_at_a_time(tmp_path):
    program = """
import sys
from pathlib import Path
from voxel_carve.compute.cache import compiling_in
print("at the door", flush=True)
with compiling_in(Path(sys.argv[1])):
    print("in", Path(sys.argv[1], "first is out").exists())
"""
    command = [sys.executable, "-c", program, str(tmp_path)]
    with compiling_in(tmp_path):
        other = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)
        assert other.stdout.readline() == "at the door\n"
        time.sleep(0.3)
        (tmp_path / "first is out").touch()
    assert other.communicate(timeout=60) == ("in True\n", None)
