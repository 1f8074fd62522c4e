"""Every public function takes the meshes, paths and operations that `carve` takes, and gives the same for all."""

from collections.abc import Callable
from importlib.util import find_spec

import numpy as np
import pytest

from tests.shapes import box
from voxel_carve.compute import (
    CarveSession,
    Grid,
    InputError,
    Path,
    Surface,
    Sweep,
    TriMesh,
    boolean,
    carve,
    duplicate_segments,
    exact_distance,
    fit,
    isolated_parts,
    keep_stock,
    prepare,
    sensitivity,
    simplify,
    sweep,
    sweep_distance,
    verify,
    voxelize,
)

LINE, RADIUS = np.array([[-2.0, 0.1, 1.0], [2.0, -0.2, 0.9]]), 0.4
OTHER = np.array([[0.1, -2.0, -1.0], [0.0, 2.0, -0.9]])
VOXEL = 2 / 24
BOX = box()
CARVED = carve(BOX, (LINE, RADIUS), VOXEL, backend="cpu")
GRID = Grid(np.full(3, -1.2), 0.1, (24, 24, 24))

MESHES: dict[str, Callable[[TriMesh], object]] = {
    "pair": lambda mesh: (mesh.points, mesh.triangles),
    "lists": lambda mesh: (mesh.points.tolist(), mesh.triangles.tolist()),
    "surface": Surface.of,
    "prepared": lambda mesh: prepare(mesh, VOXEL, backend="cpu"),
}
TAKE_MESHES: dict[str, Callable[[object], object]] = {
    "carve": lambda mesh: carve(mesh, (LINE, RADIUS), VOXEL, backend="cpu").surface,
    "prepare": lambda mesh: carve(prepare(mesh, VOXEL, backend="cpu"), (LINE, RADIUS), VOXEL, backend="cpu").surface,
    "verify": lambda mesh: verify(CARVED, mesh, (LINE, RADIUS), VOXEL).vertices,
    "exact_distance": lambda mesh: exact_distance(LINE, mesh, (LINE, RADIUS)),
    "simplify": lambda mesh: simplify(mesh, 0.01),
    "fit": lambda mesh: fit(([[-0.5, 0, 1.2], [0.5, 0, 1.2]], 0.3), mesh, reach=0.5).paths,
    "isolated_parts": isolated_parts,
    "voxelize": lambda mesh: voxelize(mesh, GRID, backend="cpu"),
}
PATHS: dict[str, Callable[[], object]] = {
    "list": lambda: [(LINE, RADIUS), (OTHER, [0.3, 0.2])],
    "tuple": lambda: ((LINE, RADIUS), (OTHER, [0.3, 0.2])),
    "generator": lambda: (each for each in [(LINE, RADIUS), (OTHER, [0.3, 0.2])]),
    "paths": lambda: (Path(LINE, RADIUS), Path(OTHER, [0.3, 0.2])),
    "nested tuples": lambda: (
        (tuple(map(tuple, LINE.tolist())), RADIUS),
        (tuple(map(tuple, OTHER.tolist())), (0.3, 0.2)),
    ),
}
TAKE_PATHS: dict[str, Callable[[object], object]] = {
    "carve": lambda paths: carve(BOX, paths, VOXEL, backend="cpu").surface,
    "verify": lambda paths: verify(CARVED.surface, BOX, paths, VOXEL).vertices,
    "exact_distance": lambda paths: exact_distance(LINE, BOX, paths),
    "sensitivity": lambda paths: sensitivity(CARVED, paths),
    "sweep_distance": lambda paths: sweep_distance(LINE, paths),
    "duplicate_segments": duplicate_segments,
    "fit": lambda paths: fit(paths, CARVED, reach=0.1).paths,
    "sweep": lambda paths: sweep(np.ones(GRID.shape, bool), GRID, paths, backend="cpu"),
}
if find_spec("manifold3d") is not None:
    TAKE_MESHES["keep_stock"] = lambda mesh: keep_stock(mesh, (LINE, RADIUS), VOXEL, backend="cpu").surface
    TAKE_PATHS["keep_stock"] = lambda paths: keep_stock(BOX, paths, VOXEL, backend="cpu").surface


def assert_same(one, other):
    assert np.array_equal(one, other) if isinstance(one, np.ndarray) else one == other


@pytest.mark.parametrize("kind", MESHES)
@pytest.mark.parametrize("function", TAKE_MESHES)
def test_a_mesh_of_every_kind(function, kind):
    assert_same(TAKE_MESHES[function](MESHES[kind](BOX)), TAKE_MESHES[function](BOX))


