"""Which arrays make a triangle mesh, and which are refused."""

import numpy as np
import pytest

from voxel_carve.compute.model.mesh import TriMesh
from voxel_carve.compute.runtime.errors import InputError

POINTS = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]
TRIANGLES = [[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]]


@pytest.mark.parametrize("kind", [list, np.int16, np.uint64, np.float32])
def test_whole_indices(kind):
    triangles = TRIANGLES if kind is list else np.array(TRIANGLES, dtype=kind)
    mesh = TriMesh(POINTS, triangles)
    assert mesh.triangles.dtype == np.int32
    assert mesh.volume() == pytest.approx(1 / 6)


@pytest.mark.parametrize("shape", [(3, 2), (6, 4), (12,), (4, 1, 3)])
def test_shape_of_the_points(shape):
    with pytest.raises(InputError, match=r"'Cube' has points of shape .*give \(N, 3\)"):
        TriMesh(np.ones(shape), TRIANGLES, "Cube")


@pytest.mark.parametrize("shape", [(6, 4), (3, 2), (12,), (2, 2, 3)])
def test_shape_of_the_faces(shape):
    with pytest.raises(InputError, match=r"'Cube' has faces of shape .*give \(M, 3\)"):
        TriMesh(POINTS, np.ones(shape, dtype=int), "Cube")


def test_faces_of_unequal_size():
    with pytest.raises(InputError, match=r"'Cube' has faces of unequal size: give \(M, 3\)"):
        TriMesh(POINTS, [[0, 1, 2], [0, 1, 2, 3]], "Cube")


@pytest.mark.parametrize("bad", [0.5, np.nan, True, "1", None])
def test_indices_that_are_not_whole_numbers(bad):
    with pytest.raises(InputError, match="'Cube' has faces whose indices are not whole numbers"):
        TriMesh(POINTS, np.array([[bad, bad, bad]]), "Cube")


@pytest.mark.parametrize("bad", [-1, 4, 2**32, np.inf])
def test_indices_that_no_point_has(bad):
    with pytest.raises(InputError, match="'Cube' has faces that refer to missing vertices"):
        TriMesh(POINTS, [[0, 1, bad]], "Cube")


def test_no_faces():
    with pytest.raises(InputError, match="'Cube' has no faces"):
        TriMesh(POINTS, [], "Cube")
