"""Formulas of the boundary sum: the same bits on every engine, and known results."""

import numpy as np
import numpy.typing as npt
import pytest

from voxel_carve.compute.engines.numba.field import winding as numba_winding
from voxel_carve.compute.engines.warp.backend import WarpBackend
from voxel_carve.compute.formulas import winding
from voxel_carve.compute.primitives.boundary import Boundary, EdgeLists, Edges, boundary_winding, change_bound

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
    np.testing.assert_array_equal(bounds[:, 3], [winding.remainder_bound(*whole(edges), *p, REACH) for p in at])
    np.testing.assert_allclose(sums, boundary_winding(at, boundary), rtol=0, atol=1e-15)
    np.testing.assert_array_equal(
        change_bound(at, boundary, REACH), [winding.change_bound(*whole(edges), *p, REACH) for p in at]
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
                (winding.remainder_bound, (REACH,)),
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


def test_the_gradient_is_that_of_the_sum_and_bounds_its_change() -> None:
    edges, step = whole(square()), 1e-5
    for p in np.random.default_rng(1).uniform([-2, -2, 0.6], [2, 2, 3], (40, 3)):
        ends = [[winding.boundary_sum(*edges, *(p + s * e)) for s in (step, -step)] for e in np.eye(3)]
        slope = winding.gradient_sum(*edges, *p)
        np.testing.assert_allclose(slope, [(a - b) / (2 * step) for a, b in ends], atol=1e-8)
        bound = winding.change_bound(*edges, *p, REACH)
        assert REACH * np.linalg.norm(slope) <= bound
        for q in p + REACH * np.array([[1, 0, 0], [-1, 0, 0], [0, 0, 1], [0, 0, -1], [0.6, 0, 0.8], [0, -0.8, -0.6]]):
            change = winding.boundary_sum(*edges, *q) - winding.boundary_sum(*edges, *p)
            assert abs(change - round(change)) <= bound


def test_an_edge_departs_from_its_linear_approximation_as_far_as_its_bound() -> None:
    """Short edges and long ones, from near to far. The bound is not much above what is found along rays."""
    rng = np.random.default_rng(4)
    shares = []
    for size in 10 ** rng.uniform(-1, 2.5, 200):
        low, way, reach = rng.normal(size=3) * rng.uniform(2, 20), rng.normal(size=3), rng.uniform(0.1, 10)
        edges = Edges(low[None], (low + size * way / np.linalg.norm(way))[None], np.ones(1))
        place = np.linspace(0, 1, 100)[:, None] * (edges.high - edges.low) + low
        if np.linalg.norm(place, axis=1).min() < 1.2 * reach:
            continue
        rays = rng.normal(size=(20, 3))
        rays /= np.linalg.norm(rays, axis=1)[:, None]
        steps = reach * (np.arange(200) + 0.5) / 200
        slope = np.array(winding.edge_gradient(edges, 0, 0.0, 0.0, 0.0))
        slopes = [[winding.edge_gradient(edges, 0, *(step * ray)) for step in steps] for ray in rays]
        found = reach * np.abs(np.einsum("rsk,rk->r", np.array(slopes) - slope, rays)) / len(steps)
        shares.append(found.max() / winding.edge_remainder(edges, 0, 0.0, 0.0, 0.0, reach))
    assert len(shares) > 50
    assert max(shares) <= 1
    assert np.median(shares) > 0.1
