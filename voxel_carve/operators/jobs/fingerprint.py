"""A hash of everything that a carve reads, to tell whether its inputs have changed."""

import hashlib
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from typing import Any

import bpy
import numpy as np

from ...compute import TriMesh
from ...scene.provenance import StockFaces
from .carve_reading import CarveOptions, ReadStock

# The settings that affect the faces, besides arrays, lengths and materials. All backends give the same faces.
_SETTINGS = ("result", "adaptivity", "tolerance", "shade_smooth", "transfer_attributes", "custom_normals")


def fingerprint(read: ReadStock, options: CarveOptions, stock: str | None = None) -> str:
    """A hash of the inputs of a carve: equal if they are equal to the last bit; object names do not matter.

    Args:
        read: the inputs.
        options: of the carve.
        stock: the `stock_digest` of its stock, if it is known.
    """
    known = read.provenance
    place = np.array(read.obj.matrix_world)
    settings = tuple(options.settings[name] for name in _SETTINGS)
    own = (stock or stock_digest(known.stock), known.stock.materials)
    return digest(own, read.sweep, known.cut, known.shading, read.voxel_size, place, read.operations, settings)


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
