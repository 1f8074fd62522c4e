"""What the viewport overlay shows: read from the scene, as lines."""

from collections.abc import Hashable
from dataclasses import dataclass
from typing import Any, cast

import bpy
import numpy as np
import numpy.typing as npt
from mathutils import Vector

from ..compute import Grid, InputError, Path, plan_grid
from ..operators.selection import Selection
from ..scene.read import read_paths
from ..scene.splines import vertex_points
from ..settings import VoxelCarveSettings
from .forecast import world_bounds
from .overlay_shapes import Lines, box_lines, tube_lines, voxel_lines

Floats = npt.NDArray[np.float64]

# What the lines depend on, beside the objects.
_SETTINGS = ("operation", "size_mode", "resolution", "voxel_size", "radius_mode", "radius", "radius_factor")
# How far a curve may be from its outline: of a voxel, as in a carve, but no less than this of the stock's longest side.
_CHORD_TOLERANCE, _FINEST_CHORD = 0.1, 1 / 4000
# Of the stock's longest side: the radius of a path that has none.
_RADIUS_SHARE = 1 / 20
# Voxels along a side of the patch, and how far from its middle its squares may lie.
PATCH_SIDE, _PATCH_REACH = 8, 4


@dataclass(frozen=True)
class OverlayLines:
    """What stays the same however the scene is looked at.

    Attributes:
        grid: of the job on the stock.
        box: (24, 3) the grid's bounds.
        tubes: (2 L, 3) outlines of the sweep; none where there are no paths.
    """

    grid: Grid
    box: Lines
    tubes: Lines


@dataclass(frozen=True)
class PatchPlace:
    """Where on the stock voxels are shown.

    Attributes:
        voxel: (x, y, z) numbers of the voxel in their middle.
        axis: 0 for a surface that looks along x, 1 along y, 2 along z.
        sign: 1 where it looks toward greater coordinates, -1 toward smaller ones.
    """

    voxel: tuple[int, int, int]
    axis: int
    sign: int


def overlay_key(context: bpy.types.Context, found: Selection, settings: VoxelCarveSettings) -> Hashable:
    """Equal where the lines are the same, as long as no geometry has changed: what is selected, set, and where."""
    things = [
        (stock_or_path.session_uid, _placing(stock_or_path)) for stock_or_path in (*found.stocks[:1], *found.paths)
    ]
    scene, layer = cast(bpy.types.Scene, context.scene), cast(bpy.types.ViewLayer, context.view_layer)
    return scene.session_uid, layer.name, tuple(getattr(settings, name) for name in _SETTINGS), *things


def _placing(thing: bpy.types.Object) -> tuple[object, ...]:
    return (thing.mode, *(value for row in thing.matrix_world for value in row))


def watched(found: Selection) -> frozenset[int]:
    """The session's numbers of the objects and data whose geometry the lines are of."""
    things = (*found.stocks[:1], *found.paths)
    return frozenset(each.session_uid for thing in things for each in (thing, thing.data) if each is not None)


def overlay_lines(found: Selection, depsgraph: bpy.types.Depsgraph, settings: VoxelCarveSettings) -> OverlayLines:
    """The grid of the active stock, and the sweep of all paths.

    Raises:
        InputError: as `plan_grid` and `read_paths`, or the voxels are larger than the stock.
    """
    stock = found.stocks[0]
    bounds = stock_bounds(stock, depsgraph)
    longest = float((bounds[1] - bounds[0]).max())
    voxel_size = longest / settings.resolution if settings.size_mode == "RESOLUTION" else settings.voxel_size
    if not 0 < voxel_size <= longest:
        raise InputError(f"voxel size {voxel_size:.4g} makes no grid for '{stock.name}', of {longest:.4g}")
    paths: list[Path] = []
    for thing in found.paths:
        paths += read_paths(
            thing,
            depsgraph,
            settings.radius if settings.radius_mode == "VALUE" else _RADIUS_SHARE * longest,
            max(_CHORD_TOLERANCE * voxel_size, _FINEST_CHORD * longest),
            use_bevel=settings.radius_mode == "CURVE",
            factor=settings.radius_factor,
        )
    if settings.operation == "UNION":
        for path in paths:
            reach = path.radii[:, None]
            bounds[0] = np.minimum(bounds[0], (path.points - reach).min(axis=0))
            bounds[1] = np.maximum(bounds[1], (path.points + reach).max(axis=0))
    grid = plan_grid(bounds, voxel_size)
    side = np.array(grid.shape[::-1]) * voxel_size
    return OverlayLines(grid, box_lines(grid.origin, grid.origin + side), tube_lines(paths))


