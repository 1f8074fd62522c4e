"""Runs a case and records its outcome: in a fork of this process, or in a new Python.

Memory is watched on Linux only: elsewhere the peak of a process is not available.
"""

import errno
import os
import pty
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import traceback
import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from tests.attack.case import Case, Event
from tests.attack.layout import NOBODY, Folder, lay_out, look

ROOT = Path(__file__).parents[2]
TIME_LIMIT = 20.0  # seconds
COMPILING = 10  # times as long
LOOK_EVERY = 0.002  # seconds
MOST_MEMORY = 8 * 2**30  # bytes, so that a runaway case does not take the whole machine
NAME_IN_ENVIRONMENT = "VOXEL_CARVE_ATTACK"  # identifies processes that a case has left running


@dataclass(frozen=True)
class Outcome:
    """The outcome of a process.

    Attributes:
        status: its exit status as a shell reports it: 128 plus the signal's number if a signal ended it.
        hung: whether it had to be killed.
        seconds: how long it took.
        peak: peak memory in bytes; for a fork, in addition to what it started with.
        out, err: its output.
        left_running: command lines of processes that it has left behind.
        happened: whether all events of the case have happened.
    """

    status: int
    hung: bool
    seconds: float
    peak: int
    out: bytes
    err: bytes
    left_running: tuple[str, ...] = ()
    happened: bool = True


@dataclass(frozen=True)
class Done:
    """Outcomes of a case, and the folder before and after."""

    outcomes: tuple[Outcome, ...]
    before: Folder
    after: Folder


def run_case(case: Case, folder: Path, kernels: Path | None = None) -> Done:
    """Create the case's files in an empty folder, run it, and inspect the folder.

    Args:
        case: the case.
        folder: where; it is not removed.
        kernels: a folder whose `voxel_carve` has compiled kernels, or None; a case that damages them gets a copy.
    """
    shared = kernels is not None and case.damage[1] == 0
    if shared:
        case = replace(case, environment={**case.environment, "XDG_CACHE_HOME": str(kernels)})
    lay_out(case, folder, None if shared else kernels)
    before = look(folder)
    other = _start_other(case, folder) if case.twice else None
    outcomes = [run(case, folder)]
    if other is not None:
        outcomes.append(_end_other(other))
    if case.again and not outcomes[0].hung:
        outcomes.append(run(case, folder, quietly=True))
    return Done(tuple(outcomes), before, look(folder))


# Running


def run(case: Case, folder: Path, quietly: bool = False) -> Outcome:
    """Run the case's process from start to end; `quietly` means without its events."""
    before = 0 if case.own_process else _own_bytes()
    out, err = tempfile.TemporaryFile(), tempfile.TemporaryFile()  # noqa: SIM115 - closed below
    with out, err:
        streams = _Streams(case, out.fileno(), err.fileno())
        process = _spawned(case, folder, streams) if case.own_process else _forked(case, folder, streams)
        streams.opened()
        began = time.monotonic()
        events, hung, seen = [] if quietly else list(case.during), False, set(os.listdir(folder / "work"))
        while True:
            ended, status, usage = os.wait4(process, os.WNOHANG)
            if ended:
                break
            now = time.monotonic() - began
            while events and _is_due(events[0], now, folder / "work", seen):
                _happen(events.pop(0), process, folder / "work", streams)
            if now > TIME_LIMIT * (COMPILING if case.compiles else 1):
                hung = True
                os.killpg(process, signal.SIGKILL)
                _, status, usage = os.wait4(process, 0)
                break
            time.sleep(LOOK_EVERY)
        streams.close()
        seconds = time.monotonic() - began
        code = os.waitstatus_to_exitcode(status)
        peak = usage.ru_maxrss * 1024 - before if sys.platform == "linux" else 0
        out.seek(0), err.seek(0)
        said = out.read(), err.read()
    time.sleep(case.pause)
    left = _left_running(folder, process, case.own_process and not case.twice)
    return Outcome(code if code >= 0 else 128 - code, hung, seconds, max(peak, 0), *said, left, not events)


