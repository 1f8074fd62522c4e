"""The surface is the same, byte for byte, in slabs of any size."""

import pytest

from tests.compute.contouring.results import carved, contents, path
from tests.shapes import hemisphere
from voxel_carve.compute.engines.numba.contouring import contour, sweep

CROSSING = path([[-14, 1, -2], [3, -2, 6], [14, 8, -3], [-9, -9, 4], [10, -8, 1]], 2.5)


@pytest.mark.parametrize("operation", ["subtract", "union", "intersect"])
def test_the_bytes_of_any_slabs(monkeypatch, operation):
    seen = []
    monkeypatch.setattr(
        contour, "slabs_of", lambda fields, count: seen.append(sweep.slabs_of(fields, count)) or seen[-1]
    )
    whole = carved(hemisphere(12.0, 3), CROSSING, operation)
    assert len(seen[0]) == 1
    seen.clear()
    monkeypatch.setattr(sweep, "SWEPT_BRICKS", 3)
    assert contents(carved(hemisphere(12.0, 3), CROSSING, operation)) == contents(whole)
    assert len(seen[0]) > 3
