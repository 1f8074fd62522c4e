"""The narrow band of a result against closed forms, and as a level set in a file."""

import subprocess
import sys

import numpy as np
import pytest

from tests.shapes import box, sphere
from voxel_carve.compute import CarveCancelled, InputError, Path, carve, get_backend
from voxel_carve.compute.level_set import HALF_WIDTH
from voxel_carve.compute.model.bricks import BRICK_SIZE, NO_PRIMITIVE, REACH, VOXEL_OFFSETS

RADIUS, HOLE, VOXEL = 1.0, 0.5, 1 / 16
BALL = sphere(RADIUS, subdivisions=6)


def hollow_distance(points):
    """The signed distance from a ball with a ball taken out of its middle, in voxels."""
    off = np.linalg.norm(points, axis=-1)
    return np.maximum(off - RADIUS, HOLE - off) / VOXEL


def in_voxels(band):
    """(B, 512) the distances, in voxels as those above."""
    return band.distance / np.float32(band.voxel_size)


def centres(band):
    """(B, 512, 3) the places of the voxels."""
    return band.origin + (band.corners[:, None, ::-1] + BRICK_SIZE / 2 + VOXEL_OFFSETS) * band.voxel_size


@pytest.fixture(scope="module")
def hollow():
    return carve(BALL, ([[0, 0, 0]], [HOLE]), VOXEL, half_width=HALF_WIDTH, backend="cpu")


def test_distances_are_exact_near_the_surface_and_almost_so_farther_out(hollow):
    band = hollow.band
    true = hollow_distance(centres(band))
    error = np.abs(in_voxels(band) - np.clip(true, -HALF_WIDTH, HALF_WIDTH))
    assert error[np.abs(true) < 1].max() < 5e-3  # the ball has facets
    assert error.max() < 1.3 * VOXEL / HOLE
    assert error.mean() < 0.02
    assert np.array_equal(band.distance <= 0, true <= 0)


