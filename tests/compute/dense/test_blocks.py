"""Occupancy as blocks: every exposed face once, and always a closed 2-manifold."""

import itertools

import numpy as np
import pytest
from manifold3d import Error, Manifold, Mesh

from voxel_carve.compute import EmptyResultError, Grid, InputError, Source, occupancy_surface
from voxel_carve.compute.dense import blocks

ORIGIN, SIZE = np.array([0.3, -1.0, 2.0]), 0.37


def surface_of(occupancy):
    return occupancy_surface(occupancy, Grid(ORIGIN, SIZE, occupancy.shape))


def exposed_faces(occupancy):
    """The faces between a set voxel and one that is not: twice the voxel centre, and the way out, as (x, y, z)."""
    faces = set()
    padded = np.pad(occupancy, 1)
    for voxel in np.argwhere(occupancy):
        for axis, side in itertools.product(range(3), (-1, 1)):
            step = np.zeros(3, dtype=int)
            step[axis] = side
            if not padded[tuple(voxel + 1 + step)]:
                faces.add((*(2 * voxel + 1)[::-1].tolist(), *step[::-1].tolist()))
    return faces


def faces_of(surface):
    """The same of the quads: from their middles and their normals."""
    corners = (surface.points[surface.faces] - ORIGIN) / SIZE
    normal = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 1])
    assert corners == pytest.approx(corners.round(), abs=1e-9)
    assert np.abs(normal).sum(axis=1) == pytest.approx(1.0)
    assert np.ptp(corners, axis=1).sum(axis=1) == pytest.approx(2.0)
    inner = 2 * corners.mean(axis=1) - normal
    return [tuple(row) for row in np.column_stack([inner, normal]).round().astype(int).tolist()]


def assert_manifold(surface):
    """Each directed edge once, and once the other way; around each vertex one ring of faces."""
    after = {}
    directed = set()
    for quad in surface.faces.tolist():
        for i in range(4):
            here, there, before = quad[i], quad[(i + 1) % 4], quad[i - 1]
            assert (here, there) not in directed
            directed.add((here, there))
            after.setdefault(here, {})[before] = there
    assert all((there, here) in directed for here, there in directed)
    assert sorted(after) == list(range(len(surface.points)))
    for ring in after.values():
        first = next(iter(ring))
        visited = [ring[first]]
        while visited[-1] != first:
            visited.append(ring[visited[-1]])
        assert len(visited) == len(ring)


def check(occupancy):
    surface = surface_of(occupancy)
    found = faces_of(surface)
    assert len(found) == len(set(found))
    assert set(found) == exposed_faces(occupancy)
    assert_manifold(surface)
    assert surface.is_closed()
    assert surface.volume() == pytest.approx(occupancy.sum() * SIZE**3, rel=1e-12)
    assert (surface.source == Source.STOCK).all()
    assert surface.source.shape == (len(surface.faces),)
    solid = Manifold(Mesh(surface.points.astype(np.float32), surface.triangles().astype(np.uint32)))
    assert solid.status() == Error.NoError
    return surface


def occupancy_of(shape, *voxels):
    occupancy = np.zeros(shape, dtype=bool)
    occupancy[tuple(np.array(voxels).T)] = True
    return occupancy


@pytest.mark.parametrize(
    ("name", "voxels", "points", "quads"),
    [
        ("one", [(0, 0, 0)], 8, 6),
        ("sharing a face", [(0, 0, 0), (1, 0, 0)], 12, 10),
        ("touching along an edge", [(0, 0, 0), (0, 1, 1)], 16, 12),
        ("touching at a corner", [(0, 0, 0), (1, 1, 1)], 16, 12),
        ("around an edge", [(0, 0, 0), (0, 0, 1), (0, 1, 0)], 16, 14),
    ],
)
def test_a_few_voxels(name, voxels, points, quads):
    surface = check(occupancy_of((2, 3, 2), *voxels))
    assert (len(surface.points), len(surface.faces)) == (points, quads)


def test_every_corner():
    """All ways in which eight voxels can meet."""
    for configuration in range(1, 256):
        check(np.array([configuration >> bit & 1 for bit in range(8)], dtype=bool).reshape(2, 2, 2))


def test_two_voxels_that_others_join_at_both_ends_of_their_edge():
    """Both ends of the edge are one fan each: the four faces on the edge must not share both."""
    occupancy = np.ones((3, 2, 2), dtype=bool)
    occupancy[1, 0, 1] = occupancy[1, 1, 0] = False
    for axes in itertools.permutations(range(3)):
        check(occupancy.transpose(axes))
        check(~np.pad(occupancy, 1).transpose(axes))


@pytest.mark.parametrize("density", [0.1, 0.3, 0.5, 0.7, 0.9])
@pytest.mark.parametrize("seed", range(4))
def test_random_voxels(density, seed):
    check(np.random.default_rng(seed).random((7, 8, 9)) < density)


def test_views_and_blocks_of_layers(monkeypatch):
    occupancy = np.random.default_rng(5).random((9, 8, 14)) < 0.4
    whole = check(occupancy[:, ::-1, ::2])
    monkeypatch.setattr(blocks, "VOXELS_PER_BLOCK", 100)
    parts = surface_of(occupancy[:, ::-1, ::2])
    assert np.array_equal(whole.points, parts.points)
    assert np.array_equal(whole.faces, parts.faces)


def test_full_grid_is_closed_at_its_sides():
    surface = check(np.ones((3, 4, 5), dtype=bool))
    assert len(surface.faces) == 2 * (12 + 15 + 20)
    low, high = surface.points.min(axis=0), surface.points.max(axis=0)
    assert low == pytest.approx(ORIGIN)
    assert high == pytest.approx(ORIGIN + SIZE * np.array([5, 4, 3]))


def test_bad_input():
    with pytest.raises(EmptyResultError, match="no voxel"):
        surface_of(np.zeros((3, 3, 3), dtype=bool))
    with pytest.raises(InputError, match="does not fit"):
        occupancy_surface(np.ones((3, 3, 3), dtype=bool), Grid(ORIGIN, SIZE, (3, 3, 4)))
    with pytest.raises(InputError, match="int64"):
        surface_of(np.ones((3, 3, 3), dtype=np.int64))
