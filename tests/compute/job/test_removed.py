"""What was removed from an open stock is the volume of its whole surface less that of the result's, though the surface
of the stock alone is made near the sweep only."""

import numpy as np
import pytest

from tests.compute.contouring.results import path
from tests.fuzz.open_scenes import open_scene
from tests.shapes import keep_triangles, sphere
from voxel_carve.compute import Sweep, TriMesh, carve, get_backend

# In the first, vertices that make way for each other hand the change on over six voxels.
SCENES = [5034, 5038]


def elsewhere(stock: TriMesh) -> Sweep:
    """A tool that does not come near."""
    beyond = stock.bounds()[1] + 2 * np.ptp(stock.points, axis=0).max()
    return Sweep(beyond, beyond + 1, 0.1, 0.1)


def ball_with_holes() -> TriMesh:
    ball, ways = sphere(20.0), np.random.default_rng(5).normal(size=(12, 3))
    holes = 20 * ways / np.linalg.norm(ways, axis=1)[:, None]
    apart = np.linalg.norm(ball.corners().mean(axis=1)[:, None] - holes, axis=2).min(axis=1)
    return keep_triangles(ball, apart > 4)


def assert_is_difference(stock, sweep, voxel_size, operation, backend):
    whole = carve(stock, elsewhere(stock), voxel_size, backend=backend).report
    assert whole.removed_volume == 0
    found = carve(stock, sweep, voxel_size, operation=operation, backend=backend).report
    assert found.removed_volume == pytest.approx(whole.volume - found.volume, abs=1e-10 * whole.volume)


@pytest.mark.parametrize("operation", ["subtract", "union", "intersect"])
def test_of_a_ball_with_holes(operation):
    groove = path([[-12, 1, 2], [3, 4, 5], [16, 2, 1]], 3)  # within the ball's bounds, which are then the grid's
    assert_is_difference(ball_with_holes(), groove, 0.4, operation, "cpu")


@pytest.mark.parametrize("number", SCENES)
def test_of_random_scenes(number):
    scene = open_scene(number)
    assert_is_difference(scene.stock, scene.sweep, scene.voxel_size, scene.operation, "cpu")


def test_of_a_part_that_is_taken_whole():
    ball = ball_with_holes()
    stock = TriMesh(
        np.concatenate([ball.points, ball.points / 8 + [40, 0, 0]]),
        np.concatenate([ball.triangles, ball.triangles + len(ball.points)]),
    )
    assert_is_difference(stock, path([[39, 0, 0], [41, 0, 0]], 5), 1.0, "subtract", "cpu")


def test_most_of_the_surface_is_made_once(monkeypatch):
    backend, made = get_backend("cpu"), []
    contour = backend.contour

    def counted(_, *inputs):
        surface = contour(*inputs)
        made.append(len(surface.faces))
        return surface

    monkeypatch.setattr(type(backend), "contour", counted)
    carve(ball_with_holes(), path([[-25, 0, 0], [-15, 0, 0]], 2), 0.25, backend=backend)
    assert len(made) == 2
    assert made[1] < made[0] / 8


def test_both_backends_say_the_same():
    pytest.importorskip("warp")
    groove = path([[-25, 1, 2], [3, 4, 5], [25, 2, 1]], 3)
    reports = [carve(ball_with_holes(), groove, 1.0, backend=name).report for name in ("cpu", "warp:cpu")]
    assert reports[0].removed_volume == pytest.approx(reports[1].removed_volume, rel=1e-12)
    assert reports[0].volume == reports[1].volume
