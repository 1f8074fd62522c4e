"""The cache of kernels: processes share it, and repair it with a line in the log.

The processes are real. The kernels are `tiny_kernels`, which are cached like all others.
"""

import hashlib
import json
import os
import pickle
import re
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
from voxel_carve.compute import BackendError, CarveCancelled, Sweep, carve, get_backend
from voxel_carve.compute import Path as PathLine
from voxel_carve.compute.engines import registry
from voxel_carve.compute.engines.numba.compiler import loading as numba_loading
from voxel_carve.compute.runtime import child_process as child
from voxel_carve.compute.runtime.cache import set_cache_folder

CHECKSUM = hashlib.sha256().digest_size
SWEEP = Sweep.from_paths([PathLine(np.zeros((1, 3)), np.array([0.5]))])
COMPILED_HERE = "the fast kernels were compiled for this process alone, because the folder for compiled kernels"


@pytest.fixture(scope="module")
def ready(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder that holds the kernels after a first start."""
    folder = tmp_path_factory.mktemp("ready")
    first = started(folder)
    assert (first.backend, first.notes, first.compiled, first.log, first.right) == ("cpu", [], 0, [], True)
    return folder


@pytest.fixture
def folder(ready: Path, tmp_path: Path) -> Path:
    """A copy of that folder."""
    return Path(shutil.copytree(ready, tmp_path / "cache"))


@pytest.fixture
def empty_cache(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Path]:
    """The folder for kernels of a process that has no CUDA and has not loaded kernels."""

    def no_cuda(device: str) -> None:
        raise BackendError("no CUDA")

    monkeypatch.setitem(registry._factories, "cuda", no_cuda)
    monkeypatch.setattr(numba_loading, "_loaded", set())
    monkeypatch.setattr(numba_loading, "_compilers", [])
    set_cache_folder(str(tmp_path / "kernels"))
    yield tmp_path / "kernels"
    set_cache_folder(None)


def kernel_file(folder: Path) -> Path:
    """The file of one of the two kernels."""
    (found,) = (folder / "voxel_carve" / "kernels").glob("numba-*-add_all-*")
    return found


def test_a_later_start_compiles_nothing_and_takes_no_lock(folder):
    program = """
import sys
from voxel_carve.compute.runtime.cache import compiling_in
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
        assert (later.backend, later.notes, later.compiled, later.right) == ("cpu", [], 0, True)
    finally:
        holder.communicate("", timeout=60)


def damaged(content: bytes) -> bytes:
    """A kernel with one wrong bit, as on a failing disk."""
    middle = len(content) // 2
    return content[:middle] + bytes([content[middle] ^ 1]) + content[middle + 1 :]


def of_another_processor(content: bytes) -> bytes:
    """A kernel as in a folder copied from another machine."""
    (_, *machine), *kernel = pickle.loads(content[CHECKSUM:])
    return whole(pickle.dumps((("another", *machine), *kernel)))


def unloadable(content: bytes) -> bytes:
    """A kernel that is undamaged, but whose code has no function of that name."""
    machine, kernel, (name, result, code) = pickle.loads(content[CHECKSUM:])
    return whole(pickle.dumps((machine, kernel, (f"another_{name}", result, code))))


def misnamed(content: bytes) -> bytes:
    """A kernel in a file with the name of another."""
    machine, (function, types), made = pickle.loads(content[CHECKSUM:])
    return whole(pickle.dumps((machine, (function.replace("add_all", "add"), types), made)))


def whole(body: bytes) -> bytes:
    return hashlib.sha256(body).digest() + body


@pytest.mark.parametrize(
    ("spoil", "compiled", "lines"),
    [
        (damaged, 0, ["is damaged: it is thrown away, and made anew"]),
        (of_another_processor, 0, ["is made for another processor: it is thrown away, and made anew"]),
        (misnamed, 0, ["is another kernel: it is thrown away, and made anew"]),
        (unloadable, 1, ["and is compiled anew: tests.compute.engines.two_kernels.add_all"]),
    ],
)
def test_an_unusable_kernel_is_replaced_with_a_line_in_the_log(folder, spoil, compiled, lines):
    kernels = kernel_file(folder)
    before = kernels.read_bytes()
    kernels.write_bytes(spoil(before))
    first = started(folder)
    assert (first.backend, first.notes, first.compiled, first.right) == ("cpu", [], compiled, True)
    assert len(first.log) == len(lines) and all(part in line for part, line in zip(lines, first.log, strict=True))
    after = kernel_file(folder).read_bytes()
    assert whole(after[CHECKSUM:]) == after
    assert pickle.loads(after[CHECKSUM:])[0] == pickle.loads(before[CHECKSUM:])[0]
    if compiled:
        later = started(folder)
        assert (later.compiled, later.log, later.right) == (0, [], True)


def test_two_first_starts_at_once_both_succeed(tmp_path):
    both = [begin(tmp_path) for _ in range(2)]
    for process in both:
        done = end(process)
        assert (done.backend, done.notes, done.compiled, done.log, done.right) == ("cpu", [], 0, [], True)


def read_only(folder: Path) -> tuple[str, ...]:
    """A command prefix that makes the folder read-only. Root ignores permissions, so it gets a read-only mount."""
    if os.getuid():
        folder.chmod(0o500)
        return ()
    mount = 'mount --bind "$0" "$0" && mount -o remount,ro,bind "$0" && exec "$@"'
    prefix = ("unshare", "-m", "sh", "-c", mount, str(folder))
    if shutil.which("unshare") is None or subprocess.run([*prefix, "true"], check=False).returncode:
        pytest.skip("nothing can be mounted here")
    return prefix


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such rights")
def test_cached_kernels_load_from_a_read_only_folder(folder):
    inner = folder / "voxel_carve" / "kernels"
    done = started(folder, prefix=read_only(inner))
    inner.chmod(0o700)
    assert (done.backend, done.notes, done.compiled, done.log, done.right) == ("cpu", [], 0, [], True)


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such rights")
def test_kernels_that_cannot_be_kept_are_compiled_in_memory_with_a_warning(tmp_path):
    inner = tmp_path / "voxel_carve" / "kernels"
    inner.mkdir(parents=True)
    prefix = read_only(inner)
    done = started(tmp_path, prefix=prefix)
    automatic = started(tmp_path, "'auto'", prefix=prefix)
    inner.chmod(0o700)
    assert (done.backend, done.compiled, done.right) == ("cpu", 2, True)
    (note,) = done.notes
    assert note.startswith(COMPILED_HERE) and "cannot be written to" in note
    assert done.log == [note]
    assert list(inner.iterdir()) == []
    assert (automatic.backend, automatic.compiled, automatic.notes) == (done.backend, 2, done.notes)


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such limits")
def test_a_folder_that_is_full_loses_no_job(tmp_path):
    """No file may exceed a limit, which a child process finds once it has compiled.

    Python would keep the part of a module's bytecode that is within the limit, and fail to read it ever after.
    """
    before = """
import resource, sys
sys.dont_write_bytecode = True
resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
"""
    done = started(tmp_path, "'numba'", repr(before))
    assert (done.backend, done.compiled, done.right) == ("cpu", 2, True)
    assert done.notes[0].startswith(COMPILED_HERE) and "cannot be written to" in done.notes[0]


@pytest.mark.parametrize("home", ["nowhere", "/proc/nobody"])
@pytest.mark.skipif(sys.platform != "linux", reason="where homes are is told otherwise")
def test_a_user_without_a_home(tmp_path, home):
    done = started(tmp_path, XDG_CACHE_HOME="", HOME=home)
    assert (done.backend, done.compiled, done.right) == ("cpu", 2, True)
    assert done.notes[0].startswith("the fast kernels were compiled for this process alone")


def test_cached_kernels_are_not_compiled_again(folder):
    """The cache is as after a process that ended while compiling."""
    (there,) = (folder / "voxel_carve" / "kernels").glob("numba-*-add-*")
    before = there.stat().st_mtime_ns
    kernel_file(folder).unlink()
    done = started(folder)
    assert (done.compiled, done.log, done.right) == (0, [], True)
    assert kernel_file(folder).exists() and there.stat().st_mtime_ns == before


def test_a_set_of_kernels_waits_for_no_other(tmp_path):
    before = """
from voxel_carve.compute.engines.numba.compiler import loading as numba_loading
from voxel_carve.compute.engines.numba.compiler.signatures import Kernel
tiny = numba_loading.kernels_of("carve")
never = [Kernel("tests.compute.engines.two_kernels.never", "[]")]
numba_loading.kernels_of = {"carve": tiny, "merge": never, "write": [], "exact": [], "slabs": []}.get
"""
    done = started(tmp_path, "'auto'", repr(before))
    assert (done.backend, done.compiled, done.log, done.right) == ("cpu", 0, [], True)


def test_waiting_reports_progress_and_the_log_says_when_all_are_ready(tmp_path):
    program = """
import logging, time
from tests.compute.engines.tiny_kernels import replace_kernels
from voxel_carve.compute.runtime import reporting_to
from voxel_carve.compute.engines.numba.compiler import loading as numba_loading
logging.basicConfig(level=logging.INFO)
logging.getLogger("voxel_carve").setLevel(logging.DEBUG)
replace_kernels()
with reporting_to(lambda stage, done: print(stage, done)):
    numba_loading.load_kernels()
while numba_loading.is_compiling():
    time.sleep(0.1)
time.sleep(1)
"""
    done = subprocess.run(
        [sys.executable, "-c", program],
        cwd=ROOT,
        env=os.environ | {"XDG_CACHE_HOME": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    reports = [(stage, float(part)) for stage, part in map(str.split, done.stdout.splitlines())]
    parts = [part for stage, part in reports if stage == "Compile"]
    assert parts == sorted(parts)
    assert parts[0] == 0.0 and parts[-1] == numba_loading.COMPILE_SHARE
    assert reports[-1][0] == "Start"
    begun, *ends = done.stderr.splitlines()
    found = re.fullmatch(r"INFO:.*:compiling (\d+) kernels, once on this machine: this takes up to a minute", begun)
    assert found and int(found[1]) > 0
    assert len(ends) == 2
    assert any(re.fullmatch(rf"INFO:.*:compiled {found[1]} kernels in \d+ s", line) for line in ends)
    assert any(re.fullmatch(r"DEBUG:.*:the compiled kernels are ready, after \d+ s", line) for line in ends)


@pytest.mark.parametrize("name", ["cpu", "auto"])
def test_waiting_for_the_compiler_is_reported_and_can_be_cancelled(empty_cache, monkeypatch, name):
    monkeypatch.setattr(child, "START", "import time; time.sleep(600)")
    heard = []

    def hear(stage: str, fraction: float) -> None:
        heard.append(stage)
        if len(heard) == 5:
            raise CarveCancelled

    try:
        with pytest.raises(CarveCancelled):
            carve(box(), SWEEP, 0.2, backend=name, progress=hear)
        assert heard == ["Compile"] * 5
        compilers = numba_loading._compilers
        assert numba_loading.is_compiling()
        numba_loading.compile_in_background()
        assert numba_loading._compilers is compilers
    finally:
        for compiler in numba_loading._compilers:
            compiler.kill()
            compiler.wait()


def test_one_process_compiles_until_a_job_waits_and_then_what_that_needs(empty_cache, monkeypatch):
    monkeypatch.setattr(child, "START", "import time; time.sleep(600)")
    monkeypatch.setattr(numba_loading, "thread_count", lambda: 8)
    try:
        numba_loading.compile_in_background()
        (first,) = numba_loading._compilers
        queued = len(numba_loading._queue)
        kernels_of = numba_loading.kernels_of
        assert numba_loading._queue[0] in kernels_of("carve")
        numba_loading.compile_in_background("merge", is_waited_for=True)
        numba_loading.compile_in_background("merge", is_waited_for=True)
        assert len(numba_loading._compilers) == 2 and numba_loading._compilers[0] is first
        count = len([kernel for kernel in numba_loading._queue if kernel in kernels_of("merge")])
        assert 0 < count and set(list(numba_loading._queue)[:count]) <= set(kernels_of("merge"))
        assert len(numba_loading._queue) >= queued - 2
        if hasattr(os, "getpriority"):
            own = os.getpriority(os.PRIO_PROCESS, 0)
            assert {os.getpriority(os.PRIO_PROCESS, each.pid) for each in numba_loading._compilers} == {own}
    finally:
        for compiler in numba_loading._compilers:
            compiler.kill()
            compiler.wait()


@pytest.mark.slow
@pytest.mark.compiled
def test_a_first_carve_from_an_empty_cache_says_that_and_how_far_it_compiles(tmp_path):
    write_input(tmp_path)
    words = ["--stock", "box.stl", "--path", "tool.csv", "--resolution", "24", "--report", "report.json", "--output"]
    script, environment = ROOT / "scripts" / "carve.py", os.environ | {"XDG_CACHE_HOME": str(tmp_path / "cache")}

    def said(output):
        command = [sys.executable, script, *words, output, "--overwrite"]
        done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        assert json.loads((tmp_path / "report.json").read_text())["closed"]
        return done.stderr.splitlines()

    lines = [
        re.fullmatch(r"voxel_carve: compiling the fast kernels, once: (\d+)% of the job is done", line)
        for line in said("first.stl")
    ]
    parts = [int(line[1]) for line in lines if line]
    assert len(parts) == len(lines) > 1
    assert parts == sorted(parts) and parts[0] < parts[-1] <= 90
    assert said("second.stl") == []
    assert (tmp_path / "first.stl").read_bytes() == (tmp_path / "second.stl").read_bytes()


@pytest.mark.skipif(sys.platform == "win32", reason="Windows sends no Ctrl-C to one process")
@pytest.mark.parametrize("quiet", [False, True])
def test_the_command_line_says_once_what_it_waits_for_and_can_be_interrupted(tmp_path, quiet):
    write_input(tmp_path)
    program = """
import sys
from voxel_carve.cli import main
from voxel_carve.compute.runtime import child_process as child
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
        assert process.stderr.readline().startswith("voxel_carve: compiling the fast kernels, once: 0% of the job ")
        time.sleep(0.5)
    process.send_signal(signal.SIGINT)
    out, errors = process.communicate(timeout=60)
    assert (process.returncode, out) == (130, "")
    assert len(errors.splitlines()) == 1 and "interrupted" in errors
    assert not (tmp_path / "out.stl").exists()


def test_a_failed_compiler_is_reported_and_tried_again_later(empty_cache, monkeypatch):
    def wait():
        for compiler in numba_loading._compilers:
            assert compiler.wait() == 1

    monkeypatch.setattr(child, "START", "raise SystemExit('no compiler here')")
    numba_loading.compile_in_background()
    first, log = numba_loading._compilers, empty_cache / "compile.log"
    wait()
    for _ in range(2):
        with pytest.raises(BackendError, match=rf"could not be compiled \(status 1\), see {log}"):
            numba_loading.compile_in_background()
    assert "no compiler here" in log.read_text()
    assert numba_loading._compilers is first
    monkeypatch.setattr(numba_loading, "RETRY_SECONDS", 0.0)
    numba_loading.compile_in_background()
    assert numba_loading._compilers is not first
    wait()


@pytest.mark.slow
@pytest.mark.compiled
@pytest.mark.skipif(sys.platform == "win32", reason="Windows knows no signals")
def test_processes_that_compile_end_with_the_one_that_started_them(tmp_path):
    """They end however their parent ends. The kernels compiled by then stay in the cache."""
    program = """
import time
from voxel_carve.compute.engines.numba.compiler import loading as numba_loading
numba_loading.compile_in_background(is_waited_for=True)
print(*(compiler.pid for compiler in numba_loading._compilers), flush=True)
time.sleep(600)
"""
    parent = subprocess.Popen(
        [sys.executable, "-c", program],
        cwd=ROOT,
        env=os.environ | {"XDG_CACHE_HOME": str(tmp_path)},
        stdout=subprocess.PIPE,
        text=True,
    )
    assert parent.stdout is not None
    numbers = [int(number) for number in parent.stdout.readline().split()]
    kernels = tmp_path / "voxel_carve" / "kernels"
    while len([*kernels.glob("numba-*")]) < 2:
        time.sleep(0.1)
    parent.kill()
    parent.communicate()
    deadline = time.monotonic() + 300
    while any(is_running(number) for number in numbers) and time.monotonic() < deadline:
        time.sleep(0.1)
    assert not [number for number in numbers if is_running(number)]
    assert 2 <= len([*kernels.glob("numba-*")]) < 20


def is_running(number: int) -> bool:
    try:
        os.kill(number, 0)
    except ProcessLookupError:
        return False
    # A process that nobody waits for stays in the list as a zombie.
    status = Path(f"/proc/{number}/stat")
    return not (status.exists() and status.read_text().rpartition(")")[2].split()[0] == "Z")


@pytest.mark.skipif(sys.platform == "win32", reason="Windows knows no signals")
def test_a_crash_of_the_compiler_is_not_repeated_in_this_process(empty_cache, monkeypatch):
    monkeypatch.setattr(child, "START", "import os, signal; os.kill(os.getpid(), signal.SIGKILL)")
    for _ in range(2):  # the next job must not try it in this process either
        with pytest.raises(BackendError, match=r"could not be compiled \(status -9\), see .*compile.log$"):
            get_backend("cpu")


@pytest.mark.parametrize("name", ["cpu", "auto"])
@pytest.mark.parametrize("threads", ["", "0", "-1", "abc", "10000", "1.5", " "])
def test_threads_that_cannot_be_started_are_refused(empty_cache, monkeypatch, name, threads):
    monkeypatch.setenv("NUMBA_NUM_THREADS", threads)
    with pytest.raises(BackendError, match=f"^NUMBA_NUM_THREADS is '{threads}': unset it, or set it to a whole number"):
        get_backend(name)


WARP = """
import logging, numpy as np
logging.basicConfig(level=logging.WARNING, format="LOG %(message)s")
from voxel_carve.compute.engines.warp.backend import WarpBackend
whole, none = np.ones((4, 4, 4), dtype=bool), np.zeros((4, 4, 4), dtype=bool)
assert (WarpBackend("cpu").boolean("union", whole, none) == whole).all()
"""


@pytest.mark.slow
def test_damaged_kernels_of_warp_are_replaced_with_one_line_in_the_log(tmp_path):
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
    assert line.endswith("dense_kernels are damaged: they are thrown away, and compiled anew")
    assert said() == []
    assert len(code.read_bytes()) == len(before)
