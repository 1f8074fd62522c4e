"""Whether a result is out of date: told by the fingerprint of its inputs, whatever has happened to them meanwhile.

A change of an input only makes a result unsure. The panel that shows an unsure result asks for a comparison. A timer
makes it when nothing has changed for a moment, because inputs are read for it: all of them the first time, and not
the stock while only paths change.
"""

import time
from contextlib import ExitStack
from dataclasses import replace
from typing import cast

import bpy

from ..compute import CarveError
from ..operators.jobs.carve_reading import carve_options
from ..operators.jobs.progress import redraw_sidebars
from ..operators.jobs.recarving import read_recarve
from ..operators.jobs.running import blocking_job, is_rendering
from ..recipes import watching
from ..recipes.recipe import ingredients, recipe_of, set_message, shown_fingerprint, sources
from ..scene.reading.evaluation import window_context
from .known_stock import KnownStock

# Seconds from the last change to a comparison, and to another try while a job or a render runs.
PAUSE, LATER = 0.3, 0.5

# The results to compare, by `session_uid`, and when an input of any result last changed.
_asked: set[int] = set()
_changed = 0.0
# The stock of the result that was compared last, by the result's `session_uid`.
_stocks: dict[int, KnownStock] = {}


def ask(obj: bpy.types.Object) -> None:
    """Compare a result with its inputs soon, if they may have changed. A panel may call this while it is drawn."""
    if not watching.is_unsure(obj) or not shown_fingerprint(obj):
        return
    _asked.add(obj.session_uid)
    if not bpy.app.timers.is_registered(_timer):
        bpy.app.timers.register(_timer, first_interval=PAUSE)


def note_change() -> None:
    """Put comparisons off for a moment, because an input has changed."""
    global _changed  # noqa: PLW0603 - one clock
    _changed = time.monotonic()


def forget_stock(obj: bpy.types.Object) -> None:
    """Read the stock of a result anew when it is next compared, because it may have changed."""
    _stocks.pop(obj.session_uid, None)


def compare(obj: bpy.types.Object) -> None:
    """Compare a result with its inputs, and before that the results among these: where one is out of date, so is this.
    What cannot be read becomes its message.

    Nothing is compared while an input is edited, or the result: the panel asks again when it is drawn in Object Mode.
    """
    try:
        stock, paths = ingredients(obj)
        for source in sources(obj):
            if watching.is_unsure(source) and shown_fingerprint(source):
                compare(source)
        if any(each.mode != "OBJECT" for each in (obj, stock, *paths)):
            return
        with window_context(obj) as context, ExitStack() as copies:
            # A change that is not evaluated yet must be seen before what is known of the stock is used.
            cast(bpy.types.ViewLayer, context.view_layer).update()
            # Nothing is written, and so Keep Stock needs no copy of the stock.
            options = replace(carve_options(recipe_of(obj), context), result="remesh")
            known = _known_stock(obj)
            recarve = read_recarve(context, obj, options, copies, known.faces())
            known.keep(recarve.read.provenance.stock)
            equal = recarve.fingerprint(known.digest()) == shown_fingerprint(obj)
            copies.close()
            # Reading may count as a change. Let the handlers see it first.
            cast(bpy.types.ViewLayer, context.view_layer).update()
    except CarveError as error:
        watching.mark_compared(obj, equal=False)
        set_message(obj, error)
        return
    watching.mark_compared(obj, equal and not any(watching.is_outdated(source) for source in sources(obj)))


def forget() -> None:
    """Ask for nothing more."""
    _asked.clear()
    _stocks.clear()
    if bpy.app.timers.is_registered(_timer):
        bpy.app.timers.unregister(_timer)


def _known_stock(obj: bpy.types.Object) -> KnownStock:
    """What is known of a result's stock. That of another result is dropped, because a stock may be large."""
    known = _stocks.get(obj.session_uid) or KnownStock()
    _stocks.clear()
    return _stocks.setdefault(obj.session_uid, known)


def _timer() -> float | None:
    """Compare what was asked for; return the delay until the next try, None if nothing is left."""
    wait = _changed + PAUSE - time.monotonic()
    if wait > 0:
        return wait
    if blocking_job() or is_rendering():
        return LATER
    while _asked:
        obj = watching.result(_asked.pop())
        if obj is not None and watching.is_unsure(obj):
            compare(obj)
    redraw_sidebars(bpy.context)
    return None
