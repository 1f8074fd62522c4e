"""When paths are drawn as wire, and stocks hidden, or both as before: after undo, redo and loading, and when a result
was deleted."""

from typing import Any, cast

import bpy

from ..recipes.path_display import settle_displays
from ..recipes.stock_display import hide_stocks_again, settle_stocks

_persistent = cast(Any, bpy.app.handlers).persistent
# The number of objects at the last change of the scene.
_count = 0


@_persistent  # type: ignore[untyped-decorator]
def _on_update(scene: bpy.types.Scene, depsgraph: bpy.types.Depsgraph) -> None:
    """Notice that objects were deleted. Nothing may be written while the scene is being evaluated."""
    global _count
    before, _count = _count, len(bpy.data.objects)
    if _count < before and not bpy.app.timers.is_registered(_settle):
        bpy.app.timers.register(_settle, first_interval=0.0)


@_persistent  # type: ignore[untyped-decorator]
def _after_undo(*_: object) -> None:
    hide_stocks_again()
    _settle()


@_persistent  # type: ignore[untyped-decorator]
def _after_load(*_: object) -> None:
    _settle()


def _settle() -> None:
    settle_displays()
    settle_stocks()


_HANDLERS = (
    ("depsgraph_update_post", _on_update),
    ("undo_post", _after_undo),
    ("redo_post", _after_undo),
    ("load_post", _after_load),
)


def register() -> None:
    """Add the handlers."""
    for name, handler in _HANDLERS:
        getattr(bpy.app.handlers, name).append(handler)


def unregister() -> None:
    """Remove the handlers."""
    for name, handler in reversed(_HANDLERS):
        getattr(bpy.app.handlers, name).remove(handler)
    if bpy.app.timers.is_registered(_settle):
        bpy.app.timers.unregister(_settle)
