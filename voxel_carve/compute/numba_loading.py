"""Loading the compiled kernels, and compiling them where they are not in the cache.

Compiling takes a minute or more, once: another process does it, which can be waited for and left, and `cache` keeps the
machine code. The runs are handed out to the threads of `threads.in_runs`; any number of jobs may have theirs at once.
"""

import hashlib
import importlib.util
import itertools
import logging
import os
import platform
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cache
from importlib import metadata
from pathlib import Path

from .cache import cache_folder, check_room, compiling_in, is_kept, keep, kept, new_log, throw_away
from .child import NO_WINDOW, child_command
from .errors import BackendError, UnusableFolderError
from .progress import checkpoint, share

logger = logging.getLogger(__name__)

SECONDS_BETWEEN_LOOKS = 0.1  # while another thread loads the kernels, or another process compiles them
SECONDS_BEFORE_RETRY = 600.0  # where they could not be compiled

MOST_THREADS = 1024
INSTALL_NUMBA = "install it with pip install 'voxel-carve[numba]', or choose cpu"
COMPILE_LOG = "compile.log"
CRASHED = 256  # exit statuses from here on are Windows' own; a signal's is negative
ROOM = 2**24  # bytes, more than all kernels take

# The first is of whoever loads the kernels; the other, to start a process, is never held for long.
_lock = threading.RLock()
_starting = threading.Lock()
_seconds: float | None = None
_notes: tuple[str, ...] = ()
_compiler: subprocess.Popen[bytes] | None = None
_started = 0.0


def is_ready() -> bool:
    """Whether the kernels are loaded, or some process has left them in the cache; `read_kernels` tells if whole.

    Raises:
        BackendError: the folder for compiled kernels cannot be trusted.
    """
    return _seconds is not None or (is_installed() and is_kept(_kept_name()))


def load_seconds() -> float:
    """Seconds spent compiling kernels, or reading them from the cache."""
    return _seconds or 0.0


def is_installed() -> bool:
    """Whether this Python has numba."""
    return importlib.util.find_spec("numba") is not None


def check_threads() -> None:
    """Make sure that numba's environment variable asks for threads that could be started.

    Raises:
        BackendError: they could not.
    """
    asked = os.environ.get("NUMBA_NUM_THREADS", "1")
    with suppress(ValueError):
        if 1 <= int(asked) <= MOST_THREADS:
            return
    raise BackendError(
        f"NUMBA_NUM_THREADS is '{asked}': unset it, or set it to a whole number from 1 to {MOST_THREADS}"
    )


def read_kernels() -> bool:
    """Load the kernels where they are in the cache, whole. Whether they are loaded; if not, it was done quickly.

    Raises:
        BackendError: as `load_kernels`.
    """
    with _loading():
        if _seconds is not None:
            return True
        start = time.perf_counter()
        _start_numba()
        from . import numba_store

        content = kept(_kept_name())
        if content is None:
            return False
        if not numba_store.unpack(content):
            throw_away(_kept_name(), "made for another processor")
            return False
        _load(start, "Start")
    return True


def compile_in_background() -> None:
    """Let another process compile the kernels into the cache, once; it outlives this one.

    Raises:
        UnusableFolderError: it could not leave them there.
        BackendError: it could not be started, or it has failed a short time ago.
    """
    global _compiler, _started  # noqa: PLW0603 - one for the process
    with _starting:
        status = 0 if _compiler is None else _compiler.poll()
        if status is None:
            return
        if status and time.monotonic() < _started + SECONDS_BEFORE_RETRY:
            raise _failure(status)
        check_room(ROOM)
        # Machine code is kept under the name of its module, which the process that compiles it must share.
        command = child_command(__name__, compile_kernels.__name__)
        _started = time.monotonic()
        with new_log(COMPILE_LOG) as log_file:
            try:
                _compiler = subprocess.Popen(
                    command,
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.DEVNULL,
                    stderr=log_file,
                    creationflags=NO_WINDOW,
                )
            except OSError as error:
                raise BackendError(f"no process could be started to compile the fast kernels ({error})") from error


def _failure(status: int) -> BackendError:
    log = cache_folder() / COMPILE_LOG
    return BackendError(f"the fast kernels could not be compiled (status {status}), see {log}; or choose cpu")


def compile_kernels() -> None:
    """Leave the compiled kernels in the cache: what the other process does."""
    with compiling_in():
        if not read_kernels():
            _load(time.perf_counter(), "Compile")
    if _notes:
        raise UnusableFolderError(_notes[0])


