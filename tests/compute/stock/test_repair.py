"""Stocks whose faces are listed more than once, or on both sides."""

import numpy as np
import pytest

from tests.command_line import BOX_VOLUME, CAPSULE_CSV, CAPSULE_VOLUME, box, run
from voxel_carve.compute import Path, Sweep, TriMesh, carve, verify
from voxel_carve.compute.repair.repair import without_doubles
from voxel_carve.formats import write_meshes

VOXEL_SIZE = 1 / 16
CAPSULE = Sweep.from_paths([Path([[1, 1.5, 1], [3, 1.5, 1]], [0.5])])


def listed(mesh, *more):
    """The mesh with more triangles before its own."""
    return TriMesh(mesh.points, np.vstack([*more, mesh.triangles]), "doubled")


def soup(mesh):
    """The same with three points of its own for each triangle, as an .stl has it."""
    return TriMesh(mesh.corners().reshape(-1, 3), np.arange(3 * len(mesh.triangles)).reshape(-1, 3), mesh.name)


def back(triangles):
    return triangles[:, [0, 2, 1]]


def turned(triangles):
    """The same triangles from their second corner on."""
    return triangles[:, [1, 2, 0]]


BOX = box()
FACE = BOX.triangles[:1]
SAME = {
    "one face 236 times": (listed(BOX, np.tile(FACE, (235, 1))), ["lists 235 faces that are there already"]),
    "with points of its own": (soup(listed(BOX, FACE, FACE)), ["lists 2 faces"]),
    "from another corner": (listed(BOX, turned(FACE)), ["lists a face that is there already: it counts once"]),
    "every face": (listed(BOX, BOX.triangles, BOX.triangles), ["lists 24 faces"]),
    "once more on either side": (listed(BOX, FACE, back(FACE)), ["2 faces that lie back to back"]),
    "both sides of all": (TriMesh(BOX.points, np.vstack([BOX.triangles, back(BOX.triangles)]), "d"), ["facing both"]),
    "both sides of all, from other corners": (
        TriMesh(BOX.points, np.vstack([BOX.triangles, turned(back(BOX.triangles))]), "d"),
        ["one side was taken"],
    ),
}


@pytest.mark.parametrize(("stock", "told"), SAME.values(), ids=SAME)
def test_doubles_change_nothing_and_are_told(stock, told):
    wanted = carve(BOX, CAPSULE, VOXEL_SIZE, backend="cpu")
    found = carve(stock, CAPSULE, VOXEL_SIZE, backend="cpu")
    np.testing.assert_array_equal(found.surface.points, wanted.surface.points)
    np.testing.assert_array_equal(found.surface.faces, wanted.surface.faces)
    assert len(found.report.warnings) == len(told)
    for warning, words in zip(found.report.warnings, told, strict=True):
        assert words in warning


@pytest.mark.parametrize("stock", [listed(BOX, np.tile(FACE, (5, 1))), soup(listed(BOX, FACE, back(FACE)))])
def test_faces_say_which_triangle_of_the_mesh_as_given_they_are_of(stock):
    surface = carve(stock, CAPSULE, VOXEL_SIZE, backend="cpu").surface
    mine = surface.primitive >= 0
    mine &= surface.source == 0
    corner = stock.corners()[surface.primitive[mine]]
    normal = np.cross(corner[:, 1] - corner[:, 0], corner[:, 2] - corner[:, 0])
    off = surface.points[surface.faces[mine]] - corner[:, :1]
    assert mine.sum() > 1000
    assert np.abs(np.einsum("fij,fj->fi", off, normal)).max() < 1e-6
    low, high = corner.min(axis=1, keepdims=True), corner.max(axis=1, keepdims=True)
    centre = surface.points[surface.faces[mine]].mean(axis=1, keepdims=True)
    assert ((centre > low - VOXEL_SIZE) & (centre < high + VOXEL_SIZE)).all()


def test_bodies_over_each_other_that_share_a_side():
    """Its triangles are there twice, the same way round, and each body needs its own."""
    tall = TriMesh(BOX.points * [1, 1, 2], BOX.triangles)
    stock = TriMesh(np.vstack([BOX.points, tall.points]), np.vstack([BOX.triangles, BOX.triangles + 8]), "bodies")
    report = carve(stock, CAPSULE, VOXEL_SIZE, backend="cpu").report
    assert report.volume == pytest.approx(2 * BOX_VOLUME - CAPSULE_VOLUME, rel=2e-3)
    assert report.warnings == ()


def test_bodies_beside_each_other_that_share_a_side():
    more = box(offset=(0, 0, 2))
    stock = TriMesh(np.vstack([BOX.points, more.points]), np.vstack([BOX.triangles, more.triangles + 8]), "bodies")
    report = carve(stock, CAPSULE, VOXEL_SIZE, backend="cpu").report
    assert report.volume == pytest.approx(2 * BOX_VOLUME - CAPSULE_VOLUME, rel=2e-3)
    assert report.warnings == ("'bodies' has 4 faces that lie back to back: they cancel out",)


def test_a_mesh_that_is_right_is_handed_on():
    assert without_doubles(BOX) == (None, ())


def test_time_grows_with_the_input():
    """A million copies of a face are no more work than a million faces."""
    kept, _ = without_doubles(listed(BOX, np.tile(FACE, (1_000_000, 1))))
    np.testing.assert_array_equal(np.sort(kept), [0, *range(1_000_001, 1_000_012)])


def test_verify_takes_doubles_once():
    stock = listed(BOX, np.tile(FACE, (235, 1)))
    result = carve(BOX, CAPSULE, VOXEL_SIZE, backend="cpu")
    found = verify(result.surface, stock, CAPSULE, VOXEL_SIZE)
    assert found == verify(result.surface, BOX, CAPSULE, VOXEL_SIZE)


def test_a_file_with_a_face_listed_many_times(tmp_path):
    write_meshes(tmp_path / "box.ply", [BOX])
    write_meshes(tmp_path / "many.obj", [listed(BOX, np.tile(FACE, (235, 1)))])
    (tmp_path / "tool.csv").write_text(CAPSULE_CSV)
    for stock in ("box.ply", "many.obj"):
        arguments = ["--stock", stock, "--path", "tool.csv", "--resolution", 64, "--memory-limit", 0.5]
        done = run([*arguments, "--output", f"{stock}.stl"], tmp_path)
        assert done.status == 0
    assert "lists 235 faces that are there already" in done.err
    assert (tmp_path / "many.obj.stl").read_bytes() == (tmp_path / "box.ply.stl").read_bytes()
