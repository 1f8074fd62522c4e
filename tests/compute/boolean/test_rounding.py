"""Vertices that single precision puts in one place are made one, unless an edge would then have four faces."""

import numpy as np
from manifold3d import Manifold

from tests.shapes import box
from voxel_carve.compute import Source, Surface
from voxel_carve.compute.boolean import merged_where_rounded

NEAR = np.array([1e-10, 0, 0])


def surface_of(points, faces) -> Surface:
    faces = np.asarray(faces, dtype=np.int32)
    return Surface(
        np.asarray(points, dtype=float),
        faces,
        np.full(len(faces), Source.STOCK, dtype=np.uint8),
        np.arange(len(faces), dtype=np.int32),
    )


def merged(surface, stock=None, least=0.0):
    rounded = surface.points.astype(np.float32)
    number = np.arange(len(surface.faces), dtype=np.int32)
    return merged_where_rounded(surface, number, rounded, surface.points[:0] if stock is None else stock, least)


def split_hull() -> Surface:
    """A hull of random points, where one vertex is two, with two slivers between them."""
    mesh = Manifold.hull_points(np.random.default_rng(3).normal(size=(40, 3))).to_mesh64()
    points, faces = np.asarray(mesh.vert_properties)[:, :3], np.asarray(mesh.tri_verts, dtype=np.int64)
    around = [face for face in faces if 0 in face]
    first = next(i for i in around[0] if i != 0)
    # From the first neighbour on, half of the fan goes to the new vertex.
    ring = {int(np.roll(face, -list(face).index(0))[1]): int(np.roll(face, -list(face).index(0))[2]) for face in around}
    order = [int(first)]
    while ring[order[-1]] != order[0]:
        order.append(ring[order[-1]])
    half, new = order[: len(order) // 2 + 1], len(points)
    moved = {(one, ring[one]) for one in half[:-1]}
    made = [
        [new if i == 0 and is_moved else i for i in face]
        for face in faces.tolist()
        for is_moved in [0 in face and tuple(np.roll(face, -face.index(0))[1:].tolist()) in moved]
    ]
    made += [[0, new, half[0]][::-1], [0, half[-1], new][::-1]]
    return surface_of(np.concatenate([points, points[:1] + NEAR]), made)


def test_two_vertices_in_one_place_become_one_and_the_slivers_between_them_go():
    before = split_hull()
    assert before.is_closed()
    after, cut_face = merged(before)
    assert after.is_closed()
    assert len(after.faces) == len(before.faces) - 2 == len(cut_face)
    assert len(np.unique(after.faces)) == len(before.points) - 1
    assert np.array_equal(cut_face, after.primitive)
    assert abs(after.volume() - before.volume()) < 1e-9


def test_the_vertex_of_the_stock_stays():
    before = split_hull()
    last = len(before.points) - 1
    for stays, goes in ((0, last), (last, 0)):
        after, _ = merged(before, before.points[[stays]])
        assert stays in after.faces and goes not in after.faces


def test_vertices_stay_apart_where_an_edge_would_have_four_faces():
    """Around the hole of a torus of three by three vertices, the ring of three edges must not become one of two."""
    turn = 2 * np.pi * np.arange(3) / 3
    u, v = (each.ravel() for each in np.meshgrid(turn, turn, indexing="ij"))
    points = np.stack([(2 + np.cos(v)) * np.cos(u), (2 + np.cos(v)) * np.sin(u), np.sin(v)], axis=1)
    points[3] = points[0] + NEAR
    number = np.arange(9).reshape(3, 3)
    a, b = number, np.roll(number, -1, axis=0)
    c, d = np.roll(b, -1, axis=1), np.roll(a, -1, axis=1)
    faces = np.concatenate([np.stack(corners, axis=-1).reshape(-1, 3) for corners in ((a, b, c), (a, c, d))])
    before = surface_of(points, faces)
    assert before.is_closed()
    after, _ = merged(before)
    assert np.array_equal(after.faces, before.faces)


def test_short_edges_go_too_but_not_between_vertices_of_the_stock():
    before = split_hull()
    last = len(before.points) - 1
    before.points[last] += (1e-6, 0, 0)
    assert merged(before)[0] is before
    after, _ = merged(before, least=2e-6)
    assert after.is_closed() and len(after.faces) == len(before.faces) - 2
    kept, _ = merged(before, before.points[[0]], least=2e-6)
    assert kept.is_closed() and 0 in kept.faces and last not in kept.faces
    both, _ = merged(before, before.points[[0, last]], least=2e-6)
    assert np.array_equal(both.faces, before.faces)


def test_nothing_changes_where_all_vertices_are_apart():
    block = box()
    before = surface_of(block.points, block.triangles)
    assert merged(before)[0] is before
