"""Merged faces: both ways within the tolerance by brute force, manifold, edges and borders where they were."""

import sys
from dataclasses import astuple, replace

import numpy as np
import pytest
from manifold3d import Error, Manifold, Mesh64

from tests.shapes import box, hemisphere, lidless_box, sphere
from voxel_carve.compute import (
    BackendError,
    CarveCancelled,
    CarveError,
    InputError,
    Labels,
    Path,
    Source,
    Surface,
    Sweep,
    carve,
    get_backend,
    simplify,
)
from voxel_carve.compute.adaptivity import Adaptivity
from voxel_carve.compute.engines.numba.compiler import loading as numba_loading

VOXEL = 1 / 10
GROOVE = Sweep.from_paths([Path([[-0.5, -0.3, 1.0], [0.4, 0.1, 0.9], [0.5, 0.6, 1.1]], [0.3, 0.25, 0.3])])
SCENES = {
    "groove": (box(), GROOVE),
    "taper": (sphere(subdivisions=4), Sweep.from_paths([Path([[-0.2, 0.1, -0.5], [1.2, -0.1, 0.6]], [0.5, 0.2])])),
    "open": (hemisphere(), Sweep.from_paths([Path([[0, 0, -1.5], [0.2, 0, 0.5]], [0.3])])),
    "lidless": (lidless_box(), Sweep.from_paths([Path([[-2, 0.1, 0.3], [2, 0.2, 0.4]], [0.25])])),
}
RNG = np.random.default_rng(11)


def to_triangles(points, corners):
    """(N,) distance to the nearest of triangles (T, 3, 3), by the feet on every plane and every side."""
    least = np.full(len(points), np.inf)
    for a, b, c in corners:
        normal = np.cross(b - a, c - a)
        square = normal @ normal
        if square > 0:
            weights = [np.cross(q - p, points - p) @ normal >= 0 for p, q in ((a, b), (b, c), (c, a))]
            height = np.abs((points - a) @ normal) / np.sqrt(square)
            least = np.where(np.all(weights, axis=0), np.minimum(least, height), least)
        for p, q in ((a, b), (b, c), (c, a)):
            least = np.minimum(least, to_segment(points, p, q))
    return least


def to_segment(points, p, q):
    along = np.clip((points - p) @ (q - p) / max((q - p) @ (q - p), 1e-300), 0, 1)
    return np.linalg.norm(points - p - along[:, None] * (q - p), axis=1)


def on_surface(surface, count):
    """`count` of its vertices, of the middles of its edges, and of all its points."""
    corners = surface.points[surface.triangles()]
    area = np.linalg.norm(np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]), axis=1)
    which = RNG.choice(len(corners), count, p=area / area.sum())
    weights = RNG.dirichlet((1, 1, 1), count)
    middles = (corners + np.roll(corners, 1, axis=1)).reshape(-1, 3) / 2
    points = np.einsum("nk,nkj->nj", weights, corners[which])
    return np.concatenate([points, *(RNG.permutation(every)[:count] for every in (surface.points, middles))])


def judge(surface):
    solid = Manifold(Mesh64(surface.points, surface.triangles().astype(np.uint64)))
    assert solid.status() == Error.NoError
    assert surface.is_closed()
    return solid


def least_angles(surface):
    """(M,) the smallest angle of each triangle, in degrees."""
    corners = surface.points[surface.faces]
    sides = np.roll(corners, -1, axis=1) - corners
    length = np.linalg.norm(sides, axis=2)
    cosines = -np.einsum("mij,mij->mi", sides, np.roll(sides, 1, axis=1)) / (length * np.roll(length, 1, axis=1))
    return np.degrees(np.arccos(np.clip(cosines, -1, 1))).min(axis=1)


def border(surface, of_face):
    """(E, 2, 3): the ends of edges between triangles of different values."""
    corner = surface.triangles()
    values = of_face[surface.face_of_triangle()]
    side = {}
    for triangle, value in zip(corner.tolist(), values.tolist(), strict=True):
        for i in range(3):
            side[triangle[i], triangle[(i + 1) % 3]] = value
    ends = [(a, b) for (a, b), value in side.items() if a < b and side[b, a] != value]
    return surface.points[np.array(ends, dtype=int).reshape(-1, 2)]


def to_border(points, ends):
    return np.min([to_segment(points, p, q) for p, q in ends], axis=0)


def grid_box(side=6):
    """The surface of a cube of side**3 voxels, in quads."""
    points, faces = {}, []
    for axis in range(3):
        for level in (0, side):
            for i in range(side):
                for j in range(side):
                    quad = []
                    for du, dv in ((0, 0), (1, 0), (1, 1), (0, 1)):
                        place = np.roll([level, i + du, j + dv], axis)
                        quad.append(points.setdefault(tuple(place), len(points)))
                    faces.append(quad if level else quad[::-1])
    count = len(faces)
    return Surface(
        np.array(list(points), dtype=float),
        np.array(faces, dtype=np.int32),
        np.zeros(count, dtype=np.uint8),
        np.arange(count, dtype=np.int32),
    )


