"""The contents of the viewport overlay, read from the scene as lines."""

from collections.abc import Hashable
from dataclasses import dataclass
from typing import cast

import bpy
import numpy as np
import numpy.typing as npt
from mathutils import Vector

from ..compute import Grid, InputError, Path, plan_grid
from ..compute.runtime import Length
from ..operators.selection.radii import least_radius, own_radii, point_factors, tool_radii, world_boxes
from ..operators.selection.selected import Selection
from ..operators.selection.target import CarveSettings
from ..scene.reading.meshes import face_bounds
from ..scene.reading.read import read_paths, read_stock
from ..settings import AUTOMATIC_RADIUS, chosen_voxel_size
from .forecast import world_bounds
from .overlay_shapes import Lines, Tubes, box_lines, lattice_lines, ring_lines

Floats = npt.NDArray[np.float64]

# The settings that the lines depend on, besides the objects.
_SETTINGS = ("operation", "size_mode", "resolution", "voxel_size", "radius_mode", "radius", "radius_factor")
# Greatest distance of a curve from its outline: in voxels, as in a carve, but at least this fraction of the stock's
# longest side.
_CHORD_TOLERANCE, _FINEST_CHORD = 0.1, 1 / 4000
# Voxels along a side of the patch, and how many voxels the surface may be away from the plane through its middle.
PATCH_SIDE, _PATCH_REACH = 8, 3


@dataclass(frozen=True)
class OverlayLines:
    """The lines that do not depend on the view.

    Attributes:
        grid: the grid of a carve of the stock.
        box: (24, 3) the grid's bounds.
        tubes: the segments of the sweep; none without paths.
        rings: (2 L, 3) around the tubes.
    """

    grid: Grid
    box: Lines
    tubes: Tubes
    rings: Lines


@dataclass(frozen=True)
class PatchPlace:
    """The place on the stock where voxels are shown, in world space.

    Attributes:
        point: a point on its surface.
        normal: the unit normal of the surface there, on the viewer's side.
    """

    point: tuple[float, ...]
    normal: tuple[float, ...]


def overlay_key(context: bpy.types.Context, found: Selection, settings: CarveSettings) -> Hashable:
    """A key of selection, settings and transforms: equal if the lines are the same, unless geometry has changed."""
    placings = [
        (stock_or_path.session_uid, _placing(stock_or_path)) for stock_or_path in (*found.stocks[:1], *found.paths)
    ]
    scene, layer = cast(bpy.types.Scene, context.scene), cast(bpy.types.ViewLayer, context.view_layer)
    return scene.session_uid, layer.name, tuple(getattr(settings, name) for name in _SETTINGS), found.own, *placings


def _placing(obj: bpy.types.Object) -> tuple[object, ...]:
    return (obj.mode, *np.array(obj.matrix_world).ravel().tolist())


def watched(found: Selection) -> frozenset[int]:
    """The `session_uid`s of the objects and data whose geometry the lines show."""
    objs = (*found.stocks[:1], *found.paths)
    return frozenset(each.session_uid for obj in objs for each in (obj, obj.data) if each is not None)


def overlay_lines(found: Selection, depsgraph: bpy.types.Depsgraph, settings: CarveSettings) -> OverlayLines:
    """The grid of the active stock, and the sweep of all paths.

    Raises:
        InputError: as `plan_grid` and `read_paths`, or the voxels are larger than the stock.
    """
    stock = found.stocks[0]
    bounds = stock_bounds(stock, depsgraph)
    longest = float((bounds[1] - bounds[0]).max())
    given = settings.radius if settings.radius_mode == "VALUE" else None
    radii = tool_radii(
        own_radii(found.paths),
        point_factors(found.paths),
        [own for _, own in found.each_path()],
        longest,
        given,
        settings.radius_factor,
    )
    voxel_size = chosen_voxel_size(settings, longest, least_radius(radii, world_boxes(found.paths), bounds))
    if not 0 < voxel_size <= longest:
        raise InputError(
            "voxel size {voxel_size} makes no grid for '{name}', of {longest}",
            voxel_size=Length(voxel_size),
            name=stock.name,
            longest=Length(longest),
        )
    paths: list[Path] = []
    added: list[Path] = []
    usual = settings.radius if settings.radius_mode == "VALUE" else AUTOMATIC_RADIUS * longest
    for obj, own in found.each_path():
        read = read_paths(
            obj,
            depsgraph,
            own.radius or usual,
            max(_CHORD_TOLERANCE * voxel_size, _FINEST_CHORD * longest),
            use_own_radius=settings.radius_mode == "CURVE" and own.radius is None,
            factor=settings.radius_factor,
        )
        paths += read
        added += read if (own.operation or settings.operation.lower()) == "union" else ()
    for path in added:
        reach = path.radii[:, None]
        bounds[0] = np.minimum(bounds[0], (path.points - reach).min(axis=0))
        bounds[1] = np.maximum(bounds[1], (path.points + reach).max(axis=0))
    grid = plan_grid(bounds, voxel_size)
    side = np.array(grid.shape[::-1]) * voxel_size
    tubes = Tubes.of(paths)
    return OverlayLines(grid, box_lines(grid.origin, grid.origin + side), tubes, ring_lines(tubes))


