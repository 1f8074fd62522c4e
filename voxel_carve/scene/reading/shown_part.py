"""A part of a spline, cut out of its spans: what Blender shows of one whose bevel starts late or ends early.

*Places* along a spline are counted in spans: 2.5 is the middle of the third.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class ShownPart:
    """A part of a spline, by places along it.

    A *step* lies between two neighbouring points of Blender's polyline, and its radius is linear. Where one is cut,
    what is left has the radii of both its ends: that is how Blender shows it.

    Attributes:
        start, end: where the part begins and ends, `start` before `end`.
        first, last: the places between which lie the steps that hold `start` and `end`; they may be the same.
    """

    start: float
    end: float
    first: tuple[float, float]
    last: tuple[float, float]


def shown_spans(spans: Floats, part: ShownPart) -> Floats:
    """The spans (P, degree + 1, 5) of a part of a spline, from those of the whole (S, degree + 1, 5)."""
    if part.first == part.last:
        return _step_spans(spans, part.start, part.end, part.first)
    return np.concatenate(
        [
            _step_spans(spans, part.start, part.first[1], part.first),
            _spans_between(spans, _borders(part.first[1], part.last[0])),
            _step_spans(spans, part.last[0], part.end, part.last),
        ]
    )


def evaluate_places(spans: Floats, places: Floats) -> Floats:
    """(N, 4) the positions and radii at places (N,)."""
    span = np.clip(np.floor(places).astype(np.int64), 0, len(spans) - 1)
    share = (places - span)[:, None, None]
    value = spans[span]
    while value.shape[1] > 1:
        value = (1 - share) * value[:, :-1] + share * value[:, 1:]
    point: Floats = value[:, 0, :4] / value[:, 0, 4:]
    return point


def _step_spans(spans: Floats, low: float, high: float, step: tuple[float, float]) -> Floats:
    """The spans between two places within a step, along which the radius goes linearly between those of its ends."""
    borders = _borders(low, high)
    part = _spans_between(spans, borders)
    radii = np.interp(borders, [low, high], evaluate_places(spans, np.array(step))[:, 3])
    share = np.linspace(0, 1, spans.shape[1])
    part[..., 3] = part[..., 4] * ((1 - share) * radii[:-1, None] + share * radii[1:, None])
    return part


def _borders(low: float, high: float) -> Floats:
    """Two places, and the ends of spans between them."""
    return np.concatenate([[low], np.arange(np.floor(low) + 1, np.ceil(high)), [high]])


def _spans_between(spans: Floats, borders: Floats) -> Floats:
    """The spans (B - 1, degree + 1, 5) between borders (B,), each two of them in one span.

    A control point is a value of the span's polar form at the two borders (Ramshaw, 1987).
    """
    low, high = borders[:-1], borders[1:]
    span = np.clip(np.floor((low + high) / 2).astype(np.int64), 0, len(spans) - 1)
    degree = spans.shape[1] - 1
    part = np.empty((len(span), degree + 1, 5))
    for j in range(degree + 1):
        polar = spans[span]
        for place in [low] * (degree - j) + [high] * j:
            share = (place - span)[:, None, None]
            polar = (1 - share) * polar[:, :-1] + share * polar[:, 1:]
        part[:, j] = polar[:, 0]
    return part