class _Streams:
    """The stdin, stdout and stderr of a process."""

    def __init__(self, case: Case, out: int, err: int) -> None:
        self.closed = {number for number, kind in case.streams.items() if kind == "closed"}
        self.terminal: int | None = None
        self._ours: list[int] = []
        null = os.open(os.devnull, os.O_RDONLY)
        self._ours.append(null)
        self.numbers = {0: null, 1: out, 2: err}
        for number, kind in case.streams.items():
            if kind == "full":
                self.numbers[number] = os.open("/dev/full", os.O_RDWR)
            elif kind == "broken":
                reading, self.numbers[number] = os.pipe()
                os.close(reading)
            elif kind == "terminal":
                self.terminal, self.numbers[number] = pty.openpty()
                threading.Thread(target=self._read, args=(self.terminal,), daemon=True).start()
            if kind != "closed":
                self._ours.append(self.numbers[number])

    def _read(self, terminal: int) -> None:
        try:
            while os.read(terminal, 4096):
                pass
        except OSError:
            pass  # it was hung up, or its other end is closed

    def opened(self) -> None:
        """Close our copies once the process has started."""
        for number in self._ours:
            os.close(number)

    def hang_up(self) -> None:
        """Close the terminal."""
        if self.terminal is not None:
            os.close(self.terminal)
            self.terminal = None

    def close(self) -> None:
        """Close everything once the process has ended."""
        self.hang_up()


def _forked(case: Case, folder: Path, streams: _Streams) -> int:
    """Fork a process that runs the command line with all modules already loaded; return its process id."""
    sys.stdout.flush(), sys.stderr.flush()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # about forking with threads; only libraries have some
        ready = os.pipe()
        process = os.fork()
    if process:
        os.close(ready[1])
        os.read(ready[0], 1)
        os.close(ready[0])
        return process
    status = 70
    os.close(ready[0])
    try:
        for name, value in _environment(case, folder).items():
            os.environ[name] = value
        tempfile.tempdir = None
        _begin(case, folder, streams)
        for number in (0, 1, 2):
            if number not in streams.closed:
                os.dup2(streams.numbers[number], number)
        sys.stdin = open(0, closefd=False)  # noqa: SIM115 - the process ends
        sys.stdout = open(1, "w", encoding="utf-8", closefd=False)  # noqa: SIM115
        sys.stderr = open(2, "w", encoding="utf-8", errors="backslashreplace", closefd=False)  # noqa: SIM115
        status = _main_status(_arguments(case, folder), ready[1])
    except BaseException:
        traceback.print_exc()
    finally:
        os._exit(status)


def _main_status(arguments: Sequence[str], ready: int) -> int:
    """Run the command line as scripts/carve.py does; closing `ready` tells the parent that it has begun."""
    from voxel_carve.cli import main
    from voxel_carve.process import begin

    begin()
    os.close(ready)
    status = main(arguments)
    sys.stdout.flush(), sys.stderr.flush()
    return status


def _spawned(case: Case, folder: Path, streams: _Streams) -> int:
    """Start a new Python; return its process id."""
    words = [word.replace("{root}", str(ROOT)) for word in case.program]
    command = [sys.executable, *words, *_arguments(case, folder)]
    environment = {name: value for name, value in os.environ.items() if case.environment.get(name, "") is not None}
    environment |= _environment(case, folder)

    def begin() -> None:
        _begin(case, folder, streams)
        for number in streams.closed:
            os.close(number)

    process = subprocess.Popen(
        command,
        stdin=streams.numbers[0],
        stdout=streams.numbers[1],
        stderr=streams.numbers[2],
        env=environment,
        preexec_fn=begin,  # noqa: PLW1509 - one thread
    )
    process.returncode = 0  # we wait for it ourselves, with wait4
    return process.pid


