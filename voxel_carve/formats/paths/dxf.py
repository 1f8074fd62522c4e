"""Toolpaths of DXF drawings (.dxf), read by ezdxf: lines, polylines with bulges, arcs, circles, ellipses and splines.

The lines of a text file are looked through before: they come in pairs of a group code and a value, and real numbers are
finite and not too large. What ezdxf makes of them is trusted as little as the file.
"""

import configparser
import math
import struct
from collections import Counter
from collections.abc import Iterator
from io import BytesIO
from itertools import islice
from typing import Any

import numpy as np

from ...compute.model import LARGEST_COORDINATE
from ...compute.runtime import InputError, Sentence
from ..files import TooLargeError, quoted
from .curves import TOLERANCE, WIDEST
from .toolpath import Line, Request, Toolpath, toolpath_of
from .units import Unit, unit_named

BINARY = b"AutoCAD Binary DXF"
# Measured: memory per byte of a file while ezdxf reads it, and per point of a polyline.
BYTES_PER_BYTE, BYTES_PER_POINT = 100, 100
# The group codes of real numbers (Autodesk, DXF Reference).
REAL = frozenset((*range(10, 60), *range(110, 150), *range(210, 240)))
KINDS = {"LINE", "LWPOLYLINE", "POLYLINE", "ARC", "CIRCLE", "ELLIPSE", "SPLINE"}
# The unit of a drawing by its $INSUNITS. The survey foot is 1200/3937 m.
SURVEY_FOOT = 1200 / 3937
UNITS = {
    **{
        number: unit_named(name)
        for number, name in {
            1: "in", 2: "ft", 3: "mi", 4: "mm", 5: "cm", 6: "m", 7: "km", 9: "thou", 10: "yd", 13: "µm", 14: "dm",
        }.items()
    },
    8: Unit("microinches", 2.54e-8),
    11: Unit("angstroms", 1e-10),
    12: Unit("nm", 1e-9),
    15: Unit("dam", 10.0),
    16: Unit("hm", 100.0),
    17: Unit("Gm", 1e9),
    18: Unit("au", 149_597_870_700.0),
    19: Unit("ly", 9_460_730_472_580_800.0),
    20: Unit("pc", 648_000 / math.pi * 149_597_870_700.0),
    21: Unit("survey feet", SURVEY_FOOT),
    22: Unit("survey inches", SURVEY_FOOT / 12),
    23: Unit("survey yards", 3 * SURVEY_FOOT),
    24: Unit("survey miles", 5280 * SURVEY_FOOT),
}  # fmt: skip
# How far the chords of an arc may be off, by its radius, however small it is.
SAGITTA = 1 - math.cos(WIDEST / 2)
# A curve gets at most this many points: those of a damaged one might never end.
MOST_POINTS = 100_000


def read_dxf(raw: bytes, request: Request) -> Toolpath:
    """The polylines that the model space of a drawing shows; notes say what else it has.

    Raises:
        NoRadiusError: no radius was given.
        InputError: it is damaged, shows no such entities, or ezdxf is missing.
        TooLargeError: it takes too much memory.
    """
    request.needed_radius()
    request.room.check(BYTES_PER_BYTE * len(raw), "its drawing")
    if not raw.startswith(BINARY):
        _check_lines(raw, request)
    drawing = _drawing(raw, request)
    try:
        hidden, left_out = Counter[str](), Counter[str]()
        entities = list(_shown(drawing, hidden))
        tolerance = TOLERANCE * max(_longest_side(entities), 1e-9)
        lines: list[Line] = []
        points = 0
        for entity in entities:
            if entity.dxftype() not in KINDS:
                left_out[entity.dxftype()] += 1
                continue
            line = _line(entity, tolerance)
            if line is None:
                left_out[entity.dxftype()] += 1
                continue
            lines.append(line)
            points += len(line.points)
            request.room.check(BYTES_PER_BYTE * len(raw) + BYTES_PER_POINT * points, f"its first {points} points")
    except _damages() as error:
        raise _damaged(request, error) from None
    unit = UNITS.get(drawing.header.get("$INSUNITS", 0))
    left_out_notes = (*request.left_out_note(left_out), *request.hidden_note(hidden, bool(lines)))
    notes = (*request.unit_note(unit), *left_out_notes)
    return toolpath_of(request, lines, request.scale(unit), notes)


def _shown(drawing: Any, hidden: "Counter[str]") -> Iterator[Any]:
    """The entities of the model space that the drawing shows. Paths that it hides are counted."""
    unseen = {layer.dxf.name.lower() for layer in drawing.layers if layer.is_off() or layer.is_frozen()}
    for entity in drawing.modelspace():
        if not entity.dxf.get("invisible", 0) and entity.dxf.get("layer", "0").lower() not in unseen:
            yield entity
        elif entity.dxftype() in KINDS:
            hidden[entity.dxftype()] += 1


def _damages() -> tuple[type[Exception], ...]:
    """What ezdxf raises where a drawing is damaged."""
    from ezdxf.lldxf.const import DXFError

    return (
        DXFError,
        ArithmeticError,
        AttributeError,
        LookupError,
        TypeError,
        ValueError,
        struct.error,
        RecursionError,
        OSError,
    )


