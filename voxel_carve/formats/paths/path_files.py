"""Toolpaths from files of any format that we read."""

from collections.abc import Callable
from pathlib import Path as FilePath

from ...compute.runtime import InputError
from ..files import TooLargeError, as_path, read_bytes, readable, within_memory
from .dxf import read_dxf
from .gpx import read_gpx
from .npy import read_npy, read_npz
from .obj_lines import read_obj_lines
from .svg import read_svg
from .table import read_table
from .toolpath import Request, Toolpath
from .units import meters_of

READERS: dict[str, Callable[[bytes, Request], Toolpath]] = {
    ".csv": read_table,
    ".txt": read_table,
    ".xyz": read_table,
    ".npy": read_npy,
    ".npz": read_npz,
    ".obj": read_obj_lines,
    ".svg": read_svg,
    ".dxf": read_dxf,
    ".gpx": read_gpx,
}
PATH_SUFFIXES = tuple(READERS)


@within_memory
def read_paths(
    file: FilePath | str,
    radius: float | None = None,
    memory_limit: int | None = None,
    unit: float | str = 1.0,
    file_unit: float | str | None = None,
) -> Toolpath:
    """The polylines of a toolpath, in the order of the file.

    A polyline of one point is a ball. Curves become polylines that are off by at most a ten-thousandth of the longest
    side of the drawing.

    Args:
        file: a regular file.
        radius: radius of all points if the file has none, in the unit of the result.
        memory_limit: bytes that reading may take; None is half of the free memory.
        unit: the unit of the result, as its name, such as "mm", or as its meters: what a file says of its own unit is
            converted to it.
        file_unit: likewise that of the numbers in a file that does not say its unit; None takes them as they are.

    Raises:
        NoRadiusError: neither the file nor the caller has a radius.
        InputError: there is no such unit; the file cannot be read, has no suffix of `PATH_SUFFIXES`, is damaged,
            takes too much memory, or needs a library that is not installed; the message names the file
            and, where it has them, line and column.
    """
    file = as_path(file)
    reader = READERS.get(file.suffix.lower())
    if reader is None:
        raise InputError(
            "{file} is not a toolpath that we read: export it as {choices}",
            file=readable(file),
            choices=", ".join(PATH_SUFFIXES),
        )
    meters = meters_of(unit, "unit")
    of_file = meters if file_unit is None else meters_of(file_unit, "file_unit")
    raw, room = read_bytes(file, memory_limit)
    try:
        return reader(raw, Request(file, radius, meters, of_file, room))
    except TooLargeError as error:
        raise InputError("{file} is too large: {error}", file=file, error=error) from None
