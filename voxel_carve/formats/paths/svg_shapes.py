"""The shapes of SVG (W3C, SVG 2, chapter 10) as curves, and the lengths in their attributes."""

import math
import re
from collections.abc import Callable, Iterator, Mapping

from .curves import Arc, Curve, Piece
from .svg_path_data import NUMBER, PathDataError, curves_of

# Pixels in each unit: 90 in an inch, as Blender has it.
PIXELS = {
    "": 1.0, "px": 1.0, "in": 90.0, "mm": 90 / 25.4, "cm": 90 / 2.54, "pt": 90 / 72, "pc": 90 / 6, "Q": 90 / 101.6,
}  # fmt: skip
_LENGTH = re.compile(rf"\s*({NUMBER.pattern})\s*([A-Za-z]*|%)\s*", re.ASCII)

Attributes = Mapping[str, str]


def length(text: str, name: str, whole: float) -> float:
    """A length in pixels.

    Args:
        text: of an attribute.
        name: its name, for messages.
        whole: what 100 % are.

    Raises:
        PathDataError: it is no length of a unit that we know.
    """
    match = _LENGTH.fullmatch(text)
    if match and match[2] == "%":
        return float(match[1]) / 100 * whole
    if match is None or match[2] not in PIXELS:
        raise PathDataError(1, text[:20] or " ", name)
    return float(match[1]) * PIXELS[match[2]]


def _path(attributes: Attributes, _size: complex) -> Iterator[Curve]:
    yield from curves_of(attributes.get("d", ""))


def _rect(attributes: Attributes, size: complex) -> Iterator[Curve]:
    x, y, width, height = _lengths(attributes, size, "x", "y", "width", "height")
    if width <= 0 or height <= 0:
        return
    rx, ry = (attributes.get(name, "auto").strip() for name in ("rx", "ry"))
    rx, ry = (ry if rx == "auto" else rx, rx if ry == "auto" else ry)
    across = min(length(rx, "rx", size.real), width / 2) if rx != "auto" else 0.0
    along = min(length(ry, "ry", size.imag), height / 2) if ry != "auto" else 0.0
    right, bottom = x + width, y + height
    if across <= 0 or along <= 0:
        yield Curve(complex(x, y), [(complex(right, y),), (complex(right, bottom),), (complex(x, bottom),)], True)
        return
    pieces: list[Piece] = []
    # The corners, each with the first quarter of its arc and the side before it.
    for corner, start, side in (
        (complex(right - across, y + along), -math.pi / 2, complex(right - across, y)),
        (complex(right - across, bottom - along), 0.0, complex(right, bottom - along)),
        (complex(x + across, bottom - along), math.pi / 2, complex(x + across, bottom)),
        (complex(x + across, y + along), math.pi, complex(x, y + along)),
    ):
        pieces += [(side,), Arc(corner, across, along * 1j, start, math.pi / 2)]
    yield Curve(complex(x + across, y), pieces, True)


def _circle(attributes: Attributes, size: complex) -> Iterator[Curve]:
    x, y = _lengths(attributes, size, "cx", "cy")
    # A percentage of the radius is one of the diagonal's length over the root of 2.
    radius = length(attributes.get("r", "0"), "r", abs(size) / math.sqrt(2))
    yield from _whole_ellipse(complex(x, y), radius, radius)


def _ellipse(attributes: Attributes, size: complex) -> Iterator[Curve]:
    x, y, rx, ry = _lengths(attributes, size, "cx", "cy", "rx", "ry")
    yield from _whole_ellipse(complex(x, y), rx, ry)


def _whole_ellipse(centre: complex, rx: float, ry: float) -> Iterator[Curve]:
    if rx > 0 and ry > 0:
        yield Curve(centre + rx, [Arc(centre, rx, ry * 1j, 0.0, 2 * math.pi)], True)


def _line(attributes: Attributes, size: complex) -> Iterator[Curve]:
    x1, y1, x2, y2 = _lengths(attributes, size, "x1", "y1", "x2", "y2")
    yield Curve(complex(x1, y1), [(complex(x2, y2),)])


def _polyline(attributes: Attributes, _size: complex) -> Iterator[Curve]:
    yield from _points(attributes, False)


def _polygon(attributes: Attributes, _size: complex) -> Iterator[Curve]:
    yield from _points(attributes, True)


def _points(attributes: Attributes, closed: bool) -> Iterator[Curve]:
    text = attributes.get("points", "")
    at, numbers = 0, []
    for match in NUMBER.finditer(text):
        gap = text[at : match.start()]
        if gap.strip(", \t\r\n\f"):
            break
        numbers.append(float(match[0]))
        at = match.end()
    rest = text[at:].lstrip(", \t\r\n\f")
    if rest:
        raise PathDataError(len(text) - len(rest) + 1, rest[:20], "points")
    if len(numbers) % 2:
        raise PathDataError(len(text) + 1, "", "points")
    if numbers:
        first, *others = (complex(*pair) for pair in zip(numbers[::2], numbers[1::2], strict=True))
        yield Curve(first, [(point,) for point in others], closed)


def _lengths(attributes: Attributes, size: complex, *names: str) -> list[float]:
    wholes = (size.imag if "y" in name or name == "height" else size.real for name in names)
    return [length(attributes.get(name, "0"), name, whole) for name, whole in zip(names, wholes, strict=True)]


SHAPES: dict[str, Callable[[Attributes, complex], Iterator[Curve]]] = {
    "path": _path,
    "rect": _rect,
    "circle": _circle,
    "ellipse": _ellipse,
    "line": _line,
    "polyline": _polyline,
    "polygon": _polygon,
}