def _drawing(raw: bytes, request: Request) -> Any:
    try:
        from ezdxf import recover
        from ezdxf.filemanagement import readfile
    except ImportError as error:
        raise InputError(
            "{file}: ezdxf is missing, which reads .dxf: install it (pip install ezdxf), or export the drawing as .svg",
            file=request.file,
        ) from error
    except (SystemExit, configparser.Error) as error:  # from a damaged ezdxf.ini in the working folder
        raise _damaged(request, error) from None
    try:
        return readfile(request.file) if raw.startswith(BINARY) else recover.read(BytesIO(raw))[0]
    except _damages() as error:
        raise _damaged(request, error) from None


def _damaged(request: Request, error: BaseException) -> Exception:
    if isinstance(error, InputError | TooLargeError):
        return error
    fault = quoted(" ".join(f"{type(error).__name__}: {error}".split()))
    return InputError("{file} cannot be read as {suffix}: {error}", file=request.file, suffix=".dxf", error=fault)


def _check_lines(raw: bytes, request: Request) -> None:
    """Check the pairs of lines.

    Raises:
        InputError: a group code or a real number is none; the message names the line.
    """
    code, end, begins, section = 0, b"", False, b""
    for number, line in enumerate(raw.splitlines(), 1):
        value = line.strip()
        if number % 2:
            if not value.lstrip(b"+-").isdigit() or len(value) > 6:
                if not value and not raw[-64:].strip():
                    break
                fault = Sentence("'{text}' is no group code of a DXF file", text=quoted(value))
                raise request.error_at(number, 1, fault)
            code = int(value)
            continue
        end = value
        if begins and code == 2:
            section = value
        begins = code == 0 and value == b"SECTION"
        # Other sections have numbers that mean nothing here, such as 1e20 for no limits.
        if code in REAL and section == b"ENTITIES":
            try:
                real = float(value)
            except ValueError:
                real = math.nan
            # Written so that NaN fails.
            if not abs(real) <= LARGEST_COORDINATE:
                fault = Sentence("'{text}' is not a number, or is too large", text=quoted(value))
                raise request.error_at(number, 1, fault)
        elif code == 0 and value == b"EOF":
            return
    raise InputError(
        "{file} is cut short: it does not end with EOF, but with '{text}'", file=request.file, text=quoted(end)
    )


def _longest_side(entities: list[Any]) -> float:
    """The longest side of a box about what the entities are made from."""
    points = [point for entity in entities if entity.dxftype() in KINDS for point in _outline(entity)]
    if not points:
        return 0.0
    return float(np.ptp(np.array(points), axis=0).max())


def _outline(entity: Any) -> Iterator[tuple[float, float, float]]:
    """Some points, in whose box an entity about lies."""
    kind = entity.dxftype()
    if kind in ("CIRCLE", "ARC"):
        first = entity.dxf.start_angle if kind == "ARC" else 0.0
        sweep = (entity.dxf.end_angle - first) % 360 if kind == "ARC" else 360.0
        found = entity.vertices(np.linspace(first, first + (sweep or 360.0), 9))
    elif kind == "ELLIPSE":
        found = entity.vertices(entity.params(9))
    elif kind == "SPLINE":
        found = entity.construction_tool().control_points
    elif kind == "LINE":
        found = (entity.dxf.start, entity.dxf.end)
    else:
        found = entity.points_in_wcs() if kind == "POLYLINE" else entity.vertices_in_wcs()
    for point in found:
        yield point.x, point.y, point.z


def _line(entity: Any, tolerance: float) -> Line | None:
    """The polyline of an entity; None for meshes of polylines."""
    kind = entity.dxftype()
    if kind == "POLYLINE" and not (entity.is_2d_polyline or entity.is_3d_polyline):
        return None
    if kind == "LINE":
        found = [entity.dxf.start, entity.dxf.end]
    elif kind in ("CIRCLE", "ARC"):
        found = list(_limited(entity.flattening(min(tolerance, SAGITTA * abs(entity.dxf.radius)))))
    elif kind in ("ELLIPSE", "SPLINE"):
        found = list(_limited(entity.flattening(tolerance)))
    else:
        found = _polyline(entity, tolerance)
    closed = kind in ("LWPOLYLINE", "POLYLINE") and bool(entity.is_closed)
    if not found:
        return None
    points = np.array([(point.x, point.y, point.z) for point in found])
    is_ring = len(points) > 3 and np.abs(points[0] - points[-1]).max() <= 1e-9 * max(np.abs(points).max(), 1e-300)
    if is_ring:
        points = points[:-1]
    return Line(points, (is_ring or closed) and len(points) > 1, entity.dxf.get("layer", ""))


def _polyline(entity: Any, tolerance: float) -> list[Any]:
    """The points of a polyline, whose bulges are arcs."""
    vertices = list(entity.points_in_wcs() if entity.dxftype() == "POLYLINE" else entity.vertices_in_wcs())
    if not entity.has_arc:
        return vertices
    found = vertices[:1]
    for part in entity.virtual_entities():
        if part.dxftype() == "ARC":
            points = list(_limited(part.flattening(min(tolerance, SAGITTA * abs(part.dxf.radius)))))
        else:
            points = [part.dxf.start, part.dxf.end]
        if (points[-1] - found[-1]).magnitude < (points[0] - found[-1]).magnitude:
            points.reverse()  # a bulge to the right is an arc that runs backward
        found += points[1:]
    return found


def _limited(points: Any) -> Iterator[Any]:
    found = list(islice(points, MOST_POINTS + 1))
    if len(found) > MOST_POINTS:
        raise ValueError("a curve has too many points")
    return iter(found)
