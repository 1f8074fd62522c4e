"""3MF packages (.3mf): the meshes that the build of their model places, with the unit that it says.

After the core specification by the 3MF Consortium (version 1.3, 2023), and the paths to other parts of its production
extension. Other extensions are not read: materials and colors change no shape, and a file that requires one that does
is refused. An XML part is read as it is unpacked, and may define no entities; no file is ever written.
"""

import io
import struct
import zipfile
import zlib
from array import array
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from xml.parsers import expat

import numpy as np
import numpy.typing as npt

from .files import Room, quoted
from .paths import Unit, unit_named

Floats = npt.NDArray[np.float64]
Triangles = npt.NDArray[np.int32]
Begin = Callable[[str, dict[str, str]], None]
# A part of the package, and the number of an object in it.
Key = tuple[str, str]
# What an object or an item places: the object, and twelve numbers of a transform.
Placed = tuple[Key, tuple[float, ...]]

CORE = "http://schemas.microsoft.com/3dmanufacturing/core/2015/02"
PRODUCTION = "http://schemas.microsoft.com/3dmanufacturing/production/2015/06"
MATERIALS = "http://schemas.microsoft.com/3dmanufacturing/material/2015/02"
TRIANGLE_SETS = "http://schemas.microsoft.com/3dmanufacturing/trianglesets/2021/07"
MODEL_RELATIONSHIP = "http://schemas.microsoft.com/3dmanufacturing/2013/01/3dmodel"
RELATIONSHIPS = "http://schemas.openxmlformats.org/package/2006/relationships"
# Those that a file may require, because they change no shape, or are read.
KNOWN_EXTENSIONS = {CORE, PRODUCTION, MATERIALS, TRIANGLE_SETS}
UNITS = ("micron", "millimeter", "centimeter", "inch", "foot", "meter")
UNPLACED = (1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0)

# Bytes unpacked at once, and the longest tag.
BLOCK, LONGEST_TAG = 1 << 16, 1 << 20
# Objects are in each other at most so deep.
DEEPEST = 64
CHECKED_EVERY = 1000
# Measured: memory per file of the package, per element that is no vertex or triangle, and per point and triangle.
BYTES_PER_ENTRY, BYTES_PER_ELEMENT, BYTES_PER_POINT, BYTES_PER_TRIANGLE = 1200, 1500, 80, 40


@dataclass
class _Object:
    """An object of a model: the numbers of its mesh, and the objects that it is made of."""

    points: "array[float]" = field(default_factory=lambda: array("d"))
    corners: "array[int]" = field(default_factory=lambda: array("i"))
    components: list[Placed] = field(default_factory=list)

    def mesh(self) -> tuple[Floats, Triangles]:
        """Points (N, 3) and triangles (M, 3), in its own space."""
        points, triangles = np.asarray(self.points).reshape(-1, 3), np.asarray(self.corners, np.int32).reshape(-1, 3)
        if len(triangles) and not 0 <= triangles.min() <= triangles.max() < len(points):
            raise ValueError("it has triangles that refer to missing vertices: it is damaged, export it again")
        return points, triangles


@dataclass
class _Model:
    """What the parts of a package say.

    Attributes:
        objects: by part and number.
        items: what the build of the first part places.
        unit: of that part.
        parts: that are named so far, in the order in which they are read.
    """

    parts: list[str]
    objects: dict[Key, _Object] = field(default_factory=dict)
    items: list[Placed] = field(default_factory=list)
    unit: str = "millimeter"


def read_three_mf(raw: bytes, room: Room) -> tuple[Floats, Triangles, Unit]:
    """Points (N, 3) and triangles (M, 3) of a file's bytes, item by item, and the unit of the points.

    Raises:
        ValueError: the file is damaged or is not a .3mf, requires an extension that we do not read, or takes too much
            memory.
    """
    entries = raw.count(b"PK\1\2")
    room.check(BYTES_PER_ENTRY * entries, f"the {entries} files in it")
    try:
        with zipfile.ZipFile(io.BytesIO(raw)) as package:
            model = _model(package, room)
    except (zipfile.BadZipFile, zlib.error, EOFError, RuntimeError, OverflowError, struct.error) as error:
        raise ValueError(f"its zip is damaged ({quoted(str(error))}): export it again") from None
    unit = unit_named(model.unit)
    if model.unit not in UNITS or unit is None:
        raise ValueError(f"its unit '{quoted(model.unit)}' is none of {', '.join(UNITS)}")
    points, triangles = _joined(model, room)
    return points, triangles, unit


