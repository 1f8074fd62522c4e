"""Installs the extension as a user does: Preferences, Get Extensions, the menu, Install from Disk, the zip."""

import os
from pathlib import Path

import bpy
from inside.facts import note
from inside.places import open_sidebar, rectangle, region, window
from inside.preferences import back, open_preferences
from inside.user import click, look, press, until, write

ADDON = "bl_ext.user_default.voxel_carve"


def enabled():
    return ADDON in bpy.context.preferences.addons


def steps():
    zip_file = Path(os.environ["VOXEL_CARVE_ZIP"])
    note(enabled_before=enabled())
    yield from open_preferences("EXTENSIONS")
    page = rectangle("WINDOW", "PREFERENCES")
    yield from click(page.x + page.width - 19, page.y + 18)
    yield from look("1_menu")
    yield from press("f")  # the underlined letter of Install from Disk
    yield from until(lambda: window().screen.areas[0].type == "FILE_BROWSER", what="the file browser")
    yield 1.0
    yield from click(*rectangle("UI", "FILE_BROWSER").at(0.3, 0.5))
    yield from press("ctrl+a")
    yield from write(str(zip_file.parent))
    yield from press("Return")
    files, buttons = rectangle("WINDOW", "FILE_BROWSER"), rectangle("EXECUTE", "FILE_BROWSER")
    for _ in range(3):  # the first click only takes the focus from the text field
        if not window().screen.areas[0].spaces.active.params.filename:
            yield from click(files.x + 100, files.y + 38)  # the only file there
    yield from look("2_file")
    yield from click(buttons.x + buttons.width - 70, buttons.y + buttons.height / 2)
    yield from until(enabled, 60, "installed and enabled")
    yield 2.0
    yield from look("3_installed")
    yield from back()
    yield from open_sidebar("Voxel Carve")
    yield from look("4_sidebar")
    note(enabled_after=enabled(), tab=region("UI").active_panel_category)
