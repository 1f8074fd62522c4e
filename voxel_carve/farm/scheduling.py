"""A list of jobs on the workers of Dask: a job a task, outcomes as they come.

Who asks decides what runs when, and keeps what has come: a worker that is lost takes nothing along but the job that it
was at, which Dask gives to another one.
"""

import json
import queue
import secrets
import time
from collections import deque
from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from ..batch import FAILED, Outcome, Task, failed, note_written, settled
from ..compute.runtime import Progress, Sentence
from ..distributed.cluster import Cluster, jobs_by_host
from ..distributed.process import cancel, version
from ..distributed.watch import Watch
from ..formats import is_file
from ..jobs import Job
from ..jobs_file import plain
from .order import predecessors
from .worker import SECONDS_TO_CLEAN_UP, run_order

# Seconds between two looks at signals.
LOOK_EVERY = 0.1
# Seconds to wait for an outcome that is there.
ANSWER_SECONDS = 10.0


def outcomes_on(
    cluster: Cluster,
    tasks: Sequence[Task],
    folder: Path,
    open_blend: Path | None = None,
    resume: bool = False,
    progress: Progress | None = None,
) -> Generator[tuple[int, Outcome], None, None]:
    """Run jobs on workers, and yield the outcome of each as it comes, with its place in the list.

    Args:
        cluster: the workers. All see the same files, under the same names.
        tasks: from `plan`.
        folder: where relative paths of the jobs start.
        open_blend: the .blend that is open, if any.
        resume: whether to skip jobs whose output exists.
        progress: called several times a second; it stops all jobs by raising.

    Yields:
        As `batch.outcomes`.

    Raises:
        LostSchedulerError: the scheduler went away, or has had no worker for long.
    """
    run = _Run(cluster, tasks, folder, open_blend)
    try:
        yield from run.outcomes(resume, progress)
    finally:
        run.end()


def order_of(
    cluster: Cluster, workers: Mapping[str, int], task: Task, folder: Path, open_blend: Path | None, run: str
) -> dict[str, Any]:
    """What a worker is asked: the options of a job, and what they start from, ready for JSON."""
    here = folder if cluster.is_local else folder.absolute()
    frame = task.job.frame if isinstance(task.job, Job) else None
    return {
        "run": run,
        "version": version(),
        "number": task.number,
        "options": plain(task.options) | ({} if frame is None else {"frames": f"{frame}:{frame}"}),
        "folder": str(here),
        "blend": None if open_blend is None else str(open_blend.absolute()),
        "jobs_by_host": jobs_by_host(workers),
    }


