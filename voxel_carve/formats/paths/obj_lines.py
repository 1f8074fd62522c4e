"""Toolpaths of Wavefront .obj: the lines (l) and points (p) of a file; its faces are left out, and this is noted."""

from array import array
from collections import Counter

import numpy as np

from ...compute.runtime import Sentence
from ..files import LONG_LINE, lines, quoted
from .toolpath import Line, Request, Toolpath, toolpath_of

# Measured: memory per byte of a long line while it is split, and at most per byte of the file for all numbers.
BYTES_PER_LINE_BYTE, BYTES_PER_BYTE = 48, 24
# What we leave out.
OTHERS = {b"f": "faces", b"curv": "curves (curv)", b"surf": "surfaces (surf)"}


def read_obj_lines(raw: bytes, request: Request) -> Toolpath:
    """The polylines of a file. Lines of which each begins where the one before ends are one, and points are balls.

    Coordinates are as they stand: y is not taken for up.

    Raises:
        NoRadiusError: no radius was given.
        InputError: it is damaged, or has no lines.
        TooLargeError: it takes too much memory.
    """
    request.needed_radius()
    if b"\0" in raw:
        raise request.error_at(1, 1, Sentence("it is not a text file"))
    request.room.check(BYTES_PER_BYTE * len(raw), "its lines")
    raw = raw.replace(b"\\\r\n", b" ").replace(b"\\\n", b" ").replace(b"\\\r", b" ")
    points, left_out = array("d"), Counter[str]()
    runs: list[tuple[str, bool, array[int]]] = []
    label = ""
    for number, line in lines(raw):
        kind = line[:64].split(None, 1)[:1]
        if not kind or kind[0] not in (b"v", b"l", b"p", b"o", b"g", *OTHERS):
            continue
        if len(line) > LONG_LINE:
            request.room.check(BYTES_PER_LINE_BYTE * len(line), f"the {len(line)} characters of its line {number}")
        fields = line.split()
        if kind[0] == b"v":
            points.extend(_numbers(fields, line, number, request))
        elif kind[0] in (b"o", b"g"):
            label = " ".join(line.decode("utf-8", "replace").split()[1:])
        elif kind[0] in OTHERS:
            left_out[OTHERS[kind[0]]] += 1
        else:
            _add(runs, label, kind[0] == b"l", _indices(fields, len(points) // 3, line, number, request))
            request.room.check(BYTES_PER_BYTE * len(raw) + 300 * len(runs), f"its {len(runs)} lines")
    table = np.asarray(points).reshape(-1, 3)
    found = []
    for name, joined, run in runs:
        cyclic = joined and len(run) > 3 and run[0] == run[-1]
        found.append(Line(table[np.asarray(run[:-1] if cyclic else run)], cyclic, name, joined))
    return toolpath_of(request, found, request.scale(None), request.left_out_note(left_out))


def _numbers(fields: list[bytes], line: bytes, number: int, request: Request) -> tuple[float, float, float]:
    if len(fields) < 4:
        raise request.error_at(number, len(line) + 1, Sentence("a point needs three numbers"))
    for place, field in enumerate(fields[1:4], 1):
        try:
            float(field)
        except ValueError:
            raise _error(
                fields, place, line, number, request, Sentence("'{text}' is not a number", text=quoted(field))
            ) from None
    return float(fields[1]), float(fields[2]), float(fields[3])


def _indices(fields: list[bytes], count: int, line: bytes, number: int, request: Request) -> "array[int]":
    """The points of a line, from 0. Negative numbers count back from the last point so far."""
    found = array("q")
    for place, field in enumerate(fields[1:], 1):
        try:
            index = int(field.partition(b"/")[0][:20])
        except ValueError:
            raise _error(
                fields, place, line, number, request, Sentence("'{text}' is not a number", text=quoted(field))
            ) from None
        index = index + count if index < 0 else index - 1
        if not 0 <= index < count:
            fault = Sentence("it refers to point {text}, and there are {count} so far", text=quoted(field), count=count)
            raise _error(fields, place, line, number, request, fault)
        found.append(index)
    if not found:
        raise request.error_at(number, len(line) + 1, Sentence("a line needs points"))
    return found


def _error(fields: list[bytes], place: int, line: bytes, number: int, request: Request, fault: str) -> Exception:
    """An error at a field of a line."""
    column = 0
    for field in fields[: place + 1]:
        column = line.index(field, column) + len(field)
    return request.error_at(number, column - len(fields[place]) + 1, fault)


def _add(runs: list[tuple[str, bool, "array[int]"]], label: str, joined: bool, points: "array[int]") -> None:
    """Append a line, or join it to the last."""
    if runs and runs[-1][:2] == (label, joined):
        last = runs[-1][2]
        if not joined:
            last.extend(points)
            return
        if last[-1] == points[0] and (last[0] != last[-1] or len(last) == 1):
            last.extend(points[1:])
            return
    runs.append((label, joined, points))
