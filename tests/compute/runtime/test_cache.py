"""Compiled kernels are native code: they are kept where nobody else can write."""

import errno
import hashlib
import logging
import os
import stat
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from voxel_carve.compute import BackendError
from voxel_carve.compute.runtime import cache, trusted_folder
from voxel_carve.compute.runtime.cache import (
    cache_folder,
    cache_size,
    clear_cache,
    compiling_in,
    keep,
    kept,
    kept_names,
    open_log,
    set_cache_folder,
)
from voxel_carve.compute.runtime.errors import UnusableFolderError

ROOT = Path(__file__).resolve().parents[3]
posix = pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such rights")


@pytest.fixture
def kernels(tmp_path):
    """A folder of ours, chosen and not made yet."""
    folder = tmp_path / "user" / "kernels"
    set_cache_folder(str(folder))
    yield folder
    set_cache_folder(None)


@pytest.fixture
def users_cache(tmp_path, monkeypatch):
    """The user's own folder for caches, where ours are not made yet."""
    if sys.platform != "linux":
        pytest.skip("it is named by XDG_CACHE_HOME on Linux")
    folder = tmp_path / "cache"
    folder.mkdir(0o755)
    monkeypatch.setenv("XDG_CACHE_HOME", str(folder))
    return folder


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
@pytest.mark.parametrize("mask", [0o000, 0o002, 0o022, 0o077, 0o777])
def test_folders_are_private_whatever_the_mask(users_cache, mask):
    before = os.umask(mask)
    try:
        kernels = cache_folder()
    finally:
        os.umask(before)
    for folder in (kernels, kernels.parent):
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700


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
@pytest.mark.parametrize("name", ["voxel_carve", "voxel_carve/kernels"])
@pytest.mark.parametrize(
    ("make", "fault"),
    [
        (make_link, "is a symbolic link"),
        (make_file, "is not a folder"),
        (make_open, "can be written to by others"),
    ],
)
def test_each_of_our_folders_is_looked_at(users_cache, name, make, fault):
    (users_cache / name).parent.mkdir(0o700, exist_ok=True)
    make(users_cache / name)
    for use in (cache_folder, lambda: kept("kernels"), lambda: keep("kernels", b"code"), clear_cache):
        with pytest.raises(BackendError, match=f"{users_cache / name}, {fault}: delete it"):
            use()


@posix
@pytest.mark.parametrize("mode", [0o777, 0o757])
def test_a_folder_above_in_which_others_can_exchange_ours_is_refused(users_cache, mode):
    users_cache.chmod(mode)
    with pytest.raises(BackendError, match=f"{users_cache}, can be written to by others: .* or name another in XDG_"):
        cache_folder()
    users_cache.chmod(mode | stat.S_ISVTX)
    assert cache_folder() == users_cache / "voxel_carve" / "kernels"


@posix
def test_what_to_do_about_a_chosen_folder_names_no_variable(kernels):
    """Blender chooses it, and that variable means nothing there."""
    kernels.parent.mkdir()
    kernels.parent.chmod(0o777)
    with pytest.raises(BackendError, match=f"{kernels.parent}, can be written to by others: make it yours, [a-z ]*$"):
        cache_folder()


@posix
def test_a_folder_above_may_belong_to_root_and_to_nobody_else(users_cache, monkeypatch):
    owner = users_cache.stat().st_uid
    monkeypatch.setattr(trusted_folder.os, "getuid", lambda: owner + 1)
    if owner:
        with pytest.raises(BackendError, match=f"{users_cache}, belongs to someone else"):
            cache_folder()
        return
    with pytest.raises(BackendError, match="voxel_carve, belongs to someone else"):  # made by root, who runs this
        cache_folder()
    os.chown(users_cache, owner + 2, -1)
    with pytest.raises(BackendError, match=f"{users_cache}, belongs to someone else"):
        cache_folder()


@posix
def test_a_folder_above_may_be_a_link_to_a_larger_disk(users_cache, tmp_path, monkeypatch):
    (tmp_path / "link").symlink_to(users_cache)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "link"))
    keep("kernels", b"code")
    assert (users_cache / "voxel_carve" / "kernels" / "kernels").exists()
    assert kept("kernels") == b"code"


