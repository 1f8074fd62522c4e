"""The cache of compiled kernels. It is a `trusted_folder`, because its files will be executed.

It is `voxel_carve/kernels` in the user's cache folder, or a folder that was chosen. Each entry is one file that begins
with its checksum. Entries are replaced atomically, so they are read without a lock. An entry that does not match its
checksum is deleted. Warp reads its own files by path, and is protected by the folder's permissions alone.
"""

import errno
import hashlib
import logging
import os
import secrets
import sys
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from .errors import BackendError, UnusableFolderError
from .locks import has_locked
from .progress import progress_range
from .trusted_folder import Folder, opened, writing

logger = logging.getLogger(__name__)

SECONDS_BETWEEN_LOOKS = 0.1  # while another process compiles

# One for each of the processes that compile at the same time.
_LOCK_FILES = ("compile.lock", "compile-2.lock")
_CHECKSUM = hashlib.sha256
# The environment variable that names the user's cache folder, if one does on this system.
_VARIABLE = {"win32": "LOCALAPPDATA", "darwin": ""}.get(sys.platform, "XDG_CACHE_HOME")

_chosen: str | None = None


def set_cache_folder(folder: str | None) -> None:
    """Keep compiled kernels in `folder`, which is created on first use. None is the user's cache folder.

    This affects only kernels that have not been loaded yet.
    """
    global _chosen  # noqa: PLW0603 - one setting of the process, as Warp's own is
    _chosen = folder


def chosen_folder() -> str | None:
    """The last argument of `set_cache_folder`."""
    return _chosen


def cache_folder() -> Path:
    """The folder for compiled kernels, private to this user. It is created if it is missing.

    Raises:
        UnusableFolderError: it cannot be created.
        BackendError: it cannot be trusted. One of our folders is a symbolic link or not a folder, belongs to someone
            else, or others may write to it or replace it.
    """
    with _opened() as folder:
        return folder.path


def check_cache() -> None:
    """Write a file into the cache, and delete it again.

    Raises:
        BackendError: as `keep`.
    """
    name = f"new-{secrets.token_hex(8)}"
    with _opened() as folder, writing(folder):
        os.close(folder.open(name, os.O_WRONLY | os.O_CREAT | os.O_EXCL))
        folder.remove(name)


def cache_size() -> int:
    """Size of the cache in bytes.

    Raises:
        BackendError: as `cache_folder`.
    """
    size = 0
    for path, _, names in os.walk(cache_folder()):
        for name in names:
            with suppress(FileNotFoundError):  # another process has deleted or renamed it
                size += Path(path, name).lstat().st_size
    return size


def clear_cache() -> int:
    """Empty the cache, and return its size in bytes. Kernels are compiled again when they are next needed.

    Raises:
        BackendError: as `cache_folder`; a process is compiling; or a file cannot be deleted.
    """
    size = cache_size()
    with ExitStack() as stack:
        folder = stack.enter_context(_opened())
        for number in range(len(_LOCK_FILES)):
            lock = stack.enter_context(_lock_file(folder, number))
            if not _has_locked(lock):
                raise BackendError("kernels are being compiled: wait until they are ready, and clear them then")
        try:
            for name in folder.names():
                if name not in _LOCK_FILES:
                    folder.remove(name)
        except OSError as error:
            raise BackendError(
                "{filename} in {path} cannot be deleted: {fault}",
                filename=error.filename,
                path=folder.path,
                fault=error.strerror,
            ) from error
    return size


def kept_names() -> frozenset[str]:
    """The names of all entries. Whether an entry is intact is known only once `kept` has read it.

    Raises:
        BackendError: the folder exists and cannot be trusted.
    """
    try:
        with _opened(making=False) as folder:
            return frozenset(folder.names())
    except (OSError, UnusableFolderError):
        return frozenset()


def kept(name: str) -> bytes | None:
    """The content of the entry with this name; None if there is none. A damaged entry is deleted.

    Raises:
        BackendError: the folder exists and cannot be trusted.
    """
    try:
        with _opened(making=False) as folder:
            content = memoryview(folder.read(name))
    except (OSError, UnusableFolderError):
        return None
    length = _CHECKSUM().digest_size
    if len(content) > length and _CHECKSUM(content[length:]).digest() == content[:length]:
        return bytes(content[length:])
    throw_away(name, "damaged")
    return None


