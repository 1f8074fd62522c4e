"""Where the faces of a result come from, and the materials, normals and two attributes that follow from it.

Every face belongs to one row of a table: a triangle of the stock, a segment of the sweep, or its kind of source if
neither is known. Each property of a face is a column of that table.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, cast

import bpy
import numpy as np
import numpy.typing as npt

from ..compute import Labels, Source, Surface, Sweep, TriMesh
from ..compute.attributes import CutShading, StockShading, corner_normals
from .layers import Layers
from .shading import StockNormals

Indices = npt.NDArray[np.int32]
Material = bpy.types.Material

# Values of the source attribute; known paths count from 1.
FROM_STOCK, FROM_UNKNOWN_PATH, FROM_CLOSURE = 0, 1, -1


@dataclass(frozen=True)
class StockFaces:
    """The faces of a stock with their looks.

    Attributes:
        mesh: the stock's T triangles.
        materials: the material of each slot.
        slot: (T,) int32, the material slot of each triangle.
        smooth: (T,) bool, whether its face is shaded smooth.
        layers: the stock's other attributes.
        normals: what it is shown with; None if all of it is flat, or they are not known.
    """

    mesh: TriMesh
    materials: tuple[Material | None, ...]
    slot: Indices
    smooth: npt.NDArray[np.bool_]
    layers: Layers
    normals: StockNormals | None = None

    @classmethod
    def plain(cls, mesh: TriMesh) -> "StockFaces":
        """The faces of a stock when only its shape is known."""
        count = len(mesh.triangles)
        return cls(mesh, (), np.zeros(count, dtype=np.int32), np.ones(count, dtype=bool), Layers())


@dataclass(frozen=True)
class CutFaces:
    """The looks of the faces that paths cut.

    Attributes:
        path: (K,) int32, the path of each segment, from 0.
        material: (K,) int32, the index in `materials` for each segment's faces, -1 for none.
        materials: the materials, without duplicates.
        smooth: whether the faces are shaded smooth.
    """

    path: Indices
    material: Indices
    materials: tuple[Material, ...]
    smooth: bool = True

    @classmethod
    def of(cls, sweep: Sweep, lines: Sequence[tuple[int, Material | None]], smooth: bool = True) -> "CutFaces":
        """`lines` has, for each polyline of the sweep, the index of its path from 0 and its material."""
        materials = tuple(dict.fromkeys(material for _, material in lines if material is not None))
        number = np.array([path for path, _ in lines], dtype=np.int32)
        own = np.array([-1 if each is None else materials.index(each) for _, each in lines], dtype=np.int32)
        return cls(number[sweep.path], own[sweep.path], materials, smooth)


@dataclass(frozen=True)
class Provenance:
    """The origin in the scene of a surface's primitives.

    Attributes:
        stock, cut: where its faces come from.
        shading: of the cut faces, for a result with custom normals; None for one without.
    """

    stock: StockFaces
    cut: CutFaces
    shading: CutShading | None = None

    def labels(self) -> Labels:
        """Labels by material: faces of different materials must not be merged."""
        return Labels(self.stock.slot, self.cut.material)

    @property
    def given_shading(self) -> CutShading | None:
        """The shading of the cut, for a result that gets custom normals; None if Blender's own will do, or the stock's
        are not known."""
        known = self.stock.normals
        if self.shading is None or (known is None and (self.stock.smooth.any() or not self.shading.smooth)):
            return None
        return self.shading

    def normals(self, surface: Surface) -> npt.NDArray[np.float32] | None:
        """(M, K, 3) normals at the corners of the surface's faces; None for a result without custom normals."""
        known, shading = self.stock.normals, self.given_shading
        if shading is None:
            return None
        stock = None if known is None else StockShading(self.stock.mesh, known.data, known.smooth)
        return corner_normals(surface, stock, shading)


def line_materials(obj: bpy.types.Object, count: int) -> list[Material | None]:
    """The materials of the polylines read from a path: that of the spline's slot, else of the first slot.

    Grease Pencil materials are made for strokes and are ignored.
    """
    slots = [slot.material for slot in obj.material_slots]
    if not slots or obj.type == "GREASEPENCIL":
        return [None] * count
    splines = cast(bpy.types.Curve, obj.data).splines if obj.type == "CURVE" else ()
    if len(splines) != count:
        return [slots[0]] * count
    return [slots[min(spline.material_index, len(slots) - 1)] for spline in splines]


def read_looks(
    obj: bpy.types.Object, mesh: bpy.types.Mesh, polygon: Indices
) -> tuple[tuple[Material | None, ...], Indices, npt.NDArray[np.bool_]]:
    """Materials, slots (T,) and smoothness (T,) of an evaluated object, for triangles with polygon indices (T,)."""
    materials = slot_materials(obj)
    return materials, *mesh_looks(materials, mesh, polygon)


def slot_materials(obj: bpy.types.Object) -> tuple[Material | None, ...]:
    """The materials of the slots of an evaluated object."""
    return tuple(cast(Any, slot.material).original if slot.material else None for slot in obj.material_slots)


