"""The job that runs, if one does."""

from typing import Protocol


class RunningJob(Protocol):
    """What is told of a job while it runs.

    Attributes:
        stage: what it is at.
        fraction: how much of it is done, 0 to 1.
    """

    stage: str
    fraction: float

    @property
    def elapsed(self) -> float:
        """Seconds since its start."""

    @property
    def remaining(self) -> float | None:
        """Seconds that are left; None while nothing can be said of them."""


def running_job() -> RunningJob | None:
    """The job that runs now: none, as long as jobs hold up Blender until they are done."""
    return None
