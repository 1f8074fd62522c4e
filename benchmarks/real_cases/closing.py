"""From Blender's objects to closed triangles of a common size."""

from typing import Any

import numpy as np
import numpy.typing as npt

from voxel_carve.compute import TriMesh

LONGEST_SIDE = 100.0
SAME_POINT = 1e-7  # of the longest side: the parts of a text have points of their own where they meet

Points = npt.NDArray[np.float64]


def empty_file() -> None:
    """Start from a file without objects."""
    import bpy

    bpy.ops.wm.read_factory_settings(use_empty=True)


def object_of(data: Any) -> Any:
    """A new object of the scene, with the name of its data."""
    import bpy

    obj = bpy.data.objects.new(data.name, data)
    scene: Any = bpy.context.scene
    scene.collection.objects.link(obj)
    return obj


def mesh_object(points: npt.ArrayLike, faces: npt.ArrayLike, name: str, edges: npt.ArrayLike = ()) -> Any:
    """A new object with a mesh of points (N, 3), and faces (M, K) or edges (E, 2)."""
    import bpy

    data = bpy.data.meshes.new(name)
    data.from_pydata(*(np.asarray(rows).tolist() for rows in (points, edges, faces)))
    return object_of(data)


def modified(obj: Any, *modifiers: tuple[str, dict[str, Any]]) -> Any:
    """A new object with the mesh that modifiers, each a kind with its settings, make of an object."""
    import bpy

    for kind, settings in modifiers:
        modifier = obj.modifiers.new(kind, kind)
        for name, value in settings.items():
            setattr(modifier, name, value)
    depsgraph = bpy.context.evaluated_depsgraph_get()
    depsgraph.update()
    return object_of(bpy.data.meshes.new_from_object(obj.evaluated_get(depsgraph), depsgraph=depsgraph))


def edited(obj: Any) -> Any:
    """The mesh of an object, to be edited; `put_back` ends that."""
    import bmesh

    mesh = bmesh.new()
    mesh.from_mesh(obj.data)
    return mesh


def put_back(mesh: Any, obj: Any) -> None:
    """Put an edited mesh back into its object."""
    mesh.to_mesh(obj.data)
    mesh.free()
    obj.data.update()


def facing_outward(obj: Any) -> Any:
    """A mesh object, after its faces were turned outward."""
    import bmesh

    mesh = edited(obj)
    bmesh.ops.recalc_face_normals(mesh, faces=mesh.faces[:])
    put_back(mesh, obj)
    return obj


def moved(obj: Any, points: Points) -> None:
    """Give the vertices of a mesh object other places (N, 3)."""
    obj.data.vertices.foreach_set("co", points.astype(np.float32).ravel())
    obj.data.update()


def places(obj: Any) -> Points:
    """(N, 3) places of the vertices of a mesh object."""
    points = np.empty((len(obj.data.vertices), 3), dtype=np.float32)
    obj.data.vertices.foreach_get("co", points.ravel())
    return points.astype(np.float64)


def as_closed_triangles(obj: Any, name: str) -> TriMesh:
    """The mesh of an object as triangles that face outward, centred, with a longest side of 100.

    Raises:
        ValueError: the mesh is not a closed manifold.
    """
    import bmesh

    mesh = edited(obj)
    bmesh.ops.remove_doubles(mesh, verts=mesh.verts[:], dist=SAME_POINT * float(np.ptp(places(obj), axis=0).max()))
    bmesh.ops.triangulate(mesh, faces=mesh.faces[:])
    bmesh.ops.recalc_face_normals(mesh, faces=mesh.faces[:])
    mesh.verts.index_update()
    points = np.array([tuple(vertex.co) for vertex in mesh.verts])
    triangles = np.array([[vertex.index for vertex in face.verts] for face in mesh.faces], dtype=np.int32)
    mesh.free()
    if not is_closed_manifold(triangles):
        raise ValueError(f"the {name} is not a closed manifold")
    low, high = points.min(axis=0), points.max(axis=0)
    return TriMesh((points - (low + high) / 2) * (LONGEST_SIDE / (high - low).max()), triangles, name)


def is_closed_manifold(triangles: npt.NDArray[np.int32]) -> bool:
    """Whether each half-edge of triangles (M, 3) is there once, and its opposite too."""
    sides = np.concatenate([triangles[:, [i, (i + 1) % 3]] for i in range(3)]).astype(np.int64)
    key, opposite = sides @ [1 << 32, 1], sides @ [1, 1 << 32]
    return len(np.unique(key)) == len(key) and bool(np.isin(opposite, key).all())
