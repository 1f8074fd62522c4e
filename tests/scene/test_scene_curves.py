"""Curve mathematics against de Casteljau, the Cox-de Boor recursion, and circles. No bpy."""

import itertools

import numpy as np
import pytest

from voxel_carve.compute import InputError
from voxel_carve.scene.reading import curves, edges


def de_casteljau(control, t):
    control = np.asarray(control, dtype=float)
    while len(control) > 1:
        control = (1 - t) * control[:-1] + t * control[1:]
    return control[0]


def cox_de_boor(i, degree, t, knots):
    """Value of the B-spline basis function i, by recursion, on half-open spans."""
    if degree == 0:
        return float(knots[i] <= t < knots[i + 1])
    value = 0.0
    if knots[i + degree] > knots[i]:
        value += (t - knots[i]) / (knots[i + degree] - knots[i]) * cox_de_boor(i, degree - 1, t, knots)
    if knots[i + degree + 1] > knots[i + 1]:
        value += (
            (knots[i + degree + 1] - t)
            / (knots[i + degree + 1] - knots[i + 1])
            * cox_de_boor(i + 1, degree - 1, t, knots)
        )
    return value


def distance_to_polyline(points, line, cyclic=False):
    """Greatest distance of points from a polyline, by brute force."""
    line = np.vstack([line, line[:1]]) if cyclic else line
    start, along = line[:-1], np.diff(line, axis=0)
    length = (along**2).sum(axis=1)
    share = np.einsum("pse,se->ps", points[:, None] - start, along) / np.where(length > 0, length, 1)
    foot = start + np.clip(share, 0, 1)[..., None] * along
    return np.linalg.norm(points[:, None] - foot, axis=2).min(axis=1).max()


def random_bezier(count, seed=0):
    random = np.random.default_rng(seed)
    points = random.normal(size=(count, 3))
    return points, points + random.normal(size=(count, 3)), points + random.normal(size=(count, 3))


@pytest.mark.parametrize("cyclic", [False, True])
def test_bezier_sampling_against_de_casteljau(cyclic):
    points, left, right = random_bezier(4)
    radii = np.array([1.0, 0.5, 2.0, 0.7])
    spans = curves.bezier_spans(points, left, right, radii, cyclic)
    assert len(spans) == (4 if cyclic else 3)
    line, line_radii = curves.flatten(spans, 1e-3, cyclic)
    dense, dense_radii = [], []
    for i in range(len(spans)):
        j = (i + 1) % 4
        for t in np.linspace(0, 1, 50):
            dense.append(de_casteljau([points[i], right[i], left[j], points[j]], t))
            dense_radii.append((1 - t) * radii[i] + t * radii[j])
    assert distance_to_polyline(np.array(dense), line, cyclic) < 1e-3
    assert line_radii.min() == pytest.approx(0.5) and line_radii.max() == pytest.approx(2.0)
    np.testing.assert_allclose(line[0], points[0])
    np.testing.assert_allclose(line[-1], points[-1]) if not cyclic else None


def test_sampling_is_as_fine_as_the_tolerance_and_not_much_finer():
    points, left, right = random_bezier(6)
    spans = curves.bezier_spans(points, left, right, np.ones(6))
    counts = []
    for tolerance in (1e-1, 1e-2, 1e-3, 1e-4):
        line, _ = curves.flatten(spans, tolerance)
        dense, _ = curves.flatten(spans, 1e-6)
        error = distance_to_polyline(dense[::7], line)
        assert error < tolerance
        counts.append(len(line))
    # the error falls with the square of the number of chords
    np.testing.assert_allclose(np.array(counts[1:]) / counts[:-1], 10**0.5, rtol=0.15)


