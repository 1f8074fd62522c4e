"""Normals: read from the faces of a stock, and given to those of a result.

A result gets them as free custom normals: vectors in the mesh's own space, which Blender takes as they are. Its other
kind of custom normals, relative to the faces around a corner, takes more time to make than a carve.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, cast

import bpy
import numpy as np
import numpy.typing as npt

from ..compute.attributes import CornerData

Floats = npt.NDArray[np.floating[Any]]
Indices = npt.NDArray[np.int32]

CUSTOM_NORMAL, FREE = "custom_normal", "FLOAT_VECTOR"  # Blender's own name of the attribute, and its type


@dataclass(frozen=True)
class StockNormals:
    """The normals that a stock is shown with.

    Attributes:
        data: unit normals at the corners of its triangles, in world space.
        smooth: (T,) bool, which triangles they belong to; the others are flat.
    """

    data: CornerData
    smooth: npt.NDArray[np.bool_]


def read_normals(
    mesh: bpy.types.Mesh, matrix: Floats, loops: Indices, triangles: Indices, smooth: npt.NDArray[np.bool_]
) -> StockNormals | None:
    """The normals of an evaluated mesh; None if all of its faces are flat.

    Args:
        mesh: the mesh.
        matrix: (4, 4) its transform to world space.
        loops, triangles: (T, 3) its triangles, as corners and as vertices.
        smooth: (T,) bool, whether the face of each is shaded smooth.
    """
    if smooth.any() and not mesh.has_custom_normals and mesh.normals_domain == "POINT":
        return StockNormals(CornerData(to_world(_vectors(mesh.vertex_normals), matrix), triangles), smooth)
    attribute = mesh.attributes.get(CUSTOM_NORMAL)
    if attribute is not None and attribute.data_type == FREE:
        smooth = np.ones(len(smooth), dtype=bool)  # these are shown on flat faces too
        if attribute.domain == "CORNER":
            # Asked for the normals of the corners, Blender 4.5 then gives what happens to be in memory.
            return StockNormals(CornerData(to_world(_vectors(cast(Any, attribute).data), matrix), loops), smooth)
    if not smooth.any():
        return None
    return StockNormals(CornerData(to_world(_vectors(mesh.corner_normals), matrix), loops), smooth)


def joined_normals(parts: Sequence[tuple[StockNormals | None, int]]) -> StockNormals | None:
    """The normals of meshes that become one, each with its number of triangles; None if all of them are flat."""
    known = [normals for normals, _ in parts if normals is not None]
    if not known:
        return None
    first = np.cumsum([0, *(len(normals.data.values) for normals in known)]).tolist()
    index, smooth = [], []
    for normals, count in parts:
        own = normals or StockNormals(_nothing(count), np.zeros(count, dtype=bool))
        index.append(own.data.index + (first.pop(0) if normals else 0))
        smooth.append(own.smooth)
    values = np.concatenate([normals.data.values for normals in known])
    return StockNormals(CornerData(values, np.concatenate(index)), np.concatenate(smooth))


def to_world(normals: npt.NDArray[np.float32], matrix: Floats) -> npt.NDArray[np.float32]:
    """Normals (N, 3) of an object in world space; outward ones stay so, though the transform mirror it."""
    return _unit(normals @ np.linalg.inv(matrix[:3, :3]))


def to_local(normals: npt.NDArray[np.float32], matrix: Floats) -> npt.NDArray[np.float32]:
    """Normals (..., 3) in world space, in the space of an object with this transform (4, 4) to world space."""
    return _unit(normals.reshape(-1, 3) @ matrix[:3, :3]).reshape(normals.shape)


def add_normals(mesh: bpy.types.Mesh, normals: npt.NDArray[np.float32]) -> None:
    """Give the corners of a mesh these custom normals, (C, 3)."""
    attribute = mesh.attributes.new(CUSTOM_NORMAL, cast(Any, FREE), "CORNER")
    cast(Any, attribute).data.foreach_set("vector", normals.ravel())


def _nothing(count: int) -> CornerData:
    """Data for triangles whose normals are never asked for."""
    return CornerData(np.empty((0, 3), dtype=np.float32), np.zeros((count, 3), dtype=np.int32))


def _vectors(collection: Any) -> npt.NDArray[np.float32]:
    values = np.empty(3 * len(collection), dtype=np.float32)
    collection.foreach_get("vector", values)
    return values.reshape(-1, 3)


def _unit(vectors: Floats) -> npt.NDArray[np.float32]:
    length = np.linalg.norm(vectors, axis=1, keepdims=True)
    some = length > 0
    unit: npt.NDArray[np.float32] = np.empty(vectors.shape, dtype=np.float32)
    # Not by `where`: numpy casts what it leaves out as well, whatever stands there, and may warn of it.
    np.divide(vectors, np.where(some, length, 1), out=unit, casting="same_kind")
    unit[~some[:, 0]] = 0
    return unit
