"""The attributes of a Blender mesh as arrays."""

from typing import Any, cast

import bpy
import numpy as np
import numpy.typing as npt

# By data type of an attribute: the name that foreach_get and foreach_set take, numbers per element, and number type.
VALUES: dict[str, tuple[str, int, Any]] = {
    "FLOAT": ("value", 1, np.float32),
    "INT": ("value", 1, np.int32),
    "BOOLEAN": ("value", 1, np.bool_),
    "INT8": ("value", 1, np.int32),
    "INT16_2D": ("value", 2, np.int32),
    "INT32_2D": ("value", 2, np.int32),
    "FLOAT2": ("vector", 2, np.float32),
    "FLOAT_VECTOR": ("vector", 3, np.float32),
    "QUATERNION": ("value", 4, np.float32),
    "FLOAT4X4": ("value", 16, np.float32),
    "FLOAT_COLOR": ("color", 4, np.float32),
    "BYTE_COLOR": ("color_srgb", 4, np.float32),
}


def transform_points(matrix: npt.NDArray[np.floating[Any]], points: npt.NDArray[Any]) -> npt.NDArray[np.float64]:
    """Transform points (N, 3) by a matrix (4, 4). Written out, because a matrix product is slower for three columns."""
    x, y, z = (column.astype(np.float64) for column in points.T)
    placed = np.empty((len(points), 3))
    for axis in range(3):
        placed[:, axis] = x * matrix[axis, 0] + y * matrix[axis, 1] + z * matrix[axis, 2] + matrix[axis, 3]
    return placed


def get_values(mesh: bpy.types.Mesh, name: str) -> npt.NDArray[Any]:
    """The values of an attribute: (N,), or (N, k) where an element has k numbers."""
    attribute = cast(Any, mesh.attributes[name])
    field, size, kind = VALUES[attribute.data_type]
    values = np.empty(len(attribute.data) * size, dtype=kind)
    attribute.data.foreach_get(field, values)
    return values if size == 1 else values.reshape(-1, size)


def set_values(mesh: bpy.types.Mesh, name: str, values: npt.NDArray[Any]) -> None:
    """The inverse of `get_values`."""
    attribute = cast(Any, mesh.attributes[name])
    attribute.data.foreach_set(VALUES[attribute.data_type][0], values.ravel())


def set_face_numbers(mesh: bpy.types.Mesh, name: str, values: npt.NDArray[np.int32]) -> None:
    """Give each face an integer (F,) in a new attribute `name`, which replaces an old one."""
    old = mesh.attributes.get(name)
    if old is not None:
        mesh.attributes.remove(old)
    mesh.attributes.new(name, "INT", "FACE")
    set_values(mesh, name, values)
