"""Output files: only a regular file is replaced, completely or not at all, and nothing is left beside it."""

import contextlib
import os
import signal
import socket
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from tests.command_line import ROOT, SCRIPT, environment, run, write_input
from voxel_carve.compute import InputError
from voxel_carve.formats import check_output, identity, replacing
from voxel_carve.headless import write_json
from voxel_carve.process import Signals

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="files of another kind")

ROOT_ONLY = pytest.mark.skipif(os.name != "posix" or os.geteuid() != 0, reason="takes root")


def names(folder):
    return sorted(file.name for file in folder.iterdir())


def write(path, text, overwrite=False):
    with replacing(path, overwrite) as beside:
        beside.write_text(text)


def make_device(path):
    os.mknod(path, stat.S_IFCHR | 0o666, os.makedev(1, 3))


def make_socket(path):
    # The path of a socket may have 107 letters.
    with socket.socket(socket.AF_UNIX) as server, contextlib.chdir(path.parent):
        server.bind(path.name)


KINDS = {
    "folder": (Path.mkdir, "is a folder"),
    "pipe": (os.mkfifo, "is a pipe"),
    "socket": (make_socket, "is a socket"),
    "device": (make_device, "is a device"),
    "nothing": (lambda path: None, "leads nowhere"),
    "circle": (lambda path: path.symlink_to(path), "symbolic links"),
}


@pytest.mark.parametrize(
    ("kind", "linked"),
    [
        pytest.param(kind, linked, marks=ROOT_ONLY if kind == "device" else ())
        for kind in KINDS
        for linked in (False, True)
        if linked or kind != "nothing"  # a new file may be made there
    ],
)
def test_only_a_regular_file_is_replaced(tmp_path, kind, linked):
    make, message = KINDS[kind]
    make(tmp_path / "thing.json")
    path = tmp_path / ("link.json" if linked else "thing.json")
    if linked:
        path.symlink_to(tmp_path / "thing.json")
    before = {name: os.lstat(tmp_path / name) for name in names(tmp_path)}
    for write_it in (check_output, lambda path, overwrite: write_json(path, {}, overwrite)):
        with pytest.raises(InputError, match=message):
            write_it(path, True)
    after = {name: os.lstat(tmp_path / name) for name in names(tmp_path)}
    assert {name: (found.st_ino, found.st_mode, found.st_mtime_ns) for name, found in after.items()} == {
        name: (found.st_ino, found.st_mode, found.st_mtime_ns) for name, found in before.items()
    }


@ROOT_ONLY
def test_a_report_is_not_written_over_a_device(tmp_path):
    write_input(tmp_path)
    make_device(tmp_path / "null")
    arguments = ["--stock", "box.stl", "--path", "tool.csv", "--resolution", 16, "--output", "out.ply", "--overwrite"]
    done = run([*arguments, "--report", "null"], tmp_path)
    assert done.status == 2
    assert done.err == "voxel_carve: null is a device: only a file is replaced, name one\n"
    assert names(tmp_path) == ["box.stl", "null", "tool.csv"]
    assert stat.S_ISCHR((tmp_path / "null").stat().st_mode)


@pytest.mark.parametrize("mode", [0o600, 0o444, 0o751])
def test_the_mode_of_a_replaced_file_is_kept(tmp_path, mode):
    file = tmp_path / "out.ply"
    file.write_text("old")
    file.chmod(mode)
    write(file, "new", overwrite=True)
    assert stat.S_IMODE(file.stat().st_mode) == mode
    assert file.read_text() == "new"


def test_a_new_file_has_the_default_mode(tmp_path):
    (tmp_path / "other").touch()
    write(tmp_path / "out.ply", "new")
    assert (tmp_path / "out.ply").stat().st_mode == (tmp_path / "other").stat().st_mode


