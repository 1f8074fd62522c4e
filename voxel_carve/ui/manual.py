"""The pages behind Online Manual in a button's context menu. They are a folder of the extension."""

from pathlib import Path

import bpy

# In an installed extension HTML pages, in a checkout the Markdown from which a build makes them.
FOLDER = Path(__file__).resolve().parents[2] / "docs" / "manual"

# Blender compares its names in lower case, from the top; the first match counts.
PAGES = (
    ("bpy.types.voxelcarvesettings.backend", "advanced.md"),
    ("bpy.types.voxelcarvesettings.verify", "advanced.md"),
    ("bpy.types.voxelcarvesettings*", "carve.md"),
    ("bpy.types.voxelcarvepreferences*", "preferences.md"),
    ("bpy.types.voxelcarvepath*", "carve.md"),
    ("bpy.types.carverecipe*", "recipe.md"),
    ("bpy.types.voxel_carve_mt_presets*", "carve.md"),
    ("bpy.types.view3d_pt_voxel_carve_tools*", "voxel_tools.md"),
    ("bpy.types.view3d_pt_voxel_carve_advanced*", "advanced.md"),
    ("bpy.types.view3d_pt_voxel_carve_last_result*", "last_result.md"),
    ("bpy.types.view3d_pt_voxel_carve_recipe*", "recipe.md"),
    ("bpy.types.view3d_*_voxel_carve*", "carve.md"),
    ("bpy.types.object_mt_voxel_carve*", "index.md"),
    ("bpy.ops.object.voxel_carve_voxelize*", "voxel_tools.md"),
    ("bpy.ops.object.voxel_carve_offset*", "voxel_tools.md"),
    ("bpy.ops.object.voxel_carve_boolean*", "voxel_tools.md"),
    ("bpy.ops.object.voxel_carve_update*", "recipe.md"),
    ("bpy.ops.object.voxel_carve_apply*", "recipe.md"),
    ("bpy.ops.object.voxel_carve_bake*", "recipe.md"),
    ("bpy.ops.object.voxel_carve_recipe*", "recipe.md"),
    ("bpy.ops.object.voxel_carve*", "carve.md"),
    ("bpy.ops.curve.voxel_carve*", "carve.md"),
    ("bpy.ops.scene.voxel_carve*", "carve.md"),
    ("bpy.ops.import_curve.voxel_carve*", "carve.md"),
    ("bpy.ops.wm.voxel_carve_check_backend*", "advanced.md"),
    ("bpy.ops.wm.voxel_carve_clear_kernels*", "preferences.md"),
    ("bpy.ops.wm.voxel_carve_copy_diagnostics*", "advanced.md"),
    ("bpy.ops.wm.voxel_carve*", "carve.md"),
)


def manual_map() -> tuple[str, tuple[tuple[str, str], ...]]:
    """The folder of the pages, and the page of each name: HTML where a build has made it."""
    suffix = ".html" if (FOLDER / "index.html").exists() else ".md"
    return f"{FOLDER.as_uri()}/", tuple((name, page.replace(".md", suffix)) for name, page in PAGES)


def add_manual() -> None:
    """Register the manual map with Blender."""
    bpy.utils.register_manual_map(manual_map)


def remove_manual() -> None:
    """Unregister the manual map."""
    bpy.utils.unregister_manual_map(manual_map)
