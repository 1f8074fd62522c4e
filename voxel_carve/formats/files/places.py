"""What a path leads to: nothing, a regular file, or something that may be neither read nor replaced."""

import os
import stat
from collections.abc import Hashable
from pathlib import Path

from ...compute.runtime import InputError, SentenceByDoor

# Messages show at most this much of a name.
LONGEST_SHOWN = 120


def readable(name: object) -> str:
    """A name, or any value given instead, as one line of text; characters that cannot be shown are escaped."""
    text = str(name)
    if not text.isprintable():
        text = repr(text)[1:-1]
    return text if len(text) <= LONGEST_SHOWN else f"{text[: LONGEST_SHOWN // 2]}...{text[-LONGEST_SHOWN // 4 :]}"


def as_path(file: object) -> Path:
    """The path of a file, given as one or as text. Raises InputError if it is neither."""
    if not isinstance(file, str | os.PathLike):
        raise InputError("the file is a {kind}: give its path", kind=type(file).__name__)
    return Path(file)


def as_text(name: str) -> str:
    """A file name as valid text, because file names may have bytes that are not."""
    return name.encode("utf-8", "replace").decode("utf-8")


def status(path: Path) -> os.stat_result | None:
    """The status of what `path` leads to, through links; None for nothing.

    Raises:
        InputError: the path cannot be a file's name, or links form a cycle.
    """
    try:
        return os.stat(path)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise InputError(
            "{path} cannot be used ({fault}): choose another", path=readable(path), fault=error.strerror
        ) from error
    except ValueError as error:
        raise InputError(
            "{path} has a character that no file name can have: choose another", path=readable(path)
        ) from error


def is_file(path: Path) -> bool:
    """Whether `path` leads to a regular file, through links; False if that cannot be determined."""
    try:
        found = status(path)
    except InputError:
        return False
    return found is not None and stat.S_ISREG(found.st_mode)


def check_input(path: Path) -> os.stat_result:
    """Check that there is a file to read, and return its status.

    Raises:
        InputError: there is none, or it is a folder, a device, a pipe or a socket.
    """
    found = status(path)
    if found is None:
        raise InputError("{path}: there is no such file", path=readable(path))
    if not stat.S_ISREG(found.st_mode):
        raise InputError("{path} is {kind}, and no file", path=readable(path), kind=_kind(found))
    return found


def check_target(path: Path, overwrite: bool) -> os.stat_result | None:
    """Check that `path` may be written, and return the status of the regular file that would be replaced, if any.

    Raises:
        InputError: something else is there, a file exists and `overwrite` is not set, or the folder does not exist.
    """
    found = status(path)
    if found is None:
        if os.path.islink(path):
            raise InputError(
                "{path} is a link that leads nowhere: remove it, or name the file itself", path=readable(path)
            )
        folder = status(path.parent)
        if folder is None or not stat.S_ISDIR(folder.st_mode):
            raise InputError(
                "{path}: there is no folder {parent}: make it first", path=readable(path), parent=readable(path.parent)
            )
    elif stat.S_ISDIR(found.st_mode):
        raise InputError("{path} is a folder: name a file", path=readable(path))
    elif not stat.S_ISREG(found.st_mode):
        raise InputError("{path} is {kind}: only a file is replaced, name one", path=readable(path), kind=_kind(found))
    elif not overwrite:
        sentence = SentenceByDoor(
            "{path} exists already: choose another name, or allow it with overwrite=True",
            command_line="{path} exists already: choose another name, or allow it with --overwrite",
            path=readable(path),
        )
        raise InputError(sentence)
    return found


def identity(path: Path) -> Hashable:
    """A key that is equal for all names of one file, through links and hard links, even if it does not exist yet.

    Names of a file that does not exist yet are compared case-sensitively, whatever the file system does.
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
