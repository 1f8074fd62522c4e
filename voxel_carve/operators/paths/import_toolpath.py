"""Read toolpaths from files as curves to carve along."""

from collections.abc import Iterator
from pathlib import Path as FilePath
from typing import Any, cast

import bpy
import numpy as np
from bpy_extras.io_utils import ImportHelper, poll_file_object_drop

from ...compute import InputError, Path
from ...compute.runtime import Sentence
from ...formats import PATH_SUFFIXES, NoRadiusError, Toolpath, as_text, read_paths, unit_named
from ...printing import printable
from ...scene.units import meters_per_unit
from ...scene.writing.write_paths import write_balls, write_paths
from ...translations.telling import told
from ..selection.selected import add_refusal, may_run

UNITS = (
    ("SCENE", "Scene", "The unit in which the scene shows lengths"),
    ("MILLIMETERS", "Millimeters", "As most CNC programs write them"),
    ("CENTIMETERS", "Centimeters", ""),
    ("METERS", "Meters", ""),
    ("INCHES", "Inches", ""),
    ("FEET", "Feet", ""),
)
# Blender's own importers take these where they are dropped.
DROPPED_SUFFIXES = tuple(suffix for suffix in PATH_SUFFIXES if suffix not in (".obj", ".svg"))
# Blender draws a bevel with 12 faces around each segment, or with 4 where there are more points than this.
MOST_ROUND_POINTS = 20_000


class IMPORT_CURVE_OT_voxel_carve_toolpath(ImportHelper, bpy.types.Operator):  # type: ignore[misc]  # noqa: N801
    """Make a curve of each toolpath file, and loose vertices of its balls."""

    bl_idname = "import_curve.voxel_carve_toolpath"
    bl_label = "Import Toolpath"
    bl_description = (
        "Read toolpaths from tables with the columns x, y, z, radius and path, or from drawings, and select each as a "
        "curve to carve along"
    )
    bl_options = {"REGISTER", "UNDO"}

    filter_glob: bpy.props.StringProperty(  # type: ignore[valid-type]
        default=";".join(f"*{suffix}" for suffix in PATH_SUFFIXES), options={"HIDDEN"}
    )
    directory: bpy.props.StringProperty(subtype="DIR_PATH", options={"HIDDEN", "SKIP_SAVE"})  # type: ignore[valid-type]
    files: bpy.props.CollectionProperty(  # type: ignore[valid-type]
        type=bpy.types.OperatorFileListElement, options={"HIDDEN", "SKIP_SAVE"}
    )
    unit: bpy.props.EnumProperty(  # type: ignore[valid-type]
        name="Unit",
        description="The unit of the numbers in a file that does not say its own",
        items=UNITS,
        default="SCENE",
    )
    radius: bpy.props.FloatProperty(  # type: ignore[valid-type]
        name="Radius",
        description="Radius of the tool where a file has none. 0 leaves it to the settings of the carve",
        default=0.0,
        min=0.0,
        soft_max=10.0,
        precision=4,
        subtype="DISTANCE",
        options={"SKIP_SAVE"},
    )

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:  # type: ignore[override]
        """Whether an object can be added here; sets the message if not."""
        return may_run(cls, add_refusal(context))

    def invoke(self, context: bpy.types.Context, _event: bpy.types.Event) -> set[str]:  # type: ignore[override]
        """Ask for files, or for the unit of files that were dropped."""
        found: set[str] = cast(Any, self).invoke_popup(context)
        return found

    def execute(self, context: bpy.types.Context) -> set[str]:  # type: ignore[override]
        """Add the curves of all files to the selection, or none."""
        scene = cast(bpy.types.Scene, context.scene)
        try:
            found = [(file, *_read(scene, file, self.radius, self.unit)) for file in self._chosen()]
        except InputError as error:
            self.report({"ERROR"}, printable(told(error)))
            return {"CANCELLED"}
        for file, paths, has_radius in found:
            for sentence in (*paths.notes, *_write(context, as_text(file.stem), paths, has_radius)):
                self.report({"INFO"}, printable(told(sentence)))
        return {"FINISHED"}

    def _chosen(self) -> list[FilePath]:
        names = [each.name for each in cast(Any, self).files if each.name]
        if names:
            return [FilePath(bpy.path.abspath(self.directory)) / name for name in names]
        return [FilePath(bpy.path.abspath(cast(Any, self).filepath))]


