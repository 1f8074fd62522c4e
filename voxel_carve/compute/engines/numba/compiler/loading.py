"""Load the compiled kernels, and compile those that are not in the cache.

Compiling takes half a minute, once, or some seconds from what the zip brings (see `shipped`). A child process does it,
and a second one helps while a job waits. They put each kernel into the cache as soon as it is compiled, and end with
the process that started them. The kernels in the cache by then need not be compiled again.
"""

import gc
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

from ....runtime.cache import cache_folder, compiling_in, open_log
from ....runtime.child_process import NO_WINDOW, child_command
from ....runtime.ending import OWN_THREADS
from ....runtime.errors import BackendError
from ....runtime.progress import checkpoint, progress_range, remaining_progress, report_progress, with_progress
from ....runtime.sentences import Sentence
from ....runtime.threads import thread_count
from .numba_start import start_llvm
from .signatures import SETS, Kernel, kernels_of, missing

logger = logging.getLogger(__name__)

POLL_SECONDS = 0.1  # while another thread loads kernels, or other processes compile them
RETRY_SECONDS = 600.0  # after compiling has failed
MOST_COMPILERS = 2
# The share of a job's progress that is spent waiting for kernels.
COMPILE_SHARE = 0.9

COMPILE_LOG = "compile.log"
CRASHED = 256  # Windows uses statuses from here on for crashes; a signal gives a negative one

# The first lock is for loading kernels. The second, for starting processes and the queue, is never held for long.
_lock = threading.RLock()
_starting = threading.Lock()
_loaded: set[str] = set()
_load_seconds = 0.0
_load_notes: tuple[str, ...] = ()
_compilers: list[subprocess.Popen[bytes]] = []
_queue: deque[Kernel] = deque()
_started = 0.0
_is_ready = False


def load_kernels(name: str = SETS[0]) -> tuple[str, ...]:
    """Load a set of kernels, and compile those that are not in the cache. Return notes for the user.

    Raises:
        BackendError: numba is missing, or configured wrongly; the kernels cannot be compiled, or the folder for
            them cannot be trusted.
    """
    global _load_seconds  # noqa: PLW0603 - a clock of the process
    start = time.perf_counter()
    if not _load_from_cache(name):
        with _logged(name):
            _wait_for_compilers(name)
            if not _load_from_cache(name):
                with remaining_progress(COMPILE_SHARE, "Compile"):
                    _load(name)
    _load_seconds += time.perf_counter() - start
    return _load_notes


@contextmanager
def _logged(name: str) -> Iterator[None]:
    """Say in the log that a job waits for kernels, and for how long it did."""
    start, count = time.perf_counter(), len(missing(kernels_of(name)))
    logger.info("compiling %d kernels, once on this machine: this takes up to a minute", count)
    yield
    logger.info("compiled %d kernels in %.0f s", count, time.perf_counter() - start)


def load_seconds() -> float:
    """Seconds spent compiling kernels, or reading them from the cache."""
    return _load_seconds


def compiled_fraction(names: Sequence[str] = SETS) -> float:
    """The fraction, from 0 to 1, of the kernels of some sets that are loaded or in the cache. It does not import numba.

    Raises:
        BackendError: the folder for compiled kernels cannot be trusted.
    """
    kernels = [kernel for name in names if name not in _loaded for kernel in kernels_of(name)]
    return 1.0 - len(missing(kernels)) / len(kernels) if kernels else 1.0


def kernel_count(names: Sequence[str] = SETS) -> int:
    """How many kernels some sets have together."""
    return sum(len(kernels_of(name)) for name in names)


def is_compiling() -> bool:
    """Whether a child process is compiling kernels."""
    return any(compiler.poll() is None for compiler in _compilers)


def compile_in_background(first: str = SETS[0], is_waited_for: bool = False) -> None:
    """Have child processes compile all kernels missing from the cache, or go on doing so.

    They inherit the priority of the calling thread, and no system lets it be raised later. So while nothing waits for
    them, there is one instead of two, and none at low priority.

    Args:
        first: the set of kernels to compile first.
        is_waited_for: whether a job waits for them.

    Raises:
        UnusableFolderError: kernels cannot be put into the cache.
        BackendError: no process could be started, or one failed a short time ago.
    """
    global _compilers, _started
    with _starting:
        is_new = not is_compiling()
        if is_new:
            status = _exit_status()
            if status and time.monotonic() < _started + RETRY_SECONDS:
                raise _compile_error(status)
            _started, _compilers = time.monotonic(), []
            _queue.clear()
            for name in SETS:
                # Those with the most arguments take longest. They go first, so that all processes have work to the end.
                _queue.extend(missing(sorted(kernels_of(name), key=lambda kernel: -len(kernel.types))))
        _put_first(first)
        with open_log(COMPILE_LOG, anew=is_new) as log_file:
            for number in range(min(MOST_COMPILERS if is_waited_for else 1, thread_count())):
                if _queue and not _is_alive(number):
                    _compilers[number : number + 1] = [_start_compiler(number, log_file)]


def _put_first(name: str) -> None:
    """Let the kernels of a set be compiled before those of others that wait."""
    wanted = set(kernels_of(name))
    queued = [_queue.popleft() for _ in range(len(_queue))]
    _queue.extend(sorted(queued, key=lambda kernel: kernel not in wanted))


