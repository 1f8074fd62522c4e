"""Atomic output files: complete or not there. All results, reports, summaries and pictures are written through it."""

import os
import secrets
import stat
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from hashlib import sha256
from pathlib import Path

from ...compute.runtime import InputError, has_locked
from ...interrupts import Unbroken
from .places import check_target, readable

TOKEN = 8  # bytes, which are twice as many letters in a name
# Suffixes of files that Blender writes beside the name it is given, and of the backup it keeps.
_BLENDERS_OWN = ("", "@", "1")
# Attempts to get a lock that another process is about to delete.
_MOST_TRIES = 100
_LOCK_FLAGS = os.O_RDWR | getattr(os, "O_NOFOLLOW", 0)


def check_output(path: Path, overwrite: bool = False) -> None:
    """Check before the work begins whether `path` can be written.

    Raises:
        InputError: a file is there and `overwrite` is not set; something other than a regular file is there, such as a
            folder, a device or a link to one; or the folder is missing or not writable.
    """
    check_target(path, overwrite=True)
    try:
        # Do this before refusing an existing file: a process may have been killed right after it made that file.
        with Unbroken(), _name_beside(_resolved(path)) as beside:
            beside.touch(exist_ok=False)
    except OSError as error:
        raise InputError(
            "{path} cannot be written ({fault}): choose another folder",
            path=readable(path),
            fault=error.strerror or error,
        ) from error
    check_target(path, overwrite)


@contextmanager
def replacing(path: Path, overwrite: bool = False) -> Iterator[Path]:
    """A temporary name beside `path`, to be written in the `with` block; at the end the file replaces `path`.

    If the block raises, `path` stays as it was and nothing is left beside it. Files left by a killed process are
    removed by the next process that writes `path`. If `path` is a link to a file, that file is replaced and the link
    stays. A replaced file's mode is kept. Without `overwrite`, a file that has appeared at `path` meanwhile is not
    touched. Nobody sees the new file before it is complete, except on file systems without hard links: there an empty
    file reserves the name a moment earlier, and a process killed in between leaves it behind.

    Raises:
        InputError: `path` cannot be written (see `check_output`), or the disk reports an error.
    """
    check_target(path, overwrite)
    target = _resolved(path)
    try:
        with _name_beside(target) as beside:
            yield beside
            with open(beside, "rb+") as written:
                os.fsync(written.fileno())
            # Check again, because `path` may have changed while the block ran.
            if _resolved(path) != target:
                raise InputError("{path} leads elsewhere by now: nothing was changed", path=readable(path))
            replaced = check_target(path, overwrite)
            if replaced is None:
                _give_name(beside, target)
            else:
                _take_over(replaced, beside)
                os.replace(beside, target)
    except OSError as error:
        raise InputError(
            "{path} could not be written ({fault}): nothing was changed",
            path=readable(path),
            fault=error.strerror or error,
        ) from error


def _resolved(path: Path) -> Path:
    return Path(os.path.realpath(path))


def _give_name(beside: Path, target: Path) -> None:
    """Give a file the name `target`, or leave the name free if that fails.

    Raises:
        InputError: another file has the name.
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
                    if target.stat().st_size == 0:  # still the empty file
                        target.unlink()
                raise
    except FileExistsError as error:
        raise InputError(
            "{target} was created in the meantime and was left untouched", target=readable(target)
        ) from error


def _take_over(replaced: os.stat_result, beside: Path) -> None:
    """Give a file the mode of the one that it replaces, and its owner if the system allows it."""
    if sys.platform != "win32":
        # This fails not only without permission: a container may not know the owner's uid.
        with suppress(OSError):
            os.chown(beside, replaced.st_uid, replaced.st_gid)
    beside.chmod(stat.S_IMODE(replaced.st_mode) & 0o777)


@contextmanager
def _name_beside(target: Path) -> Iterator[Path]:
    """A random name beside `target`; at the end no file with that name is left.

    A note, whose name follows from the target's, tells the next process what this one has left if it is killed. A lock
    on the note, which ends with the process, shows that the file is still being written. If there is no lock (another
    process writes the same target, or the file system has none), files of a killed process stay.
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
        # Keep the suffix, because Blender saves only to a .blend.
        beside = target.with_name(f"{stem}-{token}{target.suffix}")
        try:
            yield beside
        finally:
            _in_any_case(partial(_remove, beside))
    finally:
        if descriptor is not None:
            _in_any_case(partial(_give_back, descriptor, note))


def _in_any_case(clean_up: Callable[[], None]) -> None:
    """Clean up while our signals wait; start over if a Ctrl-C handled by others interrupts it."""
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
    """Make and lock a file; None if it cannot be locked."""
    descriptor: int | None = None
    try:
        for _ in range(_MOST_TRIES):
            try:
                descriptor = os.open(note, _LOCK_FLAGS | os.O_CREAT, 0o600)
            except OSError:
                return None
            found = os.fstat(descriptor)
            # A file with a second name is somebody else's.
            if found.st_nlink > 1 or not stat.S_ISREG(found.st_mode):
                os.close(descriptor)
                return None
            try:
                if not has_locked(descriptor):
                    os.close(descriptor)
                    return None
            except OSError:  # the file system has no locks
                _give_back(descriptor, note)
                return None
            if os.fstat(descriptor).st_nlink == 1:
                return descriptor
            os.close(descriptor)
    except KeyboardInterrupt:
        # An interrupt may have come after the file was made and before `descriptor` was set.
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
    """Delete a file, then close it, because in between it could become another process's; Windows needs the reverse."""
    steps = (note.unlink, partial(os.close, descriptor))
    for step in reversed(steps) if sys.platform == "win32" else steps:
        with suppress(OSError):
            step()
