"""Locks on open files. The system releases them when the process ends, however it ends."""

import os
import sys

if sys.platform == "win32":
    import msvcrt

    def has_locked(descriptor: int) -> bool:
        """Whether an open file is locked now, for this descriptor alone; at once, and False where another holds it.

        Raises:
            OSError: the file system knows no locks.
        """
        os.lseek(descriptor, 0, os.SEEK_SET)
        try:
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        except PermissionError:  # another process holds it
            return False
        return True

    def unlock(descriptor: int) -> None:
        """Undo `has_locked`."""
        os.lseek(descriptor, 0, os.SEEK_SET)
        msvcrt.locking(descriptor, msvcrt.LK_UNLCK, 1)

else:
    import fcntl

    def has_locked(descriptor: int) -> bool:
        """Whether an open file is locked now, for this descriptor alone; at once, and False where another holds it.

        Raises:
            OSError: the file system knows no locks.
        """
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:  # another process holds it
            return False
        return True

    def unlock(descriptor: int) -> None:
        """Undo `has_locked`."""
        fcntl.flock(descriptor, fcntl.LOCK_UN)
