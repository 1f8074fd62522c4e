"""Blender objects to arrays. Objects are read as evaluated by the depsgraph, in world space, and never changed.

`instances.py` decides whether an object is a stock, a path, or both, and finds what it instances.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

import bpy
import numpy as np
import numpy.typing as npt

from ...compute import EmptySweepError, InputError, Path, TriMesh
from ...compute.runtime import Sentence
from ..layers import Layers, read_layers
from ..provenance import StockFaces, read_looks
from ..shading import read_normals
from .bevels import awaits_bevel, bevel_radius
from .curves import MOST_POINTS, Spline, sample
from .evaluation import is_evaluated, refuse_mode
from .instances import (
    CURVE_TYPES,
    Body,
    Copies,
    bodies,
    has_instances,
    holds_faces,
    holds_lines,
    may_instance,
)
from .meshes import (
    corners,
    instanced_faces,
    mean_scale,
    own_mesh,
    polygons,
    solid_places,
    to_world,
    world_matrix,
)
from .outlines import is_outline, object_outline_radius, outline_radius
from .splines import (
    geometry_splines,
    is_bevelled,
    legacy_curve,
    object_splines,
    point_radius,
    vertex_points,
    with_factors,
)
from .strokes import stroke_radius, stroke_splines
from .volumes import volume_mesh

Floats = npt.NDArray[np.float64]


def is_stock(obj: bpy.types.Object) -> bool:
    """Whether the object is a mesh with faces after its modifiers, or instances one, or is a volume."""
    if obj.type == "VOLUME":
        return True
    # Blender subdivides when it is asked for the faces, which takes a second for a million of them.
    if obj.type == "MESH" and all(modifier.type == "SUBSURF" for modifier in obj.modifiers):
        return len(obj.data.polygons) > 0  # type: ignore[union-attr]
    if obj.type != "MESH" and not may_instance(obj):
        return False
    return holds_faces(obj, bpy.context.evaluated_depsgraph_get())


def is_path(obj: bpy.types.Object) -> bool:
    """Whether the object is a curve, a text, Grease Pencil, points, a mesh without faces, or instances one of these.

    An object whose Geometry Nodes make faces is only a stock; only an empty can be both.
    """
    if obj.type == "MESH":
        return not is_stock(obj)
    if not may_instance(obj):
        return obj.type in CURVE_TYPES
    return holds_lines(obj, bpy.context.evaluated_depsgraph_get())


def own_radius(obj: bpy.types.Object) -> float:
    """A path's own radius, in its own space; 0 for none.

    That of its bevel, the greatest of its strokes or points, or what suits the outlines of a text or a filled curve.
    """
    if obj.type == "GREASEPENCIL":
        return stroke_radius(obj)
    return bevel_radius(obj) or point_radius(obj) or object_outline_radius(obj)


def read_stock(obj: bpy.types.Object, depsgraph: bpy.types.Depsgraph) -> TriMesh:
    """The triangles of a mesh object and of all meshes that it instances, modifiers applied, in world space.

    Of a volume they are the surface: see `volume_mesh`.

    Faces of mirrored geometry (negative determinant) are flipped, so that they look outward again.

    Raises:
        InputError: no mesh, no faces, coordinates that are not finite, zero scale, in edit mode, in sculpt mode with
            dynamic topology or Multires, or disabled; or as `volume_mesh`.
    """
    if obj.type == "VOLUME":
        return volume_mesh(_evaluate(obj, depsgraph))
    if _holds_instances(obj, depsgraph):
        return instanced_faces(_evaluate(obj, depsgraph), depsgraph).mesh
    with _stock_mesh(obj, depsgraph) as (evaluated, mesh):
        matrix = world_matrix(evaluated)
        return TriMesh(to_world(matrix, vertex_points(mesh)), corners(mesh, matrix)[1], evaluated.name)


def read_stock_faces(
    obj: bpy.types.Object,
    depsgraph: bpy.types.Depsgraph,
    transfer_attributes: bool = True,
    custom_normals: bool = True,
) -> StockFaces:
    """A stock as `read_stock` reads it, with the looks of its faces.

    Args:
        obj: the object.
        depsgraph: evaluates it.
        transfer_attributes: whether to read its UV maps, colours and vertex groups; those of instances are never read.
        custom_normals: whether to read the normals that it is shown with.
    """
    if obj.type == "VOLUME":
        return StockFaces.plain(volume_mesh(_evaluate(obj, depsgraph)))
    if _holds_instances(obj, depsgraph):
        return instanced_faces(_evaluate(obj, depsgraph), depsgraph, custom_normals)
    with _stock_mesh(obj, depsgraph) as (evaluated, mesh):
        matrix = world_matrix(evaluated)
        loops, triangles = corners(mesh, matrix)
        stock = TriMesh(to_world(matrix, vertex_points(mesh)), triangles, evaluated.name)
        layers = read_layers(evaluated, mesh, loops, triangles) if transfer_attributes else Layers()
        materials, slot, smooth = read_looks(evaluated, mesh, polygons(mesh))
        normals = read_normals(mesh, matrix, loops, triangles, smooth) if custom_normals else None
        return StockFaces(stock, materials, slot, smooth, layers, normals)


def read_paths(
    obj: bpy.types.Object,
    depsgraph: bpy.types.Depsgraph,
    radius: float,
    chord_tolerance: float,
    *,
    use_own_radius: bool = True,
    factor: float = 1.0,
) -> tuple[Path, ...]:
    """The polylines of a curve, text, Grease Pencil or mesh of edges, the balls of points, and those that it instances.

    All are in world space. Of a curve with a bevel, the part that its start and end leave.

    A curve or text in Edit Mode is read as it is being edited.

    Args:
        obj: an object for which `is_path` holds.
        depsgraph: evaluates it.
        radius: world-space length of a point radius of 1.
        chord_tolerance: greatest distance of a curve from its polyline, in Blender units.
        use_own_radius: whether a path's own radius (`own_radius`) replaces `radius`, scaled with the object by the cube
            root of the determinant of its matrix.
        factor: multiplies every radius.

    Raises:
        InputError: not a path, coordinates that are not finite, radii or weights that are not positive,
            flattened, more points than a sweep can have, a mode whose edits cannot be read, or disabled.
        EmptySweepError: no points, a scale of zero, a bevel that ends where it starts, or an animated bevel depth of 0
            where the own radius counts, as animated paths have before they appear.
    """
    for name, length in ((Sentence("radius"), radius), (Sentence("chord tolerance"), chord_tolerance)):
        if not (np.isfinite(length) and length > 0):
            raise InputError("{name} {length:g}: it must be a positive length", name=name, length=length)
    if not is_path(obj):
        raise InputError("'{name}' is no path: choose a curve, a text, or a mesh of edges without faces", name=obj.name)
    paths = []
    count = 0
    evaluated = _evaluate(obj, depsgraph)
    if not np.array(evaluated.matrix_world, dtype=np.float64)[:3, :3].any():
        raise EmptySweepError("'{name}' has a scale of zero: give it another", name=obj.name)
    for spline, matrix, own in _placed_splines(evaluated, depsgraph, use_own_radius):
        unit_radius = factor * (own * mean_scale(matrix) if own and use_own_radius else radius)
        paths.append(_path(spline, matrix, unit_radius, chord_tolerance, obj.name))
        count += len(paths[-1].points)
        if count > MOST_POINTS:
            raise InputError(
                "path '{name}' would take more than {most:,} points: use larger voxels", name=obj.name, most=MOST_POINTS
            )
    if not paths:
        raise _nothing_to_sweep(evaluated, use_own_radius)
    return tuple(paths)


def _nothing_to_sweep(evaluated: bpy.types.Object, use_own_radius: bool) -> EmptySweepError:
    """Why there is nothing to sweep along a path."""
    curve, name = legacy_curve(evaluated), evaluated.name
    if use_own_radius and awaits_bevel(evaluated):
        return EmptySweepError(
            "'{name}' has an animated bevel depth, which is 0 at this frame: go to another frame", name=name
        )
    if curve is not None and len(curve.splines) and is_bevelled(curve):
        return EmptySweepError("the bevel of '{name}' ends where it starts: move its start or end", name=name)
    return EmptySweepError("path '{name}' has no points: draw at least one", name=name)


def _holds_instances(obj: bpy.types.Object, depsgraph: bpy.types.Depsgraph) -> bool:
    """Whether a stock holds more than the mesh of its object."""
    return may_instance(obj) and (obj.type != "MESH" or has_instances(obj, depsgraph))


def _evaluate(obj: bpy.types.Object, depsgraph: bpy.types.Depsgraph) -> bpy.types.Object:
    refuse_mode(obj)
    if obj.mode == "SCULPT":
        # After a brush stroke the evaluated mesh may be the one from before.
        obj.update_tag(refresh={"DATA"})
        depsgraph.update()
    if not is_evaluated(obj, depsgraph):
        raise InputError(
            "'{name}' is disabled in viewports or not in the view layer, and so Blender keeps it "
            "unevaluated: enable it",
            name=obj.name,
        )
    return obj.evaluated_get(depsgraph)


@contextmanager
def _stock_mesh(
    obj: bpy.types.Object, depsgraph: bpy.types.Depsgraph
) -> Iterator[tuple[bpy.types.Object, bpy.types.Mesh]]:
    """An evaluated mesh object and its mesh, valid within the `with` block."""
    if obj.type != "MESH":
        raise InputError("'{name}' is not a mesh: choose a mesh with faces as the stock", name=obj.name)
    evaluated = _evaluate(obj, depsgraph)
    world_matrix(evaluated)
    with own_mesh(evaluated) as mesh:
        yield evaluated, mesh


def _placed_splines(
    evaluated: bpy.types.Object, depsgraph: bpy.types.Depsgraph, use_own_radius: bool
) -> Iterator[tuple[Spline, Floats, float]]:
    """Each spline of an object, in its own space, with the transform (4, 4) to world space and its own radius or 0.

    Where its own radius counts, a bevel that is yet to grow leaves none.
    """
    for body in bodies(evaluated, depsgraph):
        if not holds_lines(body.obj, depsgraph):
            continue
        for part in body.parts:
            places = solid_places(part, evaluated.name)
            if not places or (use_own_radius and part.obj is not None and awaits_bevel(part.obj)):
                continue
            splines, own = _splines(body, part, depsgraph)
            for matrix in places:
                for spline in splines:
                    yield spline, matrix, spline.unit_radius or own


def _splines(body: Body, part: Copies, depsgraph: bpy.types.Depsgraph) -> tuple[list[Spline], float]:
    """The splines of a part of a body, and their own radius, 0 for none."""
    if part.obj is None:
        splines = geometry_splines(part.geometry, body.obj.name)
        return with_factors(splines) if legacy_curve(body.obj) else splines, 0.0
    refuse_mode(part.obj)
    if part.obj.type == "GREASEPENCIL":
        return stroke_splines(part.obj), stroke_radius(part.obj)
    splines = object_splines(part.obj, depsgraph)
    return splines, outline_radius(splines) if is_outline(part.obj) else bevel_radius(part.obj)


def _path(spline: Spline, matrix: Floats, unit_radius: float, tolerance: float, name: str) -> Path:
    spline = replace(spline, points=to_world(matrix, spline.points), radii=spline.radii * unit_radius)
    if spline.kind == "BEZIER":
        spline = replace(spline, left=to_world(matrix, spline.left), right=to_world(matrix, spline.right))
    if spline.kind not in ("POLY", "BALLS"):
        _refuse_bad_control_points(spline, name)
    try:
        points, radii = sample(spline, tolerance)
    except InputError as error:
        raise InputError("path '{name}': {error}", name=name, error=error) from error
    return Path(points, radii, spline.cyclic, name, joined=spline.kind != "BALLS")


def _refuse_bad_control_points(spline: Spline, name: str) -> None:
    """Check control points before sampling, so that messages count the points the user sees; `Path` has the rules."""
    Path(spline.points, spline.radii, name=name)
    if spline.kind == "BEZIER":
        Path(np.vstack([spline.left, spline.right]), np.array(1.0), name=f"{name} (handles)")
    if spline.kind == "NURBS":
        bad = int((~(spline.weights > 0)).sum())
        if bad:
            raise InputError(
                "path '{name}' has {bad} of {count} points whose weight is not positive",
                name=name,
                bad=bad,
                count=len(spline.weights),
            )
