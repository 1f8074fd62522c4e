"""Results that follow their stock and their paths: coarsely at once, in full when the user pauses.

A handler of the depsgraph notes which results a change concerns, and nothing more. A timer then looks after them: it
is `tick`, which anyone with a clock may call. What it writes belongs to no undo step. So after undo, redo and loading,
what each live result shows is compared with what it was made from; and no data-block is pointed at that Blender might
take away in between: see `scene/writing/rewrite.py` and `recipes/loose_materials.py`. No object is held from
one tick to the next.
"""

import logging
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from typing import Any, cast

import bpy

from ..backend_status import capitalized
from ..compute import CarveError
from ..operators.jobs.carve_reading import carve_options
from ..operators.jobs.job import Job
from ..operators.jobs.prepared import Prepared
from ..operators.jobs.progress import redraw_sidebars
from ..operators.jobs.recarving import read_recarve, update_job
from ..operators.jobs.running import RunningJob, busy_job, is_rendering
from ..recipes import loose_materials, watching
from ..recipes.recipe import is_recipe, listen, listen_no_more, recipe_of, set_message, shown
from ..scene.presence import is_among
from .preview import Preview

logger = logging.getLogger(__name__)

# Seconds from the first change to the preview that shows it, and from the last one to the result in full.
DEBOUNCE, PAUSE = 0.05, 0.4
# Seconds between two looks at a job on its thread, and at what cannot begin yet.
LOOK_EVERY, LATER = 0.05, 0.1


@dataclass
class _Follower:
    """A live result that something has changed for.

    Attributes:
        first, last: when the first change came that has not been looked at, None where there is none, and the latest.
        is_known: whether what the mesh shows is known to be old; else that is looked at before anything is computed.
        wants_all: whether the result in full has to be made.
        preview: what is kept for the next one.
        prepared: the stock, ready for the result in full.
        job, running: the result in full, being made.
    """

    first: float | None = None
    last: float = 0.0
    is_known: bool = False
    wants_all: bool = False
    preview: Preview = field(default_factory=Preview)
    prepared: Prepared = field(default_factory=Prepared)
    job: Job[Any] | None = None
    running: RunningJob[Any] | None = None

    def stop(self) -> None:
        """Let go of the result in full that is being made."""
        if self.running is not None:
            self.running.cancel()
            _ending.append(self.running)
        self.job = self.running = None


_followers: dict[int, _Follower] = {}
# Jobs that were let go, while their threads come to their end.
_ending: list[RunningJob[Any]] = []


def recipe_changed(obj: bpy.types.Object) -> None:
    """A setting of a recipe has another value."""
    watching.forget_watch()
    if is_recipe(obj):
        _concern(obj, of_stock=True)


def forget() -> None:
    """Drop all that is kept of results: the file is another."""
    for follower in _followers.values():
        follower.stop()
    _followers.clear()
    watching.forget_watch()


def look_at_all() -> None:
    """Let each live result be looked at, whether what it shows is what it should: after undo, redo and loading."""
    watching.forget_watch()
    for obj in watching.results():
        if recipe_of(obj).live:
            follower = _concern(obj, of_stock=True)
            if follower:
                follower.is_known, follower.preview.shape = False, ""


def tick(now: float) -> float | None:
    """Do what is due at a time in seconds. Return after how many seconds to come again; None where nothing is left."""
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
    """Look after one result. What goes wrong is told in the panel, and the mesh stays as it is."""
    try:
        return _look_after(obj, follower, now)
    except CarveError as error:
        set_message(obj, capitalized(str(error)))
    except Exception as error:
        logger.exception("'%s' could not be updated", obj.name)
        set_message(obj, f"Live Update was switched off: {error!r}")
        recipe_of(obj).live = False
    follower.stop()
    follower.wants_all, follower.is_known = False, False
    redraw_sidebars(bpy.context)
    return None


def _look_after(obj: bpy.types.Object, follower: _Follower, now: float) -> float | None:
    if follower.first is not None:
        follower.stop()
        if now < follower.first + DEBOUNCE:
            return follower.first + DEBOUNCE - now
        if busy_job() or _ending:
            return LATER
        with _context_of(obj) as context:
            return _show_preview(context, obj, follower)
    if follower.running is not None:
        return _finish(obj, follower, now)
    if not follower.wants_all:
        return None
    if now < follower.last + PAUSE:
        return follower.last + PAUSE - now
    if busy_job() or _ending or any(each.running for each in _followers.values()):
        return LATER
    with _context_of(obj) as context:
        return _start(context, obj, follower)


