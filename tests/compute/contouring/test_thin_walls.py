"""Walls thinner than a voxel are there, as thick as they should be, wherever they lie between the voxel centres."""

from functools import cache

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from tests.compute.contouring.results import area, assert_manifold, carved, cases, parts, path, rounded, turned
from tests.fuzz.scenes import extruded
from tests.shapes import box, joined, sphere
from voxel_carve.compute import Path, Sweep, TriMesh, verify

SIDES = 20.0, 16.0
TURNS = {
    "along the axes": (0, 0, 0),
    "nearly along the axes": (0.05, 0.02, 0),
    "tilted": (0.3, 0.2, 0.1),
    "tilted more": (0.61, 0.4, -0.3),
}


def plate(thickness, turn=(0, 0, 0)):
    """A plate around the origin."""
    flat = box((-SIDES[0] / 2, -SIDES[1] / 2, -thickness / 2), (SIDES[0] / 2, SIDES[1] / 2, thickness / 2))
    return TriMesh(flat.points @ Rotation.from_euler("xyz", turn).as_matrix().T, flat.triangles)


def assert_is_plate(surface, thickness, volume=0.0, around=0.0):
    """The surface is a plate of this thickness, and something else of this volume and area."""
    both, rim = 2 * SIDES[0] * SIDES[1], 2 * (SIDES[0] + SIDES[1]) * thickness
    assert_manifold(surface)
    assert surface.volume() == pytest.approx(both / 2 * thickness + volume, rel=0.015)
    assert area(surface) == pytest.approx(both + rim + around, rel=0.01)


@pytest.mark.parametrize("turn", TURNS.values(), ids=TURNS)
@pytest.mark.parametrize("thickness", [0.1, 0.3, 0.5, 0.8])
def test_a_plate_thinner_than_a_voxel(thickness, turn):
    surface = carved(plate(thickness, turn))
    assert_is_plate(surface, thickness)
    assert parts(surface) == 1


@pytest.mark.parametrize("place", [0.0, 0.15, 0.35, 0.5, 0.7, 0.9])
@pytest.mark.parametrize("thickness", [0.3, 0.5, 0.8])
def test_a_plate_between_voxel_centres(thickness, place):
    """A block below moves the grid to other places of the plate."""
    low = -12.0 - 2 * place
    surface = carved(joined(plate(thickness), box((-3, -3, low), (3, 3, low + 4))))
    assert_is_plate(surface, thickness, volume=6 * 6 * 4, around=2 * 36 + 4 * 24)
    assert parts(surface) == 2


@cache
def drilled(thickness):
    """For each turn of a plate: the surface with a hole, its true volume, and its accuracy."""
    found = {}
    for name, turn in TURNS.items():
        stock, axis = plate(thickness, turn), Rotation.from_euler("xyz", turn).apply([0, 0, 1])
        sweep = path([-10 * axis, 10 * axis], 4.0)
        surface = carved(stock, sweep)
        volume = (SIDES[0] * SIDES[1] - np.pi * 16) * thickness
        found[name] = surface, volume, verify(surface, stock, sweep, 1.0)
    return found


@pytest.mark.parametrize("thickness", [0.3, 0.5, 0.8, 1.5])
def test_a_plate_with_a_hole_is_one_part(thickness):
    for surface, _, _ in drilled(thickness).values():
        assert_manifold(surface)
        assert parts(surface) == 1


@pytest.mark.parametrize(
    "thickness",
    cases([0.3, 0.5, 0.8, 1.5], [0.3, 0.5, 0.8], "the plate ends up to 0.6 voxels before the hole, in a sharp edge"),
)
def test_the_edge_of_a_hole_in_a_thin_plate_is_complete(thickness):
    share = {name: surface.volume() / volume for name, (surface, volume, _) in drilled(thickness).items()}
    off = {name: found.true_edges.largest for name, (_, _, found) in drilled(thickness).items()}
    assert min(share.values()) > 0.99, rounded(share)
    assert max(off.values()) < 0.1, rounded(off)


@pytest.mark.parametrize("thickness", [0.3, 0.5, 0.8])
@pytest.mark.parametrize("centre", [(0, 0, 0), (0.2, 0.3, 0.4)])
def test_a_hollow_ball(thickness, centre):
    outer, inner = sphere(10.0, centre), sphere(10.0 - thickness, centre)
    block = box((20, -3, -3), (22.3, 3.1, 2.7))  # moves the grid
    surface = carved(joined(outer, turned(inner), block))
    assert_manifold(surface)
    assert parts(surface) == 3
    shell = 4 / 3 * np.pi * (10**3 - (10 - thickness) ** 3)
    assert surface.volume() - 2.3 * 6.1 * 5.7 == pytest.approx(shell, rel=0.025)


@pytest.mark.parametrize("thickness", [0.3, 0.5, 0.8])
def test_what_two_passes_leave_between_them(thickness):
    """A wall with round feet, in the middle of a box."""
    stock, radius = box((-12, -10, -6), (12, 10, 6)), 3.0
    middle = 0.27
    sides = [middle + side * (radius + thickness / 2) for side in (-1, 1)]
    passes = Sweep.from_paths([Path([[-20, y, 6], [20, y, 6]], [radius]) for y in sides])
    surface = carved(stock, passes)
    assert_manifold(surface)
    assert parts(surface) == 1
    top = (surface.points[:, 2] > 5.999) & (np.abs(surface.points[:, 1] - middle) < 1)
    assert surface.points[top, 0].min() < -11.99 and surface.points[top, 0].max() > 11.99
    width = np.ptp(surface.points[top, 1])
    assert width == pytest.approx(thickness, abs=0.02)
    assert verify(surface, stock, passes, 1.0).vertices.largest < 0.05


@pytest.mark.parametrize("thickness", [0.4, 0.7])
@pytest.mark.parametrize("top", [0.1, 0.45])
def test_a_fin_stands_on_its_base(thickness, top):
    """A fin between voxel centres, on a base whose top is at different heights between them."""
    low, high, left = -8.0, 8.0, 0.6
    outline = np.array([[low, low], [high, low], [high, top], [left + thickness, top], [left + thickness, high],
                        [left, high], [left, top], [low, top]])  # fmt: skip
    surface = carved(extruded(outline, 12.0))
    assert_manifold(surface)
    assert parts(surface) == 1
    foot = (np.abs(surface.points[:, 1] - top) < 0.01) & (np.abs(surface.points[:, 0] - left) < 0.01)
    assert np.ptp(surface.points[foot, 2]) > 12.0 - 2.01  # but for the corners of its ends
    assert surface.volume() == pytest.approx(12 * (16 * (top - low) + thickness * (high - top)), rel=1e-3)
