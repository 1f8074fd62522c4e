"""Where compiled kernels are kept between runs.

The folder holds native code that will be executed: it must be one that nobody else can write to.
"""

import os
import shutil
import stat
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from .errors import BackendError
from .progress import share

SECONDS_BETWEEN_LOOKS = 0.1  # while another process compiles

_LOCK_FILE = "compile.lock"

_chosen: Path | None = None


def set_cache_folder(folder: str | None) -> None:
    """Keep compiled kernels in `folder`, made when it is first needed; None is the user's cache folder.

    It holds for kernels that have not been asked for yet.
    """
    global _chosen  # noqa: PLW0603 - one setting of the process, as Warp's own is
    _chosen = None if folder is None else Path(folder)


def cache_folder() -> Path:
    """The folder for compiled kernels, made if need be, private to this user.

    Raises:
        BackendError: it cannot be made, is a symbolic link or no folder, belongs to someone else, or others may write
            to it.
    """
    folder = _chosen or _default_folder()
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        if not os.path.lexists(folder):
            folder.mkdir(mode=0o700)
        status = folder.lstat()
    except OSError as error:
        raise BackendError(f"the folder for compiled kernels, {folder}, cannot be made: {error.strerror}") from error
    fault = _fault(status)
    if fault:
        raise BackendError(f"the folder for compiled kernels, {folder}, {fault}: delete it, and it is made anew")
    if sys.platform != "win32" and stat.S_IMODE(status.st_mode) != 0o700:
        folder.chmod(0o700)
    return folder


def cache_size() -> int:
    """Bytes of what the folder holds.

    Raises:
        BackendError: as `cache_folder`.
    """
    files = (Path(path, name) for path, _, names in os.walk(cache_folder()) for name in names)
    return sum(file.lstat().st_size for file in files if os.path.lexists(file))


def clear_cache() -> int:
    """Delete all that the folder holds: kernels are compiled anew when they are next needed. Returns its bytes.

    Raises:
        BackendError: as `cache_folder`; some process is compiling; or something cannot be deleted.
    """
    folder, size = cache_folder(), cache_size()
    with (folder / _LOCK_FILE).open("ab") as file:
        if not _has_locked(file.fileno()):
            raise BackendError("kernels are being compiled: wait until they are ready, and clear them then")
        try:
            for entry in folder.iterdir():
                if entry.is_dir() and not entry.is_symlink():
                    shutil.rmtree(entry)
                elif entry.name != _LOCK_FILE:
                    entry.unlink()
        except OSError as error:
            raise BackendError(f"{error.filename} cannot be deleted: {error.strerror}") from error
        finally:
            _unlock(file.fileno())
    return size


def _default_folder() -> Path:
    if sys.platform == "win32":
        base = Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local")
    elif sys.platform == "darwin":
        base = Path.home() / "Library" / "Caches"
    else:
        base = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return base / "voxel_carve" / "kernels"


def _fault(status: os.stat_result) -> str | None:
    """What keeps a folder from being trusted."""
    if stat.S_ISLNK(status.st_mode):
        return "is a symbolic link"
    if not stat.S_ISDIR(status.st_mode):
        return "is not a folder"
    # On Windows the profile's own rights keep others out.
    if sys.platform != "win32":
        if status.st_uid != os.getuid():
            return "belongs to someone else"
        if status.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
            return "can be written to by others"
    return None


@contextmanager
def compiling_in(folder: Path) -> Iterator[None]:
    """Hold the folder's lock: processes that compile the same kernels at once get in each other's way.

    A job that waits for it can be stopped.
    """
    with (folder / _LOCK_FILE).open("ab") as file:
        while not _has_locked(file.fileno()):
            with share(0.0, 0.0, "Compile"):
                time.sleep(SECONDS_BETWEEN_LOOKS)
        try:
            yield
        finally:
            _unlock(file.fileno())


if sys.platform == "win32":
    import msvcrt

    def _has_locked(descriptor: int) -> bool:
        os.lseek(descriptor, 0, os.SEEK_SET)
        try:
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        except PermissionError:  # another process holds it
            return False
        return True

    def _unlock(descriptor: int) -> None:
        os.lseek(descriptor, 0, os.SEEK_SET)
        msvcrt.locking(descriptor, msvcrt.LK_UNLCK, 1)

else:
    import fcntl

    def _has_locked(descriptor: int) -> bool:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:  # another process holds it
            return False
        return True

    def _unlock(descriptor: int) -> None:
        fcntl.flock(descriptor, fcntl.LOCK_UN)
