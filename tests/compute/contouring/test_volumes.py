"""A box and a capsule, added and shared, against their volumes in closed form."""

import numpy as np
import pytest

from tests.compute.contouring.results import BACKEND, assert_manifold, carved, parts, path, turned
from tests.shapes import box, sphere
from voxel_carve.compute import TriMesh, carve, get_backend

LOWS = [(-12, -11, -9), (-12.3, -11.2, -9.1)]  # the grid lies at other places of the second


def capsule(length, radius):
    return np.pi * radius**2 * length + 4 / 3 * np.pi * radius**3


@pytest.mark.parametrize("low", LOWS)
@pytest.mark.parametrize("operation", ["subtract", "union", "intersect"])
@pytest.mark.parametrize("kind", ["half outside", "inside"])
def test_a_capsule_and_a_box(kind, operation, low):
    high = (12, 10, 9)
    stock, whole = box(low, high), float(np.prod(np.subtract(high, low)))
    if kind == "inside":
        radius, sweep = 4.0, path([[-4, -3, -2], [5, 4, 2]], 4)
        of_tool = shared = capsule(np.sqrt(9**2 + 7**2 + 4**2), radius)
    else:
        radius, sweep = 5.0, path([[0, 0.3, 0.2], [22, 0.3, 0.2]], 5)
        of_tool = capsule(22, radius)
        shared = np.pi * radius**2 * 12 + 2 / 3 * np.pi * radius**3
    surface = carved(stock, sweep, operation)
    assert_manifold(surface)
    assert parts(surface) == (2 if (kind, operation) == ("inside", "subtract") else 1)
    expected = {"subtract": whole - shared, "union": whole + of_tool - shared, "intersect": shared}[operation]
    # Chords of the round sides are all that is lost.
    assert abs(surface.volume() - expected) < 0.015 * of_tool


@pytest.mark.parametrize(("radius", "share"), [(0.8, 0.7), (1.5, 0.9)])
@pytest.mark.parametrize("operation", ["subtract", "union", "intersect"])
def test_a_thin_rod_through_a_box_is_one_piece(radius, share, operation):
    along = np.array([0.83, 0.41, 0.37])
    along /= np.linalg.norm(along)
    surface = carved(box((-8, -8, -8), (8, 8, 8)), path([-30 * along, 30 * along], radius), operation)
    assert_manifold(surface)
    assert parts(surface) == 1
    length = 16 / along[0]
    shared = np.pi * radius**2 * length
    expected = {"subtract": 16**3 - shared, "union": 16**3 + np.pi * radius**2 * (60 - length), "intersect": shared}
    assert abs(surface.volume() - expected[operation]) < (1 - share) * np.pi * radius**2 * 60


def test_a_ball_out_of_a_ball():
    surface = carved(sphere(12.0, subdivisions=5), path([[0.3, 0.2, 0.1]], 7))
    assert_manifold(surface)
    assert parts(surface) == 2
    assert surface.volume() == pytest.approx(4 / 3 * np.pi * (12**3 - 7**3), rel=0.01)


# Whether the two faces across each axis lie on voxel centres, or between them.
PLACES = [(x, y, z) for x in (0, 1) for y in (0, 1) for z in (0, 1)]


@pytest.mark.parametrize(("x", "y", "z"), PLACES)
def test_a_box_keeps_its_corners(x, y, z):
    sides = 8.0 + np.array([x, y, z])
    stock = box(-sides / 2, sides / 2)
    surface = carved(stock)
    assert_manifold(surface)
    assert surface.volume() == pytest.approx(np.prod(sides), rel=1e-9)
    off = np.linalg.norm(surface.points[None] - stock.points[:, None], axis=2).min(axis=1)
    assert off.max() < 1e-6


def joined(*meshes):
    """Meshes as one, with shells that lie over each other."""
    before = np.cumsum([0, *(len(mesh.points) for mesh in meshes)])
    triangles = [mesh.triangles + first for mesh, first in zip(meshes, before, strict=False)]
    return TriMesh(np.concatenate([mesh.points for mesh in meshes]), np.concatenate(triangles), "shells")


@pytest.mark.parametrize("depth", [0.3, 1.3, 4.0, 9.0])
@pytest.mark.parametrize("is_turned", [False, True])
def test_what_two_shells_share_counts_once(depth, is_turned):
    one, other = box((-12.2, -11.3, -9.4), (12.2, 11.3, 9.4)), box((-6.1, -5.2, 9.4 - depth), (6.4, 5.3, 15.7))
    stock, tool = joined(one, other), path([[30, 0, -9.4], [-30, 0, -9.4]], 3)
    expected = 24.4 * np.pi * 9 / 2
    found = carve(turned(stock) if is_turned else stock, tool, 1.0, operation="subtract", backend=BACKEND).report
    assert found.removed_volume == pytest.approx(expected, rel=0.02)
    assert found.volume + found.removed_volume == pytest.approx(24.4 * 22.6 * 18.8 + 12.5 * 10.5 * 6.3, rel=1e-3)


@pytest.mark.parametrize("is_turned", [False, True])
def test_a_gap_thinner_than_a_voxel_is_no_overlap(is_turned, monkeypatch):
    """A stock is contoured a second time only where its shells share something."""
    one, other = box((-12.2, -11.3, -9.4), (12.2, 11.3, 9.35)), box((-1.1, -1.2, 9.45), (1.4, 1.3, 15.7))
    stock, tool = joined(one, other), path([[30, 0, -9.4], [-30, 0, -9.4]], 3)
    backend, calls = get_backend(BACKEND), []
    contour = backend.contour
    monkeypatch.setattr(type(backend), "contour", lambda _, *inputs: calls.append(inputs) or contour(*inputs))
    found = carve(turned(stock) if is_turned else stock, tool, 1.0, operation="subtract", backend=backend).report
    assert len(calls) == 1
    assert found.removed_volume == pytest.approx(24.4 * np.pi * 9 / 2, rel=0.02)
    assert found.volume + found.removed_volume == pytest.approx(24.4 * 22.6 * 18.75 + 2.5 * 2.5 * 6.25, rel=1e-3)
