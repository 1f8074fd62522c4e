"""A kept stock as a Blender mesh: its own faces and attributes where no path touched it, and the cut."""

from dataclasses import replace
from types import TracebackType
from typing import cast

import bpy
import numpy as np
import numpy.typing as npt

from ...compute import CarveResult, InputError, Source, TriMesh
from ...compute.boolean import KeptFaces, StockPolygons, kept_faces, merged_where_rounded
from ...compute.repair import short_step
from ...formats import PART_OF_VOXEL, float32_origin
from ..layers import GroupWeights, VertexGroups, add_groups, made_weights, read_groups
from ..presence import is_deleted
from ..provenance import FROM_UNKNOWN_PATH, CutFaces, Provenance, cut_slots
from ..reading.instances import has_instances
from ..reading.meshes import corners, polygons
from .attributes import get_values, set_face_numbers, set_values, transform_points
from .kept_attributes import KeptArrays, fill_kept, flatten_normals, kept_arrays, kept_weights, stock_values
from .kept_normals import cut_normals, shown_normals, stock_normals
from .write import SEGMENT_ATTRIBUTE, SOURCE_ATTRIBUTE, cut_material, refuse_replace, result_name, write_mesh


class KeptStock:
    """A copy of a stock, from which faces that no path touches are taken over: a context manager that removes it."""

    def __init__(
        self,
        mesh: bpy.types.Mesh,
        matrix: npt.NDArray[np.float64],
        stock: TriMesh,
        groups: VertexGroups | None = None,
        custom_normals: bool = False,
    ) -> None:
        """Take ownership of a mesh without other users.

        Args:
            mesh: the stock's, with modifiers applied.
            matrix: (4, 4) its transform to world space.
            stock: the same as triangles, in world space.
            groups: its vertex groups.
            custom_normals: whether to read the normals that it is shown with.
        """
        self._mesh, self._matrix, self._groups = mesh, matrix, groups
        loops, triangles = corners(mesh, np.eye(4))
        start = np.full(len(mesh.polygons) + 1, len(mesh.loops), dtype=np.int32)
        mesh.polygons.foreach_get("loop_start", start[:-1])
        self._polygons = StockPolygons(stock.points, start, triangles, loops, polygons(mesh))
        self._values = stock_values(mesh)
        self._normals = shown_normals(mesh) if custom_normals else None
        self._kept: KeptFaces | None = None
        self._arrays: KeptArrays | None = None
        self._weights: list[GroupWeights | None] = []

    @classmethod
    def of(
        cls,
        stock: bpy.types.Object,
        depsgraph: bpy.types.Depsgraph,
        mesh: TriMesh,
        groups: VertexGroups | None = None,
        custom_normals: bool = True,
    ) -> "KeptStock":
        """Copy an object that `read_stock` has read as a mesh, with its modifiers applied. Its vertex groups are read
        too, unless they are given, and the normals that it is shown with, if asked for. Of a volume, the surface is
        kept.

        Raises:
            InputError: the object has shape keys, or holds instances.
        """
        matrix = np.array(stock.matrix_world, dtype=np.float64)
        if stock.type == "VOLUME":
            return cls.of_mesh(mesh, matrix)
        refuse_keeping(stock, depsgraph)
        evaluated = stock.evaluated_get(depsgraph)
        copy = bpy.data.meshes.new_from_object(evaluated, preserve_all_data_layers=True, depsgraph=depsgraph)
        for place, slot in enumerate(stock.material_slots):
            if slot.link == "OBJECT" and place < len(copy.materials):
                copy.materials[place] = slot.material
        groups = groups or read_groups(evaluated, copy)
        return cls(copy, matrix, mesh, groups, custom_normals)

    @classmethod
    def of_mesh(cls, stock: TriMesh, matrix: npt.NDArray[np.float64] | None = None) -> "KeptStock":
        """A mesh in world space. The copy is in the space with this transform (4, 4) to world space; None is that with
        the `float32_origin` of the mesh as its origin."""
        if matrix is None:
            matrix = np.eye(4)
            matrix[:3, 3] = float32_origin(stock.bounds())
        mirrored = np.linalg.det(matrix[:3, :3]) < 0
        mesh = bpy.data.meshes.new(stock.name)
        mesh.vertices.add(len(stock.points))
        set_values(mesh, "position", transform_points(np.linalg.inv(matrix), stock.points).astype(np.float32))
        mesh.loops.add(stock.triangles.size)
        set_values(mesh, ".corner_vert", np.ascontiguousarray(stock.triangles[:, :: -1 if mirrored else 1]))
        mesh.polygons.add(len(stock.triangles))
        mesh.polygons.foreach_set("loop_start", np.arange(0, stock.triangles.size, 3, dtype=np.int32))
        mesh.update(calc_edges=True)
        return cls(mesh, matrix, stock)

    def __enter__(self) -> "KeptStock":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        # The mesh has no users, so a user may have purged it.
        if not is_deleted(self._mesh):
            bpy.data.meshes.remove(self._mesh)

    def lay_out(self, result: CarveResult, provenance: Provenance | None) -> CarveResult:
        """Find the faces of a kept result and make their arrays, on any thread. Returns the result with its counts.

        Args:
            result: it.
            provenance: says whether it gets custom normals; None for one without.
        """
        assert result.cut_face is not None  # it is kept
        surface = result.surface
        if self._is_mirrored():
            # In a mirrored object, faces that look outward have the reverse corner order.
            surface = replace(surface, faces=surface.faces[:, ::-1])
        inverse = np.linalg.inv(self._matrix)
        rounded = transform_points(inverse, surface.points).astype(np.float32)
        # Nothing moves by more than a coordinate in single precision may be off.
        voxel = result.report.voxel_size / abs(np.linalg.det(self._matrix[:3, :3])) ** (1 / 3)
        least = min(short_step(rounded), PART_OF_VOXEL * voxel)
        merged = merged_where_rounded(surface, result.cut_face, rounded, self._polygons.points, least)
        kept = self._kept = kept_faces(*merged, self._polygons)
        arrays = kept_arrays(self._values, kept, transform_points(inverse, kept.points).astype(np.float32))
        shading = provenance.given_shading if provenance else None
        if shading is not None and self._normals is not None:
            before = self._values["position"][1]
            normals = stock_normals(self._normals, kept, arrays.points, self._polygons, before, self._matrix)
            of_cut, found = cut_normals(merged[0], kept, shading, self._matrix)
            normals[of_cut] = found
            arrays = replace(arrays, normals=normals)
        self._arrays = arrays
        if self._groups is not None:
            count = len(self._polygons.points)
            self._weights = made_weights(self._groups, count, lambda weights: kept_weights(kept, weights))
        report = replace(result.report, faces=len(self._kept), vertices=len(self._kept.vertex))
        return replace(result, report=report)

    def mesh(self, cut: CutFaces) -> bpy.types.Mesh:
        """The result that was laid out as a new mesh, which the caller owns, in the space of the stock.

        Raises:
            InputError: the copy of the stock was purged.
        """
        _refuse_purged(self._mesh)
        made = self._mesh.copy()
        try:
            if not self._is_stock():
                made.clear_geometry()
            self.fill(made, cut)
        except BaseException:
            bpy.data.meshes.remove(made)
            raise
        return made

    def fill(self, mesh: bpy.types.Mesh, cut: CutFaces) -> None:
        """Fill an empty mesh with the result that was laid out. Cut faces get the looks of their paths.

        Raises:
            InputError: the copy of the stock was purged.
        """
        _refuse_purged(self._mesh)
        kept = self._laid_out()
        if len(mesh.vertices) == 0:
            assert self._arrays is not None  # lay_out came first
            fill_kept(mesh, self._mesh, kept, self._arrays)
        source = np.where(kept.face >= 0, np.int32(Source.STOCK), np.int32(Source.PATH)).astype(np.int32)
        set_face_numbers(mesh, SOURCE_ATTRIBUTE, source)
        set_face_numbers(mesh, SEGMENT_ATTRIBUTE, kept.segment.astype(np.int32))
        _add_cut_looks(mesh, cut)

    def materials(self) -> list[bpy.types.Material | None]:
        """The materials of the stock's slots."""
        return list(self._mesh.materials)

    def write_groups(self, obj: bpy.types.Object) -> None:
        """Give an object with the result that was laid out the stock's vertex groups."""
        obj.vertex_groups.clear()
        if self._groups is not None:
            add_groups(obj, self._groups, self._weights)

    def _laid_out(self) -> KeptFaces:
        assert self._kept is not None  # lay_out came first
        return self._kept

    def _is_stock(self) -> bool:
        return self._laid_out().is_stock(self._polygons)

    def _is_mirrored(self) -> bool:
        return bool(np.linalg.det(self._matrix[:3, :3]) < 0)


