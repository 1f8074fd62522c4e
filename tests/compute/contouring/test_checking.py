"""Points near others, against all distances between their cells."""

import numpy as np
import pytest

from voxel_carve.compute.contouring.checking import CellsNear


@pytest.mark.parametrize("apart", [0, 100_000])
def test_points_are_near_others_in_the_same_cell_or_beside_it(apart):
    random = np.random.default_rng(3)
    others, points = random.uniform(-1, 12, (40, 3)), random.uniform(-2, 14, (3000, 3))
    # In two places that are so far apart that no grid of both would fit into memory.
    others[::2] += apart
    points[::2] += apart
    cells_apart = np.abs(np.floor(points)[:, None] - np.floor(others)[None]).max(axis=2)
    expected = (cells_apart <= 1).any(axis=1)
    assert 0 < expected.sum() < len(points)
    assert np.array_equal(CellsNear.to(others).has(points), expected)


def test_nothing_is_near_no_points():
    assert not CellsNear.to(np.empty((0, 3))).has(np.zeros((4, 3))).any()
