"""What runs on a worker of Dask: one job, from options as JSON to its outcome as JSON.

Everything here is called by its name from the installed package. No function travels, only text.
"""

import json
import logging
import os
import sys
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any, cast

from ..batch import Outcome, Task, carved, failed, read_tasks, settled
from ..compute import CarveError
from ..compute.forecasts import keep_history
from ..compute.runtime import Child, Sentence, allowed_bytes, answer, child_command, core_count, limit_threads
from ..distributed.process import check, running, this_host, version
from ..jobs import Job
from ..process import Signals, begin

ENDED = Sentence("the process of the job ended with status {status}, perhaps for want of memory")
# Seconds that an interrupted process may take to remove what it has half written.
SECONDS_TO_CLEAN_UP = 10.0


def run_order(order: str) -> str:
    """Run one job.

    Args:
        order: what `scheduling.order_of` gives, as JSON.

    Returns:
        Its outcome, as `batch.outcomes` yields it, as JSON; that of a cancelled job is null.
    """
    asked = json.loads(order)
    _prepare()
    asked["jobs_here"] = asked["jobs_by_host"].get(this_host(), 1)
    with running(asked["run"]):
        try:
            return json.dumps(_outcome(asked))
        except KeyboardInterrupt:
            return json.dumps(None)


def serve() -> None:
    """The main function of a process for a job with Blender, which works on the main thread of a process alone."""
    begin()
    # What Blender prints goes nowhere, and not between our answers.
    with os.fdopen(os.dup(1), "w") as answers, suppress(KeyboardInterrupt), Signals().heard():
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        sys.stdout = answers
        _prepare()
        answer(_carved_here)


@cache
def _prepare() -> None:
    for name in ("trimesh", "ezdxf", __name__.partition(".")[0]):
        logging.getLogger(name).addHandler(logging.NullHandler())
    keep_history(True)


def _outcome(asked: Mapping[str, Any]) -> Outcome:
    task = _task(asked)
    if asked["version"] != version():
        return failed(task, f"the worker has voxel_carve {version()}, not {asked['version']}: install the same version")

    def told(*_: Any) -> None:
        check(asked["run"])

    told()
    apart = isinstance(task.job, Job) and task.job.needs_blender()
    return _carved_apart(asked, told) if apart else _carved_here(asked, told)


def _carved_here(asked: Mapping[str, Any], told: Callable[..., None]) -> Outcome:
    """Run a job on its share of the cores and of the memory of this computer."""
    limit_threads(core_count() // asked["jobs_here"])
    task = _task(asked)
    outcome = settled(task, resume=False, written=())
    if outcome is not None:
        return outcome
    assert isinstance(task.job, Job)  # else it is settled
    if task.job.memory_limit is None:
        limit = allowed_bytes(None) // asked["jobs_here"]
        task = replace(task, job=replace(task.job, memory_limit=limit))
    return carved(task, told)


def _carved_apart(asked: Mapping[str, Any], told: Callable[..., None]) -> Outcome:
    """The same in a process of its own, which ends with this one."""
    try:
        with Child(child_command(__name__, serve.__name__), Sentence("job"), ENDED) as child:
            try:
                return cast(Outcome, child.ask(asked, told))
            except KeyboardInterrupt:
                child.interrupt(SECONDS_TO_CLEAN_UP)
                raise
    except CarveError as error:
        return failed(_task(asked), str(error))


def _task(asked: Mapping[str, Any]) -> Task:
    blend = asked["blend"]
    folder, open_blend = Path(asked["folder"]), None if blend is None else Path(blend)
    (task,) = read_tasks(asked["number"], asked["options"], {}, folder, open_blend)
    return task
