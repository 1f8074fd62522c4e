"""A forecast of a carve's grid and memory from boxes alone, because it is drawn many times a second, and of its time by
the number of faces, which a thread finds out.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import groupby, islice

import bpy
import numpy as np
import numpy.typing as npt

from ..backend_status import free_memory, likely_backend
from ..compute import InputError, plan_grid
from ..compute.forecasts import Kind, expected_seconds, rough_bytes, rough_faces
from ..compute.level_set import HALF_WIDTH
from ..compute.runtime import memory_texts
from ..operators.selection.radii import least_radius, own_radii, point_factors, tool_radii, world_boxes
from ..operators.selection.selected import Selection
from ..operators.selection.target import CarveSettings
from ..preferences import limits
from ..scene.reading.meshes import face_bounds
from ..scene.reading.outlines import is_outline
from ..scene.reading.path_warnings import path_warnings
from ..scene.writing.volumes import volume_refusal
from ..settings import LARGEST_RESOLUTION, Own, chosen_voxel_size, fitting_voxel_size
from ..translations import interface_text
from .face_forecast import MOST_CORNERS, FaceForecast, corner_count, face_forecast
from .loss_forecast import loss_cautions
from .wording import length_text

Floats = npt.NDArray[np.float64]

SMALL = "The radius is less than a voxel: cuts come out smaller than their paths"
COARSE = "The radius is less than two voxels: cuts come out coarse"

# Of so many paths the panel says what is not cut, because each takes 40 microseconds; the report says it of all.
MOST_WARNED = 256


@dataclass(frozen=True)
class Forecast:
    """The approximate grid of one job.

    Attributes:
        voxels: along x, y and z.
        memory: in bytes.
        faces: of the result, roughly, in all steps.
    """

    voxels: tuple[int, int, int]
    memory: int
    faces: int


@dataclass(frozen=True)
class Boxes:
    """What the forecast uses of N paths.

    Attributes:
        bounds: (N, 2, 3) boxes in world space, including a curve's bevel if it has one.
        own: (N,) the paths' own radii in world space, 0 for none.
        points: (N,) the greatest radius of a point, which multiplies them.
        bevels: (N,) the part of these radii that the boxes include.
        listed: what each path has of its own in a list.
    """

    bounds: Floats
    own: Floats
    points: Floats
    bevels: Floats
    listed: tuple[Own, ...]

    @classmethod
    def of(cls, found: Selection) -> "Boxes":
        """The boxes of the paths."""
        own, points = own_radii(found.paths), point_factors(found.paths)
        bevels = np.where([is_outline(path) for path in found.paths], 0.0, own * points)
        return cls(world_boxes(found.paths), own, points, bevels, tuple(listed for _, listed in found.each_path()))

    def radii(self, longest: float, settings: CarveSettings) -> Floats:
        """(N,): the greatest tool radius along each path, for a stock with this longest side."""
        given = settings.radius if settings.radius_mode == "VALUE" else None
        return tool_radii(self.own, self.points, self.listed, longest, given, settings.radius_factor)

    def added(self, settings: CarveSettings) -> npt.NDArray[np.bool_]:
        """(N,) whether the sweep of each path is added to the stock."""
        return np.array([operation == "union" for operation in self._operations(settings)], dtype=bool)

    def steps(self, settings: CarveSettings) -> int:
        """The number of runs of paths with the same operation, which are carved one after the other."""
        return max(1, len(list(groupby(self._operations(settings)))))

    def _operations(self, settings: CarveSettings) -> list[str]:
        return [listed.operation or settings.operation.lower() for listed in self.listed]

    def swept(self, radii: Floats) -> Floats:
        """(N, 2, 3): the boxes of the sweeps with these radii; approximate, because a bevel's ends are flat."""
        reach = np.maximum(radii - self.bevels, -np.ptp(self.bounds, axis=1).min(axis=1, initial=np.inf) / 2)
        return np.stack([self.bounds[:, 0] - reach[:, None], self.bounds[:, 1] + reach[:, None]], axis=1)


