"""Curves to polylines, without bpy.

Every kind of curve is first converted to *spans*: rational Bezier pieces of one degree, in homogeneous coordinates. One
error bound then governs the sampling of all of them.

Spans are (S, degree + 1, 5) float64: span, control point, (w x, w y, w z, w radius, w). The radius is interpolated like
a coordinate, so that its error stays under the same tolerance.
"""

import sys
from dataclasses import dataclass, field
from math import comb

import numpy as np
import numpy.typing as npt

from ...compute import InputError
from ...compute.runtime import Length
from .shown_part import ShownPart, shown_spans

Floats = npt.NDArray[np.float64]

# Blender interpolates the radius along a Bezier spline as a cardinal spline with tension 0.71 or a uniform B-spline.
# The columns hold the coefficients of 1, t, t^2 and t^3; the rows belong to the four control values around a piece.
_CARDINAL_TENSION = 0.71
_RADIUS_WEIGHTS = {
    "CARDINAL": np.array(
        [
            [0, -_CARDINAL_TENSION, 2 * _CARDINAL_TENSION, -_CARDINAL_TENSION],
            [1, 0, _CARDINAL_TENSION - 3, 2 - _CARDINAL_TENSION],
            [0, _CARDINAL_TENSION, 3 - 2 * _CARDINAL_TENSION, _CARDINAL_TENSION - 2],
            [0, 0, -_CARDINAL_TENSION, _CARDINAL_TENSION],
        ]
    ),
    "BSPLINE": np.array([[1, -3, 3, -1], [4, 0, -6, 3], [1, 3, 3, -3], [0, 0, 0, 1]]) / 6,
}
# Cubic polynomial coefficients to Bernstein coefficients.
_TO_BERNSTEIN = np.array([[1, 1, 1, 1], [0, 1 / 3, 2 / 3, 1], [0, 0, 1 / 3, 1], [0, 0, 0, 1]])
# Radii that are positive at the ends of spans can overshoot below zero between them. They are clamped to this fraction
# of the smallest end radius.
_LEAST_RADIUS = 0.01
# Below this fraction of the curve's extent, Blender's own float32 coordinates are no longer smooth.
_FINEST_TOLERANCE = 1e-7
# A sweep of more segments takes tens of gigabytes: the voxels are too small by mistake.
MOST_POINTS = 10_000_000
# Greatest distance of an outline in a plane from its polyline, relative to its extent.
_OUTLINE_CHORD = 1e-3
_POINTS_PER_BLOCK = 1 << 17


@dataclass(frozen=True)
class Spline:
    """One curve, given by its N control points.

    Attributes:
        kind: POLY, BEZIER, NURBS, CATMULL_ROM, or BALLS, whose points are not joined.
        points, radii: (N, 3) and (N,) control points.
        cyclic: whether the last point is joined to the first.
        left, right: (N, 3) handles (Bezier only).
        interpolation: of the radius (Bezier only): LINEAR, CARDINAL, BSPLINE or EASE.
        weights: (N,) weights of the control points (NURBS only).
        order: degree + 1 (NURBS only).
        endpoint, bezier: the kind of knots of a NURBS; see `nurbs_knots`.
        unit_radius: length of a radius of 1 in the space of the points; 0 if the object or the carve gives it.
        shown: the part that Blender shows, None for all of it.
    """

    kind: str
    points: Floats
    radii: Floats
    cyclic: bool = False
    left: Floats = field(default_factory=lambda: np.empty((0, 3)))
    right: Floats = field(default_factory=lambda: np.empty((0, 3)))
    interpolation: str = "LINEAR"
    weights: Floats = field(default_factory=lambda: np.empty(0))
    order: int = 4
    endpoint: bool = False
    bezier: bool = False
    unit_radius: float = 0.0
    shown: ShownPart | None = None


def sample(spline: Spline, tolerance: float) -> tuple[Floats, Floats]:
    """The shown part of a spline as a polyline whose chords stay within the tolerance: points (M, 3) and radii (M,).

    What `spans_of` has no spans for is the polyline of its control points.

    Raises:
        InputError: as `flatten`.
    """
    if spline.shown is None and spline.kind == "POLY":
        return spline.points, spline.radii
    spans = spans_of(spline)
    if spans is None:
        return spline.points, spline.radii
    if spline.shown is not None:
        spans = shown_spans(spans, spline.shown)
    return flatten(spans, tolerance, spline.cyclic)


