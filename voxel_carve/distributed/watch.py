"""Whether a scheduler is still there, and has workers."""

import time

from ..compute import InputError
from ..formats import readable
from .cluster import Cluster

LOOK_EVERY = 1.0  # seconds between two looks at the scheduler
# Seconds without any worker until the work ends.
LONGEST_WITHOUT_WORKERS = 300.0


class LostSchedulerError(InputError):
    """The scheduler, or all of its workers, went away while there was work."""


class Watch:
    """Looks at a scheduler now and then.

    Args:
        again: how the user goes on later, with an infinitive's phrase after "and".
    """

    def __init__(self, cluster: Cluster, again: str) -> None:
        self.cluster, self.again = cluster, again
        self.workers: dict[str, int] = cluster.client.nthreads()
        self._looked = self._busy_at = time.monotonic()

    def look(self) -> dict[str, int]:
        """The number of threads of each worker, by its address.

        Raises:
            LostSchedulerError: the scheduler went away, or has had no worker for long.
        """
        now = time.monotonic()
        if self.cluster.client.status != "running":
            raise self.lost()
        if now < self._looked + LOOK_EVERY:
            return self.workers
        self._looked = now
        if self.ask():
            self._busy_at = now
        elif now > self._busy_at + LONGEST_WITHOUT_WORKERS:
            raise LostSchedulerError(
                "the scheduler at {address} has had no workers for {seconds:.0f} s: start some, and {again}",
                address=readable(self.cluster.address),
                seconds=LONGEST_WITHOUT_WORKERS,
                again=self.again,
            )
        return self.workers

    def ask(self) -> dict[str, int]:
        """The same, now. Raises LostSchedulerError if the scheduler does not answer."""
        try:
            self.workers = self.cluster.client.nthreads()
        except OSError as error:
            raise self.lost() from error
        return self.workers

    def lost(self) -> LostSchedulerError:
        """What is raised where the scheduler went away."""
        return LostSchedulerError(
            "the scheduler at {address} went away: start it again, and {again}",
            address=readable(self.cluster.address),
            again=self.again,
        )
