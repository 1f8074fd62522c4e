"""How a process of ours begins, how signals end what it does, and how it ends itself."""

# Little is imported here: `begin` comes before all else, and until then a signal ends a process by a traceback.
import atexit
import os
import signal
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

# So many seconds after a signal, others are the same wish: `timeout`, and a terminal that closes, send theirs twice.
# They may not break into the cleaning up that the first one began.
SAME_WISH = 1.0
# Until a wish that was lost is uttered again, in seconds.
AGAIN = 0.05


def begin() -> None:
    """Make this process ready to be a command: called before anything else is imported. In a whole Blender, do nothing.

    While it imports, and again once its work is done, nothing is in the making: a signal then ends it at once.
    """
    if "bpy" in sys.modules:
        return
    _hold_standard_streams()
    for number in _signals():
        signal.signal(number, lambda number, frame: os._exit(128 + number))
    skip_destructors()


def skip_destructors() -> None:
    """Let this process, if it holds Blender as a module by then, end after Python has, without the destructors of C++.

    One of Blender's waits for a thread for ever, where Python objects have kept Blender from being freed: after a
    driver in Python, say. All else is done as ever, atexit handlers too, and the exit status stays what it is.
    """
    atexit.register(_skip_destructors)


class Signals:
    """Ctrl-C, and what asks a process to end; they raise KeyboardInterrupt in the `with` block of `heard`.

    Attributes:
        number: of the first signal that came, 0 while there is none.
    """

    def __init__(self) -> None:
        self.number = 0
        self._heeded, self._deaf_until = False, 0.0
        self._put_off: Callable[[], bool] = bool  # no signal waits before `heard`

    def check(self) -> None:
        """Raise KeyboardInterrupt where a signal has come: whatever called some of our code may have lost the first."""
        if self.number:
            raise KeyboardInterrupt

    @contextmanager
    def heard(self) -> Iterator[None]:
        """Hear signals, on the main thread; at the end, whoever heard them before does so again."""
        import threading

        from .interrupts import put_off

        self._put_off = put_off
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        hook, asking = sys.unraisablehook, _signals()
        # Of a stream whose reader is gone: Python ignores it, and Blender does not.
        ignored: list[int] = [signal.SIGPIPE] if hasattr(signal, "SIGPIPE") else []
        before = [(number, signal.getsignal(number)) for number in (*asking, *ignored)]
        try:
            sys.unraisablehook = lambda lost: self._insist() if lost.exc_type is KeyboardInterrupt else hook(lost)
            for number in ignored:
                signal.signal(number, signal.SIG_IGN)
            for number in asking:
                signal.signal(number, self._hear)
            yield
        finally:
            try:
                self._heeded = True
            finally:
                sys.unraisablehook = hook
                for number, handler in before:
                    # None: Python did not set that handler and cannot set it again; it becomes the system's own.
                    signal.signal(number, handler if handler is not None else signal.SIG_DFL)

    def _hear(self, number: int, frame: object) -> None:
        self.number = self.number or number
        if self._heeded or time.monotonic() < self._deaf_until or self._put_off():
            return
        self._deaf_until = time.monotonic() + SAME_WISH
        raise KeyboardInterrupt

    def _insist(self) -> None:
        """Raise it again, by and by: it came up where Python drops what is raised, as in a destructor."""
        import _thread
        import threading

        self._deaf_until = 0.0
        again = threading.Timer(AGAIN, _thread.interrupt_main, (self.number or signal.SIGINT,))
        again.daemon = True
        again.start()


def _signals() -> list[int]:
    """Those that ask a process to end, but for those that it was told to ignore.

    `nohup` does so with SIGHUP, and a shell with SIGINT for what it starts in the background of a script.
    """
    asking = [getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)]
    return [number for number in asking if signal.getsignal(number) is not signal.SIG_IGN]


def _hold_standard_streams() -> None:
    """Let what was closed before Python began go nowhere: else the next file would get what libraries print."""
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            os.set_inheritable(os.open(os.devnull, os.O_RDWR), True)  # it takes the first number that is free


def _skip_destructors() -> None:
    import ctypes
    import shutil

    app = getattr(sys.modules.get("bpy"), "app", None)
    if app is None or not app.module:
        return
    folder = app.tempdir.rstrip(os.sep)
    if _is_blenders_own(folder):  # it stays where Blender is not freed
        shutil.rmtree(folder, ignore_errors=True)
    if sys.platform == "linux":  # by C's own list of what is to be done at the end, the last entry first
        library = ctypes.CDLL(None)
        library.on_exit(library._exit, None)
        library.__cxa_atexit(library.fflush, None, None)


def _is_blenders_own(folder: str) -> bool:
    """Whether Blender made it. Where it cannot make one, it uses a folder of the user's for temporary files itself."""
    import re
    import tempfile

    given = [os.environ[name] for name in ("TEMP", "TMP", "TMPDIR") if os.environ.get(name)]
    users = {os.path.realpath(place) for place in (*given, tempfile.gettempdir())}
    parent, name = os.path.split(folder)
    is_named_so = re.fullmatch(r"blender_\w{6}", name) is not None
    return is_named_so and os.path.realpath(folder) not in users and os.path.realpath(parent) in users
