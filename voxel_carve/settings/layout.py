"""The order and the widgets of the settings of a carve: the same in the panel and in Adjust Last Operation.

An owner has the properties of `CarveProperties`: the scene's settings, a recipe, or the operator.
"""

from typing import Any

import bpy

from ..translations import interface_text


def draw_radius(layout: bpy.types.UILayout, owner: Any) -> None:
    """Draw where radii come from, and the radius if it is one value for all."""
    layout.row().prop(owner, "radius_mode", expand=True)
    if owner.radius_mode == "VALUE":
        layout.prop(owner, "radius", text=" ")


def draw_voxels(layout: bpy.types.UILayout, owner: Any) -> None:
    """Draw how the size of voxels is given, and the size."""
    layout.prop(owner, "size_mode")
    if owner.size_mode != "AUTOMATIC":
        layout.prop(owner, "resolution" if owner.size_mode == "RESOLUTION" else "voxel_size")


def draw_result(layout: bpy.types.UILayout, owner: Any) -> None:
    """Draw how stock and sweep are combined, and what comes out."""
    layout.use_property_split = False  # three words need the whole width, and so does Keep Stock in Spanish
    layout.row().prop(owner, "operation", expand=True)
    layout.prop(owner, "result", text="")


def draw_surface(layout: bpy.types.UILayout, owner: Any) -> None:
    """Draw how many faces there are, and how they look: grey for a volume, which has none."""
    layout = layout.column()
    layout.active = owner.result != "VOLUME"
    merging = layout.column(align=True)
    adaptivity = merging.row()
    adaptivity.active = owner.tolerance == 0
    adaptivity.prop(owner, "adaptivity")
    merging.prop(owner, "tolerance")
    switches = layout.column(heading=interface_text("Faces"))
    for name in ("shade_smooth", "transfer_attributes", "custom_normals"):
        switches.prop(owner, name)
    if owner.bl_rna.properties["cut_material"].type == "POINTER":
        layout.prop(owner, "cut_material")
    else:  # an operator has the name of the material
        layout.prop_search(owner, "cut_material", bpy.data, "materials")


def draw_options(layout: bpy.types.UILayout, owner: Any) -> None:
    """Draw the factor of radii, how open stocks are taken, what becomes of stock and paths, and where volumes go."""
    layout.prop(owner, "radius_factor")
    layout.prop(owner, "open_stock")
    closing = layout.column()
    closing.active = owner.open_stock != "FILL"
    closing.prop(owner, "close")
    of_meshes = layout.column()
    of_meshes.active = owner.result != "VOLUME"
    of_meshes.prop(owner, "wire_paths")
    if "replace" in owner.bl_rna.properties:  # a recipe has none
        of_meshes.prop(owner, "replace")
        folder = layout.column()
        folder.active = owner.result == "VOLUME"
        folder.prop(owner, "volume_folder")


def draw_verify(layout: bpy.types.UILayout, owner: Any) -> None:
    """Draw whether the result is measured, which a volume is not."""
    row = layout.row()
    row.active = owner.result != "VOLUME"
    row.prop(owner, "verify")
