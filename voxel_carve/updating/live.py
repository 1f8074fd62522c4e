"""Live Update: results follow their stock and paths, with a coarse preview at once and in full when the user pauses.

A depsgraph handler only records which results a change affects. A timer then updates them, by calling `tick`. What it
writes belongs to no undo step. So after undo, redo and loading, each live result is compared with its current inputs,
and no pointer is left to a data-block that Blender might remove: see `scene/writing/rewrite.py` and
`recipes/loose_materials.py`. No reference to an object is kept between ticks.
"""

import logging
import time
from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import Any, cast

import bpy

from ..compute import CarveError
from ..compute.runtime import Sentence
from ..operators.jobs.carve_reading import carve_options
from ..operators.jobs.job import Job
from ..operators.jobs.prepared import StockCache
from ..operators.jobs.progress import redraw_sidebars
from ..operators.jobs.recarving import read_recarve, update_job
from ..operators.jobs.running import RunningJob, blocking_job, is_rendering
from ..recipes import loose_materials, watching
from ..recipes.path_display import settle_displays
from ..recipes.recipe import deleted_paths, is_recipe, listen, recipe_of, set_message, shown_fingerprint, stop_listening
from ..scene.reading.evaluation import window_context
from . import comparing
from .preview import Preview

logger = logging.getLogger(__name__)

# Seconds from the first change to its preview, and from the last change to the full result.
DEBOUNCE, PAUSE = 0.05, 0.4
# Seconds between two checks of a running job, and of an update that cannot start yet.
LOOK_EVERY, LATER = 0.05, 0.1


@dataclass
class _Follower:
    """A live result with changed inputs.

    Attributes:
        first, last: times of the first change not yet handled (None without one), and of the latest change.
        is_outdated: whether the mesh is known to be outdated; if not, this is checked before anything is computed.
        wants_full: whether the full result has to be made.
        preview: kept for the next preview.
        prepared: the stock, prepared for the full result.
        job, running: the full result being made.
    """

    first: float | None = None
    last: float = 0.0
    is_outdated: bool = False
    wants_full: bool = False
    preview: Preview = field(default_factory=Preview)
    prepared: StockCache = field(default_factory=StockCache)
    job: Job[Any] | None = None
    running: RunningJob[Any] | None = None

    def stop(self) -> None:
        """Cancel the full result that is being made."""
        if self.running is not None:
            self.running.cancel()
            _ending.append(self.running)
        self.job = self.running = None


_followers: dict[int, _Follower] = {}
# Cancelled jobs whose threads have not ended yet.
_ending: list[RunningJob[Any]] = []


def recipe_changed(obj: bpy.types.Object) -> None:
    """Handle a changed setting of a recipe."""
    watching.forget_watch()
    if is_recipe(obj):
        _record_change(obj, of_stock=True)
        settle_displays()


def forget() -> None:
    """Drop everything kept for results, because another file is loaded."""
    for follower in _followers.values():
        follower.stop()
    _followers.clear()
    comparing.forget()
    watching.forget_watch()


def check_all() -> None:
    """Let each result be compared with its inputs, live ones soon: after undo, redo and loading."""
    watching.forget_watch()
    for obj in watching.results():
        watching.mark_unsure(obj)
        comparing.forget_stock(obj)
        if recipe_of(obj).live:
            follower = _record_change(obj, of_stock=True)
            if follower:
                follower.is_outdated, follower.preview.shape = False, ""


def tick(now: float) -> float | None:
    """Do what is due at the time `now`, in seconds. Return the delay until the next call; None if nothing is left."""
    _ending[:] = [running for running in _ending if not running.wait(0.0)]
    if is_rendering():
        return LATER if _followers else None
    delays = []
    for uid in list(_followers):
        obj, follower = watching.result(uid), _followers[uid]
        if obj is None or not recipe_of(obj).live:
            follower.stop()
            del _followers[uid]
            continue
        delay = _guarded(obj, follower, now)
        if delay is not None:
            delays.append(delay)
    return min(delays, default=None)


def _guarded(obj: bpy.types.Object, follower: _Follower, now: float) -> float | None:
    """Advance the update of one result. The panel shows errors, and the mesh then stays as it is."""
    try:
        return _advance(obj, follower, now)
    except CarveError as error:
        set_message(obj, error)
    except Exception as error:
        logger.exception("'%s' could not be updated", obj.name)
        set_message(obj, Sentence("Live Update was switched off: {error}", error=repr(error)))
        recipe_of(obj).live = False
    follower.stop()
    follower.wants_full, follower.is_outdated = False, False
    redraw_sidebars(bpy.context)
    return None


def _advance(obj: bpy.types.Object, follower: _Follower, now: float) -> float | None:
    if follower.first is not None:
        follower.stop()
        if now < follower.first + DEBOUNCE:
            return follower.first + DEBOUNCE - now
        if blocking_job() or _ending:
            return LATER
        with window_context(obj) as context:
            return _show_preview(context, obj, follower)
    if follower.running is not None:
        return _finish(obj, follower, now)
    if not follower.wants_full:
        return None
    if now < follower.last + PAUSE:
        return follower.last + PAUSE - now
    if blocking_job() or _ending or any(each.running for each in _followers.values()):
        return LATER
    with window_context(obj) as context:
        return _start(context, obj, follower)


