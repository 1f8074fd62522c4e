"""The properties of a job, shared by the scene's settings, which the panel shows, and by the operators."""

from typing import Any, cast

import bpy

from .backends import AUTOMATIC, backend_choices, keep_backend_name
from .operations import OPERATIONS
from .path_items import VoxelCarvePath, give_owns, owns_text
from .voxel_sizes import LARGEST_RESOLUTION, USUAL_RESOLUTION

# The numbers are those that .blend files hold.
SIZE_MODES = (
    (
        "AUTOMATIC",
        "Automatic",
        "128 voxels along the longest side of the stock, and up to 1024 where the smallest radius needs them: a groove "
        "wants a radius of two voxels",
        "",
        2,
    ),
    (
        "RESOLUTION",
        "Resolution",
        "Divide the longest side of the stock into so many voxels, so that details scale with the object",
        "",
        0,
    ),
    ("SIZE", "Size", "Give the edge of a voxel as a length, the same for every stock", "", 1),
)
MESHES = (
    (
        "REMESH",
        "Remesh",
        "Build a new surface all over, of even faces. It is closed for every stock, with holes and overlaps too; a "
        "sheet stays open",
    ),
    (
        "KEEP",
        "Keep Stock",
        "Cut the stock's own faces. Those that no path touches stay as they are, to the bit, with all their data; a "
        "stock with holes is remeshed if a path comes near one",
    ),
)
RESULTS = (
    *MESHES,
    (
        "VOLUME",
        "Volume",
        "Make a Volume object: the distances near the surface, as an OpenVDB level set in a new file in the Volume "
        "Folder. It has no faces, no materials and no recipe: to change it, carve the stock again",
    ),
)
OPEN_STOCKS = (
    (
        "AUTOMATIC",
        "Automatic",
        "Carve sheets, such as terrains, as solid behind their faces, and fill the holes of all else",
    ),
    ("SHEET", "Sheet", "Take the stock as solid behind its faces, as deep as the paths go. The result stays open"),
    ("FILL", "Fill Holes", "Fill the holes of the stock. The result is closed"),
)
RADIUS_MODES = (
    (
        "CURVE",
        "From Curve",
        "Take the bevel depth of each curve, which the viewport shows. "
        "Without one, a text gets a quarter of its strokes' width, and another path a twentieth of the stock",
    ),
    ("VALUE", "Value", "Give every path the same radius, whatever its bevel"),
)
# The radius of a path that has none of its own, relative to the stock's longest side.
AUTOMATIC_RADIUS = 0.05


def choose_resolution(owner: Any, context: bpy.types.Context) -> None:
    """Update the size mode: who gives a resolution, as a script does, chooses it."""
    owner.size_mode = "RESOLUTION"


def choose_size(owner: Any, context: bpy.types.Context) -> None:
    """Update the size mode likewise for a voxel size."""
    owner.size_mode = "SIZE"


class VoxelProperties:
    """The voxel size and the backend.

    Operators do not remember these from their last call: if not given, they come from the scene's settings.
    """

    resolution: bpy.props.IntProperty(  # type: ignore[valid-type]
        name="Resolution",
        description="Number of voxels along the longest side of the stock: 64 for a look, 128 to 256 for work, 512 and "
        "more for the last carve. Details finer than a voxel are lost",
        default=USUAL_RESOLUTION,
        min=1,
        soft_min=16,
        soft_max=1024,
        max=LARGEST_RESOLUTION,
        update=choose_resolution,
        options={"SKIP_SAVE"},
    )
    voxel_size: bpy.props.FloatProperty(  # type: ignore[valid-type]
        name="Voxel Size",
        description="Edge of a voxel. Details finer than this are lost; a groove wants a radius of two voxels or more",
        default=0.02,
        min=0.0,
        soft_min=0.001,
        soft_max=1.0,
        precision=4,
        subtype="DISTANCE",
        update=choose_size,
        options={"SKIP_SAVE"},
    )
    # After what chooses it, so that who copies the properties in their order copies the mode too.
    size_mode: bpy.props.EnumProperty(  # type: ignore[valid-type]
        name="Voxels",
        description="How the size of a voxel is given. Half the voxel size takes about four times the memory and time",
        items=SIZE_MODES,
        default="AUTOMATIC",
        options={"SKIP_SAVE"},
    )
    # Before the number, so that who copies the properties in their order can copy one that is not installed.
    backend_name: bpy.props.StringProperty(  # type: ignore[valid-type]
        name="Name of the Backend",
        description="The backend of another package, as it was chosen; empty for the extension's own",
        options={"HIDDEN", "SKIP_SAVE"},
    )
    backend: bpy.props.EnumProperty(  # type: ignore[valid-type]
        name="Backend",
        description="What computes the job. All backends give the same result; only the speed differs",
        items=backend_choices(AUTOMATIC),
        default=0,
        update=keep_backend_name,
        options={"SKIP_SAVE"},
    )
    replace: bpy.props.BoolProperty(  # type: ignore[valid-type]
        name="Replace Stock",
        description="Give the stock itself the new mesh, with its modifiers applied, "
        "instead of adding an object and hiding the stock. Undo brings the old mesh back",
        default=False,
        options={"SKIP_SAVE"},
    )