class _Run:
    """A list while it runs.

    Attributes:
        waiting: for each task the places of those that it still waits for.
        begun: the futures that are with the scheduler, by the places of their tasks.
        fresh: for each task whose outputs were not there when it began, the workers at that time.
        workers: the number of threads of each worker, by its address.
    """

    def __init__(self, cluster: Cluster, tasks: Sequence[Task], folder: Path, open_blend: Path | None) -> None:
        self.cluster, self.tasks, self.name = cluster, tasks, secrets.token_hex(8)
        self.folder, self.open_blend = folder, open_blend
        self.waiting = [set(places) for places in predecessors(tasks)]
        self.begun: dict[int, Any] = {}
        self.fresh: dict[int, set[str]] = {}
        self.watch = Watch(cluster, Sentence("repeat with --resume for the jobs that are left"))
        self.workers = self.watch.ask()
        self.heard: queue.SimpleQueue[tuple[int, Any]] = queue.SimpleQueue()

    def outcomes(self, resume: bool, progress: Progress | None) -> Iterator[tuple[int, Outcome]]:
        """As `outcomes_on`."""
        followers: list[list[int]] = [[] for _ in self.tasks]
        for place, waits in enumerate(self.waiting):
            for other in waits:
                followers[other].append(place)
        ready = deque(place for place, waits in enumerate(self.waiting) if not waits)
        written: set[Any] = set()
        count = 0
        while ready or self.begun:
            outcome = None
            # No more than workers can run: with the loss of a worker, Dask blames all jobs that wait there.
            if ready and len(self.begun) < max(1, sum(self.workers.values())):
                place = ready.popleft()
                outcome = settled(self.tasks[place], resume, written)
                if outcome is None:
                    self._begin(place)
            else:
                if progress is not None:
                    progress(f"{count} of {len(self.tasks)} jobs", count / len(self.tasks))
                place, outcome = self._next()
            if outcome is None:
                continue
            note_written(self.tasks[place], outcome, written)
            count += 1
            for follower in followers[place]:
                self.waiting[follower].discard(place)
                if not self.waiting[follower]:
                    ready.append(follower)
            yield place, outcome

    def end(self) -> None:
        """Cancel the jobs that are not done, and wait until those that run have removed what they had half written."""
        if not self.begun:
            return
        client = self.cluster.client
        with suppress(Exception):  # the scheduler may be gone
            client.cancel(list(self.begun.values()), force=True)
            latest = time.monotonic() + SECONDS_TO_CLEAN_UP
            while any(client.run(cancel, self.name).values()) and time.monotonic() < latest:
                time.sleep(LOOK_EVERY)

    def _begin(self, place: int, **more: Any) -> None:
        task = self.tasks[place]
        assert isinstance(task.job, Job)  # else it is settled
        if not more and not any(is_file(file) for file in task.job.outputs().values()):
            self.fresh[place] = set(self.workers)
        order = order_of(self.cluster, self.workers, task, self.folder, self.open_blend, self.name)
        order["options"] |= more
        future = self.cluster.client.submit(
            run_order, json.dumps(order), key=f"voxel_carve-{self.name}-{place}{'-again' if more else ''}", pure=False
        )
        self.begun[place] = future
        self._listen(place, future)

    def _listen(self, place: int, future: Any) -> None:
        future.add_done_callback(lambda done: self.heard.put((place, done)))

    def _next(self) -> tuple[int, Outcome | None]:
        """The outcome of the next job that ends; none if it takes long, or the job begins again."""
        self.workers = self.watch.look()
        try:
            place, future = self.heard.get(timeout=LOOK_EVERY)
        except queue.Empty:
            return -1, None
        try:
            outcome = self._outcome(self.tasks[place], future)
        except TimeoutError:  # the outcome was lost with its worker: Dask has the job done again
            self._listen(place, future)
            return place, None
        except Exception as error:
            raise self.watch.lost() from error
        del self.begun[place]
        if outcome["status"] == FAILED and self._was_half_told(place):
            del self.fresh[place]
            self._begin(place, overwrite=True)
            return place, None
        return place, outcome

    def _outcome(self, task: Task, future: Any) -> Outcome:
        try:
            told = json.loads(future.result(timeout=0.0 if future.status == "lost" else ANSWER_SECONDS))
        except Exception as error:
            if future.status != "error":
                raise
            return failed(task, _why(error))
        return {**told, "output": task.output} if told else failed(task, "it was cancelled on its worker")

    def _was_half_told(self, place: int) -> bool:
        """Whether a job failed because a worker that is lost had written its output already, and could not say so."""
        job = self.tasks[place].job
        assert isinstance(job, Job)  # it has begun
        if place not in self.fresh or not any(is_file(file) for file in job.outputs().values()):
            return False
        self.workers = self.watch.ask()
        return bool(self.fresh[place] - self.workers.keys())


def _why(error: Exception) -> str:
    """Why a worker has no outcome of a job."""
    if type(error).__name__ != "KilledWorker":
        return f"its worker could not run it ({type(error).__name__}: {error})"
    return (
        f"its worker was lost {error.allowed_failures + 1} times: it may need more memory than there is; choose larger "  # type: ignore[attr-defined]
        "voxels, or fewer workers"
    )
