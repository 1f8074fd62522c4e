"""The front door in Python: what it takes, what it gives, what it refuses, and that the manual's examples run."""

import io
import re
import subprocess
import sys
from pathlib import Path as FilePath

import numpy as np
import pytest

from tests.shapes import box, sphere
from voxel_carve.compute import (
    CarveError,
    CarveSession,
    Grid,
    InputError,
    MemoryLimitError,
    Path,
    SparseField,
    Surface,
    Sweep,
    TriMesh,
    boolean,
    carve,
    fit,
    get_backend,
    occupancy_surface,
    plan_grid,
    prepare,
    register_backend,
    sweep,
    voxelize,
)
from voxel_carve.compute.engines import registry

ROOT = FilePath(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "manual" / "python.md").read_text(encoding="utf-8")
EXAMPLES = dict(re.findall(r"^## ([^\n]+)\n(?:(?!^## ).)*?```python\n(.*?)```", PAGE, flags=re.MULTILINE | re.DOTALL))
OTHER_PAGES = ("README.md", "docs/package.md")
LINE, RADIUS = np.array([[0.0, 0.0, -2.0], [0.0, 0.0, 2.0]]), 0.5
BORED = 8 - np.pi * RADIUS**2 * 2  # a box of side 2 without a hole through it


def test_the_manual_has_23_examples():
    assert len(EXAMPLES) == PAGE.count("```python") == 23


