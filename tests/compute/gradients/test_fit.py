"""Paths fitted to grooves that were carved along others, which are known: distances are in voxels."""

from itertools import pairwise

import numpy as np
import numpy.typing as npt
import pytest

from tests.shapes import box
from voxel_carve.compute import (
    CarveCancelled,
    Fit,
    Grid,
    InputError,
    Path,
    Source,
    Sweep,
    TriMesh,
    carve,
    fit,
    keep_stock,
    plan_grid,
    sweep,
    sweep_distance,
    voxelize,
)
from voxel_carve.compute.gradients import samples

Array = npt.NDArray[np.float64]

VOXEL = 0.08
STOCK = box(np.zeros(3), [6.0, 3.5, 2.0])
WITHIN = 0.05  # voxels


def bent(t: Array) -> Array:
    """Points of a curve under the top of the stock, with both ends in it."""
    return np.stack([1 + 4 * t, 1.7 + 0.7 * np.sin(3 * t), 1.75 + 0.15 * np.cos(4 * t)], axis=1)


def forgotten() -> Path:
    t = np.linspace(0, 1, 49)
    return Path(bent(t), 0.45 + 0.1 * np.sin(5 * t))


def guess() -> Path:
    """About half as many points, elsewhere along the curve and up to four voxels beside it, with one radius for all."""
    t = np.linspace(0, 1, 25) ** 1.15
    beside = np.stack([0.2 - 0.4 * t, 0.2 * np.cos(4 * t), np.full(25, -0.12)], axis=1)
    return Path(bent(t) + beside, 0.4, name="guess")


def dense(path: Path) -> Array:
    """Many points on the axis of a path."""
    points = path.points[[*range(len(path.points)), 0]] if path.cyclic else path.points
    return np.concatenate([np.linspace(a, b, 20) for a, b in pairwise(points)])


def walls(path: Path, stock: TriMesh = STOCK) -> Array:
    """Points on the sweep's part of the surface of what it is carved from."""
    surface = carve(stock, path, VOXEL).surface
    return surface.points[np.unique(surface.faces[surface.source == Source.PATH])]


def thin(path: Path) -> Path:
    return Path(path.points, 1e-9, path.cyclic)


def apart(one: Path, other: Path, stock: TriMesh = STOCK) -> float:
    """The greatest distance, in voxels, between the walls and between the axes of two paths."""
    between = [
        *(sweep_distance(walls(a, stock), b).distance for a, b in ((one, other), (other, one))),
        *(sweep_distance(dense(a), thin(b)).distance for a, b in ((one, other), (other, one))),
    ]
    return max(float(np.abs(distances).max()) for distances in between) / VOXEL


def check(found: Fit, guessed: Path) -> Path:
    """The only path of a fit. It is described as the guess was."""
    (path,) = found.paths
    assert (len(path.points), path.cyclic, path.joined, path.name) == (
        len(guessed.points),
        guessed.cyclic,
        guessed.joined,
        guessed.name,
    )
    assert 0 < found.root_mean_square < found.largest < VOXEL
    assert found.samples > 500
    return path


@pytest.mark.parametrize("kind", ["remeshed", "kept", "sparse field"])
def test_a_forgotten_path_is_found_again(kind):
    true = forgotten()
    if kind == "kept":
        target = keep_stock(STOCK, Sweep.of(true), VOXEL).surface.to_tri_mesh()
    else:
        result = carve(STOCK, true, VOXEL, half_width=3)
        target = result.band if kind == "sparse field" else result.surface.to_tri_mesh()
    assert apart(true, guess()) > 3
    found = check(fit(guess(), target), guess())
    assert apart(true, found) < WITHIN


def test_an_occupancy_gives_the_path_to_a_fraction_of_a_voxel(monkeypatch):
    true, grid = forgotten(), plan_grid(STOCK.bounds(), VOXEL)
    occupancy = sweep(voxelize(STOCK, grid), grid, true)
    monkeypatch.setattr(samples, "MOST_SAMPLES", 1 << 20)
    found = fit(guess(), occupancy, grid=grid)
    assert apart(true, found.paths[0]) < 0.3
    assert found.root_mean_square < VOXEL / 3
    # The same voxels, as bytes in a larger grid, a few layers at a time: only the order of the samples is another.
    monkeypatch.setattr(samples, "VOXELS_PER_BLOCK", 5 * occupancy[0].size)
    around = Grid(grid.origin - 10 * VOXEL, VOXEL, tuple(side + 20 for side in grid.shape))
    moved = fit(guess(), np.pad(occupancy, 10).view(np.uint8), grid=around)
    assert moved.samples == pytest.approx(found.samples, abs=5)
    np.testing.assert_allclose(moved.paths[0].points, found.paths[0].points, atol=0.02 * VOXEL)


@pytest.mark.slow
def test_points_that_lie_closer_than_voxels_stay_in_order():
    true, sparse = forgotten(), guess()
    t, places = np.linspace(0, 24, 150), np.arange(25)
    dense_guess = Path(np.stack([np.interp(t, places, axis) for axis in sparse.points.T], axis=1), 0.4)
    found = check(fit(dense_guess, carve(STOCK, true, VOXEL).surface.to_tri_mesh()), dense_guess)
    assert apart(true, found) < WITHIN