class VIEW3D_FH_voxel_carve_toolpath(bpy.types.FileHandler):  # noqa: N801 - Blender's naming
    """Files that are dropped into a 3D view."""

    bl_label = "Toolpath"
    bl_import_operator = IMPORT_CURVE_OT_voxel_carve_toolpath.bl_idname
    bl_file_extensions = ";".join(DROPPED_SUFFIXES)

    @classmethod
    def poll_drop(cls, context: bpy.types.Context) -> bool:  # type: ignore[override]
        """Whether the mouse is over a 3D view or the outliner."""
        return bool(cast(Any, poll_file_object_drop)(context))


def _meters(scene: bpy.types.Scene, unit: str) -> float:
    """The length of a unit, by its name in `UNITS`."""
    settings = scene.unit_settings
    shown: str = "METERS" if settings.system == "NONE" else settings.length_unit
    if shown == "ADAPTIVE":
        shown = "FEET" if settings.system == "IMPERIAL" else "METERS"
    found = unit_named(shown if unit == "SCENE" else unit)
    assert found is not None  # Blender's names are among ours
    return found.meters


def _read(scene: bpy.types.Scene, file: FilePath, radius: float, unit: str) -> tuple[Toolpath, bool]:
    """The polylines of a file in Blender units, and whether they have a radius: else it is 1."""
    own, written = meters_per_unit(scene), _meters(scene, unit)
    try:
        return read_paths(file, radius or None, unit=own, file_unit=written), True
    except NoRadiusError:
        return read_paths(file, 1.0, unit=own, file_unit=written), False


def _write(context: bpy.types.Context, name: str, paths: Toolpath, has_radius: bool) -> Iterator[Sentence]:
    """Make a curve of the polylines and a mesh of the balls, where there are any. Select both, and tell of each."""
    lines, balls = [path for path in paths if path.joined], [path for path in paths if not path.joined]
    scene, layer = cast(bpy.types.Scene, context.scene), cast(bpy.types.ViewLayer, context.view_layer)
    collection = context.collection or scene.collection
    if balls:
        points, radii = (np.concatenate([getattr(path, part) for path in balls]) for part in ("points", "radii"))
        obj = write_balls(collection, f"{name} Balls", points, radii if has_radius else None)
        layer.objects.active = obj
        obj.select_set(True)
        if len(points) == 1:
            yield Sentence("'{name}' made of one ball", name=obj.name)
        else:
            yield Sentence("'{name}' made of {count} balls", name=obj.name, count=len(points))
    if lines:
        layer.objects.active = obj = _write_lines(collection, name, lines, has_radius)
        obj.select_set(True)
        if len(lines) == 1:
            yield Sentence("'{name}' made of one path", name=obj.name)
        else:
            yield Sentence("'{name}' made of {count} paths", name=obj.name, count=len(lines))


def _write_lines(collection: bpy.types.Collection, name: str, paths: list[Path], has_radius: bool) -> bpy.types.Object:
    """A curve of polylines. Without a radius, it has no bevel and point radii of 1."""
    first = float(paths[0].radii[0])
    # A single radius is the bevel. Of several, each is given to its point as it is, which costs no rounding.
    is_same = all((path.radii == first).all() for path in paths)
    obj = write_paths(collection, name, paths, first if is_same else 1.0)
    curve = cast(bpy.types.Curve, obj.data)
    if not has_radius:
        curve.bevel_depth = 0.0
    if sum(len(path.points) for path in paths) > MOST_ROUND_POINTS:
        curve.bevel_resolution = 0
    return obj