@ROOT_ONLY
def test_the_owner_of_a_replaced_file_is_kept(tmp_path):
    (tmp_path / "out.ply").touch()
    os.chown(tmp_path / "out.ply", 12345, 23456)
    write(tmp_path / "out.ply", "new", overwrite=True)
    found = (tmp_path / "out.ply").stat()
    assert (found.st_uid, found.st_gid) == (12345, 23456)


@pytest.fixture(params=[True, False], ids=["hard links", "no hard links"])
def links(request, monkeypatch):
    """File systems with and without hard links."""

    def refused(*_):
        raise PermissionError(1, "Operation not permitted")

    if not request.param:
        monkeypatch.setattr(os, "link", refused)


def test_a_new_file_appears_complete(tmp_path, links):
    write(tmp_path / "out.ply", "new")
    assert (tmp_path / "out.ply").read_text() == "new"
    assert names(tmp_path) == ["out.ply"]


def test_a_file_that_appears_meanwhile_is_not_replaced(tmp_path, links):
    with pytest.raises(InputError, match="exists already"), replacing(tmp_path / "out.ply") as beside:
        beside.write_text("new")
        (tmp_path / "out.ply").write_text("mine")
    assert (tmp_path / "out.ply").read_text() == "mine"
    assert names(tmp_path) == ["out.ply"]


@pytest.mark.parametrize("overwrite", [False, True])
def test_a_file_that_appears_at_the_last_moment_is_not_replaced(tmp_path, links, monkeypatch, overwrite):
    """After the last check, and before the file gets its name."""
    link = os.link

    def late(source, target):
        Path(target).write_text("mine")
        link(source, target)

    monkeypatch.setattr(os, "link", late)
    with pytest.raises(InputError, match="created in the meantime"):
        write(tmp_path / "out.ply", "new", overwrite)
    assert (tmp_path / "out.ply").read_text() == "mine"
    assert names(tmp_path) == ["out.ply"]


@pytest.mark.parametrize("moment", ["refused", "interrupted", "interrupted early"])
def test_the_name_stays_free_if_the_file_cannot_have_it(tmp_path, monkeypatch, moment):
    """Without hard links, an empty file reserves the name first."""
    error = OSError(5, "Input/output error") if moment == "refused" else KeyboardInterrupt()
    real = os.open

    def has_none(*_):
        raise PermissionError(1, "Operation not permitted")

    def fails(*_):
        raise error

    def opened(path, flags, *more):
        descriptor = real(path, flags, *more)
        if Path(path).name == "out.ply":
            os.close(descriptor)
            raise error
        return descriptor

    monkeypatch.setattr(os, "link", has_none)
    monkeypatch.setattr(os, *(("open", opened) if moment == "interrupted early" else ("replace", fails)))
    with pytest.raises(InputError if moment == "refused" else KeyboardInterrupt):
        write(tmp_path / "out.ply", "new")
    assert names(tmp_path) == []


def test_a_link_that_is_redirected_meanwhile_loses_no_file(tmp_path):
    (tmp_path / "first.ply").write_text("first")
    (tmp_path / "second.ply").write_text("second")
    link = tmp_path / "out.ply"
    link.symlink_to("first.ply")
    with pytest.raises(InputError, match="leads elsewhere by now"), replacing(link, overwrite=True) as beside:
        beside.write_text("new")
        link.unlink()
        link.symlink_to("second.ply")
    assert [(tmp_path / name).read_text() for name in ("first.ply", "second.ply")] == ["first", "second"]
    assert names(tmp_path) == ["first.ply", "out.ply", "second.ply"]


def test_an_owner_that_cannot_be_set_loses_no_result(tmp_path, monkeypatch):
    """As in a container that does not know the uid of the old file's owner."""

    def refused(*_):
        raise OSError(22, "Invalid argument")

    (tmp_path / "out.ply").write_text("old")
    monkeypatch.setattr(os, "chown", refused)
    write(tmp_path / "out.ply", "new", overwrite=True)
    assert (tmp_path / "out.ply").read_text() == "new"