class CarveProperties(VoxelProperties):
    """The properties of a carve along paths."""

    operation: bpy.props.EnumProperty(  # type: ignore[valid-type]
        name="Operation",
        description="How the stock and the volume that the tool sweeps are combined",
        items=OPERATIONS,
        default="SUBTRACT",
        options={"SKIP_SAVE"},
    )
    result: bpy.props.EnumProperty(  # type: ignore[valid-type]
        name="Result",
        description="What is made: a mesh, with new faces or with those of the stock, or a volume",
        items=RESULTS,
        default="REMESH",
        options={"SKIP_SAVE"},
    )
    open_stock: bpy.props.EnumProperty(  # type: ignore[valid-type]
        name="Open Stock",
        description="What lies inside a stock that is not closed",
        items=OPEN_STOCKS,
        default="AUTOMATIC",
        options={"SKIP_SAVE"},
    )
    close: bpy.props.BoolProperty(  # type: ignore[valid-type]
        name="Close Sheets",
        description="Give the result of a sheet sides and a floor, as for printing",
        default=False,
        options={"SKIP_SAVE"},
    )
    adaptivity: bpy.props.FloatProperty(  # type: ignore[valid-type]
        name="Adaptivity",
        description="Merge faces where that moves the surface by less than this part of a voxel: 0.05 leaves few on "
        "flat places. Sharp edges and borders of materials stay. 0 keeps all faces",
        default=0.0,
        min=0.0,
        max=1.0,
        precision=3,
        subtype="FACTOR",
        options={"SKIP_SAVE"},
    )
    tolerance: bpy.props.FloatProperty(  # type: ignore[valid-type]
        name="Tolerance",
        description="Merge faces as Adaptivity does, but by a length: how far the surface may move, whatever the voxel "
        "size. 0 leaves it to Adaptivity",
        default=0.0,
        min=0.0,
        soft_max=1.0,
        precision=4,
        subtype="DISTANCE",
        options={"SKIP_SAVE"},
    )
    radius_mode: bpy.props.EnumProperty(  # type: ignore[valid-type]
        name="Radius",
        description="Where the radius of the tool comes from. "
        "The radius of each point of the path (Alt S in Edit Mode) multiplies it",
        items=RADIUS_MODES,
        default="CURVE",
        options={"SKIP_SAVE"},
    )
    radius: bpy.props.FloatProperty(  # type: ignore[valid-type]
        name="Radius",
        description="Radius of the tool in world space. "
        "The radius of each point of the path (Alt S in Edit Mode) multiplies it",
        default=0.1,
        min=0.0,
        soft_min=0.001,
        soft_max=10.0,
        precision=4,
        subtype="DISTANCE",
        options={"SKIP_SAVE"},
    )
    radius_factor: bpy.props.FloatProperty(  # type: ignore[valid-type]
        name="Factor",
        description="Multiplies every radius, from curves too: 1.02 leaves clearance for what is to lie in the groove",
        default=1.0,
        min=0.001,
        soft_min=0.1,
        soft_max=2.0,
        precision=3,
        options={"SKIP_SAVE"},
    )
    shade_smooth: bpy.props.BoolProperty(  # type: ignore[valid-type]
        name="Shade Smooth",
        description="Shade the cut faces smooth, else flat. The border of the cut stays sharp; "
        "what is left of the stock keeps its own shading",
        default=True,
        options={"SKIP_SAVE"},
    )
    transfer_attributes: bpy.props.BoolProperty(  # type: ignore[valid-type]
        name="Transfer Attributes",
        description="Carry the UV maps, color attributes and vertex groups of the stock over to the faces that are "
        "left of it. Materials are carried over in any case",
        default=True,
        options={"SKIP_SAVE"},
    )
    custom_normals: bpy.props.BoolProperty(  # type: ignore[valid-type]
        name="Custom Normals",
        description="Give smooth faces the normals of the stock, custom ones too, and those of the exact cut, so that "
        "the faces of the result do not show. Switch it off for a result to be sculpted or deformed, because custom "
        "normals do not follow",
        default=True,
        options={"SKIP_SAVE"},
    )
    volume_folder: bpy.props.StringProperty(  # type: ignore[valid-type]
        name="Volume Folder",
        description="Where the file of a volume goes, named after its stock. No file is replaced: each carve writes "
        "another. // is the folder of the .blend",
        default="//",
        subtype="DIR_PATH",
        options={"SKIP_SAVE", "PATH_SUPPORTS_BLEND_RELATIVE"},
    )
    wire_paths: bpy.props.BoolProperty(  # type: ignore[valid-type]
        name="Paths as Wire",
        description="Draw the paths as wire, or as bounds if they have a bevel or a fill, and leave them out of "
        "renders while there is a result of them, because a bevel fills its own groove",
        default=True,
        options={"SKIP_SAVE"},
    )
    verify: bpy.props.BoolProperty(  # type: ignore[valid-type]
        name="Verify",
        description="Measure afterwards how far the result is from the exact surface and its edges, and tell it with "
        "the result. Takes longer than carving",
        default=False,
        options={"SKIP_SAVE"},
    )


