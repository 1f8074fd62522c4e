"""The part of a curve along which Blender makes its bevel: from the start to the end that its settings give.

Blender counts both along the points of its own polyline: by their number (Resolution), by the lengths of the segments
between control points and the number within each (Segments), or by length (Spline). Cyclic splines are shown whole.
"""

from dataclasses import dataclass, replace

import bpy
import numpy as np
import numpy.typing as npt

from .curves import Floats, Spline, nurbs_knots, spans_of
from .shown_part import ShownPart, evaluate_places

# Points of Blender's polyline that are no more apart are one. By number, this is divided by the resolution.
_APART = 1e-5
# A start and end that differ by less show nothing.
_NONE_SHOWN = float(np.finfo(np.float32).eps)

# Pieces by which lengths within a step are measured.
_PIECES = 64


@dataclass(frozen=True)
class _Steps:
    """Blender's polyline of a spline.

    Attributes:
        places: (M,) its points, as places along the spline.
        offsets: (M,) the length from the point before, 0 for the first. Where points are one, the others' are left out.
        lengths: (N,) of the segments between control points.
        counts: (N,) the number of steps in each segment.
    """

    places: Floats
    offsets: Floats
    lengths: Floats
    counts: npt.NDArray[np.int64]


def shown_splines(curve: bpy.types.Curve, originals: list[bpy.types.Spline], splines: list[Spline]) -> list[Spline]:
    """The splines of a curve that has a bevel, as far as they are shown.

    Args:
        curve: evaluated, for its settings.
        originals: the splines as Blender has them.
        splines: the same, as read from them.
    """
    start, end = curve.bevel_factor_start, curve.bevel_factor_end
    if {start, end} == {0.0, 1.0}:
        return splines
    pairs = zip(originals, splines, strict=True)
    return [part for original, spline in pairs if (part := _shown(curve, original, spline)) is not None]


def _shown(curve: bpy.types.Curve, original: bpy.types.Spline, spline: Spline) -> Spline | None:
    """A spline with the part of it that is shown; None if nothing is."""
    spans = None if spline.cyclic else spans_of(spline)
    if spans is None:
        return spline
    start, end = curve.bevel_factor_start, curve.bevel_factor_end
    mappings = curve.bevel_factor_mapping_start, curve.bevel_factor_mapping_end
    apart = _APART / original.resolution_u if set(mappings) == {"RESOLUTION"} else _APART
    steps = _steps(spline, original, spans, apart)
    low, high = sorted((_step_of(mappings[0], start, steps), _step_of(mappings[1], end, steps)))
    if abs(end - start) < _NONE_SHOWN or low == high:
        return None
    first, last = int(low), int(np.ceil(high)) - 1
    return replace(
        spline,
        shown=ShownPart(
            _place(steps, spans, first, low),
            _place(steps, spans, last, high),
            (float(steps.places[first]), float(steps.places[first + 1])),
            (float(steps.places[last]), float(steps.places[last + 1])),
        ),
    )


def _place(steps: _Steps, spans: Floats, step: int, position: float) -> float:
    """The place in this step of a position that is counted in steps: by length, as Blender cuts a straight step."""
    places = np.linspace(steps.places[step], steps.places[step + 1], _PIECES + 1)
    length = np.linalg.norm(np.diff(evaluate_places(spans, places)[:, :3], axis=0), axis=1)
    along = np.concatenate([[0.0], np.cumsum(length)])
    return float(np.interp((position - step) * along[-1], along, places))


def _step_of(mapping: str, factor: float, steps: _Steps) -> float:
    """The position of a start or end factor, counted in steps."""
    most = len(steps.places) - 1
    if mapping == "RESOLUTION":
        return factor * most
    if mapping == "SEGMENTS":
        ends, numbers = np.cumsum(steps.lengths), np.cumsum(steps.counts)
    else:
        ends, numbers = np.cumsum(steps.offsets[1:]), np.arange(1, most + 1)
    target = factor * steps.lengths.sum()
    found = int(np.searchsorted(ends, target, side="right"))
    if found == len(ends):
        return float(most)
    before, number = (ends[found - 1], numbers[found - 1]) if found else (0.0, 0)
    return float(number + (target - before) / (ends[found] - before) * (numbers[found] - number))


def _steps(spline: Spline, original: bpy.types.Spline, spans: Floats, apart: float) -> _Steps:
    """Blender's polyline of a spline with these spans; points that are `apart` at most are one."""
    places, segment = _points(spline, original)
    length = np.linalg.norm(np.diff(evaluate_places(spans, places)[:, :3], axis=0), axis=1)
    counts = length > apart
    kept = np.append(counts, True)
    number = len(spline.points) - 1
    return _Steps(
        places[kept],
        np.concatenate([[0.0], length])[kept],
        np.bincount(segment, length * counts, number).astype(np.float64),
        np.bincount(segment[counts], minlength=number),
    )


def _points(spline: Spline, original: bpy.types.Spline) -> tuple[Floats, npt.NDArray[np.int64]]:
    """The places (M,) of all points of Blender's polyline, and the segment of each of the M - 1 steps between them."""
    number, resolution = len(spline.points) - 1, original.resolution_u
    if spline.kind == "NURBS":
        knots = nurbs_knots(number + 1, spline.order, False, spline.endpoint, spline.bezier)[
            spline.order - 1 : number + 2
        ]
        borders = np.unique(knots)
        parameter = np.linspace(knots[0], knots[-1], number * resolution)
        return np.interp(parameter, borders, np.arange(len(borders))), np.arange(len(parameter) - 1) // resolution
    counts = np.ones(number, dtype=np.int64)
    if spline.kind == "BEZIER":
        straight = [
            before.handle_right_type == after.handle_left_type == "VECTOR"
            for before, after in zip(original.bezier_points[:-1], original.bezier_points[1:], strict=True)
        ]
        counts[~np.array(straight)] = resolution
    segment = np.repeat(np.arange(number), counts)
    share = (np.arange(len(segment)) - (np.cumsum(counts) - counts)[segment]) / counts[segment]
    return np.append(segment + share, float(number)), segment
