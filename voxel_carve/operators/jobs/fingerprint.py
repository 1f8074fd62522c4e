"""Whether the inputs of a carve are those of another time: all that was read, in a few bytes."""

import hashlib
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from typing import Any

import bpy
import numpy as np

from ...compute import TriMesh
from .carve_reading import CarveOptions, ReadStock

# What else than arrays, lengths and materials decides about the faces. Every backend gives the same ones.
_SETTINGS = ("operation", "result", "adaptivity", "tolerance", "shade_smooth", "transfer_attributes")


def fingerprint(read: ReadStock, options: CarveOptions) -> str:
    """The inputs of a carve: equal where they are equal to the last bit, whatever the objects are called."""
    place = np.array(read.obj.matrix_world)
    settings = tuple(options.asked[name] for name in _SETTINGS)
    return digest(read.mesh, read.sweep, read.provenance, read.voxel_size, place, settings)


def digest(*values: Any) -> str:
    """Arrays, plain values, materials, and what is made of these, as 32 hexadecimal digits."""
    found = hashlib.blake2b(digest_size=16)
    for value in values:
        _feed(found, value)
    return found.hexdigest()


def _feed(found: "hashlib.blake2b", value: Any) -> None:
    if isinstance(value, np.ndarray):
        found.update(f"{value.dtype.str}{value.shape}".encode())
        found.update(np.ascontiguousarray(value).data if value.size else b"")
    elif isinstance(value, TriMesh):  # but not its name
        _feed(found, (value.points, value.triangles))
    elif isinstance(value, bpy.types.ID):
        found.update(value.name_full.encode())
    elif is_dataclass(value):
        for field in fields(value):
            found.update(field.name.encode())
            _feed(found, getattr(value, field.name))
    elif isinstance(value, Mapping):
        _feed(found, tuple(sorted(value.items())))
    elif isinstance(value, tuple | list):
        found.update(f"({len(value)}".encode())
        for each in value:
            _feed(found, each)
    else:
        plain = value.item() if isinstance(value, np.generic) else value
        found.update(repr(plain).encode())
