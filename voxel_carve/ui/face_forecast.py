"""A forecast of the number of faces of a carve, and of what is open in its stocks, drawn beside memory and time.

It is found out by samples of the surfaces: see `compute.forecasts`. Until that is done, the panel shows the last one of
the same objects.
"""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import bpy
import numpy as np
import numpy.typing as npt

from ..compute import Operation, Path, Sweep
from ..compute.forecasts import ExpectedFaces, expected_faces
from ..compute.sheets import Openings, OpenStock
from ..operators.selection.selected import Selection
from ..operators.selection.target import CarveSettings
from ..scene.reading.read import read_paths
from ..scene.reading.surfaces import SurfaceArrays, read_surface
from ..settings import AUTOMATIC_RADIUS, Own
from ..updating.changes import change_count
from .answers import Reading, ask

Floats = npt.NDArray[np.float64]

# Keep Stock is worth a word where it gives at most this part of the faces.
FEW = 0.2
# Corners of faces that are read at most while a panel is drawn, which takes some milliseconds.
MOST_CORNERS = 500_000
# Points of paths that are read for a forecast at most, and how far a curve is from its polyline at most, in voxels.
MOST_POINTS, CHORD_TOLERANCE = 200_000, 0.25

# The last forecast by the objects that it is of.
_latest: dict[Hashable, "FaceForecast"] = {}
# What is open in a stock, by `stock_key`.
_openings: dict[Hashable, Openings] = {}
MOST_KNOWN = 64


@dataclass(frozen=True)
class StockForecast:
    """What is expected of one stock.

    Attributes:
        name: of its object.
        polygons: the number of its faces.
        openings: what is open in it.
        is_closed: whether each edge has two faces.
        expected: the faces of its result.
    """

    name: str
    polygons: int
    openings: Openings | None
    is_closed: bool
    expected: ExpectedFaces


@dataclass(frozen=True)
class FaceForecast:
    """What is expected of all stocks."""

    stocks: tuple[StockForecast, ...]

    @property
    def remeshed(self) -> int:
        """The approximate number of faces of all results with Remesh."""
        return sum(stock.expected.remeshed for stock in self.stocks)

    @property
    def kept(self) -> int | None:
        """The same with Keep Stock; None if a stock is open, and may have to be remeshed."""
        if not all(stock.is_closed for stock in self.stocks):
            return None
        return sum(stock.expected.kept(stock.polygons) for stock in self.stocks)

    @property
    def openings(self) -> dict[str, Openings]:
        """What is open in each stock, by its name, as far as that is known."""
        return {stock.name: stock.openings for stock in self.stocks if stock.openings is not None}

    @property
    def suggests_keeping(self) -> bool:
        """Whether Keep Stock would give so few faces that it is worth a word."""
        return self.kept is not None and self.kept <= FEW * self.remeshed

    def each(self, keeps: bool) -> list[int]:
        """The faces of each result."""
        one_by_one = (
            stock.expected.kept(stock.polygons) if keeps else stock.expected.remeshed for stock in self.stocks
        )
        return list(one_by_one)


@dataclass(frozen=True)
class _Job:
    """A carve as plain values: objects may be gone when it is read.

    Attributes:
        stocks, paths: names and `session_uid`s.
        keys: of the stocks: see `stock_key`.
        changes: of the paths: see `change_count`.
        places: of stocks and paths, by their boxes.
        sizes: the voxel size of each stock.
        longest: the longest side of each stock.
        own: what each path has of its own.
        radius: of all paths; None for their own.
        factor, operation, open_stock, close: of the settings.
    """

    stocks: tuple[tuple[str, int], ...]
    paths: tuple[tuple[str, int], ...]
    keys: tuple[Hashable, ...]
    changes: tuple[int, ...]
    places: bytes
    sizes: tuple[float, ...]
    longest: tuple[float, ...]
    own: tuple[Own, ...]
    radius: float | None
    factor: float
    operation: Operation
    open_stock: OpenStock
    close: bool

    def objects(self) -> Hashable:
        """The objects that it is of."""
        return self.stocks, self.paths

    def operation_of(self, own: Own) -> Operation:
        """The operation of a path, by what it has of its own."""
        return own.operation or self.operation  # type: ignore[return-value]


def face_forecast(
    found: Selection, boxes: Floats, path_boxes: Floats, sizes: Sequence[float], settings: CarveSettings
) -> FaceForecast | None:
    """The faces of carving stocks along paths; None while that is not known, and for what is not read for a forecast.

    Args:
        boxes, path_boxes: (N, 2, 3), (M, 2, 3) around the stocks and the paths.
        sizes: the voxel size of each stock.
    """
    evaluated = [evaluated_mesh(stock) for stock in found.stocks]
    points = sum(_point_count(path) for path in found.paths)
    if not evaluated or not all(evaluated) or not all(size > 0 for size in sizes) or points > MOST_POINTS:
        return None
    job = _Job(
        tuple((stock.name, stock.session_uid) for stock in found.stocks),
        tuple((path.name, path.session_uid) for path in found.paths),
        tuple(stock_key(stock, each) for stock, each in zip(found.stocks, evaluated, strict=True) if each),
        tuple(map(change_count, found.paths)),
        np.concatenate([boxes.ravel(), path_boxes.ravel(), *(_turn(each) for each in (*found.stocks, *found.paths))])
        .astype(np.float32)
        .tobytes(),
        tuple(sizes),
        tuple(float(np.ptp(box, axis=0).max()) for box in boxes),
        tuple(own for _, own in found.each_path()),
        settings.radius if settings.radius_mode == "VALUE" else None,
        settings.radius_factor,
        settings.operation.lower(),
        settings.open_stock.lower(),
        settings.close,
    )
    told = ask(job, lambda: _reading(job))
    if isinstance(told, FaceForecast):
        while len(_latest) >= MOST_KNOWN:
            del _latest[next(iter(_latest))]
        _latest[job.objects()] = told
    return _latest.get(job.objects())