def test_a_pipe_that_appears_meanwhile_is_not_replaced(tmp_path):
    with pytest.raises(InputError, match="is a pipe"), replacing(tmp_path / "out.ply", overwrite=True) as beside:
        beside.write_text("new")
        os.mkfifo(tmp_path / "out.ply")
    assert stat.S_ISFIFO((tmp_path / "out.ply").stat().st_mode)
    assert names(tmp_path) == ["out.ply"]


# Writes half of a file and prints a line; continues when it reads one.
HALF = """
import sys
from pathlib import Path

sys.path.insert(0, sys.argv[1])
from voxel_carve.formats import replacing

with replacing(Path(sys.argv[2]), overwrite=True) as beside:
    beside.write_text("half")
    beside.with_name(beside.name + "@").write_text("what Blender makes of it")
    print(beside.name, flush=True)
    sys.stdin.readline()
    beside.with_name(beside.name + "@").unlink()
    beside.write_text("theirs")
"""


def half_written(file):
    """A process that is writing a file, and the name of that file."""
    command = [sys.executable, "-c", HALF, str(ROOT), str(file)]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    return process, process.stdout.readline().strip()


def ended(process, how):
    process.send_signal(how)
    process.communicate(timeout=60)


def test_files_of_a_killed_process_are_removed_by_the_next_writer(tmp_path):
    file = tmp_path / "out.blend"
    process, left = half_written(file)
    ended(process, signal.SIGKILL)
    assert {left, f"{left}@"} < set(names(tmp_path))
    write(tmp_path / "other.blend", "another file")
    assert {left, f"{left}@"} < set(names(tmp_path))
    check_output(file)
    assert names(tmp_path) == ["other.blend"]
    process, left = half_written(file)
    ended(process, signal.SIGKILL)
    write(file, "new")
    assert file.read_text() == "new"
    assert names(tmp_path) == ["other.blend", "out.blend"]
    # Killed right after its file was made: the next process finds the file, and refuses.
    process, left = half_written(file)
    ended(process, signal.SIGKILL)
    with pytest.raises(InputError, match="exists already"):
        check_output(file)
    assert names(tmp_path) == ["other.blend", "out.blend"]


def test_a_file_that_another_process_is_writing_is_left_alone(tmp_path):
    file = tmp_path / "out.ply"
    process, theirs = half_written(file)
    check_output(file)
    write(file, "mine")
    assert file.read_text() == "mine"
    assert (tmp_path / theirs).read_text() == "half"
    process.communicate("go on\n", timeout=60)
    assert process.returncode == 0
    assert file.read_text() == "theirs"
    assert names(tmp_path) == ["out.ply"]


# The command line, stopped when the file is complete but has no name yet.
STOPPED = """
import os, runpy, sys, time

def stopped(_):
    print("written", flush=True)
    time.sleep(600)

os.fsync = stopped
sys.argv = sys.argv[1:]
runpy.run_path(sys.argv[0], run_name="__main__")
"""


def test_a_killed_job_can_be_run_again_and_leaves_nothing(tmp_path):
    write_input(tmp_path)
    arguments = ["--stock", "box.stl", "--path", "tool.csv", "--resolution", "16", "--output", "out.ply"]
    command = [sys.executable, "-c", STOPPED, str(SCRIPT), *arguments]
    process = subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, text=True, env=environment())
    assert process.stdout.readline() == "written\n"
    ended(process, signal.SIGKILL)
    assert len(names(tmp_path)) == 4
    assert "out.ply" not in names(tmp_path)
    done = run(arguments, tmp_path)
    assert (done.status, done.err) == (0, "")
    assert names(tmp_path) == ["box.stl", "out.ply", "tool.csv"]


def test_an_interrupt_during_clean_up_leaves_nothing(tmp_path, monkeypatch):
    real, come = Path.unlink, []

    def once(path, **more):
        if path.name not in come:
            come.append(path.name)
            raise KeyboardInterrupt
        real(path, **more)

    monkeypatch.setattr(Path, "unlink", once)
    with pytest.raises(KeyboardInterrupt), replacing(tmp_path / "out.txt") as beside:
        beside.write_text("half")
        raise InputError("half of it")
    assert any(name.endswith(".lock") for name in come)
    assert names(tmp_path) == []


