"""Compiling kernels in advance, soon after the extension is enabled, and faster once a job waits for them."""

import logging

import bpy

from ...compute import BackendError
from ...compute.engines.numba.compiler import (
    compile_in_background,
    compiled_fraction,
    end_compilers,
    is_compiling,
    is_installed,
)
from .progress import redraw_sidebars

logger = logging.getLogger(__name__)

# Seconds after the extension is enabled, so that Blender's start is not slowed down, and seconds between two redraws.
BEGIN_AFTER, SHOW_EVERY = 1.0, 0.5


def compiling_part() -> float | None:
    """The fraction of the kernels that is compiled, 0 to 1; None if nothing is compiling.

    It is for a panel, which is redrawn from now on until compiling ends, whoever began it.
    """
    if not is_compiling():
        return None
    if not bpy.app.timers.is_registered(_show):
        bpy.app.timers.register(_show, first_interval=SHOW_EVERY, persistent=True)
    return compiled_fraction()


def hurry() -> None:
    """Compile what is missing as fast as it goes, for a job that is about to start.

    Called on the main thread: a job's own thread has a low priority, which its child processes would inherit.
    """
    try:
        if is_installed() and compiled_fraction() < 1.0:
            compile_in_background(is_waited_for=True)
    except BackendError as error:
        logger.info("no kernels are compiled in advance: %s", error)


def register() -> None:
    """Start compiling soon."""
    bpy.app.timers.register(_begin, first_interval=BEGIN_AFTER, persistent=True)


def unregister() -> None:
    """End the compiling processes, because they hold libraries of the extension open."""
    for timer in (_begin, _show):
        if bpy.app.timers.is_registered(timer):
            bpy.app.timers.unregister(timer)
    end_compilers()


def _begin() -> None:
    try:
        if is_installed() and compiled_fraction() < 1.0:
            compile_in_background()
            redraw_sidebars(bpy.context)
    except BackendError as error:
        logger.info("no kernels are compiled in advance: %s", error)


def _show() -> float | None:
    """Redraw the panels while something is compiling, and once more at the end."""
    redraw_sidebars(bpy.context)
    return SHOW_EVERY if is_compiling() else None
