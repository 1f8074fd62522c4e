"""Results that are carved again at every frame, in the viewport and in renders."""

import logging
from contextlib import ExitStack
from typing import Any, cast

import bpy

from ..compute import CarveError, EmptyResultError
from ..compute.runtime import Sentence
from ..operators.jobs.carve_reading import carve_options
from ..operators.jobs.recarving import compute_recarve, read_recarve, rewrite, rewrite_empty
from ..operators.jobs.running import blocking_job, is_rendering, preempt
from ..recipes import loose_materials, watching
from ..recipes.recipe import recipe_of, set_message, shown_fingerprint
from ..scene.presence import is_among
from ..scene.reading.evaluation import context_of

logger = logging.getLogger(__name__)


def carve_now(context: bpy.types.Context, obj: bpy.types.Object) -> None:
    """Carve a result again in full, and wait for it; do nothing if it is current. It may have nothing left.

    Raises:
        CarveError: it cannot be carved.
    """
    with ExitStack() as copies, loose_materials.watched(obj):
        recarve = read_recarve(context, obj, carve_options(recipe_of(obj), context), copies)
        if recarve.fingerprint() == shown_fingerprint(obj):
            watching.mark_compared(obj, equal=True)
            return
        try:
            carved = compute_recarve(recarve, lambda *_: None)
        except EmptyResultError as error:
            rewrite_empty(recarve, error)
        else:
            rewrite(recarve, carved)


def animated(scene: bpy.types.Scene) -> list[bpy.types.Object]:
    """The results of a scene that are carved at every frame, each after the results that it is made from."""
    ordered: dict[bpy.types.Object, None] = {}

    def add(obj: bpy.types.Object | None) -> None:
        if obj not in wanted:
            return
        wanted.remove(obj)
        recipe = cast(Any, recipe_of(obj))
        for each in (recipe.stock, *(item.path for item in recipe.paths)):
            add(each)
        ordered[obj] = None

    wanted = {each for each in watching.results() if recipe_of(each).on_frame_change and is_among(each, scene.objects)}
    for obj in list(wanted):
        add(obj)
    return list(ordered)


@cast(Any, bpy.app.handlers).persistent  # type: ignore[untyped-decorator]
def _on_frame(scene: bpy.types.Scene, depsgraph: bpy.types.Depsgraph | None = None) -> None:
    """Carve the results that are carved at every frame."""
    rendered = depsgraph is not None and depsgraph.mode == "RENDER"
    for obj in animated(scene):
        if not watching.is_held(obj):
            _carve(scene, obj, rendered)


def _carve(scene: bpy.types.Scene, obj: bpy.types.Object, rendered: bool) -> None:
    """Carve one result. The panel shows errors, and the mesh then stays as it is."""
    if not bpy.app.background and is_rendering() and not scene.render.use_lock_interface:
        set_message(obj, Sentence("Not carved in renders: switch Lock Interface on, in the menu Render"))
        return
    job = blocking_job()
    if job and not job.is_answering:  # a job that sets the frame itself, as baking does, is waiting
        set_message(obj, Sentence("Not carved at this frame: another job was running"))
        return
    preempt()
    try:
        with context_of(scene) as context:
            if rendered:  # renders have their own depsgraph; the view layer's, which is read, is still at another frame
                cast(bpy.types.ViewLayer, context.view_layer).update()
            carve_now(context, obj)
    except CarveError as error:
        set_message(obj, error)
        if bpy.app.background:  # nobody sees the panel
            logger.warning("'%s' was not carved at frame %d: %s", obj.name, scene.frame_current, error)
    except Exception as error:
        logger.exception("'%s' could not be carved at frame %d", obj.name, scene.frame_current)
        sentence = Sentence("Update on Frame Change was switched off: {error}", error=repr(error))
        set_message(obj, sentence)
        recipe_of(obj).on_frame_change = False


def register() -> None:
    """Add the handlers that carve at every frame."""
    cast(Any, bpy.app.handlers).frame_change_post.append(_on_frame)


def unregister() -> None:
    """Remove the handlers."""
    cast(Any, bpy.app.handlers).frame_change_post.remove(_on_frame)