def evaluated_mesh(stock: bpy.types.Object) -> bpy.types.Object | None:
    """A stock as it is carved, if it can be read for a forecast: see `stock_key`."""
    if stock.mode != "OBJECT" or not 0 < corner_count(stock) <= MOST_CORNERS:
        return None
    evaluated = stock.evaluated_get(bpy.context.evaluated_depsgraph_get())
    mesh = evaluated.data
    can_be_read = isinstance(mesh, bpy.types.Mesh) and 0 < len(mesh.loops) <= MOST_CORNERS
    return evaluated if evaluated.is_evaluated and can_be_read else None


def corner_count(stock: bpy.types.Object) -> int:
    """About how many corners the faces of a mesh have, after subdivision, which Blender does when asked for them; 0 for
    other objects."""
    levels = sum(each.levels for each in stock.modifiers if isinstance(each, bpy.types.SubsurfModifier))
    return len(stock.data.loops) * 4**levels if isinstance(stock.data, bpy.types.Mesh) else 0


def stock_key(stock: bpy.types.Object, evaluated: bpy.types.Object) -> tuple[int, ...]:
    """What changes with the shape of a stock."""
    mesh = evaluated.data
    assert isinstance(mesh, bpy.types.Mesh)
    return stock.session_uid, change_count(stock), len(mesh.vertices), len(mesh.edges), len(mesh.polygons)


def read_stock_surface(name: str, uid: int, key: Hashable) -> SurfaceArrays:
    """The surface of a stock that was asked about.

    Raises:
        ReferenceError: it has changed or gone.
        InputError: as `read_surface`.
    """
    stock = _object(name, uid)
    evaluated = evaluated_mesh(stock)
    if evaluated is None or stock_key(stock, evaluated) != key:
        raise ReferenceError(name)
    return read_surface(evaluated)


def _reading(job: _Job) -> Reading:
    """Read the objects of a job, one after the other."""
    surfaces, sweeps = [], []
    for (name, uid), key in zip(job.stocks, job.keys, strict=True):
        surfaces.append(read_stock_surface(name, uid, key))
        yield
    for size, longest in zip(job.sizes, job.longest, strict=True):
        lines: list[tuple[Path, Operation]] = []
        usual = AUTOMATIC_RADIUS * longest if job.radius is None else job.radius
        for (name, uid), own in zip(job.paths, job.own, strict=True):
            read = read_paths(
                _object(name, uid),
                bpy.context.evaluated_depsgraph_get(),
                own.radius or usual,
                CHORD_TOLERANCE * size,
                use_own_radius=job.radius is None and own.radius is None,
                factor=job.factor,
            )
            lines += [(path, job.operation_of(own)) for path in read]
            yield
        sweeps.append(lines)
    return lambda: FaceForecast(tuple(map(_expected, [job] * len(surfaces), job.keys, surfaces, sweeps, job.sizes)))


def _expected(
    job: _Job, key: Hashable, surface: SurfaceArrays, lines: list[tuple[Path, Operation]], size: float
) -> StockForecast:
    """What is expected of one stock. This runs on a thread."""
    openings = _openings.get(key) or surface.openings()
    if openings is not None:
        while len(_openings) >= MOST_KNOWN:
            _openings.pop(next(iter(_openings)), None)
        _openings[key] = openings
    sweep, operations = Sweep.from_paths([path for path, _ in lines]), [operation for _, operation in lines]
    expected = expected_faces(surface.mesh(), sweep, size, operations, job.open_stock, job.close)
    return StockForecast(surface.name, len(surface.start), openings, surface.is_closed(), expected)


def _object(name: str, uid: int) -> bpy.types.Object:
    """The object that had a name and a `session_uid`. Raises ReferenceError if it is gone."""
    for obj in (bpy.data.objects.get(name), *bpy.data.objects):
        if obj is not None and obj.session_uid == uid:
            return obj
    raise ReferenceError(name)


def _turn(obj: bpy.types.Object) -> Floats:
    """(9,) how an object is turned and scaled, which its box does not tell."""
    return np.array(obj.matrix_world, dtype=np.float64)[:3, :3].ravel()


def _point_count(path: bpy.types.Object) -> int:
    """About how many points a path has."""
    data = path.data
    if isinstance(data, bpy.types.Mesh):
        return len(data.vertices)
    if isinstance(data, bpy.types.Curve):
        return sum(len(spline.points) + len(spline.bezier_points) for spline in data.splines)
    return len(getattr(data, "points", ()))
