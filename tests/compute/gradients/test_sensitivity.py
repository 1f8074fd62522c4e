"""How removed volumes change with the paths, against volumes that are known without a mesh."""

import numpy as np
import numpy.typing as npt
import pytest

from tests.compute.gradients.volumes import cone_below, tubes_in_box
from tests.shapes import box
from voxel_carve.compute import CarveCancelled, InputError, Path, Sweep, SweepGradient, carve, keep_stock, sensitivity

Array = npt.NDArray[np.float64]

HIGH = np.array([6.0, 3.0, 2.0])
STOCK = box(np.zeros(3), HIGH)
VOXEL = 0.1
# A round cone along x: first and last place, first and last radius. Its depth below the top of the stock varies, from
# closed to a shallow dent.
CONE = (1.5, 4.2, 0.7, 0.4)
DEPTHS = (0.9, 0.5, 0.2, 0.0, -0.2)
WITHIN = 0.01


def cone_path(depth: float) -> tuple[Array, Array]:
    first, last, *radii = CONE
    return np.array([[first, 1.5, HIGH[2] - depth], [last, 1.5, HIGH[2] - depth]]), np.array(radii)


def cone_truth(depth: float, step: float = 1e-4) -> Array:
    """The derivatives of the volume by the places, the radii and the depth."""
    given, steps = np.array([*CONE, depth]), step * np.eye(5)
    return np.array([(cone_below(*(given + each)) - cone_below(*(given - each))) / (2 * step) for each in steps])


def by_parameters(gradient: SweepGradient) -> Array:
    """The derivatives of a path along x by the places of its ends, their radii, and the depth of both."""
    return np.array([*gradient.d_points[:, 0], *gradient.d_radii, -gradient.d_points[:, 2].sum()])


@pytest.mark.parametrize("depth", DEPTHS)
def test_a_cone_that_breaks_through_the_top(depth):
    path = cone_path(depth)
    gradient = sensitivity(carve(STOCK, path, VOXEL), path)
    np.testing.assert_allclose(by_parameters(gradient), cone_truth(depth), rtol=WITHIN, atol=1e-9)
    np.testing.assert_allclose(gradient.d_points[:, 1], 0, atol=1e-3)


@pytest.mark.parametrize("depth", [0.2, -0.2])
def test_what_is_added_and_what_is_kept_count_with_their_signs(depth):
    path = cone_path(depth)
    removed = cone_truth(depth)
    kept = by_parameters(sensitivity(carve(STOCK, path, VOXEL, operation="intersect"), path))
    np.testing.assert_allclose(kept, -removed, rtol=WITHIN)
    # What is above the top is what would be below it, with the depth negated.
    above = cone_truth(-depth) * [1, 1, 1, 1, -1]
    added = by_parameters(sensitivity(carve(STOCK, path, VOXEL, operation="union"), path))
    np.testing.assert_allclose(added, -above, rtol=WITHIN)


def test_a_kept_stock_and_merged_faces_change_alike():
    path = cone_path(0.2)
    for result in (
        keep_stock(STOCK, Sweep.of(path), VOXEL),
        carve(STOCK, path, VOXEL, tolerance=0.1 * VOXEL),
    ):
        np.testing.assert_allclose(by_parameters(sensitivity(result, path)), cone_truth(0.2), rtol=WITHIN)


def test_a_groove_in_a_bead_belongs_to_its_own_path():
    bead, groove = (np.array([[1.0, 1.5, 2.0], [5.0, 1.5, 2.0]]), 0.9), cone_path(0.2)
    gradient = sensitivity(carve(STOCK, [bead, groove], VOXEL, operation=["union", "subtract"]), [bead, groove])
    own = SweepGradient(gradient.d_points[2:], gradient.d_radii[2:])
    np.testing.assert_allclose(by_parameters(own)[:4], cone_truth(5.0)[:4], rtol=WITHIN)
    half = -(np.pi * 0.9 * 4 + 2 * np.pi * 0.9**2) / 2  # half of the bead's area is above the top
    np.testing.assert_allclose(gradient.d_radii[:2], half, rtol=WITHIN)


@pytest.mark.parametrize("middle", [[3.0, 1.5, 1.5], [2.8, 1.8, 1.6]], ids=["straight", "bent"])
def test_a_path_that_leaves_through_the_top(middle):
    points, radius, step = np.array([[1.0, 1.5, 1.2], middle, [5.0, 1.5, 1.8]]), 0.5, 0.02

    def volume(row: int, column: int, by: float) -> float:
        there = points.copy()
        there[row, column] += by
        return tubes_in_box(there, radius, HIGH)

    gradient = sensitivity(carve(STOCK, (points, radius), VOXEL), (points, radius))
    for row, column in ((0, 2), (1, 2), (2, 2), (0, 0), (2, 0)):
        expected = (volume(row, column, step) - volume(row, column, -step)) / (2 * step)
        assert gradient.d_points[row, column] == pytest.approx(expected, rel=WITHIN), (row, column)
    wider = (tubes_in_box(points, radius + step, HIGH) - tubes_in_box(points, radius - step, HIGH)) / (2 * step)
    assert gradient.d_radii.sum() == pytest.approx(wider, rel=WITHIN)


def test_a_sweep_has_the_derivatives_of_its_ends():
    path = cone_path(0.2)
    found = sensitivity(carve(STOCK, Sweep.of(path), VOXEL), Sweep.of(path))
    np.testing.assert_allclose(by_parameters(found), cone_truth(0.2), rtol=WITHIN)


def test_paths_that_miss_the_stock_change_nothing():
    path = Path([[0, 0, 9], [1, 0, 9]], 0.3)
    gradient = sensitivity(carve(STOCK, path, 0.2), path)
    assert not gradient.d_points.any() and not gradient.d_radii.any()


def test_paths_of_another_result_are_named():
    path = cone_path(0.2)
    result = carve(STOCK, [path, (path[0] + [0, 0.8, 0], path[1])], 0.2)
    with pytest.raises(InputError, match="faces of segment 1, which the paths do not have"):
        sensitivity(result, path)


def test_it_can_be_stopped():
    def stop(stage: str, fraction: float) -> None:
        if stage == "Sensitivity":
            raise CarveCancelled

    path = cone_path(0.2)
    result = carve(STOCK, path, 0.2)
    with pytest.raises(CarveCancelled):
        sensitivity(result, path, progress=stop)
