"""Hashes of what a carve reads."""

import hashlib
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from typing import Any

import bpy
import numpy as np

from ...compute import TriMesh
from ...scene.provenance import StockFaces


def stock_digest(faces: StockFaces) -> str:
    """A hash of a stock: all but its materials, which Blender may rename or remove meanwhile."""
    return digest(faces.mesh, faces.slot, faces.smooth, faces.layers, faces.normals)


def digest(*values: Any) -> str:
    """A hash of arrays, plain values, materials, and containers of these, as 32 hexadecimal digits."""
    found = hashlib.blake2b(digest_size=16)
    for value in values:
        _feed(found, value)
    return found.hexdigest()


def _feed(found: "hashlib.blake2b", value: Any) -> None:
    if isinstance(value, np.ndarray):
        found.update(f"{value.dtype.str}{value.shape}".encode())
        found.update(np.ascontiguousarray(value).data if value.size else b"")
    elif isinstance(value, TriMesh):  # without its name
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
