"""When paths are drawn as wire, or as before: after undo, redo and loading, and when a result was deleted."""

from typing import Any, cast

import bpy

from ..recipes.path_display import settle_displays

_persistent = cast(Any, bpy.app.handlers).persistent
# The number of objects at the last change of the scene.
_count = 0


@_persistent  # type: ignore[untyped-decorator]
def _on_update(scene: bpy.types.Scene, depsgraph: bpy.types.Depsgraph) -> None:
    """Notice that objects were deleted. Nothing may be written while the scene is being evaluated."""
    global _count
    before, _count = _count, len(bpy.data.objects)
    if _count < before and not bpy.app.timers.is_registered(settle_displays):
        bpy.app.timers.register(settle_displays, first_interval=0.0)


@_persistent  # type: ignore[untyped-decorator]
def _after_undo(*_: object) -> None:
    settle_displays()


_HANDLERS = (
    ("depsgraph_update_post", _on_update),
    ("undo_post", _after_undo),
    ("redo_post", _after_undo),
    ("load_post", _after_undo),
)


def register() -> None:
    """Add the handlers."""
    for name, handler in _HANDLERS:
        getattr(bpy.app.handlers, name).append(handler)


def unregister() -> None:
    """Remove the handlers."""
    for name, handler in reversed(_HANDLERS):
        getattr(bpy.app.handlers, name).remove(handler)
    if bpy.app.timers.is_registered(settle_displays):
        bpy.app.timers.unregister(settle_displays)
