"""Where the rim of an open stock comes near another body of it, the gap is closed smoothly."""

import numpy as np
import pytest

from tests.borders import turns
from tests.compute.contouring.results import ENGINES
from tests.fuzz.__main__ import backend_of
from tests.fuzz.judge import overlapping_pairs
from tests.shapes import joined, keep_triangles, sphere
from voxel_carve.compute import Path, Sweep, TriMesh, carve

HOLE, RADIUS, DEPTH = 0.6, 0.8, 0.55
TURN = np.linalg.qr([[0.9, 0.3, 0.2], [-0.2, 0.8, 0.4], [0.1, -0.5, 0.9]])[0]
CENTRE = np.array([0.012, 0.0, -DEPTH])
ELSEWHERE = Sweep.from_paths([Path([[4.0, 4, 4], [5, 4, 4]], [0.1])])


def drum_with_a_hole(sides=192):
    """A drum, turned, with a round hole in its top at z = 0."""
    angle = 2 * np.pi * np.arange(sides) / sides
    ring = np.column_stack([np.cos(angle), np.sin(angle), 0 * angle])
    points = np.vstack([ring * HOLE, ring, ring - [0, 0, 1.5], [[0, 0, -1.5]]])
    here, there = np.arange(sides), (np.arange(sides) + 1) % sides
    strips = [
        triangle
        for inner, outer in ((0, sides), (sides, 2 * sides))
        for triangle in (
            np.stack([here + inner, here + outer, there + outer], axis=1),
            np.stack([here + inner, there + outer, there + inner], axis=1),
        )
    ]
    bottom = np.stack([here + 2 * sides, np.full(sides, 3 * sides), there + 2 * sides], axis=1)
    return TriMesh(points @ TURN.T, np.concatenate([*strips, bottom]), "drum")


def dish_in_the_hole():
    """The upper part of a ball that stands out of the hole. The gap is 0.007 to 0.031 wide."""
    ball = sphere(RADIUS, CENTRE, subdivisions=6)
    dish = keep_triangles(ball, ball.corners()[:, :, 2].mean(axis=1) > -DEPTH - 0.1)
    return TriMesh(dish.points @ TURN.T, dish.triangles, "dish")


@pytest.mark.parametrize("backend", ENGINES)
@pytest.mark.parametrize("resolution", [120, 140])
def test_a_gap_is_closed_in_the_plane_of_its_rim(resolution, backend):
    voxel_size = 2.0 / resolution
    stock = joined(drum_with_a_hole(), dish_in_the_hole())
    surface = carve(stock, ELSEWHERE, voxel_size, backend=backend_of(backend)).surface
    points, triangles = surface.points @ TURN, surface.triangles()
    corners = points[triangles]
    normal = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    area = np.linalg.norm(normal, axis=1) / 2
    normal /= 2 * np.maximum(area, 1e-300)[:, None]
    # Near the gap are the drum's top and the ball, and nothing between them.
    middle = corners.mean(axis=1)
    from_axis = np.linalg.norm(middle[:, :2], axis=1)
    near = (abs(from_axis - HOLE) < 3 * voxel_size) & (middle[:, 2] > -5 * voxel_size)
    outward = (middle - CENTRE) / np.linalg.norm(middle - CENTRE, axis=1)[:, None]
    cosine = np.maximum(normal[:, 2], (normal * outward).sum(axis=1))
    off = area[near & (cosine < np.cos(np.radians(30)))].sum() / area[near].sum()
    vertex = np.unique(triangles[near])
    from_top = abs(points[vertex, 2])
    from_ball = abs(np.linalg.norm(points[vertex] - CENTRE, axis=1) - RADIUS)
    far = np.minimum(from_top, from_ball) / voxel_size
    assert (turns(surface) > 45).sum() == 0
    assert off < 0.005
    assert np.quantile(far, 0.99) < 0.05
    assert surface.is_closed()
    assert len(overlapping_pairs(surface.points / voxel_size, triangles)) == 0
