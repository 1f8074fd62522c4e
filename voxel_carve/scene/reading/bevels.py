"""The radius that the bevel of a curve or text gives, and whether that bevel is a circle around the path."""

from typing import Any, cast

import bpy
import numpy as np
from bpy_extras.anim_utils import action_get_channelbag_for_slot

from .curves import Floats, outline_in_plane
from .splines import legacy_curve, legacy_spline, object_splines

# A bevel object is round if its nearest point is at least this share as far from the path as its farthest. A polygon of
# 16 sides is, and so are Blender's circles.
_ROUND = 0.98


def bevel_radius(obj: bpy.types.Object) -> float:
    """The radius of the bevel of a curve or text object, in its own space; 0 for none.

    If the bevel is not round, that of its farthest point.
    """
    curve = legacy_curve(obj)
    if curve is None:
        return 0.0
    if curve.bevel_mode != "OBJECT":
        return abs(curve.bevel_depth)
    return max((_farthest(outline) for outline, _ in _outlines(curve)), default=0.0)


def awaits_bevel(obj: bpy.types.Object) -> bool:
    """Whether the bevel depth of a curve or text is animated, and 0 at this frame: its bevel grows from nothing."""
    curve = legacy_curve(obj)
    if curve is None or curve.bevel_mode == "OBJECT" or curve.bevel_depth:
        return False
    data: Any = curve.animation_data
    if data is None:
        return False
    strips = [strip for track in data.nla_tracks for strip in track.strips]
    curves = [curve for each in (data, *strips) for curve in _animation_curves(each)]
    return any(each.data_path == "bevel_depth" for each in (*data.drivers, *curves))


def _animation_curves(holder: Any) -> list[bpy.types.FCurve]:
    """The animation curves that animation data, or a strip, takes from its action."""
    bag = cast(Any, action_get_channelbag_for_slot)(holder.action, holder.action_slot)
    return list(bag.fcurves) if bag else []


def is_round(curve: bpy.types.Curve) -> bool:
    """Whether the bevel of a curve is a circle around the path; true if it has none."""
    if curve.bevel_mode != "OBJECT":
        return curve.bevel_mode == "ROUND" or curve.bevel_depth == 0
    outlines = _outlines(curve)
    return not outlines or (
        len(outlines) == 1
        and outlines[0][1]
        and _encloses_path(outlines[0][0])
        and _nearest(outlines[0][0]) >= _ROUND * _farthest(outlines[0][0])
    )


def _outlines(curve: bpy.types.Curve) -> list[tuple[Floats, bool]]:
    """Each spline of a bevel object as points (N, 2) around the path, and whether it is cyclic.

    Blender scales them as the bevel object, and neither moves nor turns them. One with a bevel of its own is none.
    """
    holder = curve.bevel_object
    data = legacy_curve(holder) if holder else None
    if holder is None or data is None or data.bevel_depth or data.extrude:
        return []
    scale = np.array(holder.scale[:2], dtype=np.float64)
    if data.shape_keys or holder.modifiers:
        depsgraph = bpy.context.evaluated_depsgraph_get()
        splines = object_splines(holder.evaluated_get(depsgraph), depsgraph)
    else:
        splines = [legacy_spline(spline) for spline in data.splines]
    return [(outline_in_plane(spline) * scale, spline.cyclic) for spline in splines if len(spline.points)]


def _farthest(outline: Floats) -> float:
    return float(np.linalg.norm(outline, axis=1).max())


def _nearest(outline: Floats) -> float:
    """The distance of a closed polygon (N, 2) from the path."""
    along = np.roll(outline, -1, axis=0) - outline
    length = (along**2).sum(axis=1)
    share = np.clip(-(outline * along).sum(axis=1) / np.where(length > 0, length, 1), 0, 1)
    return float(np.linalg.norm(outline + share[:, None] * along, axis=1).min())


def _encloses_path(outline: Floats) -> bool:
    """Whether a closed polygon (N, 2) goes around the path, by the angles under which its sides are seen from there."""
    following = np.roll(outline, -1, axis=0)
    cross = outline[:, 0] * following[:, 1] - outline[:, 1] * following[:, 0]
    angles = np.arctan2(cross, (outline * following).sum(axis=1))
    return abs(float(angles.sum())) > np.pi
