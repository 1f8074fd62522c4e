"""The distance from a sweep and its derivatives, against brute force, finite differences and Warp's Tape."""

from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from tests.shapes import ball_union_distance
from voxel_carve.compute import CarveCancelled, InputError, Path, Sweep, sweep_distance
from voxel_carve.compute.engines.warp import nearest as warp_nearest
from voxel_carve.compute.engines.warp.device import formulas as warp_formulas
from voxel_carve.compute.formulas import round_cone

Array = npt.NDArray[np.float64]

STEP = 1e-6
# A closed path with a straight run, an open one with balls in balls and a point twice, a single ball, and a cloud.
RING = Path([[0, 0, 0], [2, 0, 0], [4, 0, 0], [4, 3, 1], [0, 3, -1]], [0.5, 0.6, 0.9, 0.4, 0.7], cyclic=True)
BEADS = Path([[0, 0, 3], [0.1, 0, 3], [1, 0, 3], [1, 0, 3], [1, 2, 3.5]], [0.2, 0.9, 0.3, 0.4, 0.4])
BALL, CLOUD = Path([[2, 1, 5]], 0.3), Path([[5, 5, 5], [5.5, 5, 5], [6, 6, 6]], [0.4, 0.3, 0.2], joined=False)
PATHS = [RING, BEADS, BALL, CLOUD]


def queries(count: int = 400, seed: int = 1) -> Array:
    return np.random.default_rng(seed).uniform(-2, 7, (count, 3))


def moved(paths: list[Path], row: int, column: int, step: float) -> list[Path]:
    """Paths with one coordinate, or with column 3 the radius, of one of all their points changed."""
    lines = [np.column_stack([path.points, path.radii]) for path in paths]
    whole = np.concatenate(lines)
    whole[row, column] += step
    parts = np.split(whole, np.cumsum([len(line) for line in lines])[:-1])
    return [
        Path(part[:, :3], part[:, 3], path.cyclic, joined=path.joined) for path, part in zip(paths, parts, strict=True)
    ]


def smooth(points: Array, paths: list[Path]) -> Array:
    """The points whose nearest segment stays the same, by far, when a point of the paths moves by STEP."""
    found = sweep_distance(points, paths)
    near = np.array([[0, 0, 1], [0, 1, 0], [1, 0, 0]]) * 100 * STEP
    same = [sweep_distance(points + sign * step, paths).segment == found.segment for step in near for sign in (1, -1)]
    return points[np.all(same, axis=0)]


def test_distances_are_those_of_many_balls():
    points = queries()
    brute = ball_union_distance(points, Sweep.of(PATHS))
    np.testing.assert_allclose(sweep_distance(points, PATHS).distance, brute, atol=2e-5)


@pytest.mark.parametrize("device", ["warp:cpu", pytest.param("cuda", marks=pytest.mark.cuda)])
def test_a_device_of_warp_finds_the_same_segments(monkeypatch, device):
    pytest.importorskip("warp")
    monkeypatch.setattr(warp_nearest, "POINTS_PER_LAUNCH", 150)
    twice = [*PATHS, *PATHS]  # segments that are equally near
    for points in (queries(), RING.points, BEADS.points, queries(0)):
        expected, found = sweep_distance(points, twice), sweep_distance(points, twice, backend=device)
        for name in ("distance", "segment", "fraction", "d_query", "ends"):
            assert np.array_equal(getattr(found, name), getattr(expected, name)), name


def test_the_derivative_by_the_point_is_that_of_finite_differences():
    points = smooth(queries(), PATHS)
    found = sweep_distance(points, PATHS)
    assert len(points) > 350
    for axis in range(3):
        step = STEP * np.eye(3)[axis]
        forth, back = (sweep_distance(points + each, PATHS).distance for each in (step, -step))
        np.testing.assert_allclose(found.d_query[:, axis], (forth - back) / (2 * STEP), atol=1e-7)


