"""Paths and sweeps: which points a merged line keeps, and which input is refused."""

from itertools import pairwise

import numpy as np
import pytest

from voxel_carve.compute.model.sweep import Path, Sweep, without_collinear
from voxel_carve.compute.runtime.errors import InputError

DIRECTION = np.array([3.0, 2.0, 1.0]) / np.sqrt(14)


def along(distances, radii=0.5):
    """(N, 4): points at distances from a place off the origin on a slanted line, with radii."""
    distances = np.asarray(distances, dtype=np.float64)
    points = np.array([1.0, -7.0, 3.0]) + distances[:, None] * DIRECTION
    return np.column_stack([points, np.broadcast_to(radii, len(points))])


def kept_rows(line, merged):
    """The indices in line of the rows of merged, which must be rows of it in order; lines here repeat no row."""
    rows = {row.tobytes(): index for index, row in enumerate(line)}
    kept = [rows[row.tobytes()] for row in merged]
    assert kept == sorted(set(kept))
    assert kept[0] == 0
    assert kept[-1] == len(line) - 1
    return kept


def assert_on_chords(line, merged, rounding):
    """Every dropped point is on the chord of its kept neighbours, and goes along it, one point at a time."""
    kept = kept_rows(line, merged)
    for first, last in pairwise(kept):
        chord = line[last] - line[first]
        length = np.sqrt(sum(x * x for x in chord[:3]))
        before = 0.0
        for point in line[first + 1 : last]:
            t = sum((point[i] - line[first, i]) * chord[i] for i in range(3)) / length**2
            assert before - 1e-12 <= t <= 1 + 1e-12
            before = t
            assert np.sqrt(sum((point[i] - line[first, i] - t * chord[i]) ** 2 for i in range(4))) <= rounding


def arc(count, turn=2 * np.pi, radius=2.0):
    angle = np.linspace(0, turn, count)
    return np.column_stack([radius * np.cos(angle), radius * np.sin(angle), 0.1 * angle, 0.3 + 0.05 * angle])


class TestStraightRuns:
    def test_long_straight_line(self):
        line = along(np.linspace(0, 40, 50_000))
        assert np.array_equal(without_collinear(line), line[[0, -1]])

    def test_long_line_with_exact_coordinates(self):
        line = np.column_stack([np.arange(50_000.0), np.zeros((50_000, 2)), np.ones(50_000)])
        assert np.array_equal(without_collinear(line), line[[0, -1]])

    def test_uneven_spacing_and_repeated_points(self):
        distances = np.sort(np.random.default_rng(1).uniform(0, 9, 300)).repeat(2)
        line = along(distances)
        assert np.array_equal(without_collinear(line), line[[0, -1]])

    @pytest.mark.parametrize("times", [2, 3])
    def test_a_corner_of_several_points(self, times):
        line = np.concatenate(
            [along(np.arange(5.0)), along(np.arange(5.0))[-1:] + np.arange(1, 6)[:, None] * [0, 0, 1, 0]]
        )
        repeated = line.repeat([1, 1, 1, 1, times, 1, 1, 1, 1, 1], axis=0)
        assert np.array_equal(without_collinear(repeated), line[[0, 4, -1]])

    @pytest.mark.parametrize("back", [[4, 3, 2, 1], [4.5, 2, 0.25], [4.999]])
    def test_line_that_doubles_back(self, back):
        line = along([0, 1, 2, 3, 4, 5, *back])
        assert np.array_equal(without_collinear(line), line[[0, 5, -1]])

    def test_there_and_back_to_the_start(self):
        line = along([0, 1, 2, 3, 2, 1, 0])
        assert np.array_equal(without_collinear(line), line[[0, 3, -1]])

    def test_taper(self):
        distances = np.linspace(0, 10, 1000)
        line = along(distances, 0.1 + 0.05 * distances)
        assert np.array_equal(without_collinear(line), line[[0, -1]])

    def test_bulge_of_the_radius(self):
        distances = np.arange(11.0)
        line = along(distances, 1 - 0.1 * np.abs(distances - 5))
        assert np.array_equal(without_collinear(line), line[[0, 5, -1]])

    @pytest.mark.parametrize("place", [1, 37, 64, 98])
    def test_kink(self, place):
        line = along(np.arange(100.0))
        line[place:, 2] += 0.02 * np.arange(100 - place)
        assert np.array_equal(without_collinear(line), line[[0, place, -1]])

    @pytest.mark.parametrize("offset", [1e-9, -0.5])
    def test_point_off_the_line(self, offset):
        line = along(np.arange(100.0))
        line[50, 2] += offset
        assert 50 in kept_rows(line, without_collinear(line))

    @pytest.mark.parametrize("count", [3, 10, 1000, 5000])
    def test_arc(self, count):
        line = arc(count)
        assert np.array_equal(without_collinear(line), line)

    def test_an_arc_so_fine_that_each_point_is_on_the_chord_of_its_neighbours(self):
        line = arc(5000, turn=1e-4)
        assert_on_chords(line, without_collinear(line), 1e-12)

    @pytest.mark.parametrize("seed", range(20))
    def test_walk_with_straight_stretches(self, seed):
        rng = np.random.default_rng(seed)
        line = np.cumsum(rng.normal(0, 1, (12, 4)).repeat(rng.integers(1, 40, 12), axis=0), axis=0)
        merged = without_collinear(line)
        assert 12 <= len(merged) <= 13
        assert_on_chords(line, merged, 1e-12)
        assert np.array_equal(without_collinear(merged), merged)


