"""Move a path into a groove that is there already."""

from typing import cast

import bpy

from ...compute import Fit, Progress, fit
from ...compute.runtime import Length, Sentence
from ...scene.reading.read import read_paths, read_stock
from ...scene.reading.splines import is_bevelled
from ...scene.writing.write_paths import rewrite_paths
from ..jobs.job import Job, Outcome, refuse_deleted
from ..jobs.running import Ask
from ..jobs.voxel_operator import VoxelOperator
from ..selection.selected import selected, stock_refusal

# Greatest distance of a curve from its polyline, relative to the radius to start from.
CHORD_TOLERANCE = 0.1


class CURVE_OT_voxel_carve_fit_path(VoxelOperator, bpy.types.Operator):  # noqa: N801 - Blender's naming
    """Fit a curve to a groove of a mesh."""

    bl_idname = "curve.voxel_carve_fit_path"
    bl_label = "Fit Path to Groove"
    bl_description = (
        "Move the points of the selected curve, and change their radii, until a tool along it would leave the groove "
        "in the selected mesh"
    )
    bl_options = {"REGISTER", "UNDO"}

    radius: bpy.props.FloatProperty(  # type: ignore[valid-type]
        name="Radius",
        description="Radius of the tool to start from, where the curve has no bevel",
        default=0.1,
        min=0.0001,
        soft_min=0.001,
        soft_max=10.0,
        precision=4,
        subtype="DISTANCE",
        options={"SKIP_SAVE"},
    )

    reach: bpy.props.FloatProperty(  # type: ignore[valid-type]
        name="Reach",
        description="How far the walls of the groove may be from the tool along the curve. 0 is its largest radius",
        default=0.0,
        min=0.0,
        soft_max=10.0,
        precision=4,
        subtype="DISTANCE",
    )

    @classmethod
    def refusal(cls, context: bpy.types.Context) -> str | None:
        """Say whether the mesh or the curve is missing."""
        refusal = stock_refusal(context)
        if refusal:
            return refusal
        found = selected(context)
        curves = [obj for obj in found.paths if obj.type == "CURVE"]
        if len(found.stocks) > 1 or len(curves) != 1:
            return "Select one mesh with a groove, and one curve along the groove"
        return _curve_refusal(curves[0])

    def read(self, context: bpy.types.Context) -> Job[Fit]:
        """Read the mesh and the curve."""
        found = selected(context)
        stock, curve = found.stocks[0], next(obj for obj in found.paths if obj.type == "CURVE")
        return read_fit_job(context, stock, curve, self.radius, self.reach or None)


def _curve_refusal(obj: bpy.types.Object) -> str | None:
    """Why the points of a curve cannot be moved; None if they can."""
    curve = cast(bpy.types.Curve, obj.data)
    if curve.library is not None or not curve.is_editable:
        return Sentence("'{name}' is linked: make it local", name=obj.name)
    if curve.users > 1:
        return Sentence("'{name}' shares its curve with other objects: make it single user", name=obj.name)
    if curve.shape_keys or obj.modifiers:
        return Sentence("'{name}' has modifiers or shape keys: apply them", name=obj.name)
    if is_bevelled(curve) and {curve.bevel_factor_start, curve.bevel_factor_end} != {0.0, 1.0}:
        return Sentence("'{name}' shows a part of its bevel: set its start to 0 and its end to 1", name=obj.name)
    return None


def read_fit_job(
    context: bpy.types.Context, stock: bpy.types.Object, curve: bpy.types.Object, radius: float, reach: float | None
) -> Job[Fit]:
    """The job that fits a curve to a groove of a mesh, from a radius where the curve has none. For `reach` see `fit`.

    Raises:
        CarveError: one of them cannot be read.
    """
    depsgraph = context.evaluated_depsgraph_get()
    mesh, names = read_stock(stock, depsgraph), [Sentence("'{name}'", name=curve.name)]
    rough = read_paths(curve, depsgraph, radius, radius * CHORD_TOLERANCE)

    def compute(progress: Progress, ask: Ask) -> Fit:
        return fit(list(rough), mesh, reach=reach, progress=progress)

    def write(context: bpy.types.Context, fitted: Fit) -> list[Outcome]:
        refuse_deleted([curve], names)
        rewrite_paths(curve, fitted.paths)
        message = Sentence(
            "'{name}' fitted: {mean} off the groove on average, {largest} at most",
            name=curve.name,
            mean=Length(fitted.root_mean_square),
            largest=Length(fitted.largest),
        )
        return [Outcome(curve, message)]

    return Job(compute, write, close=lambda: None)
