"""What a user sees of a job that runs."""

from collections.abc import Iterator
from contextlib import contextmanager

import bpy

from ..compute import Progress


@contextmanager
def shown_progress(context: bpy.types.Context) -> Iterator[Progress]:
    """Give a callback that shows stage and fraction in the status bar, and the fraction at the mouse pointer."""
    manager, workspace = context.window_manager, context.workspace

    def show(stage: str, fraction: float) -> None:
        if manager:
            manager.progress_update(round(100 * fraction))
        if workspace:
            workspace.status_text_set(f"Voxel Carve: {stage}, {fraction:.0%}")

    if manager:
        manager.progress_begin(0, 100)
    try:
        yield show
    finally:
        if manager:
            manager.progress_end()
        if workspace:
            workspace.status_text_set(None)


def part_of(progress: Progress, number: int, count: int) -> Progress:
    """Progress of one of `count` equal parts, as progress of the whole."""
    return lambda stage, fraction: progress(stage, (number + fraction) / count)
