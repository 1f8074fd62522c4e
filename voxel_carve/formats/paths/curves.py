"""Curves in the plane as files draw them, and polylines along them. A point is a complex number, x + iy."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

# Greatest distance of a curve from its polyline, by the longest side of the drawing.
TOLERANCE = 1e-4
# However small a curve is, it gets so many segments, and an arc one for each of these angles.
FEWEST, WIDEST = 4, math.pi / 12


@dataclass(frozen=True)
class Affine:
    """The map p -> turn * p + mirror * conjugate(p) + shift; every affine map of the plane is one."""

    turn: complex = 1.0
    mirror: complex = 0.0
    shift: complex = 0.0

    @classmethod
    def of(cls, a: float, b: float, c: float, d: float, e: float, f: float) -> "Affine":
        """The map (x, y) -> (a x + c y + e, b x + d y + f)."""
        return cls(complex(a + d, b - c) / 2, complex(a - d, b + c) / 2, complex(e, f))

    def __call__(self, point: complex) -> complex:
        """The image of a point."""
        return self.vector(point) + self.shift

    def vector(self, vector: complex) -> complex:
        """The image of a difference of points."""
        return self.turn * vector + self.mirror * vector.conjugate()

    def after(self, inner: "Affine") -> "Affine":
        """The map that first does `inner`."""
        return Affine(
            self.turn * inner.turn + self.mirror * inner.mirror.conjugate(),
            self.turn * inner.mirror + self.mirror * inner.turn.conjugate(),
            self(inner.shift),
        )


@dataclass(frozen=True)
class Arc:
    """The points centre + cosine * cos(t) + sine * sin(t) for t from `start` over `sweep`, in radians."""

    centre: complex
    cosine: complex
    sine: complex
    start: float
    sweep: float

    def at(self, angles: npt.NDArray[np.float64]) -> npt.NDArray[np.complex128]:
        """(N,) the points at angles (N,)."""
        return self.centre + self.cosine * np.cos(angles) + self.sine * np.sin(angles)

    def placed(self, place: Affine) -> "Arc":
        """Its image."""
        return Arc(place(self.centre), place.vector(self.cosine), place.vector(self.sine), self.start, self.sweep)


# A piece goes on from the end of the one before: the control points of a Bézier curve of degree 1 to 3 without the
# first, or an arc that begins there.
Piece = tuple[complex, ...] | Arc


@dataclass(frozen=True)
class Curve:
    """A curve of several pieces.

    Attributes:
        start: its first point.
        pieces: one after the other.
        closed: whether its end is joined to its start.
        label: its name in the file.
    """

    start: complex
    pieces: Sequence[Piece]
    closed: bool = False
    label: str = ""

    def placed(self, place: Affine, label: str) -> "Curve":
        """Its image, with another name."""
        pieces = [
            piece.placed(place) if isinstance(piece, Arc) else tuple(place(point) for point in piece)
            for piece in self.pieces
        ]
        return Curve(place(self.start), pieces, self.closed, label)

    def is_within(self, largest: float) -> bool:
        """Whether the coordinates of its control points, and of points along its arcs, are numbers of at most this."""
        # Written so that NaN fails.
        return all(abs(point.real) <= largest and abs(point.imag) <= largest for point in _outline(self))


def longest_side(curves: Sequence[Curve]) -> float:
    """The longest side of a box about the control points of curves, and about their arcs."""
    low, high = complex(math.inf, math.inf), complex(-math.inf, -math.inf)
    for curve in curves:
        for point in _outline(curve):
            low = complex(min(low.real, point.real), min(low.imag, point.imag))
            high = complex(max(high.real, point.real), max(high.imag, point.imag))
    return max(high.real - low.real, high.imag - low.imag, 0.0)


def polyline(curve: Curve, tolerance: float) -> npt.NDArray[np.complex128]:
    """(N,) points along a curve, each chord of which is off by at most `tolerance`. Of a closed one, the first point
    does not come again at the end."""
    points: list[complex] = [curve.start]
    for piece in curve.pieces:
        if isinstance(piece, Arc):
            points.extend(_along_arc(piece, tolerance))
        elif len(piece) == 1:
            points.append(piece[0])
        else:
            points.extend(_along_bezier((points[-1], *piece), tolerance))
    near = 1e-9 * max(abs(points[0]), abs(points[-1]), tolerance)
    if curve.closed and len(points) > 2 and abs(points[-1] - points[0]) <= near:
        points.pop()
    return np.array(points)


def _outline(curve: Curve) -> Iterator[complex]:
    yield curve.start
    for piece in curve.pieces:
        if isinstance(piece, Arc):
            yield from piece.at(piece.start + piece.sweep * np.linspace(0, 1, 17)).tolist()
        else:
            yield from piece


def _along_arc(arc: Arc, tolerance: float) -> Iterator[complex]:
    """Points of an arc after its first. The chord of an angle t of a circle is off by r (1 - cos(t / 2))."""
    radius = abs(arc.cosine) + abs(arc.sine) if arc.cosine.conjugate() * arc.sine != 0 else 0.0
    radius = max(abs(arc.cosine), abs(arc.sine)) if _is_square(arc) else radius
    step = 2 * math.acos(max(1 - tolerance / radius, 0.0)) if radius > 0 else math.pi
    count = math.ceil(abs(arc.sweep) / min(max(step, 1e-4), WIDEST) - 1e-9)
    yield from arc.at(arc.start + arc.sweep * np.arange(1, max(count, 1) + 1) / max(count, 1)).tolist()


def _is_square(arc: Arc) -> bool:
    """Whether the two radii of an arc are perpendicular."""
    dot = (arc.cosine.conjugate() * arc.sine).real
    return abs(dot) <= 1e-9 * abs(arc.cosine) * abs(arc.sine)


def _along_bezier(control: tuple[complex, ...], tolerance: float) -> Iterator[complex]:
    """Points of a Bézier curve after its first. Cut into n parts, chords are off by at most k (k - 1) / (8 n^2) times
    the greatest second difference of the control points, k the degree (Wang 1984)."""
    degree = len(control) - 1
    bend = max(abs(a - 2 * b + c) for a, b, c in zip(control, control[1:], control[2:], strict=False))
    count = 1 if bend == 0 else max(FEWEST, math.ceil(math.sqrt(degree * (degree - 1) / 8 * bend / tolerance)))
    t = np.arange(1, count + 1) / count
    points = np.zeros(count, dtype=np.complex128)
    for number, point in enumerate(control):
        points += math.comb(degree, number) * t**number * (1 - t) ** (degree - number) * point
    points[-1] = control[-1]
    yield from points.tolist()
