"""The bytes of a file, and the memory that reading it may take."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import wraps
from pathlib import Path
from typing import Concatenate, ParamSpec, TypeVar

from ...compute.runtime import InputError, allowed_bytes, memory_texts
from .places import check_input

P = ParamSpec("P")
R = TypeVar("R")

# Messages quote at most this many characters of a file.
QUOTED = 60
# The memory of lines longer than this is counted separately.
LONG_LINE = 65536

_LINE = re.compile(rb"[^\r\n]+|\r\n?|\n")


class TooLargeError(ValueError):
    """Reading a file would take too much memory. The text says what for, and how much."""


@dataclass(frozen=True)
class Room:
    """The memory that reading a file may take. Each reader checks an allocation before making it.

    Attributes:
        limit: bytes.
        held: bytes that the file itself takes.
    """

    limit: int
    held: int = 0

    def check(self, needed: int, what: str) -> None:
        """Raise TooLargeError if the file and the bytes needed for `what` exceed the limit."""
        whole = self.held + needed
        if whole > self.limit:
            taken, allowed = memory_texts(whole, self.limit)
            raise TooLargeError(
                f"{what} need about {taken} of memory, and may take {allowed}: raise the memory limit, or export less"
            )


def read_bytes(file: Path, memory_limit: int | None) -> tuple[bytes, Room]:
    """The content of a regular file, and the memory that reading it may take.

    Args:
        file: the file to read.
        memory_limit: bytes; None is half of the free memory.

    Raises:
        InputError: the file is missing, is a folder or a device, cannot be read, is empty, or is too large.
    """
    found = check_input(file)
    room = Room(allowed_bytes(memory_limit), found.st_size)
    try:
        room.check(0, f"its {found.st_size / 2**20:,.0f} MiB")
    except TooLargeError as error:
        raise InputError("{file} is too large: {error}", file=file, error=error) from error
    try:
        with open(file, "rb") as opened:
            raw = opened.read(found.st_size)
    except OSError as error:
        raise InputError("{file} cannot be read ({fault})", file=file, fault=error.strerror) from error
    if not raw:
        raise InputError("{file} is empty: export it again", file=file)
    return raw, room


def within_memory(read: Callable[Concatenate[Path, P], R]) -> Callable[Concatenate[Path, P], R]:
    """Wrap a function of a file so that running out of memory raises InputError with the file's name."""

    @wraps(read)
    def reading(file: Path, /, *args: P.args, **kwargs: P.kwargs) -> R:
        try:
            return read(file, *args, **kwargs)
        except MemoryError as error:
            raise InputError("{file} is too large for the memory that is free: export less", file=file) from error

    return reading


def lines(raw: bytes) -> Iterator[tuple[int, bytes]]:
    """Number, from 1, and content of each line that is not empty. Lines end with CR, LF or both, and nothing else."""
    number = 1
    for match in _LINE.finditer(raw):
        found = match.group()
        if found[0] in b"\r\n":
            number += 1
        else:
            yield number, found


def has_long_line(raw: bytes) -> bool:
    """Whether there are `LONG_LINE` bytes without a line end."""
    end = b"\n" if b"\n" in raw else b"\r"
    at = 0
    while len(raw) - at > LONG_LINE:
        at = raw.rfind(end, at, at + LONG_LINE) + 1
        if at == 0:
            return True
    return False


def quoted(text: str | bytes) -> str:
    """A piece of a file for a message, not too long."""
    if isinstance(text, bytes):
        text = text[: QUOTED + 1].decode("latin-1")
    return text if len(text) <= QUOTED else f"{text[:QUOTED]}..."
