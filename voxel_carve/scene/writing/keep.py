"""Keep Stock by Blender's own Boolean modifier, on copies in a temporary scene."""

from dataclasses import replace
from functools import cache
from types import TracebackType
from typing import Any, cast

import bpy
import numpy as np
import numpy.typing as npt

from ...compute import InputError, Operation, Source, Surface, TriMesh
from ...compute.boolean import Cut
from ...compute.repair import inward_faces, outward_faces, paired_triangles, unpaired_edges
from ...formats import float32_origin
from ..presence import is_deleted
from ..provenance import FROM_UNKNOWN_PATH, CutFaces, cut_slots
from ..reading.instances import has_instances
from .faces import (
    Faces,
    SharedFaces,
    flip_faces,
    get_values,
    read_faces,
    read_triangles,
    set_face_numbers,
    set_values,
    transform_points,
)
from .write import SEGMENT_ATTRIBUTE, SHARP_ANGLE, SOURCE_ATTRIBUTE, cut_material, refuse_replace, write_mesh

OPERATIONS: dict[Operation, Any] = {"subtract": "DIFFERENCE", "union": "UNION", "intersect": "INTERSECT"}
# The original face of each face: its index in the stock, or -1 - its index in the tool. Removed before anyone sees it.
_ORIGIN = ".voxel_carve_origin"


