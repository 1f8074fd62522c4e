"""Blender objects to arrays. Objects are read as the depsgraph evaluates them, in world space, and never changed."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, cast

import bpy
import numpy as np
import numpy.typing as npt

from ..compute import InputError, Path, TriMesh
from .curves import MOST_POINTS, Spline, sample
from .layers import Layers, read_layers
from .provenance import StockFaces, read_looks
from .splines import bevel_depth, ignored_modifiers, legacy_curve, object_splines, vertex_points

Floats = npt.NDArray[np.float64]
Indices = npt.NDArray[np.int32]

# Below this ratio of the least to the greatest scale, float32 matrices cannot tell an object from a flat one.
_LEAST_SCALE_RATIO = 1e-7
# From this ratio on a round bevel is no longer taken for round.
_UNEVEN_SCALE_RATIO = 1.001


def is_stock(thing: bpy.types.Object) -> bool:
    """Whether the object is a mesh with faces, as its modifiers leave it."""
    if thing.type != "MESH":
        return False
    if thing.modifiers:
        thing = thing.evaluated_get(bpy.context.evaluated_depsgraph_get())
    return len(cast(bpy.types.Mesh, thing.data).polygons) > 0


def is_path(thing: bpy.types.Object) -> bool:
    """Whether the object is a curve, a text, or a mesh without faces."""
    if thing.type == "MESH":
        return not is_stock(thing)
    return thing.type in {"CURVE", "CURVES", "FONT"}


def read_stock(thing: bpy.types.Object, depsgraph: bpy.types.Depsgraph) -> TriMesh:
    """The triangles of a mesh object, modifiers applied, in world space.

    A mirrored object (negative determinant) is turned, so that its faces look outward again.

    Raises:
        InputError: not a mesh, no faces, coordinates that are not finite, zero scale, in edit mode, or disabled.
    """
    with _stock_mesh(thing, depsgraph) as (evaluated, mesh):
        return _tri_mesh(evaluated, mesh, _corners(evaluated, mesh)[1])


def read_stock_faces(
    thing: bpy.types.Object, depsgraph: bpy.types.Depsgraph, transfer_attributes: bool = True
) -> StockFaces:
    """A mesh object as `read_stock` reads it, with what its faces are like.

    Args:
        thing: the object.
        depsgraph: what evaluates it.
        transfer_attributes: whether its UV maps, colours and vertex groups are read.
    """
    with _stock_mesh(thing, depsgraph) as (evaluated, mesh):
        loops, triangles = _corners(evaluated, mesh)
        stock = _tri_mesh(evaluated, mesh, triangles)
        layers = read_layers(evaluated, mesh, loops, triangles) if transfer_attributes else Layers()
        return StockFaces(stock, *read_looks(evaluated, mesh, _polygons(mesh)), layers)


def read_paths(
    thing: bpy.types.Object,
    depsgraph: bpy.types.Depsgraph,
    radius: float,
    chord_tolerance: float,
    *,
    use_bevel: bool = True,
    factor: float = 1.0,
) -> tuple[Path, ...]:
    """The polylines of a curve, a text or a mesh of edges, in world space.

    Args:
        thing: an object for which `is_path` holds.
        depsgraph: what evaluates it.
        radius: of a point whose point radius is 1, a length in world space.
        chord_tolerance: greatest distance of a curve from its polyline, in Blender units.
        use_bevel: whether a curve with a bevel depth has that instead of the radius, scaled with the object by the
            cube root of the determinant of its world matrix.
        factor: multiplies every radius.

    Raises:
        InputError: not a path, no points, coordinates that are not finite, radii or weights that are not positive,
            zero scale, more points than a sweep can have, in edit mode, or disabled.
    """
    for name, length in (("radius", radius), ("chord tolerance", chord_tolerance)):
        if not (np.isfinite(length) and length > 0):
            raise InputError(f"{name} {length:g}: it must be a positive length")
    if not is_path(thing):
        raise InputError(f"'{thing.name}' is no path: choose a curve, a text, or a mesh of edges without faces")
    evaluated = _evaluate(thing, depsgraph)
    matrix = _world_matrix(evaluated)
    depth = bevel_depth(evaluated) if use_bevel else 0.0
    unit_radius = factor * (depth * abs(np.linalg.det(matrix[:3, :3])) ** (1 / 3) if depth else radius)
    splines = object_splines(evaluated, depsgraph)
    if not splines:
        raise InputError(f"path '{thing.name}' has no points: draw at least one")
    paths = []
    count = 0
    for spline in splines:
        paths.append(_path(spline, matrix, unit_radius, chord_tolerance, thing.name))
        count += len(paths[-1].points)
        if count > MOST_POINTS:
            raise InputError(f"path '{thing.name}' would take more than {MOST_POINTS:,} points: use larger voxels")
    return tuple(paths)


def path_warnings(thing: bpy.types.Object) -> tuple[str, ...]:
    """Sentences about what a path is not read by."""
    warnings = []
    depth = bevel_depth(thing)
    if depth and _scale_ratio(np.array(thing.matrix_world, dtype=np.float64)) * _UNEVEN_SCALE_RATIO < 1:
        warnings.append(f"'{thing.name}' is scaled unevenly: its bevel is taken as round, with the mean scale")
    ignored = ignored_modifiers(thing)
    if ignored:
        names = ", ".join(f"'{name}'" for name in ignored)
        warnings.append(f"'{thing.name}' is read without {names}: only modifiers applied on the spline move a path")
    curve = legacy_curve(thing)
    if curve and curve.taper_object:
        warnings.append(f"'{thing.name}' is read without its taper object: give its points radii")
    if curve and depth and (curve.bevel_factor_start, curve.bevel_factor_end) != (0, 1):
        warnings.append(f"'{thing.name}' is read in full: its bevel start and end are ignored")
    return tuple(warnings)


def _evaluate(thing: bpy.types.Object, depsgraph: bpy.types.Depsgraph) -> bpy.types.Object:
    if thing.mode == "EDIT" or getattr(thing.data, "is_editmode", False):
        raise InputError(f"'{thing.name}' is in Edit Mode: switch to Object Mode")
    evaluated = thing.evaluated_get(depsgraph)
    if not evaluated.is_evaluated:
        raise InputError(
            f"'{thing.name}' is disabled in viewports or not in the view layer, and so Blender keeps it unevaluated: "
            "enable it"
        )
    return evaluated


@contextmanager
def _stock_mesh(
    thing: bpy.types.Object, depsgraph: bpy.types.Depsgraph
) -> Iterator[tuple[bpy.types.Object, bpy.types.Mesh]]:
    """A mesh object evaluated, and its mesh for as long as the `with` block lasts."""
    if thing.type != "MESH":
        raise InputError(f"'{thing.name}' is not a mesh: choose a mesh with faces as the stock")
    evaluated = _evaluate(thing, depsgraph)
    _world_matrix(evaluated)
    mesh = evaluated.to_mesh()
    try:
        yield evaluated, mesh
    finally:
        evaluated.to_mesh_clear()


def _tri_mesh(evaluated: bpy.types.Object, mesh: bpy.types.Mesh, triangles: Indices) -> TriMesh:
    return TriMesh(_to_world(_world_matrix(evaluated), vertex_points(mesh)), triangles, evaluated.name)


def _corners(evaluated: bpy.types.Object, mesh: bpy.types.Mesh) -> tuple[Indices, Indices]:
    """(M, 3) loops and (M, 3) vertices of triangles, as Blender splits the faces; turned in a mirrored object."""
    vertices = np.empty(len(mesh.loops), dtype=np.int32)
    if len(vertices):
        cast(Any, mesh.attributes[".corner_vert"]).data.foreach_get("value", vertices)
    mesh.calc_loop_triangles()
    count = len(mesh.loop_triangles)
    if _is_triangulated(mesh):
        loops = np.arange(3 * count, dtype=np.int32)
    else:
        loops = np.empty(3 * count, dtype=np.int32)
        mesh.loop_triangles.foreach_get("loops", loops)
    mirrored = np.linalg.det(_world_matrix(evaluated)[:3, :3]) < 0
    loops = loops.reshape(-1, 3)[:, :: -1 if mirrored else 1]
    return loops, vertices[loops]


def _polygons(mesh: bpy.types.Mesh) -> Indices:
    """(M,) the polygon of each triangle of `_corners`."""
    if _is_triangulated(mesh):
        return np.arange(len(mesh.polygons), dtype=np.int32)
    polygons = np.empty(len(mesh.loop_triangles), dtype=np.int32)
    cast(Any, mesh).loop_triangle_polygons.foreach_get("value", polygons)
    return polygons


def _is_triangulated(mesh: bpy.types.Mesh) -> bool:
    """Whether all faces are triangles, once `calc_loop_triangles` has been called."""
    return len(mesh.loop_triangles) == len(mesh.polygons) and 3 * len(mesh.polygons) == len(mesh.loops)


def _world_matrix(evaluated: bpy.types.Object) -> Floats:
    """(4, 4), refused where it is not finite or flattens the object."""
    matrix = np.array(evaluated.matrix_world, dtype=np.float64)
    if not np.isfinite(matrix).all():
        raise InputError(f"'{evaluated.name}' has a transform that is not made of numbers: clear it")
    if _scale_ratio(matrix) < _LEAST_SCALE_RATIO:
        raise InputError(f"'{evaluated.name}' has a scale of zero: give it another")
    return matrix


def _scale_ratio(matrix: Floats) -> float:
    """The least scale of a transform by its greatest: 1 where it is uniform, 0 where it is flat."""
    scales = np.linalg.svd(matrix[:3, :3], compute_uv=False)
    return float(scales[-1] / scales[0]) if scales[0] > 0 else 0.0


def _to_world(matrix: Floats, points: npt.ArrayLike) -> Floats:
    """(N, 3) points of an object in world space, written out: for three columns a matrix product takes longer."""
    x, y, z = (column.astype(np.float64) for column in np.asarray(points).reshape(-1, 3).T)
    world = np.empty((len(x), 3))
    with np.errstate(invalid="ignore"):  # what is not a number is named later, with how many there are
        for axis in range(3):
            world[:, axis] = x * matrix[axis, 0] + y * matrix[axis, 1] + z * matrix[axis, 2] + matrix[axis, 3]
    return world


def _path(spline: Spline, matrix: Floats, unit_radius: float, tolerance: float, name: str) -> Path:
    spline = replace(spline, points=_to_world(matrix, spline.points), radii=spline.radii * unit_radius)
    if spline.kind == "BEZIER":
        spline = replace(spline, left=_to_world(matrix, spline.left), right=_to_world(matrix, spline.right))
    if spline.kind != "POLY":
        _refuse_bad_control_points(spline, name)
    try:
        points, radii = sample(spline, tolerance)
    except InputError as error:
        raise InputError(f"path '{name}': {error}") from error
    return Path(points, radii, cyclic=spline.cyclic, name=name)


def _refuse_bad_control_points(spline: Spline, name: str) -> None:
    """Before sampling, so that messages count what the user sees; `Path` knows the rules."""
    Path(spline.points, spline.radii, name=name)
    if spline.kind == "BEZIER":
        Path(np.vstack([spline.left, spline.right]), np.array(1.0), name=f"{name} (handles)")
    if spline.kind == "NURBS":
        bad = int((~(spline.weights > 0)).sum())
        if bad:
            raise InputError(f"path '{name}' has {bad} of {len(spline.weights)} points whose weight is not positive")