@dataclass(frozen=True)
class Fitting:
    """Voxels that are small enough for the least radius, and what they cost.

    Attributes:
        resolution: most voxels along the longest side of a stock.
        voxel_size: least, in Blender units.
        memory, seconds: as those of an `Outlook`.
    """

    resolution: int
    voxel_size: float
    memory: int
    seconds: tuple[float, float] | None


@dataclass(frozen=True)
class Outlook:
    """What can be said about carving all stocks before it starts.

    Attributes:
        voxels: of the largest grid; None if no stock has one.
        memory, allowed: bytes that the largest job needs, and the limit.
        seconds: of all jobs, at least and at most; None if there is nothing to carve.
        refusals: sentences on why the carve would be refused.
        warnings: sentences on what the paths show and is not cut.
        cautions: sentences on what the user may not have intended.
        voxel_sizes: least and greatest, in Blender units.
        resolution: most voxels along the longest side of a stock; 0 if it is not a number.
        radii: least and greatest radius of the paths; None without paths.
        fitting: smaller voxels, if a radius needs them and memory allows them.
        faces: of all results; None while that is not known, and if a stock is not read for a forecast.
    """

    voxels: tuple[int, int, int] | None
    memory: int
    allowed: int
    seconds: tuple[float, float] | None
    refusals: tuple[str, ...]
    warnings: tuple[str, ...]
    cautions: tuple[str, ...]
    voxel_sizes: tuple[float, float] | None
    resolution: int
    radii: tuple[float, float] | None
    fitting: Fitting | None
    faces: FaceForecast | None


def outlook(context: bpy.types.Context, found: Selection, settings: CarveSettings) -> Outlook:
    """The outlook of carving the stocks along the paths. Empties are left out, because their contents have no box."""
    warnings = tuple(
        warning
        for path, own in islice(found.each_path(), MOST_WARNED)
        for warning in path_warnings(path, use_own_radius=settings.radius_mode != "VALUE" and own.radius is None)
    )
    known = [(path, own) for path, own in found.each_path() if path.type != "EMPTY"]
    are_all_known = len(known) == len(found.paths)
    stocks = tuple(each for each in found.stocks if each.type != "EMPTY")
    found = Selection(stocks, tuple(path for path, _ in known), tuple(own for _, own in known))
    limit = limits(context, settings.backend)
    backend = likely_backend(limit.backend)
    allowed = free_memory() // 2 if limit.memory_limit is None else limit.memory_limit
    boxes, bounds = Boxes.of(found), stock_boxes(found.stocks)
    sides = [_longest(each) for each in bounds]
    radii = [boxes.radii(side, settings) for side in sides]
    least = [least_radius(each, boxes.bounds, box) for each, box in zip(radii, bounds, strict=True)]
    sizes = [chosen_voxel_size(settings, side, each) for side, each in zip(sides, least, strict=True)]
    forecasts = _forecasts(bounds, sizes, boxes, settings, backend)
    memory, steps = _memory(forecasts), boxes.steps(settings)
    faces = face_forecast(found, bounds, boxes.bounds, sizes, settings) if found.paths else None
    refusals = _refusals(context, sides, sizes, settings, memory, allowed)
    thin = loss_cautions(found.stocks, bounds, sizes) if settings.result != "KEEP" else []
    missed = _missed(found, bounds, boxes, radii) if known and are_all_known else []
    fitting = _fitting(sides, sizes, least)
    if fitting:
        finer = [side / fitting.resolution for side in sides]
        after = _forecasts(bounds, finer, boxes, settings, backend)
        growth = [steps * (size / fine) ** 2 for size, fine in zip(sizes, finer, strict=True)]
        needed, seconds = _memory(after), _seconds(after, faces, growth, settings, backend)
        fitting = replace(fitting, memory=needed, seconds=seconds) if needed <= allowed else None
    return Outlook(
        voxels=max((each.voxels for each in forecasts), key=math.prod, default=None),
        memory=memory,
        allowed=allowed,
        seconds=_seconds(forecasts, faces, [steps] * len(sizes), settings, backend),
        refusals=tuple(refusals if settings.operation != "INTERSECT" else refusals + missed),
        warnings=warnings,
        cautions=tuple(_small(least, sizes) + thin + (missed if settings.operation != "INTERSECT" else [])),
        voxel_sizes=(min(sizes), max(sizes)) if sizes else None,
        resolution=_resolution(sides, sizes),
        radii=(float(np.min(radii)), float(np.max(radii))) if radii and found.paths else None,
        fitting=fitting,
        faces=faces,
    )