class BlenderBoolean:
    """Booleans of a stock by Blender: a context manager that holds copies, and removes them at its end.

    It uses the Manifold solver if Blender has it and the stock is a manifold, else the Exact solver. Faces that the
    tool does not touch keep their vertices, corners, attributes and materials to the bit.
    """

    def __init__(self, mesh: bpy.types.Mesh, matrix: npt.NDArray[np.float64]) -> None:
        """Take ownership of a mesh without other users; `matrix` (4, 4) is its transform to world space."""
        self._mesh, self._matrix = mesh, matrix
        self._faces = read_faces(mesh)
        self._wrong = unpaired_edges(self._faces.corners, self._faces.following())
        self._look_outward()
        self._made: bpy.types.Mesh | None = None

    @classmethod
    def of(cls, stock: bpy.types.Object, depsgraph: bpy.types.Depsgraph) -> "BlenderBoolean":
        """Copy an object that `read_stock` can read, with its modifiers applied.

        Raises:
            InputError: the object has shape keys, or holds instances.
        """
        if has_instances(stock, depsgraph):
            raise InputError(
                f"'{stock.name}' holds instances, whose faces no boolean can keep: use Object > Apply > Make Instances "
                "Real, or choose Remesh"
            )
        if cast(bpy.types.Mesh, stock.data).shape_keys:
            raise InputError(
                f"'{stock.name}' has shape keys, which no boolean can keep: apply or delete them, or choose Remesh"
            )
        evaluated = stock.evaluated_get(depsgraph)
        mesh = bpy.data.meshes.new_from_object(evaluated, preserve_all_data_layers=True, depsgraph=depsgraph)
        for place, slot in enumerate(stock.material_slots):
            if slot.link == "OBJECT" and place < len(mesh.materials):
                mesh.materials[place] = slot.material
        return cls(mesh, np.array(stock.matrix_world, dtype=np.float64))

    @classmethod
    def of_mesh(cls, stock: TriMesh) -> "BlenderBoolean":
        """Copy a mesh in world space; the copy's origin is the `float32_origin` of the mesh."""
        matrix = np.eye(4)
        matrix[:3, 3] = float32_origin(stock.bounds())
        points, triangles, _ = paired_triangles(stock.points, stock.triangles)
        return cls(_new_mesh(stock.name, points - matrix[:3, 3], triangles), matrix)

    def _look_outward(self) -> None:
        """Flip faces that look the wrong way, because faces that no path touches enter the result unchanged."""
        faces = self._faces
        points, corners = faces.points.astype(np.float64), faces.corners
        sides = (corners, faces.following(), np.repeat(np.arange(len(faces.start) - 1), np.diff(faces.start)))
        turned = outward_faces(points, *sides) if len(self._wrong) else inward_faces(points, *sides)
        if turned.any():
            flip_faces(self._mesh, faces, turned)
            self._faces = read_faces(self._mesh)
            self._wrong = unpaired_edges(self._faces.corners, self._faces.following())

    def __enter__(self) -> "BlenderBoolean":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        # The meshes have no users, so a user may have purged them.
        bpy.data.batch_remove([mesh for mesh in (self._mesh, self._made) if mesh is not None and not is_deleted(mesh)])

    def wrong_edges(self) -> npt.NDArray[np.float64]:
        """(E, 3) world-space middles of the edges that do not have exactly two faces in opposite directions."""
        return transform_points(self._matrix, self._faces.points[self._wrong].mean(axis=1))

    def __call__(self, tool: Surface, operation: Operation) -> Cut:
        """Subtract the tool from the stock, unite or intersect them; `take` then returns the mesh.

        Raises:
            InputError: the copy of the stock was purged.
        """
        _refuse_purged(self._mesh)
        if self._made is not None:
            bpy.data.meshes.remove(self.take())
        if len(tool.faces) == 0:
            if operation == "intersect":
                return Cut(None, 0, 0)
            self._made = self._mesh.copy()
            return self._read(self._made, self._faces, np.arange(len(self._faces.start) - 1, dtype=np.int32), tool)
        tool_mesh = self._tool_mesh(tool)
        try:
            set_face_numbers(self._mesh, _ORIGIN, np.arange(len(self._faces.start) - 1, dtype=np.int32))
            solver = "MANIFOLD" if len(self._wrong) == 0 and _has_manifold_solver() else "EXACT"
            self._made = _boolean(self._mesh, tool_mesh, OPERATIONS[operation], solver)
            tool_faces = read_faces(tool_mesh)
        finally:
            bpy.data.meshes.remove(tool_mesh)
        if len(self._made.polygons) == 0:
            return Cut(None, 0, 0)
        origin = get_values(self._made, _ORIGIN)
        self._made.attributes.remove(self._made.attributes[_ORIGIN])
        faces = self._restore_faces(self._made, origin, tool_faces, operation)
        return self._read(self._made, faces, origin, tool)

    def take(self) -> bpy.types.Mesh:
        """Hand the last result to the caller, who then owns it; it is in the space of the stock.

        Raises:
            InputError: the result was purged.
        """
        assert self._made is not None  # a call came first
        _refuse_purged(self._made)
        made, self._made = self._made, None
        return made

    def _tool_mesh(self, tool: Surface) -> bpy.types.Mesh:
        """The tool in the stock's space."""
        inverse = np.linalg.inv(self._matrix)
        order = [0, *range(tool.faces.shape[1] - 1, 0, -1)] if self._mirrored() else slice(None)
        mesh = _new_mesh("tool", transform_points(inverse, tool.points), tool.faces[:, order])
        mesh.set_sharp_from_angle(angle=SHARP_ANGLE)
        set_face_numbers(mesh, _ORIGIN, -1 - np.arange(len(tool.faces), dtype=np.int32))
        return mesh

    def _restore_faces(
        self, mesh: bpy.types.Mesh, origin: npt.NDArray[np.int32], tool: Faces, operation: Operation
    ) -> Faces:
        """Restore the corner order that the solver changed, and mark the border of the cut as sharp. Return the faces.

        The first corner matters: Blender counts custom normals and splits quads from it.
        """
        faces = read_faces(mesh)
        of_stock = SharedFaces.of(faces, origin, self._faces)
        of_stock.restore_first_corners(mesh)
        of_stock.copy_values(mesh, self._mesh)
        of_tool = SharedFaces.of(faces, -1 - origin, tool, flipped=operation == "subtract")
        of_tool.restore_first_corners(mesh)
        cut = origin < 0
        material = np.zeros(len(origin), dtype=np.int32)
        if "material_index" in self._mesh.attributes:
            material[~cut] = get_values(self._mesh, "material_index")[origin[~cut]]
        mesh.materials.clear()
        for each in self._mesh.materials:
            mesh.materials.append(each)
        set_face_numbers(mesh, "material_index", material)
        _sharpen_border(mesh, faces, cut)
        mesh.update()
        return replace(faces, corners=get_values(mesh, ".corner_vert"))

    def _read(self, mesh: bpy.types.Mesh, faces: Faces, origin: npt.NDArray[np.int32], tool: Surface) -> Cut:
        """The result as arrays; also writes the attributes that say where faces come from."""
        source, segment = np.full(len(origin), Source.STOCK, dtype=np.int32), np.full(len(origin), -1, dtype=np.int32)
        cut = np.flatnonzero(origin < 0)
        source[cut], segment[cut] = tool.source[-1 - origin[cut]], tool.primitive[-1 - origin[cut]]
        set_face_numbers(mesh, SOURCE_ATTRIBUTE, source)
        set_face_numbers(mesh, SEGMENT_ATTRIBUTE, segment)
        triangles, face = read_triangles(mesh, faces)
        corners = slice(None, None, -1 if self._mirrored() else 1)
        # Face indices of the stock are triangle indices only if all of its faces are triangles.
        primitive = np.where(origin < 0, segment, origin if self._in_triangles() else -1).astype(np.int32)
        points = transform_points(self._matrix, faces.points)
        triangles = np.ascontiguousarray(triangles[:, corners])
        surface = Surface(points, triangles, source.astype(np.uint8)[face], primitive[face])
        return Cut(surface, len(origin), len(unpaired_edges(faces.corners, faces.following())))

    def _in_triangles(self) -> bool:
        return len(self._faces.corners) == 3 * (len(self._faces.start) - 1)

    def _mirrored(self) -> bool:
        return bool(np.linalg.det(self._matrix[:3, :3]) < 0)


