"""Loading the compiled kernels, and compiling them where they are not in the cache.

Compiling takes half a minute, once. Other processes do it, two side by side, and leave each kernel in the cache as soon
as it is made. They end with the process that started them; what they have made by then need not be made again.
"""

import gc
import importlib.util
import json
import logging
import os
import signal
import subprocess
import sys
import threading
import time
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import astuple
from typing import IO, BinaryIO, cast

from ....runtime.cache import cache_folder, check_room, compiling_in, new_log
from ....runtime.child_process import LOW_PRIORITY, NO_WINDOW, child_command
from ....runtime.errors import BackendError
from ....runtime.progress import checkpoint, reached, rest, share, steps
from ....runtime.threads import thread_count
from .signatures import SETS, Kernel, kernels_of, missing

logger = logging.getLogger(__name__)

SECONDS_BETWEEN_LOOKS = 0.1  # while another thread loads the kernels, or other processes compile them
SECONDS_BEFORE_RETRY = 600.0  # where they could not be compiled
MOST_COMPILERS = 2
NICENESS = 10  # of what compiles while nobody waits for it
# Of a job that waits until kernels are compiled, this part is spent waiting.
COMPILED = 0.9

MOST_THREADS = 1024
INSTALL_NUMBA = "install it with pip install numba"
COMPILE_LOG = "compile.log"
CRASHED = 256  # exit statuses from here on are Windows' own; a signal's is negative
ROOM = 2**24  # bytes, more than all kernels take

# The first is of whoever loads kernels; the other, to start processes, is never held for long.
_lock = threading.RLock()
_starting = threading.Lock()
_loaded: set[str] = set()
_seconds = 0.0
_notes: tuple[str, ...] = ()
_compilers: list[subprocess.Popen[bytes]] = []
_waiting: deque[Kernel] = deque()
_started = 0.0
_is_ready = False


def load_kernels(name: str = SETS[0]) -> tuple[str, ...]:
    """Load a set of kernels, compiled first where they are not in the cache. Returns what is to be said of it.

    Raises:
        BackendError: numba is missing, or told what it cannot do; the kernels cannot be compiled, or the folder for
            them cannot be trusted.
    """
    global _seconds  # noqa: PLW0603 - a clock of the process
    start = time.perf_counter()
    if not _read(name):
        _wait_for_compilers(name)
        if not _read(name):
            with rest(COMPILED, "Compile"):
                _load(name)
    _seconds += time.perf_counter() - start
    return _notes


def load_seconds() -> float:
    """Seconds spent compiling kernels, or reading them from the cache."""
    return _seconds


def is_installed() -> bool:
    """Whether this Python has numba."""
    return importlib.util.find_spec("numba") is not None


def compiled_part(names: Sequence[str] = SETS) -> float:
    """Which part of all kernels of some sets is loaded, or in the cache, 0 to 1: told without numba.

    Raises:
        BackendError: the folder for compiled kernels cannot be trusted.
    """
    kernels = [kernel for name in names if name not in _loaded for kernel in kernels_of(name)]
    return 1.0 - len(missing(kernels)) / len(kernels) if kernels else 1.0


def is_compiling() -> bool:
    """Whether a process that this one started compiles kernels."""
    return any(compiler.poll() is None for compiler in _compilers)


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


def compile_in_background(first: str = SETS[0], low_priority: bool = False) -> None:
    """Let other processes compile all kernels that the cache does not hold.

    Args:
        first: the set of kernels that is wanted first.
        low_priority: whether nobody waits for them.

    Raises:
        UnusableFolderError: the kernels could not be left in the cache.
        BackendError: no process could be started, or one has failed a short time ago.
    """
    global _compilers, _started
    with _starting:
        if is_compiling():
            return
        status = _failed_status()
        if status and time.monotonic() < _started + SECONDS_BEFORE_RETRY:
            raise _failure(status)
        check_room(ROOM)
        _started, _compilers = time.monotonic(), []
        _waiting.clear()
        _waiting.extend(
            missing(kernel for name in sorted(SETS, key=lambda name: name != first) for kernel in kernels_of(name))
        )
        with new_log(COMPILE_LOG) as log_file:
            for number in range(min(MOST_COMPILERS, thread_count(), len(_waiting))):
                _compilers.append(_compiler(number, low_priority, log_file))


def end_compilers() -> None:
    """Let the processes that compile come to their end, with the kernel that each is at."""
    _waiting.clear()


