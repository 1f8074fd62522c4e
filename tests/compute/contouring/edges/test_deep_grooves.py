"""The border of a cut runs smoothly, also where the rim is thinner than a voxel."""

import numpy as np
import pytest

from tests.borders import (
    BALL,
    VOXEL_SIZE,
    assert_smooth_and_true,
    ring_under_the_surface,
)
from tests.compute.contouring.results import ENGINES
from tests.fuzz.__main__ import backend_of
from tests.fuzz.judge import overlapping_pairs
from voxel_carve.compute import carve


def overlaps(surface):
    """The number of pairs of triangles that overlap."""
    return len(overlapping_pairs(surface.points / VOXEL_SIZE, surface.triangles()))


@pytest.mark.parametrize("backend", ENGINES)
@pytest.mark.parametrize("depth", [0.3, 0.6])
def test_the_border_of_a_deep_groove_is_smooth_and_true(backend, depth):
    sweep = ring_under_the_surface(depth)
    surface = carve(BALL, sweep, VOXEL_SIZE, backend=backend_of(backend)).surface
    assert_smooth_and_true(surface, sweep)
    assert overlaps(surface) == 0


def test_threads_decide_no_bit(monkeypatch):
    sweep = ring_under_the_surface(0.8)
    several = carve(BALL, sweep, VOXEL_SIZE, backend="cpu").surface
    monkeypatch.setattr("voxel_carve.compute.runtime.threads.thread_count", lambda: 1)
    one = carve(BALL, sweep, VOXEL_SIZE, backend="cpu").surface
    for name in ("points", "faces", "source", "primitive"):
        assert np.array_equal(getattr(one, name), getattr(several, name))
