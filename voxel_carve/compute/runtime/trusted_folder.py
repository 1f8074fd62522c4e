"""Folders for code that will be executed. Nobody but the user can write to them.

A base folder holds our folders, each inside the one before.

- On Linux and macOS, each of our folders is opened from its parent, never through a link. It must belong to the user,
  and nobody else may write to it. Its mode is set to 0700. The base may be a link, for instance to a larger disk. It
  must belong to the user or to root. Others may write to it only if they cannot rename the user's files (the sticky
  bit), or if its group holds just the user. Checks, reads and writes all use the open descriptor, so replacing a folder
  or a file in between has no effect.
- On Windows, folders are identified by their paths. Ours may not be links. The permissions of the user's profile keep
  others out.
"""

import errno
import os
import shutil
import stat
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from .errors import BackendError, UnusableFolderError
from .sentences import Sentence

PRIVATE = 0o700
NO_LINK = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)


@dataclass(frozen=True)
class Folder:
    """An open folder. If the descriptor is None, the path identifies it."""

    path: Path
    descriptor: int | None

    def of(self, name: str) -> str:
        """The name of a file in it, as the system expects it beside `dir_fd`."""
        return name if self.descriptor is not None else str(self.path / name)

    def open(self, name: str, flags: int) -> int:
        """Open a file in it, and return the descriptor. Links are refused."""
        return os.open(self.of(name), flags | NO_LINK, 0o600, dir_fd=self.descriptor)

    def status(self, name: str) -> os.stat_result:
        """The status of an entry; of the link itself if it is one."""
        return os.stat(self.of(name), dir_fd=self.descriptor, follow_symlinks=False)

    def names(self) -> list[str]:
        """The names of all entries."""
        return os.listdir(self.path if self.descriptor is None else self.descriptor)

    def rename(self, name: str, to: str) -> None:
        """Rename a file, replacing another one."""
        os.replace(self.of(name), self.of(to), src_dir_fd=self.descriptor, dst_dir_fd=self.descriptor)

    def remove(self, name: str) -> None:
        """Delete an entry, with its contents if it is a folder; the link itself if it is one."""
        if stat.S_ISDIR(self.status(name).st_mode):
            shutil.rmtree(self.of(name), dir_fd=self.descriptor)
        else:
            os.unlink(self.of(name), dir_fd=self.descriptor)

    def read(self, name: str) -> bytes:
        """The content of a file; empty if somebody else may have written it, or it is not a file."""
        if not stat.S_ISREG(self.status(name).st_mode):
            return b""
        with open(self.open(name, os.O_RDONLY), "rb") as file:
            return b"" if fault_of(os.fstat(file.fileno())) else file.read()


@contextmanager
def opened(base: Path, names: tuple[str, ...], making: bool = True, variable: str = "") -> Iterator[Folder]:
    """Open and check the folder with these names below `base`.

    Args:
        base: the folder that holds ours.
        names: our folders, from there down.
        making: whether missing folders are created.
        variable: the environment variable by which the user may choose another base, if there is one.

    Raises:
        UnusableFolderError: it cannot be created, or does not exist.
        BackendError: it cannot be trusted.
    """
    with ExitStack() as stack:
        try:
            if making:
                _make(base)
            folder = _above(base, stack, variable)
            for name in names:
                if making:
                    _make_in(folder, name)
                folder = _ours(folder, name, stack)
        except OSError as error:
            path = base.joinpath(*names)
            raise UnusableFolderError(
                "the folder for compiled kernels, {path}, cannot be made: {fault}", path=path, fault=error.strerror
            ) from error
        yield folder


@contextmanager
def writing(folder: Folder) -> Iterator[None]:
    """Turn the system's errors in this block into ours.

    Raises:
        UnusableFolderError: the folder cannot be written to.
    """
    try:
        yield
    except OSError as error:
        raise UnusableFolderError(
            "the folder for compiled kernels, {path}, cannot be written to: {fault}",
            path=folder.path,
            fault=error.strerror,
        ) from error