def _redraw_views(_: "VoxelCarveSettings", context: bpy.types.Context) -> None:
    """Redraw every 3D view."""
    for window in cast(bpy.types.WindowManager, context.window_manager).windows:
        for area in window.screen.areas:
            if area.type == "VIEW_3D":
                area.tag_redraw()


class VoxelCarveSettings(CarveProperties, bpy.types.PropertyGroup):
    """The settings of a scene, shown in the panel."""

    stock: bpy.props.PointerProperty(  # type: ignore[valid-type]
        name="Stock",
        description="Mesh or volume to carve, selected or not. Leave it empty to carve every selected one",
        type=bpy.types.Object,
        poll=lambda _, obj: obj.type in {"MESH", "VOLUME", "EMPTY"},
    )
    path_collection: bpy.props.PointerProperty(  # type: ignore[valid-type]
        name="Paths",
        description="Collection whose visible curves, texts and edges are the paths, selected or not. "
        "Leave it empty to carve along every selected one",
        type=bpy.types.Collection,
    )
    paths: bpy.props.CollectionProperty(  # type: ignore[valid-type]
        name="List of Paths",
        description="What the tool runs along, in this order, whatever is selected. Leave it empty to carve along the "
        "collection or the selected paths",
        type=VoxelCarvePath,
    )
    path_index: bpy.props.IntProperty(  # type: ignore[valid-type]
        name="Active Path", description="The number of the active path of the list, from 0", options={"HIDDEN"}
    )
    # For presets, which cannot hold the objects: by the place in the list.
    path_settings: bpy.props.StringProperty(  # type: ignore[valid-type]
        name="Settings of Paths",
        description="What the paths of the list have of their own, by their place, as text",
        options={"HIDDEN", "SKIP_SAVE"},
        get=lambda self: owns_text(self.paths),
        set=lambda self, text: give_owns(self.paths, text),
    )
    cut_material: bpy.props.PointerProperty(  # type: ignore[valid-type]
        name="Cut Material",
        description="Material of the cut faces. Leave it empty to use the first material of each path, "
        "else a new one named Voxel Carve Cut",
        type=bpy.types.Material,
    )
    show_overlay: bpy.props.BoolProperty(  # type: ignore[valid-type]
        name="Grid and Sweep",
        description="Show in the viewport where the grid lies, some voxels at their true size, "
        "and the volume that the tool sweeps",
        default=False,
        update=_redraw_views,
    )


def scene_settings(context: bpy.types.Context) -> VoxelCarveSettings:
    """The settings of the current scene."""
    settings: VoxelCarveSettings = cast(Any, context.scene).voxel_carve
    return settings


class MaterialName:
    """The material of cut faces by its name, because operators cannot have pointer properties."""

    cut_material: bpy.props.StringProperty(  # type: ignore[valid-type]
        name="Cut Material",
        description="Name of the material of the cut faces; where none is given, they have that of their path",
        default="",
        options={"SKIP_SAVE"},
    )


def take_settings(operator: bpy.types.Operator, context: bpy.types.Context) -> None:
    """Give an operator the scene's settings for properties that its caller did not set, unless it remembers them.

    A caller who sets the resolution or the voxel size thereby chooses the size mode; one who sets a radius chooses that
    it is used.
    """
    names = [prop.identifier for prop in operator.properties.bl_rna.properties if prop.is_skip_save]
    given = {name for name in names if operator.properties.is_property_set(name)}
    asked = cast(Any, operator)
    mode = None
    if "size_mode" in given:
        mode = asked.size_mode
    elif ("resolution" in given) != ("voxel_size" in given):
        mode = "RESOLUTION" if "resolution" in given else "SIZE"
    if "radius" in given and "radius_mode" not in given:
        asked.radius_mode = "VALUE"
        given.add("radius_mode")
    settings = scene_settings(context)
    for name in names:
        if name in given or name not in settings.bl_rna.properties:
            continue
        value = getattr(settings, name)
        setattr(operator, name, value.name if isinstance(value, bpy.types.ID) else "" if value is None else value)
    if mode is not None:
        asked.size_mode = mode  # which the numbers have changed
