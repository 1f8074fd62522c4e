"""The border of a cut runs smoothly, also where the rim is thinner than a voxel. See `compute.contour.fairing`."""

import numpy as np
import pytest

from tests.borders import (
    BALL,
    VOXEL_SIZE,
    assert_smooth_and_true,
    parts,
    ring_under_the_surface,
    skip_fairing,
    skip_rims,
    turns,
)
from tests.fuzz.__main__ import backend_of
from tests.fuzz.judge import overlapping_pairs
from tests.shapes import box
from voxel_carve.compute import Path, Sweep, carve


def overlaps(surface):
    """The number of pairs of triangles that overlap."""
    return len(overlapping_pairs(surface.points / VOXEL_SIZE, surface.triangles()))


@pytest.mark.parametrize("backend", ["cpu", "warp"])
@pytest.mark.parametrize("depth", [0.3, 0.6])
def test_the_border_of_a_deep_groove_is_smooth_and_true(backend, depth):
    sweep = ring_under_the_surface(depth)
    surface = carve(BALL, sweep, VOXEL_SIZE, backend=backend_of(backend)).surface
    assert_smooth_and_true(surface, sweep)
    assert overlaps(surface) == 0


def test_without_cutting_and_fairing_it_is_ragged(monkeypatch):
    """Show that the test above depends on these."""
    skip_rims(monkeypatch)
    skip_fairing(monkeypatch)
    surface = carve(BALL, ring_under_the_surface(0.6), VOXEL_SIZE, backend="cpu").surface
    assert (turns(surface) > 45).mean() > 0.01
    assert parts(surface) > 1


def test_a_mesh_that_is_not_ragged_stays_as_it_is(monkeypatch):
    sweep = Sweep.from_paths([Path([[-2.0, 0.3, 0.8], [2.0, 0.1, 0.9]], [0.4])])
    faired = carve(box(), sweep, 1 / 20, backend="cpu").surface
    skip_fairing(monkeypatch)
    before = carve(box(), sweep, 1 / 20, backend="cpu").surface
    assert np.array_equal(faired.points, before.points)
    assert np.array_equal(faired.faces, before.faces)


def test_threads_decide_no_bit(monkeypatch):
    sweep = ring_under_the_surface(0.8)
    several = carve(BALL, sweep, VOXEL_SIZE, backend="cpu").surface
    monkeypatch.setattr("voxel_carve.compute.runtime.threads.thread_count", lambda: 1)
    one = carve(BALL, sweep, VOXEL_SIZE, backend="cpu").surface
    for name in ("points", "faces", "source", "primitive"):
        assert np.array_equal(getattr(one, name), getattr(several, name))