def _show_preview(context: bpy.types.Context, obj: bpy.types.Object, follower: _Follower) -> float | None:
    """Show a preview, unless the mesh is current."""
    follower.first = None
    if not follower.is_outdated:
        with ExitStack() as copies:
            recarve = read_recarve(context, obj, carve_options(recipe_of(obj), context), copies)
            if recarve.fingerprint() == shown_fingerprint(obj):
                watching.mark_compared(obj, equal=True)
                follower.wants_full = False
                return None
        follower.is_outdated = True
    follower.wants_full = True
    try:
        with loose_materials.watched(obj):
            follower.preview.show(context, obj)
    except CarveError as error:
        logger.info("no preview of '%s': %s", obj.name, error)  # coarse voxels may lose everything
    return PAUSE


def _start(context: bpy.types.Context, obj: bpy.types.Object, follower: _Follower) -> float | None:
    """Start the full result, unless the mesh is current."""
    follower.wants_full = follower.is_outdated = False
    with ExitStack() as copies:
        recarve = read_recarve(context, obj, carve_options(recipe_of(obj), context), copies)
        if recarve.fingerprint() == shown_fingerprint(obj):
            watching.mark_compared(obj, equal=True)
            return None
        close = copies.pop_all().close
    follower.job = update_job([recarve], close, follower.prepared)
    follower.running = RunningJob(follower.job.compute, close, preemptible=True)
    return LOOK_EVERY


def _finish(obj: bpy.types.Object, follower: _Follower, now: float) -> float | None:
    """Write the full result once it is done."""
    running, job = cast(RunningJob[Any], follower.running), cast(Job[Any], follower.job)
    if running.is_cancelled:
        follower.wants_full, follower.last = running.preempted, now
        follower.stop()
        return PAUSE if follower.wants_full else None
    if not running.is_done():
        return LOOK_EVERY
    follower.job = follower.running = None
    try:
        with window_context(obj) as context, loose_materials.watched(obj):
            outcome = job.write(context, running.result())[0]
    finally:
        running.end()
    for warning in outcome.warnings:
        logger.info("%s", warning)
    redraw_sidebars(bpy.context)
    return None


def _record_change(obj: bpy.types.Object, of_stock: bool) -> _Follower | None:
    """Record a change of a result's inputs; if the result is live, schedule an update."""
    uid = obj.session_uid
    if not recipe_of(obj).live:
        watching.mark_unsure(obj)
        comparing.note_change()
        if of_stock:
            comparing.forget_stock(obj)
        return None
    follower, now = _followers.setdefault(uid, _Follower()), time.monotonic()
    follower.last = now
    if follower.first is None:
        follower.first = now
    if of_stock:
        follower.preview.forget_stock()
    if not bpy.app.timers.is_registered(_timer):
        bpy.app.timers.register(_timer, first_interval=DEBOUNCE, persistent=True)
    return follower


def _timer() -> float | None:
    return tick(time.monotonic())


_persistent = cast(Any, bpy.app.handlers).persistent


@_persistent  # type: ignore[untyped-decorator]
def _on_update(scene: bpy.types.Scene, depsgraph: bpy.types.Depsgraph) -> None:
    """Record which results the changes affect."""
    if depsgraph.mode != "VIEWPORT":
        return
    watch = watching.watch()
    if not watch.results:
        return
    if depsgraph.id_type_updated("COLLECTION"):
        _record_deleted_paths()
    for update in depsgraph.updates:
        if not (update.is_updated_geometry or update.is_updated_transform or update.is_updated_shading):
            continue
        uid = cast(Any, update.id).original.session_uid
        for of_stock, found in ((True, watch.by_stock.get(uid, ())), (False, watch.by_path.get(uid, ()))):
            for each in found:
                obj = watching.result(each)
                if obj is not None:
                    _record_change(obj, of_stock)
        # A result that could not be written, as while it was edited, may be writable now.
        result = watching.result(uid) if uid in watch.results else None
        if result is not None and recipe_of(result).message:
            _record_change(result, of_stock=False)


def _record_deleted_paths() -> None:
    """Record which results have lost a path. No change of the path itself tells, and it stays in the file."""
    for obj in watching.results():
        if deleted_paths(obj):
            _record_change(obj, of_stock=False)


@_persistent  # type: ignore[untyped-decorator]
def _before_undo(*_: object) -> None:
    loose_materials.detach()


@_persistent  # type: ignore[untyped-decorator]
def _after_undo(*_: object) -> None:
    loose_materials.reattach()
    check_all()


@_persistent  # type: ignore[untyped-decorator]
def _before_load(*_: object) -> None:
    forget()


@_persistent  # type: ignore[untyped-decorator]
def _after_load(*_: object) -> None:
    loose_materials.forget()
    check_all()


_HANDLERS = (
    ("depsgraph_update_post", _on_update),
    ("undo_pre", _before_undo),
    ("redo_pre", _before_undo),
    ("undo_post", _after_undo),
    ("redo_post", _after_undo),
    ("load_pre", _before_load),
    ("load_post", _after_load),
)


def register() -> None:
    """Add the handlers that watch the inputs of results."""
    for name, handler in _HANDLERS:
        getattr(bpy.app.handlers, name).append(handler)
    listen(recipe_changed)


def unregister() -> None:
    """Remove the handlers, and cancel all updates."""
    stop_listening(recipe_changed)
    for name, handler in reversed(_HANDLERS):
        getattr(bpy.app.handlers, name).remove(handler)
    if bpy.app.timers.is_registered(_timer):
        bpy.app.timers.unregister(_timer)
    forget()
    for running in _ending:
        running.wait(PAUSE)
    _ending.clear()