def _show_preview(context: bpy.types.Context, obj: bpy.types.Object, follower: _Follower) -> float | None:
    """Show the result coarsely, unless it is what the mesh shows already."""
    follower.first = None
    if not follower.is_known:
        with ExitStack() as copies:
            recarve = read_recarve(context, obj, carve_options(recipe_of(obj), context), copies)
            if recarve.fingerprint() == shown(obj):
                watching.up_to_date(obj)
                follower.wants_all = False
                return None
        follower.is_known = True
    follower.wants_all = True
    try:
        with loose_materials.watched(obj):
            follower.preview.show(context, obj)
    except CarveError as error:
        logger.info("no preview of '%s': %s", obj.name, error)  # coarse voxels may lose what fine ones keep
    return PAUSE


def _start(context: bpy.types.Context, obj: bpy.types.Object, follower: _Follower) -> float | None:
    """Begin with the result in full, unless the mesh shows it already."""
    follower.wants_all = follower.is_known = False
    with ExitStack() as copies:
        recarve = read_recarve(context, obj, carve_options(recipe_of(obj), context), copies)
        if recarve.fingerprint() == shown(obj):
            watching.up_to_date(obj)
            return None
        close = copies.pop_all().close
    follower.job = update_job([recarve], close, follower.prepared)
    follower.running = RunningJob(follower.job.compute, close, gives_way=True)
    return LOOK_EVERY


def _finish(obj: bpy.types.Object, follower: _Follower, now: float) -> float | None:
    """Write the result in full once it is done."""
    running, job = cast(RunningJob[Any], follower.running), cast(Job[Any], follower.job)
    if running.is_cancelled:
        follower.wants_all, follower.last = running.gave_way, now
        follower.stop()
        return PAUSE if follower.wants_all else None
    if not running.is_done():
        return LOOK_EVERY
    follower.job = follower.running = None
    try:
        with _context_of(obj) as context, loose_materials.watched(obj):
            outcome = job.write(context, running.result())[0]
    finally:
        running.end()
    for warning in outcome.warnings:
        logger.info("%s", warning)
    redraw_sidebars(bpy.context)
    return None


def _concern(obj: bpy.types.Object, of_stock: bool) -> _Follower | None:
    """Something has changed for a result: let the timer look at it where it follows."""
    uid = obj.session_uid
    if not recipe_of(obj).live:
        watching.fell_behind(obj)
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


@contextmanager
def _context_of(obj: bpy.types.Object) -> Iterator[bpy.types.Context]:
    """The context of a window that shows the scene of an object, else the one there is."""
    manager = bpy.context.window_manager
    for window in manager.windows if manager else ():
        if is_among(obj, window.view_layer.objects):
            with cast(Any, bpy.context).temp_override(window=window):
                yield bpy.context
            return
    yield bpy.context


_persistent = cast(Any, bpy.app.handlers).persistent


@_persistent  # type: ignore[untyped-decorator]
def _on_update(scene: bpy.types.Scene, depsgraph: bpy.types.Depsgraph) -> None:
    """Note whom changes concern."""
    if depsgraph.mode != "VIEWPORT":
        return
    watch = watching.watch()
    if not watch.results:
        return
    for update in depsgraph.updates:
        if not (update.is_updated_geometry or update.is_updated_transform or update.is_updated_shading):
            continue
        uid = cast(Any, update.id).original.session_uid
        for of_stock, found in ((True, watch.by_stock.get(uid, ())), (False, watch.by_path.get(uid, ()))):
            for each in found:
                obj = watching.result(each)
                if obj is not None:
                    _concern(obj, of_stock)
        # One that could not be written, as while it was edited, may be written now.
        result = watching.result(uid) if uid in watch.results else None
        if result is not None and recipe_of(result).message:
            _concern(result, of_stock=False)


@_persistent  # type: ignore[untyped-decorator]
def _before_undo(*_: object) -> None:
    loose_materials.take()


@_persistent  # type: ignore[untyped-decorator]
def _after_undo(*_: object) -> None:
    loose_materials.give_back()
    look_at_all()


@_persistent  # type: ignore[untyped-decorator]
def _before_load(*_: object) -> None:
    forget()


@_persistent  # type: ignore[untyped-decorator]
def _after_load(*_: object) -> None:
    loose_materials.forget()
    look_at_all()


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
    """Watch what results follow."""
    for name, handler in _HANDLERS:
        getattr(bpy.app.handlers, name).append(handler)
    listen(recipe_changed)


def unregister() -> None:
    """Watch no longer, and let go of all that is being made."""
    listen_no_more(recipe_changed)
    for name, handler in reversed(_HANDLERS):
        getattr(bpy.app.handlers, name).remove(handler)
    if bpy.app.timers.is_registered(_timer):
        bpy.app.timers.unregister(_timer)
    forget()
    for running in _ending:
        running.wait(PAUSE)
    _ending.clear()