@pytest.fixture(scope="module")
def carved():
    return {name: carve(*scene, VOXEL, backend="cpu") for name, scene in SCENES.items()}


@pytest.fixture
def small_cubes(monkeypatch):
    """Cubes so small that a small mesh has hundreds of them."""
    monkeypatch.setattr("voxel_carve.compute.adaptivity.simplify.CUBE_SIDE", 5)


class TestTolerance:
    @pytest.mark.parametrize("part", [0.02, pytest.param(0.3, marks=pytest.mark.slow)])
    @pytest.mark.parametrize("name", ["groove", pytest.param("taper", marks=pytest.mark.slow), "open", "lidless"])
    def test_each_surface_is_within_it_of_the_other(self, carved, name, part):
        whole, tolerance = carved[name].surface, part * VOXEL
        fewer = simplify(whole, tolerance)
        solid = judge(fewer)
        assert solid.genus() == judge(whole).genus()
        assert len(fewer.faces) < whole.triangle_count()
        old, new = (surface.points[surface.triangles()] for surface in (whole, fewer))
        assert to_triangles(on_surface(fewer, 400), old).max() <= tolerance
        assert to_triangles(on_surface(whole, 400), new).max() <= tolerance
        area = np.linalg.norm(np.cross(old[:, 1] - old[:, 0], old[:, 2] - old[:, 0]), axis=1).sum() / 2
        assert abs(fewer.volume() - whole.volume()) <= tolerance * area

    def test_the_borders_of_cubes_are_merged_as_the_rest_is(self, carved, small_cubes, monkeypatch):
        whole, tolerance = carved["groove"].surface, 0.1 * VOXEL
        fewer = simplify(whole, tolerance)
        judge(fewer)
        assert to_triangles(on_surface(fewer, 300), whole.points[whole.triangles()]).max() <= tolerance
        assert to_triangles(on_surface(whole, 300), fewer.points[fewer.faces]).max() <= tolerance
        monkeypatch.undo()
        assert len(fewer.faces) < 1.1 * len(simplify(whole, tolerance).faces)

    def test_more_of_it_leaves_fewer_faces(self, carved):
        whole = carved["groove"].surface
        counts = [len(simplify(whole, part * VOXEL).faces) for part in (0.01, 0.05, 0.2, 1.0)]
        assert counts == sorted(counts, reverse=True)
        assert counts[2] < whole.triangle_count() / 5

    def test_vertices_that_stay_are_not_moved(self, carved):
        whole = carved["taper"].surface
        fewer = simplify(whole, 0.1 * VOXEL)
        assert {*map(tuple, fewer.points)} < {*map(tuple, whole.points)}

    def test_a_small_body_does_not_vanish(self):
        cube = grid_box(1)
        fewer = simplify(cube, 1e-3)
        judge(fewer)
        assert fewer.volume() == pytest.approx(1)
        assert to_triangles(cube.points, fewer.points[fewer.faces]).max() == 0


