"""Meshes whose faces look both ways: made consistent part by part, and carved as if they had always been."""

import json

import numpy as np
import pytest

from tests.command_line import run
from tests.shapes import box, hemisphere, joined, sphere
from voxel_carve.compute import Path, Sweep, TriMesh, carve, get_backend, keep_stock, prepare, verify
from voxel_carve.compute.model.plan import plan_grid
from voxel_carve.compute.primitives.triangles import weld
from voxel_carve.compute.repair.orientation import turned_faces, turned_triangles
from voxel_carve.formats import read_mesh, write_meshes

ROD = Sweep.from_paths([Path([[-2, 0.03, 0.02], [2, 0.03, 0.02]], [0.4])])
VOXEL = 1 / 24


def turned(mesh: TriMesh, which, name="mixed") -> TriMesh:
    """The mesh with some of its faces turned round."""
    triangles = mesh.triangles.copy()
    triangles[which] = triangles[which][:, ::-1]
    return TriMesh(mesh.points, triangles, name)


def some(mesh: TriMesh, part: float, seed=3):
    """About so many of its faces."""
    return np.random.default_rng(seed).random(len(mesh.triangles)) < part


def mixed(mesh: TriMesh, part: float, seed=3) -> TriMesh:
    return turned(mesh, some(mesh, part, seed))


def inverted(mesh: TriMesh) -> TriMesh:
    return turned(mesh, slice(None), "inverted")


def unjoined(mesh: TriMesh) -> TriMesh:
    """With three points of its own for each triangle, as in an STL."""
    return TriMesh(mesh.corners().reshape(-1, 3), np.arange(3 * len(mesh.triangles)).reshape(-1, 3), mesh.name)


def turned_of(mesh: TriMesh):
    """Which faces are turned round."""
    points, triangles, order = weld(mesh.points, mesh.triangles)
    out = np.zeros(len(mesh.triangles), dtype=bool)
    out[order] = turned_triangles(points, triangles)
    return out


def note(mesh, count):
    of = f"{count:,} of {len(mesh.triangles):,} triangles"
    return f"'{mesh.name}' has {of} that look the other way: they were turned round"


class TestParts:
    @pytest.mark.parametrize("part", [0.1, 0.4, 0.6, 0.9])
    def test_a_closed_part_looks_outward(self, part):
        wrong = some(sphere(), part)
        assert (turned_of(turned(sphere(), wrong)) == wrong).all()
        assert (turned_of(unjoined(turned(sphere(), wrong))) == wrong).all()

    def test_each_part_by_itself(self):
        two = joined(sphere(), sphere(0.5, (3, 0, 0), subdivisions=2))
        wrong = some(two, 0.3)
        wrong[: len(sphere().triangles)] = False
        assert (turned_of(turned(two, wrong)) == wrong).all()

    @pytest.mark.parametrize(
        "mesh",
        [sphere(), inverted(sphere()), joined(sphere(), inverted(sphere(0.5))), hemisphere(), inverted(hemisphere())],
        ids=["closed", "inverted", "hollow", "open", "open, inverted"],
    )
    def test_what_is_consistent_stays_as_it_is(self, mesh):
        assert not turned_of(mesh).any()

    def test_a_cavity_with_some_faces_wrong_stays_a_cavity(self):
        hollow = joined(sphere(), inverted(sphere(0.5)))
        wrong = some(hollow, 0.2)
        assert (turned_of(turned(hollow, wrong)) == wrong).all()

    def test_a_body_in_another_keeps_to_most_of_its_faces(self):
        nested = joined(sphere(), sphere(0.5))
        wrong = some(nested, 0.2)
        assert (turned_of(turned(nested, wrong)) == wrong).all()

    def test_an_open_part_looks_as_most_of_its_area_does(self):
        bowl = hemisphere()
        few = some(bowl, 0.2)
        assert (turned_of(turned(bowl, few)) == few).all()
        assert (turned_of(turned(bowl, ~few)) == few).all()

    def test_a_strip_with_one_side_stays_as_it_is(self):
        turn = np.linspace(0, 2 * np.pi, 33)[:-1]
        width = np.array([-0.3, 0.3])
        radius = 1 + width * np.cos(turn / 2)[:, None]
        points = np.stack(
            [radius * np.cos(turn)[:, None], radius * np.sin(turn)[:, None], width * np.sin(turn / 2)[:, None]], axis=-1
        ).reshape(-1, 3)
        here = np.arange(0, 62, 2)
        quads = np.concatenate([np.stack([here, here + 1, here + 3, here + 2], axis=1), [[62, 63, 0, 1]]])
        strip = TriMesh(points, np.concatenate([quads[:, [0, 1, 2]], quads[:, [0, 2, 3]]]), "strip")
        both = joined(mixed(strip, 0.3), sphere(0.5, (3, 0, 0), subdivisions=2))
        assert not turned_of(both).any()

    def test_edges_of_more_than_two_faces_join_nothing(self):
        """Two boxes that touch along an edge, each with a face turned."""
        boxes = joined(box(), box((1, 1, -1), (3, 3, 1)))
        wrong = np.zeros(24, dtype=bool)
        wrong[[1, 13, 14]] = True
        assert (turned_of(turned(boxes, wrong)) == wrong).all()

    def test_faces_with_more_corners(self):
        """A cube of quads, one of them turned."""
        corners = np.array([[x, y, z] for z in (0, 1) for y in (0, 1) for x in (0, 1)], dtype=float)
        quads = np.array([(0, 2, 3, 1), (4, 5, 7, 6), (0, 1, 5, 4), (2, 6, 7, 3), (0, 4, 6, 2), (1, 3, 7, 5)])
        quads[2] = quads[2][::-1]
        found = turned_faces(corners, quads.ravel(), np.roll(quads, -1, axis=1).ravel(), np.repeat(np.arange(6), 4))
        assert found.tolist() == [False, False, True, False, False, False]


