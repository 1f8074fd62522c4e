"""Add a path to carve along."""

from typing import Any, cast

import bpy
import numpy as np
from bpy_extras.object_utils import AddObjectHelper, object_data_add

from ...scene.reading.read import is_stock
from ...settings import AUTOMATIC_RADIUS, scene_settings
from ..selection.selected import active_object, add_refusal, may_run

# Relative to the stock's longest side, so that both ends stick out of it.
LENGTH_SHARE = 1.2
# Without a stock: the size of Blender's default cube.
SIZE = 2.0


class CURVE_OT_voxel_carve_path_add(bpy.types.Operator, AddObjectHelper):  # type: ignore[misc]  # noqa: N801
    """Add a straight path with a round bevel."""

    bl_idname = "curve.voxel_carve_path_add"
    bl_label = "Add Carving Path"
    bl_description = (
        "Add a path to carve along, shaped by its points, whose bevel is the tool: "
        "its radius is a twentieth of the stock's longest side, unless another is given"
    )
    bl_options = {"REGISTER", "UNDO"}

    radius: bpy.props.FloatProperty(  # type: ignore[valid-type]
        name="Radius",
        description="Radius of the tool: the bevel depth of the new curve. Each point can scale it",
        default=0.1,
        min=0.0,
        soft_min=0.001,
        soft_max=10.0,
        precision=4,
        subtype="DISTANCE",
        options={"SKIP_SAVE"},
    )
    length: bpy.props.FloatProperty(  # type: ignore[valid-type]
        name="Length",
        description="From the first point to the last, along the X axis of the new object",
        default=2.4,
        min=0.0,
        soft_min=0.01,
        soft_max=100.0,
        subtype="DISTANCE",
        options={"SKIP_SAVE"},
    )
    points: bpy.props.IntProperty(  # type: ignore[valid-type]
        name="Points", description="Number of points, evenly spaced", default=4, min=2, soft_max=64, max=100_000
    )

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:  # type: ignore[override]
        """Whether an object can be added here; sets the message if not."""
        return may_run(cls, add_refusal(context))

    def execute(self, context: bpy.types.Context) -> set[str]:  # type: ignore[override]
        """Add the path. Sizes that are not given follow from the stock."""
        size = _stock_size(context)
        for name, value in (("radius", AUTOMATIC_RADIUS * size), ("length", LENGTH_SHARE * size)):
            if not self.properties.is_property_set(name):
                setattr(self, name, value)
        curve = bpy.data.curves.new("Carving Path", "CURVE")
        curve.dimensions = "3D"
        curve.bevel_depth = self.radius
        curve.use_fill_caps = True
        spline = curve.splines.new("POLY")
        spline.points.add(self.points - 1)
        places = np.zeros((self.points, 4), dtype=np.float32)
        places[:, 0] = np.linspace(-self.length / 2, self.length / 2, self.points)
        places[:, 3] = 1
        cast(Any, spline.points).foreach_set("co", places.ravel())
        obj = object_data_add(context, curve, operator=cast(Any, self))
        obj.display_type = "WIRE"  # the tool is inside the stock, which would hide it
        return {"FINISHED"}


def _stock_size(context: bpy.types.Context) -> float:
    """The longest side of the stock in the settings, else of the active one, in world space."""
    stock = scene_settings(context).stock or active_object(context)
    if stock is None or not is_stock(stock):
        return SIZE
    matrix = np.array(stock.matrix_world)[:3, :3]
    corners = np.array(stock.bound_box) @ matrix.T
    return float(np.ptp(corners, axis=0).max()) or SIZE