def _is_alive(number: int) -> bool:
    return number < len(_compilers) and _compilers[number].poll() is None


def end_compilers() -> None:
    """End the child processes once each has finished its current kernel."""
    _queue.clear()


def compile_kernels(number: int) -> None:
    """Compile kernels into the cache: the work of a child process.

    Each line of standard input names a kernel. Each is answered with an empty line.

    Args:
        number: the number of this process, 0 or 1.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the process ends when its input ends, not at Ctrl-C
    start_llvm()
    from . import store as numba_store

    # Garbage collection takes a seventh of the time, and compiling makes little garbage.
    gc.freeze()
    gc.set_threshold(100_000, 50, 100)
    with compiling_in(number=number):
        for line in sys.stdin.buffer:
            kernel = Kernel(*json.loads(line))
            if missing([kernel]):
                numba_store.compile_listed(kernel)
            if error := numba_store.storage_error():
                raise error
            os.write(sys.stdout.fileno(), b"\n")


def _start_compiler(number: int, log_file: BinaryIO) -> subprocess.Popen[bytes]:
    command = child_command(__name__, compile_kernels.__name__, number)
    try:
        compiler = subprocess.Popen(
            command,
            bufsize=0,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=log_file,
            creationflags=NO_WINDOW,
        )
    except OSError as error:
        raise _not_started(error) from error
    try:
        threading.Thread(target=_feed, args=(compiler,), name=f"{OWN_THREADS} compiler", daemon=True).start()
    except RuntimeError as error:  # refused by the system, or because this process is about to end
        compiler.kill()
        compiler.communicate()
        raise _not_started(error) from error
    return compiler


def _not_started(error: Exception) -> BackendError:
    return BackendError("no process could be started to compile the fast kernels ({error})", error=error)


def _feed(compiler: subprocess.Popen[bytes]) -> None:
    """Send queued kernels to a child process one by one. The child ends after the last one, or with this process."""
    global _is_ready  # noqa: PLW0603 - of the process
    kernels, answers = cast(IO[bytes], compiler.stdin), cast(IO[bytes], compiler.stdout)
    with kernels, answers, suppress(OSError, IndexError):  # the child has ended, or the queue is empty
        while True:
            with _starting:
                kernel = _queue.popleft()
            kernels.write(f"{json.dumps(astuple(kernel))}\n".encode())
            if not answers.readline():
                break
    compiler.wait()
    with _starting:
        if not (_is_ready or is_compiling() or missing(kernel for name in SETS for kernel in kernels_of(name))):
            _is_ready = True
            logger.debug("the compiled kernels are ready, after %.0f s", time.monotonic() - _started)


def _exit_status() -> int:
    """The exit status of a child process that failed; 0 if none did."""
    return next((compiler.returncode for compiler in _compilers if compiler.poll()), 0)


def _compile_error(status: int) -> BackendError:
    log = cache_folder() / COMPILE_LOG
    return BackendError("the fast kernels could not be compiled (status {status}), see {log}", status=status, log=log)


def _load_from_cache(name: str) -> bool:
    """Load a set of kernels if all are in the cache and undamaged. Return whether it is loaded."""
    with _loading():
        if name in _loaded:
            return True
        start_llvm()
        from . import store as numba_store

        if missing(kernels_of(name)) or not numba_store.preload(kernels_of(name)):
            return False
        with progress_range(0.0, 0.0, "Start"):
            _load(name)
    return True


def _wait_for_compilers(name: str) -> None:
    """Have child processes compile a set of kernels, and wait for it. Return at once if none can be started.

    Raises:
        BackendError: a child process crashed, so this one might too.
    """
    try:
        compile_in_background(name, is_waited_for=True)
    except BackendError as error:
        logger.info("the fast kernels are not compiled apart: %s", error)
    left: Sequence[Kernel] = kernels_of(name)
    with remaining_progress(COMPILE_SHARE, "Compile"):
        while left and is_compiling():
            left = missing(left)
            report_progress(1.0 - len(left) / len(kernels_of(name)))
            time.sleep(POLL_SECONDS)
        left = missing(left)  # the last ones and their process may have ended since
        report_progress(1.0 - len(left) / len(kernels_of(name)))
    status = _exit_status()
    if left and not 0 <= status < CRASHED:
        raise _compile_error(status)


def _load(name: str) -> None:
    """Load a set of kernels, and compile in this process those that were not read from the cache."""
    global _load_notes  # noqa: PLW0603 - of the process
    from . import store as numba_store

    with _loading():
        for kernel in with_progress(kernels_of(name)):
            numba_store.load(kernel)
        _loaded.add(name)
        if error := numba_store.storage_error():
            template = Sentence("the fast kernels were compiled for this process alone, because {error}")
            _load_notes = (Sentence(template, error=error),)
            logger.warning(_load_notes[0])


@contextmanager
def _loading() -> Iterator[None]:
    """Hold the lock for loading kernels. A job that waits for it can be cancelled."""
    while not _lock.acquire(timeout=POLL_SECONDS):
        checkpoint()
    try:
        yield
    finally:
        _lock.release()