def forecast(stock: bpy.types.Object, paths: Sequence[bpy.types.Object], settings: CarveSettings) -> Forecast | None:
    """The forecast of carving a stock along paths on the CPU; None if the voxel size makes no grid."""
    bounds, boxes = stock_boxes([stock])[0], Boxes.of(Selection((stock,), tuple(paths)))
    side = _longest(bounds)
    size = chosen_voxel_size(settings, side, least_radius(boxes.radii(side, settings), boxes.bounds, bounds))
    return _forecast(bounds, size, boxes, settings, "cpu")


def world_bounds(obj: bpy.types.Object) -> Floats:
    """(2, 3): the world-space box around an object's local bounding box."""
    bounds: Floats = world_boxes([obj])[0]
    return bounds


def stock_boxes(stocks: Sequence[bpy.types.Object]) -> Floats:
    """(N, 2, 3): the boxes that a carve uses, around the faces of the evaluated stocks.

    A local bounding box is larger, where the object is turned or where Blender has not subdivided it yet. It does for
    stocks that are too large to be read while a panel is drawn, in another mode, and for instances.
    """
    boxes, read = world_boxes(stocks), 0
    for number, stock in enumerate(stocks):
        if stock.mode != "OBJECT" or read + corner_count(stock) > MOST_CORNERS:
            continue
        evaluated = stock.evaluated_get(bpy.context.evaluated_depsgraph_get())
        count = len(evaluated.data.loops) if isinstance(evaluated.data, bpy.types.Mesh) else 0
        if evaluated.is_evaluated and 0 < count <= MOST_CORNERS - read:
            read += count
            bounds = face_bounds(evaluated)
            if bounds is not None and np.isfinite(bounds).all():
                boxes[number] = bounds
    return boxes


def _forecasts(
    bounds: Floats, sizes: Sequence[float], boxes: Boxes, settings: CarveSettings, backend: str
) -> list[Forecast]:
    """The forecast of each stock that has a grid, for the bounds (N, 2, 3) and the voxel sizes of N stocks."""
    each = (_forecast(box, size, boxes, settings, backend) for box, size in zip(bounds, sizes, strict=True))
    return [forecast for forecast in each if forecast]


def _memory(forecasts: Sequence[Forecast]) -> int:
    """The bytes of the largest job."""
    return max((each.memory for each in forecasts), default=0)


def _seconds(
    forecasts: Sequence[Forecast],
    faces: FaceForecast | None,
    growth: Sequence[float],
    settings: CarveSettings,
    backend: str,
) -> tuple[float, float] | None:
    """The seconds of all jobs, at least and at most; None if there are none.

    Args:
        faces: with the voxels of the settings. While they are not known, those of the forecasts count.
        growth: how many times as many each stock has with the voxels that are asked about, in all steps.
    """
    if not forecasts:
        return None
    keeps, of_mesh = settings.result == "KEEP", settings.result != "VOLUME"
    each = [forecast.faces for forecast in forecasts]
    if faces is not None:
        each = [round(count * by) for count, by in zip(faces.each(keeps), growth, strict=False)]
    return expected_seconds(Kind(backend, keeps, _merges_faces(settings), of_mesh and settings.verify), each)


def _small(least: Sequence[float], sizes: Sequence[float]) -> list[str]:
    """A sentence about radii that are small for their voxels."""
    if any(radius < size for radius, size in zip(least, sizes, strict=True)):
        return [SMALL]
    return [COARSE] if any(_is_coarse(radius, size) for radius, size in zip(least, sizes, strict=True)) else []


def _is_coarse(radius: float, size: float) -> bool:
    """Whether a voxel is too large for a radius; the one that is chosen for it is not, whatever rounding does."""
    return fitting_voxel_size(radius) < (1 - 1e-6) * size


