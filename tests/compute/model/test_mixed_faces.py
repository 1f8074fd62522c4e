"""Surfaces with triangles among quads: a triangle names its last corner twice."""

import numpy as np
import pytest

from voxel_carve.compute import Surface

CORNERS = np.array([(x, y, z) for z in (0, 1) for x, y in ((0, 0), (1, 0), (1, 1), (0, 1))], dtype=float) * (1, 2, 3)
QUADS = np.array([(0, 3, 2, 1), (4, 5, 6, 7), (0, 1, 5, 4), (1, 2, 6, 5), (2, 3, 7, 6), (3, 0, 4, 7)], dtype=np.int32)


def surface_of(faces):
    """A surface of a box's corners."""
    faces = np.asarray(faces, dtype=np.int32)
    return Surface(CORNERS, faces, np.zeros(len(faces), dtype=np.uint8), np.arange(len(faces), dtype=np.int32))


def box(split=()):
    """A box of quads; some, by their numbers, are split into triangles."""
    faces = []
    for number, (a, b, c, d) in enumerate(QUADS.tolist()):
        faces += [(a, b, c, c), (a, c, d, d)] if number in split else [(a, b, c, d)]
    return surface_of(faces)


@pytest.mark.parametrize("split", [(), (1, 4), (0,), range(6)])
def test_triangles_among_quads(split):
    mixed = box(split)
    assert np.array_equal(mixed.triangles(), surface_of(QUADS).triangles())
    assert mixed.triangles().dtype == np.int32
    assert mixed.triangle_count() == 12
    assert mixed.volume() == pytest.approx(6)
    assert mixed.is_closed()
    expected = [number for number, face in enumerate(mixed.faces) for _ in range(len(set(face.tolist())) - 2)]
    assert mixed.face_of_triangle().tolist() == expected
    assert mixed.to_tri_mesh().volume() == pytest.approx(6)


def test_triangles_alone():
    triangles = surface_of(surface_of(QUADS).triangles())
    assert np.array_equal(triangles.triangles(), triangles.faces)
    assert triangles.triangle_count() == 12
    assert triangles.face_of_triangle().tolist() == list(range(12))


def test_no_faces():
    nothing = Surface.empty()
    assert nothing.triangles().shape == (0, 3)
    assert nothing.triangle_count() == 0 == len(nothing.face_of_triangle())
    assert nothing.is_closed()


@pytest.mark.parametrize("missing", range(8))
def test_without_a_face_it_is_open(missing):
    faces = box((1, 4)).faces
    assert len(faces) == 8
    assert not surface_of(np.delete(faces, missing, axis=0)).is_closed()


def test_a_triangle_the_wrong_way_round_is_open():
    faces = box((1, 4)).faces
    a, b, c, _ = faces[1]
    faces[1] = c, b, a, a
    assert not surface_of(faces).is_closed()


def test_normals_are_those_of_the_triangles():
    mixed, alone = box(range(6)), surface_of(surface_of(QUADS).triangles())
    np.testing.assert_allclose(mixed.face_normals(), alone.face_normals(), atol=1e-12)
    np.testing.assert_allclose(mixed.vertex_normals(), alone.vertex_normals(), atol=1e-12)
