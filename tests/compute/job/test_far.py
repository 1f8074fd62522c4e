"""Far from the world's origin a result is the same as near it, in every file that can hold it."""

import json

import numpy as np
import pytest
import trimesh

from tests.command_line import run_each
from tests.shapes import box
from voxel_carve.compute import InputError, TriMesh
from voxel_carve.formats import read_mesh, write_meshes

OFFSETS = {
    "near": (0, 0, 0),
    "1e6": (1e6, -1e6, 1e6),
    "1e7": (1e7, 0, 1e7),
    "-1e7": (-1e7, -1e7, 3),
    "odd": (1234567.891, 1e7 / 3, -7654321.0123),
    "1e9": (1e9, -1e9, 0),
}
VOXEL = 2 / 32
RADIUS, LENGTH = 0.4, 0.8
CAPSULE = np.pi * RADIUS**2 * (LENGTH + 4 / 3 * RADIUS)
SUFFIXES = (".ply", ".obj", ".glb")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A box of two units with a capsule taken out of its middle, at every place and in every format."""
    folder = tmp_path_factory.mktemp("far")
    jobs = []
    for name, offset in OFFSETS.items():
        stock = box(np.array(offset) - 1, np.array(offset) + 1)
        write_meshes(folder / f"{name}.ply", [stock], voxel_size=VOXEL)
        ends = np.add(offset, [[-LENGTH / 2, 0, 0], [LENGTH / 2, 0, 0]]).tolist()
        rows = [f"{x!r},{y!r},{z!r},{RADIUS}" for x, y, z in ends]
        (folder / f"{name}.csv").write_text("\n".join(["x,y,z,radius", *rows, ""]))
        for suffix in (*SUFFIXES, ".stl"):
            out = f"{name}{suffix}_out"
            files = ["--output", f"{out}{suffix}", "--report", f"{out}.json"]
            jobs.append(["--stock", f"{name}.ply", "--path", f"{name}.csv", "--voxel-size", VOXEL, *files])
    answers = iter(run_each([list(map(str, job)) for job in place(jobs, folder)], folder))
    for name in OFFSETS:
        for suffix in (*SUFFIXES, ".stl"):
            done = next(answers)
            (folder / f"{name}{suffix}_out.answer").write_text(json.dumps([done.status, done.err]))
    return folder


def place(jobs, folder):
    """The jobs with the names of their files in full: they all run in one process, which is not in the folder."""
    suffixes = (".ply", ".csv", ".json", *SUFFIXES, ".stl")
    return [[folder / word if str(word).endswith(suffixes) else word for word in job] for job in jobs]


@pytest.mark.parametrize("suffix", SUFFIXES)
@pytest.mark.parametrize("name", OFFSETS)
def test_a_result_is_as_true_far_out_as_near(folder, name, suffix):
    out = folder / f"{name}{suffix}_out{suffix}"
    assert json.loads((folder / f"{name}{suffix}_out.answer").read_text()) == [0, ""]
    report = json.loads((folder / f"{name}{suffix}_out.json").read_text())
    scene = trimesh.load_scene(out, process=False)
    (node,) = scene.graph.nodes_geometry
    matrix, geometry = scene.graph[node]
    offset = np.array(OFFSETS[name])
    if suffix == ".glb":  # y points up there
        offset = offset[[0, 2, 1]] * [1, 1, -1]
    found = scene.geometry[geometry]
    points = found.vertices.view(np.ndarray) + (matrix[:3, 3] - offset)
    local = trimesh.Trimesh(points, found.faces, process=False)
    assert local.is_watertight
    assert len(local.faces) == report["triangles"]
    assert local.volume == pytest.approx(report["volume"], rel=1e-5)
    assert local.volume == pytest.approx(8 - CAPSULE, rel=0.005)
    assert report["removed_volume"] == pytest.approx(CAPSULE, rel=0.01)
    np.testing.assert_allclose(local.bounds, [[-1] * 3, [1] * 3], atol=VOXEL / 50)
    sides = np.linalg.norm(np.diff(local.triangles[:, [0, 1, 2, 0]], axis=1), axis=2)
    height = 2 * local.area_faces / sides.max(axis=1)
    assert height.min() > VOXEL / 100
    mine = read_mesh(out).points - OFFSETS[name]
    theirs = points[:, [0, 2, 1]] * [1, -1, 1] if suffix == ".glb" else points
    np.testing.assert_allclose(mine, theirs, rtol=0, atol=1e-3 * VOXEL)


@pytest.mark.parametrize("name", OFFSETS)
def test_an_stl_that_cannot_hold_a_result_is_refused(folder, name):
    out = folder / f"{name}.stl_out.stl"
    status, said = json.loads((folder / f"{name}.stl_out.answer").read_text())
    if name == "near":
        assert (status, said) == (0, "")
        assert trimesh.load_mesh(out).volume == pytest.approx(8 - CAPSULE, rel=0.005)
        return
    assert status == 2
    assert "a .stl has float32 coordinates" in said
    assert "write .ply or .obj" in said
    assert not out.exists()
    assert not out.with_suffix(".json").exists()


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_a_vertex_is_never_moved_by_more_than_a_thousandth_of_a_voxel(tmp_path, suffix):
    rng = np.random.default_rng(1)
    for place in (0.0, 1e3, 3e5, 1e8):
        points = rng.uniform(-1, 1, (300, 3)) + place
        mesh = TriMesh(points, np.arange(300).reshape(-1, 3))
        for voxel_size in (0.5, 1e-3):
            file = tmp_path / f"mesh{suffix}"
            write_meshes(file, [mesh], overwrite=True, voxel_size=voxel_size)
            assert np.abs(read_mesh(file).points - points).max() <= 1e-3 * voxel_size


def test_a_glb_of_a_mesh_too_large_for_its_voxels_is_refused(tmp_path):
    with pytest.raises(InputError, match=r"a \.glb has float32 coordinates, which over a length of 2e\+05 cannot"):
        write_meshes(tmp_path / "mesh.glb", [box((-1e5,) * 3, (1e5,) * 3)], voxel_size=1e-3)
    assert not (tmp_path / "mesh.glb").exists()


def test_a_part_that_a_path_adds_counts_too(tmp_path):
    write_meshes(tmp_path / "box.ply", [box()])
    (tmp_path / "tool.csv").write_text("x,y,z\n0,0,0\n100000,0,0\n")
    job = ["--stock", "box.ply", "--path", "tool.csv", "--output", "out.stl"]
    more = ["--radius", "0.5", "--voxel-size", "0.1", "--operation", "union"]
    (done,) = run_each([[*place([job], tmp_path)[0], *more]], tmp_path)
    assert done.status == 2
    assert "a .stl has float32 coordinates, which as far as 1e+05 from the origin cannot tell voxels of 0.1" in done.err