class TestFromPaths:
    def test_cyclic_square(self):
        side = np.linspace(0, 1, 100, endpoint=False)
        zero, one = np.zeros(100), np.ones(100)
        x, y = np.concatenate([side, one, 1 - side, zero]), np.concatenate([zero, side, one, 1 - side])
        sweep = Sweep.from_paths([Path(np.column_stack([x, y, 0 * x]), [0.1], cyclic=True)])
        corners = np.array([[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]], dtype=float)
        assert np.array_equal(sweep.start, corners)
        assert np.array_equal(sweep.end, np.roll(corners, -1, axis=0))

    def test_segments_know_their_path(self):
        straight = Path([[0, 0, 0], [1, 0, 0], [2, 0, 0], [2, 1, 0]], [0.1])  # two segments, when merged
        ring = Path([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [0.1], cyclic=True)
        ball = Path([[5, 5, 5]], [0.1])
        sweep = Sweep.from_paths([straight, ball, ring, ball])
        assert sweep.path.tolist() == [0, 0, 1, 2, 2, 2, 3]
        assert sweep.path.dtype == np.int32 and len(sweep.path) == len(sweep)
        assert Sweep(sweep.start, sweep.end, 1.0, 1.0).path.tolist() == [0] * len(sweep)
        with pytest.raises(InputError, match="its path differ in number, 7 and 2"):
            Sweep(sweep.start, sweep.end, 1.0, 1.0, [0, 1])

    def test_points_that_are_not_joined_are_balls(self):
        points, radii = np.random.default_rng(2).random((50, 3)), np.linspace(0.1, 0.2, 50)
        points[10:20] = points[10]  # and a straight run, which would be one segment
        cloud = Sweep.from_paths([Path(points, radii, cyclic=True, joined=False)])
        each = Sweep.from_paths([Path(point[None], radius) for point, radius in zip(points, radii, strict=True)])
        for name in ("start", "end", "start_radius", "end_radius"):
            assert np.array_equal(getattr(cloud, name), getattr(each, name))
        assert cloud.path.tolist() == [0] * 50

    def test_paths_are_merged_each_for_itself(self):
        line = along(np.arange(10.0))
        halves = [Path(line[:5, :3], [0.2]), Path(line[5:, :3], [0.2]), Path(line[:1, :3], [0.3])]
        sweep = Sweep.from_paths(halves)
        assert np.array_equal(sweep.start, line[[0, 5, 0], :3])
        assert np.array_equal(sweep.end, line[[4, 9, 0], :3])
        assert np.array_equal(sweep.end_radius, [0.2, 0.2, 0.3])


class TestShapes:
    @pytest.mark.parametrize("shape", [(3, 2), (6, 1), (2, 3, 3), (3,), (6,), ()])
    def test_points_of_a_path(self, shape):
        with pytest.raises(InputError, match=r"path 'Curve' has points of shape .*give \(N, 3\)"):
            Path(np.ones(shape), [1.0], name="Curve")

    def test_rows_of_unequal_length(self):
        with pytest.raises(InputError, match="path 'Curve'"):
            Path([[0, 0, 0], [1, 0]], [1.0], name="Curve")
        with pytest.raises(InputError, match="a sweep's end"):
            Sweep([0, 0, 0], [[0, 0, 0], [1, 0]], [1.0], [1.0])

    def test_no_points(self):
        with pytest.raises(InputError, match="'Curve' has no points"):
            Path([], [1.0], name="Curve")

    def test_radii_of_a_path(self):
        with pytest.raises(InputError, match="points and radii of path 'Curve' differ in number, 2 and 3"):
            Path(np.eye(3)[:2], [1.0, 1.0, 1.0], name="Curve")

    @pytest.mark.parametrize("end", ["start", "end"])
    @pytest.mark.parametrize("shape", [(3, 2), (6,), (1, 1, 3), ()])
    def test_ends_of_a_sweep(self, end, shape):
        points = {"start": np.ones((2, 3)), "end": np.ones((2, 3)), end: np.ones(shape)}
        with pytest.raises(InputError, match=rf"a sweep's {end} has points of shape .*give \(N, 3\)"):
            Sweep(points["start"], points["end"], [1.0], [1.0])

    def test_radii_of_a_sweep(self):
        with pytest.raises(InputError, match="segments of a sweep and its end_radius differ in number, 2 and 3"):
            Sweep(np.zeros((2, 3)), np.ones((2, 3)), [1.0], [1.0, 1.0, 1.0])

    def test_single_points_make_one_segment(self):
        sweep = Sweep([0, 0, 0], [1, 2, 3], [1.0], 2.0)
        assert len(sweep) == 1
        assert np.array_equal(sweep.end, [[1, 2, 3]])
        assert np.array_equal(sweep.end_radius, [2.0])
