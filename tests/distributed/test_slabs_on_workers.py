"""One job in slabs: on workers of Dask, and by the command line."""

import json
import logging
import os
import signal
import time
from contextlib import contextmanager

import numpy as np
import pytest
import trimesh

from benchmarks import cases
from tests.command_line import run, start, write_input
from tests.compute.slabs.test_carve_in_slabs import BAR, RESOLUTION, same, tangle, without_lid
from tests.farm.processes import children, is_alive, scheduler, started, wait_for, worker
from voxel_carve import distributed
from voxel_carve.compute import CarveCancelled, InputError, MemoryLimitError, carve
from voxel_carve.distributed.cluster import connected
from voxel_carve.distributed.watch import LostSchedulerError

pytest.importorskip("resource", reason="signals and processes of another kind")  # on Windows

SINGLE = ["--stock", "bar.stl", "--path", "path.csv", "--resolution", RESOLUTION, "--output", "out.ply"]


@pytest.fixture
def folder(tmp_path):
    """A folder with a long stock and a tangle in it."""
    write_input(tmp_path)
    trimesh.Trimesh(BAR.points, BAR.triangles).export(tmp_path / "bar.stl")
    path = tangle()
    lines = [f"{x},{y},{z},{r}" for (x, y, z), r in zip(path.points, path.radii, strict=True)]
    (tmp_path / "path.csv").write_text("\n".join(["x,y,z,radius", *lines]))
    return tmp_path


@contextmanager
def client_of(address):
    from distributed import Client

    with Client(address, set_as_default=False) as client:
        yield client


def read(file):
    mesh = trimesh.load(file, process=False)
    return mesh.vertices, mesh.faces


def test_two_workers_and_one_process_give_the_same_bytes(folder):
    alone = run([*SINGLE, "--report", "alone.json"], folder)
    assert alone.status == 0
    vertices, faces = read(folder / "out.ply")
    (folder / "out.ply").unlink()
    done = run([*SINGLE, "--out-of-core", "--report", "slabs.json"], folder)
    assert (done.status, done.err) == (0, "")
    here = (folder / "out.ply").read_bytes()
    (folder / "out.ply").unlink()
    done = start([*SINGLE, "--workers", 2, "--report", "workers.json"], folder)
    assert (done.status, done.err) == (0, "")
    assert (folder / "out.ply").read_bytes() == here
    found = read(folder / "out.ply")
    assert np.array_equal(found[1], faces)
    assert np.allclose(found[0], vertices, atol=1e-5)  # a .ply of one piece has single precision
    reports = [json.loads((folder / f"{name}.json").read_text()) for name in ("alone", "slabs", "workers")]
    assert [report["counts"].get("slabs") for report in reports] == [None, 1, 2]
    for name in ("volume", "removed_volume"):
        assert np.ptp([report[name] for report in reports]) < 1e-8
    assert sorted(os.listdir(folder)) == sorted(
        ["alone.json", "bar.stl", "box.stl", "out.ply", "path.csv", "slabs.json", "tool.csv", "workers.json"]
    )


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (["--result", "keep"], "cannot have Keep Stock"),
        (["--verify"], "cannot have --verify"),
        (["--adaptivity", "0.5"], "cannot have fewer faces"),
        (["--output", "out.stl"], "cannot have .stl"),
        (["--stock", "box.stl"], "cannot have several stocks"),
        (["--workers", "2"], "--out-of-core is for this process"),
    ],
)
def test_what_slabs_cannot_have_is_refused(folder, more, message):
    done = run([*SINGLE, "--out-of-core", *more], folder)
    assert (done.status, done.err.count("\n")) == (2, 1)
    assert message in done.err
    assert not list(folder.glob("out.*"))


