"""The end of a script while its threads carve: Python waits for plain threads, and daemon threads stop without harm."""

import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]

START = """
import sys, threading, time
import numpy as np
from voxel_carve.compute import Sweep, TriMesh, carve, keep_stock, sweep_distance

stock = TriMesh.box(np.zeros(3), np.array([4.0, 3.0, 2.0]))
path = (np.array([[1.0, 1.5, 2.0], [3.0, 1.5, 2.0]]), 0.5)
"""
# Kernels as well as numpy's C++, all the time: without our code, nine of ten such processes are aborted.
DAEMON = (
    """
import atexit
atexit.register(lambda: print(len(at_work())))  # after ours, which is registered later
"""
    + START
    + """
from voxel_carve.compute.runtime.threads import in_runs

def at_work():
    stacks = [list(outward(frame)) for frame in sys._current_frames().values()]
    jobs = [stack for stack in stacks if any(frame.f_code is job.__code__ for frame in stack)]
    return [stack for stack in jobs if any("voxel_carve" in frame.f_globals["__name__"] for frame in stack)]

def outward(frame):
    while frame is not None:
        yield frame
        frame = frame.f_back

points = np.random.default_rng(1).random((10000, 3))
numbers, begun = np.arange(20000) % 50, threading.Event()

def sort(start, stop):
    begun.set()
    np.unique(numbers)

def job():
    while True:
        WORK

threading.Thread(target=job, daemon=True).start()
begun.wait()
"""
)


def run(script, folder):
    return subprocess.run(
        [sys.executable, "-c", script],
        cwd=folder,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


def test_a_carve_in_a_plain_thread_outlives_the_script(tmp_path):
    script = (
        START
        + """
def job():
    time.sleep(0.3)  # the main thread has ended
    result = carve(stock, path, resolution=96, backend="cpu")
    result.save("carved.ply")
    print(result.report.closed)

threading.Thread(target=job).start()
"""
    )
    done = run(script, tmp_path)
    assert (done.stdout, done.stderr, done.returncode) == ("True\n", "", 0)
    assert (tmp_path / "carved.ply").stat().st_size > 10_000


@pytest.mark.skipif(find_spec("manifold3d") is None, reason="needs manifold3d")
def test_so_does_one_that_keeps_the_stock(tmp_path):
    script = (
        START
        + """
def job():
    time.sleep(0.3)
    print(keep_stock(stock, Sweep.of(path), 4 / 64, backend="cpu").report.result)

threading.Thread(target=job).start()
"""
    )
    done = run(script, tmp_path)
    assert (done.stdout, done.stderr, done.returncode) == ("keep\n", "", 0)


@pytest.mark.parametrize(
    "work",
    [
        "in_runs(sort, 100000, 1)",
        "begun.set(); carve(stock, path, resolution=64, backend='cpu')",
        "begun.set(); sweep_distance(points, path)",
    ],
    ids=["runs", "carve", "distance"],
)
def test_daemon_threads_stop_before_python_ends(work, tmp_path):
    for _ in range(3):
        done = run(DAEMON.replace("WORK", work), tmp_path)
        assert (done.stdout, done.stderr, done.returncode) == ("0\n", "", 0)


def test_work_at_exit_is_still_done(tmp_path):
    """Handlers that were registered before ours run after it."""
    script = (
        """
import atexit
atexit.register(lambda: print(carve(stock, path, resolution=48, backend="cpu").report.closed))
"""
        + START
    )
    done = run(script, tmp_path)
    assert (done.stdout, done.stderr, done.returncode) == ("True\n", "", 0)


def test_the_exit_does_not_wait_for_a_listener_that_never_returns(tmp_path):
    script = (
        START
        + """
begun = threading.Event()

def listen(stage, fraction):
    begun.set()
    threading.Event().wait()

threading.Thread(target=carve, args=(stock, path, 0.1), kwargs={"progress": listen}, daemon=True).start()
begun.wait()
"""
    )
    assert run(script, tmp_path).returncode == 0
