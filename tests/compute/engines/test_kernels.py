"""Compiled kernels between processes: read whole or made anew, never in silence, and kept where that can be.

The processes are real, and the kernels are `tiny_kernels`: what is kept of them takes the way of all.
"""

import hashlib
import os
import pickle
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from tests.command_line import write_input
from tests.compute.engines.tiny_kernels import ROOT, begin, end, started
from tests.shapes import box
from voxel_carve.compute import BackendError, CarveCancelled, Sweep, carve, child, choice, get_backend, numba_loading
from voxel_carve.compute import Path as PathLine
from voxel_carve.compute.cache import keep, kept, set_cache_folder
from voxel_carve.compute.progress import listening

CHECKSUM = hashlib.sha256().digest_size
SWEEP = Sweep.from_paths([PathLine(np.zeros((1, 3)), np.array([0.5]))])
COMPILED_HERE = "the fast kernels were compiled for this process alone, because the folder for compiled kernels"


@pytest.fixture(scope="module")
def ready(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder where a first start has left the kernels."""
    folder = tmp_path_factory.mktemp("ready")
    first = started(folder)
    assert (first.backend, first.notes, first.compiled, first.log, first.right) == ("numba", [], 0, [], True)
    return folder


@pytest.fixture
def folder(ready: Path, tmp_path: Path) -> Path:
    """Another with the same."""
    return Path(shutil.copytree(ready, tmp_path / "cache"))


@pytest.fixture
def nothing_compiled(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Path]:
    """As in a process without CUDA that has not loaded kernels; its folder for them."""

    def no_cuda(device: str) -> None:
        raise BackendError("no CUDA")

    monkeypatch.setattr(choice, "_cuda_backend", no_cuda)
    monkeypatch.setattr(numba_loading, "_seconds", None)
    monkeypatch.setattr(numba_loading, "_compiler", None)
    set_cache_folder(str(tmp_path / "kernels"))
    yield tmp_path / "kernels"
    set_cache_folder(None)


def kernels_in(folder: Path) -> Path:
    (found,) = (folder / "voxel_carve" / "kernels").glob("numba-*")
    return found


def test_a_later_start_compiles_nothing_and_takes_no_lock(folder):
    program = """
import sys
from voxel_carve.compute.cache import compiling_in
with compiling_in():
    print("held", flush=True)
    sys.stdin.read()
"""
    holder = subprocess.Popen(
        [sys.executable, "-c", program],
        cwd=ROOT,
        env=os.environ | {"XDG_CACHE_HOME": str(folder)},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert holder.stdout is not None and holder.stdout.readline() == "held\n"
    try:
        later = started(folder, "'auto'")
        assert (later.backend, later.notes, later.compiled, later.right) == ("numba", [], 0, True)
    finally:
        holder.communicate("", timeout=60)


def damaged(content: bytes) -> bytes:
    """As a disk leaves it that lost a bit."""
    middle = len(content) // 2
    return content[:middle] + bytes([content[middle] ^ 1]) + content[middle + 1 :]


def of_another_processor(content: bytes) -> bytes:
    """As a copy of another machine's folder."""
    (_, *machine), kernels = pickle.loads(content[CHECKSUM:])
    return whole(pickle.dumps((("another", *machine), kernels)))


def of_no_use(content: bytes) -> bytes:
    """As nobody left it yet: all is as it was written, and numba can make nothing of it."""
    machine, kernels = pickle.loads(content[CHECKSUM:])
    return whole(pickle.dumps((machine, {key: pickle.dumps((1, 2)) for key in kernels})))


def whole(body: bytes) -> bytes:
    return hashlib.sha256(body).digest() + body


@pytest.mark.parametrize(
    ("spoil", "compiled", "lines"),
    [
        (damaged, 0, ["is damaged: it is thrown away, and made anew"]),
        (of_another_processor, 0, ["is made for another processor: it is thrown away, and made anew"]),
        (of_no_use, 2, ["engines.tiny_kernels', 'add_all', ", "engines.tiny_kernels', 'add', "]),
    ],
)
def test_what_cannot_be_used_heals_with_a_line(folder, spoil, compiled, lines):
    kernels = kernels_in(folder)
    before = kernels.read_bytes()
    kernels.write_bytes(spoil(before))
    first = started(folder)
    assert (first.backend, first.notes, first.compiled, first.right) == ("numba", [], compiled, True)
    assert len(first.log) == len(lines) and all(part in line for part, line in zip(lines, first.log, strict=True))
    after = kernels_in(folder).read_bytes()
    assert whole(after[CHECKSUM:]) == after
    assert pickle.loads(after[CHECKSUM:])[0] == pickle.loads(before[CHECKSUM:])[0]
    if spoil is of_no_use:
        later = started(folder)
        assert (later.compiled, later.log, later.right) == (0, [], True)


def test_two_first_starts_at_once_both_succeed(tmp_path):
    both = [begin(tmp_path) for _ in range(2)]
    for process in both:
        done = end(process)
        assert (done.backend, done.notes, done.compiled, done.log, done.right) == ("numba", [], 0, [], True)


def read_only(folder: Path) -> tuple[str, ...]:
    """What to put before a command for which the folder is to be read-only; root is above rights, not above mounts."""
    if os.getuid():
        folder.chmod(0o500)
        return ()
    mount = 'mount --bind "$0" "$0" && mount -o remount,ro,bind "$0" && exec "$@"'
    prefix = ("unshare", "-m", "sh", "-c", mount, str(folder))
    if shutil.which("unshare") is None or subprocess.run([*prefix, "true"], check=False).returncode:
        pytest.skip("nothing can be mounted here")
    return prefix


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such rights")
def test_ready_kernels_in_a_folder_that_is_read_only(folder):
    inner = folder / "voxel_carve" / "kernels"
    done = started(folder, prefix=read_only(inner))
    inner.chmod(0o700)
    assert (done.backend, done.notes, done.compiled, done.log, done.right) == ("numba", [], 0, [], True)


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such rights")
def test_kernels_that_cannot_be_kept_are_compiled_in_memory_with_a_warning(tmp_path):
    inner = tmp_path / "voxel_carve" / "kernels"
    inner.mkdir(parents=True)
    prefix = read_only(inner)
    done = started(tmp_path, prefix=prefix)
    automatic = started(tmp_path, "'auto'", prefix=prefix)
    inner.chmod(0o700)
    assert (done.backend, done.compiled, done.right) == ("numba", 2, True)
    (note,) = done.notes
    assert note.startswith(COMPILED_HERE) and "cannot be written to" in note
    assert done.log == [note]
    assert list(inner.iterdir()) == []
    assert automatic.backend == "cpu"
    assert "numpy does the work, because the folder for compiled kernels" in automatic.notes[0]


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such limits")
@pytest.mark.parametrize("room", [numba_loading.ROOM, 0])
def test_a_folder_that_is_full_loses_no_job(tmp_path, room):
    """No file may grow beyond a limit: found by the trial, or by the process that compiles, when it is done."""
    before = f"""
import resource
from voxel_carve.compute import numba_loading
numba_loading.ROOM = {room}
resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
"""
    done = started(tmp_path, "'numba'", repr(before))
    assert (done.backend, done.compiled, done.right) == ("numba", 2, True)
    assert done.notes[0].startswith(COMPILED_HERE) and "cannot be written to" in done.notes[0]


@pytest.mark.parametrize("home", ["nowhere", "/proc/nobody"])
@pytest.mark.skipif(sys.platform != "linux", reason="where homes are is told otherwise")
def test_a_user_without_a_home(tmp_path, home):
    done = started(tmp_path, XDG_CACHE_HOME="", HOME=home)
    assert (done.backend, done.compiled, done.right) == ("numba", 2, True)
    assert done.notes[0].startswith("the fast kernels were compiled for this process alone")


def test_numpy_answers_until_the_kernels_are_ready(nothing_compiled, monkeypatch):
    started = []
    monkeypatch.setattr(numba_loading, "compile_in_background", lambda: started.append(True))
    report = carve(box(), SWEEP, 0.2, backend="auto").report
    assert started == [True]
    assert report.backend == "cpu"
    assert report.warnings == ("compiling the fast kernels, once: until they are ready, numpy does the work",)
    assert not numba_loading.is_ready()
    keep(numba_loading._kept_name(), b"kernels")
    assert numba_loading.is_ready()


def test_waiting_for_the_compiler_is_told_and_can_be_stopped(nothing_compiled, monkeypatch):
    monkeypatch.setattr(child, "START", "import time; time.sleep(600)")
    heard = []

    def hear(stage: str, fraction: float) -> None:
        heard.append(stage)
        if len(heard) == 5:
            raise CarveCancelled

    try:
        with listening(hear), pytest.raises(CarveCancelled):
            get_backend("numba")
        assert heard == ["Compile"] * 5
        compiler = numba_loading._compiler
        assert compiler.poll() is None
        assert "compiling" in get_backend("auto").notes[0]
        assert numba_loading._compiler is compiler
    finally:
        numba_loading._compiler.kill()
        numba_loading._compiler.wait()


@pytest.mark.skipif(sys.platform == "win32", reason="Windows sends no Ctrl-C to one process")
@pytest.mark.parametrize("quiet", [False, True])
def test_the_command_line_says_once_what_it_waits_for_and_can_be_interrupted(tmp_path, quiet):
    write_input(tmp_path)
    program = """
import sys
from voxel_carve.cli import main
from voxel_carve.compute import child
child.START = "import os, time\\nparent = os.getppid()\\nwhile os.getppid() == parent: time.sleep(0.1)"
sys.exit(main(sys.argv[1:]))
"""
    words = [
        "--stock",
        "box.stl",
        "--path",
        "tool.csv",
        "--resolution",
        "8",
        "--output",
        "out.stl",
        "--backend",
        "numba",
    ]
    process = subprocess.Popen(
        [sys.executable, "-c", program, *words, *(["--quiet"] if quiet else [])],
        cwd=tmp_path,
        env=os.environ | {"XDG_CACHE_HOME": str(tmp_path / "cache"), "PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    log = tmp_path / "cache" / "voxel_carve" / "kernels" / "compile.log"
    assert process.stderr is not None
    if quiet:
        while not log.exists() and process.poll() is None:
            time.sleep(0.1)
        time.sleep(3)
    else:
        assert process.stderr.readline().startswith("voxel_carve: getting the fast kernels ready: ")
        time.sleep(0.5)
    process.send_signal(signal.SIGINT)
    out, errors = process.communicate(timeout=60)
    assert (process.returncode, out) == (130, "")
    assert len(errors.splitlines()) == 1 and "interrupted" in errors
    assert not (tmp_path / "out.stl").exists()


def test_a_compiler_that_failed_is_told_and_tried_again_later(nothing_compiled, monkeypatch):
    monkeypatch.setattr(child, "START", "raise SystemExit('no compiler here')")
    assert "compiling" in get_backend("auto").notes[0]
    first = numba_loading._compiler
    assert first.wait() == 1
    for _ in range(2):
        backend, log = get_backend("auto"), nothing_compiled / "compile.log"
        assert backend.name == "cpu"
        assert backend.notes == (
            f"numpy does the work, because the fast kernels could not be compiled (status 1), see {log}; or choose cpu",
        )
    assert "no compiler here" in log.read_text()
    assert numba_loading._compiler is first
    monkeypatch.setattr(numba_loading, "SECONDS_BEFORE_RETRY", 0.0)
    assert "compiling" in get_backend("auto").notes[0]
    assert numba_loading._compiler is not first
    numba_loading._compiler.wait()


@pytest.mark.skipif(sys.platform == "win32", reason="Windows knows no signals")
def test_a_compiler_that_crashed_is_not_followed_here(nothing_compiled, monkeypatch):
    monkeypatch.setattr(child, "START", "import os, signal; os.kill(os.getpid(), signal.SIGKILL)")
    for _ in range(2):  # the next job must not try it in this process either
        with pytest.raises(
            BackendError, match=r"could not be compiled \(status -9\), see .*compile.log; or choose cpu"
        ):
            get_backend("numba")


def test_damaged_kernels_are_compiled_in_the_background_where_numpy_can_do_the_work(nothing_compiled, monkeypatch):
    monkeypatch.setattr(child, "START", "pass")
    keep(numba_loading._kept_name(), b"kernels")
    (nothing_compiled / numba_loading._kept_name()).write_bytes(b"no checksum fits this, which is longer than one")
    assert numba_loading.is_ready()
    backend = get_backend("auto")
    assert backend.name == "cpu" and "compiling" in backend.notes[0]
    assert numba_loading._compiler.wait() == 0
    assert not numba_loading.is_ready() and kept(numba_loading._kept_name()) is None


@pytest.mark.parametrize("name", ["numba", "auto"])
@pytest.mark.parametrize("threads", ["", "0", "-1", "abc", "10000", "1.5", " "])
def test_threads_that_cannot_be_started_are_refused(nothing_compiled, monkeypatch, name, threads):
    monkeypatch.setenv("NUMBA_NUM_THREADS", threads)
    with pytest.raises(BackendError, match=f"^NUMBA_NUM_THREADS is '{threads}': unset it, or set it to a whole number"):
        get_backend(name)


WARP = """
import logging, numpy as np
logging.basicConfig(level=logging.WARNING, format="LOG %(message)s")
from voxel_carve.compute.warp_backend import WarpBackend
whole, none = np.ones((4, 4, 4), dtype=bool), np.zeros((4, 4, 4), dtype=bool)
assert (WarpBackend("cpu").boolean("union", whole, none) == whole).all()
"""


def test_damaged_kernels_of_warp_heal_with_one_line(tmp_path):
    def said():
        environment = os.environ | {"XDG_CACHE_HOME": str(tmp_path)}
        done = subprocess.run(
            [sys.executable, "-c", WARP], cwd=ROOT, env=environment, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr
        return [line for line in done.stderr.splitlines() if line.startswith("LOG ")]

    assert said() == []
    (code,) = (tmp_path / "voxel_carve" / "kernels").rglob("*.o")
    before = code.read_bytes()
    code.write_bytes(before[: len(before) // 2])
    (line,) = said()
    assert line.endswith("warp_dense_kernels are damaged: they are thrown away, and compiled anew")
    assert said() == []
    assert len(code.read_bytes()) == len(before)
