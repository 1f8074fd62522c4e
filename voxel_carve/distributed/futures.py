"""Tasks on workers, from bytes to bytes, and what becomes of them.

A task answers with arrays and values, packed, and with further bytes.
"""

import queue
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from typing import Any, TypeVar

from ..compute import CarveError, InputError
from ..compute.runtime import Sentence, checkpoint
from .cluster import Cluster
from .packing import unpacked
from .process import cancel
from .watch import Watch

LOOK_EVERY = 0.1  # seconds between two reports of progress
ANSWER_SECONDS = 60.0  # to wait for an answer that is there
SECONDS_TO_CLEAN_UP = 10.0  # that workers may take

T = TypeVar("T")


class Futures:
    """The tasks of one run.

    Args:
        run: its name, that no other run has.    again: see `Watch`.
    """

    def __init__(self, cluster: Cluster, run: str, again: str) -> None:
        self.run, self.watch = run, Watch(cluster, again)
        self._client = cluster.client
        self._begun: dict[Any, Any] = {}
        self._held: list[Any] = []

    def submit(self, function: Callable[..., Any], name: str, *arguments: Any) -> Any:
        """A task. The function is imported by its name on the worker."""
        future = self._client.submit(function, *arguments, key=f"voxel_carve-{self.run}-{name}", pure=False)
        self._held.append(future)
        return future

    def as_done(
        self, tasks: Sequence[T], begin: Callable[[T], Any]
    ) -> Iterator[tuple[T, dict[str, Any], dict[str, Any], bytes]]:
        """Each task that is done, as it comes, with the arrays, the values and the further bytes of its answer.

        Raises:
            LostSchedulerError: see `Watch`.
            CarveError: a task has failed, or its worker was lost too often.
        """
        waiting, heard = deque(tasks), queue.SimpleQueue[T]()
        while waiting or self._begun:
            # One more than workers can run, so that none waits for us.
            if waiting and len(self._begun) <= sum(self.watch.look().values()):
                task = waiting.popleft()
                self._begun[task] = begin(task)
                self._listen(task, heard)
                continue
            checkpoint()
            self.watch.look()
            try:
                task = heard.get(timeout=LOOK_EVERY)
                answer = self._answer(self._begun[task])
            except queue.Empty:
                continue
            except TimeoutError:  # the answer was lost with its worker: Dask has the task done again
                self._listen(task, heard)
                continue
            del self._begun[task]
            yield task, *answer

    def end(self) -> None:
        """Leave what is not done, and wait until workers have removed what they had half written."""
        with suppress(Exception):  # the scheduler may be gone
            if self._begun:
                self._client.cancel(list(self._begun.values()), force=True)
                latest = time.monotonic() + SECONDS_TO_CLEAN_UP
                while any(self._client.run(cancel, self.run).values()) and time.monotonic() < latest:
                    time.sleep(LOOK_EVERY)
            for future in self._held:
                future.release()

    def _listen(self, task: Any, heard: "queue.SimpleQueue[Any]") -> None:
        self._begun[task].add_done_callback(lambda _: heard.put(task))

    def _answer(self, future: Any) -> tuple[dict[str, Any], dict[str, Any], bytes]:
        try:
            answer, more = future.result(timeout=0.0 if future.status == "lost" else ANSWER_SECONDS)
        except TimeoutError:
            raise
        except Exception as error:
            if future.status != "error":
                raise self.watch.lost() from error
            raise _why(error) from error
        self._held.remove(future)
        future.release()
        arrays, told = unpacked(answer)
        if told["status"] == "failed":
            raise InputError("a worker says: {error}", error=told["error"])
        if told["status"] == "cancelled":
            raise CarveError("a task was cancelled on its worker")
        return arrays, told, more


def _why(error: Exception) -> CarveError:
    """Why a task has no answer."""
    if type(error).__name__ != "KilledWorker":
        fault = f"{type(error).__name__}: {error}"
        return CarveError(Sentence("a worker could not do its task ({fault})", fault=fault))
    return InputError(
        "the worker of a task was lost {times} times: it may need more memory than there is; give a lower memory limit",
        times=error.allowed_failures + 1,  # type: ignore[attr-defined]
    )
