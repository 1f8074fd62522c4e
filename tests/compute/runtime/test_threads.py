"""Runs of work in threads: in order, and with errors let through."""

import itertools
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from tests.compute.engines.two_kernels import find_touching
from tests.shapes import box
from voxel_carve.compute import CarveCancelled, InputError, Sweep, carve
from voxel_carve.compute.engines.numba.compiler.calling import Prepared
from voxel_carve.compute.runtime import threads as thread_pool
from voxel_carve.compute.runtime.progress import reporting_to
from voxel_carve.compute.runtime.threads import in_runs, over_rows, thread_count


def assert_stopped(done):
    count = len(done)
    assert count < 100
    time.sleep(0.05)
    assert len(done) == count


def test_progress_is_called_from_the_callers_thread(monkeypatch):
    monkeypatch.setattr("voxel_carve.compute.runtime.threads.thread_count", lambda: 3)
    seen = set()
    rod = Sweep([[-2, 0.1, 0.2]], [[2, 0.3, 0.1]], [0.3], [0.2])
    carve(box(), rod, 1 / 16, backend="cpu", progress=lambda *_: seen.add(threading.current_thread()))
    assert seen == {threading.current_thread()}


@pytest.mark.parametrize("threads", [1, 4])
def test_runs_go_to_all_threads_and_their_results_come_in_order(monkeypatch, threads):
    monkeypatch.setattr("voxel_carve.compute.runtime.threads.thread_count", lambda: threads)
    barrier, scratches, seen = threading.Barrier(threads, timeout=10), itertools.count(), set()

    def square(start, stop, power, scratch):
        barrier.wait()
        seen.add((threading.current_thread().name, scratch))
        return [i**power for i in range(start, stop)]

    found = in_runs(square, 38, 5, 2, scratch=lambda: next(scratches))
    assert list(itertools.chain(*found)) == [i * i for i in range(38)]
    assert len(seen) == threads == next(scratches)
    assert thread_count() >= 1


def test_each_run_is_told_of_whoever_does_it(monkeypatch):
    told = []
    for threads in (1, 3):
        monkeypatch.setattr("voxel_carve.compute.runtime.threads.thread_count", lambda threads=threads: threads)
        with reporting_to(lambda _, done: told.append(done)):
            in_runs(lambda start, stop: time.sleep(0.001), 40, 1)
    assert told == 2 * [number / 40 for number in range(40)]


def test_a_kernel_is_called_once_where_there_is_nothing():
    assert in_runs(lambda start, stop: (start, stop), 0, 5) == [(0, 0)]


@pytest.mark.parametrize("error", [CarveCancelled(), IndexError("a defect")])
@pytest.mark.parametrize("where", ["pool", "caller", "listener"])
def test_an_error_ends_all_runs(monkeypatch, where, error):
    monkeypatch.setattr("voxel_carve.compute.runtime.threads.thread_count", lambda: 3)
    caller, done = threading.current_thread(), []

    def work(start, stop):
        done.append(start)
        time.sleep(0.001)
        if len(done) > 4 and where == ("caller" if threading.current_thread() is caller else "pool"):
            raise error

    def hear(stage, fraction):
        assert threading.current_thread() is caller
        if where == "listener" and len(done) > 4:
            raise error

    with pytest.raises(type(error)), reporting_to(hear):
        in_runs(work, 100_000, 1)
    assert_stopped(done)


def test_a_thread_that_cannot_be_had_ends_all_runs(monkeypatch):
    monkeypatch.setattr("voxel_carve.compute.runtime.threads.thread_count", lambda: 3)
    given, done = thread_pool._submitted, []

    def refuse(*asked):
        if len(done) > 4:
            raise InputError("no more threads")
        future = given(*asked)
        while len(done) <= 4:
            time.sleep(0.001)
        return future

    monkeypatch.setattr(thread_pool, "_submitted", refuse)
    with pytest.raises(InputError, match="no more threads"):
        in_runs(lambda start, stop: (done.append(start), time.sleep(0.001)), 100_000, 1)
    assert_stopped(done)


def quads_of(count):
    """Quads of 50 vertices, and some of these."""
    rng = np.random.default_rng(count)
    return rng.integers(0, 50, (count, 4), dtype=np.int32), rng.random(50) < 0.1