def throw_away(name: str, fault: str) -> None:
    """Delete an entry, and log why, such as "damaged"."""
    with suppress(UnusableFolderError, OSError), _opened(making=False) as folder:
        logger.warning("%s in %s is %s: it is thrown away, and made anew", name, folder.path, fault)
        folder.remove(name)  # on a read-only disk it stays, and is ignored again each time


def keep(name: str, body: bytes) -> None:
    """Store an entry, replacing an older one atomically: other processes read the old or the new one, whole.

    Raises:
        UnusableFolderError: the folder cannot be created or written to, or is full.
        BackendError: as `cache_folder`.
    """
    written = f"new-{secrets.token_hex(8)}"
    with _opened() as folder, writing(folder):
        try:
            with open(folder.open(written, os.O_WRONLY | os.O_CREAT | os.O_EXCL), "wb") as file:
                file.write(_CHECKSUM(body).digest() + body)
            folder.rename(written, name)
        except BaseException:
            with suppress(FileNotFoundError):
                folder.remove(written)
            raise


def open_log(name: str, anew: bool) -> BinaryIO:
    """A file of this name in the folder, open for writing at its end.

    Args:
        name: of the file.
        anew: whether to empty it first.

    Raises:
        BackendError: as `keep`.
    """
    with _opened() as folder, writing(folder):
        return open(_opened_in(folder, name, os.O_WRONLY | os.O_APPEND | (os.O_TRUNC if anew else 0)), "ab")


@contextmanager
def compiling_in(path: Path | None = None, number: int = 0) -> Iterator[None]:
    """Hold a lock of a folder, so that no two processes compile the same kernels. A job that waits can be cancelled.

    Args:
        path: the folder; None is ours.
        number: which of its two locks, for two processes that share the work.

    Raises:
        BackendError: as `keep`.
    """
    with ExitStack() as stack:
        folder = stack.enter_context(_opened()) if path is None else Folder(path, None)
        lock = stack.enter_context(_lock_file(folder, number))
        while not _has_locked(lock):
            with progress_range(0.0, 0.0, "Compile"):
                time.sleep(SECONDS_BETWEEN_LOOKS)
        yield


def _opened(making: bool = True) -> AbstractContextManager[Folder]:
    if _chosen is not None:
        chosen = Path(_chosen).absolute()
        return opened(chosen.parent, (chosen.name,), making)
    return opened(_default_base(), ("voxel_carve", "kernels"), making, _VARIABLE)


def _default_base() -> Path:
    """The user's cache folder. A relative path is ignored: it would depend on the working folder."""
    named = Path(os.environ.get(_VARIABLE, ""))
    if named.is_absolute():
        return named
    home = Path(os.path.expanduser("~"))
    if not home.is_absolute():
        raise UnusableFolderError("there is no folder for compiled kernels: HOME names no folder of the user's")
    return home.joinpath(
        *{"win32": ("AppData", "Local"), "darwin": ("Library", "Caches")}.get(sys.platform, (".cache",))
    )


def _opened_in(folder: Folder, name: str, flags: int) -> int:
    """A descriptor of a file, which is created if needed. Anything that we may not write to is replaced."""
    try:
        return folder.open(name, flags | os.O_CREAT)
    except OSError as error:
        if error.errno not in (errno.ELOOP, errno.EISDIR, errno.EACCES):
            raise
        with suppress(FileNotFoundError):
            folder.remove(name)
        return folder.open(name, flags | os.O_CREAT)


@contextmanager
def _lock_file(folder: Folder, number: int) -> Iterator[int]:
    with writing(folder):
        descriptor = _opened_in(folder, _LOCK_FILES[number], os.O_RDWR)
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def _has_locked(descriptor: int) -> bool:
    """As `has_locked`, but True without locks, as on some network drives. Two processes may then compile the same."""
    try:
        return has_locked(descriptor)
    except OSError:
        return True
