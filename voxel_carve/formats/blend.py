"""Whether a .blend is complete, found without Blender, which accepts a truncated file.

The layout follows Blender's own sources: doc/blender_file_format, BLO_core_file_reader.hh and blo_core_bhead.hh.
Compressed files follow the "Zstandard Seekable Format" of the zstd project.
"""

import os
import re
import struct
from pathlib import Path
from typing import BinaryIO

PLAIN, _ZSTD, _GZIP = b"BLENDER", b"\x28\xb5\x2f\xfd", b"\x1f\x8b"
# The header of a file: pointer size (4 or 8 bytes), byte order and version; since Blender 5 also the header's length.
_OLD_START = re.compile(rb"BLENDER([_-])([vV])[0-9]{3}")
_NEW_START = re.compile(rb"BLENDER17-01v[0-9]{4}")
_TABLE_END = struct.Struct("<IBI")  # number of frames, flags, a mark
_TABLE_MARK = 0x8F92EAB1
_CHECKSUMS = 0x80
_TABLE_HEAD = 8


def is_whole(file: Path) -> bool | None:
    """Whether a .blend ends where it should; None if that cannot be determined.

    Raises:
        ValueError: the file is not a .blend.
        OSError: the file cannot be read.
    """
    with open(file, "rb") as blend:
        size = os.fstat(blend.fileno()).st_size
        start = blend.read(17)
        if start.startswith(PLAIN):
            return _ends_with_its_last_block(blend, start, size)
        if start.startswith(_ZSTD):
            return _has_all_frames(blend, size)
        if start.startswith(_GZIP):
            return None
    raise ValueError("it does not begin like one")


def _ends_with_its_last_block(blend: BinaryIO, start: bytes, size: int) -> bool | None:
    """Walk from block to block: each starts with its name and its length."""
    if _NEW_START.fullmatch(start):
        head, place = struct.Struct("<4sIQqq"), 17
    elif old := _OLD_START.match(start):
        head = struct.Struct(f"{'<' if old[2] == b'v' else '>'}4sI{'Q' if old[1] == b'-' else 'I'}II")
        place = 12
    else:  # of a Blender that is still to come
        return None
    length_at = 3 if place == 17 else 1
    while place + head.size <= size:
        blend.seek(place)
        block = head.unpack(blend.read(head.size))
        if block[0] == b"ENDB":
            return True
        if block[length_at] < 0:
            return False
        place += head.size + int(block[length_at])
    return False


def _has_all_frames(blend: BinaryIO, size: int) -> bool | None:
    """Check the frames against the table at the end, which has their sizes. Other programs write no table."""
    blend.seek(max(size - _TABLE_END.size, 0))
    end = blend.read()
    if len(end) < _TABLE_END.size:
        return None
    count, flags, mark = _TABLE_END.unpack(end)
    if mark != _TABLE_MARK:
        return None
    entry = struct.Struct("<III" if flags & _CHECKSUMS else "<II")
    table = count * entry.size
    if _TABLE_HEAD + table + _TABLE_END.size > size:
        return False
    blend.seek(size - _TABLE_END.size - table)
    frames = sum(one[0] for one in entry.iter_unpack(blend.read(table)))
    return bool(frames + _TABLE_HEAD + table + _TABLE_END.size == size)
