"""Quads whose diagonal is an edge elsewhere become triangles."""

import numpy as np
import pytest

from tests.shapes import box
from voxel_carve.compute import Source, Surface, carve
from voxel_carve.compute.repair import unpaired_edges, with_own_diagonals

CORNERS = np.array([[0, 0, 0], [1, 0, 0], [1, 1, 0.5], [0, 1, 0]])


def surface_of(faces):
    """A surface whose faces are told apart by their primitive."""
    faces = np.array(faces, dtype=np.int32)
    source = np.where(np.arange(len(faces)) % 2, Source.PATH, Source.STOCK).astype(np.uint8)
    return Surface(CORNERS, faces, source, np.arange(len(faces), dtype=np.int32))


def split(faces, first):
    """All quads split from their first corner, or all from their second."""
    order = [0, 1, 2, 0, 2, 3] if first else [0, 1, 3, 1, 2, 3]
    triangles = np.asarray(faces)[:, order].reshape(-1, 3)
    sorted_corners = np.sort(triangles, axis=1)
    return triangles[(np.diff(sorted_corners, axis=1) > 0).all(axis=1)]


@pytest.mark.parametrize(
    "below",
    [
        [[0, 3, 1, 1], [1, 3, 2, 2]],  # the second diagonal of the quad above
        [[0, 3, 2, 2], [0, 2, 1, 1]],  # the first one
    ],
)
def test_a_quad_over_two_triangles_is_split_the_other_way(below):
    surface = with_own_diagonals(surface_of([[0, 1, 2, 3], *below]))
    assert surface.primitive.tolist() == [0, 0, 1, 2]
    assert surface.source.tolist() == [Source.STOCK, Source.STOCK, Source.PATH, Source.STOCK]
    for first in (True, False):
        triangles = split(surface.faces, first)
        assert len(triangles) == 4
        assert len(unpaired_edges(triangles.ravel(), np.roll(triangles, -1, axis=1).ravel())) == 0


def test_a_surface_without_such_quads_stays_as_it_is():
    surface = carve(box((0, 0, 0), (2, 2, 2)), ([[-1, 1, 1], [3, 1, 1]], 0.4), 0.1, backend="cpu").surface
    assert with_own_diagonals(surface) is surface