def test_a_ring_stays_closed():
    def ring(count: int, radius: float, beside: float) -> Path:
        angle = 2 * np.pi * np.arange(count) / count
        points = [3 + radius * np.cos(angle) + beside, 1.75 + radius * np.sin(angle), np.full(count, 1.9)]
        return Path(np.stack(points, axis=1), 0.3, cyclic=True)

    true, guessed = ring(96, 1.2, 0.0), ring(72, 1.05, 0.1)
    found = check(fit(guessed, carve(STOCK, true, VOXEL).surface.to_tri_mesh()), guessed)
    assert apart(true, found) < WITHIN


def test_a_shallow_dent_is_not_taken_for_its_surroundings():
    true, guessed = Path([[1.5, 1.7, 2.2], [4.5, 1.7, 2.2]], 0.6), Path([[1.7, 1.9, 2.0], [4.2, 1.6, 2.1]], 0.5)
    found = check(fit(guessed, carve(STOCK, true, VOXEL).surface.to_tri_mesh()), guessed)
    assert apart(true, found) < WITHIN


def test_the_walls_of_another_groove_do_not_count():
    true, beside = forgotten(), Path([[1, 0.7, 1.9], [5, 0.7, 1.9]], 0.3)
    found = check(fit(guess(), carve(STOCK, [true, beside], VOXEL).surface.to_tri_mesh(), reach=0.7), guess())
    assert apart(true, found) < WITHIN


def test_several_paths_and_single_balls_are_fitted_at_once():
    balls = Path([[1, 1, 1.8], [2.5, 1, 1.9], [4, 1, 2.0]], [0.4, 0.5, 0.6], joined=False)
    line = Path([[1, 2.6, 1.8], [5, 2.6, 1.9]], [0.3, 0.5])
    target = carve(STOCK, [balls, line], VOXEL).surface.to_tri_mesh()
    beside = np.array([0.1, -0.1, 0.05])
    found = fit([Path(balls.points + beside, 0.5, joined=False), Path(line.points - beside, 0.4)], target).paths
    for one, other in zip(found, (balls, line), strict=True):
        np.testing.assert_allclose(one.points, other.points, atol=WITHIN * VOXEL)
        np.testing.assert_allclose(one.radii, other.radii, atol=WITHIN * VOXEL)


def test_a_mesh_of_few_large_faces_is_divided():
    stock = box([0, 0, 0], [6, 3, 2])
    groove = carve(stock, ([[0.5, 1.5, 1.7], [5.5, 1.5, 1.7]], 0.5), VOXEL, tolerance=0.1 * VOXEL).surface
    assert len(groove.faces) < 3000
    (path,) = fit(([[0.7, 1.6, 1.6], [5.2, 1.4, 1.8]], 0.4), groove.to_tri_mesh()).paths
    np.testing.assert_allclose(path.points, [[0.5, 1.5, 1.7], [5.5, 1.5, 1.7]], atol=0.2 * VOXEL)
    np.testing.assert_allclose(path.radii, 0.5, atol=0.2 * VOXEL)


def test_the_same_input_gives_the_same_bytes():
    target = carve(STOCK, forgotten(), 0.16).surface.to_tri_mesh()
    one, other = (fit(guess(), target).paths[0] for _ in range(2))
    assert one.points.tobytes() == other.points.tobytes()
    assert one.radii.tobytes() == other.radii.tobytes()


def test_a_path_beside_every_groove_is_named():
    target = carve(STOCK, forgotten(), 0.16).surface.to_tri_mesh()
    with pytest.raises(InputError, match=r"no surface within 0\.3 of the path faces it: move the path into the groove"):
        fit(([[1, 1, 9], [5, 1, 9]], 0.3), target)
    with pytest.raises(InputError, match="no surface within"):
        fit(([[1, 1, 0.9], [5, 1, 0.9]], 0.3), STOCK, reach=0.2)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"paths": Sweep.of(guess())}, "path 0 is a Sweep"),
        ({"paths": []}, "no path"),
        ({"target": 3}, "a mesh is a TriMesh"),
        ({"target": np.ones((2, 2, 2), bool), "grid": Grid([0, 0, 0], 1.0, (1, 1, 1))}, "does not fit a grid"),
        ({"target": np.ones((1, 1, 1)), "grid": Grid([0, 0, 0], 1.0, (1, 1, 1))}, "of bool, or of uint8"),
        ({"target": np.ones((1, 1, 1), bool), "grid": Grid([0, 0, 0], 1.0, (1, 1, 1))}, "no surface within"),
        ({"target": Grid([0, 0, 0], 1.0, (1, 1, 1))}, "a mesh is a TriMesh"),
        ({"reach": -1.0}, "reach -1: it must be a positive length"),
    ],
)
def test_bad_input_is_named(arguments, message):
    with pytest.raises(InputError, match=message):
        fit(**({"paths": guess(), "target": STOCK} | arguments))


def test_it_reports_progress_and_can_be_stopped():
    target, reported = carve(STOCK, forgotten(), 0.16).surface.to_tri_mesh(), []

    def stop(stage: str, fraction: float) -> None:
        reported.append((stage, fraction))
        if fraction > 0.3:
            raise CarveCancelled

    with pytest.raises(CarveCancelled):
        fit(guess(), target, progress=stop)
    fractions = [fraction for stage, fraction in reported if stage == "Fit"]
    assert fractions == sorted(fractions)
    assert len(fractions) > 20