def test_a_straight_span_is_one_chord():
    points, unit = np.array([[0, 0, 0], [3, 0, 0]], dtype=float), np.array([1, 0, 0])
    spans = curves.bezier_spans(points, points - unit, points + unit, np.array([1.0, 2.0]))
    line, radii = curves.flatten(spans, 1e-6)
    np.testing.assert_allclose(line, points)
    np.testing.assert_allclose(radii, [1, 2])


@pytest.mark.parametrize(
    ("interpolation", "middle"),
    # radii 1 2 4 3 around the second piece, at its middle
    [
        ("LINEAR", 3.0),
        ("EASE", 3.0),
        ("CARDINAL", 3.0 + 0.71 / 8 * (2 + 4 - 1 - 3)),
        ("BSPLINE", (1 + 23 * 2 + 23 * 4 + 3) / 48),
    ],
)
def test_radius_interpolation_at_the_middle_of_a_piece(interpolation, middle):
    points = np.array([[0, 0, 0], [1, 0, 0], [2, 0, 0], [3, 0, 0]], dtype=float)
    third = np.array([1 / 3, 0, 0])
    radii = np.array([1.0, 2.0, 4.0, 3.0])
    spans = curves.bezier_spans(points, points - third, points + third, radii, interpolation=interpolation)
    line, sampled = curves.flatten(spans, 1e-6)
    assert np.interp(1.5, line[:, 0], sampled) == pytest.approx(middle, abs=2e-6)


def test_ease_is_flat_at_the_control_points():
    points, unit = np.array([[0, 0, 0], [3, 0, 0]], dtype=float), np.array([1, 0, 0])
    spans = curves.bezier_spans(points, points - unit, points + unit, np.array([1.0, 2.0]), False, "EASE")
    line, radii = curves.flatten(spans, 1e-5)
    t = line[:, 0] / 3
    np.testing.assert_allclose(radii, 1 + 3 * t**2 - 2 * t**3, atol=1e-12)


def test_a_radius_that_overshoots_stays_positive():
    points = np.array([[0, 0, 0], [1, 0, 0], [2, 0, 0], [3, 0, 0]], dtype=float)
    _, radii = curves.flatten(curves.catmull_rom_spans(points, np.array([9.0, 0.1, 0.1, 9.0])), 1e-3)
    assert 0 < radii.min() <= 0.1


@pytest.mark.parametrize("cyclic", [False, True])
def test_catmull_rom_goes_through_its_points_and_is_smooth(cyclic):
    points, _, _ = random_bezier(5, seed=3)
    spans = curves.catmull_rom_spans(points, np.ones(5), cyclic)[..., :3]
    np.testing.assert_allclose(spans[:, 0], points[: len(spans)])
    np.testing.assert_allclose(spans[1:, 1] - spans[1:, 0], spans[:-1, 3] - spans[:-1, 2], atol=1e-12)
    # the tangent at an inner point is half the chord of its neighbours
    np.testing.assert_allclose(3 * (spans[1, 1] - spans[1, 0]), (points[2] - points[0]) / 2)


def nurbs_circle():
    """A unit circle with nine control points: four exact quarters."""
    corner = np.array([[1, 0], [1, 1], [0, 1], [-1, 1], [-1, 0], [-1, -1], [0, -1], [1, -1], [1, 0]], dtype=float)
    weights = np.where(np.arange(9) % 2, np.sqrt(0.5), 1.0)
    knots = np.array([0, 0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 4], dtype=float)
    return np.column_stack([corner, np.zeros(9)]), weights, knots


def test_a_nurbs_circle_is_round():
    points, weights, knots = nurbs_circle()
    spans = curves.nurbs_spans(points, np.ones(9), weights, 3, False, knots)
    line, radii = curves.flatten(spans, 1e-4)
    np.testing.assert_allclose(np.linalg.norm(line, axis=1), 1, atol=1e-12)
    np.testing.assert_allclose(radii, 1, atol=1e-12)
    middles = (line[1:] + line[:-1]) / 2
    assert np.linalg.norm(middles, axis=1).min() > 1 - 1e-4
    assert len(line) < 4 * np.pi / np.sqrt(8 * 1e-4) * 4


