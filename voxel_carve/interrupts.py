"""Critical sections that signals do not interrupt, such as making and deleting a file: signals wait until the end."""

import threading
from types import TracebackType


class _ThreadState(threading.local):
    """How many critical sections this thread is in, and whether a signal came meanwhile."""

    depth = 0
    missed = False


_state = _ThreadState()


class Unbroken:
    """A `with` block in which our signals wait; its end raises KeyboardInterrupt if one came."""

    def __enter__(self) -> None:
        _state.depth += 1

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        _state.depth -= 1
        if _state.missed and not _state.depth:
            _state.missed = False
            raise KeyboardInterrupt


def must_wait() -> bool:
    """Whether a signal that has just come has to wait. Signal handlers call this, and it records the signal."""
    _state.missed = _state.depth > 0
    return _state.missed