def spans_of(spline: Spline) -> Floats | None:
    """All spans of a spline; None for balls, a single point, and a NURBS with fewer points than its order."""
    points, radii, cyclic = spline.points, spline.radii, spline.cyclic
    if len(points) < 2 or spline.kind == "BALLS" or (spline.kind == "NURBS" and len(points) < spline.order):
        return None
    if spline.kind == "POLY":
        line = np.column_stack([points, radii])
        return _homogeneous(_four_around(line, cyclic)[:, 1:3])
    if spline.kind == "BEZIER":
        return bezier_spans(points, spline.left, spline.right, radii, cyclic, spline.interpolation)
    if spline.kind == "CATMULL_ROM":
        return catmull_rom_spans(points, radii, cyclic)
    knots = nurbs_knots(len(points), spline.order, cyclic, spline.endpoint, spline.bezier)
    spans = nurbs_spans(points, radii, spline.weights, spline.order, cyclic, knots)
    return spans if len(spans) else None


def outline_in_plane(spline: Spline) -> Floats:
    """(N, 2) points along a spline that is drawn in the plane of x and y, as a fill and a bevel object are."""
    points, _ = sample(spline, _OUTLINE_CHORD * float(np.ptp(spline.points, axis=0).max(initial=0.0)))
    return points[:, :2]


def bezier_spans(
    points: Floats, left: Floats, right: Floats, radii: Floats, cyclic: bool = False, interpolation: str = "LINEAR"
) -> Floats:
    """Spans of a cubic Bezier spline.

    Args:
        points, left, right: (N, 3) control points with their handles, N at least 2.
        radii: (N,) radius at each control point.
        cyclic: whether the last point is joined to the first.
        interpolation: of the radius, as Blender names it: LINEAR, CARDINAL, BSPLINE or EASE.

    Returns:
        (S, 4, 5): N spans if cyclic, else N - 1.
    """
    start = np.arange(len(points) if cyclic else len(points) - 1)
    stop = (start + 1) % len(points)
    position = np.stack([points[start], right[start], left[stop], points[stop]], axis=1)
    first, last = radii[start], radii[stop]
    if interpolation in _RADIUS_WEIGHTS:
        around = _four_around(radii[:, None], cyclic)[..., 0]
        radius = around @ (_RADIUS_WEIGHTS[interpolation] @ _TO_BERNSTEIN)
    elif interpolation == "EASE":
        radius = np.stack([first, first, last, last], axis=1)
    else:
        radius = np.stack([first, (2 * first + last) / 3, (first + 2 * last) / 3, last], axis=1)
    return _homogeneous(np.concatenate([position, radius[..., None]], axis=2))


def catmull_rom_spans(points: Floats, radii: Floats, cyclic: bool = False) -> Floats:
    """Spans (S, 4, 5) of a uniform Catmull-Rom spline (Catmull and Rom, 1974) through (N, 3) points, N at least 2.

    At an open end the first or last point counts twice. The radius runs along the same spline.
    """
    before, first, last, after = np.moveaxis(_four_around(np.column_stack([points, radii]), cyclic), 1, 0)
    return _homogeneous(np.stack([first, first + (last - before) / 6, last - (after - first) / 6, last], axis=1))