def _make(base: Path) -> None:
    for folder in reversed([base, *base.parents]):
        if not folder.exists():
            with suppress(FileExistsError):
                folder.mkdir(PRIVATE)


def _make_in(folder: Folder, name: str) -> None:
    with suppress(FileExistsError):  # it existed, or another process was faster
        os.mkdir(folder.of(name), PRIVATE, dir_fd=folder.descriptor)
        os.chmod(folder.of(name), PRIVATE, dir_fd=folder.descriptor)  # regardless of the umask


def _distrust(path: Path, fault: str, remedy: str = Sentence("delete it, and it is made anew")) -> BackendError:
    return BackendError(
        "the folder for compiled kernels, {path}, {fault}: {remedy}", path=path, fault=fault, remedy=remedy
    )


if sys.platform == "win32":

    def _above(path: Path, stack: ExitStack, variable: str) -> Folder:
        return Folder(path, None)

    def _ours(folder: Folder, name: str, stack: ExitStack) -> Folder:
        path = folder.path / name
        status = path.lstat()
        if stat.S_ISLNK(status.st_mode) or status.st_reparse_tag == stat.IO_REPARSE_TAG_MOUNT_POINT:
            raise _distrust(path, Sentence("is a symbolic link"))
        if not stat.S_ISDIR(status.st_mode):
            raise _distrust(path, Sentence("is not a folder"))
        return Folder(path, None)

    def fault_of(status: os.stat_result) -> str | None:
        """What keeps a folder or a file of ours from being trusted."""
        return None

else:
    import grp
    import pwd

    def _above(path: Path, stack: ExitStack, variable: str) -> Folder:
        descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
        stack.callback(os.close, descriptor)
        status = os.fstat(descriptor)
        others = stat.S_IWOTH if _is_private(status.st_gid) else stat.S_IWOTH | stat.S_IWGRP
        remedy = Sentence("make it yours, writable for you alone")
        if variable:
            remedy = Sentence("make it yours, writable for you alone, or name another in {variable}", variable=variable)
        if status.st_uid not in (os.getuid(), 0):
            raise _distrust(path, Sentence("belongs to someone else"), remedy)
        if status.st_mode & others and not status.st_mode & stat.S_ISVTX:
            raise _distrust(path, Sentence("can be written to by others"), remedy)
        return Folder(path, descriptor)

    def _ours(folder: Folder, name: str, stack: ExitStack) -> Folder:
        path = folder.path / name
        try:
            descriptor = os.open(name, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW, dir_fd=folder.descriptor)
        except OSError as error:
            if error.errno not in (errno.ELOOP, errno.ENOTDIR):
                raise
            is_link = stat.S_ISLNK(folder.status(name).st_mode)
            raise _distrust(path, Sentence("is a symbolic link") if is_link else Sentence("is not a folder")) from error
        stack.callback(os.close, descriptor)
        status = os.fstat(descriptor)
        fault = fault_of(status)
        if fault:
            raise _distrust(path, fault)
        if stat.S_IMODE(status.st_mode) != PRIVATE:
            with suppress(OSError):  # a read-only disk
                os.fchmod(descriptor, PRIVATE)
        return Folder(path, descriptor)

    def fault_of(status: os.stat_result) -> str | None:
        """What keeps a folder or a file of ours from being trusted."""
        if status.st_uid != os.getuid():
            return Sentence("belongs to someone else")
        return Sentence("can be written to by others") if status.st_mode & (stat.S_IWOTH | stat.S_IWGRP) else None

    def _is_private(group: int) -> bool:
        """Whether a group holds just the user. Many systems create such a group with the user's name."""
        try:
            user, found = pwd.getpwuid(os.getuid()).pw_name, grp.getgrgid(group)
        except KeyError:
            return False
        return found.gr_name == user and not set(found.gr_mem) - {user}