@pytest.mark.parametrize("column", range(4), ids=["x", "y", "z", "radius"])
def test_derivatives_by_all_points_and_radii_are_those_of_finite_differences(column):
    points = smooth(queries(), PATHS)
    weights = np.random.default_rng(2).normal(size=len(points))
    gradient = sweep_distance(points, PATHS).vector_jacobian_product(weights)
    by_column = np.column_stack([gradient.d_points, gradient.d_radii])[:, column]
    # Two points in one place stay a ball only if they move together.
    apart = [row for row in range(sum(len(path.points) for path in PATHS)) if row not in (7, 8)]
    for row in apart:
        forth, back = (sweep_distance(points, moved(PATHS, row, column, step)).distance for step in (STEP, -STEP))
        expected = weights @ ((forth - back) / (2 * STEP))
        assert by_column[row] == pytest.approx(expected, abs=1e-5), row


def test_derivatives_by_the_ends_are_summed_in_the_product():
    points = queries()
    found = sweep_distance(points, PATHS)
    weights = np.random.default_rng(3).normal(size=len(points))
    gradient = found.vector_jacobian_product(weights)
    d_points, d_radii = np.zeros_like(gradient.d_points), np.zeros_like(gradient.d_radii)
    np.add.at(d_points, found.ends[:, 0], weights[:, None] * found.d_start)
    np.add.at(d_points, found.ends[:, 1], weights[:, None] * found.d_end)
    np.add.at(d_radii, found.ends[:, 0], weights * found.d_start_radius)
    np.add.at(d_radii, found.ends[:, 1], weights * found.d_end_radius)
    np.testing.assert_allclose(gradient.d_points, d_points, atol=1e-12)
    np.testing.assert_allclose(gradient.d_radii, d_radii, atol=1e-12)


def test_a_ball_that_contains_the_next_one_decides_alone():
    big = Path([[0, 0, 0], [0.1, 0, 0]], [1.0, 0.2])
    for path, fraction in ((big, 0.0), (Path(big.points[::-1], big.radii[::-1]), 1.0)):
        found = sweep_distance(queries(), path)
        np.testing.assert_array_equal(found.fraction, fraction)
        np.testing.assert_allclose(found.distance, np.linalg.norm(queries(), axis=1) - 1, atol=1e-12)


def test_balls_with_one_centre_are_told_by_their_radii():
    found = sweep_distance([[3, 0, 0]], Sweep([0, 0, 0], [0, 0, 0], [0.2], [0.5]))
    assert (found.distance[0], found.fraction[0]) == (2.5, 1.0)


def test_a_point_on_the_axis_has_derivatives_by_the_radii_alone():
    found = sweep_distance([[0.25, 0, 0]], ([[0, 0, 0], [1, 0, 0]], 0.5))
    assert (found.distance[0], found.fraction[0]) == (-0.5, 0.25)
    gradient = found.vector_jacobian_product([2.0])
    np.testing.assert_array_equal(gradient.d_points, np.zeros((2, 3)))
    np.testing.assert_allclose(gradient.d_radii, [-1.5, -0.5])


def test_a_straight_run_keeps_all_its_points():
    found = sweep_distance([[0.5, 0, 3], [1.5, 0, 3]], ([[0, 0, 0], [1, 0, 0], [2, 0, 0]], 0.5))
    np.testing.assert_array_equal(found.segment, [0, 1])
    np.testing.assert_array_equal(found.ends, [[0, 1], [1, 2]])
    assert found.count == 3


def test_a_sweep_has_its_starts_and_then_its_ends():
    sweep = Sweep([[0, 0, 0], [5, 0, 0]], [[1, 0, 0], [6, 0, 0]], [0.5], [0.5])
    gradient = sweep_distance([[0, 0, 2], [6, 0, 2]], sweep).vector_jacobian_product([1, 1])
    np.testing.assert_allclose(gradient.d_points[:, 2], [-1, 0, 0, -1])
    np.testing.assert_allclose(gradient.d_radii, [-1, 0, 0, -1])