def test_a_signal_just_before_clean_up_is_handled_after_it(tmp_path, monkeypatch):
    """During the check for write access, which makes a file and deletes it."""
    signals, module = Signals(), sys.modules["voxel_carve.formats.files.replacing"]
    clean = module._in_any_case

    def interrupted(clean_up):
        os.kill(os.getpid(), signal.SIGTERM)
        clean(clean_up)

    monkeypatch.setattr(module, "_in_any_case", interrupted)
    with pytest.raises(KeyboardInterrupt), signals.heard():
        check_output(tmp_path / "out.ply")
    assert signals.number == signal.SIGTERM
    assert not list(tmp_path.iterdir())


def test_a_signal_during_clean_up_cleans_up_once_and_keeps_the_output(tmp_path, monkeypatch):
    signals, module, given = Signals(), sys.modules["voxel_carve.formats.files.replacing"], []
    give_back = module._give_back

    def interrupted(descriptor, note):
        given.append(descriptor)
        os.kill(os.getpid(), signal.SIGTERM)
        give_back(descriptor, note)

    monkeypatch.setattr(module, "_give_back", interrupted)
    with pytest.raises(KeyboardInterrupt), signals.heard(), replacing(tmp_path / "out.ply") as beside:
        beside.write_text("whole")
    assert len(given) == 1
    assert names(tmp_path) == ["out.ply"]
    assert (tmp_path / "out.ply").read_text() == "whole"


@pytest.mark.parametrize("moment", ["open", "fstat"])
def test_an_interrupt_while_the_note_is_made_leaves_nothing(tmp_path, monkeypatch, moment):
    real, come = getattr(os, moment), []

    def interrupted(*arguments, **more):
        done = real(*arguments, **more)
        if not come and list(tmp_path.glob(".voxel_carve-*.lock")):
            come.append(True)
            raise KeyboardInterrupt
        return done

    monkeypatch.setattr(os, moment, interrupted)
    with pytest.raises(KeyboardInterrupt):
        write(tmp_path / "out.txt", "new")
    assert come
    assert names(tmp_path) == []


def test_a_note_that_is_not_ours_is_not_written_to(tmp_path):
    """If others put a file in the place of our note, it stays, and our output is still written."""
    with replacing(tmp_path / "out.ply") as beside:
        beside.write_text("new")
        note = next(name for name in names(tmp_path) if name.endswith(".lock"))
    (tmp_path / "out.ply").unlink()
    theirs = tmp_path / "theirs"
    theirs.write_text("0123456789abcdef")
    for put in (lambda: os.link(theirs, tmp_path / note), lambda: (tmp_path / note).symlink_to(theirs)):
        put()
        write(tmp_path / "out.ply", "new", overwrite=True)
        assert theirs.read_text() == "0123456789abcdef"
        assert (tmp_path / "out.ply").read_text() == "new"
        (tmp_path / note).unlink()
    assert names(tmp_path) == ["out.ply", "theirs"]


def test_all_names_of_one_file_are_recognised(tmp_path):
    (tmp_path / "inner").mkdir()
    file = tmp_path / "out.ply"
    assert identity(file) == identity(tmp_path / "inner" / ".." / "out.ply")
    file.touch()
    os.link(file, tmp_path / "hard.ply")
    (tmp_path / "soft.ply").symlink_to("out.ply")
    (tmp_path / "folder").symlink_to("inner")
    assert len({identity(tmp_path / name) for name in ("out.ply", "hard.ply", "soft.ply", "inner/../out.ply")}) == 1
    assert identity(tmp_path / "folder" / "new.ply") == identity(tmp_path / "inner" / "new.ply")
    assert len({identity(tmp_path / name) for name in ("new.ply", "other.ply", "inner/new.ply", "out.ply")}) == 4
