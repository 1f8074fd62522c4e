"""What a job is set to: shared by the scene's settings, which the panel shows, and by the operators."""

from typing import Any, cast

import bpy

SIZE_MODES = (
    ("RESOLUTION", "Resolution", "Divide the longest side of the stock into a number of voxels"),
    ("SIZE", "Voxel Size", "Give the edge of a voxel"),
)
OPERATIONS = (
    ("SUBTRACT", "Subtract", "Take what the tool sweeps along the paths out of the stock"),
    ("UNION", "Union", "Add what the tool sweeps along the paths to the stock"),
    ("INTERSECT", "Intersect", "Keep what the stock and the swept volume share"),
)
RESULTS = (
    ("REMESH", "Remesh", "A new surface all over: closed for every stock, open and overlapping ones too"),
    ("KEEP", "Keep Stock", "Cut the stock's own faces; those that no path touches stay as they are"),
)
RADIUS_MODES = (
    ("CURVE", "From Curve", "Its bevel depth; a path without one gets a twentieth of the stock's longest side"),
    ("VALUE", "Value", "The same for every path, whatever its bevel"),
)
BACKENDS = (
    ("AUTO", "Automatic", "As the preferences of the extension say, else the fastest one that works here"),
    ("CPU", "CPU", "Compute with NumPy and SciPy, which are always there"),
    ("NUMBA", "Numba", "Compute on all cores of the CPU with compiled kernels, where Numba is installed"),
    ("CUDA", "CUDA", "Compute on an NVIDIA GPU with Warp"),
)


class VoxelProperties:
    """How fine the voxels are, and what computes them.

    Operators do not remember these from their last call: what is not given comes from the scene's settings.
    """

    size_mode: bpy.props.EnumProperty(  # type: ignore[valid-type]
        name="Voxels",
        description="How the size of a voxel is given",
        items=SIZE_MODES,
        default="RESOLUTION",
        options={"SKIP_SAVE"},
    )
    resolution: bpy.props.IntProperty(  # type: ignore[valid-type]
        name="Resolution",
        description="Number of voxels along the longest side of the stock",
        default=128,
        min=1,
        soft_min=16,
        soft_max=1024,
        max=65536,
        options={"SKIP_SAVE"},
    )
    voxel_size: bpy.props.FloatProperty(  # type: ignore[valid-type]
        name="Voxel Size",
        description="Edge of a voxel: details smaller than this are lost",
        default=0.02,
        min=0.0,
        soft_min=0.001,
        soft_max=1.0,
        precision=4,
        subtype="DISTANCE",
        options={"SKIP_SAVE"},
    )
    backend: bpy.props.EnumProperty(  # type: ignore[valid-type]
        name="Backend",
        description="What computes the job; every backend gives the same result",
        items=BACKENDS,
        default="AUTO",
        options={"SKIP_SAVE"},
    )
    replace: bpy.props.BoolProperty(  # type: ignore[valid-type]
        name="Replace",
        description="Change the mesh of the stock, and apply its modifiers, "
        "instead of adding a new object and hiding the stock",
        default=False,
        options={"SKIP_SAVE"},
    )


