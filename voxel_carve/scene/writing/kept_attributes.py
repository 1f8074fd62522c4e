"""The attributes of a kept stock: those of its faces that stay, to the bit, and mixed ones where it was cut."""

from dataclasses import dataclass
from typing import Any, cast

import bpy
import numpy as np
import numpy.typing as npt

from ...compute.boolean import KeptFaces, Mixed
from ...compute.repair import set_apart
from ..shading import CUSTOM_NORMAL, FREE, add_normals
from .arrays import SHARP_ANGLE
from .attributes import VALUES, get_values, set_values
from .kept_normals import face_areas

Values = npt.NDArray[Any]
Indices = npt.NDArray[np.int64]

# What makes up a mesh, and what is told by the faces of a result.
_TOPOLOGY = {"position", ".edge_verts", ".corner_vert", ".corner_edge"}
_SHARP = "sharp_edge"


@dataclass(frozen=True)
class _Elements:
    """The elements of a result in one domain: the stock's element that each is, -1 for a new one, and mixed ones."""

    own: Indices
    mixed: Mixed

    def values(self, values: Values) -> Values:
        """The values (M, ...) of the elements, from those of the stock. New ones get 0, or a mix of the stock's; where
        nothing can be mixed, the value of the nearest."""
        found = np.zeros((len(self.own), *values.shape[1:]), dtype=values.dtype)
        old = np.flatnonzero(self.own >= 0)
        found[old] = values[self.own[old]]
        row, of, weight = self.mixed.row, self.mixed.of, self.mixed.weight
        if values.dtype == np.float32:
            found[row] = np.einsum("kc,kc...->k...", weight, values[of])
        else:
            found[row] = values[of[np.arange(len(row)), weight.argmax(axis=1)]]
        return found


@dataclass(frozen=True)
class KeptArrays:
    """The arrays of a kept stock's mesh, in the types of numbers that Blender keeps.

    Attributes:
        points: (N, 3) the vertices, in the mesh's own space.
        vertices: (C,) the vertex of each corner.
        start: (M,) the first corner of each face.
        values: of attributes of vertices, faces and corners, by name.
        normals: (C, 3) custom normals; None for those that the stock has as an attribute.
    """

    points: npt.NDArray[np.float32]
    vertices: npt.NDArray[np.int32]
    start: npt.NDArray[np.int32]
    values: dict[str, Values]
    normals: npt.NDArray[np.float32] | None = None


def stock_values(stock: bpy.types.Mesh) -> dict[str, tuple[str, Values]]:
    """Domain and values of a stock's attributes of vertices, faces and corners, by name; with "position"."""
    return {
        each.name: (each.domain, get_values(stock, each.name))
        for each in stock.attributes
        if each.name == "position" or (each.domain != "EDGE" and _is_carried(each))
    }


def kept_arrays(stock: dict[str, tuple[str, Values]], kept: KeptFaces, points: npt.NDArray[np.float32]) -> KeptArrays:
    """The arrays of a kept stock's mesh, made on any thread.

    Args:
        stock: its attributes, by `stock_values`.
        kept: the faces.
        points: (N, 3) the vertices, in the mesh's own space. Those of the stock are taken from it.
    """
    positions, old = points.copy(), kept.vertex >= 0
    positions[old] = stock["position"][1][kept.vertex[old]]
    positions = set_apart(positions, *kept.sides(), moves=~old)
    domains = _domains(kept)
    values = {name: domains[domain].values(found) for name, (domain, found) in stock.items() if name not in _TOPOLOGY}
    return KeptArrays(positions, kept.corner_vertex.astype(np.int32), kept.start[:-1].astype(np.int32), values)


def _domains(kept: KeptFaces) -> dict[str, _Elements]:
    return {
        "POINT": _Elements(kept.vertex, kept.mixed_vertices),
        "FACE": _Elements(kept.face, _NOTHING),
        "CORNER": _Elements(kept.corner, kept.mixed_corners),
    }