def stock_bounds(stock: bpy.types.Object, depsgraph: bpy.types.Depsgraph) -> Floats:
    """(2, 3) the box in world space around the faces of a stock; of one in Edit Mode, around its own box.

    Raises:
        InputError: the stock is disabled, or has coordinates that are not numbers.
    """
    evaluated = evaluated_stock(stock, depsgraph)
    if stock.mode == "EDIT":
        return world_bounds(stock)
    mesh = cast(bpy.types.Mesh, evaluated.data)
    corners = np.empty(len(mesh.loops), dtype=np.int32)
    if len(corners):
        cast(Any, mesh.attributes[".corner_vert"]).data.foreach_get("value", corners)
    used = np.zeros(len(mesh.vertices), dtype=bool)
    used[corners] = True
    points = vertex_points(mesh)[used]
    if not len(points):
        raise InputError(f"'{stock.name}' has no faces: choose a mesh with a surface as the stock")
    matrix = np.array(evaluated.matrix_world, dtype=np.float64)
    if not (np.isfinite(points).all() and np.isfinite(matrix).all()):
        raise InputError(f"'{stock.name}' has coordinates that are not numbers: delete them")
    world = points @ matrix[:3, :3].T + matrix[:3, 3]
    return np.stack([world.min(axis=0), world.max(axis=0)])


def evaluated_stock(stock: bpy.types.Object, depsgraph: bpy.types.Depsgraph) -> bpy.types.Object:
    """The stock as its modifiers leave it.

    Raises:
        InputError: it is disabled.
    """
    evaluated = stock.evaluated_get(depsgraph)
    if not evaluated.is_evaluated:
        raise InputError(f"'{stock.name}' is disabled in viewports or not in the view layer: enable it")
    return evaluated


def patch_place(
    evaluated: bpy.types.Object, grid: Grid, eye: Vector, look: Vector, is_perspective: bool
) -> PatchPlace | None:
    """Where the stock is in the middle of the view; where it is not there, where the middle of its box is seen.

    Args:
        evaluated: the stock.
        grid: of its job.
        eye: where the view is seen from, in world space.
        look: where it looks, of length 1.
        is_perspective: whether all that is seen is seen from the eye.
    """
    box = world_bounds(evaluated)
    middle, far = Vector(box.mean(axis=0)), float(np.linalg.norm(box[1] - box[0]))
    if is_perspective:
        rays = [(eye, look), (eye, (middle - eye).normalized())]
    else:
        back = ((middle - eye).length + far) * look
        rays = [(eye - back, look), (middle - back, look)]
    for start, along in rays:
        hit = _hit(evaluated, start, along)
        if hit is not None:
            point, normal = hit
            axis = max(range(3), key=lambda each: abs(normal[each]))
            x, y, z = np.floor(grid.to_voxels(point)).astype(int).tolist()
            return PatchPlace((x, y, z), axis, 1 if normal[axis] > 0 else -1)
    return None


def patch_lines(evaluated: bpy.types.Object, grid: Grid, place: PatchPlace) -> Lines:
    """Voxels that the surface passes through around a place, as `voxel_lines` draws them."""
    first, second = (axis for axis in range(3) if axis != place.axis)
    low = (place.voxel[first] - PATCH_SIDE // 2, place.voxel[second] - PATCH_SIDE // 2)
    planes = np.zeros((PATCH_SIDE, PATCH_SIDE), dtype=np.int64)
    shown = np.zeros(planes.shape, dtype=bool)
    along = Vector([-place.sign if axis == place.axis else 0 for axis in range(3)])
    start = np.empty(3)
    start[place.axis] = place.voxel[place.axis] + 0.5 + (_PATCH_REACH + 0.5) * place.sign
    for p, q in np.ndindex(planes.shape):
        start[[first, second]] = low[0] + p + 0.5, low[1] + q + 0.5
        hit = _hit(evaluated, Vector(grid.to_world(start)), along)
        if hit is not None:
            depth = np.floor(grid.to_voxels(hit[0])[place.axis])
            planes[p, q] = depth + (place.sign > 0)
            shown[p, q] = abs(depth - place.voxel[place.axis]) <= _PATCH_REACH
    return voxel_lines(grid, place.axis, low, planes, shown)


def _hit(evaluated: bpy.types.Object, start: Vector, along: Vector) -> tuple[Vector, Vector] | None:
    """Where a ray first meets an object, all in world space, and the normal there, turned toward the ray's start."""
    matrix = evaluated.matrix_world
    inverse = matrix.inverted_safe()
    found, point, normal, _ = evaluated.ray_cast(inverse @ start, inverse.to_3x3() @ along)
    if not found:
        return None
    normal = (inverse.to_3x3().transposed() @ normal).normalized()
    return matrix @ point, -normal if normal.dot(along) > 0 else normal