class TestCarve:
    @pytest.mark.parametrize("operation", ["subtract", "union", "intersect"])
    @pytest.mark.parametrize("split", [False, True], ids=["joined", "as in an STL"])
    def test_is_as_of_the_consistent_mesh(self, operation, split):
        stock = mixed(sphere(), 0.35)
        count = int((stock.triangles != sphere().triangles).any(axis=1).sum())
        good = carve(sphere(), ROD, VOXEL, operation=operation, backend="cpu")
        result = carve(unjoined(stock) if split else stock, ROD, VOXEL, operation=operation, backend="cpu")
        assert result.report.warnings == (note(stock, count),)
        assert result.report.volume == pytest.approx(good.report.volume, rel=1e-9)
        assert result.report.removed_volume == pytest.approx(good.report.removed_volume, rel=1e-6)
        assert np.array_equal(result.surface.primitive, good.surface.primitive)

    def test_a_hollow_stock_stays_hollow(self):
        hollow = joined(sphere(), inverted(sphere(0.7)))
        wrong = mixed(hollow, 0.2)
        away = Sweep.from_paths([Path([[0, 0, 5]], [0.1])])
        for mesh in (hollow, wrong):
            volume = carve(mesh, away, VOXEL, backend="cpu").report.volume
            assert volume == pytest.approx(4 / 3 * np.pi * (1 - 0.7**3), rel=0.01)

    def test_shells_that_overlap_unite(self):
        """Each had its faces turned at random; looking different ways, they would leave a hole where they overlap."""
        two = joined(mixed(sphere(), 0.4, 1), mixed(sphere(1, (1, 0, 0)), 0.7, 2))
        away = Sweep.from_paths([Path([[0, 0, 5]], [0.1])])
        lens = np.pi * (4 + 1) * (2 - 1) ** 2 / 12
        result = carve(two, away, VOXEL, backend="cpu")
        assert result.report.volume == pytest.approx(8 / 3 * np.pi - lens, rel=0.01)

    def test_an_open_stock_is_closed_at_its_rim_alone(self):
        good = carve(hemisphere(), ROD, VOXEL, backend="cpu")
        result = carve(mixed(hemisphere(), 0.2), ROD, VOXEL, backend="cpu")
        assert [line.replace("mixed", "hemisphere") for line in result.report.warnings][1:] == [*good.report.warnings]
        assert result.report.volume == pytest.approx(good.report.volume, rel=1e-6)

    def test_prepared(self):
        stock = mixed(sphere(), 0.35)
        fresh, again = (carve(each, ROD, VOXEL, backend="cpu") for each in (stock, prepare(stock, VOXEL, "cpu")))
        assert again.report.warnings == fresh.report.warnings
        assert np.array_equal(again.surface.points, fresh.surface.points)

    def test_verify_knows_the_same_sides(self):
        stock = mixed(sphere(), 0.35)
        result = carve(stock, ROD, VOXEL, backend="cpu")
        assert verify(result.surface, stock, ROD, VOXEL).vertices.largest < 0.1 * VOXEL

    def test_a_dense_occupancy(self):
        grid = plan_grid(sphere().bounds(), VOXEL)
        backend = get_backend("cpu")
        good, found = (backend.voxelize_mesh(mesh, grid) for mesh in (sphere(), mixed(sphere(), 0.35)))
        assert np.array_equal(good, found)


