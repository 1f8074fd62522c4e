"""Faces replaced in a mesh, against the same done with sets of faces."""

import numpy as np
import pytest

from voxel_carve.compute.engines.numba.contour.replacing import replace_faces, with_room
from voxel_carve.compute.model.mesh import DualMesh


def mesh_of(rng: np.random.Generator, vertices: int, quads: np.ndarray) -> DualMesh:
    kinds, codes = rng.integers(0, 4, vertices), rng.integers(-9, 9, len(quads))
    cells = rng.integers(0, 1 << 40, vertices)
    return DualMesh(
        rng.random((vertices, 3)), quads.astype(np.int32), codes.astype(np.int32), kinds.astype(np.uint8), cells
    )


def faces_of(mesh: DualMesh, faces: np.ndarray) -> set[tuple[int, bytes]]:
    """Some faces, each by its primitive and by the points, kinds and cells of its corners."""
    corners = np.column_stack([mesh.points, mesh.kinds, mesh.cells])[mesh.quads[faces]]
    return {(int(code), own.tobytes()) for code, own in zip(mesh.codes[faces], corners, strict=True)}


def roomy(mesh: DualMesh) -> DualMesh:
    """A copy with room behind its arrays."""
    arrays = []
    for rows in vars(mesh).values():
        arrays.append(with_room(rows.shape, rows.dtype))
        arrays[-1][:] = rows
    return DualMesh(*arrays)


@pytest.mark.parametrize("has_room", [False, True])
@pytest.mark.parametrize("added", [0, 1, 5, 20, 40])
def test_only_the_faces_that_are_replaced_change(added, has_room):
    rng = np.random.default_rng(added)
    mesh = mesh_of(rng, 60, rng.integers(0, 60, (50, 4)))
    mesh = roomy(mesh) if has_room else mesh
    gone = np.sort(rng.choice(60, 12, replace=False))
    of_gone = np.flatnonzero(np.isin(mesh.quads, gone).any(axis=1))
    staying = np.setdiff1d(np.arange(60), gone)
    own = np.arange(60, 60 + added)
    new = mesh_of(rng, added, rng.choice(np.concatenate([staying, own]), (added, 4)))
    everything = DualMesh(*map(np.concatenate, zip(vars(mesh).values(), vars(new).values(), strict=True)))
    kept = np.setdiff1d(np.arange(50 + added), of_gone)
    expected = faces_of(everything, kept)
    result, vertices, quads = replace_faces(mesh, of_gone, gone, new)
    assert len(result.points) == 48 + added and len(result.quads) == len(kept)
    assert faces_of(result, np.arange(len(kept))) == expected
    assert np.array_equal(result.points[vertices.added], new.points)
    assert np.array_equal(result.codes[quads.added], new.codes)


def test_a_mesh_with_room_is_not_copied():
    rng = np.random.default_rng(1)
    mesh = roomy(mesh_of(rng, 60, rng.integers(0, 60, (50, 4))))
    none = np.empty(0, dtype=np.int64)
    for _ in range(2):  # the second finds the room that the first has left
        first = len(mesh.points)
        new = mesh_of(rng, 5, rng.integers(0, first + 5, (5, 4)))
        result, _, _ = replace_faces(mesh, none, none, new)
        for before, after in zip(vars(mesh).values(), vars(result).values(), strict=True):
            assert after.ctypes.data == before.ctypes.data and len(after) == len(before) + 5
        mesh = result