@pytest.mark.distributed
def test_all_standard_cases_and_an_open_stock(tmp_path):
    path = tangle()
    jobs = [(BAR, path, RESOLUTION), (without_lid(BAR), path, RESOLUTION)]
    for name in ("W1-1000", "W2-500", "W3-2000", "S1-12", "B1-1"):
        case = cases.make(name)
        jobs.append((case.stock, case.path, 128))
    with connected("2", None) as cluster:
        for number, (stock, path, resolution) in enumerate(jobs):
            whole = carve(stock, path, resolution=resolution)
            for slabs in (1, 2, 3, 7):
                result = distributed.carve(
                    stock,
                    path,
                    resolution=resolution,
                    folder=tmp_path / f"{number}-{slabs}",
                    client=cluster.client,
                    slabs=slabs,
                )
                assert len(result.files) == slabs
                assert same(result.surface(), whole.surface)
                assert result.report.removed_volume == pytest.approx(whole.report.removed_volume, abs=1e-6)
                assert result.report.warnings == whole.report.warnings


@pytest.mark.distributed
def test_the_slab_of_a_lost_worker_is_made_by_another(tmp_path):
    whole = carve(BAR, tangle(), resolution=RESOLUTION)
    with (
        scheduler(tmp_path) as (address, _),
        worker(address, tmp_path) as first,
        worker(address, tmp_path),
        client_of(address) as client,
    ):
        client.wait_for_workers(2)

        def progress(stage, fraction):
            if fraction > 0.3 and first.poll() is None:
                first.kill()

        result = distributed.carve(
            BAR,
            tangle(),
            resolution=RESOLUTION,
            folder=tmp_path / "parts",
            client=client,
            slabs=6,
            progress=progress,
        )
    assert first.poll() is not None
    assert same(result.surface(), whole.surface)


@pytest.mark.distributed
def test_a_worker_that_is_stopped_for_a_while_is_waited_for(tmp_path):
    whole = carve(BAR, tangle(), resolution=RESOLUTION)
    stopped = []
    with scheduler(tmp_path) as (address, _), worker(address, tmp_path) as only, client_of(address) as client:
        client.wait_for_workers(1)

        def progress(stage, fraction):
            if fraction > 0.3 and not stopped:
                stopped.append(time.monotonic())
                only.send_signal(signal.SIGSTOP)
            elif stopped and time.monotonic() > stopped[0] + 5:
                only.send_signal(signal.SIGCONT)

        result = distributed.carve(
            BAR, tangle(), resolution=RESOLUTION, folder=tmp_path / "parts", client=client, slabs=4, progress=progress
        )
    assert stopped
    assert same(result.surface(), whole.surface)


@pytest.mark.distributed
def test_a_scheduler_that_goes_away_is_told(tmp_path):
    with scheduler(tmp_path) as (address, scheduling), worker(address, tmp_path), client_of(address) as client:
        client.wait_for_workers(1)

        def progress(stage, fraction):
            if fraction > 0.3:
                scheduling.kill()

        with pytest.raises(LostSchedulerError, match="went away: start it again, and carve again"):
            distributed.carve(
                BAR,
                tangle(),
                resolution=RESOLUTION,
                folder=tmp_path / "parts",
                client=client,
                slabs=6,
                progress=progress,
            )
    assert all(file.suffix == ".npz" for file in (tmp_path / "parts").iterdir())


@pytest.mark.distributed
def test_a_slab_that_takes_more_than_its_worker_may_is_made_thinner_or_refused(tmp_path):
    whole = carve(BAR, tangle(150), resolution=RESOLUTION)
    with connected("1", None) as cluster:
        common = {"resolution": RESOLUTION, "client": cluster.client}
        result = distributed.carve(BAR, tangle(150), folder=tmp_path / "thin", memory_limit=30 << 20, **common)
        assert len(result.files) > 1
        assert same(result.surface(), whole.surface)
        with pytest.raises(MemoryLimitError, match="even the thinnest slab needs about"):
            distributed.carve(BAR, tangle(150), folder=tmp_path / "none", memory_limit=5 << 20, **common)


def keep(seconds):
    from voxel_carve.distributed import kept_stock

    kept_stock.KEPT_SECONDS = seconds