def keep(stock, sweep=ROD, **arguments):
    return keep_stock(stock, sweep, VOXEL, backend="cpu", **arguments)


class TestKeep:
    """The exact boolean hands on the stock's own faces: as they look, so does the result."""

    @pytest.mark.parametrize("operation", ["subtract", "union", "intersect"])
    @pytest.mark.parametrize("split", [False, True], ids=["joined", "as in an STL"])
    @pytest.mark.parametrize("part", [0.35, 0.8, 1.0])
    def test_the_result_looks_outward_whatever_the_stock_did(self, part, split, operation):
        stock = mixed(sphere(), part)
        good, result = (
            keep(sphere(), operation=operation),
            keep(unjoined(stock) if split else stock, operation=operation),
        )
        assert result.report.result == "keep"
        assert result.surface.volume() == pytest.approx(good.surface.volume(), rel=1e-9)
        assert result.report.volume == pytest.approx(good.report.volume, rel=1e-9)
        assert result.report.removed_volume == pytest.approx(good.report.removed_volume, rel=1e-9)
        assert np.array_equal(np.sort(result.surface.primitive), np.sort(good.surface.primitive))
        count = int((stock.triangles != sphere().triangles).any(axis=1).sum())
        inward = "'mixed' has its normals inverted: it was taken as solid all the same"
        assert result.report.warnings == ((inward,) if part == 1 else (note(stock, count),))

    def test_a_drilled_ball_has_the_volume_that_geometry_says(self, tmp_path):
        """By the command line, into a file: a ball of radius 1 that looks inward, drilled through with radius 0.4."""
        write_meshes(tmp_path / "ball.stl", [inverted(sphere(subdivisions=5))])
        (tmp_path / "tool.csv").write_text("x,y,z,radius\n-2,0,0,0.4\n2,0,0,0.4\n")
        words = "--stock ball.stl --path tool.csv --result keep --resolution 64 --output out.stl --report report.json"
        assert run(words.split(), tmp_path).status == 0
        volume, report = read_mesh(tmp_path / "out.stl").volume(), json.loads((tmp_path / "report.json").read_text())
        assert report["result"] == "keep"
        assert volume == pytest.approx(4 / 3 * np.pi * (1 - 0.16) ** 1.5, rel=0.01)
        assert report["volume"] == pytest.approx(volume, rel=1e-4)
        assert report["removed_volume"] == pytest.approx(4 / 3 * np.pi * (1 - (1 - 0.16) ** 1.5), rel=0.01)

    def test_a_hollow_stock_stays_hollow(self):
        hollow = joined(sphere(), inverted(sphere(0.7)))
        away = Sweep.from_paths([Path([[0, 0, 1.1]], [0.2])])
        for stock in (hollow, mixed(hollow, 0.2), inverted(hollow)):
            result = keep(stock, away)
            assert result.report.result == "keep"
            assert result.surface.volume() == pytest.approx(4 / 3 * np.pi * (1 - 0.7**3), rel=0.02)

    def test_each_of_two_bodies_comes_to_look_outward(self):
        balls = sphere(), sphere(0.5, (3, 0, 0))
        stock = joined(balls[0], inverted(balls[1]), name="balls")
        good, result = keep(joined(*balls)), keep(stock)
        assert result.report.warnings == (note(stock, len(balls[1].triangles)),)
        for found in (result.surface.volume(), result.report.volume):
            assert found == pytest.approx(good.report.volume, rel=1e-9)

    def test_two_bodies_that_overlap_and_look_different_ways(self):
        """The winding number takes them for two bodies with a hole: so must the result, kept or not."""
        stock = joined(sphere(), inverted(sphere(1, (1, 0, 0))))
        result, remeshed = keep(stock), carve(stock, ROD, VOXEL, backend="cpu")
        assert result.report.result == "remesh"
        assert result.report.volume == remeshed.report.volume
