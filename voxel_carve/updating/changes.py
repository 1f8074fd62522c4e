"""How often the shapes of objects have changed: a part of the keys that forecasts are known by. Nothing is read for it.

Frames that are played do not count: to renew a forecast at each of them would slow them down.
"""

from typing import Any, cast

import bpy

_persistent = cast(Any, bpy.app.handlers).persistent

_changes: dict[int, int] = {}


def change_count(obj: bpy.types.Object) -> int:
    """How often the shape of an object has changed since this was first asked of it."""
    return _changes.setdefault(obj.session_uid, 0)


def register() -> None:
    """Add the handlers."""
    for name, handler in _HANDLERS:
        getattr(bpy.app.handlers, name).append(handler)


def unregister() -> None:
    """Remove the handlers."""
    for name, handler in reversed(_HANDLERS):
        getattr(bpy.app.handlers, name).remove(handler)
    _changes.clear()


@_persistent  # type: ignore[untyped-decorator]
def _count(_: bpy.types.Scene, depsgraph: bpy.types.Depsgraph) -> None:
    if not _changes:
        return
    for update in depsgraph.updates:
        uid = cast(Any, update.id).original.session_uid
        if update.is_updated_geometry and uid in _changes:
            _changes[uid] += 1


@_persistent  # type: ignore[untyped-decorator]
def _forget(*_: object) -> None:
    """Objects of another file have other numbers."""
    _changes.clear()


_HANDLERS = (("depsgraph_update_post", _count), ("load_post", _forget))
