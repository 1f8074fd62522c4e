"""A keymap entry for the pie menu, without a key; users assign one in Preferences > Keymap > 3D View."""

from typing import Any, cast

import bpy

_items: list[tuple[Any, Any]] = []


def add_keymap_item() -> None:
    """Add the entry, if this Blender has keymaps for add-ons."""
    manager = cast(bpy.types.WindowManager, bpy.context.window_manager)
    configuration = manager.keyconfigs.addon
    if configuration:
        keymap = configuration.keymaps.new(name="3D View", space_type="VIEW_3D")
        item = keymap.keymap_items.new("wm.call_menu_pie", type="NONE", value="PRESS")
        cast(Any, item.properties).name = "VIEW3D_MT_voxel_carve_pie"
        _items.append((keymap, item))


def remove_keymap_item() -> None:
    """Remove the entry."""
    while _items:
        keymap, item = _items.pop()
        keymap.keymap_items.remove(item)
