"""What stands at a place in the file system: nothing, a file, or something that is neither to be read nor replaced."""

import os
import stat
from collections.abc import Hashable
from pathlib import Path

from ..compute.errors import InputError

# As much of a name as a message shows.
LONGEST_SHOWN = 120


def readable(name: object) -> str:
    """A name, or whatever stands in its place, as a line of text: characters that cannot be shown are escaped."""
    text = str(name)
    if not text.isprintable():
        text = repr(text)[1:-1]
    return text if len(text) <= LONGEST_SHOWN else f"{text[: LONGEST_SHOWN // 2]}...{text[-LONGEST_SHOWN // 4 :]}"


def as_text(name: str) -> str:
    """A name for what holds text alone: a file's can have bytes that are none."""
    return name.encode("utf-8", "replace").decode("utf-8")


def status(path: Path) -> os.stat_result | None:
    """What stands at `path`, or where a link there leads; None for nothing.

    Raises:
        InputError: it cannot be told, because no file can have that name or links lead in a circle.
    """
    try:
        return os.stat(path)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise InputError(f"{readable(path)} cannot be used ({error.strerror}): choose another") from error
    except ValueError as error:
        raise InputError(f"{readable(path)} has a character that no file name can have: choose another") from error


def is_file(path: Path) -> bool:
    """Whether a regular file stands at `path`, or where a link there leads; False where that cannot be told."""
    try:
        found = status(path)
    except InputError:
        return False
    return found is not None and stat.S_ISREG(found.st_mode)


def check_input(path: Path) -> os.stat_result:
    """See that there is a file to read; hands on what is known of it.

    Raises:
        InputError: there is none, or it is a folder, a device, a pipe or a socket.
    """
    found = status(path)
    if found is None:
        raise InputError(f"{readable(path)}: there is no such file")
    if not stat.S_ISREG(found.st_mode):
        raise InputError(f"{readable(path)} is {_kind(found)}, and no file")
    return found


def check_target(path: Path, overwrite: bool) -> os.stat_result | None:
    """See that `path` may be written: only a regular file is replaced, or nothing. Hands on what stands there.

    Raises:
        InputError: something else stands there, a file does and `overwrite` is not set, or there is no such folder.
    """
    found = status(path)
    if found is None:
        if os.path.islink(path):
            raise InputError(f"{readable(path)} is a link that leads nowhere: remove it, or name the file itself")
        folder = status(path.parent)
        if folder is None or not stat.S_ISDIR(folder.st_mode):
            raise InputError(f"{readable(path)}: there is no folder {readable(path.parent)}: make it first")
    elif stat.S_ISDIR(found.st_mode):
        raise InputError(f"{readable(path)} is a folder: name a file")
    elif not stat.S_ISREG(found.st_mode):
        raise InputError(f"{readable(path)} is {_kind(found)}: only a file is replaced, name one")
    elif not overwrite:
        raise InputError(f"{readable(path)} exists already: choose another name, or allow it with --overwrite")
    return found


def identity(path: Path) -> Hashable:
    """What is equal for two names of one file, links and hard links included, and of one that is still to be made.

    Names of a file that is still to be made are told apart by their letters' case, whether the file system does or not.
    """
    try:
        found = status(path)
        if found is not None:
            return found.st_dev, found.st_ino
        folder = status(path.parent)
    except InputError:
        return str(path)
    return str(path) if folder is None else (folder.st_dev, folder.st_ino, path.name)


def _kind(found: os.stat_result) -> str:
    kinds = {
        stat.S_ISDIR: "a folder",
        stat.S_ISFIFO: "a pipe",
        stat.S_ISSOCK: "a socket",
        stat.S_ISCHR: "a device",
        stat.S_ISBLK: "a device",
    }
    return next((kind for holds, kind in kinds.items() if holds(found.st_mode)), "something else")
