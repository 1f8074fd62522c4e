"""The path data of SVG (W3C, SVG 2, chapter 9): commands and numbers to curves."""

import cmath
import math
import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from .curves import Arc, Curve, Piece

NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?", re.ASCII)
_GAP = re.compile(r"[\s,]*", re.ASCII)
# How many numbers each command takes.
_TAKES = {"m": 2, "l": 2, "h": 1, "v": 1, "c": 6, "s": 4, "q": 4, "t": 2, "a": 7, "z": 0}


class PathDataError(ValueError):
    """What stands at a character, from 1, of the attribute `what` may not stand there; no `text` if it ends there."""

    def __init__(self, character: int, text: str, what: str = "d") -> None:
        super().__init__(character, text, what)
        self.character = character
        self.text = text
        self.what = what


@dataclass
class _Pen:
    """Where the drawing is, and the curve that is being drawn.

    Attributes:
        at: the current point.
        start: the first point of the curve.
        handle: the last control point, for the smooth commands; None after other commands.
        pieces: of the curve.
    """

    at: complex = 0j
    start: complex = 0j
    handle: complex | None = None
    pieces: list[Piece] = field(default_factory=list)


def curves_of(data: str) -> Iterator[Curve]:
    """The curves of path data. A move that draws nothing is none.

    Raises:
        PathDataError: the data is damaged.
    """
    pen, last = _Pen(), ""
    for command, numbers in _commands(data):
        kind = command.lower()
        if kind in "mz":
            if pen.pieces:
                yield Curve(pen.start, pen.pieces, kind == "z")
            pen.pieces = []
            if kind == "m":
                pen.start = complex(*numbers) + (pen.at if command == "m" else 0)
            pen.at, pen.handle = pen.start, None
        else:
            # After a closed curve, the next one begins at the same point.
            if not pen.pieces:
                pen.start = pen.at
            _draw(pen, kind, numbers, pen.at if command.islower() else 0j, last)
        last = kind
    if pen.pieces:
        yield Curve(pen.start, pen.pieces)


def _commands(data: str) -> Iterator[tuple[str, list[float]]]:
    """Each command with its numbers. A command goes on with the next numbers; after a move, they are lines."""
    at = _skip(data, 0)
    command = ""
    while at < len(data):
        if data[at].lower() in _TAKES:
            command = data[at]
            at = _skip(data, at + 1)
        elif not command or command in "zZ":
            raise PathDataError(at + 1, data[at : at + 20])
        numbers: list[float] = []
        for place in range(_TAKES[command.lower()]):
            number, at = _flag(data, at) if command in "aA" and place in (3, 4) else _number(data, at)
            numbers.append(number)
        yield command, numbers
        command = {"m": "l", "M": "L"}.get(command, command)


def _skip(data: str, at: int) -> int:
    match = _GAP.match(data, at)
    return match.end() if match else at


def _number(data: str, at: int) -> tuple[float, int]:
    match = NUMBER.match(data, at)
    if match is None:
        raise PathDataError(at + 1, data[at : at + 20])
    return float(match[0]), _skip(data, match.end())


def _flag(data: str, at: int) -> tuple[float, int]:
    """A 0 or 1, after which the next number may stand without a gap."""
    if data[at : at + 1] not in ("0", "1"):
        raise PathDataError(at + 1, data[at : at + 20])
    return float(data[at]), _skip(data, at + 1)


def _draw(pen: _Pen, kind: str, numbers: list[float], origin: complex, last: str) -> None:
    """Draw a piece from where the pen is. Numbers count from `origin`."""
    if kind in "hv":
        end = (
            complex(numbers[0] + origin.real, pen.at.imag)
            if kind == "h"
            else complex(pen.at.real, numbers[0] + origin.imag)
        )
        pen.pieces.append((end,))
        pen.at, pen.handle = end, None
        return
    if kind == "a":
        end = complex(numbers[5], numbers[6]) + origin
        pen.pieces.append(_arc(pen.at, end, numbers))
        pen.at, pen.handle = end, None
        return
    points = [complex(x, y) + origin for x, y in zip(numbers[::2], numbers[1::2], strict=True)]
    if kind in "st":
        goes_on = last in ("cs" if kind == "s" else "qt") and pen.handle is not None
        points.insert(0, 2 * pen.at - pen.handle if goes_on and pen.handle is not None else pen.at)
    pen.pieces.append(tuple(points))
    pen.handle = points[-2] if len(points) > 1 else None
    pen.at = points[-1]


def _arc(start: complex, end: complex, numbers: list[float]) -> Piece:
    """An elliptical arc between two points, by its radii, its rotation in degrees and its two flags
    (W3C, SVG 2, appendix B.2.4)."""
    rx, ry = abs(numbers[0]), abs(numbers[1])
    if rx == 0 or ry == 0 or start == end:
        return (end,)
    turn = cmath.rect(1, math.radians(numbers[2]))
    # Half the chord, in the plane where the ellipse is the unit circle.
    chord = (start - end) / 2 / turn
    half = complex(chord.real / rx, chord.imag / ry)
    length = abs(half)
    if length > 1:  # radii that are too short are made longer
        rx, ry, half, length = rx * length, ry * length, half / length, 1.0
    across = math.sqrt(max(1 - length**2, 0.0)) / length
    middle = half * complex(0, -across if numbers[3] != numbers[4] else across)
    first, second = half - middle, -half - middle
    sweep = cmath.phase(second / first)
    if numbers[4] and sweep < 0:
        sweep += 2 * math.pi
    elif not numbers[4] and sweep > 0:
        sweep -= 2 * math.pi
    centre = (start + end) / 2 + complex(middle.real * rx, middle.imag * ry) * turn
    return Arc(centre, rx * turn, 1j * ry * turn, cmath.phase(first), sweep)