class TestEdgesAndBorders:
    def test_a_cube_keeps_its_shape_exactly(self):
        cube = grid_box()
        fewer = simplify(cube, 0.5)
        assert fewer.volume() == pytest.approx(6**3, abs=1e-9)
        assert {*map(tuple, fewer.points)} >= {(x, y, z) for x in (0, 6) for y in (0, 6) for z in (0, 6)}
        assert len(fewer.faces) < 60
        assert ((fewer.points == 0) | (fewer.points == 6)).any(axis=1).all()

    @pytest.mark.parametrize("name", ["groove", "taper", "lidless"])
    def test_the_border_of_sources_stays(self, carved, name):
        whole, tolerance = carved[name].surface, 0.1 * VOXEL
        fewer = simplify(whole, tolerance)
        old, new = border(whole, whole.source), border(fewer, fewer.source)
        assert 0 < len(new) < len(old)
        assert to_border(old.reshape(-1, 3), new).max() <= tolerance
        assert to_border(new.mean(axis=1), old).max() <= tolerance

    def test_the_border_of_labels_stays_where_nothing_else_is(self):
        cube = grid_box(8)
        middle = cube.points[cube.faces].mean(axis=1)
        labels = ((middle[:, 0] - 4) ** 2 + (middle[:, 1] - 4) ** 2 < 6).astype(int)
        numbered = replace(cube, primitive=labels.astype(np.int32))
        plain, fewer = simplify(numbered, 0.1), simplify(numbered, 0.1, labels)
        old = border(cube, labels)
        new = border(fewer, fewer.primitive)
        assert to_border(old.reshape(-1, 3), new).max() <= 1e-12
        assert to_border(new.mean(axis=1), old).max() <= 1e-12
        assert len(plain.faces) < len(fewer.faces) < cube.triangle_count()

    def test_labels_are_told_by_triangle_and_by_segment(self):
        cube = grid_box(2)
        source = np.full(24, Source.STOCK, dtype=np.uint8)
        source[20:22], source[22:] = Source.PATH, Source.CLOSURE
        primitive = np.concatenate([np.arange(20), [0, 1], [-1, -1]]).astype(np.int32)
        surface = Surface(cube.points, cube.faces, source, primitive)
        labels = Labels(np.arange(100, 120), np.array([7, 8])).of_faces(surface)
        assert labels.tolist() == [*range(100, 120), 7, 8, -1, -1]
        assert Labels(np.array(3), np.array(4)).of_faces(surface).tolist() == [3] * 20 + [4, 4, -1, -1]

    def test_every_face_keeps_source_and_primitive_of_one_that_was_there(self):
        cube = grid_box()
        fewer = simplify(cube, 0.1)
        normal = np.cross(*(fewer.points[fewer.faces[:, i]] - fewer.points[fewer.faces[:, 0]] for i in (1, 2)))
        axis, size = np.abs(normal).argmax(axis=1), np.abs(normal).max(axis=1)
        assert (size > 0).all()
        side = 2 * axis + (np.take_along_axis(normal, axis[:, None], axis=1)[:, 0] > 0)
        assert (fewer.primitive // 36 == side).all()


class TestShape:
    @pytest.mark.parametrize(("name", "thin"), [("groove", 0.0075), ("taper", 0.0107), ("open", 0.0152)])
    def test_no_slivers_few_thin_triangles_and_no_fans(self, name, thin):
        """Few, of the faces before: to merge more of them makes no triangle thinner."""
        whole = carve(*SCENES[name], VOXEL / 3, backend="cpu").surface
        result = carve(*SCENES[name], VOXEL / 3, tolerance=0.05 * VOXEL / 3, backend="cpu").surface
        angles = least_angles(result)
        assert (angles < 1).mean() <= 0.001
        assert (angles < 10).sum() <= thin * len(whole.faces)
        assert np.median(angles) > 35
        assert np.bincount(result.faces.ravel()).max() <= 16

    def test_the_flats_of_a_box_become_few_well_shaped_faces(self):
        path = Sweep.from_paths([Path([[0.95, 0.95, 0.95]], [0.3])])
        result = carve(box(), path, VOXEL / 3, tolerance=0.05 * VOXEL / 3, backend="cpu")
        far = (result.surface.points[result.surface.faces] < -0.99).all(axis=1).any(axis=1)
        assert result.report.triangles_before > 30_000
        assert 6 <= far.sum() <= 30
        assert least_angles(result.surface)[far].min() > 5


class TestJob:
    def test_without_it_the_surface_is_the_same_to_the_last_bit(self, carved):
        again = carve(*SCENES["groove"], VOXEL, tolerance=0.0, backend="cpu")
        for one, other in zip(astuple(again.surface), astuple(carved["groove"].surface), strict=True):
            assert one.dtype == other.dtype
            assert one.tobytes() == other.tobytes()
        assert again.report.triangles_before == again.report.triangles > again.report.faces
        assert again.report.seconds["simplify"] == 0

    def test_the_report_says_what_was_merged(self, carved):
        tolerance = Adaptivity(0.1).tolerance(VOXEL)
        result, whole = carve(*SCENES["groove"], VOXEL, tolerance=tolerance, backend="cpu"), carved["groove"].report
        report = result.report
        assert report.tolerance == tolerance == pytest.approx(0.1 * VOXEL)
        assert report.triangles_before == whole.triangles
        assert report.triangles == report.faces == len(result.surface.faces) < whole.triangles / 2
        assert report.volume == pytest.approx(judge(result.surface).volume(), rel=1e-9)
        assert report.removed_volume == pytest.approx(whole.removed_volume + whole.volume - report.volume, rel=1e-9)
        assert report.closed
        assert report.seconds["simplify"] > 0

    def test_the_estimate_counts_merging(self):
        fine = VOXEL / 4  # so that merging takes more than making the surface
        reports = [carve(*SCENES["groove"], fine, tolerance=part * fine, backend="cpu").report for part in (0, 0.1)]
        whole, merged = (report.estimated_memory_mb for report in reports)
        assert merged > 1.1 * whole

    def test_same_bytes_twice(self):
        first, other = (carve(*SCENES["taper"], VOXEL, tolerance=0.01, backend="cpu").surface for _ in range(2))
        for one, two in zip(astuple(first), astuple(other), strict=True):
            assert one.tobytes() == two.tobytes()

    def test_same_bytes_for_any_number_of_threads(self, carved, small_cubes, monkeypatch):
        whole, found = carved["taper"].surface, set()
        for threads, size in ((1, 1 << 14), (3, 1 << 14), (2, 70)):
            monkeypatch.setattr("voxel_carve.compute.runtime.threads.thread_count", lambda threads=threads: threads)
            monkeypatch.setattr("voxel_carve.compute.adaptivity.simplify.VERTICES_PER_CALL", size)
            found.add(b"".join(array.tobytes() for array in astuple(simplify(whole, 0.05 * VOXEL))))
        assert len(found) == 1

    def test_labels_reach_the_result(self):
        stock = box()
        side = np.arange(12) // 2
        # Two halves of the top, which only their labels tell apart.
        top = np.flatnonzero((stock.corners()[:, :, 2] == 1).all(axis=1))
        halves = np.where(np.arange(12) == top[0], 99, side)
        swept = Sweep.from_paths([Path([[0, 0, -1]], [0.4])])
        one, two = (
            carve(stock, swept, VOXEL, tolerance=0.02, labels=Labels(labels, np.array(-2)), backend="cpu").surface
            for labels in (side, halves)
        )
        assert len(one.faces) < len(two.faces)

    def test_a_length_comes_before_a_part_of_a_voxel(self):
        assert Adaptivity(0.5, 0.2).tolerance(0.1) == 0.2
        assert Adaptivity(0.5).tolerance(0.1) == 0.05
        assert Adaptivity().tolerance(0.1) == 0

    def test_it_can_be_stopped(self):
        def stop(stage, fraction):
            if stage == "Simplify":
                raise CarveCancelled

        with pytest.raises(CarveCancelled):
            carve(*SCENES["groove"], VOXEL, tolerance=0.01, backend="cpu", progress=stop)

    def test_triangles_are_measured_as_quads_are(self, carved):
        whole = carved["taper"].surface
        halves = Surface(whole.points, whole.triangles(), np.repeat(whole.source, 2), np.repeat(whole.primitive, 2))
        measure = get_backend("cpu").measure
        assert measure(halves) == pytest.approx(measure(whole), rel=1e-12)
        assert halves.volume() == pytest.approx(whole.volume(), rel=1e-12)
        assert not measure(replace(halves, faces=halves.faces[1:]))[1]


class TestWhatItRefuses:
    @pytest.mark.parametrize("tolerance", [-1.0, float("nan"), float("inf")])
    def test_what_is_no_length(self, tolerance):
        with pytest.raises(InputError, match="it must be a positive length"):
            simplify(grid_box(1), tolerance)
        with pytest.raises(InputError, match="it must be a positive length"):
            carve(box(), GROOVE, VOXEL, tolerance=tolerance, backend="cpu")

    def test_a_surface_that_is_not_closed(self):
        cube = grid_box(2)
        part = Surface(cube.points, cube.faces[1:], cube.source[1:], cube.primitive[1:])
        with pytest.raises(CarveError, match="not closed"):
            simplify(part, 0.1)

    def test_labels_that_are_not_one_for_each_face(self):
        with pytest.raises(InputError, match="labels and faces differ in number, 5 and 24"):
            simplify(grid_box(2), 0.1, np.zeros(5))

    def test_a_python_without_numba(self, monkeypatch):
        monkeypatch.setattr(numba_loading, "_loaded", set())
        monkeypatch.setitem(sys.modules, "numba", None)
        with pytest.raises(BackendError, match=r"simplifying needs numba: .*pip install .* leave the tolerance at 0"):
            simplify(grid_box(2), 0.1)


class TestSheetsThatTouch:
    def test_in_an_edge_of_four_faces(self):
        """Two cubes that share an edge: it stays, and all else merges."""
        one = grid_box(4)
        other = one.points + np.array([4, 4, 0])
        place = {tuple(point): i for i, point in enumerate(one.points)}
        numbers = np.arange(len(other)) + len(one.points)
        for i, point in enumerate(other):
            numbers[i] = place.get(tuple(point), numbers[i])
        both = Surface(
            np.concatenate([one.points, other]),
            np.concatenate([one.faces, numbers[one.faces]]).astype(np.int32),
            np.tile(one.source, 2),
            np.tile(one.primitive, 2),
        )
        fewer = simplify(both, 0.1)
        assert fewer.is_closed()
        assert fewer.volume() == pytest.approx(2 * 64, abs=1e-9)
        assert len(fewer.faces) < both.triangle_count() / 3
        assert {(4.0, 4.0, float(z)) for z in range(5)} <= {*map(tuple, fewer.points)}

    def test_nothing(self):
        none = np.empty(0, dtype=np.int32)
        empty = Surface(np.empty((0, 3)), np.empty((0, 4), dtype=np.int32), none.astype(np.uint8), none)
        assert len(simplify(empty, 0.1).faces) == 0
