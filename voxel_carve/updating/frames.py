"""Results that are carved again at every frame, in the viewport and in renders."""

import logging
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Any, cast

import bpy

from ..compute import CarveError
from ..operators.carve_reading import carve_options
from ..operators.carving import compute_carve
from ..operators.recarving import read_recarve, rewrite
from ..operators.running import busy_job, directly, make_way
from ..recipes import loose_materials, watching
from ..recipes.recipe import recipe_of, set_message, shown

logger = logging.getLogger(__name__)


def carve_now(context: bpy.types.Context, thing: bpy.types.Object) -> None:
    """Carve a result again in full, and wait for it; do nothing where it shows that already.

    Raises:
        CarveError: it cannot be.
    """
    with ExitStack() as copies, loose_materials.watched(thing):
        recarve = read_recarve(context, thing, carve_options(recipe_of(thing), context), copies)
        if recarve.fingerprint() != shown(thing):
            rewrite(recarve, compute_carve(recarve.read, recarve.options, lambda *_: None, directly))


def animated(scene: bpy.types.Scene) -> list[bpy.types.Object]:
    """The results of a scene that are carved at every frame, each after those that it is made of."""
    ordered: dict[bpy.types.Object, None] = {}

    def add(thing: bpy.types.Object | None) -> None:
        if thing not in wanted:
            return
        wanted.remove(thing)
        recipe = cast(Any, recipe_of(thing))
        for each in (recipe.stock, *(item.path for item in recipe.paths)):
            add(each)
        ordered[thing] = None

    wanted = {each for each in watching.results() if recipe_of(each).on_frame_change and each.name in scene.objects}
    for thing in list(wanted):
        add(thing)
    return list(ordered)


@cast(Any, bpy.app.handlers).persistent  # type: ignore[untyped-decorator]
def _on_frame(scene: bpy.types.Scene, depsgraph: bpy.types.Depsgraph | None = None) -> None:
    """Carve what is carved at every frame."""
    for thing in animated(scene):
        if not watching.is_held(thing):
            _carve(scene, thing, rendered=depsgraph is not None and depsgraph.mode == "RENDER")


def _carve(scene: bpy.types.Scene, thing: bpy.types.Object, rendered: bool) -> None:
    """Carve one result; what goes wrong is told in the panel, and the mesh stays as it is."""
    if not bpy.app.background and cast(Any, bpy.app).is_job_running("RENDER") and not scene.render.use_lock_interface:
        set_message(thing, "Not carved in renders: switch Lock Interface on, in the menu Render")
        return
    if busy_job():
        set_message(thing, "Not carved at this frame: another job was running")
        return
    make_way()
    try:
        with _context_of(scene) as context:
            if rendered:  # with a depsgraph of its own: the view layer's, which is read, is still at another frame
                cast(bpy.types.ViewLayer, context.view_layer).update()
            carve_now(context, thing)
    except CarveError as error:
        text = str(error)
        set_message(thing, text[:1].upper() + text[1:])
    except Exception as error:
        logger.exception("'%s' could not be carved at frame %d", thing.name, scene.frame_current)
        set_message(thing, f"Update on Frame Change was switched off: {error!r}")
        recipe_of(thing).on_frame_change = False


@contextmanager
def _context_of(scene: bpy.types.Scene) -> Iterator[bpy.types.Context]:
    """The context, in this scene."""
    if bpy.context.scene == scene:
        yield bpy.context
        return
    with cast(Any, bpy.context).temp_override(scene=scene, view_layer=scene.view_layers[0]):
        yield bpy.context


def register() -> None:
    """Carve at every frame from now on."""
    cast(Any, bpy.app.handlers).frame_change_post.append(_on_frame)


def unregister() -> None:
    """Carve at frames no longer."""
    cast(Any, bpy.app.handlers).frame_change_post.remove(_on_frame)