def write_kept(
    scene: bpy.types.Scene, boolean: BlenderBoolean, stock: bpy.types.Object, cut: CutFaces, replaces: bool = False
) -> bpy.types.Object:
    """The last result of a boolean as an object "<stock> Carved"; cut faces get the looks of their paths.

    Arguments and errors as for `write_mesh`; attributes as for `write_surface`.
    """
    if replaces:
        refuse_replace(stock)
    return write_mesh(scene, kept_mesh(boolean, cut), stock, f"{stock.name} Carved", replaces)


def kept_mesh(boolean: BlenderBoolean, cut: CutFaces) -> bpy.types.Mesh:
    """The last result of a boolean as a mesh that the caller owns, in the space of the stock."""
    mesh = boolean.take()
    _add_cut_looks(mesh, cut)
    return mesh


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


def _boolean(stock: bpy.types.Mesh, tool: bpy.types.Mesh, operation: Any, solver: Any) -> bpy.types.Mesh:
    """Apply the Boolean modifier to two meshes, in a temporary scene."""
    scene = bpy.data.scenes.new("Voxel Carve")
    objs = [bpy.data.objects.new(mesh.name, mesh) for mesh in (stock, tool)]
    try:
        modifier = cast(bpy.types.BooleanModifier, objs[0].modifiers.new("Boolean", "BOOLEAN"))
        modifier.object, modifier.operation, modifier.solver = objs[1], operation, solver
        scene.collection.objects.link(objs[0])
        layer = scene.view_layers[0]
        layer.update()
        depsgraph = cast(bpy.types.Depsgraph, layer.depsgraph)
        return bpy.data.meshes.new_from_object(objs[0].evaluated_get(depsgraph), depsgraph=depsgraph)
    finally:
        bpy.data.batch_remove([scene, *objs])


@cache
def _has_manifold_solver() -> bool:
    """Whether Blender was built with it. Without it the modifier silently returns the stock unchanged."""
    corners, faces = np.vstack([np.zeros(3), np.eye(3)]), np.array([(0, 2, 1), (0, 1, 3), (1, 2, 3), (0, 3, 2)])
    here, elsewhere = (_new_mesh("probe", corners + apart, faces.astype(np.int32)) for apart in (0.0, 10.0))
    meshes = [here, elsewhere]
    try:
        meshes.append(_boolean(here, elsewhere, "INTERSECT", "MANIFOLD"))
        return len(meshes[-1].polygons) == 0
    finally:
        bpy.data.batch_remove(meshes)


def _new_mesh(name: str, points: npt.NDArray[np.float64], faces: npt.NDArray[np.int32]) -> bpy.types.Mesh:
    """A mesh of faces (M, k) that all have the same number of corners."""
    mesh = bpy.data.meshes.new(name)
    mesh.vertices.add(len(points))
    mesh.loops.add(faces.size)
    mesh.polygons.add(len(faces))
    if len(faces):
        set_values(mesh, "position", points.astype(np.float32))
        set_values(mesh, ".corner_vert", faces)
        mesh.polygons.foreach_set("loop_start", np.arange(0, faces.size, faces.shape[1], dtype=np.int32))
    mesh.update(calc_edges=True)
    return mesh


def _sharpen_border(mesh: bpy.types.Mesh, faces: Faces, cut: npt.NDArray[np.bool_]) -> None:
    """Mark the edges between cut faces and faces of the stock as sharp."""
    edge = get_values(mesh, ".corner_edge")
    of_cut = np.bincount(edge, weights=np.repeat(cut, np.diff(faces.start)), minlength=len(mesh.edges))
    border = (of_cut > 0) & (of_cut < np.bincount(edge, minlength=len(mesh.edges)))
    if "sharp_edge" not in mesh.attributes:
        mesh.attributes.new("sharp_edge", "BOOLEAN", "EDGE")
    set_values(mesh, "sharp_edge", get_values(mesh, "sharp_edge") | border)
