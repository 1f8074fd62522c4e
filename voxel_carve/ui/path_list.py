"""The list of paths, in the panel of a result or of the next carve."""

from typing import Any, cast

import bpy

from ..settings import own_of
from ..translations import interface_text
from .wording import length_text

# How the names of the operators on a list begin, for each owner of one.
OPERATORS = {"CarveRecipe": "object.voxel_carve_recipe", "VoxelCarveSettings": "scene.voxel_carve_list"}
ROWS = 4


class VOXEL_CARVE_UL_paths(bpy.types.UIList):  # noqa: N801 - Blender's naming
    """Paths with what each has of its own."""

    def draw_item(  # type: ignore[override]
        self,
        context: bpy.types.Context,
        layout: bpy.types.UILayout,
        _data: Any,
        item: Any,
        _icon: int,
        _active_data: Any,
        _active_property: str,
    ) -> None:
        """Show the name of a path, its operation and its radius."""
        row, path = layout.row(align=True), item.path
        name = interface_text("Deleted") if path is None else path.name
        row.label(text=name, icon="ERROR" if path is None else "CURVE_DATA", translate=False)
        text = own_text(context, item)
        if text:
            right = row.row()
            right.alignment = "RIGHT"
            right.active = False
            right.label(text=text, translate=False)


def own_text(context: bpy.types.Context, item: Any) -> str:
    """What an item of the list has of its own, in a few words; empty for nothing."""
    own, words = own_of(item), []
    if own.operation is not None:
        operations = item.bl_rna.properties["operation"].enum_items
        words.append(interface_text(operations[item.operation].name))
    if own.radius is not None and context.scene:
        words.append(length_text(context.scene, own.radius))
    return ", ".join(words)


def draw_path_list(layout: bpy.types.UILayout, owner: Any) -> None:
    """Draw the list of paths of a recipe or of a scene's settings, its buttons, and the active path's settings."""
    operators = OPERATORS[type(owner).__name__]
    row = layout.row()
    row.template_list("VOXEL_CARVE_UL_paths", "", owner, "paths", owner, "path_index", rows=ROWS)
    buttons = row.column(align=True)
    buttons.operator(f"{operators}_add", text="", icon="ADD")
    buttons.operator(f"{operators}_remove", text="", icon="REMOVE")
    buttons.separator()
    for direction, icon in (("UP", "TRIA_UP"), ("DOWN", "TRIA_DOWN")):
        button = buttons.operator(f"{operators}_move", text="", icon=cast(Any, icon))
        cast(Any, button).direction = direction
    if not 0 <= owner.path_index < len(owner.paths):
        return
    item, column = owner.paths[owner.path_index], layout.column()
    column.prop(item, "path")
    column.prop(item, "operation")
    own = column.row(align=True, heading=interface_text("Own Radius"))
    own.prop(item, "use_radius", text="")
    radius = own.row(align=True)
    radius.active = item.use_radius
    radius.prop(item, "radius", text="")
