"""Runs a driver in Blender, and writes its outcome to result.json; the harness waits for that file.

A driver has a generator `steps()`, which a timer of Blender's runs. Between steps Blender draws and handles input, so
every step that waits is a `yield` of seconds, or a `yield from` of a generator that waits. Facts noted by
`inside.facts.note` go into the result; an exception is the failure.
"""

import faulthandler
import importlib
import json
import signal
import sys
import traceback
from pathlib import Path

import bpy

STAGE = Path(__file__).parents[1]
sys.path.insert(0, str(STAGE))

from inside.facts import FACTS  # noqa: E402 - not on the path before

state = {}


def step() -> float | None:
    """Take the driver's next step, and return the seconds until the one after."""
    try:
        if "steps" not in state:
            state["steps"] = importlib.import_module(f"drivers.{sys.argv[-1]}").steps()
        return max(float(next(state["steps"])), 0.01)
    except StopIteration:
        finish(None)
    except BaseException as error:  # no caller would tell the harness
        traceback.print_exc()
        finish("".join(traceback.format_exception_only(error)).strip())
    return None


def finish(failure: str | None) -> None:
    sys.stdout.flush()
    unfinished = STAGE / "result.part"
    unfinished.write_text(json.dumps({"failure": failure, "facts": FACTS}, indent=1))
    unfinished.rename(STAGE / "result.json")


faulthandler.register(signal.SIGUSR1, all_threads=True)
preferences = bpy.context.preferences
preferences.view.show_splash = False
preferences.view.show_tooltips = False  # they would hide parts of the pictures
# Without a window manager, a second window could be anywhere: let Preferences and file browsers use the first one.
preferences.view.filebrowser_display_type = "SCREEN"
preferences.view.preferences_display_type = "SCREEN"
bpy.app.timers.register(step, first_interval=1.0, persistent=True)
