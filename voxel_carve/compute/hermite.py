"""Where the surface crosses the edges of cells, and whose surface it is there (Hermite data: Ju, Losasso, Schaefer and
Warren 2002), from the primitives themselves.

At each end of a crossed edge the field is the distance of one primitive. The surface crosses where one of these two
does: of fields that run straight, no third one can be first. Where both cross, it is the one nearer to the inside where
the greater of the fields counts, and the one nearer to the outside where the lesser does; of two triangles, which meet
at an angle that nobody knows, the one whose plane is met nearer to the triangle.

Points are in voxels from the grid's origin. Primitives are numbered as in `Field.nearest`, and called codes here.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from .bricks import NO_PRIMITIVE
from .combining import Operation
from .segments import Segments, nearest_ball, vector_length
from .triangles import Triangles, dot

Array = npt.NDArray[np.float64]
Codes = npt.NDArray[np.int32]
Indices = npt.NDArray[np.integer]
Mask = npt.NDArray[np.bool_]

LOWEST = -(2**31)  # the number that NO_PRIMITIVE has as a segment

CROSSING_STEPS = 6
ON_SURFACE = 0.01  # voxels: after a step from here, what is left is its square by twice a radius
ROUNDING = 1e-9  # of float64, generously
ROUNDING_32 = 1e-4  # of the float32 distances that say which end is inside


class Rule(NamedTuple):
    """How two fields are made one.

    Attributes:
        carves: the sweep's outside counts.
        greatest: the greater field counts, and not the lesser.
    """

    carves: bool
    greatest: bool

    @classmethod
    def of(cls, operation: Operation) -> "Rule":
        """That of an operation."""
        return cls(operation == "subtract", operation != "union")


class Primitives(NamedTuple):
    """What distances are taken from."""

    segments: Segments
    triangles: Triangles
    rule: Rule

    def plane_values(self, which: Indices, points: Array) -> Array:
        """(N,) signed distances of points (3, N) from the planes of triangles `which` (N,)."""
        columns = self.triangles.columns.take(which, axis=1)
        return dot(columns[9:], points - columns[:3])

    def segment_values(self, which: Indices, points: Array) -> tuple[Array, Array]:
        """Signed distances (N,) of points (3, N) from segments `which` (N,); their gradients (3, N), 0 on the axis."""
        columns = self.segments.columns.take(which, axis=1)
        s, toward = nearest_ball(columns, points)
        to_centre = vector_length(toward)
        scale = np.where(to_centre > 0, 1 / np.where(to_centre > 0, to_centre, 1), 0)
        return to_centre - (columns[7] - s * columns[8]), toward * scale

    def squares_to_triangles(self, which: Indices, points: Array) -> Array:
        """(N,) squares of the distances of points (3, N) from triangles `which` (N,)."""
        return self.triangles.distance(which, points.T) ** 2


def is_known(codes: Codes) -> Mask:
    """Where a code names a primitive."""
    return (codes != NO_PRIMITIVE) & (codes != LOWEST)


def cross_edges(
    primitives: Primitives,
    distances: npt.NDArray[np.float32],
    codes: Codes,
    start: Array,
    axis: int,
) -> tuple[Array, Codes]:
    """Where the surface crosses edges of length 1 along an axis.

    Args:
        primitives: what the field is made of.
        distances, codes: (2, N) at the first and the last end of each edge: its field, and whose it is. One of the
            distances is 0 or less, and the other greater.
        start: (3, N) the first ends.
        axis: 0 is x.

    Returns:
        place: (N,) from 0 to 1; where neither primitive crosses, as if the field ran straight.
        code: (N,) int32, whose surface crosses.
    """
    first, last = distances.astype(np.float64)
    first_inside = first <= 0
    straight = first / (first - last)
    inner, outer = np.where(first_inside, codes, codes[::-1])
    same = inner == outer
    guess = np.where(same, straight, -1.0)
    inner_place = _crossings(primitives, inner, start, axis, first_inside, guess)
    outer_place = inner_place.copy()
    rest = np.flatnonzero(~same)
    outer_place[rest] = _crossings(primitives, outer[rest], start[:, rest], axis, first_inside[rest], guess[rest])

    by_inner = outer_place < 0
    both = np.flatnonzero(~same & (inner_place >= 0) & (outer_place >= 0))
    by_inner[both] = _inner_is_first(
        primitives, inner[both], outer[both], inner_place[both], outer_place[both], start[:, both], axis,
        first_inside[both],
    )  # fmt: skip
    place, code = np.where(by_inner, inner_place, outer_place), np.where(by_inner, inner, outer)
    none = place < 0
    return np.where(none, straight, place), np.where(none, outer if primitives.rule.greatest else inner, code)


def _inner_is_first(
    primitives: Primitives,
    inner: Codes,
    outer: Codes,
    inner_place: Array,
    outer_place: Array,
    start: Array,
    axis: int,
    first_inside: Mask,
) -> Mask:
    """(N,) whether the surface is that of the primitive at the inside end, where both cross."""
    carves, greatest = primitives.rule
    nearer_inside = carves | (greatest & ~((inner < 0) & (outer < 0)))
    by_inner: Mask = (inner_place < outer_place) == (first_inside == nearer_inside)
    flat = np.flatnonzero((inner >= 0) & (outer >= 0))
    squares = []
    for code, place in ((inner, inner_place), (outer, outer_place)):
        points = start[:, flat].copy()
        points[axis] += place[flat]
        squares.append(primitives.squares_to_triangles(code[flat], points))
    by_inner[flat] = squares[0] < squares[1] - ROUNDING
    return by_inner


def _crossings(
    primitives: Primitives, codes: Codes, start: Array, axis: int, first_inside: Mask, guess: Array
) -> Array:
    """(N,) where the surface of one primitive each crosses; -1 where it does not, or is not known."""
    place = np.full(len(codes), -1.0)
    flat = np.flatnonzero((codes >= 0) & is_known(codes))
    place[flat] = _plane_crossings(primitives, codes[flat], start[:, flat], axis)
    round_ = np.flatnonzero((codes < 0) & is_known(codes))
    low_first = first_inside[round_] != primitives.rule.carves
    place[round_] = _segment_crossings(primitives, -1 - codes[round_], start[:, round_], axis, low_first, guess[round_])
    return place


def _plane_crossings(primitives: Primitives, which: Indices, start: Array, axis: int) -> Array:
    steepness = primitives.triangles.columns[9 + axis].take(which)
    meets = np.abs(steepness) >= ROUNDING
    t = -primitives.plane_values(which, start) / np.where(meets, steepness, 1.0)
    meets &= (t >= -ROUNDING_32) & (t <= 1 + ROUNDING_32)
    return np.where(meets, np.clip(t, 0, 1), -1.0)


def _segment_crossings(
    primitives: Primitives, which: Indices, start: Array, axis: int, low_first: Mask, guess: Array
) -> Array:
    """By Newton's steps, kept between the ends by bisection. `low_first` (N,): the first end is nearer to the axis of
    the segment; guess (N,): where to begin, or less than 0."""
    turn = np.where(low_first, 1.0, -1.0)
    t, lost = guess.copy(), np.zeros(len(guess), dtype=bool)
    blind = np.flatnonzero(guess < 0)
    end = start[:, blind].copy()
    end[axis] += 1
    first = turn[blind] * primitives.segment_values(which[blind], start[:, blind])[0]
    last = turn[blind] * primitives.segment_values(which[blind], end)[0]
    lost[blind] = (first > ROUNDING_32) | (last < -ROUNDING_32)
    t[blind] = -first / np.maximum(last - first, ROUNDING)
    t = np.clip(t, 0, 1)
    low, high = np.zeros(len(t)), np.ones(len(t))
    active = np.flatnonzero(~lost)
    for _ in range(CROSSING_STEPS):
        points = start[:, active].copy()
        here = t[active]
        points[axis] += here
        value, gradient = primitives.segment_values(which[active], points)
        value, steepness = turn[active] * value, turn[active] * gradient[axis]
        high[active] = np.where(value > 0, here, high[active])
        low[active] = np.where(value > 0, low[active], here)
        steep = steepness > ROUNDING
        step = np.where(steep, here - value / np.where(steep, steepness, 1.0), -1.0)
        between = (low[active] < step) & (step < high[active])
        near = np.abs(value) < ON_SURFACE
        landed = np.where(steep, np.clip(step, 0, 1), here)
        t[active] = np.where(near, landed, np.where(between, step, (low[active] + high[active]) / 2))
        active = active[~near]
    t[lost] = -1
    return t
