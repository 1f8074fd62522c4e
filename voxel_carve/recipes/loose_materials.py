"""Materials that were assigned to meshes between two undo steps.

Undo leaves a mesh and its pointers alone if two steps do not differ in it, yet removes materials from a later step or
from none. So pointers to materials that no step knows are cleared before undo, and restored if the material still
exists.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import cast

import bpy

from .recipe import set_shown_fingerprint, shown_fingerprint
from .watching import results

# The meshes, by `session_uid`, whose materials changed outside an undo step, and the materials detached from them.
_loose: set[int] = set()
_detached: dict[int, list[int | None]] = {}


@contextmanager
def watched(obj: bpy.types.Object) -> Iterator[None]:
    """Record the mesh of an object if it gets other materials in the `with` block."""
    before = _materials(obj)
    try:
        yield
    finally:
        if _materials(obj) != before:
            _loose.add(cast(bpy.types.Mesh, obj.data).session_uid)


def detach() -> None:
    """Clear the material pointers before undo."""
    for mesh in bpy.data.meshes if _loose else ():
        if mesh.session_uid in _loose:
            _detached[mesh.session_uid] = [each.session_uid if each else None for each in mesh.materials]
            for slot in range(len(mesh.materials)):
                mesh.materials[slot] = None


def reattach() -> None:
    """Restore the materials that still exist. If one does not, the result counts as outdated."""
    there = {material.session_uid: material for material in bpy.data.materials} if _detached else {}
    for obj in results() if _detached else ():
        mesh = cast(bpy.types.Mesh, obj.data)
        detached = _detached.pop(mesh.session_uid, None)
        if detached is None or any(mesh.materials) or len(mesh.materials) != len(detached):
            continue
        for slot, uid in enumerate(detached):
            mesh.materials[slot] = None if uid is None else there.get(uid)
            if uid is not None and uid not in there and shown_fingerprint(obj):
                set_shown_fingerprint(obj, "")
    _detached.clear()


def forget() -> None:
    """Drop everything, because another file was loaded."""
    _loose.clear()
    _detached.clear()


def _materials(obj: bpy.types.Object) -> list[bpy.types.Material | None]:
    return list(cast(bpy.types.Mesh, obj.data).materials)
