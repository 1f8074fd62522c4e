"""Results that are carved again at every frame, in the viewport and in renders."""

import logging
from contextlib import ExitStack
from typing import Any, cast

import bpy

from ..backend_status import capitalized
from ..compute import CarveError
from ..operators.jobs.carve_reading import carve_options
from ..operators.jobs.recarving import compute_recarve, read_recarve, rewrite
from ..operators.jobs.running import busy_job, directly, is_rendering, make_way
from ..recipes import loose_materials, watching
from ..recipes.recipe import recipe_of, set_message, shown
from ..scene.presence import is_among
from ..scene.reading.evaluation import context_of

logger = logging.getLogger(__name__)


def carve_now(context: bpy.types.Context, obj: bpy.types.Object) -> None:
    """Carve a result again in full, and wait for it; do nothing where it shows that already.

    Raises:
        CarveError: it cannot be.
    """
    with ExitStack() as copies, loose_materials.watched(obj):
        recarve = read_recarve(context, obj, carve_options(recipe_of(obj), context), copies)
        if recarve.fingerprint() == shown(obj):
            watching.up_to_date(obj)
        else:
            rewrite(recarve, compute_recarve(recarve, lambda *_: None, directly))


def animated(scene: bpy.types.Scene) -> list[bpy.types.Object]:
    """The results of a scene that are carved at every frame, each after those that it is made of."""
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
    """Carve what is carved at every frame."""
    rendered = depsgraph is not None and depsgraph.mode == "RENDER"
    done = [obj for obj in animated(scene) if not watching.is_held(obj) and _carve(scene, obj, rendered)]
    if done:
        # What the frame has changed, and what was written, is told as changes: let that be before all are up to date.
        with context_of(scene) as context:
            cast(bpy.types.ViewLayer, context.view_layer).update()
        for obj in done:
            watching.caught_up(obj)


def _carve(scene: bpy.types.Scene, obj: bpy.types.Object, rendered: bool) -> bool:
    """Carve one result; whether it is. What goes wrong is told in the panel, and the mesh stays as it is."""
    if not bpy.app.background and is_rendering() and not scene.render.use_lock_interface:
        set_message(obj, "Not carved in renders: switch Lock Interface on, in the menu Render")
        return False
    job = busy_job()
    if job and not job.answers:  # one that has set the frame itself, as baking does, waits
        set_message(obj, "Not carved at this frame: another job was running")
        return False
    make_way()
    try:
        with context_of(scene) as context:
            if rendered:  # with a depsgraph of its own: the view layer's, which is read, is still at another frame
                cast(bpy.types.ViewLayer, context.view_layer).update()
            carve_now(context, obj)
        return True
    except CarveError as error:
        set_message(obj, capitalized(str(error)))
    except Exception as error:
        logger.exception("'%s' could not be carved at frame %d", obj.name, scene.frame_current)
        set_message(obj, f"Update on Frame Change was switched off: {error!r}")
        recipe_of(obj).on_frame_change = False
    return False


def register() -> None:
    """Carve at every frame from now on."""
    cast(Any, bpy.app.handlers).frame_change_post.append(_on_frame)


def unregister() -> None:
    """Carve at frames no longer."""
    cast(Any, bpy.app.handlers).frame_change_post.remove(_on_frame)
