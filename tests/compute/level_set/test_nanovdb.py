"""NanoVDB, written and read by numpy alone, against Warp's own reading, writing and sampling."""

import numpy as np
import pytest

from voxel_carve.compute import Grid, InputError, SparseField

VOXEL = 0.25
SHAPE = (40, 48, 56)


def hollow(points):
    """The signed distance from a thick shell, whose inside holds whole bricks."""
    off = np.linalg.norm(points - [1.0, 0.5, -2.0], axis=-1)
    return np.maximum(off - 4.5, 1.0 - off)


@pytest.fixture(scope="module")
def field():
    """Some bricks have negative places, so that the tree has several roots' children."""
    grid = Grid([1.0 - 7, 0.5 - 6, -2.0 - 5], VOXEL, SHAPE)
    made = SparseField.from_dense(hollow(centres_of(grid)), grid)
    far = np.array([16, -24, 8])
    return SparseField(made.origin - far[::-1] * VOXEL, VOXEL, 3.0, made.corners + far, made.distance)


def centres_of(grid):
    return grid.centres(np.stack(np.meshgrid(*map(np.arange, grid.shape), indexing="ij"), axis=-1))


def test_what_was_written_is_read(field):
    back = SparseField.from_nanovdb(field.to_nanovdb())
    assert np.array_equal(back.corners, field.corners)
    assert np.array_equal(back.distance, field.distance)
    assert back.origin == pytest.approx(field.origin, abs=1e-12)
    assert (back.voxel_size, back.half_width) == (VOXEL, 3.0)


def test_warp_reads_what_was_written(field):
    wp = pytest.importorskip("warp")
    volume = wp.Volume.load_from_nvdb(field.to_nanovdb(), device="cpu")
    info = volume.get_grid_info()
    assert (info.name, info.type_str, volume.get_tile_count()) == ("surface", "float", len(field.corners))
    assert volume.get_voxel_size() == (VOXEL,) * 3
    assert tuple(info.translation) == pytest.approx(tuple(field.origin + VOXEL / 2))
    tiles = {tuple(each) for each in volume.get_tiles().numpy().tolist()}
    assert tiles == {(x, y, z) for z, y, x in field.corners.tolist()}


@pytest.mark.parametrize("codec", ["none", "zip"])
def test_what_warp_writes_is_read(field, codec, tmp_path):
    wp = pytest.importorskip("warp")
    volume = wp.Volume.load_from_nvdb(field.to_nanovdb(), device="cpu")
    volume.save_to_nvdb(tmp_path / "shell.nvdb", codec=codec)
    for data in ((tmp_path / "shell.nvdb").read_bytes(), volume.array(), volume.array().numpy()):
        assert np.array_equal(SparseField.from_nanovdb(data).distance, field.distance)


@pytest.mark.slow  # Warp compiles for half a minute
def test_warp_samples_what_was_written(field):
    wp = pytest.importorskip("warp")
    from tests.compute.level_set.volume_kernel import sample_volume

    points = np.random.default_rng(4).uniform(-7, 7, (20000, 3))
    volume = wp.Volume.load_from_nvdb(field.to_nanovdb(), device="cpu")
    found = wp.zeros(len(points), dtype=float, device="cpu")
    wp.launch(
        sample_volume, len(points), [volume.id, wp.array(points, dtype=wp.vec3, device="cpu"), found], device="cpu"
    )
    assert found.numpy() == pytest.approx(field.sample(points), abs=1e-5)
    assert np.sign(found.numpy()) == pytest.approx(np.sign(field.sample(points)))


@pytest.mark.slow  # Warp compiles for some seconds
def test_a_volume_that_warp_makes_is_read(field):
    wp = pytest.importorskip("warp")
    grid = field.grid()
    low = tuple((grid.origin + VOXEL / 2).tolist())
    dense = np.ascontiguousarray(field.to_dense().transpose(2, 1, 0))
    volume = wp.Volume.load_from_numpy(dense, low, VOXEL, float(field.background), device="cpu")
    back = SparseField.from_nanovdb(volume.array())
    assert np.array_equal(back.to_dense(grid), field.to_dense(grid))


def test_a_body_wider_than_upper_nodes_is_inside():
    """Between its ends, 4096 voxels and more without a brick."""
    wp = pytest.importorskip("warp")
    values = np.ones((2, 8, 8, 8), dtype=np.float32)
    values[0, ..., 4:], values[1, ..., :4] = -1, -1
    corners = np.array([[0, 0, 0], [0, 0, 3 * 4096]])
    bar = SparseField(np.zeros(3), 1.0, 1.5, corners, values.reshape(2, 512))
    places = [[8.5, 4, 4], [6000.0, 4, 4], [3 * 4096 - 8.0, 4, 4]]
    assert (bar.sample(places) < 0).all()
    volume = wp.Volume.load_from_nvdb(bar.to_nanovdb(), device="cpu")
    data = volume.array().numpy().tobytes()
    assert SparseField.from_nanovdb(data).sample(places) == pytest.approx([-1.5] * 3)


def test_damaged_data_is_named(field):
    whole = field.to_nanovdb()
    for data in (b"", b"NanoVDB2", b"any" * 500, whole[:500], whole[:5000], whole[:-1]):
        with pytest.raises(InputError, match="NanoVDB"):
            SparseField.from_nanovdb(data)
    rng = np.random.default_rng(5)
    for _ in range(300):
        data = bytearray(whole)
        for place in rng.integers(0, 1200, 8):
            data[place] = rng.integers(256)
        try:
            SparseField.from_nanovdb(bytes(data))
        except InputError:
            continue


def test_other_volumes_are_refused(field):
    whole = bytearray(field.to_nanovdb())
    at = len(whole) - int.from_bytes(whole[16:24], "little")  # where the grid begins
    kind = at + 636
    assert whole[kind] == 1
    whole[kind] = 2
    with pytest.raises(InputError, match="no level set: give floats whose background is above 0"):
        SparseField.from_nanovdb(bytes(whole))


def test_bricks_too_far_out_are_refused(field):
    far = SparseField(field.origin, VOXEL, 3.0, field.corners + 2**33, field.distance)
    with pytest.raises(InputError, match="NanoVDB has no coordinates for them"):
        far.to_nanovdb()