def nurbs_knots(count: int, order: int, cyclic: bool = False, endpoint: bool = False, bezier: bool = False) -> Floats:
    """The knots that Blender gives a NURBS curve.

    Args:
        count: number of control points.
        order: degree + 1.
        cyclic: whether the last points are joined to the first; `order - 1` of them count twice.
        endpoint: whether the curve touches its first and last control point.
        bezier: whether inner knots are repeated, so that the curve is a chain of Bezier pieces.

    Returns:
        (count + order,) float64, not decreasing; (count + 2 order - 1,) if cyclic.
    """
    tail = 2 * order - 1 if cyclic else order if endpoint else 0
    body = count if cyclic or endpoint else count + order
    repeats = order - 1 if bezier else 1
    lead = 1 if endpoint and cyclic else 0
    head = order - lead if endpoint else min(2, repeats) if bezier else 1
    place = np.arange(body + 1) - lead
    knots = np.where(place < 0, 0, lead + np.maximum(0, (place - head) // repeats + 1)).astype(np.float64)
    following = knots[body]
    knots = np.concatenate([knots[:body], np.zeros(tail)])
    for i in range(tail):
        knots[body + i] = following + knots[i] - knots[0]
    return knots


def nurbs_spans(points: Floats, radii: Floats, weights: Floats, order: int, cyclic: bool, knots: Floats) -> Floats:
    """The exact spans of a NURBS curve, one between each two different knots.

    The control points of a span are values of the curve's polar form at the span's two knots (Ramshaw, 1987).

    Args:
        points, radii, weights: (N, 3), (N,) and (N,), N at least `order`. The weights apply to the radii too.
        order: degree + 1.
        cyclic: whether the last points are joined to the first.
        knots: as `nurbs_knots` gives them.

    Returns:
        (S, order, 5).
    """
    degree = order - 1
    control = np.column_stack([points, radii, np.ones(len(points))]) * weights[:, None]
    place = np.arange(degree, len(points) + degree if cyclic else len(points))
    place = place[knots[place] < knots[place + 1]]
    low, high = knots[place], knots[place + 1]
    spans = np.empty((len(place), order, 5))
    for j in range(order):
        arguments = [low] * (degree - j) + [high] * j
        polar = control[(place[:, None] + np.arange(-degree, 1)) % len(points)]
        for level, argument in enumerate(arguments, start=1):
            inner = place[:, None] + np.arange(level - degree, 1)
            begin, end = knots[inner], knots[inner + order - level]
            share = ((argument[:, None] - begin) / (end - begin))[..., None]
            polar = (1 - share) * polar[:, :-1] + share * polar[:, 1:]
        spans[:, j] = polar[:, 0]
    return spans


def flatten(spans: Floats, tolerance: float, cyclic: bool = False) -> tuple[Floats, Floats]:
    """A polyline along spans.

    Each span is cut into equal steps of its parameter, so many that position and radius together stay within the
    tolerance of the chords. The number follows from Wang's bound, extended to rational curves by Zheng and Sederberg
    (2000).

    Args:
        spans: (S, degree + 1, 5), each ending where the next begins.
        tolerance: greatest distance from the curve, in Blender units; at least 1e-7 of the curve's extent is used.
        cyclic: whether the last span ends where the first begins; that point is not repeated.

    Returns:
        points (N, 3) and radii (N,).

    Raises:
        InputError: N would exceed MOST_POINTS; nothing was allocated.
    """
    steps = _steps(spans, tolerance)
    if steps.sum() > MOST_POINTS:
        raise InputError(
            "a curve would take {count:,} points, {tolerance} from it at most: use larger voxels",
            count=steps.sum(),
            tolerance=Length(tolerance),
        )
    span = np.repeat(np.arange(len(spans)), steps)
    first = np.cumsum(steps) - steps
    parameter = (np.arange(len(span)) - first[span]) / steps[span]
    line = _evaluate(spans, span, parameter)
    if not cyclic:
        line = np.vstack([line, spans[-1, -1, :4] / spans[-1, -1, 4]])
    end_radii = spans[:, [0, -1], 3] / spans[:, [0, -1], 4]
    return line[:, :3], np.maximum(line[:, 3], _LEAST_RADIUS * np.min(end_radii))


def _steps(spans: Floats, tolerance: float) -> npt.NDArray[np.int64]:
    """(S,) the number of equal parameter steps that each span needs."""
    degree = spans.shape[1] - 1
    if degree < 2:
        return np.ones(len(spans), dtype=np.int64)
    weights = spans[..., 4:]
    position = spans[..., :4] / weights
    low, high = position.min(axis=(0, 1)), position.max(axis=(0, 1))
    tolerance = max(tolerance, _FINEST_TOLERANCE * float(np.linalg.norm(high - low)), sys.float_info.min)
    centred = position - (position.min(axis=1, keepdims=True) + position.max(axis=1, keepdims=True)) / 2
    bend = np.linalg.norm(np.diff(centred * weights, n=2, axis=1), axis=2).max(axis=1)
    weight_bend = np.abs(np.diff(weights, n=2, axis=1)).max(axis=(1, 2))
    reach = np.linalg.norm(centred, axis=2).max(axis=1)
    bound = degree * (degree - 1) / 8 * (bend + reach * weight_bend) / weights.min(axis=(1, 2))
    steps: npt.NDArray[np.int64] = np.maximum(1, np.ceil(np.sqrt(bound / tolerance))).astype(np.int64)
    return steps


def _evaluate(spans: Floats, span: npt.NDArray[np.int64], parameter: Floats) -> Floats:
    """(N, 4) positions and radii, for span indices (N,) and parameters (N,) in [0, 1]."""
    degree = spans.shape[1] - 1
    power = np.arange(degree + 1)
    binomial = np.array([comb(degree, int(i)) for i in power])
    line = np.empty((len(span), 4))
    for start in range(0, len(span), _POINTS_PER_BLOCK):
        block = slice(start, start + _POINTS_PER_BLOCK)
        t = parameter[block, None]
        bernstein = binomial * t**power * (1 - t) ** (degree - power)
        value = np.einsum("ni,nic->nc", bernstein, spans[span[block]])
        line[block] = value[:, :4] / value[:, 4:]
    return line


def _four_around(values: Floats, cyclic: bool) -> Floats:
    """(S, 4, C): the control values before, at the two ends of, and after each piece; open ends count twice."""
    count = len(values)
    index = np.arange(count if cyclic else count - 1)[:, None] + np.arange(-1, 3)
    around: Floats = values[index % count if cyclic else np.clip(index, 0, count - 1)]
    return around


def _homogeneous(spans: Floats) -> Floats:
    """Plain spans (S, degree + 1, 4) with a weight of one appended."""
    return np.concatenate([spans, np.ones((*spans.shape[:2], 1))], axis=2)