def _model(package: zipfile.ZipFile, room: Room) -> _Model:
    """All parts of the model of a package."""
    names = {info.filename.lower(): info for info in package.infolist()}
    found: list[str] = []

    def relationship(name: str, attributes: dict[str, str]) -> None:
        if name == f"{RELATIONSHIPS} Relationship" and attributes.get("Type") == MODEL_RELATIONSHIP:
            found.append(attributes.get("Target", ""))

    def opened(name: str) -> zipfile.ZipExtFile:
        info = names.get(name.lstrip("/").lower())
        if info is None:
            raise ValueError(f"it has no '{quoted(name)}': it is no 3MF, or damaged; export it again")
        if info.flag_bits & 1 or info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            raise ValueError(f"its '{quoted(name)}' is encrypted, or packed as 3MF does not: export it again")
        return package.open(info)  # type: ignore[return-value]  # typeshed says IO[bytes]

    with opened("_rels/.rels") as part:
        _read_xml(part, expat.ParserCreate(namespace_separator=" "), relationship)
    if not found:
        raise ValueError("it names no 3D model: it is no 3MF, or damaged; export it again")
    model, read = _Model(found[:1]), 0
    while read < len(model.parts):
        with opened(model.parts[read]) as part:
            _read_part(part, model, read, room)
        read += 1
    return model


def _read_xml(part: zipfile.ZipExtFile, parser: expat.XMLParserType, begin: Begin) -> None:
    """Call `begin` for each element. Raises ValueError if the part is not well-formed, or defines entities."""

    def doctype(*_args: object) -> None:
        raise ValueError("it has a document type (DTD), which no 3MF may have: export it again")

    parser.StartElementHandler, parser.StartDoctypeDeclHandler = begin, doctype
    given = 0
    try:
        while block := part.read(BLOCK):
            parser.Parse(block, False)
            given += len(block)
            if given - max(parser.CurrentByteIndex, 0) > LONGEST_TAG:
                raise ValueError(f"it has a tag of more than {LONGEST_TAG} bytes: it is damaged, export it again")
        parser.Parse(b"", True)
    except expat.ExpatError as error:
        fault = expat.ErrorString(error.code)
        raise ValueError(f"its line {error.lineno} is not well-formed XML ({fault}): export it again") from None
    except (LookupError, UnicodeError) as error:
        raise ValueError(f"it is not well-formed XML ({quoted(str(error))}): export it again") from None


def _read_part(part: zipfile.ZipExtFile, model: _Model, number: int, room: Room) -> None:
    """Add what a part of the model says. The first part has the unit and the build."""
    parser = expat.ParserCreate(namespace_separator=" ")
    own = model.parts[number]
    spaces: dict[str, str] = {}
    object_now = _Object()
    points = corners = count = 0

    def space(prefix: str | None, name: str) -> None:
        spaces[prefix or ""] = name

    def placed(attributes: dict[str, str]) -> Placed:
        path = attributes.get(f"{PRODUCTION} path", own)
        if path not in model.parts:
            model.parts.append(path)
        numbers = tuple(map(float, attributes["transform"].split())) if "transform" in attributes else UNPLACED
        if len(numbers) != len(UNPLACED):
            raise ValueError
        return (path, attributes["objectid"]), numbers

    def other(name: str, attributes: dict[str, str]) -> None:
        nonlocal object_now, points, corners
        if name == OBJECT:
            points, corners = points + len(object_now.points), corners + len(object_now.corners)
            object_now = _Object()
            model.objects[own, attributes["id"]] = object_now
        elif name == COMPONENT:
            object_now.components.append(placed(attributes))
        elif name == ITEM and number == 0:
            model.items.append(placed(attributes))
        elif name == MODEL:
            required = [spaces.get(prefix, prefix) for prefix in attributes.get("requiredextensions", "").split()]
            if unknown := [name for name in required if name not in KNOWN_EXTENSIONS]:
                raise _UnreadableError(f"it requires '{quoted(unknown[0])}', which we do not read: export it without")
            if number == 0:
                model.unit = attributes.get("unit", model.unit)

    def begin(name: str, attributes: dict[str, str]) -> None:
        nonlocal count
        try:
            if name == TRIANGLE:
                object_now.corners.extend((int(attributes["v1"]), int(attributes["v2"]), int(attributes["v3"])))
            elif name == VERTEX:
                object_now.points.extend((float(attributes["x"]), float(attributes["y"]), float(attributes["z"])))
            else:
                other(name, attributes)
        except _UnreadableError:
            raise
        except (KeyError, ValueError, OverflowError):
            what = f"its line {parser.CurrentLineNumber} has a <{quoted(name.rpartition(' ')[2])}>"
            raise ValueError(f"{what} that lacks numbers: it is damaged, export it again") from None
        count += 1
        if count % CHECKED_EVERY == 0:
            held = points + len(object_now.points), corners + len(object_now.corners)
            rows = (held[0] + held[1]) // 3
            needed = (BYTES_PER_POINT * held[0] + BYTES_PER_TRIANGLE * held[1]) // 3
            room.check(needed + BYTES_PER_ELEMENT * max(count - rows, 0), f"its first {count} elements")

    parser.StartNamespaceDeclHandler = space
    _read_xml(part, parser, begin)


