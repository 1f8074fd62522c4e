"""Where the faces of a result come from, and what they look like for it: materials, shading, and two attributes.

Every face belongs to a row of one table: a triangle of the stock, a segment of the sweep, or, where neither is known,
its kind of source. What a face has is a column of that table.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, cast

import bpy
import numpy as np
import numpy.typing as npt

from ..compute import Labels, Source, Surface, Sweep, TriMesh
from .layers import Layers

Indices = npt.NDArray[np.int32]
Material = bpy.types.Material

# In the attribute of the source: paths are counted from 1.
FROM_STOCK, FROM_UNKNOWN_PATH, FROM_CLOSURE = 0, 1, -1


@dataclass(frozen=True)
class StockFaces:
    """What the faces of a stock are like.

    Attributes:
        mesh: its T triangles.
        materials: of its slots.
        slot: (T,) int32, of each triangle.
        smooth: (T,) bool, whether its face is shaded smooth.
        layers: what it carries beside.
    """

    mesh: TriMesh
    materials: tuple[Material | None, ...]
    slot: Indices
    smooth: npt.NDArray[np.bool_]
    layers: Layers

    @classmethod
    def plain(cls, mesh: TriMesh) -> "StockFaces":
        """Those of a stock of which only the shape is known."""
        count = len(mesh.triangles)
        return cls(mesh, (), np.zeros(count, dtype=np.int32), np.ones(count, dtype=bool), Layers())


@dataclass(frozen=True)
class CutFaces:
    """What the faces that paths cut are like.

    Attributes:
        path: (K,) int32, for each segment which of the paths it is of, from 0.
        material: (K,) int32, which of the materials the segment's faces get, -1 for none.
        materials: each once.
        smooth: whether they are shaded smooth.
    """

    path: Indices
    material: Indices
    materials: tuple[Material, ...]
    smooth: bool = True

    @classmethod
    def of(cls, sweep: Sweep, lines: Sequence[tuple[int, Material | None]], smooth: bool = True) -> "CutFaces":
        """For each polyline that the sweep was made from: the number of its path from 0, and its material."""
        materials = tuple(dict.fromkeys(material for _, material in lines if material is not None))
        number = np.array([path for path, _ in lines], dtype=np.int32)
        own = np.array([-1 if each is None else materials.index(each) for _, each in lines], dtype=np.int32)
        return cls(number[sweep.path], own[sweep.path], materials, smooth)


@dataclass(frozen=True)
class Provenance:
    """What the primitives of a surface were in the scene."""

    stock: StockFaces
    cut: CutFaces

    def labels(self) -> Labels:
        """Faces of different materials, which may not be merged."""
        return Labels(self.stock.slot, self.cut.material)


def line_materials(obj: bpy.types.Object, count: int) -> list[Material | None]:
    """The materials of the polylines that were read from a path: that of the spline's slot, else of the first.

    Those of Grease Pencil are made for strokes, and are not taken.
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
    """Materials, slots (T,) and smoothness (T,) of an evaluated object, for triangles of polygons (T,)."""
    materials = slot_materials(obj)
    return materials, *mesh_looks(materials, mesh, polygon)


def slot_materials(obj: bpy.types.Object) -> tuple[Material | None, ...]:
    """The materials of the slots of an evaluated object."""
    return tuple(cast(Any, slot.material).original if slot.material else None for slot in obj.material_slots)


def mesh_looks(
    materials: Sequence[Material | None], mesh: bpy.types.Mesh, polygon: Indices
) -> tuple[Indices, npt.NDArray[np.bool_]]:
    """Slots (T,) among the materials, and smoothness (T,), for triangles of polygons (T,) of a mesh."""
    slot = _polygon_values(mesh, "material_index", np.int32)
    flat = _polygon_values(mesh, "sharp_face", np.bool_)
    # As Blender draws: what has no slot has the last one.
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

    Rows are the T triangles of the stock, the K segments, and one for each `Source` whose primitive is not known.
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

    def sources(self) -> Indices:
        """(M,) 0 where a face is the stock's, the number of the path that cut it from 1, -1 where it closes a hole."""
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
        """(M,) whether a face is shaded flat: None where none is."""
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
        """(M,) the slot of each face, None where all are 0. Materials that are needed are added to the list.

        The stock's faces keep their slots, and a sheet that closes a hole has the first; a cut face has its path's
        material, else what `cut_material()` gives.
        """
        triangles, segments = self._sizes
        table = np.zeros(triangles + segments + len(Source), dtype=np.int32)
        used = np.zeros(len(table), dtype=bool)
        used[self.rows] = True
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
    """(N,) the slots of cut faces, or of what they belong to.

    Args:
        materials: of the slots that there are; those that are needed are added.
        own: (N,) which of the named materials each has, -1 for what `cut_material()` gives.
        named: materials of paths.
        cut_material: called only where it is needed.
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
