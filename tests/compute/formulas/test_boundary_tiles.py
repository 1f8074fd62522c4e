"""Near edges and a polynomial in place of all edges: against the sum over all of them."""

import numpy as np
import numpy.typing as npt
import pytest

from tests.shapes import hemisphere, joined, keep_triangles, sphere
from voxel_carve.compute import TriMesh
from voxel_carve.compute.engines.numba.field import winding
from voxel_carve.compute.field import harmonics
from voxel_carve.compute.field.boundary_tiles import ERROR, Tiles, whole_tiles
from voxel_carve.compute.model.grid import Grid
from voxel_carve.compute.primitives.boundary import Boundary
from voxel_carve.compute.primitives.boundary_loops import MOST_EDGES, small_loops
from voxel_carve.compute.primitives.triangles import Triangles

Array = npt.NDArray[np.float64]

RNG = np.random.default_rng(3)


def boundary_of(mesh: TriMesh) -> Boundary:
    """The boundary of a mesh in a grid of 200 voxels a side."""
    return Triangles.on_grid(mesh, Grid(np.full(3, -1.1), 2.2 / 200, (200, 200, 200))).boundary


def with_holes() -> TriMesh:
    ball, ways = sphere(1.0), RNG.normal(size=(40, 3))
    holes = ways / np.linalg.norm(ways, axis=1)[:, None]
    apart = np.linalg.norm(ball.corners().mean(axis=1)[:, None] - holes, axis=2).min(axis=1)
    return keep_triangles(ball, apart > 0.13)


def sheet() -> TriMesh:
    """A relief over a square."""
    x, y = np.meshgrid(np.linspace(-1, 1, 60), np.linspace(-1, 1, 60))
    n = np.arange(3600).reshape(60, 60)
    a, b, c, d = (part.ravel() for part in (n[:-1, :-1], n[:-1, 1:], n[1:, :-1], n[1:, 1:]))
    z = 0.2 * np.sin(5 * x) * np.cos(4 * y)
    triangles = np.concatenate([np.stack([a, b, c], axis=1), np.stack([d, c, b], axis=1)]).astype(np.int32)
    return TriMesh(np.stack([x, y, z], axis=-1).reshape(-1, 3), triangles)


def torn() -> TriMesh:
    """Triangles left at random: rims meet in points, and many edges have more than one face."""
    ball = sphere(1.0)
    return keep_triangles(ball, RNG.uniform(size=len(ball.triangles)) > 0.1)


MESHES = {"holes": with_holes(), "sheet": sheet(), "torn": torn(), "bowls": joined(hemisphere(1.0), hemisphere(0.97))}


@pytest.mark.parametrize("name", MESHES)
def test_small_loops_are_closed_and_add_up_to_the_boundary(name: str) -> None:
    boundary = boundary_of(MESHES[name])
    loops = small_loops(boundary)
    edges = loops.boundary
    assert np.diff(loops.first).max() <= MOST_EDGES
    tail, head = (np.where(edges.sign[:, None] == sign, edges.low, edges.high) for sign in (1, -1))
    following = np.arange(len(edges)) + 1
    following[loops.first[1:] - 1] = loops.first[:-1]
    np.testing.assert_array_equal(head, tail[following])
    assert len(edges) == len(boundary) + (loops.other >= 0).sum()
    points = RNG.uniform(0, 200, (500, 3))
    found = winding.boundary_winding(points, edges)
    np.testing.assert_allclose(found, winding.boundary_winding(points, boundary), rtol=0, atol=1e-12)


@pytest.mark.parametrize("name", MESHES)
def test_a_chord_between_two_loops_of_a_list_is_left_out(name: str) -> None:
    """All loops together are the edges of the boundary."""
    boundary = boundary_of(MESHES[name])
    loops = small_loops(boundary)
    owner, edge = loops.edges_of(np.zeros(len(loops), dtype=np.int64), np.arange(len(loops)))
    assert not owner.any()
    found, expected = (
        np.unique(np.hstack([edges.low, edges.high, edges.sign[:, None]])[rows], axis=0, return_counts=True)
        for edges, rows in ((loops.boundary, edge), (boundary, slice(None)))
    )
    for one, other in zip(found, expected, strict=True):
        np.testing.assert_array_equal(one, other)