def _begin(case: Case, folder: Path, streams: _Streams) -> None:
    """In the new process: set its folder, limits and user."""
    os.setsid()
    for name in ("SIGTERM", "SIGHUP", "SIGINT"):  # this process may ignore them
        signal.signal(getattr(signal, name), signal.SIG_DFL)
    os.chdir(folder / "work")
    if case.unprivileged and os.getuid() == 0:
        os.setgroups([])
        os.setgid(NOBODY)
        os.setuid(NOBODY)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    most_memory = {} if case.own_process else {"RLIMIT_AS": MOST_MEMORY}
    for name, most in {**most_memory, **case.resources}.items():
        resource.setrlimit(getattr(resource, name), (most, most))


def _environment(case: Case, folder: Path) -> dict[str, str]:
    """The environment variables of the case."""
    found = {
        "HOME": str(folder / "home"),
        "XDG_CACHE_HOME": str(folder / "cache"),
        "TMPDIR": str(folder / "temporary"),
        "VOXEL_CARVE_BACKEND": "cpu",
        NAME_IN_ENVIRONMENT: str(folder),
    }
    for name, value in case.environment.items():
        if value is None:
            found.pop(name, None)
        else:
            found[name] = value.replace("{work}", str(folder / "work"))
    return found


def _arguments(case: Case, folder: Path) -> list[str]:
    words = [word.replace("{work}", str(folder / "work")) for word in case.arguments]
    has_limit = any(word.startswith("--memory-limit") for word in words)
    return words if case.memory_limit is None or has_limit else [*words, "--memory-limit", f"{case.memory_limit:g}"]


def _is_due(event: Event, now: float, work: Path, seen: set[str]) -> bool:
    if event.after is not None:
        return now >= event.after
    return any(name not in seen for name in os.listdir(work))


def _happen(event: Event, process: int, work: Path, streams: _Streams) -> None:
    """Carry out an event; coming too late is no error."""
    path = work / event.name
    try:
        if event.action == "signal":
            os.killpg(process, getattr(signal, event.name))
        elif event.action == "hang up":
            streams.hang_up()
        elif event.action == "make":
            path.write_bytes(event.content)
        else:
            shutil.rmtree(path) if path.is_dir() and not path.is_symlink() else path.unlink(missing_ok=True)
            if event.action == "link":
                path.symlink_to(os.fsdecode(event.content))
    except OSError as error:
        if error.errno not in (errno.ESRCH, errno.EPERM, errno.ENOENT, errno.ENOTDIR):
            raise


def _start_other(case: Case, folder: Path) -> "subprocess.Popen[bytes]":
    """Start the same case a second time."""
    return subprocess.Popen(
        [sys.executable, str(ROOT / "scripts/carve.py"), *_arguments(case, folder)],
        cwd=folder / "work",
        env={**os.environ, **_environment(case, folder)},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )


def _end_other(process: "subprocess.Popen[bytes]") -> Outcome:
    began = time.monotonic()
    try:
        said, hung = process.communicate(timeout=TIME_LIMIT), False
    except subprocess.TimeoutExpired:
        process.kill()
        said, hung = process.communicate(), True
    code = process.returncode
    return Outcome(code if code >= 0 else 128 - code, hung, time.monotonic() - began, 0, *said)


def _own_bytes() -> int:
    """Resident bytes of this process, with which a fork starts."""
    if sys.platform != "linux":
        return 0
    return int(Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize()


def _left_running(folder: Path, process: int, own_process: bool) -> tuple[str, ...]:
    """End the processes that the case started and left running; return their command lines, if known."""
    found = []
    try:
        os.killpg(process, signal.SIGKILL)
        found.append("a process of its group")
    except ProcessLookupError:
        pass  # none left, as it should be
    if sys.platform != "linux" or not own_process:
        return tuple(found)
    wanted = f"{NAME_IN_ENVIRONMENT}={folder}".encode()
    for place in Path("/proc").iterdir():
        if not place.name.isdecimal() or int(place.name) == process:
            continue
        try:
            if wanted not in (place / "environ").read_bytes().split(b"\0"):
                continue
            found.append((place / "cmdline").read_bytes().replace(b"\0", b" ").decode("utf-8", "replace")[:200])
            os.kill(int(place.name), signal.SIGKILL)
        except OSError:
            continue  # it has ended
    return tuple(found)
