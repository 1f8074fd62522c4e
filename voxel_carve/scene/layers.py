"""UV maps, colour attributes and vertex groups: read from a stock, and transferred to the result.

The values are made on any thread; only the functions that have a mesh or an object as an argument ask Blender.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, cast

import bpy
import numpy as np
import numpy.typing as npt

from ..compute import Surface, TriMesh
from ..compute.attributes import CornerData, Places, Walker, corner_values, joined_triangles, point_places
from .face_corners import FaceCorners

Floats = npt.NDArray[np.float32]
Indices = npt.NDArray[np.int32]

UV, BYTE_COLOR, FLOAT_COLOR = "FLOAT2", "BYTE_COLOR", "FLOAT_COLOR"
# Temporary name of the attribute that is converted to a vertex group; no other attribute may have it.
_WEIGHTS = "voxel_carve_weights"


@dataclass(frozen=True)
class Layer:
    """A UV map or a colour attribute.

    Attributes:
        name: its name in the stock.
        kind: FLOAT2 for a UV map, else FLOAT_COLOR or BYTE_COLOR; both hold linear colours.
        domain: CORNER or POINT.
        data: values at the corners of the stock's triangles.
    """

    name: str
    kind: str
    domain: str
    data: CornerData


@dataclass(frozen=True)
class VertexGroups:
    """The weights of a stock's vertices.

    Attributes:
        names: the group names.
        active: index of the active group, -1 for none.
        vertex, group: (W,) int32, the vertex and the group of each weight.
        weight: (W,) float32, above 0.
    """

    names: tuple[str, ...]
    active: int
    vertex: Indices
    group: Indices
    weight: Floats


@dataclass(frozen=True)
class Layers:
    """The attributes of a stock, other than shape and materials.

    Attributes:
        layers: UV maps and colour attributes, in order.
        groups: its vertex groups, None without any.
        active_uv, render_uv, active_color, render_color: layer names, empty for none.
    """

    layers: tuple[Layer, ...] = ()
    groups: VertexGroups | None = None
    active_uv: str = ""
    render_uv: str = ""
    active_color: str = ""
    render_color: str = ""

    def __bool__(self) -> bool:
        return bool(self.layers or self.groups)


def read_layers(obj: bpy.types.Object, mesh: bpy.types.Mesh, loops: Indices, triangles: Indices) -> Layers:
    """The layers of an evaluated object and its mesh, for triangles given as loops (T, 3) and as vertices (T, 3)."""
    layers = []
    for attribute in mesh.attributes:
        uv = attribute.data_type == UV and attribute.domain == "CORNER" and not attribute.name.startswith(".")
        if uv or (attribute.data_type in (BYTE_COLOR, FLOAT_COLOR) and attribute.domain in ("CORNER", "POINT")):
            index = loops if attribute.domain == "CORNER" else triangles
            data = CornerData(_attribute_values(attribute, "vector" if uv else "color", 2 if uv else 4), index)
            layers.append(Layer(attribute.name, attribute.data_type, attribute.domain, data))
    uvs, colors = mesh.uv_layers, mesh.color_attributes
    return Layers(
        tuple(layers),
        read_groups(obj, mesh),
        uvs.active.name if uvs.active else "",
        next((uv.name for uv in uvs if uv.active_render), ""),
        colors.active_color_name or "",
        colors.default_color_name or "",
    )


def _attribute_values(attribute: Any, name: str, width: int) -> Floats:
    values = np.empty(width * len(attribute.data), dtype=np.float32)
    attribute.data.foreach_get(name, values)
    return values.reshape(-1, width)


def read_groups(obj: bpy.types.Object, mesh: bpy.types.Mesh) -> VertexGroups | None:
    """Read weights one by one, because Blender offers no array of them: about a second per million."""
    groups = obj.vertex_groups
    if not groups:
        return None
    found = [
        (index, entry.group, entry.weight) for index, vertex in enumerate(mesh.vertices) for entry in vertex.groups
    ]
    vertex, group, weight = zip(*found, strict=True) if found else ((), (), ())
    return VertexGroups(
        tuple(each.name for each in groups),
        -1 if groups.active_index is None else groups.active_index,
        np.array(vertex, dtype=np.int32),
        np.array(group, dtype=np.int32),
        np.array(weight, dtype=np.float32),
    )


@dataclass
class Transfer:
    """Transfers the layers of a stock to the mesh of a surface made from it.

    Attributes:
        stock: the stock's triangles.
        layers: the layers to transfer.
        surface: the surface; it records which triangle each face comes from.
    """

    stock: TriMesh
    layers: Layers
    surface: Surface
    _places: Places | None = field(default=None, init=False)

    def layer_values(self, corners: FaceCorners) -> list[Floats]:
        """The values of the layers at the corners (C, K) or points (N, K) of the mesh."""
        values = self._corner_layers()
        return [
            self._points().values(layer.data, len(self.surface.points))
            if layer.domain == "POINT"
            else np.ascontiguousarray(corners.reordered(values.pop(layer.name)))
            for layer in self.layers.layers
        ]

    def group_weights(self) -> "list[GroupWeights | None]":
        """The weights of the vertex groups."""
        if self.layers.groups is None:
            return []
        triangles, places, count = self.stock.triangles, self._points(), len(self.surface.points)
        return made_weights(
            self.layers.groups,
            len(self.stock.points),
            lambda weights: places.values(CornerData(weights, triangles), count),
        )

    def _corner_layers(self) -> dict[str, Floats]:
        """Values (M, K, C) of the corner layers, by name. Layers with the same seams share one walk."""
        shared: dict[tuple[bytes, bool], list[Layer]] = {}
        joined = {}
        for layer in self.layers.layers:
            if layer.domain == "CORNER":
                found = joined_triangles(self.stock.triangles, layer.data)
                key = (found.tobytes(), layer.kind == UV)
                joined[key] = found
                shared.setdefault(key, []).append(layer)
        values: dict[str, Floats] = {}
        for key, layers in shared.items():
            walker = Walker(self.stock.corners(), joined[key])
            carried = corner_values(walker, self.surface, [layer.data for layer in layers], beyond=key[1])
            values.update(zip((layer.name for layer in layers), carried, strict=True))
        return values

    def _points(self) -> Places:
        if self._places is None:
            walker = Walker(self.stock.corners(), joined_triangles(self.stock.triangles))
            self._places = point_places(walker, self.surface)
        return self._places


@dataclass(frozen=True)
class GroupWeights:
    """The weights of a vertex group: (W,) vertices, and their weights (W,), without those of 0."""

    vertex: npt.NDArray[np.int64]
    weight: Floats


def made_weights(groups: VertexGroups, count: int, weights: Callable[[Floats], Floats]) -> list[GroupWeights | None]:
    """The weights of an object made from a stock with `count` vertices, for each group; None for an empty group.

    `weights` makes the weights (N, 1) of the object's vertices from those of the stock's (count, 1).
    """
    of_stock = np.empty((count, 1), dtype=np.float32)
    made: list[GroupWeights | None] = []
    for number in range(len(groups.names)):
        own = groups.group == number
        if not own.any():
            made.append(None)
            continue
        of_stock[:] = 0
        of_stock[groups.vertex[own], 0] = groups.weight[own]
        found = weights(of_stock)[:, 0]
        vertex = np.flatnonzero(found)
        made.append(GroupWeights(vertex, found[vertex]))
    return made


def add_layers(obj: bpy.types.Object, layers: Layers, values: Sequence[Floats]) -> None:
    """Give an object's mesh UV maps and colours, with the values of each at corners (C, K) or points (N, K)."""
    mesh = cast(bpy.types.Mesh, obj.data)
    active = mesh.attributes.active_index
    for layer, found in zip(layers.layers, values, strict=True):
        # Blender takes numbers of the attribute's own type at once, and bytes of colours one by one.
        kind = FLOAT_COLOR if layer.kind == BYTE_COLOR else layer.kind
        attribute = cast(Any, mesh.attributes.new(layer.name, cast(Any, kind), cast(Any, layer.domain)))
        attribute.data.foreach_set("vector" if layer.kind == UV else "color", found.ravel())
        if kind != layer.kind:
            _convert(obj, attribute, mode="GENERIC", domain=layer.domain, data_type=layer.kind)
    mesh.attributes.active_index = active
    uvs, colors = mesh.uv_layers, mesh.color_attributes
    if layers.active_uv in uvs:
        uvs.active = uvs[layers.active_uv]
    if layers.render_uv in uvs:
        uvs[layers.render_uv].active_render = True
    if layers.active_color in colors:
        colors.active_color_name = layers.active_color
    if layers.render_color in colors:
        colors.default_color_name = layers.render_color


