"""Formulas of the boundary sum: the same bits on every engine, and known results."""

import numpy as np
import numpy.typing as npt
import pytest

from voxel_carve.compute.engines.numba.field import winding as numba_winding
from voxel_carve.compute.engines.warp.backend import WarpBackend
from voxel_carve.compute.formulas import winding
from voxel_carve.compute.primitives.boundary import Boundary, EdgeLists, Edges, boundary_winding, steepness_bound

Array = npt.NDArray[np.float64]

SQUARE = np.array([[1.0, 1, 0], [-1, 1, 0], [-1, -1, 0], [1, -1, 0]])
REACH = 0.5


def random_boundary() -> tuple[Boundary, Array]:
    """150 edges, and points around them. Many lie on a coarse grid, exactly below each other."""
    rng = np.random.default_rng(0)
    points, triangles = rng.uniform(0, 12, (60, 3)), rng.integers(0, 60, (50, 3)).astype(np.int32)
    points[::2] = np.round(points[::2])
    at = rng.uniform(0, 12, (300, 3))
    at[::2] = np.round(at[::2])
    return Boundary.of(points, triangles), np.concatenate([at, points, points - [0, 0, 1], (points + points[::-1]) / 2])


def whole(edges: Edges) -> tuple[Edges, range, int, int]:
    """All edges, as the formulas take them."""
    return edges, range(len(edges.sign)), 0, len(edges.sign)


def square() -> Edges:
    return Edges(SQUARE, np.roll(SQUARE, -1, axis=0), np.ones(4))


def test_every_engine_gives_the_same_bits() -> None:
    boundary, at = random_boundary()
    assert len(boundary) > 128
    edges, warp = boundary.edges, WarpBackend("cpu")
    sums = numba_winding.boundary_winding(at, boundary)
    slopes = numba_winding.winding_gradient(at, boundary)
    bounds = numba_winding.change_bound(at, boundary, REACH)
    np.testing.assert_array_equal(sums, [winding.boundary_sum(*whole(edges), *p) for p in at])
    np.testing.assert_array_equal(slopes, [winding.gradient_sum(*whole(edges), *p) for p in at])
    np.testing.assert_array_equal(bounds[:, :3], slopes)
    np.testing.assert_array_equal(bounds[:, 3], [winding.curvature_bound(*whole(edges), *p, REACH) for p in at])
    np.testing.assert_allclose(sums, boundary_winding(at, boundary), rtol=0, atol=1e-15)
    np.testing.assert_array_equal(
        steepness_bound(at, boundary, REACH), [winding.steepness_bound(*whole(edges), *p, REACH) for p in at]
    )
    np.testing.assert_array_equal(sums, warp.boundary_winding(at, boundary))
    np.testing.assert_array_equal(slopes, warp.winding_gradient(at, boundary))
    np.testing.assert_array_equal(bounds, warp.change_bound(at, boundary, REACH))


def test_lists_of_edges_count_alone() -> None:
    """Each engine adds up the edges of a point's list, in the order of the list, and no others."""
    boundary, at = random_boundary()
    edges, rng = boundary.edges, np.random.default_rng(2)
    number = rng.integers(0, 20, 30)
    point = np.sort(np.append(rng.integers(0, len(at), 29), [0, len(at)]))
    stop = np.cumsum(number)
    lists = EdgeLists(point, stop - number, stop, rng.integers(0, len(edges.sign), stop[-1]).astype(np.int32))
    owner = np.repeat(np.arange(30), np.diff(point))
    own = [(edges, lists.edge, lists.start[k], lists.stop[k]) for k in owner]
    for engine in (numba_winding, WarpBackend("cpu")):
        sums, slopes, bounds = (
            [formula(*listed, *p, *more) for listed, p in zip(own, at, strict=True)]
            for formula, more in (
                (winding.boundary_sum, ()),
                (winding.gradient_sum, ()),
                (winding.curvature_bound, (REACH,)),
            )
        )
        np.testing.assert_array_equal(engine.boundary_winding(at, boundary, lists), sums)
        np.testing.assert_array_equal(engine.winding_gradient(at, boundary, lists), slopes)
        np.testing.assert_array_equal(engine.change_bound(at, boundary, REACH, lists)[:, 3], bounds)


@pytest.mark.parametrize("height", [0.01, 0.7, 30.0])
def test_a_square_is_seen_under_its_solid_angle(height: float) -> None:
    """In front of the square, the sum is negative."""
    angle = 4 * np.arctan(1 / (height * np.sqrt(height**2 + 2)))
    assert winding.boundary_sum(*whole(square()), 0, 0, height) == pytest.approx(-angle / (4 * np.pi), abs=1e-12)


def test_the_gradient_is_that_of_the_sum_and_below_the_bound_of_the_steepness() -> None:
    edges, step = whole(square()), 1e-5
    for p in np.random.default_rng(1).uniform([-2, -2, 0.6], [2, 2, 3], (40, 3)):
        ends = [[winding.boundary_sum(*edges, *(p + s * e)) for s in (step, -step)] for e in np.eye(3)]
        slope = winding.gradient_sum(*edges, *p)
        np.testing.assert_allclose(slope, [(a - b) / (2 * step) for a, b in ends], atol=1e-8)
        bound = winding.steepness_bound(*edges, *p, REACH)
        assert np.linalg.norm(slope) <= bound
        for q in p + REACH * np.array([[1, 0, 0], [-1, 0, 0], [0, 0, 1], [0, 0, -1], [0.6, 0, 0.8], [0, -0.8, -0.6]]):
            change = winding.boundary_sum(*edges, *q) - winding.boundary_sum(*edges, *p)
            assert abs(change - round(change)) <= REACH * bound
