"""Everything that `register` adds to Blender, and `unregister` removes in reverse order."""

import atexit
from typing import Any, cast

import bpy

from . import cli, former_backends, operators, translations, ui
from .compute.forecasts import keep_history
from .compute.runtime import set_cache_folder
from .operators.jobs import compiling, running
from .preferences import EXTENSION, VoxelCarvePreferences
from .process import skip_destructors
from .recipes.path_display import CarvePathDisplay
from .recipes.recipe import CarveRecipe, CarveRecipePath
from .recipes.stock_display import CarveStockDisplay
from .settings import VoxelCarvePath, VoxelCarveSettings
from .updating import changes, displays, frames, live

# Blender accepts preferences only from an installed extension.
CLASSES: tuple[type, ...] = (
    *((VoxelCarvePreferences,) if EXTENSION else ()),
    VoxelCarvePath,
    VoxelCarveSettings,
    CarveRecipePath,
    CarveRecipe,
    CarvePathDisplay,
    CarveStockDisplay,
    *operators.CLASSES,
    *ui.CLASSES,
)


def register() -> None:
    """Add everything; raises what Blender raises."""
    translations.use_own_contexts(CLASSES)
    for cls in CLASSES:
        bpy.utils.register_class(cls)
    cast(Any, bpy.types.Scene).voxel_carve = cast(Any, bpy.props).PointerProperty(type=VoxelCarveSettings)
    cast(Any, bpy.types.Object).voxel_carve = cast(Any, bpy.props).PointerProperty(type=CarveRecipe)
    cast(Any, bpy.types.Object).voxel_carve_display = cast(Any, bpy.props).PointerProperty(type=CarvePathDisplay)
    cast(Any, bpy.types.Object).voxel_carve_stock_display = cast(Any, bpy.props).PointerProperty(type=CarveStockDisplay)
    cast(Any, bpy.types.Mesh).voxel_carve_shows = cast(Any, bpy.props).StringProperty(options={"HIDDEN"})
    ui.register()
    running.register()
    live.register()
    frames.register()
    displays.register()
    changes.register()
    former_backends.register()
    cli.register_command()
    translations.register()
    if bpy.app.module:
        # Loaded kernels keep Python objects alive, and the bpy wheel of Blender 4.5 then waits for ever at its end.
        skip_destructors()
    if bpy.app.module and not EXTENSION:
        # The bpy wheel of Blender 4.5 does not exit while classes are registered.
        atexit.register(unregister)
    if EXTENSION:
        # The cache makes this folder itself, writable only for the user.
        set_cache_folder(bpy.utils.extension_path_user(EXTENSION, path="kernels"))
        keep_history(True)
        if not bpy.app.background:
            compiling.register()


def unregister() -> None:
    """Remove everything."""
    if EXTENSION:
        compiling.unregister()
        keep_history(False)
        set_cache_folder(None)
    atexit.unregister(unregister)
    translations.unregister()
    cli.unregister_command()
    former_backends.unregister()
    changes.unregister()
    displays.unregister()
    frames.unregister()
    live.unregister()
    running.unregister()
    ui.unregister()
    del cast(Any, bpy.types.Mesh).voxel_carve_shows
    del cast(Any, bpy.types.Object).voxel_carve_stock_display
    del cast(Any, bpy.types.Object).voxel_carve_display
    del cast(Any, bpy.types.Object).voxel_carve
    del cast(Any, bpy.types.Scene).voxel_carve
    for cls in reversed(CLASSES):
        bpy.utils.unregister_class(cls)