def add_groups(obj: bpy.types.Object, groups: VertexGroups, weights: Sequence[GroupWeights | None]) -> None:
    """Give an object without vertex groups these, with their weights.

    An operator converts an attribute to a group in one call; a script would have to set each weight.
    """
    for number, (name, found) in enumerate(zip(groups.names, weights, strict=True)):
        if found is None:
            obj.vertex_groups.new(name=_WEIGHTS)
        else:
            _new_group(obj, found)
        obj.vertex_groups[number].name = name
    obj.vertex_groups.active_index = groups.active


def _new_group(obj: bpy.types.Object, weights: GroupWeights) -> None:
    mesh = cast(bpy.types.Mesh, obj.data)
    values = np.zeros(len(mesh.vertices), dtype=np.float32)
    values[weights.vertex] = weights.weight
    attribute = cast(Any, mesh.attributes.new(_WEIGHTS, "FLOAT", "POINT"))
    attribute.data.foreach_set("value", values)
    _convert(obj, attribute, mode="VERTEX_GROUP")


def _convert(obj: bpy.types.Object, attribute: Any, **options: Any) -> None:
    """Convert an attribute of an object's mesh."""
    cast(bpy.types.Mesh, obj.data).attributes.active = attribute
    with cast(Any, bpy.context).temp_override(object=obj, active_object=obj):
        bpy.ops.geometry.attribute_convert(**options)
