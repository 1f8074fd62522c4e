"""A list of jobs on the workers of Dask: a job a task, outcomes as they come.

Who asks decides what runs when, and keeps what has come: a worker that is lost takes nothing along but the job that it
was at, which Dask gives to another one.
"""

import json
import queue
import secrets
import time
from collections import deque
from collections.abc import Generator, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from ..batch import FAILED, Outcome, Task, failed, note_written, settled
from ..compute import InputError
from ..compute.runtime import Progress
from ..formats import is_file, readable
from ..jobs import Job
from ..jobs_file import plain
from .cluster import RETRIES, Cluster
from .order import predecessors
from .worker import SECONDS_TO_CLEAN_UP, cancel, run_order, version

# Jobs that are with the scheduler at the same time. It gives each to the next free worker.
MOST_BEGUN = 1000
# Seconds between two looks at signals, and at the scheduler.
LOOK_EVERY, LOOK_AT_WORKERS_EVERY = 0.1, 1.0
# Seconds without any worker until the list ends.
LONGEST_WITHOUT_WORKERS = 300.0


class LostSchedulerError(InputError):
    """The scheduler, or all of its workers, went away while jobs were running."""


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


def order_of(cluster: Cluster, task: Task, folder: Path, open_blend: Path | None, run: str) -> dict[str, Any]:
    """What a worker is asked: the options of a job, and what they start from, ready for JSON."""
    here = folder if cluster.is_local else folder.absolute()
    return {
        "run": run,
        "version": version(),
        "number": task.number,
        "options": plain(task.options),
        "folder": str(here),
        "blend": None if open_blend is None else str(open_blend.absolute()),
        "jobs_by_host": cluster.jobs_by_host,
    }


class _Run:
    """A list while it runs.

    Attributes:
        waiting: for each task the places of those that it still waits for.
        begun: the futures that are with the scheduler, by the places of their tasks.
        fresh: the places of the tasks whose outputs were not there when they began.
        workers: the addresses of all workers that were seen.
    """

    def __init__(self, cluster: Cluster, tasks: Sequence[Task], folder: Path, open_blend: Path | None) -> None:
        self.cluster, self.tasks, self.name = cluster, tasks, secrets.token_hex(8)
        self.folder, self.open_blend = folder, open_blend
        self.waiting = [set(places) for places in predecessors(tasks)]
        self.begun: dict[int, Any] = {}
        self.fresh: set[int] = set()
        self.workers: set[str] = set(cluster.client.nthreads())
        self.heard: queue.SimpleQueue[tuple[int, Any]] = queue.SimpleQueue()
        self.looked = self.busy_at = time.monotonic()

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
            if ready and len(self.begun) < MOST_BEGUN:
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
            self.fresh.add(place)
        order = order_of(self.cluster, task, self.folder, self.open_blend, self.name)
        order["options"] |= more
        future = self.cluster.client.submit(
            run_order, json.dumps(order), key=f"voxel_carve-{self.name}-{place}{'-again' if more else ''}", pure=False
        )
        self.begun[place] = future
        future.add_done_callback(lambda done: self.heard.put((place, done)))

    def _next(self) -> tuple[int, Outcome | None]:
        """The outcome of the next job that ends; none if it takes long, or the job begins again."""
        try:
            place, future = self.heard.get(timeout=LOOK_EVERY)
        except queue.Empty:
            self._look_at_workers()
            return -1, None
        if future.status not in ("finished", "error"):
            raise self._lost()
        del self.begun[place]
        outcome = self._outcome(self.tasks[place], future)
        if outcome["status"] == FAILED and place in self.fresh and self._was_half_told(place):
            self.fresh.discard(place)
            self._begin(place, overwrite=True)
            return place, None
        return place, outcome

    def _outcome(self, task: Task, future: Any) -> Outcome:
        if future.status == "finished":
            told = json.loads(future.result())
            return {**told, "output": task.output} if told else failed(task, "it was cancelled on its worker")
        error = future.exception()
        if type(error).__name__ == "KilledWorker":
            tries = error.allowed_failures + 1 if hasattr(error, "allowed_failures") else RETRIES + 1
            return failed(
                task, f"its worker was lost {tries} times: it may need more memory than there is; choose larger voxels"
            )
        return failed(task, f"its worker could not run it ({type(error).__name__}: {error})")

    def _was_half_told(self, place: int) -> bool:
        """Whether a job failed because a worker that is lost had written its output already, and could not say so."""
        job = self.tasks[place].job
        assert isinstance(job, Job)  # it has begun
        lost = bool(self.workers - set(self.cluster.client.nthreads()))
        return lost and any(is_file(file) for file in job.outputs().values())

    def _look_at_workers(self) -> None:
        now = time.monotonic()
        if self.cluster.client.status != "running":
            raise self._lost()
        if now < self.looked + LOOK_AT_WORKERS_EVERY:
            return
        self.looked = now
        try:
            workers = set(self.cluster.client.nthreads())
        except OSError as error:
            raise self._lost() from error
        self.workers |= workers
        if workers:
            self.busy_at = now
        elif now > self.busy_at + LONGEST_WITHOUT_WORKERS:
            raise LostSchedulerError(
                "the scheduler at {address} has had no workers for {seconds:.0f} s: start some, and repeat with "
                "--resume",
                address=readable(self.cluster.address),
                seconds=LONGEST_WITHOUT_WORKERS,
            )

    def _lost(self) -> LostSchedulerError:
        return LostSchedulerError(
            "the scheduler at {address} went away: start it again, and repeat with --resume for the jobs that are left",
            address=readable(self.cluster.address),
        )
