"""The stock's field against another library: OpenVDB's level sets, which Blender brings along."""

import numpy as np
import pytest

from tests.brute_force import stock_field
from tests.shapes import box, solid_angle_winding, sphere
from voxel_carve.compute import Grid, TriMesh, get_backend
from voxel_carve.compute.model.bricks import BRICK_SIZE, REACH, BrickTable

bpy = pytest.importorskip("bpy")
pytestmark = pytest.mark.blender

GRID = Grid(np.full(3, -2.0), 1 / 16, (64, 64, 64))


def turned(mesh):
    """The mesh turned, so that no face lies along an axis."""
    angles = (0.3, 0.5, 0.7)
    points = mesh.points
    for axis, angle in enumerate(angles):
        sine, cosine = np.sin(angle), np.cos(angle)
        i, j = (axis + 1) % 3, (axis + 2) % 3
        points = points.copy()
        points[:, i], points[:, j] = (
            cosine * points[:, i] - sine * points[:, j],
            sine * points[:, i] + cosine * points[:, j],
        )
    return TriMesh(points, mesh.triangles)


STOCKS = {"sphere": sphere(1.3, (0.03, -0.02, 0.01), subdivisions=5), "box": turned(box())}


@pytest.mark.parametrize("name", STOCKS)
def test_stock_field_is_that_of_a_level_set(openvdb, name):
    mesh = STOCKS[name]
    z, y, x = BrickTable.over(GRID).shape
    ours = (
        stock_field(get_backend("cpu"), mesh, GRID)
        .distance.reshape(z, y, x, *[BRICK_SIZE] * 3)
        .transpose(0, 3, 1, 4, 2, 5)
        .reshape(GRID.shape)
    )

    # Its voxel (i, j, k) has its centre at (i, j, k) voxel sizes: ours lie half a voxel farther.
    points = ((mesh.points - GRID.origin) / GRID.voxel_size - 0.5).astype(np.float32)
    level_set = openvdb.FloatGrid.createLevelSetFromPolygons(
        points, triangles=mesh.triangles.astype(np.uint32), halfWidth=3.0
    )
    theirs = np.empty(GRID.shape[::-1], dtype=np.float32)
    level_set.copyToArray(theirs)
    theirs = theirs.transpose(2, 1, 0)
    assert np.abs(ours) == pytest.approx(np.clip(np.abs(theirs), 0, REACH), abs=1e-3)
    # Its signs come from neighbours and float32: a few voxels almost on the surface have the wrong one.
    other_side = np.argwhere((ours <= 0) != (theirs <= 0))
    assert len(other_side) <= 10
    assert (np.abs(theirs[tuple(other_side.T)]) < 0.01).all()
    inside = np.abs(solid_angle_winding(mesh, GRID.centres(other_side))) > 0.5
    assert np.array_equal(ours[tuple(other_side.T)] <= 0, inside)
