"""Toolpaths of SVG drawings (.svg): the outlines of paths and shapes, where Blender's own import of SVG puts them.

The y axis points up, and the lower left corner of the viewBox is the origin. A pixel is 1/90 inch, as in Blender; mm,
cm, in, pt and pc have their own lengths. Fills, strokes, clips, texts and style sheets are not read. What the drawing
hides is left out.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from math import cos, isfinite, radians, sin, tan
from typing import Any

import numpy as np

from ...compute.model import LARGEST_COORDINATE
from ...compute.runtime import Sentence
from ..files import LONG_LINE
from .curves import TOLERANCE, Affine, Curve, longest_side, polyline
from .svg_path_data import NUMBER, PathDataError
from .svg_shapes import SHAPES, length
from .toolpath import OUT_OF_RANGE, Line, Request, Toolpath, toolpath_of
from .units import Unit
from .xml_tree import Element, read_xml

PIXEL = Unit("px", 0.0254 / 90)
GROUPS = ("svg", "g", "a", "switch")
# What draws nothing, or only where it is used.
SILENT = {
    "defs", "symbol", "clipPath", "mask", "marker", "pattern", "linearGradient", "radialGradient", "filter", "style",
    "script", "metadata", "title", "desc", "view", "cursor",
}  # fmt: skip
# Elements that use others could draw more without end.
MOST_USED = 100_000
# Measured: memory per byte of the file for its elements, of a piece of a curve, and of a point of its polyline.
BYTES_PER_BYTE, BYTES_PER_PIECE, BYTES_PER_POINT = 32, 300, 100

_TRANSFORM = re.compile(r"[\s,]*([A-Za-z]+)\s*\(([^()]*)\)[\s,]*")


@dataclass(frozen=True)
class _Visit:
    """An element to draw.

    Attributes:
        element: it.
        place: where.
        size: of the viewBox around it.
        users: the ids of the elements that use it.
        is_displayed: whether it is part of the drawing, as all elements around it are.
        is_visible: whether it is seen then. Elements in it may say otherwise.
    """

    element: Element
    place: Affine
    size: complex
    users: frozenset[str] = frozenset()
    is_displayed: bool = True
    is_visible: bool = True

    def of(self, element: Element, **changes: Any) -> "_Visit":
        """The visit of an element in it, or of one that it uses."""
        return replace(self, element=element, **changes)


def read_svg(raw: bytes, request: Request) -> Toolpath:
    """The polylines of a drawing; a note says what else it has.

    Raises:
        NoRadiusError: no radius was given.
        InputError: it is damaged, or draws nothing.
        TooLargeError: it takes too much memory.
    """
    request.needed_radius()
    root = read_xml(raw, request, "svg")
    left_out, hidden = Counter[str](), Counter[str]()
    curves: list[Curve] = []
    pieces, tree = 0, BYTES_PER_BYTE * len(raw)
    inside = _inner(_shown(_Visit(root, Affine(0, 1), 0j)), request, is_root=True)
    scale = abs(inside.place.mirror)
    for curve in _drawn(root, inside, request, left_out, hidden):
        curves.append(curve)
        pieces += len(curve.pieces) + 1
        request.room.check(tree + BYTES_PER_PIECE * pieces, f"its first {pieces} pieces of curves")
    tolerance = TOLERANCE * longest_side(curves)
    lines: list[Line] = []
    points = 0
    for curve in curves:
        found = polyline(curve, tolerance or 1.0)
        lines.append(Line(np.column_stack([found.real, found.imag]), curve.closed, curve.label))
        points += len(found)
        request.room.check(tree + BYTES_PER_PIECE * pieces + BYTES_PER_POINT * points, f"its first {points} points")
    unit = Sentence("{file}: a unit of the drawing is {length:g} m", file=request.file, length=scale * PIXEL.meters)
    notes = (unit, *request.left_out_note(left_out), *request.hidden_note(hidden, bool(lines)))
    return toolpath_of(request, lines, request.scale(PIXEL), notes)


def _drawn(
    root: Element, inside: _Visit, request: Request, left_out: "Counter[str]", hidden: "Counter[str]"
) -> Iterator[Curve]:
    """The curves of a drawing in pixels, y up, in the order of the file; `inside` is the inside of its root. What is no
    path, and which paths are hidden, is counted."""
    by_id = {each.attributes["id"]: each for each in root.all() if "id" in each.attributes}
    waiting = list(reversed(_children(inside)))
    used = 0
    while waiting:
        visit = waiting.pop()
        used += bool(visit.users)
        if used > MOST_USED:
            fault = Sentence("elements use each other more than {most} times", most=MOST_USED)
            raise request.error_at(visit.element.line, visit.element.column, fault)
        name = _name(visit.element)
        if name in SILENT or ":" in name:
            continue
        visit = _shown(_transformed(visit, request))
        is_shown = visit.is_displayed and visit.is_visible
        if name in GROUPS:
            waiting.extend(reversed(_children(_inner(visit, request) if name == "svg" else visit)))
        elif name == "use":
            waiting.extend(reversed(_used(visit, by_id, request)))
        elif not is_shown:
            hidden.update([name] if name in SHAPES else ())
        elif name in SHAPES:
            yield from _shape(name, visit, request)
        else:
            left_out[name] += 1


def _shown(visit: _Visit) -> _Visit:
    """The visit with what its element says of being shown, in its style or beside it."""
    said = {name: visit.element.attributes.get(name, "") for name in ("display", "visibility")}
    for declaration in visit.element.attributes.get("style", "").split(";"):
        name, _, value = declaration.partition(":")
        if name.strip() in said:
            said[name.strip()] = value.partition("!")[0]
    seen = said["visibility"].strip()
    return replace(
        visit,
        is_displayed=visit.is_displayed and said["display"].strip() != "none",
        is_visible=visit.is_visible if seen in ("", "inherit") else seen not in ("hidden", "collapse"),
    )


def _name(element: Element) -> str:
    return element.name.removeprefix("svg:")


def _children(visit: _Visit) -> list[_Visit]:
    return [visit.of(each) for each in visit.element.children]


def _shape(name: str, visit: _Visit, request: Request) -> Iterator[Curve]:
    element = visit.element
    for text in (element.attributes.get(each, "") for each in ("d", "points")):
        if len(text) > LONG_LINE:
            count = sum(1 for _ in NUMBER.finditer(text))
            request.room.check(BYTES_PER_PIECE * count, f"the {count} numbers of a path")
    try:
        for curve in SHAPES[name](element.attributes, visit.size):
            placed = curve.placed(visit.place, element.attributes.get("id", ""))
            if not placed.is_within(LARGEST_COORDINATE / PIXEL.meters):
                raise request.error_at(element.line, element.column, OUT_OF_RANGE)
            yield placed
    except PathDataError as error:
        if error.text:
            fault = Sentence(
                "character {character} of its {what} is '{text}', which may not stand there",
                character=error.character,
                what=error.what,
                text=error.text,
            )
        else:
            fault = Sentence("its {what} is cut short", what=error.what)
        raise request.error_at(
            element.line, element.column, Sentence("<{name}>: {fault}", name=name, fault=fault)
        ) from None
    except ArithmeticError:
        raise request.error_at(element.line, element.column, OUT_OF_RANGE) from None


def _used(visit: _Visit, by_id: dict[str, Element], request: Request) -> list[_Visit]:
    """The element that a <use> shows, if it is in the file."""
    attributes = visit.element.attributes
    name = attributes.get("href", attributes.get("xlink:href", "")).strip().removeprefix("#")
    found = by_id.get(name)
    if found is None:
        return []
    if name in visit.users:
        fault = Sentence("<use> shows '{name}', which it is in itself", name=name[:60])
        raise request.error_at(visit.element.line, visit.element.column, fault)
    x, y = (_length(visit, each, "0", request) for each in "xy")
    place = visit.place.after(Affine(shift=complex(x, y)))
    inner = visit.of(found, place=place, users=visit.users | {name})
    if _name(found) != "symbol":
        return [inner]
    return _children(_inner(inner, request, visit.element))


def _inner(visit: _Visit, request: Request, user: Element | None = None, is_root: bool = False) -> _Visit:
    """The inside of an <svg> or <symbol>, whose viewBox is fitted into its width and height, or those of its user.

    In the plane of the outermost, y points up and the lower left corner is the origin.
    """
    sized = visit.of(user or visit.element)
    width, height = (_length(sized, each, "0", request) for each in ("width", "height"))
    x, y = (0.0, 0.0) if is_root or user else (_length(sized, each, "0", request) for each in "xy")
    box = _numbers(visit, "viewBox", request)
    if len(box) != 4 or box[2] <= 0 or box[3] <= 0:
        size = complex(width, height) or visit.size
        return replace(visit, place=visit.place.after(Affine(shift=complex(x, y))), size=size)
    if is_root and (width > 0) != (height > 0):  # the other follows the sides of the viewBox
        scale = width / box[2] if width > 0 else height / box[3]
        width, height = box[2] * scale, box[3] * scale
    scale = min(width / box[2], height / box[3]) if width > 0 and height > 0 else 1.0
    margin = complex(width - box[2] * scale, height - box[3] * scale) / 2 if width > 0 and height > 0 else 0j
    corner = complex(box[0], box[1] + (box[3] if is_root else 0.0))
    fitted = Affine(turn=scale, shift=complex(x, y) + margin - corner * scale)
    return replace(visit, place=visit.place.after(fitted), size=complex(box[2], box[3]))


def _length(visit: _Visit, name: str, default: str, request: Request) -> float:
    """A length among the attributes, in pixels."""
    whole = visit.size.real if name in ("x", "width") else visit.size.imag
    try:
        return length(visit.element.attributes.get(name, default), name, whole)
    except PathDataError as error:
        fault = Sentence("its {what} is '{text}', which cannot be read", what=name, text=error.text)
        raise request.error_at(visit.element.line, visit.element.column, fault) from None


def _numbers(visit: _Visit, name: str, request: Request) -> list[float]:
    text = visit.element.attributes.get(name, "")
    if re.sub(r"[\s,]", "", NUMBER.sub("", text)):
        fault = Sentence("its {what} is '{text}', which cannot be read", what=name, text=text[:60])
        raise request.error_at(visit.element.line, visit.element.column, fault)
    return [float(number) for number in NUMBER.findall(text)]


# What each transformation makes of its numbers, and how many it takes.
_TRANSFORMS: dict[str, tuple[tuple[int, ...], Callable[..., Affine]]] = {
    "matrix": ((6,), Affine.of),
    "translate": ((1, 2), lambda x, y=0.0: Affine(shift=complex(x, y))),
    "scale": ((1, 2), lambda x, y=None: Affine.of(x, 0, 0, x if y is None else y, 0, 0)),
    "rotate": ((1, 3), lambda a, x=0.0, y=0.0: _rotation(radians(a), complex(x, y))),
    "skewX": ((1,), lambda a: Affine.of(1, 0, tan(radians(a)), 1, 0, 0)),
    "skewY": ((1,), lambda a: Affine.of(1, tan(radians(a)), 0, 1, 0, 0)),
}


def _rotation(angle: float, centre: complex) -> Affine:
    turn = complex(cos(angle), sin(angle))
    return Affine(turn, 0, centre - turn * centre)


def _transformed(visit: _Visit, request: Request) -> _Visit:
    """The visit with the transform of its element."""
    text, place = visit.element.attributes.get("transform", ""), visit.place
    at, end = 0, len(text.rstrip())
    while at < end:
        match = _TRANSFORM.match(text, at)
        counts, made = _TRANSFORMS.get(match[1], ((), Affine)) if match else ((), Affine)
        numbers = [float(number) for number in NUMBER.findall(match[2])] if match else []
        if match is None or len(numbers) not in counts or not all(map(isfinite, numbers)):
            fault = Sentence("its {what} is '{text}', which cannot be read", what="transform", text=text[at : at + 60])
            raise request.error_at(visit.element.line, visit.element.column, fault)
        place, at = place.after(made(*numbers)), match.end()
    return replace(visit, place=place)