def test_no_voxel_of_the_band_is_missing(hollow):
    band = hollow.band
    corner = {tuple(each) for each in band.corners.tolist()}
    side = int(1.3 / VOXEL) + 1
    middle = np.rint(-band.origin / VOXEL).astype(int)
    steps = np.stack(np.meshgrid(*[np.arange(-side, side)] * 3, indexing="ij"), axis=-1).reshape(-1, 3) + middle
    near = np.abs(hollow_distance(band.origin + (steps + 0.5) * VOXEL)) < HALF_WIDTH - 0.1
    assert {tuple(each) for each in (steps[near] // BRICK_SIZE * BRICK_SIZE)[:, ::-1].tolist()} <= corner


@pytest.mark.parametrize("half_width", [1.0, 2.0, 5.0])
def test_bands_of_other_widths(half_width):
    band = carve(BALL, ([[0, 0, 0]], [HOLE]), VOXEL, half_width=half_width).band
    true = np.clip(hollow_distance(centres(band)), -half_width, half_width)
    assert np.abs(in_voxels(band) - true).max() < 0.08 * half_width
    assert (np.abs(in_voxels(band)).min(axis=1) < half_width).all()
    # The field knows primitives as far as REACH, whatever the width.
    true = np.abs(hollow_distance(centres(band)))
    assert (band.primitive[true < REACH - 0.05] != NO_PRIMITIVE).all()
    assert (band.primitive[true > REACH + 0.05] == NO_PRIMITIVE).all()


def test_a_band_may_leave_the_grid():
    """The box fills its grid but for two voxels."""
    band = carve(box(), ([[0, 0, 0]], [HOLE]), 2 / 12, half_width=HALF_WIDTH).band
    assert band.corners.min() < 0
    outer = np.abs(centres(band)).max(axis=-1) / band.voxel_size
    assert outer[np.abs(in_voxels(band)) < HALF_WIDTH].max() > 6 + 2.4


def test_warp_gives_the_same_band(hollow):
    pytest.importorskip("warp")
    from voxel_carve.compute.engines.warp.backend import WarpBackend

    band = carve(BALL, ([[0, 0, 0]], [HOLE]), VOXEL, half_width=HALF_WIDTH, backend=WarpBackend("cpu")).band
    assert np.array_equal(band.corners, hollow.band.corners)
    assert in_voxels(band) == pytest.approx(in_voxels(hollow.band), abs=1e-4)


def test_the_band_is_that_of_the_last_step(hollow):
    """A larger ball taken out, and all of it but the hollow put back."""
    paths = [Path([[0, 0, 0]], 0.7), Path([[0, 0, 0]], 0.6)]
    band = carve(BALL, paths, VOXEL, operation=["subtract", "union"], half_width=HALF_WIDTH, tolerance=VOXEL / 20).band
    off = np.linalg.norm(centres(band), axis=-1)
    true = np.minimum(np.maximum(off - RADIUS, 0.7 - off), off - 0.6) / VOXEL
    assert np.array_equal(band.distance[np.abs(true) > 0.05] <= 0, true[np.abs(true) > 0.05] <= 0)


def test_a_wrong_width_is_named():
    with pytest.raises(InputError, match="half_width 9: it is in voxels, from 1 to 8; or 0 for no narrow band"):
        carve(BALL, ([[0, 0, 0]], [HOLE]), VOXEL, half_width=9)


def test_no_band_without_a_width(tmp_path):
    result = carve(BALL, ([[0, 0, 0]], [HOLE]), VOXEL)
    assert result.band is None
    with pytest.raises(InputError, match="a volume needs the narrow band: carve with half_width=3"):
        result.save(tmp_path / "ball.vdb")


def test_a_level_set_holds_the_band(hollow, tmp_path, openvdb):
    hollow.save(tmp_path / "ball.vdb")
    grid = openvdb.read(str(tmp_path / "ball.vdb"), "surface")
    assert (grid.gridClass, grid.valueTypeName) == (openvdb.GridClass.LEVEL_SET, "float")
    assert grid.background == pytest.approx(HALF_WIDTH * VOXEL)
    assert grid.transform.voxelSize() == pytest.approx((VOXEL,) * 3)
    assert grid.activeVoxelCount() == (np.abs(in_voxels(hollow.band)) < HALF_WIDTH).sum()
    side = 26
    values = np.empty((2 * side,) * 3, dtype=np.float32)
    start = tuple(round(each) - side for each in grid.transform.worldToIndex((0.0, 0.0, 0.0)))
    grid.copyToArray(values, start)
    index = np.stack(np.meshgrid(*[np.arange(2 * side)] * 3, indexing="ij"), axis=-1) + start
    place = np.array(grid.transform.indexToWorld((0, 0, 0))) + index * VOXEL
    true = np.clip(hollow_distance(place), -HALF_WIDTH, HALF_WIDTH)
    assert np.abs(values / VOXEL - true).max() < 1.3 * VOXEL / HOLE  # inside, in the hollow, and outside
    assert {path.name for path in tmp_path.iterdir()} == {"ball.vdb"}


@pytest.mark.usefixtures("openvdb")
def test_a_process_with_blender_writes_level_sets(tmp_path):
    """Importing bpy puts another bpy into the path."""
    pytest.importorskip("bpy")
    script = """
import sys
import bpy
from pathlib import Path
from tests.shapes import sphere
from voxel_carve.compute import carve
from voxel_carve.process import skip_destructors
skip_destructors()
carve(sphere(1.0), ([[0, 0, 0]], [0.5]), 0.1, half_width=3).save(sys.argv[1])
"""
    done = subprocess.run(
        [sys.executable, "-c", script, tmp_path / "ball.vdb"], capture_output=True, text=True, check=False, timeout=300
    )
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "ball.vdb").stat().st_size > 1000


def test_cancelling(hollow):
    told = []

    def stop(stage, fraction):
        told.append(fraction)
        if len(told) > 1 and fraction > 0.9:
            raise CarveCancelled

    with pytest.raises(CarveCancelled):
        carve(BALL, ([[0, 0, 0]], [HOLE]), VOXEL, half_width=HALF_WIDTH, progress=stop)
    assert told == sorted(told)
    assert get_backend("cpu")
