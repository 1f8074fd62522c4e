"""What a path leads to, the bytes of a file, and its replacement by another."""

from .encoding import as_utf8, is_marked, windows_as_utf8
from .places import as_path, as_text, check_input, identity, is_file, readable
from .reading import LONG_LINE, QUOTED, Room, TooLargeError, has_long_line, lines, quoted, read_bytes, within_memory
from .replacing import check_output, replacing

__all__ = [
    "LONG_LINE",
    "QUOTED",
    "Room",
    "TooLargeError",
    "as_path",
    "as_text",
    "as_utf8",
    "check_input",
    "check_output",
    "has_long_line",
    "identity",
    "is_file",
    "is_marked",
    "lines",
    "quoted",
    "read_bytes",
    "readable",
    "replacing",
    "windows_as_utf8",
    "within_memory",
]