@pytest.mark.parametrize("threads", [1, 4])
@pytest.mark.parametrize(("count", "size"), [(0, 5), (1, 5), (5, 5), (6, 5), (1000, 1), (1000, 7)])
def test_a_compiled_kernel_goes_over_all_rows_by_itself(monkeypatch, threads, count, size):
    monkeypatch.setattr("voxel_carve.compute.runtime.threads.thread_count", lambda: threads)
    quads, chosen = quads_of(count)
    found, told = np.ones(count, dtype=bool), []
    find_touching(0, 0, quads, chosen, found)  # loaded before
    with reporting_to(lambda _, done: told.append(done)):
        over_rows(find_touching, count, size, quads, chosen, found)
    assert np.array_equal(found, chosen[quads].any(axis=1))
    runs = max(1, -(-count // size))
    assert told == [number / runs for number in range(runs)]


def test_a_python_function_goes_over_rows_as_in_runs():
    done = []
    over_rows(lambda start, stop, more: done.append((start, stop, more)), 12, 5, 7)
    assert sorted(done) == [(0, 5, 7), (5, 10, 7), (10, 12, 7)]


@pytest.mark.parametrize("where", ["pool", "caller", "listener"])
def test_an_error_ends_the_runs_of_a_compiled_kernel(monkeypatch, where):
    threads = 1 if where == "caller" else 3  # of several, others may take all runs
    monkeypatch.setattr("voxel_carve.compute.runtime.threads.thread_count", lambda: threads)
    caller, going_over = threading.current_thread(), Prepared.over_rows

    def go_over(self, rows, most):
        if where == ("caller" if threading.current_thread() is caller else "pool"):
            raise CarveCancelled
        going_over(self, rows, most)

    def hear(stage, fraction):
        if where == "listener":
            raise CarveCancelled

    monkeypatch.setattr(Prepared, "over_rows", go_over)
    count = 10_000_000
    quads, found = np.zeros((count, 4), dtype=np.int32), np.ones(count, dtype=bool)
    with pytest.raises(CarveCancelled), reporting_to(hear):
        over_rows(find_touching, count, 1, quads, np.zeros(1, dtype=bool), found)
    left = found.sum()
    assert left > 0
    time.sleep(0.05)
    assert found.sum() == left


def test_runs_within_runs_of_the_pool_stay_in_their_thread(monkeypatch):
    monkeypatch.setattr("voxel_carve.compute.runtime.threads.thread_count", lambda: 2)
    caller, barrier = threading.current_thread(), threading.Barrier(2, timeout=10)

    def inner(start, stop):
        return threading.current_thread()

    def outer(start, stop):
        barrier.wait()
        return threading.current_thread(), in_runs(inner, 5, 1)

    found = in_runs(outer, 6, 1)
    assert {thread is caller for thread, _ in found} == {True, False}
    for thread, others in found:
        assert thread is caller or others == [thread] * 5


def test_jobs_share_the_pool(monkeypatch):
    """More at once than it has threads, each in runs within runs."""
    monkeypatch.setattr("voxel_carve.compute.runtime.threads.thread_count", lambda: 2)
    before = threading.active_count()

    def job(number):
        runs = [sum(found) for found in in_runs(lambda *_: in_runs(lambda start, stop: start, 30, 3), 20, 1)]
        return runs, in_runs(lambda start, stop: start * number, 50, 1)

    with ThreadPoolExecutor(5) as jobs:
        for number, (runs, found) in enumerate(jobs.map(job, range(20))):
            assert runs == [135] * 20
            assert found == [start * number for start in range(50)]
    assert threading.active_count() <= before + 2


@pytest.mark.skipif(sys.platform == "win32", reason="Windows does not fork")
def test_a_system_without_threads_is_told_of(monkeypatch):
    def refused(*_):
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(threading.Thread, "start", refused)
    monkeypatch.setattr("voxel_carve.compute.runtime.threads.thread_count", lambda: 7)  # a pool of its own
    with pytest.raises(InputError, match="can't start new thread: let this user"):
        in_runs(lambda start, stop: start, 10, 1)


def test_a_fork_and_the_end_of_the_process_wait_for_nobody():
    script = """
import os, warnings
from voxel_carve.compute.runtime import threads
threads.thread_count = lambda: 3
warnings.simplefilter("ignore", DeprecationWarning)
def work():
    assert threads.in_runs(lambda start, stop: start, 50, 1) == list(range(50))
work()
child = os.fork()
work()
if child:
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    print("both")
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, timeout=60)
    assert done.stdout == "both\n"
