"""Sweeps combined with a stored occupancy on workers: what a session does, from wherever a run was left."""

import json

import numpy as np
import pytest

from tests.farm.processes import scheduler, worker
from voxel_carve import distributed
from voxel_carve.compute import CarveCancelled, CarveSession, Grid, InputError, Path
from voxel_carve.distributed.cluster import connected

pytest.importorskip("resource", reason="signals and processes of another kind")  # on Windows

pytestmark = pytest.mark.distributed

SHAPE, CHUNKS = (120, 48, 40), (16, 24, 40)
GRID = Grid(np.array([1.0, 2.0, 3.0]), 0.5, SHAPE)


def sweeps():
    random = np.random.default_rng(3)

    def path(count, radius):
        return Path(random.uniform([1, 2, 3], [21, 26, 63], (count, 3)), np.full(count, radius))

    return [("subtract", path(30, 1.5)), ("union", path(10, 0.8)), ("difference", path(20, 0.7))]


def start_voxels():
    voxels = np.ones(SHAPE, dtype=bool)
    voxels[:, ::5] = False
    return voxels


def expected():
    voxels = start_voxels()
    with CarveSession(voxels, GRID) as session:
        for operation, path in sweeps():
            session.queue(operation, path)
    return voxels, session.removed


def stored(folder, kind, name="voxels"):
    """The file of an occupancy, and what reads it."""
    if kind == "npy":
        np.save(folder / f"{name}.npy", start_voxels())
        return folder / f"{name}.npy", lambda: np.load(folder / f"{name}.npy")
    import zarr

    array = zarr.create_array(folder / f"{name}.zarr", shape=SHAPE, chunks=CHUNKS, dtype="bool")
    array[:] = start_voxels()
    return folder / f"{name}.zarr", lambda: zarr.open_array(folder / f"{name}.zarr", mode="r")[:]


@pytest.fixture(scope="module")
def client():
    with connected("2", None) as cluster:
        yield cluster.client


@pytest.mark.parametrize("kind", ["zarr", "npy"])
def test_in_place_it_is_what_a_session_does(tmp_path, client, kind):
    file, read = stored(tmp_path, kind)
    voxels, removed = expected()
    assert distributed.combine(file, GRID, sweeps(), client=client) == removed
    assert np.array_equal(read(), voxels)
    assert [entry.name for entry in tmp_path.iterdir()] == [file.name]


@pytest.mark.parametrize("kind", ["zarr", "npy"])
def test_into_another_array_the_first_stays(tmp_path, client, kind):
    file, read = stored(tmp_path, kind)
    target, read_target = stored(tmp_path, kind, "result")
    voxels, removed = expected()
    assert distributed.combine(file, GRID, sweeps(), client=client, target=target) == removed
    assert np.array_equal(read_target(), voxels)
    assert np.array_equal(read(), start_voxels())


def test_a_second_run_goes_on_where_the_first_was_left(tmp_path, client):
    file, read = stored(tmp_path, "zarr")
    note = tmp_path / "voxels.zarr.carved.json"

    def stops(stage, fraction):
        if fraction > 0.4:
            raise CarveCancelled

    with pytest.raises(CarveCancelled):
        distributed.combine(file, GRID, sweeps(), client=client, progress=stops)
    done = json.loads(note.read_text())["removed"]
    assert 0 < len(done) < -(-SHAPE[0] // CHUNKS[0])
    assert not np.array_equal(read(), expected()[0])
    seen = []
    removed = distributed.combine(file, GRID, sweeps(), client=client, progress=lambda _, part: seen.append(part))
    voxels, whole = expected()
    assert np.array_equal(read(), voxels)
    # Layers that were written and not noted yet count as unchanged: all others as in one run.
    assert seen[0] >= len(done) / -(-SHAPE[0] // CHUNKS[0])
    assert all(0 <= abs(count) <= abs(most) for count, most in zip(removed, whole, strict=True))
    assert not note.exists()


def test_another_job_begins_anew(tmp_path, client):
    file, read = stored(tmp_path, "npy")
    note = tmp_path / "voxels.npy.carved.json"
    note.write_text(json.dumps({"job": "of another", "removed": {"0": [1, 2, 3], "64": [1, 2, 3]}}))
    voxels, removed = expected()
    assert distributed.combine(file, GRID, sweeps(), client=client) == removed
    assert np.array_equal(read(), voxels)


def test_layers_of_a_lost_worker_are_done_by_another(tmp_path):
    from distributed import Client

    file, read = stored(tmp_path, "zarr")
    with (
        scheduler(tmp_path) as (address, _),
        worker(address, tmp_path) as first,
        worker(address, tmp_path),
        Client(address, set_as_default=False) as client,
    ):
        client.wait_for_workers(2)

        def progress(stage, fraction):
            if fraction > 0.1 and first.poll() is None:
                first.kill()

        distributed.combine(file, GRID, sweeps(), client=client, progress=progress)
    assert first.poll() is not None
    assert np.array_equal(read(), expected()[0])


def test_what_is_refused(tmp_path, client):
    file, _ = stored(tmp_path, "zarr")
    with pytest.raises(InputError, match="has the shape 120 x 48 x 40, and the grid has 8 x 8 x 8"):
        distributed.combine(file, Grid(np.zeros(3), 1.0, (8, 8, 8)), sweeps(), client=client)
    with pytest.raises(InputError, match=r"is no array of Zarr and no \.npy"):
        distributed.combine(tmp_path / "nothing.npy", GRID, sweeps(), client=client)
    with pytest.raises(InputError, match="unknown operation"):
        distributed.combine(file, GRID, [("bore", sweeps()[0][1])], client=client)
