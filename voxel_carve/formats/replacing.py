"""Output files that are either whole or not there."""

import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ..compute.errors import InputError


def check_output(path: Path, overwrite: bool = False) -> None:
    """See before the work begins whether `path` can be written.

    Raises:
        InputError: it exists and `overwrite` is not set, it is a folder, or its folder is missing or not writable.
    """
    if path.is_dir():
        raise InputError(f"{path} is a folder: name a file")
    if path.exists() and not overwrite:
        raise InputError(f"{path} exists already: choose another name, or allow it with --overwrite")
    if not path.parent.is_dir():
        raise InputError(f"{path}: there is no folder {path.parent}: make it first")
    probe = _beside(path)
    try:
        probe.touch(exist_ok=False)
        probe.unlink()
    except OSError as error:
        raise InputError(f"{path} cannot be written ({error.strerror}): choose another folder") from error


@contextmanager
def replacing(path: Path, overwrite: bool = False) -> Iterator[Path]:
    """A new name beside `path`, to be written in the `with` block; it takes the place of `path` at the end.

    A block that raises leaves `path` as it was and nothing beside it.

    Raises:
        InputError: `path` cannot be written (see `check_output`), or the disk refuses.
    """
    check_output(path, overwrite)
    target = path.resolve()
    beside = _beside(target)
    try:
        yield beside
        with open(beside, "rb+") as written:
            os.fsync(written.fileno())
        os.replace(beside, target)
    except OSError as error:
        raise InputError(f"{path} could not be written ({error.strerror or error}): nothing was changed") from error
    finally:
        beside.unlink(missing_ok=True)


def _beside(path: Path) -> Path:
    # The suffix stays: Blender saves nothing else than a .blend.
    return path.with_name(f".{secrets.token_hex(8)}{path.suffix}")