def _is_carried(attribute: Any) -> bool:
    """Whether an attribute of the stock is taken over as it is."""
    known = attribute.data_type in VALUES and attribute.domain in ("POINT", "EDGE", "FACE", "CORNER")
    return known and attribute.name not in (*_TOPOLOGY, _SHARP, CUSTOM_NORMAL)


def fill_kept(mesh: bpy.types.Mesh, stock: bpy.types.Mesh, kept: KeptFaces, arrays: KeptArrays) -> None:
    """Give an empty mesh the faces of a kept stock, with the stock's attributes.

    Args:
        mesh: to fill.
        stock: the stock's mesh.
        kept: the faces.
        arrays: of these.
    """
    mesh.vertices.add(len(arrays.points))
    set_values(mesh, "position", arrays.points)
    mesh.loops.add(len(arrays.vertices))
    set_values(mesh, ".corner_vert", arrays.vertices)
    mesh.polygons.add(len(kept))
    mesh.polygons.foreach_set("loop_start", arrays.start)
    mesh.update(calc_edges=True)
    edges = _Elements(_stock_edges(mesh, stock, kept), _NOTHING)
    _sharpen(mesh, stock, kept, edges.own)  # first, because this makes all faces smooth
    for attribute in list(stock.attributes):
        name, domain = attribute.name, attribute.domain
        if _is_carried(attribute):
            _ensure(mesh, name, attribute.data_type, domain)
            set_values(mesh, name, edges.values(get_values(stock, name)) if domain == "EDGE" else arrays.values[name])
    mesh.update()
    if arrays.normals is None:
        _add_normals(mesh, stock, kept)
    else:
        add_normals(mesh, arrays.normals)
    _set_active(mesh, stock)


_NOTHING = Mixed(np.empty(0, dtype=np.int64), np.empty((0, 3), dtype=np.int64), np.empty((0, 3)))


def _ensure(mesh: bpy.types.Mesh, name: str, kind: Any, domain: Any) -> None:
    if name not in mesh.attributes:
        mesh.attributes.new(name, kind, domain)


def _stock_edges(mesh: bpy.types.Mesh, stock: bpy.types.Mesh, kept: KeptFaces) -> Indices:
    """(E,) the stock's edge that each edge is, or is a part of; -1 for none."""
    ends = get_values(mesh, ".edge_verts").reshape(-1, 2)
    # A vertex within an edge of the stock knows its ends; any other counts as an edge from itself to itself.
    low, high = kept.vertex.copy(), kept.vertex.copy()
    row, of, weight = kept.mixed_vertices.row, kept.mixed_vertices.of, kept.mixed_vertices.weight
    within = np.flatnonzero((weight == 0).sum(axis=1) == 1)
    pair = np.take_along_axis(of[within], np.argsort(weight[within] == 0, axis=1, kind="stable")[:, :2], axis=1)
    low[row[within]], high[row[within]] = np.sort(pair, axis=1).T
    a, b = ends.T
    on_stock = (low[a] >= 0) & (low[b] >= 0)
    # The union of both pairs of ends has two vertices.
    least, most = np.minimum(low[a], low[b]), np.maximum(high[a], high[b])
    inner = np.stack([low[a], high[a], low[b], high[b]])
    along = on_stock & (least != most) & ((inner == least) | (inner == most)).all(axis=0)
    own = np.sort(get_values(stock, ".edge_verts").reshape(-1, 2), axis=1).astype(np.int64)
    keys = own[:, 0] << 32 | own[:, 1]
    order = np.argsort(keys)
    asked = least << 32 | most
    place = order[np.minimum(np.searchsorted(keys[order], asked), len(order) - 1)]
    return np.where(along & (keys[place] == asked), place, -1)


