"""Steps a driver in Blender and writes what came of it to result.json; the harness waits for that file.

A driver has `steps()`, a generator. It is run by a timer of Blender's: between its steps Blender draws and takes input,
so every step that waits for something is a `yield` of seconds, or a `yield from` of one that waits. What it hands to
`inside.facts.note` goes into the result; what it raises is the failure.
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
    """Take the driver's next step, and say in how many seconds the next one is due."""
    try:
        if "steps" not in state:
            state["steps"] = importlib.import_module(f"drivers.{sys.argv[-1]}").steps()
        return max(float(next(state["steps"])), 0.01)
    except StopIteration:
        finish(None)
    except BaseException as error:  # nobody above would tell the harness
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
preferences.view.show_tooltips = False  # they would hide what a picture is to show
# Without a window manager, a second window would lie anywhere: let Preferences and file browsers take the first one.
preferences.view.filebrowser_display_type = "SCREEN"
preferences.view.preferences_display_type = "SCREEN"
bpy.app.timers.register(step, first_interval=1.0, persistent=True)
