"""What a user sees of a job that runs."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import bpy

from ..compute import Progress
from ..translations import interface_text
from .running import RunningJob


@contextmanager
def shown_progress(context: bpy.types.Context) -> Iterator[Progress]:
    """Give a callback that shows stage and fraction in the status bar, and the fraction at the mouse pointer."""
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
    """Show in the status bar and in sidebars how far a job on its own thread is."""
    if context.workspace:
        cancel = interface_text("Cancel")
        context.workspace.status_text_set(f"Voxel Carve: {text}  |  Esc: {cancel}")
    redraw_sidebars(context)


def progress_text(job: RunningJob[Any]) -> str:
    """Stage, part that is done and time left, such as "Surface, 45%, 12 s left"."""
    stage = interface_text(job.stage)
    text = stage if job.fraction >= 1 else f"{stage}, {job.fraction:.0%}"
    if job.remaining is None:
        return text
    minutes, seconds = divmod(round(job.remaining), 60)
    left = f"{minutes} min {seconds} s" if minutes else f"{seconds} s"
    return f"{text}, " + interface_text("{time} left").format(time=left)


def redraw_sidebars(context: bpy.types.Context) -> None:
    """Let the panels of all 3D views be drawn again."""
    manager = context.window_manager
    for window in manager.windows if manager else ():
        for area in window.screen.areas:
            if area.type == "VIEW_3D":
                for region in area.regions:
                    if region.type == "UI":
                        region.tag_redraw()


def part_of(progress: Progress, number: int, count: int) -> Progress:
    """Progress of one of `count` equal parts, as progress of the whole."""
    return lambda stage, fraction: progress(stage, (number + fraction) / count)
