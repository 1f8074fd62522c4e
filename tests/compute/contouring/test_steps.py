"""Paths with operations of their own: each step is made from the surface of the one before."""

import math

import numpy as np
import pytest

from tests.compute.contouring.results import BACKEND, assert_manifold, parts
from voxel_carve.compute import Path, Source, Sweep, TriMesh, carve, verify

BOX = TriMesh.box(np.zeros(3), np.array([4.0, 3.0, 2.0]))
# Along the top: a groove, and a bead that crosses it.
GROOVE = Path([[-1.0, 1.5, 2.0], [5.0, 1.5, 2.0]], [0.5])
BEAD = Path([[2.0, -1.0, 2.0], [2.0, 4.0, 2.0]], [0.25])
GROOVED = 24 - math.pi * 0.5**2 / 2 * 4
HALF_ROD = math.pi * 0.25**2 / 2  # of the bead, for a length of 1
OUTSIDE = 2 * math.pi * 0.25**2 + 4 / 3 * math.pi * 0.25**3  # of the bead, beside the box
VOXEL_SIZES = [1 / 16, 1 / 15.3]


def job(paths, operations, voxel_size):
    return carve(BOX, paths, voxel_size=voxel_size, operation=operations, backend=BACKEND)


@pytest.mark.parametrize("voxel_size", VOXEL_SIZES)
def test_a_crossing_of_a_groove_and_a_bead(voxel_size):
    """A bead laid across a groove bridges it; a groove cut through a bead parts it."""
    bead_last = job([GROOVE, BEAD], ["subtract", "union"], voxel_size)
    groove_last = job([BEAD, GROOVE], ["union", "subtract"], voxel_size)
    for result in (bead_last, groove_last):
        assert_manifold(result.surface)
        assert parts(result.surface) == 1
        assert result.report.volume == pytest.approx(result.surface.volume(), rel=1e-9)
        assert result.report.removed_volume == pytest.approx(24 - result.report.volume, abs=0.02)
    assert groove_last.surface.volume() == pytest.approx(GROOVED + OUTSIDE + 2 * HALF_ROD, abs=0.005)
    difference = bead_last.surface.volume() - groove_last.surface.volume()
    # Within the groove, of width 1, the bead is whole but for where its lower half meets the groove's sides.
    assert 2 * HALF_ROD * 0.94 < difference < 2 * HALF_ROD


ORDERS = {
    "bead last": ([GROOVE, BEAD], ("subtract", "union")),
    "groove last": ([BEAD, GROOVE], ("union", "subtract")),
}
JOBS = [(order, voxel_size) for order in ORDERS for voxel_size in VOXEL_SIZES]


@pytest.mark.parametrize(("order", "voxel_size"), JOBS)
def test_vertices_lie_on_the_surface_of_all_steps(order, voxel_size):
    paths, operations = ORDERS[order]
    surface = job(paths, operations, voxel_size).surface
    found = verify(surface, BOX, Sweep.from_paths(paths), voxel_size, operations)
    assert found.vertices.rms < 0.005 * voxel_size and found.vertices.largest < 0.1 * voxel_size
    assert found.true_edges.largest < 0.1 * voxel_size
    assert found.stray_edges == found.lost_points == 0


def test_faces_know_the_stock_and_the_segments_of_all_paths():
    ball = Path([[1.0, 1.5, 1.5]], [0.5])
    surface = job([GROOVE, BEAD, ball], ["subtract", "union", "subtract"], 1 / 16).surface
    assert_manifold(surface)
    assert set(np.unique(surface.primitive[surface.source == Source.PATH])) == {0, 1, 2}
    assert surface.primitive[surface.source == Source.STOCK].max() < 12


def test_where_a_later_step_does_not_come_the_vertices_stay():
    one = job([GROOVE], ["subtract"], 1 / 16)
    dent = Path([[3.5, 0.5, 1.75]], [0.125])  # inside, so that the grid of the union is the same
    two = job([GROOVE, dent, dent], ["subtract", "union", "subtract"], 1 / 16)
    assert two.report.grid_shape == one.report.grid_shape
    known = {point.tobytes() for point in one.surface.points}
    still = [point.tobytes() in known for point in two.surface.points if point[2] < 1]
    assert len(still) > 4000 and all(still)


def test_many_steps_of_a_groove_and_its_filling_stay_closed():
    """The wall between a groove and what fills half of it again is thin in places."""
    fill = Path([[-1.0, 1.6, 1.9], [5.0, 1.4, 1.8]], [0.3])
    paths, operations = [GROOVE, fill, BEAD, GROOVE, fill], ["subtract", "union", "subtract", "subtract", "union"]
    surface = job(paths, operations, 1 / 12).surface
    assert_manifold(surface)
    assert surface.volume() > GROOVED


def test_what_is_shared_after_a_cut():
    ball = Path([[2.0, 1.5, 1.0]], [1.4])
    surface = job([GROOVE, ball], ["subtract", "intersect"], 1 / 16).surface
    assert_manifold(surface)
    # A ball between two planes, without the groove. By counting points of a fine grid.
    x, y, z = np.meshgrid(*(np.arange(-1.4, 1.4, 0.02) + 0.01,) * 3, indexing="ij")
    inside = (x**2 + y**2 + z**2 < 1.4**2) & (np.abs(z) < 1) & (np.abs(y) < 1.5) & (y**2 + (z - 1) ** 2 > 0.25)
    assert surface.volume() == pytest.approx(inside.sum() * 0.02**3, rel=0.01)
