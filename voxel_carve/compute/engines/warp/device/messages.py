"""What Warp says by itself, kept off the terminal and in our log.

Its Python part has a logger, which is exchanged for ours. Its C++ part writes to the process's standard error, which is
led into a file meanwhile. What other threads write there in that time goes to the log as well, so this is done only
while Warp starts, and while it loads what the driver may refuse.
"""

import logging
import os
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO, Any

logger = logging.getLogger(__name__)

STANDARD_ERROR = 2  # the descriptor


class WarpLog:
    """Our log, as Warp wants a logger to be."""

    def debug(self, message: str) -> None:
        """Tell the log."""
        logger.debug("%s", message.strip())

    def info(self, message: str) -> None:
        """Tell the log; the log's debug, because Warp greets at length."""
        logger.debug("%s", message.strip())

    def warning(self, message: str, category: Any = None, stacklevel: int = 1) -> None:
        """Tell the log. A caller of ours says in its own words what a user has to know."""
        logger.info("%s", message.strip())

    def error(self, message: str) -> None:
        """As `warning`."""
        logger.info("%s", message.strip())


@contextmanager
def in_our_log() -> Iterator[None]:
    """Lead what Warp says in this block to our log."""
    import warp

    before = warp.get_logger()
    warp.set_logger(WarpLog())
    try:
        with _standard_error_in_log():
            yield
    finally:
        warp.set_logger(before)


@contextmanager
def _standard_error_in_log() -> Iterator[None]:
    """Log what the process writes to its standard error. A process without one is left alone."""
    try:
        kept = os.dup(STANDARD_ERROR)
    except OSError:
        yield
        return
    # A file, and not a pipe: nothing waits for a reader, and children that start meanwhile can go on writing.
    with tempfile.TemporaryFile() as file:
        _flush()
        os.dup2(file.fileno(), STANDARD_ERROR)
        try:
            yield
        finally:
            _flush()
            os.dup2(kept, STANDARD_ERROR)
            os.close(kept)
            _log_lines(file)


def _flush() -> None:
    """Let what Python has written arrive where it was meant to."""
    if sys.stderr is not None and not sys.stderr.closed:
        sys.stderr.flush()


def _log_lines(file: IO[bytes]) -> None:
    file.seek(0)
    for line in file.read().decode(errors="replace").splitlines():
        if line.strip():
            logger.info("%s", line.strip())
