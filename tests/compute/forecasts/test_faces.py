"""The number of faces that is told before a carve, compared with those that it makes."""

from functools import cache

import numpy as np
import pytest

from tests import shapes
from voxel_carve import Path, TriMesh, carve, forecast, keep_stock

NEAR = 0.25  # of the faces that are made


def rod(radius=1.0, height=4.0, sides=64):
    """A closed cylinder along z."""
    side = shapes.tube(radius, height, sides)
    tips = np.array([[0, 0, -height / 2], [0, 0, height / 2]])
    here, there = np.arange(sides), (np.arange(sides) + 1) % sides
    bottom = np.stack([there, here, np.full(sides, 2 * sides)], axis=1)
    top = np.stack([here + sides, there + sides, np.full(sides, 2 * sides + 1)], axis=1)
    return TriMesh(np.vstack([side.points, tips]), np.concatenate([side.triangles, bottom, top]), "rod")


def helix(pitch, height=4.4):
    angle = np.arange(0, 2 * np.pi * height / pitch, np.pi / 24)
    return np.stack([np.cos(angle), np.sin(angle), angle * pitch / (2 * np.pi) - height / 2], axis=1)


def turned(mesh):
    turn = np.linalg.qr(np.random.default_rng(1).normal(size=(3, 3)))[0]
    turn[:, 0] *= np.linalg.det(turn)
    return TriMesh(mesh.points @ turn, mesh.triangles, mesh.name)


def hills(side=40):
    x, y = np.meshgrid(np.linspace(-2, 2, side), np.linspace(-2, 2, side))
    number = np.arange(side * side).reshape(side, side)
    a, b, c, d = (number[rows, columns].ravel() for rows, columns in CORNERS)
    points = np.stack([x, y, 0.3 * np.sin(2 * x) * np.cos(1.5 * y)], axis=-1).reshape(-1, 3)
    return TriMesh(points, np.concatenate([np.stack([a, b, c], axis=1), np.stack([a, c, d], axis=1)]), "hills")


BEFORE, AFTER = slice(None, -1), slice(1, None)
CORNERS = ((BEFORE, BEFORE), (BEFORE, AFTER), (AFTER, AFTER), (AFTER, BEFORE))


def tubes(count, radius):
    ends = np.random.default_rng(3).uniform(-1.1, 1.1, (count, 2, 3))
    return [Path(each, radius) for each in ends]


def letters():
    strokes = [[(0, 0), (0, 0.7), (0.5, 0.7), (0.5, 0.35), (0, 0.35), (0.5, 0)], [(0, 0.7), (0.25, 0), (0.5, 0.7)]]
    return [Path([(x + k - 3.3, y - 0.35, 0.15) for x, y in strokes[k % 2]], 0.06) for k in range(7)]


def spiral():
    angle = np.linspace(0.1, 14 * np.pi, 600)
    reach = angle / 14 / np.pi * 0.9
    return np.stack([reach * np.cos(angle), reach * np.sin(angle), np.full_like(angle, 0.1)], axis=1)


def passes():
    rows = [[(-0.8, y, 0.5), (0.8, y, 0.5)][:: 1 if k % 2 else -1] for k, y in enumerate(np.linspace(-0.8, 0.8, 28))]
    return Path(np.concatenate(rows), 0.1)


@cache
def scenes():
    """Stock, paths and operation of each kind of scene."""
    cube, ball = shapes.box(), shapes.sphere(subdivisions=4)
    walk = np.cumsum(np.random.default_rng(5).normal(0, 0.2, (30, 3)), axis=0)
    balls = Path(np.random.default_rng(6).uniform(-1, 1, (100, 3)), 0.15, joined=False)
    lidless = shapes.lidless_box()
    return {
        "bolt, grooves that overlap": (rod(), Path(helix(0.2), 0.13), "subtract"),
        "bolt, grooves apart": (rod(), Path(helix(0.4), 0.1), "subtract"),
        "bolt, deep and close": (rod(), Path(helix(0.15), 0.2), "subtract"),
        "text on a slab": (shapes.box((-4, -0.6, -0.15), (4, 0.6, 0.15)), letters(), "subtract"),
        "spiral on a plate": (shapes.box((-1, -1, -0.1), (1, 1, 0.1)), Path(spiral(), 0.035), "subtract"),
        "groove in a ball": (ball, Path([(-2, 0.3, 0.7), (2, 0.1, 0.8)], 0.15), "subtract"),
        "tubes in a cube": (cube, tubes(200, 0.08), "subtract"),
        "pocket of passes": (shapes.box((-1, -1, -0.5), (1, 1, 0.5)), passes(), "subtract"),
        "balls in a cube": (cube, balls, "subtract"),
        "cone into a turned cube": (turned(cube), Path([(0, 0, 2.0), (0, 0, -0.5)], [0.9, 0.05]), "subtract"),
        "road through hills": (hills(), Path([(-2.2, 0, 0.1), (0, 0.4, 0), (2.2, -0.3, 0.1)], 0.25), "subtract"),
        "cube without a lid": (lidless, Path([(-2, 0, 0), (2, 0, 0)], 0.3), "subtract"),
        "pipes on a ball": (ball, Path(walk, 0.08), "union"),
        "tubes in a cube alone": (cube, tubes(100, 0.1), "intersect"),
        "a pipe, and a groove in it": (
            ball, [Path([(-2, 0, 0.0), (2, 0, 0)], 0.3), Path([(-2, 0, 0.3), (2, 0, 0.3)], 0.1)], ("union", "subtract")
        ),
    }  # fmt: skip


@pytest.mark.parametrize("resolution", [64, 128])
@pytest.mark.parametrize("name", list(scenes()))
def test_as_many_faces_are_told_as_are_made(name, resolution):
    stock, paths, operation = scenes()[name]
    told = forecast(stock, paths, resolution=resolution, operation=operation, backend="cpu").faces
    made = carve(stock, paths, resolution=resolution, operation=operation, backend="cpu").report.faces
    assert told == pytest.approx(made, rel=NEAR)


@pytest.mark.parametrize(
    "name", ["bolt, grooves that overlap", "groove in a ball", "spiral on a plate", "pipes on a ball"]
)
def test_as_many_faces_are_told_as_a_kept_stock_gets(name):
    stock, paths, operation = scenes()[name]
    told = forecast(stock, paths, resolution=128, operation=operation, backend="cpu", result="keep").faces
    made = keep_stock(stock, paths, resolution=128, operation=operation, backend="cpu").report
    assert made.result == "keep"
    assert told == pytest.approx(made.faces, rel=NEAR)


def test_paths_that_miss_add_nothing():
    ball = shapes.sphere(subdivisions=4)
    near, far = (forecast(ball, Path([(-2, 0, z), (2, 0, z)], 0.1), resolution=64).faces for z in (0.9, 5.0))
    made = carve(ball, Path([(-2, 0, 5.0), (2, 0, 5.0)], 0.1), resolution=64).report.faces
    assert far == pytest.approx(made, rel=0.02)
    assert near != far


def test_a_path_that_goes_there_and_back_counts_once():
    cube, way = shapes.box(), [(-2, 0, 0.2), (0, 0.3, 1.0), (2, 0, 1.0)]
    there = forecast(cube, Path(way, 0.2), resolution=64).faces
    back = forecast(cube, Path([*way, *way[-2::-1]], 0.2), resolution=64).faces
    assert back == pytest.approx(there, rel=0.03)