def test_nurbs_weights_apply_to_the_radius():
    points, weights, knots = nurbs_circle()
    radii = np.where(np.arange(9) % 2, 3.0, 1.0)
    spans = curves.nurbs_spans(points, radii, weights, 3, False, knots)
    _, sampled = curves.flatten(spans[:1], 1e-6)
    share = 0.5 * np.sqrt(0.5) / (0.5 + 0.5 * np.sqrt(0.5))
    assert sampled.max() == pytest.approx(1 + 2 * share, abs=1e-5)


@pytest.mark.parametrize("order", [2, 3, 4, 5, 6])
@pytest.mark.parametrize("cyclic", [False, True])
@pytest.mark.parametrize(("endpoint", "bezier"), [(False, False), (True, False), (False, True), (True, True)])
def test_nurbs_spans_against_cox_and_de_boor(order, cyclic, endpoint, bezier):
    random = np.random.default_rng(order)
    count = 3 * (order - 1) + (0 if cyclic else 1)
    count = max(count, order + 1)
    points, weights, radii = random.normal(size=(count, 3)), random.uniform(0.5, 2, count), random.uniform(1, 2, count)
    knots = curves.nurbs_knots(count, order, cyclic, endpoint, bezier)
    assert len(knots) == count + (2 * order - 1 if cyclic else order)
    assert (np.diff(knots) >= 0).all()
    spans = curves.nurbs_spans(points, radii, weights, order, cyclic, knots)
    last = count + order - 1 if cyclic else count
    places = [k for k in range(order - 1, last) if knots[k] < knots[k + 1]]
    assert len(spans) == len(places)
    for span, place in zip(spans, places, strict=True):
        for t in (0.0, 0.3, 0.8):
            parameter = knots[place] + t * (knots[place + 1] - knots[place])
            basis = np.array([cox_de_boor(i, order - 1, parameter, knots) for i in range(last)])
            share = basis * weights[np.arange(last) % count]
            assert basis.sum() == pytest.approx(1)
            expected = share @ points[np.arange(last) % count] / share.sum()
            homogeneous = de_casteljau(span, t)
            np.testing.assert_allclose(homogeneous[:3] / homogeneous[4], expected, atol=1e-9)


def test_a_nurbs_with_too_few_points_is_its_control_polygon():
    points = np.array([[0, 0, 0], [1, 1, 0], [2, 0, 0]], dtype=float)
    spline = curves.Spline("NURBS", points, np.ones(3), weights=np.ones(3), order=4)
    line, radii = curves.sample(spline, 0.01)
    np.testing.assert_array_equal(line, points)
    np.testing.assert_array_equal(radii, np.ones(3))


@pytest.mark.parametrize("kind", ["POLY", "BEZIER", "NURBS", "CATMULL_ROM"])
def test_one_point_is_one_point(kind):
    point = np.array([[1.0, 2.0, 3.0]])
    spline = curves.Spline(kind, point, np.ones(1), left=point, right=point, weights=np.ones(1))
    line, radii = curves.sample(spline, 0.01)
    np.testing.assert_array_equal(line, point)
    np.testing.assert_array_equal(radii, [1])


def test_an_absurd_tolerance_does_not_ask_for_absurd_memory():
    points, left, right = random_bezier(4)
    line, _ = curves.flatten(curves.bezier_spans(points, left, right, np.ones(4)), 1e-300)
    assert len(line) < 20_000


def test_too_many_points_for_a_sweep_are_refused_beforehand():
    points, left, right = random_bezier(20_000)
    with pytest.raises(InputError, match=r"would take [\d,]+ points"):
        curves.flatten(curves.bezier_spans(points, left, right, np.ones(20_000)), 1e-300)


def chains(edge_list, count):
    return sorted((chain.tolist(), cyclic) for chain, cyclic in edges.polylines(np.array(edge_list), count))


