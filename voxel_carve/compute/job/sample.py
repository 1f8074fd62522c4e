"""A sample of the bricks tells how much surface there is, before any of it is made."""

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from ..field.fields import Field
from ..model.bricks import BRICK_SIZE

LEAST_BRICKS = 2048  # of a job, for a sample to be worth its while
# Of each kind, one brick in so many is looked at: at least so many, and at most.
ONE_IN, LEAST, MOST = 16, 256, 1024
CROWDED = 80  # vertices of a brick among thin tubes, measured
DOUBT = 2.0  # standard errors that are added
SEED = 1

Indices = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]


def sampled_vertices(bricks: Indices, with_both: npt.NDArray[np.bool_], field_in: Callable[[Indices], Field]) -> int:
    """About how many vertices the surface of a job will have, rather more than less. Of a small job, a guess.

    Args:
        bricks: (B,) of the job, ids in ascending order.
        with_both: (B,) those with surfaces of both stock and sweep.
        field_in: the result's field in some of the bricks, ids in ascending order. Called once.
    """
    if len(bricks) < LEAST_BRICKS:
        return CROWDED * len(bricks)
    groups = bricks[with_both], bricks[~with_both]
    chosen = [group[spread_rows(len(group))] for group in groups]
    ids = np.sort(np.concatenate(chosen))
    crossed = crossed_edges(field_in(ids))
    rows = [np.searchsorted(ids, each) for each in chosen]
    total = sum(_total(crossed[own], len(group)) for own, group in zip(rows, groups, strict=True) if len(group))
    return round(total)


def spread_rows(count: int) -> Indices:
    """Some of `count` rows, ascending: one from each of as many equal runs, at random, but always the same."""
    most = min(count, max(LEAST, min(MOST, count // ONE_IN)))
    place = np.random.default_rng(SEED).random(most) if count > most else 0.0
    rows = np.asarray((np.arange(most) + place) * count / max(most, 1), dtype=np.int64)
    return np.unique(rows)  # runs of less than two rows share some


def crossed_edges(field: Field) -> Floats:
    """(B,) about how many edges between voxels the surface crosses in each brick.

    Each crossed edge has a quad, and a closed mesh of quads has about as many vertices. The edges to the next bricks
    are not looked at.
    """
    inside = (field.distances() <= 0).reshape(-1, BRICK_SIZE, BRICK_SIZE, BRICK_SIZE)
    count = np.zeros(len(inside))
    for axis in (1, 2, 3):
        crossed = np.diff(inside, axis=axis).reshape(len(inside), -1)
        count += crossed.sum(axis=1)
    return count * BRICK_SIZE / (BRICK_SIZE - 1)


def _total(values: Floats, count: int) -> float:
    """The sum over `count` bricks, from a sample (N,) of them, with its doubt added."""
    if len(values) == count:
        return float(values.sum())
    # A sample without an exception may have missed one.
    doubt = DOUBT * float(values.std(ddof=1)) / len(values) ** 0.5 + float(values.max() == 0) / len(values)
    return count * (float(values.mean()) + doubt)