@pytest.mark.compiled
def test_derivatives_are_those_of_warps_tape():
    """Warp differentiates the formula of the distance itself, through the place of the nearest ball."""
    import warp as wp

    offset_distance = warp_formulas.double()(round_cone.offset_distance)

    @wp.kernel(module="unique", enable_backward=True)
    def run(
        points: wp.array(dtype=wp.vec3d),  # type: ignore[valid-type]
        starts: wp.array(dtype=wp.vec4d),  # type: ignore[valid-type]
        ends: wp.array(dtype=wp.vec4d),  # type: ignore[valid-type]
        out: wp.array(dtype=wp.float64),  # type: ignore[valid-type]
    ) -> None:
        n = wp.tid()
        a, b, p = starts[n], ends[n], points[n]
        way = wp.vec3d(b[0] - a[0], b[1] - a[1], b[2] - a[2])
        along = wp.length(way)
        axis = way / along
        slope = (a[3] - b[3]) / along
        tangent = slope / wp.sqrt(wp.float64(1.0) - slope * slope)
        found, _place, _to_centre = offset_distance(
            p[0] - a[0], p[1] - a[1], p[2] - a[2], axis[0], axis[1], axis[2], wp.float64(0.0), along, a[3], slope,
            tangent,
        )  # fmt: skip
        out[n] = found

    points, rng = queries(), np.random.default_rng(4)
    starts, ends = rng.uniform(0, 5, (2, len(points), 3))
    radii = rng.uniform(0.2, 0.5, (2, len(points)))
    ends[np.linalg.norm(ends - starts, axis=1) < 1] += 2
    given: list[Any] = [
        wp.array(points, dtype=wp.vec3d, device="cpu", requires_grad=True),
        wp.array(np.column_stack([starts, radii[0]]), dtype=wp.vec4d, device="cpu", requires_grad=True),
        wp.array(np.column_stack([ends, radii[1]]), dtype=wp.vec4d, device="cpu", requires_grad=True),
    ]
    out = wp.zeros(len(points), dtype=wp.float64, device="cpu", requires_grad=True)
    with wp.Tape() as tape:
        wp.launch(run, dim=len(points), inputs=[*given, out], device="cpu")
    tape.backward(grads={out: wp.ones_like(out)})
    by_point, by_start, by_end = (array.grad.numpy() for array in given)
    for n in range(len(points)):
        found = sweep_distance(points[n : n + 1], Sweep(starts[n], ends[n], [radii[0, n]], [radii[1, n]]))
        assert found.distance[0] == pytest.approx(out.numpy()[n], abs=1e-9)
        np.testing.assert_allclose(found.d_query[0], by_point[n], atol=1e-9)
        np.testing.assert_allclose([*found.d_start[0], found.d_start_radius[0]], by_start[n], atol=1e-9)
        np.testing.assert_allclose([*found.d_end[0], found.d_end_radius[0]], by_end[n], atol=1e-9)


@pytest.mark.parametrize(
    ("points", "message"),
    [
        ([[0, 0]], "shape"),
        ([[0, 0, np.nan], [0, 0, 0]], "1 of 2 points have coordinates that are not numbers"),
        ([[0, 0, 1e13]], "too large"),
    ],
)
def test_bad_points_are_named(points, message):
    with pytest.raises(InputError, match=message):
        sweep_distance(points, RING)


def test_no_paths_and_bad_weights_are_named():
    with pytest.raises(InputError, match="no path"):
        sweep_distance([[0, 0, 0]], [])
    with pytest.raises(InputError, match=r"weights of shape \(2,\) for distances of shape \(1,\)"):
        sweep_distance([[0, 0, 0]], RING).vector_jacobian_product([1, 2])


def test_no_points_have_no_distances():
    found = sweep_distance([], RING)
    assert found.distance.shape == (0,)
    np.testing.assert_array_equal(found.vector_jacobian_product([]).d_radii, np.zeros(5))


def test_it_reports_progress_and_can_be_stopped():
    def stop(stage: str, fraction: float) -> None:
        raise CarveCancelled

    with pytest.raises(CarveCancelled):
        sweep_distance(queries(), RING, progress=stop)
