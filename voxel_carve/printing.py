"""Output to a terminal: it contains no control sequences, and a failing stream ends no job."""

import errno
import math
import os
import sys
import time
import unicodedata
from typing import TextIO

# Control characters, surrogates that stand for bytes of a file's name, and line and paragraph separators.
_CONTROLS = {"Cc", "Cs", "Zl", "Zp"}
# What changes the direction of text: embeddings, overrides, isolates, and their ends.
_DIRECTION_CHANGES = {"LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI"}


def printable(text: str) -> str:
    """The text with everything escaped that could affect a terminal; letters of all languages stay."""
    if text.isascii() and text.isprintable():  # as most of it is, such as a long summary
        return text
    return "".join(character if _is_harmless(character) else _escaped(character) for character in text)


def tell(line: str) -> None:
    """Print a line to stdout."""
    _write(sys.stdout, printable(line) + "\n")


def complain(message: str) -> None:
    """Print a message as one line to stderr."""
    _write(sys.stderr, printable("voxel_carve: " + " ".join(message.split())) + "\n")


def complain_in_lines(text: str) -> None:
    """Print a text of several lines to stderr."""
    for line in text.splitlines():
        _write(sys.stderr, printable(line) + "\n")


def flush() -> None:
    """Flush what others have printed, because a failure to write it would change the process's exit status."""
    for stream in (sys.stdout, sys.stderr):
        _write(stream, "")


# The stage that happens only once; without a bar, the seconds until it is first reported, and between further reports.
COMPILING, FIRST_REPORT, REPORT_EVERY = "Compile", 1.0, 5.0
COMPILING_ONCE = "compiling the fast kernels, once"


class ProgressBar:
    """A bar on stderr, drawn at most ten times a second; without a terminal, lines while a job waits for kernels."""

    def __init__(self, wanted: bool) -> None:
        self._wanted = wanted and sys.stderr is not None and not sys.stderr.closed and sys.stderr.isatty()
        self._drawn = 0.0
        self._line_wanted = wanted and not self._wanted
        self._next_report = math.inf

    def draw(self, stage: str, fraction: float) -> None:
        """Show the stage, and the fraction done, 0 to 1."""
        if self._line_wanted:
            self._report_compiling(stage, fraction)
        if not self._wanted or time.monotonic() - self._drawn < 0.1:
            return
        self._drawn = time.monotonic()
        full = round(30 * min(max(fraction, 0.0), 1.0))
        text = COMPILING_ONCE if stage == COMPILING else stage
        _write(sys.stderr, f"\r{'#' * full}{'.' * (30 - full)} {fraction:4.0%} {text}\033[K")

    def clear(self) -> None:
        """Erase the bar."""
        if self._wanted:
            _write(sys.stderr, "\r\033[K")

    def _report_compiling(self, stage: str, fraction: float) -> None:
        now = time.monotonic()
        if stage != COMPILING:
            self._next_report = math.inf
        elif self._next_report == math.inf:
            self._next_report = now + FIRST_REPORT
        if now > self._next_report:
            self._next_report = now + REPORT_EVERY
            complain(f"{COMPILING_ONCE}: {fraction:.0%} of the job is done")


def _is_harmless(character: str) -> bool:
    return (
        unicodedata.category(character) not in _CONTROLS
        and unicodedata.bidirectional(character) not in _DIRECTION_CHANGES
    )


def _escaped(character: str) -> str:
    return character.encode("unicode_escape").decode("ascii")


def _write(stream: TextIO | None, text: str) -> None:
    """Write what the stream's encoding can express, and flush; if the stream fails, discard all output to it."""
    if stream is None:  # closed before Python started
        return
    encoding = getattr(stream, "encoding", None) or "utf-8"
    try:
        stream.write(text.encode(encoding, "backslashreplace").decode(encoding))
        stream.flush()
    except (OSError, ValueError) as error:  # the disk is full, the reader is gone, or the stream was closed
        _give_up(stream)
        if stream is sys.stdout and getattr(error, "errno", None) != errno.EPIPE:
            complain(f"warning: what is said on standard output is lost ({getattr(error, 'strerror', None) or error})")


def _give_up(stream: TextIO) -> None:
    """Discard what a stream holds, and all later output."""
    try:
        number = stream.fileno()
        nowhere = os.open(os.devnull, os.O_WRONLY)
    except (OSError, ValueError):  # the stream has no file descriptor
        return
    os.dup2(nowhere, number)
    os.close(nowhere)