def compile_kernels(number: int, niceness: int) -> None:
    """Leave kernels in the cache: the work of another process, which is told of one in each line of standard input, and
    answers with a line.

    Args:
        number: of this process, 0 or 1.
        niceness: see `os.nice`.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # of a terminal: what ends this process is the end of its input
    if niceness and hasattr(os, "nice"):
        os.nice(niceness)
    _start_numba()
    from . import store as numba_store

    # What is here stays, and little of what compiling makes is garbage: to look for it takes a seventh of the time.
    gc.freeze()
    gc.set_threshold(100_000, 50, 100)
    with compiling_in(number=number):
        for line in sys.stdin.buffer:
            kernel = Kernel(*json.loads(line))
            if missing([kernel]):
                numba_store.load(kernel)
            if error := numba_store.why_not_kept():
                raise error
            os.write(sys.stdout.fileno(), b"\n")


def _compiler(number: int, low_priority: bool, log_file: BinaryIO) -> subprocess.Popen[bytes]:
    # Machine code is kept under the name of its module, which the process that compiles it must share.
    command = child_command(__name__, compile_kernels.__name__, number, NICENESS if low_priority else 0)
    try:
        compiler = subprocess.Popen(
            command,
            bufsize=0,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=log_file,
            creationflags=NO_WINDOW | (LOW_PRIORITY if low_priority else 0),
        )
    except OSError as error:
        raise BackendError(f"no process could be started to compile the fast kernels ({error})") from error
    threading.Thread(target=_hand_out, args=(compiler,), name="voxel_carve compiler", daemon=True).start()
    return compiler


def _hand_out(compiler: subprocess.Popen[bytes]) -> None:
    """Give a process one kernel after the other, as long as any is waiting: it ends when this process does, too."""
    global _is_ready  # noqa: PLW0603 - of the process
    kernels, answers = cast(IO[bytes], compiler.stdin), cast(IO[bytes], compiler.stdout)
    with kernels, answers, suppress(OSError, IndexError):  # it has ended, or none is waiting
        while True:
            kernels.write(f"{json.dumps(astuple(_waiting.popleft()))}\n".encode())
            if not answers.readline():
                break
    compiler.wait()
    with _starting:
        if not (_is_ready or is_compiling() or missing(kernel for name in SETS for kernel in kernels_of(name))):
            _is_ready = True
            logger.info("the compiled kernels are ready, after %.0f s", time.monotonic() - _started)


def _failed_status() -> int:
    """The exit status of a process that has failed to compile; 0 where none has."""
    return next((compiler.returncode for compiler in _compilers if compiler.poll()), 0)


def _failure(status: int) -> BackendError:
    log = cache_folder() / COMPILE_LOG
    return BackendError(f"the fast kernels could not be compiled (status {status}), see {log}")


def _read(name: str) -> bool:
    """Load a set of kernels where the cache holds all of them, whole. Whether it is loaded."""
    with _loading():
        if name in _loaded:
            return True
        _start_numba()
        from . import store as numba_store

        if missing(kernels_of(name)) or not numba_store.read(kernels_of(name)):
            return False
        with share(0.0, 0.0, "Start"):
            _load(name)
    return True


def _wait_for_compilers(name: str) -> None:
    """Have other processes compile a set of kernels, and see them do it; return at once, where that cannot be.

    Raises:
        BackendError: one crashed, and so might this one.
    """
    try:
        compile_in_background(name)
    except BackendError as error:
        logger.info("the fast kernels are not compiled apart: %s", error)
    left: Sequence[Kernel] = kernels_of(name)
    with rest(COMPILED, "Compile"):
        while left and is_compiling():
            left = missing(left)
            reached(1.0 - len(left) / len(kernels_of(name)))
            time.sleep(SECONDS_BETWEEN_LOOKS)
    status = _failed_status()
    if missing(left) and not 0 <= status < CRASHED:
        raise _failure(status)


def _load(name: str) -> None:
    """Have numba load a set of kernels, and compile what is not at hand."""
    global _notes  # noqa: PLW0603 - of the process
    from . import store as numba_store

    with _loading():
        for kernel in steps(kernels_of(name)):
            numba_store.load(kernel)
        _loaded.add(name)
        if error := numba_store.why_not_kept():
            _notes = (f"the fast kernels were compiled for this process alone, because {error}",)
            logger.warning(_notes[0])


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
        raise BackendError("NUMBA_DISABLE_JIT keeps numba from compiling: unset it")


@contextmanager
def _loading() -> Iterator[None]:
    """Be the only one to load kernels; a job that waits for another's can be stopped."""
    while not _lock.acquire(timeout=SECONDS_BETWEEN_LOOKS):
        checkpoint()
    try:
        yield
    finally:
        _lock.release()