def _sharpen(mesh: bpy.types.Mesh, stock: bpy.types.Mesh, kept: KeptFaces, edges: Indices) -> None:
    """Mark edges as sharp: the border of the cut, bent ones within it, and the stock's own."""
    mesh.set_sharp_from_angle(angle=SHARP_ANGLE)
    _ensure(mesh, _SHARP, "BOOLEAN", "EDGE")
    bent = get_values(mesh, _SHARP)
    edge, cut = get_values(mesh, ".corner_edge"), np.repeat(kept.face < 0, np.diff(kept.start))
    of_cut, of_all = (np.bincount(which, minlength=len(bent)) for which in (edge[cut], edge))
    own = np.zeros(len(bent), dtype=bool)
    if _SHARP in stock.attributes:
        own[edges >= 0] = get_values(stock, _SHARP)[edges[edges >= 0]]
    sharp = np.where(of_cut == 0, own, bent | (of_cut < of_all))
    if sharp.any() or _SHARP in stock.attributes:
        set_values(mesh, _SHARP, sharp)
    else:
        mesh.attributes.remove(mesh.attributes[_SHARP])


def _add_normals(mesh: bpy.types.Mesh, stock: bpy.types.Mesh, kept: KeptFaces) -> None:
    """Give corners of the stock its custom normals, turned round where a face was flipped. New corners have those of
    their shape, because between others the usual custom normals, which are relative to the shape, mean nothing."""
    attribute = stock.attributes.get(CUSTOM_NORMAL)
    if attribute is None:
        return
    is_free, own = attribute.data_type == FREE, kept.corner[:, None]
    if not kept.flipped.any():
        shape = _corner_normals(mesh) if is_free else np.zeros((1, 1), dtype=np.int32)
        _ensure(mesh, CUSTOM_NORMAL, attribute.data_type, "CORNER")
        set_values(mesh, CUSTOM_NORMAL, np.where(own >= 0, get_values(stock, CUSTOM_NORMAL)[kept.corner], shape))
        return
    sign = np.where(np.repeat(kept.flipped, np.diff(kept.start)), np.float32(-1), np.float32(1))[:, None]
    # A normal of 0 is the one that the shape has.
    normals = np.where(own >= 0, sign * _corner_normals(stock)[kept.corner], np.float32(0))
    mesh.normals_split_custom_set(normals.tolist())


def flatten_normals(mesh: bpy.types.Mesh, faces: Indices) -> None:
    """Give the corners of some faces (F,) their face's own normal, where a mesh has free custom normals: Blender shows
    those on flat faces too."""
    attribute = mesh.attributes.get(CUSTOM_NORMAL)
    if attribute is None or attribute.data_type != FREE:
        return
    start = np.empty(len(mesh.polygons), dtype=np.int32)
    mesh.polygons.foreach_get("loop_start", start)
    count = np.diff(start, append=len(mesh.loops))
    areas = face_areas(get_values(mesh, "position"), get_values(mesh, ".corner_vert"), start)
    length = np.linalg.norm(areas, axis=1, keepdims=True)
    own = np.divide(areas, length, out=np.zeros_like(areas), where=length > 0)
    chosen = np.zeros(len(start), dtype=bool)
    chosen[faces] = True
    normals = np.where(
        np.repeat(chosen, count)[:, None], np.repeat(own, count, axis=0), get_values(mesh, CUSTOM_NORMAL)
    )
    set_values(mesh, CUSTOM_NORMAL, normals.astype(np.float32))
    mesh.update()  # Blender keeps the normals that it had


def _corner_normals(mesh: bpy.types.Mesh) -> npt.NDArray[np.float32]:
    normals = np.empty(3 * len(mesh.loops), dtype=np.float32)
    mesh.corner_normals.foreach_get("vector", normals)
    return normals.reshape(-1, 3)


def _set_active(mesh: bpy.types.Mesh, stock: bpy.types.Mesh) -> None:
    uvs, colors = mesh.uv_layers, mesh.color_attributes
    if stock.uv_layers.active:
        uvs.active = uvs[stock.uv_layers.active.name]
    for each in stock.uv_layers:
        if each.active_render:
            uvs[each.name].active_render = True
    colors.active_color_name = stock.color_attributes.active_color_name
    colors.default_color_name = stock.color_attributes.default_color_name


def kept_weights(kept: KeptFaces, weights: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
    """(N, 1) the weights of a result's vertices, from those of the stock's."""
    return cast(npt.NDArray[np.float32], _Elements(kept.vertex, kept.mixed_vertices).values(weights))
