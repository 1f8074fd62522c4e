"""Blender's preferences, opened and navigated as a user does."""

from collections.abc import Iterator

import bpy

from inside.places import rectangle, window
from inside.user import click, press, until

EDIT_MENU = 80, 14
BACK_TO_PREVIOUS = 340, 14
ROW = 20


def open_preferences(section: str) -> Iterator[float]:
    """Open the preferences from the Edit menu, and click down the list of sections to this one."""
    yield from click(*EDIT_MENU)
    yield from press("p")
    yield from until(lambda: window().screen.areas[0].type == "PREFERENCES", what="Preferences")
    yield 1.0
    where = rectangle("UI", "PREFERENCES")
    for y in range(where.y + 2 * ROW, where.y + where.height, ROW):
        if bpy.context.preferences.active_section == section:
            return
        yield from click(where.at(0.5, 0)[0], y)
    raise LookupError(f"no section {section} in the preferences")


def back() -> Iterator[float]:
    """Leave a maximized area by the button in the top bar."""
    yield from click(*BACK_TO_PREVIOUS)
    yield from until(lambda: len(window().screen.areas) > 1, what="the areas as they were before")
    yield 1.0