def test_a_relative_folder_is_none_of_the_users_own(users_cache, tmp_path, monkeypatch):
    """It would be found in whatever folder a program is started in."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CACHE_HOME", "cache")
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    assert cache_folder() == tmp_path / "home" / ".cache" / "voxel_carve" / "kernels"
    monkeypatch.setenv("HOME", "home")
    with pytest.raises(UnusableFolderError, match="HOME names no folder"):
        cache_folder()
    assert kept("kernels") is None


@posix
@pytest.mark.parametrize("of", ["voxel_carve", "kernels"])
def test_what_was_checked_is_what_is_read(users_cache, monkeypatch, of):
    """Right after a folder was looked at, another takes its place."""
    keep("kernels", b"ours")
    ours, look = users_cache / "voxel_carve", trusted_folder.fault_of
    ours = ours if of == "voxel_carve" else ours / "kernels"
    inner = trusted_folder.os.stat(ours).st_ino

    def look_and_lose(status):
        if status.st_ino == inner and not (users_cache / "away").exists():
            ours.rename(users_cache / "away")
            content = hashlib.sha256(b"theirs").digest() + b"theirs"
            evil = users_cache / "voxel_carve" / "kernels"
            evil.mkdir(parents=True)
            (evil / "kernels").write_bytes(content)
        return look(status)

    monkeypatch.setattr(trusted_folder, "fault_of", look_and_lose)
    assert kept("kernels") == b"ours"
    assert (users_cache / "away").exists()
    assert kept("kernels") == b"theirs"  # it was ours after all: this test is run by the user


def test_two_processes_that_make_the_folder_at_once(kernels, monkeypatch):
    make = os.mkdir

    def make_second(*args, **kwargs):
        make(*args, **kwargs)
        make(*args, **kwargs)

    monkeypatch.setattr(os, "mkdir", make_second)
    assert cache_folder() == kernels


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
from voxel_carve.compute.runtime.cache import compiling_in
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


def test_what_is_kept_is_read_and_replaced(kernels):
    assert kept_names() == set() and kept("kernels") is None and not kernels.exists()
    keep("kernels", b"old")
    keep("kernels", b"new")
    assert kept_names() == {"kernels"} and kept("kernels") == b"new"
    assert os.listdir(kernels) == ["kernels"]


def bit_lost(content):
    return content[:-1] + bytes([content[-1] ^ 1])


def half(content):
    return content[: len(content) // 2]


@pytest.mark.parametrize("damage", [bit_lost, half, lambda content: b"", lambda content: content[:32]])
def test_what_is_damaged_is_thrown_away_with_one_line(kernels, damage, caplog):
    keep("kernels", b"code" * 1000)
    (kernels / "kernels").write_bytes(damage((kernels / "kernels").read_bytes()))
    with caplog.at_level(logging.WARNING):
        assert kept("kernels") is None
        assert kept("kernels") is None
    assert [record.getMessage() for record in caplog.records] == [
        f"kernels in {kernels} is damaged: it is thrown away, and made anew"
    ]
    assert "kernels" not in kept_names()


@posix
def test_what_somebody_else_may_have_written_is_thrown_away(kernels, tmp_path):
    keep("kernels", b"code")
    file, elsewhere = kernels / "kernels", tmp_path / "elsewhere"
    file.chmod(0o622)
    assert kept("kernels") is None and not file.exists()
    keep("kernels", b"code")
    file.rename(elsewhere)
    file.symlink_to(elsewhere)
    assert kept("kernels") is None and not file.is_symlink() and elsewhere.exists()
    (file / "within").mkdir(parents=True)
    assert kept("kernels") is None and not file.exists()


def test_the_size_of_what_is_just_being_written_and_cleared(kernels):
    stop = threading.Event()

    def write():
        while not stop.is_set():
            keep("kernels", bytes(1000))

    writer = threading.Thread(target=write)
    writer.start()
    try:
        for _ in range(3000):
            cache_size()
    finally:
        stop.set()
        writer.join()
    assert cache_size() > 1000


@posix
def test_a_reader_finds_the_old_or_the_new_and_no_half(kernels):
    """While others write, and clear all."""
    bodies, found, stop = (b"a" * 300_000, b"b" * 500_000), set(), threading.Event()

    def read():
        while not stop.is_set():
            found.add(kept("kernels"))

    readers = [threading.Thread(target=read) for _ in range(2)]
    for reader in readers:
        reader.start()
    try:
        for number in range(200):
            keep("kernels", bodies[number % 2])
            if number % 20 == 19:
                clear_cache()
    finally:
        stop.set()
        for reader in readers:
            reader.join()
    assert found <= {*bodies, None} and found & set(bodies)


@posix
def test_clearing_goes_nowhere_else(kernels, tmp_path):
    precious = tmp_path / "precious"
    precious.mkdir()
    (precious / "work.blend").touch()
    (cache_folder() / "module" / "inner").mkdir(parents=True)
    for link in (kernels / "link", kernels / "module" / "link", kernels / "module" / "inner" / "link"):
        link.symlink_to(precious)
    (kernels / "compile.log").symlink_to(precious / "work.blend")
    clear_cache()
    assert sorted(os.listdir(kernels)) == ["compile-2.lock", "compile.lock"]
    assert os.listdir(precious) == ["work.blend"]


@posix
def test_nothing_is_written_through_a_link(kernels, tmp_path):
    (tmp_path / "precious").write_text("work")
    for name in ("compile.log", "compile.lock"):
        (cache_folder() / name).symlink_to(tmp_path / "precious")
    with open_log("compile.log", anew=True) as log, compiling_in():
        log.write(b"log")
    (kernels / "kernels").symlink_to(tmp_path / "precious")
    keep("kernels", b"code")
    assert not any(file.is_symlink() for file in kernels.iterdir())
    assert (tmp_path / "precious").read_text() == "work"


def test_a_disk_without_locks_is_no_reason_to_stop(kernels, monkeypatch):
    def refuse(descriptor):
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr(cache, "has_locked", refuse)
    with compiling_in():
        keep("kernels", b"code")
    assert clear_cache() > 0
