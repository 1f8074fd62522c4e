"""The last carve of this process, and what its time tells about the next ones."""

from collections.abc import Mapping
from typing import Any

from ...compute.forecasts import remember

_last: dict[str, Any] | None = None


def remember_report(figures: Mapping[str, Any]) -> None:
    """Remember a carve by its report, as `Report.to_dict` gives it."""
    global _last  # noqa: PLW0603 - one history of the process
    _last = dict(figures)
    remember(figures)


def last_report() -> dict[str, Any] | None:
    """The report of the last carve of this process; None if there was none."""
    return _last