def test_trimesh_is_taken_by_all():
    trimesh = pytest.importorskip("trimesh")
    mesh = trimesh.Trimesh(BOX.points, BOX.triangles, process=False)
    for function in TAKE_MESHES.values():
        assert_same(function(mesh), function(BOX))


@pytest.mark.parametrize("function", ["carve", "fit", "voxelize"])
def test_a_result_is_a_mesh(function):
    assert_same(TAKE_MESHES[function](CARVED), TAKE_MESHES[function](CARVED.surface.to_tri_mesh()))


def test_a_result_has_its_own_faces():
    assert len(isolated_parts(CARVED)) == CARVED.report.faces
    assert simplify(CARVED, 0.01) == simplify(CARVED.surface, 0.01)


@pytest.mark.parametrize("kind", PATHS)
@pytest.mark.parametrize("function", TAKE_PATHS)
def test_paths_of_every_kind(function, kind):
    expected = TAKE_PATHS[function]([Path(LINE, RADIUS), Path(OTHER, np.array([0.3, 0.2]))])
    found = TAKE_PATHS[function](PATHS[kind]())
    if function == "fit":  # their names differ
        expected, found = ([(path.points.tolist(), path.radii.tolist()) for path in each] for each in (expected, found))
    assert_same(found, expected)


def test_a_tuple_of_two_points_is_one_path():
    line = tuple(map(tuple, LINE.tolist()))
    assert Sweep.of((line, RADIUS)) == Sweep.of((line, (RADIUS, RADIUS))) == Sweep.of((LINE, RADIUS))
    assert Sweep.of(((LINE[0], LINE[1]), RADIUS)) == Sweep.of((LINE, RADIUS))


def test_a_resolution_in_place_of_a_voxel_size():
    assert prepare(BOX, resolution=24, backend="cpu").grid == prepare(BOX, VOXEL, backend="cpu").grid
    assert verify(CARVED, BOX, (LINE, RADIUS), resolution=24) == verify(CARVED, BOX, (LINE, RADIUS), VOXEL)
    for refused in (
        lambda: prepare(BOX),
        lambda: verify(CARVED, BOX, (LINE, RADIUS)),
        lambda: keep_stock(BOX, (LINE, RADIUS), VOXEL, resolution=24),
    ):
        with pytest.raises(InputError, match="give either voxel_size or resolution"):
            refused()


@pytest.mark.skipif(find_spec("manifold3d") is None, reason="needs manifold3d")
def test_keep_stock_takes_a_resolution():
    assert keep_stock(BOX, (LINE, RADIUS), resolution=24, backend="cpu").report.voxel_size == VOXEL


@pytest.mark.parametrize(("name", "own"), [("difference", "subtract"), ("intersection", "intersect")])
def test_operations_have_the_names_of_other_programs_too(name, own):
    result = carve(BOX, (LINE, RADIUS), VOXEL, operation=name, backend="cpu")
    assert result.report.operation == own
    assert result.surface == carve(BOX, (LINE, RADIUS), VOXEL, operation=own, backend="cpu").surface
    two = [(LINE, RADIUS), (OTHER, 0.3)]
    steps = carve(BOX, two, VOXEL, operation=(each for each in (name, "union")), backend="cpu")
    assert steps.surface == carve(BOX, two, VOXEL, operation=[own, "union"], backend="cpu").surface
    rng = np.random.default_rng(4)
    a, b = (rng.random(GRID.shape) < 0.5 for _ in range(2))
    assert np.array_equal(boolean(name, a, b, backend="cpu"), boolean(own, a, b, backend="cpu"))
    swept = sweep(a, GRID, (LINE, RADIUS), name, backend="cpu")
    assert np.array_equal(swept, sweep(a, GRID, (LINE, RADIUS), own, backend="cpu"))
    with CarveSession(a, GRID, "cpu") as session:
        session.queue(name, (LINE, RADIUS))
    assert np.array_equal(a, swept)


def test_simplify_reports_as_all_do():
    told = []
    simplify(CARVED, 0.01, progress=lambda stage, fraction: told.append((stage, fraction)))
    assert {stage for stage, _ in told} >= {"Simplify"}
    assert [fraction for _, fraction in told] == sorted(fraction for _, fraction in told)


def test_sensitivity_needs_to_know_the_segments():
    with pytest.raises(InputError, match="a TriMesh does not say which segment made each face"):
        sensitivity(BOX, (LINE, RADIUS))