def refuse_keeping(stock: bpy.types.Object, depsgraph: bpy.types.Depsgraph) -> None:
    """Raise InputError if the faces of a stock cannot be kept: it has shape keys, or holds instances."""
    if has_instances(stock, depsgraph):
        raise InputError(
            "'{name}' holds instances, whose faces no boolean can keep: use Object > Apply > Make "
            "Instances Real, or choose Remesh",
            name=stock.name,
        )
    if cast(bpy.types.Mesh, stock.data).shape_keys:
        raise InputError(
            "'{name}' has shape keys, which no boolean can keep: apply or delete them, or choose Remesh",
            name=stock.name,
        )


def write_kept(
    scene: bpy.types.Scene, kept: KeptStock, stock: bpy.types.Object, cut: CutFaces, replaces: bool = False
) -> bpy.types.Object:
    """A kept result as an object: see `result_name`; cut faces get the looks of their paths.

    Arguments and errors as for `write_mesh`; attributes as for `write_surface`.
    """
    if replaces:
        refuse_replace(stock)
    obj = write_mesh(scene, kept.mesh(cut), stock, result_name(stock), replaces)
    kept.write_groups(obj)
    return obj


def _refuse_purged(mesh: bpy.types.Mesh) -> None:
    """Raise InputError if a mesh without users was purged."""
    if is_deleted(mesh):
        raise InputError("a mesh that the job keeps was purged meanwhile: start it again")


