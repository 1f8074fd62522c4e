"""A pool of threads that help others with their work, to the end of the process."""

import queue
import threading
from collections.abc import Callable
from concurrent.futures import Executor, Future
from typing import Any

from .ending import OWN_THREADS


class Helpers(Executor):
    """An executor that takes work until the process ends.

    `ThreadPoolExecutor` refuses work as soon as the main thread has ended, when Python still waits for other threads.
    These are daemon threads, so the process does not wait for them.

    Args:
        most: how many threads it starts, one whenever none is free.
        begin: called in each of them at its start.
    """

    def __init__(self, most: int, begin: Callable[[], None]) -> None:
        self._most, self._begin = most, begin
        self._calls: queue.SimpleQueue[tuple[Future[Any], Callable[[], Any]]] = queue.SimpleQueue()
        self._free = threading.Semaphore(0)
        self._lock = threading.Lock()
        self._started = 0

    def submit(self, function: Callable[..., Any], /, *arguments: Any, **named: Any) -> Future[Any]:
        """Have a thread call a function. At the end of the process there may be none: the call then never begins.

        Raises:
            RuntimeError: the system refuses a new thread.
        """
        future: Future[Any] = Future()
        self._calls.put((future, lambda: function(*arguments, **named)))
        # Only now, so that a thread that is free counts until it has taken a call.
        with self._lock:
            if not self._free.acquire(blocking=False) and self._started < self._most:
                try:
                    self._start()
                except RuntimeError:
                    if threading.main_thread().is_alive():
                        future.cancel()
                        raise
        return future

    def _start(self) -> None:
        name = f"{OWN_THREADS} helper {self._started}"
        threading.Thread(target=self._help, name=name, daemon=True).start()
        self._started += 1

    def _help(self) -> None:
        self._begin()
        while True:
            try:
                future, call = self._calls.get_nowait()
            except queue.Empty:
                self._free.release()
                future, call = self._calls.get()
            if future.set_running_or_notify_cancel():
                try:
                    found = call()
                except BaseException as error:
                    future.set_exception(error)
                else:
                    future.set_result(found)
                    del found
            del future, call  # which hold what was worked on
