"""Which results depend on which data-blocks, so that a look-up finds the results that a change affects.

Objects are identified by their `session_uid`, because undo and loading a file invalidate Python's references to them.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, cast

import bpy

from .recipe import is_recipe, recipe_of, set_message


@dataclass(frozen=True)
class Watch:
    """The objects that the results of a file depend on.

    Attributes:
        results: the name of each result by its uid.
        by_stock, by_path: the uids of results, by the uid of their stock or a path, or of its data.
        count: the number of objects in the file.
    """

    results: dict[int, str] = field(default_factory=dict)
    by_stock: dict[int, set[int]] = field(default_factory=dict)
    by_path: dict[int, set[int]] = field(default_factory=dict)
    count: int = 0

    @classmethod
    def of_file(cls) -> "Watch":
        """The dependencies of the current file."""
        watch = cls(count=len(bpy.data.objects))
        for obj in bpy.data.objects:
            if not is_recipe(obj):
                continue
            uid, recipe = obj.session_uid, cast(Any, recipe_of(obj))
            watch.results[uid] = obj.name
            for each in _with_data(recipe.stock):
                watch.by_stock.setdefault(each, set()).add(uid)
            for item in recipe.paths:
                for each in _with_data(item.path):
                    watch.by_path.setdefault(each, set()).add(uid)
        return watch


_watch: Watch | None = None
# The results whose inputs may have changed since they were last compared, and those that then differed.
_unsure: set[int] = set()
_outdated: set[int] = set()
# Results that a change of frame does not update.
_held: set[int] = set()


def watch() -> Watch:
    """The current dependencies, rebuilt if objects were added or removed, or after `forget_watch`."""
    global _watch  # noqa: PLW0603 - one file is open at a time
    if _watch is None or _watch.count != len(bpy.data.objects):
        _watch = Watch.of_file()
    return _watch


def forget_watch() -> None:
    """Drop the dependencies, because a recipe or the file has changed."""
    global _watch  # noqa: PLW0603 - one file is open at a time
    _watch = None


def is_outdated(obj: bpy.types.Object) -> bool:
    """Whether a result differed from its inputs when they were last compared."""
    return obj.session_uid in _outdated


def is_unsure(obj: bpy.types.Object) -> bool:
    """Whether the inputs of a result may have changed since they were last compared."""
    return obj.session_uid in _unsure


def mark_unsure(obj: bpy.types.Object) -> None:
    """Record that an input of a result may have changed, and with that those of results that are carved from it."""
    left = [obj.session_uid]
    seen = set(left)
    while left:
        uid = left.pop()
        _unsure.add(uid)
        following = watch().by_stock.get(uid, set()) | watch().by_path.get(uid, set())
        left += following - seen
        seen |= following


def mark_compared(obj: bpy.types.Object, equal: bool) -> None:
    """Record whether a result shows its current inputs, and clear its message."""
    set_message(obj, "")
    _unsure.discard(obj.session_uid)
    (_outdated.discard if equal else _outdated.add)(obj.session_uid)


@contextmanager
def held(uid: int) -> Iterator[None]:
    """Keep changes of frame from updating the result with this uid in the `with` block, because the caller does."""
    _held.add(uid)
    try:
        yield
    finally:
        _held.discard(uid)


def is_held(obj: bpy.types.Object) -> bool:
    """Whether a result is held."""
    return obj.session_uid in _held


def result(uid: int) -> bpy.types.Object | None:
    """The object of a result; None if it was deleted, or has no recipe."""
    for _ in range(2):
        name = watch().results.get(uid)
        obj = bpy.data.objects.get(name) if name is not None else None
        if obj is not None and obj.session_uid == uid and is_recipe(obj):
            return obj
        forget_watch()  # it may have been renamed
    return None


def results() -> Iterator[bpy.types.Object]:
    """All results of the file."""
    for uid in list(watch().results):
        obj = result(uid)
        if obj is not None:
            yield obj


def _with_data(obj: bpy.types.Object | None) -> tuple[int, ...]:
    if obj is None:
        return ()
    return (obj.session_uid,) if obj.data is None else (obj.session_uid, obj.data.session_uid)