class _UnreadableError(ValueError):
    """A file is as it should be, and holds what we do not read."""


MODEL, OBJECT, VERTEX, TRIANGLE, COMPONENT, ITEM = (
    f"{CORE} {name}" for name in ("model", "object", "vertex", "triangle", "component", "item")
)


def _joined(model: _Model, room: Room) -> tuple[Floats, Triangles]:
    """Points (N, 3) and triangles (M, 3) of all that the build places, in its order."""
    sizes: dict[Key, npt.NDArray[np.object_]] = {}
    totals = [_size(model.objects, sizes, key, 0) for key, _ in model.items]
    meshes, point_count, triangle_count = sum(totals, np.zeros(3, object))
    needed = BYTES_PER_POINT * point_count + BYTES_PER_TRIANGLE * triangle_count + BYTES_PER_ELEMENT * meshes
    room.check(int(needed), "its placed objects")
    points, triangles = np.empty((point_count, 3)), np.empty((triangle_count, 3), np.int32)
    point, triangle = 0, 0
    for each, matrix in _meshes(model, sizes):
        own_points, own_triangles = each.mesh()
        with np.errstate(all="ignore"):  # coordinates that are too large are refused later
            placed = own_points @ matrix[:3, :3] + matrix[3, :3]
            mirrored = np.linalg.det(matrix[:3, :3]) < 0
        points[point : point + len(placed)] = placed
        order = slice(None, None, -1 if mirrored else 1)
        triangles[triangle : triangle + len(own_triangles)] = own_triangles[:, order] + point
        point, triangle = point + len(placed), triangle + len(own_triangles)
    return points, triangles


def _size(
    objects: dict[Key, _Object], sizes: dict[Key, npt.NDArray[np.object_]], key: Key, depth: int
) -> npt.NDArray[np.object_]:
    """(3,) the meshes, points and triangles that an object places, which are kept in `sizes`."""
    if key in sizes:
        return sizes[key]
    if key not in objects:
        raise ValueError(f"it places an object '{quoted(key[1])}' that is not there: it is damaged, export it again")
    if depth > DEEPEST:
        raise ValueError(f"its objects are in each other, or more than {DEEPEST} deep: it is damaged, export it again")
    own = objects[key]
    size = np.array([bool(own.corners), len(own.points) // 3, len(own.corners) // 3], object)
    if not own.corners:
        size[:] = 0
    for component, _ in own.components:
        size = size + _size(objects, sizes, component, depth + 1)
    sizes[key] = size
    return size


def _meshes(model: _Model, sizes: dict[Key, npt.NDArray[np.object_]]) -> Iterator[tuple[_Object, Floats]]:
    """Each object with a mesh that the build places, with the matrix (4, 4) for points as rows."""
    waiting = [(key, _matrix(numbers)) for key, numbers in reversed(model.items)]
    while waiting:
        key, matrix = waiting.pop()
        if not sizes[key][0]:
            continue
        own = model.objects[key]
        if own.corners:
            yield own, matrix
        with np.errstate(all="ignore"):
            waiting += [(other, _matrix(numbers) @ matrix) for other, numbers in reversed(own.components)]


def _matrix(numbers: tuple[float, ...]) -> Floats:
    matrix = np.eye(4)
    matrix[:, :3] = np.reshape(numbers, (4, 3))
    return matrix