def _add_cut_looks(mesh: bpy.types.Mesh, cut: CutFaces) -> None:
    """Give the cut faces of a result the number and the material of their path."""
    source, segment = get_values(mesh, SOURCE_ATTRIBUTE), get_values(mesh, SEGMENT_ATTRIBUTE)
    faces = np.flatnonzero(source == Source.PATH)
    if len(faces) == 0:
        return
    known = segment[faces] >= 0
    source[faces] = np.where(known, cut.path[segment[faces]] + 1, FROM_UNKNOWN_PATH)
    set_values(mesh, SOURCE_ATTRIBUTE, source)
    materials = list(mesh.materials)
    if "material_index" not in mesh.attributes:
        mesh.attributes.new("material_index", "INT", "FACE")
    slot, had = get_values(mesh, "material_index"), len(materials)
    own = np.where(known, cut.material[segment[faces]], np.int32(-1))
    slot[faces] = cut_slots(materials, own, cut.materials, cut_material)
    for material in materials[had:]:
        mesh.materials.append(material)
    set_values(mesh, "material_index", slot)
    if not cut.smooth:
        flat = get_values(mesh, "sharp_face") if "sharp_face" in mesh.attributes else np.zeros(len(source), dtype=bool)
        flat[faces] = True
        if "sharp_face" not in mesh.attributes:
            mesh.attributes.new("sharp_face", "BOOLEAN", "FACE")
        set_values(mesh, "sharp_face", flat)
        flatten_normals(mesh, faces)
