"""Moments that no signal breaks into, such as making a file and deleting it at once: it is heard right after them."""

import threading
from types import TracebackType


class _Here(threading.local):
    """How many moments this thread is in, and whether a signal came meanwhile."""

    depth = 0
    missed = False


_here = _Here()


class Unbroken:
    """A `with` block in which our signals wait; KeyboardInterrupt is raised at its end where one came."""

    def __enter__(self) -> None:
        _here.depth += 1

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        _here.depth -= 1
        if _here.missed and not _here.depth:
            _here.missed = False
            raise KeyboardInterrupt


def put_off() -> bool:
    """Whether a signal that has just come has to wait; whoever hears signals asks that."""
    _here.missed = _here.depth > 0
    return _here.missed
