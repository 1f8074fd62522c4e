"""Which results look at which data-blocks, so that a change of one is known to concern them at the cost of a look-up.

Blender's objects are named by their `session_uid` here: undo and loading a file take the objects themselves away.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, cast

import bpy

from .recipe import is_recipe, recipe_of, set_message


@dataclass(frozen=True)
class Watch:
    """What the results of a file look at.

    Attributes:
        results: the name of each by its uid.
        by_stock, by_path: the uids of results by that of an object, and of its data, that is their stock or a path.
        count: of objects that the file had.
    """

    results: dict[int, str] = field(default_factory=dict)
    by_stock: dict[int, set[int]] = field(default_factory=dict)
    by_path: dict[int, set[int]] = field(default_factory=dict)
    count: int = 0

    @classmethod
    def of_file(cls) -> "Watch":
        """That of the file as it is."""
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
# Results that something has changed for since they were made, and the number of the last such change: those that do not
# follow stay so.
_behind: dict[int, int] = {}
_changes = 0
# Results that are left as they are, whatever frame is set.
_held: set[int] = set()


def watch() -> Watch:
    """What is looked at now; made anew where objects were added or removed, or `forget_watch` was called."""
    global _watch  # noqa: PLW0603 - one file is open at a time
    if _watch is None or _watch.count != len(bpy.data.objects):
        _watch = Watch.of_file()
    return _watch


def forget_watch() -> None:
    """A recipe has changed, or the file."""
    global _watch  # noqa: PLW0603 - one file is open at a time
    _watch = None


def is_behind(obj: bpy.types.Object) -> bool:
    """Whether something has changed since a result was made, as far as that was seen."""
    return obj.session_uid in _behind


def fell_behind(obj: bpy.types.Object) -> None:
    """Something has changed for a result."""
    global _changes  # noqa: PLW0603 - one file is open at a time
    _changes += 1
    _behind[obj.session_uid] = _changes


def changes() -> int:
    """How many changes there were: what is read now has seen so many."""
    return _changes


def caught_up(obj: bpy.types.Object, seen: int | None = None) -> None:
    """A result was made from all as it is, or as it was after so many changes."""
    if seen is None or _behind.get(obj.session_uid, 0) <= seen:
        _behind.pop(obj.session_uid, None)


def up_to_date(obj: bpy.types.Object) -> None:
    """A result shows all as it is."""
    set_message(obj, "")
    caught_up(obj)


@contextmanager
def held(uid: int) -> Iterator[None]:
    """Leave the result of this uid as it is in the `with` block, whatever frame is set: someone else looks after it."""
    _held.add(uid)
    try:
        yield
    finally:
        _held.discard(uid)


def is_held(obj: bpy.types.Object) -> bool:
    """Whether a result is left as it is."""
    return obj.session_uid in _held


def result(uid: int) -> bpy.types.Object | None:
    """The object of a result; None where it is there no more, or has no recipe."""
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
