"""Materials that meshes were given between two undo steps.

Undo keeps a mesh as it finds it where two steps do not tell it apart, with all that it points at; a material that came
with a later step, or with none, is taken away all the same. So pointers to materials that no step knows of are taken
out before, and put back where the material is still there.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import cast

import bpy

from .recipe import set_shown, shown
from .watching import results

# Meshes, by `session_uid`, whose materials have changed outside of an undo step, and the materials taken from them.
_loose: set[int] = set()
_taken: dict[int, list[int | None]] = {}


@contextmanager
def watched(obj: bpy.types.Object) -> Iterator[None]:
    """Note whether the mesh of an object gets other materials in the `with` block."""
    before = _materials(obj)
    try:
        yield
    finally:
        if _materials(obj) != before:
            _loose.add(cast(bpy.types.Mesh, obj.data).session_uid)


def take() -> None:
    """Take the materials out: undo comes."""
    for mesh in bpy.data.meshes if _loose else ():
        if mesh.session_uid in _loose:
            _taken[mesh.session_uid] = [each.session_uid if each else None for each in mesh.materials]
            for slot in range(len(mesh.materials)):
                mesh.materials[slot] = None


def give_back() -> None:
    """Put those back that are there still. Where one is not, the result is known to be old."""
    there = {material.session_uid: material for material in bpy.data.materials} if _taken else {}
    for obj in results() if _taken else ():
        mesh = cast(bpy.types.Mesh, obj.data)
        taken = _taken.pop(mesh.session_uid, None)
        if taken is None or any(mesh.materials) or len(mesh.materials) != len(taken):
            continue
        for slot, uid in enumerate(taken):
            mesh.materials[slot] = None if uid is None else there.get(uid)
            if uid is not None and uid not in there and shown(obj):
                set_shown(obj, "")
    _taken.clear()


def forget() -> None:
    """The file is another."""
    _loose.clear()
    _taken.clear()


def _materials(obj: bpy.types.Object) -> list[bpy.types.Material | None]:
    return list(cast(bpy.types.Mesh, obj.data).materials)
