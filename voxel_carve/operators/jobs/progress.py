"""How the user sees the progress of a running job."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import bpy

from ...compute import Progress
from ...translations import interface_text
from .running import RunningJob


@contextmanager
def shown_progress(context: bpy.types.Context) -> Iterator[Progress]:
    """A callback that shows stage and fraction in the status bar, and the fraction at the mouse pointer."""
    manager, workspace = context.window_manager, context.workspace

    def show(stage: str, fraction: float) -> None:
        if manager:
            manager.progress_update(round(100 * fraction))
        if workspace:
            workspace.status_text_set(f"Voxel Carve: {interface_text(stage)}, {fraction:.0%}")

    if manager:
        manager.progress_begin(0, 100)
    try:
        yield show
    finally:
        if manager:
            manager.progress_end()
        if workspace:
            workspace.status_text_set(None)


def show_running(context: bpy.types.Context, text: str) -> None:
    """Show the progress of a background job in the status bar and in sidebars."""
    if context.workspace:
        cancel = interface_text("Cancel")
        context.workspace.status_text_set(f"Voxel Carve: {text}  |  Esc: {cancel}")
    redraw_sidebars(context)


def progress_text(job: RunningJob[Any]) -> str:
    """Stage, percentage done and time left, such as "Surface, 45%, 12 s left"."""
    stage = interface_text(job.stage)
    text = stage if job.fraction >= 1 else f"{stage}, {job.fraction:.0%}"
    if job.remaining is None:
        return text
    return f"{text}, " + interface_text("{time} left").format(time=seconds_text(job.remaining))


def seconds_text(seconds: float) -> str:
    """A duration, rounded as a user would say it."""
    if seconds < 0.1:
        return interface_text("under 0.1 s")
    if seconds < 9.95:
        return f"{seconds:.1f} s"
    if seconds < 59.5:
        return f"{seconds:.0f} s"
    minutes, rest = divmod(round(seconds), 60)
    if minutes < 60:
        return f"{minutes} min {rest} s" if minutes < 10 and rest else f"{minutes} min"
    return f"{minutes // 60} h {minutes % 60} min"


def redraw_sidebars(context: bpy.types.Context) -> None:
    """Redraw the panels of all 3D views."""
    manager = context.window_manager
    for window in manager.windows if manager else ():
        for area in window.screen.areas:
            if area.type == "VIEW_3D":
                for region in area.regions:
                    if region.type == "UI":
                        region.tag_redraw()


def part_of(progress: Progress, number: int, count: int, name: str = "") -> Progress:
    """Progress of one of `count` equal parts, the first of which is 0, as progress of the whole.

    Its stages go by the name of the part, if it has one.
    """
    named: Progress = (lambda _, fraction: progress(name, fraction)) if name else progress
    return span_of(named, number / count, (number + 1) / count)


def span_of(progress: Progress, start: float, stop: float) -> Progress:
    """Progress of the part from `start` to `stop`, as progress of the whole.

    Where something follows, the end of the part, "Done", is told by the stage before it.
    """
    latest = ""

    def tell(stage: str, fraction: float) -> None:
        nonlocal latest
        if fraction < 1 or stop == 1 or not latest:
            latest = stage
        progress(latest, start + fraction * (stop - start))

    return tell