def _fitting(sides: Sequence[float], sizes: Sequence[float], least: Sequence[float]) -> Fitting | None:
    """Smaller voxels, the same number along each longest side, if a radius needs them. Their cost is not known yet."""
    if not any(_is_coarse(radius, size) for radius, size in zip(least, sizes, strict=True)) or min(least) <= 0:
        return None
    counts = [side / fitting_voxel_size(radius) for side, radius in zip(sides, least, strict=True)]
    if not max(counts) <= LARGEST_RESOLUTION:
        return None
    return Fitting(math.ceil(max(counts)), fitting_voxel_size(min(least)), 0, None)


def _forecast(
    bounds: Floats, voxel_size: float, boxes: Boxes, settings: CarveSettings, backend: str
) -> Forecast | None:
    longest = _longest(bounds)
    if not longest > 0 or not 0 < voxel_size <= longest:
        return None
    added = boxes.added(settings)
    if added.any():
        every = np.concatenate([bounds[None], boxes.swept(boxes.radii(longest, settings))[added]])
        bounds = np.stack([every[:, 0].min(axis=0), every[:, 1].max(axis=0)])
    try:
        grid = plan_grid(bounds, voxel_size)
    except InputError:
        return None
    z, y, x = grid.shape
    half_width = HALF_WIDTH if settings.result == "VOLUME" else 0.0
    # All steps share one grid.
    memory = rough_bytes(grid.shape, backend, _merges_faces(settings), half_width)
    return Forecast((x, y, z), memory, boxes.steps(settings) * rough_faces(grid.shape))


def _merges_faces(settings: CarveSettings) -> bool:
    return settings.result != "VOLUME" and bool(settings.adaptivity or settings.tolerance)


def _refusals(
    context: bpy.types.Context,
    sides: Sequence[float],
    sizes: Sequence[float],
    settings: CarveSettings,
    memory: int,
    allowed: int,
) -> list[str]:
    sentences = []
    each = list(zip(sizes, sides, strict=True))
    if any(longest == 0 for longest in sides):
        sentences.append(interface_text("The stock has no size"))
    elif not settings.voxel_size > 0 and settings.size_mode == "SIZE":
        sentences.append(interface_text("The voxel size must be more than 0"))
    elif any(size > longest for size, longest in each):
        side = length_text(context.scene, min(sides)) if context.scene else ""
        sentence = interface_text("Voxels are larger than the stock, whose longest side is {side}")
        sentences.append(sentence.format(side=side))
    elif any(longest / size >= 2**31 for size, longest in each):
        sentences.append(interface_text("Voxels are too small for the size of the stock"))
    elif memory > allowed:
        sentence = interface_text("That is more memory than the {memory} allowed: use larger voxels")
        sentences.append(sentence.format(memory=memory_texts(allowed, memory)[0]))
    if settings.radius_mode == "VALUE" and not settings.radius > 0:
        sentences.append(interface_text("The radius must be more than 0"))
    if settings.result == "VOLUME":
        refusal = volume_refusal(settings.volume_folder)
        sentences += [refusal] if refusal else []
    return sentences


def _missed(found: Selection, stocks: Floats, boxes: Boxes, radii: Sequence[Floats]) -> list[str]:
    """A sentence about the stocks that no path's box touches."""
    names = []
    for stock, bounds, each in zip(found.stocks, stocks, radii, strict=True):
        swept = boxes.swept(each)
        if not ((swept[:, 0] <= bounds[1]) & (swept[:, 1] >= bounds[0])).all(axis=1).any():
            names.append(stock.name)
    if not names:
        return []
    if len(names) == 1:
        return [interface_text("No path reaches '{name}'").format(name=names[0])]
    return [interface_text("No path reaches '{name}' and {count} more").format(name=names[0], count=len(names) - 1)]


def _resolution(sides: Sequence[float], sizes: Sequence[float]) -> int:
    """The most voxels along the longest side of a stock."""
    counts = [side / size for side, size in zip(sides, sizes, strict=True) if size > 0]
    return round(max(counts, default=0))


def _longest(bounds: Floats) -> float:
    return float((bounds[1] - bounds[0]).max())
