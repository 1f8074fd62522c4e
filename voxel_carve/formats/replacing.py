"""Output files that are either whole or not there: the one door for results, reports, summaries and pictures."""

import os
import secrets
import stat
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from hashlib import sha256
from pathlib import Path

from ..compute.errors import InputError
from ..compute.locks import has_locked
from ..interrupts import Unbroken
from .places import check_target, readable

TOKEN = 8  # bytes, twice as many letters in a name
# Blender writes beside the name that it is given, and keeps what it finds there.
_BLENDERS_OWN = ("", "@", "1")
# How often a lock is tried for that another process is just about to delete.
_MOST_TRIES = 100
_LOCK_FLAGS = os.O_RDWR | getattr(os, "O_NOFOLLOW", 0)


def check_output(path: Path, overwrite: bool = False) -> None:
    """See before the work begins whether `path` can be written.

    Raises:
        InputError: a file is there and `overwrite` is not set; something is there that is no regular file, such as a
            folder, a device or a link that leads to one; or its folder is missing or not writable.
    """
    check_target(path, overwrite=True)
    try:
        # Before a file that exists is refused: a process may have been killed right after that came into being.
        with Unbroken(), _name_beside(_resolved(path)) as beside:
            beside.touch(exist_ok=False)
    except OSError as error:
        raise InputError(
            f"{readable(path)} cannot be written ({error.strerror or error}): choose another folder"
        ) from error
    check_target(path, overwrite)


@contextmanager
def replacing(path: Path, overwrite: bool = False) -> Iterator[Path]:
    """A new name beside `path`, to be written in the `with` block; it takes the place of `path` at the end.

    A block that raises leaves `path` as it was and nothing beside it. What a killed process has left there is removed
    by the next that writes `path`. Where `path` is a link to a file, that file is replaced, and the link stays. The
    mode of a file that is replaced is kept. Without `overwrite`, a file that has come to `path` meanwhile stays as it
    is: nobody else sees the new one before it is whole. On file systems without hard links the name is taken a moment
    earlier, by an empty file; a process killed in between leaves that one behind.

    Raises:
        InputError: `path` cannot be written (see `check_output`), or the disk refuses.
    """
    check_target(path, overwrite)
    target = _resolved(path)
    try:
        with _name_beside(target) as beside:
            yield beside
            with open(beside, "rb+") as written:
                os.fsync(written.fileno())
            # Whatever came there while the block ran is looked at as well.
            if _resolved(path) != target:
                raise InputError(f"{readable(path)} leads elsewhere by now: nothing was changed")
            replaced = check_target(path, overwrite)
            if replaced is None:
                _give_name(beside, target)
            else:
                _take_over(replaced, beside)
                os.replace(beside, target)
    except OSError as error:
        raise InputError(
            f"{readable(path)} could not be written ({error.strerror or error}): nothing was changed"
        ) from error


def _resolved(path: Path) -> Path:
    return Path(os.path.realpath(path))


def _give_name(beside: Path, target: Path) -> None:
    """Let a file have the name of `target`; where that fails, nothing has it.

    Raises:
        InputError: another has it.
    """
    try:
        try:
            os.link(beside, target)
        except FileExistsError:
            raise
        except OSError:  # a file system without hard links
            try:
                os.close(os.open(target, os.O_CREAT | os.O_EXCL | os.O_WRONLY))
                os.replace(beside, target)
            except FileExistsError:
                raise
            except BaseException:
                with suppress(OSError):
                    if target.stat().st_size == 0:  # nobody's work
                        target.unlink()
                raise
    except FileExistsError as error:
        raise InputError(f"{readable(target)} has come into being meanwhile: it stays as it is") from error


def _take_over(replaced: os.stat_result, beside: Path) -> None:
    """Give a file the mode of the one that it replaces, and its owner where the system allows that."""
    if sys.platform != "win32":
        # Not only for want of permission: a container may not know that owner's number.
        with suppress(OSError):
            os.chown(beside, replaced.st_uid, replaced.st_gid)
    beside.chmod(stat.S_IMODE(replaced.st_mode) & 0o777)


@contextmanager
def _name_beside(target: Path) -> Iterator[Path]:
    """A name beside `target` that nobody can guess; at the end nothing of that name is left.

    A file of a name that follows from the target's tells the next process what this one has left, should it be killed.
    A lock on it, which ends with the process, tells that from what is still being written. Where there is no lock to be
    had (another process writes the same target, or the file system knows none), what a killed process leaves stays.
    """
    stem = f".voxel_carve-{sha256(os.fsencode(target.name)).hexdigest()[: 2 * TOKEN]}"
    token = secrets.token_hex(TOKEN)
    note = target.with_name(f"{stem}.lock")
    descriptor = _locked(note)
    try:
        if descriptor is not None:
            left = os.read(descriptor, 2 * TOKEN).decode("ascii", "replace")
            if left.isalnum():
                _remove(target.with_name(f"{stem}-{left}{target.suffix}"))
            os.lseek(descriptor, 0, os.SEEK_SET)
            os.write(descriptor, token.encode("ascii"))
        # The suffix stays: Blender saves nothing else than a .blend.
        beside = target.with_name(f"{stem}-{token}{target.suffix}")
        try:
            yield beside
        finally:
            _in_any_case(partial(_remove, beside))
    finally:
        if descriptor is not None:
            _in_any_case(partial(_give_back, descriptor, note))


def _in_any_case(clean_up: Callable[[], None]) -> None:
    """Do it while our signals wait, and once more from the start where a Ctrl-C that others hear comes in between."""
    with Unbroken():
        try:
            clean_up()
        except KeyboardInterrupt:
            clean_up()
            raise


def _remove(beside: Path) -> None:
    for more in _BLENDERS_OWN:
        beside.with_name(beside.name + more).unlink(missing_ok=True)


def _locked(note: Path) -> int | None:
    """Make and lock a file; None where there is no lock to be had."""
    descriptor: int | None = None
    try:
        for _ in range(_MOST_TRIES):
            try:
                descriptor = os.open(note, _LOCK_FLAGS | os.O_CREAT, 0o600)
            except OSError:
                return None
            found = os.fstat(descriptor)
            # One that has another name as well is somebody else's.
            if found.st_nlink > 1 or not stat.S_ISREG(found.st_mode):
                os.close(descriptor)
                return None
            try:
                if not has_locked(descriptor):
                    os.close(descriptor)
                    return None
            except OSError:  # no locks here
                _give_back(descriptor, note)
                return None
            if os.fstat(descriptor).st_nlink == 1:
                return descriptor
            os.close(descriptor)
    except KeyboardInterrupt:
        # It may have come after the file was made, and before that was known here.
        with suppress(OSError):
            if descriptor is not None:
                os.close(descriptor)
        with suppress(OSError):
            again = os.open(note, _LOCK_FLAGS)
            if has_locked(again):
                _give_back(again, note)
            else:
                os.close(again)
        raise
    return None


def _give_back(descriptor: int, note: Path) -> None:
    """Delete and close a file: in this order, or it could be another process's by then; Windows has only the other."""
    steps = (note.unlink, partial(os.close, descriptor))
    for step in reversed(steps) if sys.platform == "win32" else steps:
        with suppress(OSError):
            step()
