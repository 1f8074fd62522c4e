"""A sample of the bricks tells how much surface there is, before any of it is made."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ..field.fields import Field
from ..model.bricks import BRICK_SIZE, BRICK_VOXELS

LEAST_BRICKS = 2048  # of a job, for a sample to be worth its while
# Of each kind, one brick in so many is looked at: at least so many, and at most.
ONE_IN, LEAST, MOST = 16, 256, 1024
# Of a brick among thin tubes, measured: vertices, and edges at borders.
CROWDED, CROWDED_BORDERS = 80, 8
FAR_APART = 1 << 30  # from the number of any segment
DOUBT = 2.0  # standard errors that are added
SEED = 1

Indices = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class SurfaceSample:
    """What the surface will be made of, rather more than less.

    Attributes:
        vertices: about how many it will have.
        border_edges: about how many edges between voxels cross it where two smooth parts of it meet.
    """

    vertices: int
    border_edges: int


def sample_surface(
    bricks: Indices, with_both: npt.NDArray[np.bool_], field_in: Callable[[Indices], Field]
) -> SurfaceSample:
    """A sample of the bricks (B,) of a job, ids in ascending order. Of a small job, a guess that is rather large.

    Args:
        with_both: (B,) those with surfaces of both stock and sweep.
        field_in: the result's field in some of the bricks, ids in ascending order. Called once.
    """
    if len(bricks) < LEAST_BRICKS:
        return SurfaceSample(CROWDED * len(bricks), CROWDED_BORDERS * len(bricks))
    groups = bricks[with_both], bricks[~with_both]
    chosen = [group[spread_rows(len(group))] for group in groups]
    ids = np.sort(np.concatenate(chosen))
    crossed, at_border = crossed_edges(field_in(ids))
    rows = [np.searchsorted(ids, each) for each in chosen]
    totals = [
        sum(_total(each[own], len(group)) for own, group in zip(rows, groups, strict=True) if len(group))
        for each in (crossed, at_border)
    ]
    return SurfaceSample(*map(round, totals))


def spread_rows(count: int) -> Indices:
    """Some of `count` rows, ascending: one from each of as many equal runs, at random, but always the same."""
    most = min(count, max(LEAST, min(MOST, count // ONE_IN)))
    place = np.random.default_rng(SEED).random(most) if count > most else 0.0
    rows = np.asarray((np.arange(most) + place) * count / max(most, 1), dtype=np.int64)
    return np.unique(rows)  # runs of less than two rows share some


def crossed_edges(field: Field) -> tuple[Floats, Floats]:
    """(B,) about how many edges between voxels the surface crosses in each brick: all, and those at a border.

    Each crossed edge has a quad, and a closed mesh of quads has about as many vertices. There is a border between stock
    and sweep, and between two segments that do not follow each other. The edges to the next bricks are not looked at.
    """
    code, order = field.primitives().ravel(), np.append(field.segments.order, FAR_APART)
    inside = (field.distances() <= 0).reshape(-1, BRICK_SIZE, BRICK_SIZE, BRICK_SIZE)
    counts = np.zeros((2, len(inside)))
    crossed = np.zeros_like(inside)
    for axis in (1, 2, 3):
        # Edges from the last voxel of a row, of which the other end is not here, are none.
        here, there = np.moveaxis(inside, axis, 1), np.moveaxis(crossed, axis, 1)
        np.not_equal(here[:, :-1], here[:, 1:], out=there[:, :-1])
        there[:, -1] = False
        voxel = np.flatnonzero(crossed)
        place = [_place(code.take(end), order) for end in (voxel, voxel + BRICK_SIZE ** (3 - axis))]
        apart = abs(place[0] - place[1]) > 1
        for number, counted in enumerate((voxel, voxel[apart])):
            counts[number] += np.bincount(counted // BRICK_VOXELS, minlength=len(inside))
    return counts[0] * BRICK_SIZE / (BRICK_SIZE - 1), counts[1] * BRICK_SIZE / (BRICK_SIZE - 1)


def _place(code: npt.NDArray[np.int32], order: npt.NDArray[np.integer]) -> Indices:
    """(N,) places of segments along their paths, by their codes; far from all of these for a triangle."""
    return np.where(code < 0, order.take(-1 - np.minimum(code, -1), mode="clip"), -FAR_APART).astype(np.int64)


def _total(values: Floats, count: int) -> float:
    """The sum over `count` bricks, from a sample (N,) of them, with its doubt added."""
    if len(values) == count:
        return float(values.sum())
    # A sample without an exception may have missed one.
    doubt = DOUBT * float(values.std(ddof=1)) / len(values) ** 0.5 + float(values.max() == 0) / len(values)
    return count * (float(values.mean()) + doubt)
