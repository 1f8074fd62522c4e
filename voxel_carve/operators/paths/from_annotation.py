"""Turn the annotations of the scene into a path."""

from typing import cast

import bpy

from ...compute.runtime import Sentence
from ...printing import printable
from ...scene.reading.strokes import annotation_paths, has_annotations
from ...scene.writing.write_paths import write_paths
from ...settings import take_settings
from ...translations.telling import told
from ..selection.selected import add_refusal, may_run


class CURVE_OT_voxel_carve_from_annotation(bpy.types.Operator):  # noqa: N801 - Blender's naming
    """Make a curve of the annotations that are drawn in the 3D view."""

    bl_idname = "curve.voxel_carve_from_annotation"
    bl_label = "Annotation to Carving Path"
    bl_description = "Make a curve with a radius of the annotations that the 3D view shows, and select it as a path"
    bl_options = {"REGISTER", "UNDO"}

    radius: bpy.props.FloatProperty(  # type: ignore[valid-type]
        name="Radius",
        description="Radius of the tool along the annotations",
        default=0.1,
        min=0.0001,
        soft_min=0.001,
        soft_max=10.0,
        precision=4,
        subtype="DISTANCE",
        options={"SKIP_SAVE"},
    )

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:  # type: ignore[override]
        """Whether there are annotations and an object can be added; sets the message if not."""
        refusal = add_refusal(context)
        if refusal is None and not has_annotations(cast(bpy.types.Scene, context.scene)):
            refusal = "No annotation: draw one with the Annotate tool, in the 3D view"
        return may_run(cls, refusal)

    def execute(self, context: bpy.types.Context) -> set[str]:  # type: ignore[override]
        """Add the curve to the selection, and make it active."""
        take_settings(self, context)
        scene = cast(bpy.types.Scene, context.scene)
        paths = annotation_paths(scene, self.radius)
        obj = write_paths(context.collection or scene.collection, "Annotation Path", paths, self.radius)
        obj.select_set(True)
        cast(bpy.types.ViewLayer, context.view_layer).objects.active = obj
        sentence = Sentence("'{name}' made of {count} strokes", name=obj.name, count=len(paths))
        if len(paths) == 1:
            sentence = Sentence("'{name}' made of one stroke", name=obj.name)
        self.report({"INFO"}, printable(told(sentence)))
        return {"FINISHED"}