def load_kernels() -> tuple[str, ...]:
    """Load the kernels, compiled first where they are not in the cache. Returns what is to be said of it.

    Raises:
        BackendError: numba is missing, or told what it cannot do; the kernels cannot be compiled, or the folder for
            them cannot be trusted.
    """
    global _seconds  # noqa: PLW0603 - a clock of the process
    start = time.perf_counter()
    if not read_kernels():
        _wait_for_compiler()
        if not read_kernels():
            with _loading():
                _load(start, "Compile")
        _seconds = time.perf_counter() - start
    return _notes


def _wait_for_compiler() -> None:
    """Have another process compile the kernels, and see it end; return at once, where they cannot be had like that.

    Raises:
        BackendError: it crashed, and so might this one.
    """
    try:
        compile_in_background()
    except BackendError as error:
        logger.info("the fast kernels are not compiled apart: %s", error)
    compiler = _compiler
    with share(0.0, 0.0, "Compile"):
        while compiler is not None and compiler.poll() is None:
            checkpoint()
            time.sleep(SECONDS_BETWEEN_LOOKS)
    if compiler is not None and not 0 <= compiler.returncode < CRASHED:
        raise _failure(compiler.returncode)


def _load(start: float, stage: str) -> None:
    """Have numba load all kernels at hand, and compile the others, by running the job once on a small scene."""
    global _seconds, _notes  # noqa: PLW0603 - of the process
    from . import numba_store

    before = numba_store.compiled()
    with share(0.0, 0.0, stage):
        _exercise()
    if numba_store.compiled() > before:
        try:
            keep(_kept_name(), numba_store.pack())
        except UnusableFolderError as error:
            _notes = (f"the fast kernels were compiled for this process alone, because {error}",)
            logger.warning(_notes[0])
    numba_store.forget()
    _seconds = time.perf_counter() - start
    logger.info("loaded the compiled kernels in %.2f s", _seconds)


def _start_numba() -> None:
    """Import numba.

    Raises:
        BackendError: it does not start.
    """
    check_threads()
    try:
        import numba
    except ImportError as error:
        raise BackendError(f"numba is not installed ({error}): {INSTALL_NUMBA}") from error
    # What a damaged installation or the environment makes numba raise is not to be foreseen.
    except Exception as error:
        raise BackendError(f"numba does not start ({error}): {INSTALL_NUMBA}") from error
    if numba.config.DISABLE_JIT:  # type: ignore[attr-defined]
        raise BackendError("NUMBA_DISABLE_JIT keeps numba from compiling: unset it, or choose cpu")


@cache
def _kept_name() -> str:
    """The name in the cache of the kernels of just this code, Python and processor."""
    versions = (metadata.version(name) for name in ("numba", "llvmlite", "numpy"))
    digest = hashlib.sha256(" ".join((sys.version, *versions, __name__, *_processor())).encode())
    for file in sorted(Path(__file__).parent.rglob("*.py")):
        digest.update(file.read_bytes())
    return f"numba-{digest.hexdigest()[:16]}"


def _processor() -> list[str]:
    """What can be told of the processor without numba: machines may share a folder, and a container has a new name
    each time. `numba_store` looks more closely."""
    known = [os.environ.get(name, "") for name in ("PROCESSOR_IDENTIFIER", "NUMBA_CPU_NAME", "NUMBA_CPU_FEATURES")]
    with suppress(OSError), open("/proc/cpuinfo", encoding="utf-8", errors="replace") as file:
        first = itertools.takewhile(str.strip, file)
        known += [line for line in first if line.startswith(("model name", "flags", "Features", "CPU "))]
    return [platform.machine(), *known]


def _exercise() -> None:
    """Run every kernel, set by set."""
    from .numba_backend import NumbaBackend
    from .numba_sets import SETS
    from .scipy_backend import ScipyBackend

    backend = NumbaBackend.__new__(NumbaBackend)
    ScipyBackend.__init__(backend)
    for small_job in SETS.values():
        small_job(backend)


@contextmanager
def _loading() -> Iterator[None]:
    """Be the only one to load the kernels; a job that waits for another's can be stopped."""
    while not _lock.acquire(timeout=SECONDS_BETWEEN_LOOKS):
        checkpoint()
    try:
        yield
    finally:
        _lock.release()
