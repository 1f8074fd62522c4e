"""What a job says of a surface that is made cell by cell: what was removed, and why nothing is left."""

import numpy as np
import pytest

from tests.compute.contouring.results import BACKEND, FAR_AWAY, path
from tests.shapes import box, hemisphere, joined, sphere
from voxel_carve.compute import EmptyResultError, TriMesh, carve
from voxel_carve.compute.model.mesh import Source

BESIDE = path([[0, 0, 10.5]], 0.6)  # in a brick of the stock, and outside of it
BLOCK = box((-8, -7, -6), (8, 7, 6))


@pytest.mark.parametrize("sweep", [FAR_AWAY, BESIDE], ids=["far away", "beside"])
@pytest.mark.parametrize(
    "stock", [BLOCK, sphere(9.3, subdivisions=3), hemisphere(9.3, 3)], ids=["box", "ball", "open hemisphere"]
)
def test_a_path_outside_removes_nothing(stock, sweep):
    report = carve(stock, sweep, 1.0, backend=BACKEND).report
    assert report.removed_volume == 0
    assert "the paths do not touch" in report.warnings[-1]


def test_a_part_that_is_carved_away_whole_counts():
    """The result has no face of the sweep."""
    result = carve(joined(BLOCK, box((20, -1, -1), (22, 1, 1))), path([[21, 0, 0]], 3), 1.0, backend=BACKEND)
    assert result.report.removed_volume == pytest.approx(8, rel=1e-9)


@pytest.mark.parametrize("depth", [0.05, 0.1, 0.15, 0.2])
def test_a_path_that_only_grazes_a_corner_counts(depth):
    """The result has no face of the sweep, and its corners do not meet those of so thin a plate."""
    plate = box((-5, -4, -0.1), (5, 4, 0.1))
    turn = np.array([[np.cos(0.1), -np.sin(0.1), 0], [np.sin(0.1), np.cos(0.1), 0], [0, 0, 1]])
    lean = np.array([[1, 0, 0], [0, np.cos(0.3), -np.sin(0.3)], [0, np.sin(0.3), np.cos(0.3)]])
    stock = TriMesh(plate.points @ (turn @ lean).T, plate.triangles)
    corner = turn @ lean @ (5, 4, 0.1)
    ball = corner + corner / np.linalg.norm(corner) * (0.3 - depth)
    result = carve(stock, path([ball], 0.3), 0.3, backend=BACKEND)
    assert not (result.surface.source == Source.PATH).any()
    assert result.report.removed_volume == pytest.approx(16 - result.report.volume, abs=1e-9) != 0


def test_a_path_inside_adds_nothing():
    assert carve(BLOCK, path([[0, 0, 0]], 3), 1.0, operation="union", backend=BACKEND).report.removed_volume == 0


SQUARE = TriMesh([[-8, -8, 0], [8, -8, 0], [8, 8, 0], [-8, 8, 0]], [[0, 1, 2], [0, 2, 3]], "Plane")
EMPTY = {
    "a plane": (SQUARE, FAR_AWAY, "subtract", "'Plane' encloses no volume"),
    "a speck": (box((0.1, 0.1, 0.1), (5, 0.2, 0.2), "Speck"), FAR_AWAY, "subtract", "'Speck' encloses no volume"),
    "carved away": (BLOCK, path([[0, 0, 0]], 30), "subtract", "the paths carve all of it away"),
    "not reached": (BLOCK, FAR_AWAY, "intersect", "the paths do not reach it"),
}


@pytest.mark.parametrize(("stock", "sweep", "operation", "message"), EMPTY.values(), ids=EMPTY)
def test_an_empty_result_says_why(stock, sweep, operation, message):
    with pytest.raises(EmptyResultError, match=message):
        carve(stock, sweep, 1.0, operation=operation, open_stock="fill", backend=BACKEND)


def test_what_was_removed_is_what_the_result_lacks():
    report = carve(BLOCK, path([[-20, 1, 2], [20, -1, 3]], 3), 1.0, backend=BACKEND).report
    assert report.removed_volume == pytest.approx(np.prod([16, 14, 12]) - report.volume, abs=1e-9)
