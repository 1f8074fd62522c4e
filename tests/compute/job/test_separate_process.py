"""A carve in a process of its own gives what it gives here, and its end is told whatever it is."""

import os
import signal
from dataclasses import replace
from pathlib import Path as File

import numpy as np
import pytest

from tests.shapes import box, hemisphere
from voxel_carve.compute import (
    CarveCall,
    CarveCancelled,
    CarveError,
    EmptyResultError,
    InputError,
    MemoryLimitError,
    Path,
    Sweep,
    run_apart,
)

FAR = Sweep.from_paths([Path(np.full((1, 3), 9.0), np.array(0.1))])
ROD = Sweep.from_paths([Path(np.array([[-2.0, 0, 0], [2, 0, 0]]), np.array(0.5))])
CALL = CarveCall(box(), ROD, 0.125, "subtract", 0.0, None, "cpu", None)


def silent(stage, fraction):
    """Nobody listens."""


def children():
    """The processes that this one has started and not taken leave of."""
    return File(f"/proc/self/task/{os.getpid()}/children").read_text().split()


def jobs():
    """Those that carve: kernels may be compiled in others."""
    return [child for child in children() if b".separate_process" in File(f"/proc/{child}/cmdline").read_bytes()]


@pytest.mark.parametrize(
    "call",
    [
        CALL,
        replace(CALL, operation="union", verify=True),
        replace(CALL, stock=hemisphere()),
        replace(CALL, kind="keep"),
    ],
)
def test_the_result_is_the_same_as_here(call):
    told_here: list[tuple[str, float]] = []
    told_there: list[tuple[str, float]] = []
    here = call.run(lambda *told: told_here.append(told))
    there = run_apart(call, lambda *told: told_there.append(told))
    np.testing.assert_array_equal(there.surface.points, here.surface.points)
    np.testing.assert_array_equal(there.surface.faces, here.surface.faces)
    np.testing.assert_array_equal(there.surface.primitive, here.surface.primitive)
    timeless = {"seconds": {}, "memory_before_mb": 0.0, "peak_memory_mb": 0.0}
    assert replace(there.report, **timeless) == replace(here.report, **timeless)
    fractions = [fraction for _, fraction in told_here]
    assert fractions == sorted(fractions) and fractions[-1] == 1
    # Said again and again while nothing new is heard. This process has loaded its kernels already, if other tests ran.
    assert told_there[0] == ("Start", 0.0)
    apart, together = ([each for each in told if each[0] != "Start"] for told in (told_there, told_here))
    assert list(dict.fromkeys(apart)) == list(dict.fromkeys(together))


@pytest.mark.parametrize(
    ("change", "kind", "message"),
    [
        ({"voxel_size": 50.0}, InputError, "larger than 'box'"),
        ({"memory_limit": 1000}, MemoryLimitError, "and may take"),
        ({"operation": "intersect", "sweep": FAR}, EmptyResultError, "the paths do not reach it"),
    ],
)
def test_what_is_refused_there_is_refused_here(change, kind, message):
    with pytest.raises(kind, match=message):
        run_apart(replace(CALL, **change), silent)


@pytest.mark.skipif(not File("/proc/self/task").exists(), reason="asks Linux which processes there are")
def test_a_cancelled_job_leaves_no_process():
    seen = []

    def cancel(stage, fraction):
        if stage == "Combine":
            seen.extend(jobs())
            raise CarveCancelled

    with pytest.raises(CarveCancelled):
        run_apart(replace(CALL, voxel_size=0.01), cancel)
    assert len(seen) == 1 and seen[0] not in children()


@pytest.mark.skipif(not File("/proc/self/task").exists(), reason="asks Linux which processes there are")
def test_a_process_that_is_killed_is_no_end_of_this_one():
    seen = []

    def kill(stage, fraction):
        if stage == "Combine" and not seen:
            seen.extend(jobs())
            os.kill(int(seen[0]), signal.SIGKILL)

    with pytest.raises(CarveError, match="ended with status -9, perhaps for want of memory"):
        run_apart(replace(CALL, voxel_size=0.01), kill)
    assert len(seen) == 1 and seen[0] not in children()