def test_edges_become_chains_whatever_their_order_and_direction():
    assert chains([(2, 1), (0, 1), (2, 3)], 4) in ([([0, 1, 2, 3], False)], [([3, 2, 1, 0], False)])


def test_a_ring_of_edges_is_cyclic():
    ((chain, cyclic),) = chains([(0, 1), (2, 1), (2, 3), (3, 0)], 4)
    assert cyclic and len(chain) == 4 and set(chain) == {0, 1, 2, 3}
    steps = {frozenset(pair) for pair in zip(chain, chain[1:] + chain[:1], strict=True)}
    assert steps == {frozenset(pair) for pair in ((0, 1), (1, 2), (2, 3), (3, 0))}


def test_chains_end_at_junctions():
    found = chains([(0, 1), (1, 2), (2, 3), (2, 4), (4, 5)], 6)
    assert len(found) == 3
    assert {frozenset((chain[0], chain[-1])) for chain, _ in found} == {
        frozenset((0, 2)),
        frozenset((2, 3)),
        frozenset((2, 5)),
    }


def test_a_loop_at_a_junction_is_closed_by_its_ends():
    found = chains([(0, 1), (1, 2), (2, 3), (3, 1)], 4)
    assert sorted(len(chain) for chain, _ in found) == [2, 4]
    loop = max((chain for chain, _ in found), key=len)
    assert loop[0] == loop[-1] == 1


def test_a_vertex_without_edges_is_in_no_chain():
    assert chains([(0, 2)], 3) == [([0, 2], False)]
    assert chains(np.empty((0, 2), dtype=int), 0) == []


def test_every_edge_is_in_one_chain():
    random = np.random.default_rng(1)
    wanted = {frozenset(pair) for pair in random.integers(0, 40, size=(60, 2)).tolist() if len(set(pair)) == 2}
    found = [
        frozenset(pair)
        for chain, cyclic in edges.polylines(np.array([sorted(pair) for pair in wanted]), 40)
        for pair in zip(chain.tolist(), (chain.tolist() + chain.tolist()[:1])[1:], strict=False)
        if len(chain) > 1 and (cyclic or pair != (chain[-1], chain[0]))
    ]
    assert len(found) == len(set(found)) == len(wanted) and set(found) == wanted


@pytest.mark.parametrize("seed", range(20))
def test_runs_of_ordered_edges_give_the_same_chains_as_shuffled_edges(seed):
    """Rings, lines and forks with runs of edges in either direction: each edge is in exactly one chain."""
    rng = np.random.default_rng(seed)
    count = 60
    line = rng.permutation(count)[: rng.integers(2, count)]
    drawn = np.stack([line, np.roll(line, -1)], axis=1)[: len(line) - (seed % 2)]
    drawn = np.array(list({tuple(sorted(pair)): tuple(pair) for pair in drawn.tolist()}.values()))
    parts = np.split(drawn, np.sort(rng.integers(0, len(drawn), 3)))
    parts = [part[:: rng.choice([-1, 1]), :: rng.choice([-1, 1])] for part in parts]
    fork = np.array([[line[len(line) // 2], count]])
    edge_list = np.concatenate([parts[i] for i in rng.permutation(len(parts))] + [fork])
    degree = np.bincount(edge_list.ravel(), minlength=count + 1)
    found = []
    for chain, cyclic in edges.polylines(edge_list, count + 1):
        steps = list(itertools.pairwise([*chain.tolist(), chain[0]] if cyclic else chain.tolist()))
        found += [tuple(sorted(step)) for step in steps]
        inner = chain[1:] if cyclic else chain[1:-1]
        assert (degree[inner] == 2).all()
        if not cyclic:
            assert (degree[chain[[0, -1]]] != 2).all() or len(chain) == 1
    assert sorted(found) == sorted(tuple(sorted(pair)) for pair in edge_list.tolist())
