"""Hand-drawn strokes: Grease Pencil as splines, and annotations as paths.

The point radius of Grease Pencil is a length, that of other curves a factor. So stroke radii become factors of the
greatest radius in the object: strokes drawn with pressure taper, whatever the radius of the tool.
"""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any, cast

import bpy
import numpy as np
import numpy.typing as npt

from ...compute import Path
from .curves import Spline
from .meshes import mean_scale, to_world
from .splines import attribute_splines

Floats = npt.NDArray[np.float64]

# The radius with which Blender draws points that have none.
_MISSING_RADIUS = 0.01


def stroke_radius(obj: bpy.types.Object) -> float:
    """The greatest radius among the visible strokes of a Grease Pencil object, in its own space; 0 without strokes."""
    return max((float(radii.max()) for radii in _radii(obj)), default=0.0)


def stroke_splines(obj: bpy.types.Object) -> list[Spline]:
    """The visible strokes of an evaluated Grease Pencil object at its frame, in its own space.

    Radii are fractions of `stroke_radius`. A stroke with a hidden material is not visible.
    """
    greatest = stroke_radius(obj) or 1.0
    splines = []
    for drawing, matrix in _drawings(obj):
        strokes = attribute_splines(drawing, _offsets(drawing), obj.name, _MISSING_RADIUS)
        factor = mean_scale(matrix) / greatest
        for stroke, shown in zip(strokes, _shown(drawing, obj), strict=True):
            if shown:
                splines.append(_moved(stroke, matrix, factor))
    return splines


def annotation_paths(scene: bpy.types.Scene, radius: float, frame: int | None = None) -> tuple[Path, ...]:
    """The annotations of a scene that are shown at a frame, as paths in world space.

    Rulers are left out, and so are strokes drawn on the screen instead of in space. Blender 4.5 cannot distinguish
    these.

    Args:
        scene: has the annotations.
        radius: the radius of all points.
        frame: None for the current frame.
    """
    frame = scene.frame_current if frame is None else frame
    return tuple(
        Path(points, np.full(len(points), float(radius)), name=layer.info)
        for layer, stroke in _annotation_strokes(scene, frame)
        if len(points := _stroke_points(stroke))
    )


def has_annotations(scene: bpy.types.Scene) -> bool:
    """Whether `annotation_paths` finds any at the current frame; stops at the first one."""
    return any(len(stroke.points) for _, stroke in _annotation_strokes(scene, scene.frame_current))


def _annotation_strokes(scene: bpy.types.Scene, frame: int) -> Iterator[tuple[Any, Any]]:
    """Layers and strokes. Blender 4.5's `grease_pencil` is called `annotation` from 5.0 on."""
    notes = cast(Any, scene).annotation if hasattr(scene, "annotation") else cast(Any, scene).grease_pencil
    for layer in notes.layers if notes else ():
        if layer.annotation_hide or layer.is_ruler:
            continue
        shown = layer.active_frame if layer.lock_frame else _frame_at(layer, frame)
        for stroke in shown.strokes if shown else ():
            if getattr(stroke, "display_mode", "3DSPACE") == "3DSPACE":
                yield layer, stroke


def _frame_at(layer: Any, frame: int) -> Any:
    """The last keyframe of an annotation layer at or before a frame; None if there is none."""
    earlier = [each for each in layer.frames if each.frame_number <= frame]
    return max(earlier, key=lambda each: each.frame_number, default=None)


def _stroke_points(stroke: Any) -> Floats:
    points = np.empty(3 * len(stroke.points), dtype=np.float32)
    if len(points):
        stroke.points.foreach_get("co", points)
    return points.reshape(-1, 3).astype(np.float64)


def _drawings(obj: bpy.types.Object) -> Iterator[tuple[Any, Floats]]:
    """The drawings of visible layers, each with its transform (4, 4) to the object's own space."""
    to_object = np.linalg.pinv(np.array(obj.matrix_world, dtype=np.float64))
    for layer in cast(Any, obj.data).layers:
        frame = None if _is_hidden(layer) else layer.current_frame()
        if frame is None or len(frame.drawing.curve_offsets) < 2:
            continue
        matrix = np.array(layer.matrix_local, dtype=np.float64)
        if layer.parent is not None:
            matrix = to_object @ _parent_matrix(layer) @ matrix
        yield frame.drawing, matrix


def _is_hidden(layer: Any) -> bool:
    group = layer
    while group is not None:
        if group.hide:
            return True
        group = group.parent_group
    return False


def _parent_matrix(layer: Any) -> Floats:
    """The transform (4, 4) of a layer's parent to world space."""
    parent = layer.parent
    matrix = np.array(parent.matrix_world, dtype=np.float64)
    bone = parent.pose.bones.get(layer.parent_bone) if parent.type == "ARMATURE" and layer.parent_bone else None
    if bone is not None:
        matrix = matrix @ np.array(bone.matrix, dtype=np.float64)
    return matrix @ np.array(layer.matrix_parent_inverse, dtype=np.float64)


def _offsets(drawing: Any) -> npt.NDArray[np.int32]:
    offsets = np.empty(len(drawing.curve_offsets), dtype=np.int32)
    drawing.curve_offsets.foreach_get("value", offsets)
    return offsets


def _shown(drawing: Any, obj: bpy.types.Object) -> npt.NDArray[np.bool_]:
    """(N,) whether the material of each stroke is shown."""
    slots = [slot.material for slot in obj.material_slots]
    hidden = [bool(each and each.grease_pencil and each.grease_pencil.hide) for each in slots] or [False]
    numbers = np.zeros(len(drawing.curve_offsets) - 1, dtype=np.int32)
    attribute = drawing.attributes.get("material_index")
    if attribute is not None:
        attribute.data.foreach_get("value", numbers)
    return ~np.array(hidden)[np.clip(numbers, 0, len(hidden) - 1)]


def _radii(obj: bpy.types.Object) -> Iterator[Floats]:
    """The radii of the visible strokes of each drawing, in the object's own space."""
    for drawing, matrix in _drawings(obj):
        offsets = _offsets(drawing)
        radii = np.full(offsets[-1], _MISSING_RADIUS, dtype=np.float32)
        attribute = drawing.attributes.get("radius")
        if attribute is not None:
            attribute.data.foreach_get("value", radii)
        radii = radii[np.repeat(_shown(drawing, obj), np.diff(offsets))]
        if len(radii):
            yield radii.astype(np.float64) * mean_scale(matrix)


def _moved(spline: Spline, matrix: Floats, factor: float) -> Spline:
    return replace(
        spline,
        points=to_world(matrix, spline.points),
        radii=spline.radii * factor,
        left=to_world(matrix, spline.left),
        right=to_world(matrix, spline.right),
    )
