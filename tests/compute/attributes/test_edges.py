"""Edges of meshes with triangles among quads, against those of the half-edges one by one. See `attributes.edges`."""

import numpy as np
import pytest

from tests.shapes import sphere
from voxel_carve.compute import get_backend

pytestmark = pytest.mark.compiled

ANGLE = np.radians(11.5)  # the median of its bends


def mixed_ball():
    """A ball of quads, each of two triangles of a sphere, and of the triangles that are left; and cut faces."""
    mesh, rng = sphere(subdivisions=3), np.random.default_rng(3)
    faces, free = [], set(range(len(mesh.triangles)))
    of_side = {}
    for number, triangle in enumerate(mesh.triangles.tolist()):
        for i in range(3):
            of_side[triangle[i], triangle[(i + 1) % 3]] = number, triangle[i - 1]
    for number in rng.permutation(len(mesh.triangles)).tolist():
        if number not in free or rng.random() < 0.3:
            continue
        a, b, c = mesh.triangles[number].tolist()
        other, tip = of_side[b, a]
        if other in free:
            free -= {number, other}
            faces.append((a, tip, b, c))
    faces += [(*mesh.triangles[number], mesh.triangles[number, 2]) for number in free]
    faces = rng.permutation(np.array(faces, dtype=np.int32))
    return mesh.points.astype(np.float32), faces, rng.random(len(faces)) < 0.5


def normals(points, faces):
    """The unit normals of faces, from their diagonals."""
    a, b, c, d = (points[faces[:, i]].astype(float) for i in range(4))
    across = np.cross(c - a, d - b)
    return across / np.linalg.norm(across, axis=1, keepdims=True)


def found(points, faces, cut):
    get_backend("cpu")
    from voxel_carve.compute.attributes.edges import face_edges

    return face_edges(points, faces, cut, ANGLE)


def test_edges_of_triangles_among_quads():
    points, faces, cut = mixed_ball()
    edges = found(points, faces, cut)
    here, there = faces, np.roll(faces, -1, axis=1)
    face, corner = np.nonzero(here != there)
    ends = np.sort(np.stack([here[face, corner], there[face, corner]], axis=1), axis=1)
    assert 3 * len(faces) + 100 < len(face) < 4 * len(faces) - 100
    assert np.array_equal(edges.vertices[edges.of_corner[face, corner]], ends)
    assert np.array_equal(np.unique(edges.vertices, axis=0), np.unique(ends, axis=0))
    assert 2 * len(edges.vertices) == len(face)
    # The two faces of each edge.
    order = np.argsort(edges.of_corner[face, corner], kind="stable")
    one, other = face[order].reshape(-1, 2).T
    normal = normals(points, faces)
    cosine = (normal[one] * normal[other]).sum(axis=1)
    expected = (cosine < np.cos(ANGLE)) | (cut[one] != cut[other])
    clear = np.abs(cosine - np.cos(ANGLE)) > 1e-5
    assert np.array_equal(edges.sharp[clear], expected[clear])
    same = cut[one] == cut[other]
    assert 50 < (same & edges.sharp).sum() < same.sum() - 50


@pytest.mark.parametrize("spoil", ["without a triangle", "with one twice"])
def test_a_mesh_that_is_not_closed_has_none(spoil):
    points, faces, cut = mixed_ball()
    triangle = np.flatnonzero(faces[:, 2] == faces[:, 3])[0]
    kept = np.delete(np.arange(len(faces)), triangle) if spoil == "without a triangle" else np.arange(len(faces) + 1)
    kept = np.where(kept == len(faces), triangle, kept)
    assert found(points, np.ascontiguousarray(faces[kept]), cut[kept]) is None


def test_threads_decide_no_edge(monkeypatch):
    points, faces, cut = mixed_ball()
    one = found(points, faces, cut)
    from voxel_carve.compute.attributes import edges
    from voxel_carve.compute.runtime import threads

    monkeypatch.setattr(edges, "LEAST_FACES", 100)
    monkeypatch.setattr(edges, "FACES_PER_RUN", 100)
    for module in (edges, threads):
        monkeypatch.setattr(module, "thread_count", lambda: 3)
    three = found(points, faces, cut)
    is_side = faces != np.roll(faces, -1, axis=1)
    assert np.array_equal(one.vertices, three.vertices) and np.array_equal(one.sharp, three.sharp)
    assert np.array_equal(one.of_corner[is_side], three.of_corner[is_side])
