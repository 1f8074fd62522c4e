"""Blender's curve data to `Spline`s, in the object's own space. Radii are the point radii."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any, cast

import bpy
import numpy as np
import numpy.typing as npt

from ...compute import InputError
from .bevel_ends import shown_splines
from .curves import Spline
from .edges import polylines

Floats = npt.NDArray[np.float64]

# In the order in which the attributes of the Curves type number them.
_CURVE_KINDS = ("CATMULL_ROM", "POLY", "BEZIER", "NURBS")
_KNOTS_ENDPOINT, _KNOTS_BEZIER, _KNOTS_ENDPOINT_BEZIER, _KNOTS_CUSTOM = 1, 2, 3, 4

# `_DEFORMING` modifiers only move points. Those `_ON_CONTROL_POINTS` always move the control points of a curve.
_ON_CONTROL_POINTS = frozenset({"HOOK", "MESH_DEFORM", "SOFT_BODY"})
_DEFORMING = _ON_CONTROL_POINTS | {
    "ARMATURE",
    "CAST",
    "CURVE",
    "LATTICE",
    "SHRINKWRAP",
    "SIMPLE_DEFORM",
    "SMOOTH",
    "WARP",
    "WAVE",
}
# Without a bevel, a curve with one of these in front becomes edges, and edges they stay.
_ON_EDGES = _DEFORMING | {"ARRAY", "MIRROR", "WELD"}


def legacy_curve(obj: bpy.types.Object) -> bpy.types.Curve | None:
    """The data of a curve or text object; None for other objects."""
    return cast(bpy.types.Curve, obj.data) if obj.type in {"CURVE", "FONT"} else None


def is_filled(curve: bpy.types.Curve) -> bool:
    """Whether Blender fills what the closed splines of a curve enclose."""
    return curve.dimensions == "2D" and cast(Any, curve).fill_mode != "NONE"


def is_edited(obj: bpy.types.Object) -> bool:
    """Whether an object is in Edit Mode, or shares its data with one that is."""
    return obj.mode == "EDIT" or bool(getattr(obj.data, "is_editmode", False))


def is_read_while_edited(obj: bpy.types.Object) -> bool:
    """Whether Blender returns a curve or text in Edit Mode as it would be in Object Mode.

    It does not if modifiers or shape keys move the control points, or if a modifier that affects the path is not shown
    in Edit Mode.
    """
    curve = legacy_curve(obj)
    if curve is None or curve.shape_keys:
        return False
    later, enabled = _later_modifiers(obj), [modifier for modifier in obj.modifiers if modifier.show_viewport]
    heeded = [] if _hides_its_path(obj, curve) else later
    return len(later) == len(enabled) and all(modifier.show_in_editmode for modifier in heeded)


def object_splines(evaluated: bpy.types.Object, depsgraph: bpy.types.Depsgraph) -> list[Spline]:
    """The splines of an evaluated curve, text, Curves, point cloud or mesh object.

    Raises:
        InputError: the object evaluates to faces, or has NURBS curves with custom knots, which no script can read.
    """
    original = legacy_curve(evaluated)
    if original and (_hides_its_path(evaluated, original) or not _later_modifiers(evaluated)):
        if evaluated.type == "CURVE" and is_edited(evaluated):
            # `to_curve` returns the state before Edit Mode. Nothing else moves these points.
            return _read_splines(original, original)
        curve = evaluated.to_curve(depsgraph, apply_modifiers=evaluated.type == "CURVE")
        try:
            return _read_splines(original, curve)
        finally:
            evaluated.to_curve_clear()
    splines = geometry_splines(cast(Any, evaluated).evaluated_geometry(), evaluated.name)
    if original is None:
        return splines
    splines = with_factors(splines)
    if _becomes_edges(evaluated):
        radius = _point_radii(original).max(initial=0.0)  # all are equal, and the edges do not have them
        splines = [replace(spline, radii=spline.radii * radius) for spline in splines]
    return splines


def _read_splines(curve: bpy.types.Curve, made: bpy.types.Curve) -> list[Spline]:
    """The shown parts of the splines of an evaluated curve; `made` has them as its first modifiers leave them."""
    originals = list(made.splines)
    splines = [legacy_spline(spline) for spline in originals]
    return shown_splines(curve, originals, splines) if is_bevelled(curve) else splines


def geometry_splines(geometry: Any, name: str) -> list[Spline]:
    """The curves, edges and points of a `GeometrySet` of the object with this name; errors as for `object_splines`."""
    splines = list(_curves_splines(geometry.curves, name)) if geometry.curves else []
    if geometry.mesh:
        splines += _mesh_splines(geometry.mesh, name)
    if geometry.pointcloud:
        splines += _cloud_splines(geometry.pointcloud)
    return splines


def with_factors(splines: Sequence[Spline]) -> list[Spline]:
    """The splines that nodes have made of a curve object, whose radii are factors there, and no lengths."""
    return [
        spline
        if spline.kind == "BALLS"
        else replace(spline, radii=spline.radii * (spline.unit_radius or 1.0), unit_radius=0.0)
        for spline in splines
    ]


def ignored_modifiers(obj: bpy.types.Object) -> list[str]:
    """Names of modifiers of a curve or text that change what it shows, and not the path."""
    curve = legacy_curve(obj)
    if not curve or not _hides_its_path(obj, curve):
        return []
    return [modifier.name for modifier in _later_modifiers(obj)]


def _later_modifiers(obj: bpy.types.Object) -> list[bpy.types.Modifier]:
    """Modifiers that work on the geometry made from the control points."""
    enabled = [modifier for modifier in obj.modifiers if modifier.show_viewport]
    if obj.type == "FONT":
        return enabled  # no script can read the control points of a text that modifiers have moved
    first = 0
    for i, modifier in enumerate(enabled):
        if modifier.type not in _DEFORMING:
            break
        if modifier.type in _ON_CONTROL_POINTS or modifier.use_apply_on_spline:
            first = i + 1
    return enabled[first:]


def becomes_faces(curve: bpy.types.Curve) -> bool:
    """Whether Blender makes faces of a curve before its later modifiers."""
    return is_filled(curve) or is_bevelled(curve)


def is_bevelled(curve: bpy.types.Curve) -> bool:
    """Whether Blender makes faces along a curve, from the start of its bevel to the end."""
    profile = curve.bevel_mode == "OBJECT" and curve.bevel_object is not None
    return profile or curve.bevel_depth != 0 or curve.extrude != 0


def _becomes_edges(obj: bpy.types.Object) -> bool:
    """Whether Blender makes edges of a curve that does not become faces, before its later modifiers."""
    later = _later_modifiers(obj)
    return bool(later) and later[0].type != "NODES"


def _hides_its_path(obj: bpy.types.Object, curve: bpy.types.Curve) -> bool:
    """Whether the path cannot be found in what the later modifiers make: its own control points are read."""
    if becomes_faces(curve):
        return True
    if not _becomes_edges(obj):
        return False
    stay = all(modifier.type in _ON_EDGES for modifier in _later_modifiers(obj))
    return not stay or bool(np.ptp(_point_radii(curve)) > 0)


def _point_radii(curve: bpy.types.Curve) -> Floats:
    """The radii of all control points of a curve; 1 for a text."""
    radii = [legacy_spline(spline).radii for spline in curve.splines]
    return np.concatenate(radii) if radii else np.ones(1)


def legacy_spline(spline: bpy.types.Spline) -> Spline:
    """A spline of a curve object, in its own space."""
    if spline.type == "BEZIER":
        points = spline.bezier_points
        return Spline(
            "BEZIER",
            _vectors(points, "co"),
            _values(points, "radius"),
            spline.use_cyclic_u,
            left=_vectors(points, "handle_left"),
            right=_vectors(points, "handle_right"),
            interpolation=spline.radius_interpolation,
        )
    control = _vectors(spline.points, "co", 4)
    return Spline(
        "NURBS" if spline.type == "NURBS" else "POLY",
        control[:, :3],
        _values(spline.points, "radius"),
        spline.use_cyclic_u,
        weights=control[:, 3],
        order=spline.order_u,
        endpoint=spline.use_endpoint_u,
        bezier=spline.use_bezier_u,
    )


def _curves_splines(curves: bpy.types.Curves, name: str) -> Iterator[Spline]:
    """Each curve of the Curves type. Its radii are lengths."""
    offsets = np.zeros(len(curves.curves) + 1, dtype=np.int32)
    if len(curves.curves):
        curves.curve_offset_data.foreach_get("value", offsets)
    lengths = _point_lengths(curves, int(offsets[-1]))
    for spline in attribute_splines(curves, offsets, name):
        yield spline if lengths is None else _with_lengths(spline, lengths)


def attribute_splines(data: Any, offsets: npt.NDArray[np.int32], name: str, radius: float = 1.0) -> Iterator[Spline]:
    """The N curves that attributes describe. A missing attribute has Blender's default value.

    Args:
        data: a Curves, or a drawing of Grease Pencil.
        offsets: (N + 1,) the index of each curve's first point, then the number of points.
        name: the object's name, for messages.
        radius: the point radius, if the attribute is missing.
    """
    points = _attribute(data, "position", np.zeros((offsets[-1], 3), dtype=np.float32))
    left = _attribute(data, "handle_left", points.astype(np.float32))
    right = _attribute(data, "handle_right", points.astype(np.float32))
    radii = _attribute(data, "radius", np.full(offsets[-1], radius, dtype=np.float32))
    weights = _attribute(data, "nurbs_weight", np.ones(offsets[-1], dtype=np.float32))
    kinds = _attribute(data, "curve_type", np.zeros(len(offsets) - 1, dtype=np.int32))
    cyclic = _attribute(data, "cyclic", np.zeros(len(offsets) - 1, dtype=np.int32))
    orders = _attribute(data, "nurbs_order", np.full(len(offsets) - 1, 4, dtype=np.int32))
    knots = _attribute(data, "knots_mode", np.zeros(len(offsets) - 1, dtype=np.int32))
    for i, (first, last) in enumerate(pairwise(offsets)):
        own = slice(first, last)
        kind = _CURVE_KINDS[int(kinds[i])]
        if kind == "NURBS" and knots[i] == _KNOTS_CUSTOM:
            raise InputError(
                "'{name}' has NURBS curves with custom knots, which cannot be read: choose other knots", name=name
            )
        yield Spline(
            kind,
            points[own],
            radii[own],
            bool(cyclic[i]),
            left=left[own],
            right=right[own],
            weights=weights[own],
            order=int(orders[i]),
            endpoint=knots[i] in (_KNOTS_ENDPOINT, _KNOTS_ENDPOINT_BEZIER),
            bezier=knots[i] in (_KNOTS_BEZIER, _KNOTS_ENDPOINT_BEZIER),
        )


def _mesh_splines(mesh: bpy.types.Mesh, name: str) -> list[Spline]:
    """The loose vertices of a mesh without faces as balls, and polylines along its edges.

    A point attribute "radius" is the point radius along edges, and a length for loose vertices, as for a point cloud.
    """
    if mesh.polygons:
        if len(mesh.polygons) == 1:
            raise InputError("'{name}' turns into a face: a path is a curve, or edges without faces", name=name)
        raise InputError(
            "'{name}' turns into {count} faces: a path is a curve, or edges without faces",
            name=name,
            count=len(mesh.polygons),
        )
    edges = np.empty(2 * len(mesh.edges), dtype=np.int32)
    if len(edges):
        cast(Any, mesh.attributes[".edge_verts"]).data.foreach_get("value", edges)
    points = vertex_points(mesh).astype(np.float64)
    loose = np.ones(len(points), dtype=bool)
    loose[edges] = False
    splines = [_balls(points[loose], _point_lengths(mesh, len(points), loose))] if loose.any() else []
    radii = _attribute(mesh, "radius", np.ones(len(points), dtype=np.float32))
    chains = polylines(edges, len(points))
    return splines + [Spline("POLY", points[chain], radii[chain], cyclic) for chain, cyclic in chains]


def _cloud_splines(cloud: Any) -> list[Spline]:
    """The points of a point cloud as balls."""
    if not len(cloud.points):
        return []
    points = _attribute(cloud, "position", np.zeros((len(cloud.points), 3), dtype=np.float32))
    return [_balls(points, _point_lengths(cloud, len(points)))]


def _balls(points: Floats, radii: Floats | None) -> Spline:
    """Balls with these radii (N,) in the space of the points; None leaves the radius to the carve."""
    balls = Spline("BALLS", points, np.ones(len(points)) if radii is None else radii)
    return balls if radii is None else _with_lengths(balls, radii)


def _with_lengths(spline: Spline, lengths: Floats) -> Spline:
    """A spline whose radii are among these lengths, as factors of the greatest of them."""
    # Radii that are not positive are told as such by the path that they make.
    greatest = max(float(lengths.max(initial=0.0)), 0.0)
    return replace(spline, radii=spline.radii / (greatest or 1.0), unit_radius=greatest)


def point_radius(obj: bpy.types.Object) -> float:
    """The greatest radius of a Curves object, a point cloud, or a mesh of loose vertices alone, in its own space.

    It is 0 if points have no radius.
    """
    if obj.type == "MESH" and len(cast(bpy.types.Mesh, obj.data).edges) == 0:
        count = len(cast(bpy.types.Mesh, obj.data).vertices)
    elif obj.type in {"CURVES", "POINTCLOUD"}:
        count = len(cast(Any, obj.data).points)
    else:
        return 0.0
    radii = _point_lengths(obj.data, count)
    return 0.0 if radii is None or not len(radii) else max(float(radii.max()), 0.0)


def _point_lengths(data: Any, count: int, which: npt.NDArray[np.bool_] | None = None) -> Floats | None:
    """The attribute "radius" of points, or of which of them; None if there is none."""
    attribute = data.attributes.get("radius")
    if attribute is None or attribute.data_type != "FLOAT" or len(attribute.data) != count:
        return None
    radii = _attribute(data, "radius", np.ones(count, dtype=np.float32))
    return radii if which is None else radii[which]


def vertex_points(mesh: bpy.types.Mesh) -> npt.NDArray[np.float32]:
    """(N, 3) vertices of a mesh in its own space."""
    points = np.empty(3 * len(mesh.vertices), dtype=np.float32)
    if len(points):
        cast(Any, mesh.attributes["position"]).data.foreach_get("vector", points)
    return points.reshape(-1, 3)


def _vectors(items: Any, name: str, width: int = 3) -> Floats:
    return _values(items, name, width).reshape(-1, width)


def _values(items: Any, name: str, width: int = 1) -> Floats:
    values = np.empty(width * len(items), dtype=np.float32)
    items.foreach_get(name, values)
    return values.astype(np.float64)


def _attribute(data: Any, name: str, missing: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """An attribute as an array; `missing` is returned instead if it does not exist or has another shape."""
    attribute = cast(Any, data.attributes.get(name))
    if attribute is None or len(attribute.data) != len(missing):
        return missing.astype(np.float64) if missing.dtype.kind == "f" else missing
    values = np.empty(missing.size, dtype=missing.dtype)
    attribute.data.foreach_get("vector" if missing.ndim == 2 else "value", values)
    values = values.reshape(missing.shape)
    return values.astype(np.float64) if missing.dtype.kind == "f" else values
