"""Toolpaths from files of any format that we read."""

from collections.abc import Callable
from pathlib import Path as FilePath

from ..compute.model import Path
from ..compute.runtime import InputError
from .path_csv import read_path_csv
from .places import readable

# From a file, the radius where it has none, and a memory limit; see `read_paths`.
READERS: dict[str, Callable[[FilePath, float | None, int | None], tuple[Path, ...]]]
READERS = {".csv": read_path_csv}
PATH_SUFFIXES = tuple(READERS)


def read_paths(file: FilePath, radius: float | None = None, memory_limit: int | None = None) -> tuple[Path, ...]:
    """The polylines of a toolpath, in the order of the file.

    Args:
        file: a regular file.
        radius: radius of all points if the file has none, in the file's length unit.
        memory_limit: bytes that reading may take; None is half of the free memory.

    Raises:
        NoRadiusError: neither the file nor the caller has a radius.
        InputError: the file cannot be read, has no suffix of `PATH_SUFFIXES`, is damaged, or takes too much memory.
    """
    reader = READERS.get(file.suffix.lower())
    if reader is None:
        raise InputError(
            "{file} is not a toolpath that we read: export it as {choices}",
            file=readable(file),
            choices=", ".join(PATH_SUFFIXES),
        )
    return reader(file, radius, memory_limit)
