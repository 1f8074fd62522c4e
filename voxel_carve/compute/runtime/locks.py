"""Locks on open files. The system releases them when the file is closed or the process ends, however it ends."""

import os
import sys

if sys.platform == "win32":
    import msvcrt

    def _lock(descriptor: int) -> None:
        os.lseek(descriptor, 0, os.SEEK_SET)
        msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)

else:
    import fcntl

    def _lock(descriptor: int) -> None:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)


def has_locked(descriptor: int) -> bool:
    """Whether an open file is locked now, for this descriptor alone; at once, and False where another holds it.

    Raises:
        OSError: the file system knows no locks.
    """
    try:
        _lock(descriptor)
    except (BlockingIOError, PermissionError):  # another holds it; the latter on Windows
        return False
    return True
