"""The bytes of a file, and how much memory may be made of them."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import wraps
from pathlib import Path
from typing import Concatenate, ParamSpec, TypeVar

from ..compute.errors import InputError
from ..compute.memory import available_bytes, memory_texts
from .places import check_input

P = ParamSpec("P")
R = TypeVar("R")

# Pieces of files that messages quote are cut to this many characters.
QUOTED = 60
# Lines longer than this are counted by themselves.
LONG_LINE = 65536

_LINE = re.compile(rb"[^\r\n]+|\r\n?|\n")


@dataclass(frozen=True)
class Room:
    """How much memory a file may take while it is read; each reader counts what it makes before it does.

    Attributes:
        limit: bytes.
        held: bytes that the file itself takes.
    """

    limit: int
    held: int = 0

    def check(self, needed: int, what: str) -> None:
        """Raise ValueError where `what` needs more bytes beside the file than there may be."""
        whole = self.held + needed
        if whole > self.limit:
            taken, allowed = memory_texts(whole, self.limit)
            raise ValueError(
                f"{what} need about {taken} of memory, and may take {allowed}: raise the memory limit, or export less"
            )


def read_bytes(file: Path, memory_limit: int | None) -> tuple[bytes, Room]:
    """All of a regular file, and how much memory may be made of it.

    Args:
        file: what to read.
        memory_limit: bytes that may be taken; None is half of what is free.

    Raises:
        InputError: the file is missing, is a folder or a device, cannot be read, is empty, or is too large.
    """
    found = check_input(file)
    room = Room(available_bytes() // 2 if memory_limit is None else memory_limit, found.st_size)
    try:
        room.check(0, f"its {found.st_size / 2**20:,.0f} MiB")
    except ValueError as error:
        raise InputError(f"{file} is too large: {error}") from error
    try:
        with open(file, "rb") as opened:
            raw = opened.read(found.st_size)
    except OSError as error:
        raise InputError(f"{file} cannot be read ({error.strerror})") from error
    if not raw:
        raise InputError(f"{file} is empty: export it again")
    return raw, room


def within_memory(read: Callable[Concatenate[Path, P], R]) -> Callable[Concatenate[Path, P], R]:
    """The same function of a file, which raises InputError with the file's name where memory runs out all the same."""

    @wraps(read)
    def reading(file: Path, /, *args: P.args, **kwargs: P.kwargs) -> R:
        try:
            return read(file, *args, **kwargs)
        except MemoryError as error:
            raise InputError(f"{file} is too large for the memory that is free: export less") from error

    return reading


def lines(raw: bytes) -> Iterator[tuple[int, bytes]]:
    """Number, from 1, and content of each line that has any. Lines end with CR, LF or both, and with nothing else."""
    number = 1
    for match in _LINE.finditer(raw):
        found = match.group()
        if found[0] in b"\r\n":
            number += 1
        else:
            yield number, found


def has_long_line(raw: bytes) -> bool:
    """Whether there are `LONG_LINE` bytes without the end of a line."""
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
