"""Volumes that a sweep shares with a half space or a box, without a mesh: by integrals over discs and columns."""

from itertools import pairwise

import numpy as np
import numpy.typing as npt
from scipy.integrate import quad

Array = npt.NDArray[np.float64]


def disc_below(radius: float, depth: float) -> float:
    """Area of the part of a disc that lies below a line, with its centre so far below it."""
    if abs(depth) >= radius:
        return np.pi * radius**2 if depth > 0 else 0.0
    return radius**2 * (np.pi - np.arccos(depth / radius)) + depth * np.sqrt(radius**2 - depth**2)


def cone_below(first: float, last: float, first_radius: float, last_radius: float, depth: float) -> float:
    """Volume of the part of a round cone along x, from `first` to `last`, that lies below a horizontal plane.

    It is the integral of `disc_below` over the cross-sections: of the two balls, and of the cone that touches both.
    """
    slope = (first_radius - last_radius) / (last - first)
    low, high = first + first_radius * slope, last + last_radius * slope
    touching = np.sqrt(1 - slope**2) * np.array([first_radius, last_radius])

    def radius(x: float) -> float:
        if x < low:
            return float(np.sqrt(max(first_radius**2 - (x - first) ** 2, 0)))
        if x > high:
            return float(np.sqrt(max(last_radius**2 - (x - last) ** 2, 0)))
        return float(np.interp(x, [low, high], touching))

    bends = [low, high]
    for centre, ball in ((first, first_radius), (last, last_radius)):
        if ball > abs(depth):
            bends += [centre - np.sqrt(ball**2 - depth**2), centre + np.sqrt(ball**2 - depth**2)]
    if min(touching) < abs(depth) < max(touching):
        bends.append(low + (abs(depth) - touching[0]) / (touching[1] - touching[0]) * (high - low))
    ends = (first - first_radius, last + last_radius)
    places = sorted({*ends, *(place for place in bends if ends[0] < place < ends[1])})
    pieces = pairwise(places)
    return sum(quad(lambda x: disc_below(radius(x), depth), a, b, epsabs=1e-13, epsrel=1e-13)[0] for a, b in pieces)


def tubes_in_box(points: Array, radius: float, high: Array, count: int = 800) -> float:
    """Volume of the two capsules along three points (3, 3) that lies in a box from the origin to `high` (3,).

    Each capsule cuts a column along z in one interval, known in closed form. Columns are summed by the midpoint rule.
    """
    low, top = np.maximum(points.min(axis=0) - radius, 0), np.minimum(points.max(axis=0) + radius, high)
    size = (top - low)[:2] / count
    x, y = np.meshgrid(*(low[axis] + (np.arange(count) + 0.5) * size[axis] for axis in range(2)))
    one, other = (_clipped(*_interval(x, y, *points[first : first + 2], radius), high[2]) for first in (0, 1))
    both = np.maximum(one[0], other[0]), np.minimum(one[1], other[1])
    lengths = [np.maximum(stop - start, 0).sum() for start, stop in (one, other, both)]
    return float((lengths[0] + lengths[1] - lengths[2]) * size.prod())


def _clipped(low: Array, high: Array, top: float) -> tuple[Array, Array]:
    return np.maximum(low, 0), np.minimum(high, top)


def _interval(x: Array, y: Array, start: Array, end: Array, radius: float) -> tuple[Array, Array]:
    """The lowest and the highest z of a capsule over each place; infinite the wrong way round where there is none."""
    low, high = np.full(x.shape, np.inf), np.full(x.shape, -np.inf)

    def take(z: Array, there: npt.NDArray[np.bool_]) -> None:
        low[there], high[there] = np.minimum(low, z)[there], np.maximum(high, z)[there]

    for centre in (start, end):
        square = radius**2 - (x - centre[0]) ** 2 - (y - centre[1]) ** 2
        for side in (-1, 1):
            take(centre[2] + side * np.sqrt(np.maximum(square, 0)), square >= 0)
    length = float(np.linalg.norm(end - start))
    axis = (end - start) / length
    # |q|^2 - (q . axis)^2 = radius^2 for q = (x, y, z) - start is quadratic in z.
    ox, oy = x - start[0], y - start[1]
    along = ox * axis[0] + oy * axis[1]
    a, b = 1 - axis[2] ** 2, -along * axis[2]
    square = b * b - a * (ox**2 + oy**2 - along**2 - radius**2)
    for side in (-1, 1):
        z = (-b + side * np.sqrt(np.maximum(square, 0))) / a
        place = along + z * axis[2]
        take(start[2] + z, (square >= 0) & (place >= 0) & (place <= length))
    return low, high