class CarveProperties(VoxelProperties):
    """What is done along the paths."""

    operation: bpy.props.EnumProperty(  # type: ignore[valid-type]
        name="Operation",
        description="How the stock and the volume that the tool sweeps are combined",
        items=OPERATIONS,
        default="SUBTRACT",
        options={"SKIP_SAVE"},
    )
    result: bpy.props.EnumProperty(  # type: ignore[valid-type]
        name="Result",
        description="What becomes of the part of the stock that no path touches",
        items=RESULTS,
        default="REMESH",
        options={"SKIP_SAVE"},
    )
    adaptivity: bpy.props.FloatProperty(  # type: ignore[valid-type]
        name="Adaptivity",
        description="Merge faces where that moves the surface by less than this part of a voxel; sharp edges and "
        "borders of materials stay. 0 keeps all faces",
        default=0.0,
        min=0.0,
        max=1.0,
        precision=3,
        subtype="FACTOR",
        options={"SKIP_SAVE"},
    )
    tolerance: bpy.props.FloatProperty(  # type: ignore[valid-type]
        name="Tolerance",
        description="Greatest distance that merging faces may move the surface, instead of the part of a voxel that "
        "Adaptivity gives. 0 leaves it to Adaptivity",
        default=0.0,
        min=0.0,
        soft_max=1.0,
        precision=4,
        subtype="DISTANCE",
        options={"SKIP_SAVE"},
    )
    radius_mode: bpy.props.EnumProperty(  # type: ignore[valid-type]
        name="Radius",
        description="Where the radius of the tool comes from. It is multiplied by the radius of each point",
        items=RADIUS_MODES,
        default="CURVE",
        options={"SKIP_SAVE"},
    )
    radius: bpy.props.FloatProperty(  # type: ignore[valid-type]
        name="Radius",
        description="Radius of the tool in world space, times the radius of each point",
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
        description="Multiplies every radius: a little more than 1 clears what another tool has left",
        default=1.0,
        min=0.001,
        soft_min=0.1,
        soft_max=2.0,
        precision=3,
        options={"SKIP_SAVE"},
    )
    shade_smooth: bpy.props.BoolProperty(  # type: ignore[valid-type]
        name="Shade Smooth",
        description="Shade the cut faces smooth; their borders stay sharp",
        default=True,
        options={"SKIP_SAVE"},
    )
    transfer_attributes: bpy.props.BoolProperty(  # type: ignore[valid-type]
        name="Transfer Attributes",
        description="Carry the UV maps, color attributes and vertex groups of the stock over to the faces that are "
        "left of it",
        default=True,
        options={"SKIP_SAVE"},
    )
    verify: bpy.props.BoolProperty(  # type: ignore[valid-type]
        name="Verify",
        description="Measure how far the result is from the exact surface and its edges: slower than carving",
        default=False,
        options={"SKIP_SAVE"},
    )


class VoxelCarveSettings(CarveProperties, bpy.types.PropertyGroup):
    """The settings of a scene, as the panel shows them."""

    stock: bpy.props.PointerProperty(  # type: ignore[valid-type]
        name="Stock",
        description="Mesh to carve, selected or not. Where none is chosen, every selected mesh is a stock",
        type=bpy.types.Object,
        poll=lambda _, thing: thing.type == "MESH",
    )
    path_collection: bpy.props.PointerProperty(  # type: ignore[valid-type]
        name="Paths",
        description="Collection whose curves are the paths, selected or not. "
        "Where none is chosen, every selected curve is a path",
        type=bpy.types.Collection,
    )
    cut_material: bpy.props.PointerProperty(  # type: ignore[valid-type]
        name="Cut Material",
        description="Material of the cut faces. Where none is chosen, they have that of their path, "
        "else a new one, Voxel Carve Cut",
        type=bpy.types.Material,
    )
    show_overlay: bpy.props.BoolProperty(  # type: ignore[valid-type]
        name="Grid and Sweep",
        description="Show the bounds of the grid, voxels at their true size, and the volume that the tool sweeps",
        default=False,
    )


def scene_settings(context: bpy.types.Context) -> VoxelCarveSettings:
    """The settings of the scene in use."""
    settings: VoxelCarveSettings = cast(Any, context.scene).voxel_carve
    return settings


class MaterialName:
    """The material of cut faces by its name, for operators: they cannot hold a material itself."""

    cut_material: bpy.props.StringProperty(  # type: ignore[valid-type]
        name="Cut Material",
        description="Name of the material of the cut faces; where none is given, they have that of their path",
        default="",
        options={"SKIP_SAVE"},
    )


def take_settings(operator: bpy.types.Operator, context: bpy.types.Context) -> None:
    """Give an operator the scene's settings where its caller gave none.

    A caller who gives either the resolution or the voxel size has said with it which of them counts, and who gives a
    radius, that it does.
    """
    names = [prop.identifier for prop in operator.properties.bl_rna.properties if prop.identifier != "rna_type"]
    given = {name for name in names if operator.properties.is_property_set(name)}
    asked = cast(Any, operator)
    if "size_mode" not in given and ("resolution" in given) != ("voxel_size" in given):
        asked.size_mode = "RESOLUTION" if "resolution" in given else "SIZE"
        given.add("size_mode")
    if "radius" in given and "radius_mode" not in given:
        asked.radius_mode = "VALUE"
        given.add("radius_mode")
    settings = scene_settings(context)
    for name in names:
        if name in given or name not in settings.bl_rna.properties:
            continue
        value = getattr(settings, name)
        setattr(operator, name, value.name if isinstance(value, bpy.types.ID) else "" if value is None else value)