def kept():
    from voxel_carve.distributed import kept_stock

    return kept_stock.kept_count()


def environment():
    return {name: os.environ.get(name) for name in ("MALLOC_TRIM_THRESHOLD_", "OMP_NUM_THREADS")}


@pytest.mark.distributed
def test_workers_keep_freed_memory_and_take_no_threads_for_matrices():
    with connected("1", None) as cluster:
        (found,) = cluster.client.run(environment).values()
    assert found == {"MALLOC_TRIM_THRESHOLD_": None, "OMP_NUM_THREADS": "1"}


@pytest.mark.distributed
def test_a_worker_keeps_a_stock_for_a_while_and_not_for_ever(tmp_path):
    with connected("1", None) as cluster:
        client = cluster.client
        distributed.carve(BAR, tangle(5), resolution=100, folder=tmp_path / "first", client=client, slabs=2)
        assert list(client.run(kept).values()) == [1]
        client.run(keep, 0.1)
        distributed.carve(BAR, tangle(5), resolution=100, folder=tmp_path / "other", client=client, slabs=2)
        wait_for(lambda: list(client.run(kept).values()) == [0])


@contextmanager
def one_worker(memory_limit):
    from distributed import Client, LocalCluster

    with (
        LocalCluster(
            n_workers=1,
            threads_per_worker=1,
            host="127.0.0.1",
            dashboard_address=None,
            memory_limit=memory_limit,
            silence_logs=logging.CRITICAL,
        ) as cluster,
        Client(cluster, set_as_default=False) as client,
    ):
        yield cluster, client


@pytest.mark.distributed
def test_a_slab_is_not_begun_where_dask_would_end_its_worker(tmp_path):
    with one_worker("190MB") as (_, client), pytest.raises(MemoryLimitError, match="may take"):
        distributed.carve(BAR, tangle(150), resolution=RESOLUTION, folder=tmp_path / "parts", client=client)


@pytest.mark.distributed
def test_a_worker_that_is_ended_again_and_again_is_told(tmp_path):
    """As Dask's nanny does at its limit of memory."""
    ended = set()
    with one_worker("4GB") as (cluster, client):

        def progress(stage, fraction):
            if fraction >= 0.1 and any(key.endswith("-0-46") for keys in client.processing().values() for key in keys):
                process = cluster.workers[0].process
                if process is not None and process.pid and process.pid not in ended:
                    ended.add(process.pid)
                    os.kill(process.pid, signal.SIGKILL)

        with pytest.raises(InputError, match="was lost 4 times: it may need more memory than there is"):
            distributed.carve(
                BAR, tangle(150), resolution=RESOLUTION, folder=tmp_path / "parts", client=client, progress=progress
            )
    assert len(ended) >= 4


@pytest.mark.distributed
def test_cancelling_ends_what_workers_do(tmp_path):
    with connected("2", None) as cluster:

        def progress(stage, fraction):
            if fraction > 0.3:
                raise CarveCancelled

        with pytest.raises(CarveCancelled):
            distributed.carve(
                BAR,
                tangle(),
                resolution=RESOLUTION,
                folder=tmp_path / "parts",
                client=cluster.client,
                slabs=6,
                progress=progress,
            )
        wait_for(lambda: not any(cluster.client.processing().values()))
        result = distributed.carve(BAR, tangle(20), resolution=120, folder=tmp_path / "again", client=cluster.client)
    assert result.report.closed


@pytest.mark.distributed
def test_ctrl_c_leaves_nothing_behind(folder):
    before = sorted(os.listdir(folder))
    process = started([*SINGLE, "--workers", 2], folder)
    wait_for(lambda: list(folder.glob(".out-parts-*/parts")))
    beside = children(process.pid)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert err.endswith("voxel_carve: interrupted: no half output was left behind\n")
    assert sorted(os.listdir(folder)) == before
    wait_for(lambda: not any(is_alive(number) for number in beside))