def stock_bounds(stock: bpy.types.Object, depsgraph: bpy.types.Depsgraph) -> Floats:
    """(2, 3) the world-space box around the faces of a stock; in Edit Mode, around its local bounding box.

    Raises:
        InputError: the stock is disabled, or has coordinates that are not numbers.
    """
    evaluated = evaluated_stock(stock, depsgraph)
    if stock.mode == "EDIT" or stock.type == "VOLUME":
        return world_bounds(stock)
    if not isinstance(evaluated.data, bpy.types.Mesh):
        return read_stock(stock, depsgraph).bounds()
    bounds = face_bounds(evaluated)
    if bounds is None:
        raise InputError("'{name}' has no faces: choose a mesh with a surface as the stock", name=stock.name)
    if not np.isfinite(bounds).all():
        raise InputError("'{name}' has coordinates that are not numbers: delete them", name=stock.name)
    return bounds


def evaluated_stock(stock: bpy.types.Object, depsgraph: bpy.types.Depsgraph) -> bpy.types.Object:
    """The stock with its modifiers applied.

    Raises:
        InputError: it is disabled.
    """
    evaluated = stock.evaluated_get(depsgraph)
    if not evaluated.is_evaluated:
        raise InputError("'{name}' is disabled in viewports or not in the view layer: enable it", name=stock.name)
    return evaluated


def patch_place(evaluated: bpy.types.Object, viewer: Floats, look: Floats) -> PatchPlace | None:
    """The place on the stock in the middle of the view, or else where the middle of its box is seen.

    Args:
        evaluated: the stock.
        viewer: (4,) the eye (x, y, z, 1); in an orthographic view any point that looks at the middle, with 0.
        look: (3,) unit vector of the view's direction.
    """
    if evaluated.type != "MESH":
        return None
    box, eye = world_bounds(evaluated), viewer[:3]
    middle, far = box.mean(axis=0), float(np.linalg.norm(box[1] - box[0]))
    if viewer[3]:
        rays = [(eye, look), (eye, middle - eye)]
    else:
        back = (float(np.linalg.norm(middle - eye)) + far) * look
        rays = [(eye - back, look), (middle - back, look)]
    for start, along in rays:
        hit = _hit(evaluated, Vector(start.tolist()), Vector(along.tolist()))
        if hit is not None:
            return PatchPlace(hit[0].to_tuple(), hit[1].to_tuple())
    return None


def patch_lines(evaluated: bpy.types.Object, voxel_size: float, place: PatchPlace) -> Lines:
    """Squares of voxel size, projected onto the surface around a place."""
    point, normal = Vector(place.point), Vector(place.normal)
    # Along the world axis that is most parallel to the surface, because voxels are aligned with the axes.
    first = Vector([float(axis == int(np.argmin(np.abs(place.normal)))) for axis in range(3)])
    first = (first - first.dot(normal) * normal).normalized()
    second = normal.cross(first)
    points = np.zeros((PATCH_SIDE + 1, PATCH_SIDE + 1, 3))
    shown = np.zeros(points.shape[:2], dtype=bool)
    reach = _PATCH_REACH * voxel_size
    for p, q in np.ndindex(shown.shape):
        aside = (p - PATCH_SIDE / 2) * first + (q - PATCH_SIDE / 2) * second
        hit = _hit(evaluated, point + voxel_size * aside + reach * normal, -normal)
        if hit is not None:
            points[p, q] = hit[0].to_tuple()
            shown[p, q] = abs((hit[0] - point).dot(normal)) <= reach
    return lattice_lines(points, shown)


def _hit(evaluated: bpy.types.Object, start: Vector, along: Vector) -> tuple[Vector, Vector] | None:
    """The first hit of a ray on an object, in world space, and the normal there, facing the ray's start."""
    matrix = evaluated.matrix_world
    inverse = matrix.inverted_safe()
    found, point, normal, _ = evaluated.ray_cast(inverse @ start, inverse.to_3x3() @ along)
    if not found:
        return None
    normal = (inverse.to_3x3().transposed() @ normal).normalized()
    return matrix @ point, -normal if normal.dot(along) > 0 else normal
