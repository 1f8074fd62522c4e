"""How a process of ours starts, how signals end its work, and how it exits."""

# Little is imported here: `begin` runs before everything else, and until then a signal ends in a traceback.
import atexit
import os
import signal
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

# Within this many seconds after a signal, further ones are ignored: `timeout`, and a terminal that closes, send theirs
# twice. They must not interrupt the clean-up that the first one started.
REPEAT_WINDOW = 1.0
# Seconds until a lost KeyboardInterrupt is raised again.
RETRY_DELAY = 0.05


def begin() -> None:
    """Prepare this process to run a command, before anything else is imported. In a full Blender, do nothing.

    During imports, and again after its work, there is nothing to clean up: a signal then ends the process at once.
    """
    if "bpy" in sys.modules:
        return
    _hold_standard_streams()
    for number in _signals():
        signal.signal(number, lambda number, frame: os._exit(128 + number))
    skip_destructors()


def skip_destructors() -> None:
    """Let this process exit right after Python has ended, without C++ destructors, if it has loaded bpy by then.

    One of Blender's destructors waits for a thread for ever if Python objects have kept Blender from being freed, for
    example after a Python driver. Everything else happens as usual, including atexit handlers and the exit status.
    """
    atexit.unregister(_skip_destructors)  # once is enough
    atexit.register(_skip_destructors)


class Signals:
    """Ctrl-C and the signals that ask a process to end; they raise KeyboardInterrupt in the `with` block of `heard`.

    Attributes:
        number: the first signal that came, 0 for none.
    """

    def __init__(self) -> None:
        self.number = 0
        self._heeded, self._ignore_until = False, 0.0
        self._must_wait: Callable[[], bool] = bool  # no signal waits before `heard`

    def check(self) -> None:
        """Raise KeyboardInterrupt if a signal has come, because a caller of our code may have lost the first one."""
        if self.number:
            raise KeyboardInterrupt

    @contextmanager
    def heard(self) -> Iterator[None]:
        """Handle signals, on the main thread; at the end, restore the previous handlers."""
        import threading

        from .interrupts import must_wait

        self._must_wait = must_wait
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        hook, asking = sys.unraisablehook, _signals()
        # Sent for a stream whose reader is gone: Python ignores it, Blender does not.
        ignored: list[int] = [signal.SIGPIPE] if hasattr(signal, "SIGPIPE") else []
        before = [(number, signal.getsignal(number)) for number in (*asking, *ignored)]
        try:
            sys.unraisablehook = lambda lost: self._raise_again() if lost.exc_type is KeyboardInterrupt else hook(lost)
            for number in ignored:
                signal.signal(number, signal.SIG_IGN)
            for number in asking:
                signal.signal(number, self._handle)
            yield
        finally:
            try:
                self._heeded = True
            finally:
                sys.unraisablehook = hook
                for number, handler in before:
                    # None: not set by Python, which cannot restore it; use the system's default.
                    signal.signal(number, handler if handler is not None else signal.SIG_DFL)

    def _handle(self, number: int, frame: object) -> None:
        self.number = self.number or number
        if self._heeded or time.monotonic() < self._ignore_until or self._must_wait():
            return
        self._ignore_until = time.monotonic() + REPEAT_WINDOW
        raise KeyboardInterrupt

    def _raise_again(self) -> None:
        """Raise it again a little later, because it came where Python drops exceptions, as in a destructor."""
        import _thread
        import threading

        self._ignore_until = 0.0
        again = threading.Timer(RETRY_DELAY, _thread.interrupt_main, (self.number or signal.SIGINT,))
        again.daemon = True
        again.start()


def _signals() -> list[int]:
    """The signals that ask a process to end, except those that its parent set to be ignored.

    `nohup` does so with SIGHUP, and a shell with SIGINT for background commands of a script.
    """
    asking = [getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)]
    return [number for number in asking if signal.getsignal(number) is not signal.SIG_IGN]


def _hold_standard_streams() -> None:
    """Open closed standard streams on the null device, or the next file opened would get what libraries print."""
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            os.set_inheritable(os.open(os.devnull, os.O_RDWR), True)  # takes the lowest free descriptor


def _skip_destructors() -> None:
    import ctypes
    import shutil

    app = getattr(sys.modules.get("bpy"), "app", None)
    if app is None or not app.module:
        return
    folder = app.tempdir.rstrip(os.sep)
    if _is_blenders_own(folder):  # left behind if Blender is not freed
        shutil.rmtree(folder, ignore_errors=True)
    if sys.platform == "linux":  # by C's atexit handlers, which run last entry first
        library = ctypes.CDLL(None)
        library.on_exit(library._exit, None)
        library.__cxa_atexit(library.fflush, None, None)


def _is_blenders_own(folder: str) -> bool:
    """Whether Blender made the folder. If it cannot make one, it uses the user's folder for temporary files itself."""
    import re
    import tempfile

    given = [os.environ[name] for name in ("TEMP", "TMP", "TMPDIR") if os.environ.get(name)]
    users = {os.path.realpath(place) for place in (*given, tempfile.gettempdir())}
    parent, name = os.path.split(folder)
    is_named_so = re.fullmatch(r"blender_\w{6}", name) is not None
    return is_named_so and os.path.realpath(folder) not in users and os.path.realpath(parent) in users