def tiles_around(boundary: Boundary, points: Array, size: int) -> tuple[Tiles, npt.NDArray[np.int64]]:
    """The tiles of a size that points (M, 3) lie in, and (M,) that of each point."""
    voxels = np.floor(points[:, ::-1]).astype(np.int64)
    tiles = whole_tiles(small_loops(boundary), tuple(voxels.max(axis=0) + 1), winding)
    while tiles.size > size:
        tiles = tiles.eighths()
        tiles = tiles.at(np.unique(tiles.holding(voxels))).with_far_loops(winding)
    return tiles, tiles.holding(voxels)


@pytest.mark.parametrize("size", [4, 8, 16])
@pytest.mark.parametrize("name", MESHES)
def test_near_edges_and_a_polynomial_are_the_sum_over_all_edges(name: str, size: int) -> None:
    boundary = boundary_of(MESHES[name])
    edges = RNG.integers(0, len(boundary), 400)
    near_rims = (boundary.low + boundary.high)[edges] / 2 + RNG.normal(size=(400, 3)) * 8
    points = np.concatenate([near_rims, near_rims - [0, 0, 40], RNG.uniform(0, 200, (400, 3))])
    points = np.clip(points, 0.0, 255.0)
    tiles, tile = tiles_around(boundary, points, size)
    order = np.argsort(tile, kind="stable")
    sums, slopes = winding.sums_in_tiles(points[order], tiles, tile[order])
    expected, slope = winding.boundary_winding(points, boundary), winding.winding_gradient(points, boundary)
    assert np.abs(sums - expected[order]).max() < ERROR
    off = np.linalg.norm(slopes - slope[order], axis=1)
    assert (off < ERROR + 0.01 * np.linalg.norm(slope[order], axis=1)).all()
    assert (tiles.edge_stop - tiles.edge_start).mean() < len(boundary) / 3


def test_polynomials_are_harmonic_and_follow_a_far_source() -> None:
    source = np.array([2.0, -1.5, 1.8])
    polynomial = harmonics.fit() @ (1 / np.linalg.norm(harmonics.nodes() - source, axis=1))
    points = RNG.uniform(-0.5, 0.5, (200, 3))
    way = source - points
    far = np.linalg.norm(way, axis=1)
    assert np.abs(harmonics.values(points) @ polynomial - 1 / far).max() < 1e-4
    assert np.abs(harmonics.gradients(points) @ polynomial - way / far[:, None] ** 3).max() < 2e-3
    step = 1e-3
    around = [harmonics.values(points + s * e) @ polynomial for s in (step, -step) for e in np.eye(3)]
    assert np.abs(np.sum(around, axis=0) - 6 * harmonics.values(points) @ polynomial).max() < 1e-11


def test_no_polynomial_bends_more_than_its_bounds() -> None:
    """By Taylor's theorem, on the way from any point to any other within the distance."""
    polynomials, points = RNG.normal(size=(50, harmonics.COUNT)), RNG.normal(size=(2, 300, 3))
    points *= 0.7 * RNG.random((2, 300, 1)) ** (1 / 3) / np.linalg.norm(points, axis=2)[:, :, None]
    (start, end), bound = points, harmonics.curvature_bounds(polynomials, 0.7)
    change = (harmonics.values(end) - harmonics.values(start)) @ polynomials.T
    straight = np.einsum("nk,nkc->nc", end - start, harmonics.gradients(start)) @ polynomials.T
    room = ((end - start) ** 2).sum(axis=1)[:, None] / 2 * bound
    assert (np.abs(change - straight) <= room).all()
    assert (np.abs(change - straight) / room).max() > 0.02  # of random signs, most cancel


@pytest.mark.parametrize("name", MESHES)
def test_a_kernel_takes_the_polynomials_as_numpy_does(name: str) -> None:
    boundary = boundary_of(MESHES[name])
    points = RNG.uniform(0, 200, (300, 3))
    tiles, tile = tiles_around(boundary, points, 8)
    found = np.empty((len(points), 4))
    winding.evaluate_far(0, len(points), points, tile, tiles.centre, tiles.radius, tiles.far, found)
    offsets = (points - tiles.centre[tile]) / tiles.radius
    expected = (harmonics.values(offsets) * tiles.far[tile]).sum(axis=1)
    np.testing.assert_allclose(found[:, 3], expected, rtol=0, atol=1e-12)
    slope = (harmonics.gradients(offsets) @ tiles.far[tile][:, :, None])[:, :, 0] / tiles.radius
    np.testing.assert_allclose(found[:, :3], slope, rtol=0, atol=1e-12)