def mesh_looks(
    materials: Sequence[Material | None], mesh: bpy.types.Mesh, polygon: Indices
) -> tuple[Indices, npt.NDArray[np.bool_]]:
    """Material slots (T,) and smoothness (T,), for triangles of a mesh with polygon indices (T,)."""
    slot = _polygon_values(mesh, "material_index", np.int32)
    flat = _polygon_values(mesh, "sharp_face", np.bool_)
    # Blender draws faces with a missing slot with the last one.
    slot = np.clip(slot, 0, max(len(materials) - 1, 0))
    return slot[polygon], ~flat[polygon]


def _polygon_values(mesh: bpy.types.Mesh, name: str, kind: type) -> npt.NDArray[Any]:
    values: npt.NDArray[Any] = np.zeros(len(mesh.polygons), dtype=kind)
    attribute = cast(Any, mesh.attributes.get(name))
    if attribute is not None:
        attribute.data.foreach_get("value", values)
    return values


@dataclass(frozen=True)
class FaceTable:
    """The rows that the faces of a surface belong to.

    The rows are the T triangles of the stock, the K segments, and one row per `Source` for unknown primitives.
    """

    surface: Surface
    provenance: Provenance | None

    @cached_property
    def _sizes(self) -> tuple[int, int]:
        known = self.provenance
        return (len(known.stock.slot), len(known.cut.path)) if known else (0, 0)

    @cached_property
    def rows(self) -> Indices:
        """(M,) the row of each face."""
        triangles, segments = self._sizes
        source, unknown = self.surface.source, triangles + segments
        if self.provenance is None:
            return source.astype(np.int32)
        start = np.array([0, triangles, unknown + Source.CLOSURE + 1], dtype=np.int32)
        rows = start[source] + self.surface.primitive
        lost = np.flatnonzero((self.surface.primitive < 0) & (source != Source.CLOSURE))
        rows[lost] = source[lost].astype(np.int32) + unknown
        return np.asarray(rows)

    @cached_property
    def used(self) -> npt.NDArray[np.bool_]:
        """Whether each row has a face."""
        used = np.zeros(sum(self._sizes) + len(Source), dtype=bool)
        used[self.rows] = True
        return used

    def sources(self) -> Indices:
        """(M,) 0 for faces of the stock, the path's number from 1 for cut faces, -1 for faces that close a hole."""
        triangles, segments = self._sizes
        table = np.full(triangles + segments + len(Source), FROM_STOCK, dtype=np.int32)
        table[triangles + segments :] = (FROM_STOCK, FROM_UNKNOWN_PATH, FROM_CLOSURE)
        if self.provenance:
            table[triangles : triangles + segments] = self.provenance.cut.path + 1
        return table[self.rows]

    def segments(self) -> Indices:
        """(M,) the segment of the sweep that cut a face, -1 for others."""
        return np.where(self.surface.source == Source.PATH, self.surface.primitive, np.int32(-1))

    def flat(self) -> npt.NDArray[np.bool_] | None:
        """(M,) whether a face is shaded flat; None if no face is."""
        known = self.provenance
        if known is None or (known.cut.smooth and known.stock.smooth.all()):
            return None
        triangles, segments = self._sizes
        table = np.zeros(triangles + segments + len(Source), dtype=bool)
        table[:triangles] = ~known.stock.smooth
        table[triangles : triangles + segments] = not known.cut.smooth
        table[triangles + segments + Source.PATH] = not known.cut.smooth
        return table[self.rows]

    def slots(self, materials: list[Material | None], cut_material: Callable[[], Material]) -> Indices | None:
        """(M,) the material slot of each face, None if all are 0. Adds missing materials to the list.

        Faces of the stock keep their slots. Faces that close a hole get the first slot. A cut face gets its path's
        material, else the one that `cut_material()` returns.
        """
        triangles, segments = self._sizes
        table, used = np.zeros(triangles + segments + len(Source), dtype=np.int32), self.used
        own = np.full(segments + len(Source), -1, dtype=np.int32)
        named: tuple[Material, ...] = ()
        if self.provenance:
            table[:triangles] = self.provenance.stock.slot
            own[:segments], named = self.provenance.cut.material, self.provenance.cut.materials
        cut = used[triangles:].copy()
        cut[segments + Source.STOCK] = cut[segments + Source.CLOSURE] = False
        rows = np.flatnonzero(cut)
        table[triangles + rows] = cut_slots(materials, own[rows], named, cut_material)
        return table[self.rows] if table[used].any() else None


def cut_slots(
    materials: list[Material | None], own: Indices, named: Sequence[Material], cut_material: Callable[[], Material]
) -> Indices:
    """(N,) the material slots of cut faces, or of the rows that they belong to.

    Args:
        materials: the materials of the existing slots; missing ones are added.
        own: (N,) index in `named` of each one's material, -1 for the one that `cut_material()` returns.
        named: materials of paths.
        cut_material: called only if needed.
    """
    slots = np.zeros(len(own), dtype=np.int32)
    if len(own) and not materials:
        materials.append(None)  # the stock's faces keep the default look
    for number in np.unique(own).tolist():
        material = named[number] if number >= 0 else cut_material()
        if material not in materials:
            materials.append(material)
        slots[own == number] = materials.index(material)
    return slots