@pytest.mark.parametrize("page", OTHER_PAGES)
def test_example_of_another_page_runs_as_it_stands(page, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("VOXEL_CARVE_BACKEND", "cpu")
    (example,) = re.findall(r"```python\n(.*?)```", (ROOT / page).read_text(encoding="utf-8"), flags=re.DOTALL)
    for _ in range(2):
        exec(compile(example, page, "exec"), {"__name__": "__main__"})
    assert float(capsys.readouterr().out.split()[0]) > 0
    assert (tmp_path / "carved.ply").is_file()


@pytest.mark.parametrize("name", EXAMPLES)
def test_example_of_the_manual_runs_as_it_stands(name, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("VOXEL_CARVE_BACKEND", "cpu")
    for framework in re.findall(r"^import (jax|torch)$", EXAMPLES[name], flags=re.MULTILINE):
        pytest.importorskip(framework)
    for _ in range(2 if ".save(" in EXAMPLES[name] else 1):  # what is there already is no reason to fail
        exec(compile(EXAMPLES[name], name, "exec"), {"__name__": "__main__"})
    told = capsys.readouterr().out
    assert told or "print" not in EXAMPLES[name]


def stocks():
    trimesh = pytest.importorskip("trimesh")
    mesh = box()
    return {
        "TriMesh": mesh,
        "pair": (mesh.points, mesh.triangles),
        "pair of lists": (mesh.points.tolist(), mesh.triangles.tolist()),
        "trimesh": trimesh.Trimesh(mesh.points, mesh.triangles, process=False),
        "prepared": prepare(mesh, 2 / 32, backend="cpu"),
    }


@pytest.mark.parametrize("kind", ["TriMesh", "pair", "pair of lists", "trimesh", "prepared"])
def test_every_kind_of_stock_gives_the_same_mesh(kind):
    surface = carve(stocks()[kind], (LINE, RADIUS), 2 / 32, backend="cpu").surface
    assert surface.volume() == pytest.approx(BORED, rel=2e-3)
    expected = carve(box(), (LINE, RADIUS), 2 / 32, backend="cpu").surface
    assert surface.points.tobytes() == expected.points.tobytes()
    assert surface.faces.tobytes() == expected.faces.tobytes()


@pytest.mark.parametrize(
    "paths",
    [
        Path(LINE, RADIUS),
        [Path(LINE, RADIUS)],
        (LINE.tolist(), [RADIUS, RADIUS]),
        [(LINE[:1], RADIUS), (LINE, RADIUS)],
        Sweep(LINE[0], LINE[1], RADIUS, RADIUS),
    ],
    ids=["path", "list", "pair of lists", "two pairs", "sweep"],
)
def test_every_kind_of_path(paths):
    assert carve(box(), paths, resolution=32, backend="cpu").surface.volume() == pytest.approx(BORED, rel=2e-3)


@pytest.mark.parametrize("suffix", [".ply", ".stl", ".obj", ".glb"])
def test_a_result_is_saved_and_replaced_only_where_asked(tmp_path, suffix):
    trimesh = pytest.importorskip("trimesh")
    result, file = carve(box(), (LINE, RADIUS), resolution=32), tmp_path / f"carved{suffix}"
    result.save(file)
    read = trimesh.load_mesh(file)
    assert len(read.faces) == result.report.triangles
    assert read.volume == pytest.approx(result.report.volume, rel=1e-5)
    before = file.read_bytes()
    with pytest.raises(InputError, match="exists"):
        result.save(str(file))
    assert file.read_bytes() == before
    result.save(file, overwrite=True)


def test_a_format_that_is_not_written_is_refused(tmp_path):
    with pytest.raises(InputError, match=r"'\.step' is not a mesh format"):
        carve(box(), (LINE, RADIUS), resolution=32).save(tmp_path / "carved.step")


def test_a_box_from_lists_is_that_of_arrays():
    mesh = TriMesh.box([0, 0, 0], [4, 3, 2])
    assert mesh.volume() == pytest.approx(24)
    np.testing.assert_array_equal(mesh.bounds(), [[0, 0, 0], [4, 3, 2]])


def test_resolution_counts_voxels_along_the_longest_side():
    stock = box(high=(3.0, 1.0, 1.0))
    assert carve(stock, (LINE, RADIUS), resolution=32, backend="cpu").report.voxel_size == 4 / 32


@pytest.mark.parametrize("options", [{}, {"voxel_size": 0.1, "resolution": 20}])
def test_voxel_size_and_resolution_exclude_each_other(options):
    with pytest.raises(InputError, match="give either voxel_size or resolution"):
        carve(box(), (LINE, RADIUS), backend="cpu", **options)


def test_normals_of_a_sphere_look_outward():
    surface = carve(sphere(), ([[0, 0, 2]], 0.5), voxel_size=0.05, backend="cpu").surface
    outward = surface.points / np.linalg.norm(surface.points, axis=1, keepdims=True)
    normals = surface.vertex_normals()
    np.testing.assert_allclose(np.linalg.norm(normals, axis=1), 1.0)
    assert np.einsum("ij,ij->i", normals, outward).min() > np.cos(np.radians(6))
    middles = surface.points[surface.faces].mean(axis=1)
    middles /= np.linalg.norm(middles, axis=1, keepdims=True)
    assert np.einsum("ij,ij->i", surface.face_normals(), middles).min() > np.cos(np.radians(12))


@pytest.mark.compiled
def test_normals_of_triangles_are_those_of_trimesh():
    pytest.importorskip("trimesh")
    surface = carve(box(), (LINE, RADIUS), resolution=24, tolerance=0.01, backend="cpu").surface
    assert surface.faces.shape[1] == 3
    np.testing.assert_allclose(surface.face_normals(), surface.to_trimesh().face_normals, atol=1e-6)


def test_trimesh_of_a_result_is_watertight():
    pytest.importorskip("trimesh")
    surface = carve(box(), (LINE, RADIUS), resolution=24, backend="cpu").surface
    mesh = surface.to_trimesh()
    assert mesh.is_watertight
    assert mesh.is_winding_consistent
    assert mesh.volume == pytest.approx(surface.volume())


class Tensor:
    """As a tensor of PyTorch that needs its gradient answers numpy."""

    def __array__(self, dtype=None, copy=None):
        raise RuntimeError("Can't call numpy() on Tensor that requires grad. Use tensor.detach().numpy() instead.")


class OnCard:
    """An array on a card that speaks of nothing else."""

    __cuda_array_interface__ = {"shape": (2, 3), "typestr": "<f8", "data": (0, False), "version": 3}


def endless(count):
    """A list that contains itself, a number of times."""
    made = []
    made.extend([made] * count)
    return made


def band():
    """A narrow band without bricks."""
    return SparseField(np.zeros(3), 1.0, 3.0, np.zeros((0, 3), dtype=np.int64), np.zeros((0, 512), dtype=np.float32))


def small(scale):
    return TriMesh(box().points * scale, box().triangles)


GRID = Grid(np.zeros(3), 1.0, (4, 4, 4))


@pytest.mark.parametrize(
    ("ask", "message"),
    [
        (lambda: Grid([0, 0], 1.0, (4, 4, 4)), r"origin has the shape \(2,\): give \(x, y, z\)"),
        (lambda: Grid("here", 1.0, (4, 4, 4)), "origin is not an array of numbers"),
        (lambda: Grid(np.zeros(3), 1.0, (4.7, 4, 4)), r"grid shape \(4.7, 4, 4\): .* whole numbers of voxels"),
        (lambda: Grid(np.zeros(3), 1.0, (4, 4)), r"grid shape \(4, 4\)"),
        (lambda: Grid(np.zeros(3), 1.0, 4), "grid shape 4"),
        (lambda: Grid(np.zeros(3), "a", (4, 4, 4)), "voxel size is not an array of numbers"),
        (lambda: CarveSession(np.ones((4, 4, 4), bool), GRID, 123), "unknown backend '123': choose auto"),
        (lambda: get_backend(0), "unknown backend '0': choose auto"),
        (lambda: get_backend(1), "unknown backend '1': choose auto"),
        (
            lambda: get_backend("cpu").subtract_swept_capsule(
                np.ones((4, 4, 4), bool), GRID, ["a", 1, 2], [0, 0, 0], 1
            ),
            "capsule's points is not an array of numbers",
        ),
        (lambda: TriMesh(Tensor(), [[0, 1, 2]]), "requires grad.*detach"),
        (lambda: TriMesh(np.eye(3), Tensor()), "the faces of 'stock' cannot be read.*detach"),
        (lambda: Path(Tensor(), 1.0), "requires grad.*detach"),
        (lambda: Sweep.of(([[0, 0, 0], [1, 1]], 1.0)), "path '0' is not an array of numbers"),
        (lambda: Sweep.of((LINE, [1.0, [2.0]])), "radii of path '0' is not an array of numbers"),
        (lambda: carve(None, (LINE, RADIUS), 0.1), "a mesh is a TriMesh.* and this is a NoneType"),
        (lambda: carve(box(), LINE, 0.1), "a path is a Path or a pair.*path 0 is a ndarray"),
        (lambda: carve(box(), [(LINE, RADIUS), None], 0.1), "path 1 is a NoneType"),
        (lambda: carve(box(), [], 0.1), "no path"),
        (lambda: carve(box(), (LINE, RADIUS), "small"), "voxel size is not an array of numbers"),
        (lambda: carve(box(), (LINE, RADIUS), resolution=4.5), "resolution 4.5: it must be a whole number"),
        (lambda: carve(box(), (LINE, RADIUS), 0.1, backend=1.5), "unknown backend '1.5'"),
        (lambda: carve(box(), (LINE, RADIUS), 0.1, tolerance="fine"), "tolerance is not an array of numbers"),
        (lambda: carve(box(), (LINE, RADIUS), 0.1, operation=None), "unknown operation 'None': choose subtract, union"),
        (lambda: carve(box(), (LINE, RADIUS), 0.1, operation=3), "unknown operation '3'"),
        (lambda: carve(box(), (LINE, RADIUS), 0.1, operation=[None]), "unknown operation 'None'"),
        (lambda: carve(box(), (LINE, RADIUS), 0.1, memory_limit="a"), "memory_limit a: it must be a number of bytes"),
        (lambda: carve(box(), (LINE, RADIUS), 0.1, memory_limit=-1), "memory_limit -1: it must be a number of bytes"),
        (lambda: carve(box(), (LINE, RADIUS), 0.1, memory_limit=np.nan), "memory_limit nan: it must be a number"),
        (lambda: CarveSession(np.ones((4, 4, 4), bool), GRID, "cpu", byte_budget="a"), "byte_budget a: it must be"),
        (
            lambda: carve(box(), (LINE, RADIUS), 0.1, tolerance=None),
            "tolerance is not .* holds text or None",
        ),
        (lambda: carve(box(), (LINE, RADIUS), 0.1, half_width="a"), "half_width is not an array of numbers"),
        (lambda: carve(box(), (LINE, RADIUS), 0.1, labels=3), r"labels is a int: give Labels\(stock, path\)"),
        (
            lambda: carve(box(), (LINE * 1j, RADIUS), 0.1),
            "path '0' is not .* holds complex numbers",
        ),
        (
            lambda: carve(box(), (LINE, RADIUS + 1j), 0.1),
            "radii of path '0' is not .* holds complex",
        ),
        (lambda: carve(box(), (LINE.astype(str), RADIUS), 0.1), "path '0' is not an array of numbers.*it holds text"),
        (lambda: carve(box(), (LINE.astype(str).astype(object), RADIUS), 0.1), "path '0' is not an array of numbers"),
        (lambda: TriMesh(box().points.astype("M8[s]"), box().triangles), "'stock' is not an array of numbers"),
        (lambda: carve(box(), (OnCard(), RADIUS), 0.1), "path '0' is in the memory of another device: pass a copy"),
        (lambda: carve((OnCard(), [[0, 1, 2]]), (LINE, RADIUS), 0.1), "'stock' is in the memory of another device"),
        (lambda: carve(small(1e-150), (LINE * 1e-150, 5e-151), resolution=16), "only 2e-150 across: scale it up"),
        (lambda: carve(small(1e-200), (LINE * 1e-200, 5e-201), resolution=16), "only 2e-200 across: scale it up"),
        (lambda: carve(box(), (LINE, RADIUS), resolution=np.ones(3)), "resolution .*: it must be a whole number"),
        (lambda: carve(box(), (LINE, RADIUS), resolution=True), "resolution True: it must be a whole number"),
        (lambda: voxelize(box(), 0.05), "a grid is a Grid, and this is a float: plan_grid makes one"),
        (lambda: sweep(np.ones((4, 4, 4), bool), 0.05, (LINE, RADIUS)), "a grid is a Grid, and this is a float"),
        (lambda: CarveSession(np.ones((4, 4, 4), bool), None), "a grid is a Grid, and this is a NoneType"),
        (lambda: CarveSession(np.ones((4, 4, 4), bool), None, first_layer=0), "a grid is a Grid"),
        (lambda: occupancy_surface(np.ones((4, 4, 4), bool), 1), "a grid is a Grid, and this is a int"),
        (lambda: fit((LINE, RADIUS), np.ones((4, 4, 4), bool), grid=0.1), "a grid is a Grid, and this is a float"),
        (lambda: SparseField.from_dense(np.ones((4, 4, 4)), 0.05), "a grid is a Grid, and this is a float"),
        (lambda: band().to_dense(0.05), "a grid is a Grid, and this is a float"),
        (lambda: plan_grid(box(), 0.1), r"bounds of a grid are of TriMesh: give \(2, 3\).*mesh.bounds\(\)"),
        (lambda: plan_grid((box().points, box().points), 0.1), r"bounds of a grid are of shape \(2, 8, 3\): give"),
        (lambda: plan_grid([[0, 0, 0], [1, 1, np.nan]], 0.1), "bounds of a grid must be finite"),
        (lambda: plan_grid([[0, 0, 2], [1, 1, 1]], 0.1), "no minimum above its maximum"),
        (lambda: SparseField.from_nanovdb("a.nvdb"), "bytes of a file, and this is a str: read the file first"),
        (lambda: SparseField.from_nanovdb(FilePath("a.nvdb")), "and this is a .*Path: read the file first"),
        (lambda: SparseField.from_nanovdb(None), "and this is a NoneType: read the file first"),
        (lambda: SparseField.from_nanovdb(b"NanoVDB"), "NanoVDB data is damaged: it has 7 bytes, and begins with 16"),
        (lambda: get_backend(np.ones(3)), r"unknown backend '\[1. 1. 1.\]': choose auto"),
        (lambda: carve(box(), (LINE, RADIUS), 0.1, backend=np.ones((2, 3))), "(?s)unknown backend .*: choose auto"),
        (lambda: register_backend(3, get_backend), "'3' is no name for a backend"),
        (lambda: Sweep.of((LINE, RADIUS)).part("a"), "a sweep has no such segments: .* must be of integer"),
        (lambda: Sweep.of((LINE, RADIUS)).part([7]), "a sweep has no such segments: index 7 is out of bounds"),
        (lambda: Sweep.of((LINE, RADIUS)).part(None), "a sweep has no such segments"),
        (lambda: Path(endless(1), RADIUS), "path 'path' is a list that contains itself: give an array"),
        (lambda: Path(LINE, endless(2)), "the radii of path 'path' is a list that contains itself"),
        (lambda: Sweep.of(((endless(2), endless(2)), (endless(2), endless(2)))), "path '0' is a list that contains"),
        (lambda: carve((endless(10), [[0, 1, 2]]), (LINE, RADIUS), 0.1), "'stock' is a list that contains itself"),
        (lambda: carve((np.eye(3), endless(2)), (LINE, RADIUS), 0.1), "faces of 'stock' is a list that contains"),
        (lambda: Grid(endless(3), 1.0, (4, 4, 4)), "a grid's origin is a list that contains itself"),
        (lambda: boolean("union", endless(2), endless(2)), "an occupancy is a list that contains itself"),
        (lambda: TriMesh.box([0, 0], [1, 1]), r"points of shape .*give \(N, 3\)"),
        (lambda: TriMesh.box([0, 0, 1], [1, 1, 0]), "box .*: each coordinate of the second corner must be greater"),
    ],
)
def test_bad_arguments_are_refused_with_our_message(ask, message):
    with pytest.raises(InputError, match=message):
        ask()


def test_errors_are_those_of_python_as_well():
    with pytest.raises(ValueError, match="radius is not a positive number"):
        carve(box(), (LINE, -1.0), 0.1)
    with pytest.raises(MemoryError, match="would fit") as caught:
        carve(box(), (LINE, RADIUS), resolution=4096, memory_limit=2**20 * 100, backend="cpu")
    assert isinstance(caught.value, MemoryLimitError)
    assert isinstance(caught.value, RuntimeError)


def raising(error):
    def listen(stage, fraction):
        raise error

    return listen


@pytest.mark.parametrize(
    ("progress", "kind", "message"),
    [
        (3, InputError, "progress is a int: give a function"),
        (raising(StopIteration()), CarveError, "raised StopIteration: raise CarveCancelled to stop the job"),
        (raising(KeyError("mine")), KeyError, "mine"),
    ],
    ids=["number", "StopIteration", "KeyError"],
)
def test_a_progress_that_is_none_is_told(progress, kind, message):
    with pytest.raises(kind, match=message):
        carve(box(), (LINE, RADIUS), 0.1, backend="cpu", progress=progress)


def test_the_smallest_stock_that_is_taken_is_carved_as_any_other():
    scale = 1e-29
    result = carve(small(scale), (LINE * scale, RADIUS * scale), resolution=32, tolerance=0.01 * scale, backend="cpu")
    assert result.report.volume / scale**3 == pytest.approx(BORED, rel=2e-2)
    assert result.report.triangles < result.report.triangles_before / 4


def test_data_is_compared_by_value():
    one, other = (carve(box(), (LINE, RADIUS), resolution=24, backend="cpu") for _ in range(2))
    assert one == one
    assert one == other
    assert one.report == other.report != carve(box(), (LINE, 0.4), resolution=24, backend="cpu").report
    assert one.surface == other.surface
    assert hash(one.surface) == hash(other.surface)
    assert one.surface != carve(box(), (LINE, 0.4), resolution=24, backend="cpu").surface
    assert one != other.surface
    assert one != None  # noqa: E711
    assert box() == box() != box(high=(2.0, 1.0, 1.0))
    assert Path(LINE, 1) == Path(LINE, [1.0, 1.0]) != Path(LINE, 1, cyclic=True)
    assert Grid(np.zeros(3), 1.0, (4, 4, 4)) == GRID != Grid(np.ones(3), 1.0, (4, 4, 4))
    assert one in [other, one]


def test_a_library_that_is_missing_is_named(monkeypatch):
    surface = carve(box(), (LINE, RADIUS), resolution=16, backend="cpu").surface
    monkeypatch.setitem(sys.modules, "trimesh", None)
    with pytest.raises(ImportError, match="trimesh is not installed: install it with pip install trimesh") as caught:
        surface.to_trimesh()
    assert isinstance(caught.value, CarveError)


def test_voxelize_says_what_it_repairs(caplog):
    mesh = box()
    turned = np.where(np.arange(12)[:, None] < 4, mesh.triangles[:, ::-1], mesh.triangles)
    grid = Grid(np.full(3, -2.0), 0.25, (16, 16, 16))
    assert voxelize((mesh.points, turned), grid, backend="cpu").sum() == 8**3
    assert [record.getMessage() for record in caplog.records if record.levelname == "WARNING"] == [
        "'stock' has 4 of 12 triangles that look the other way: they were turned round"
    ]
    caplog.clear()
    voxelize(mesh, grid, backend="cpu")
    assert not [record for record in caplog.records if record.levelname == "WARNING"]


def test_the_log_says_once_why_auto_takes_the_cpu(caplog, monkeypatch):
    monkeypatch.setitem(sys.modules, "warp", None)
    registry._tell_once.cache_clear()
    with caplog.at_level("INFO"):
        for _ in range(3):
            assert get_backend("auto").name == "cpu"
    assert len([record for record in caplog.records if "backend auto" in record.getMessage()]) == 1


def test_a_job_that_is_too_large_is_refused_before_it_is_prepared():
    """For a box, 73 % more than may be taken."""
    stages = []
    with pytest.raises(MemoryLimitError, match="would fit"):
        carve(
            box(),
            (LINE, RADIUS),
            resolution=4000,
            memory_limit=7 * 2**30,
            backend="cpu",
            progress=lambda stage, _: stages.append(stage),
        )
    assert "Combine" not in stages


def test_a_trimesh_of_a_result_is_a_copy():
    pytest.importorskip("trimesh")
    result = carve(box(), (LINE, RADIUS), resolution=24, tolerance=0.01, backend="cpu")
    points, faces = result.surface.points.copy(), result.surface.faces.copy()
    mesh = result.to_trimesh()
    mesh.vertices[:] += 1.0
    mesh.faces[:] = mesh.faces[:, ::-1]
    assert np.array_equal(result.surface.points, points)
    assert np.array_equal(result.surface.faces, faces)
    assert mesh.bounds[0] == pytest.approx([0.0, 0.0, 0.0], abs=1e-9)


def test_a_surface_tells_its_size():
    surface = carve(box(), ([[0, 0, 0]], 0.5), resolution=64, backend="cpu").surface
    assert surface.vertices is surface.points
    np.testing.assert_allclose(surface.bounds(), [[-1, -1, -1], [1, 1, 1]], atol=1e-9)
    assert surface.area() == pytest.approx(24 + np.pi, rel=5e-3)  # of the box, and of the ball in it
    empty = Surface.empty()
    assert (empty.area(), empty.bounds().tolist()) == (0.0, [[0.0] * 3] * 2)


@pytest.mark.parametrize("suffix", [".ply", ".stl", ".obj", ".glb", ".3mf", ".nvdb"])
def test_a_file_object_gets_what_a_file_gets(tmp_path, suffix):
    result, file = carve(box(), (LINE, RADIUS), resolution=32, half_width=3, backend="cpu"), tmp_path / f"a{suffix}"
    result.save(file)
    stream = io.BytesIO(b"before")
    stream.seek(0, io.SEEK_END)
    result.save(stream, suffix=suffix.removeprefix("."))
    assert stream.getvalue() == b"before" + file.read_bytes()
    with open(tmp_path / f"b{suffix}", "wb") as opened:
        result.save(opened)
    assert (tmp_path / f"b{suffix}").read_bytes() == file.read_bytes()


def test_a_saved_nanovdb_is_the_narrow_band(tmp_path):
    result, file = carve(box(), (LINE, RADIUS), resolution=32, half_width=3, backend="cpu"), tmp_path / "a.nvdb"
    result.save(file)
    read = SparseField.from_nanovdb(file.read_bytes())
    assert np.array_equal(read.corners, result.band.corners)
    assert np.array_equal(read.distance, result.band.distance)
    with pytest.raises(InputError, match="exists"):
        result.save(file)
    result.save(file, overwrite=True)


@pytest.mark.parametrize(
    ("file", "suffix", "message"),
    [
        (io.StringIO(), ".stl", "a StringIO is neither a path nor a file that is open for writing bytes"),
        (3, None, "a int is neither a path nor a file"),
        (io.BytesIO(), None, "no name that ends in a format: give one, such as suffix='.stl'"),
        (io.BytesIO(), 3, "'3' is no suffix of a file: give one, such as '.stl'"),
        (io.BytesIO(), "", "'' is no suffix of a file"),
        (io.BytesIO(), ".", "'.' is no suffix of a file"),
        (io.BytesIO(), "a/stl", "'a/stl' is no suffix of a file"),
        (io.BytesIO(), ".step", "'.step' is not a mesh format we write"),
        (io.BytesIO(), ".nvdb", "a volume needs the narrow band: carve with half_width=3"),
    ],
)
def test_a_file_object_that_will_not_do_is_refused(file, suffix, message):
    with pytest.raises(InputError, match=message):
        carve(box(), (LINE, RADIUS), resolution=24, backend="cpu").save(file, suffix=suffix)


def test_a_vdb_needs_a_path():
    result = carve(box(), (LINE, RADIUS), resolution=24, half_width=3, backend="cpu")
    with pytest.raises(InputError, match=r"OpenVDB writes a .vdb by its name: give a path, or write .nvdb"):
        result.save(io.BytesIO(), suffix=".vdb")


def test_all_public_names_come_with_a_star_and_are_listed():
    program = """
from voxel_carve import *
import voxel_carve
assert carve is voxel_carve.compute.carve and not {"Any", "import_module"} & {*globals(), *dir(voxel_carve)}
assert {"register", "carve", "__version__", "compute", "formats"} <= set(dir(voxel_carve))
assert voxel_carve.formats.read_paths
"""
    subprocess.run([sys.executable, "-c", program], cwd=ROOT, check=True)
