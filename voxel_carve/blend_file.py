"""The .blend of a headless job: open it, find objects by name, save the results as a copy."""

import difflib
import os
import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

import bpy
import numpy as np
from mathutils import Vector

from .clashes import refuse_spoiled_inputs
from .compute import CarveResult, InputError, Sweep, TriMesh
from .compute import Path as PathLine
from .compute.attributes import CutShading
from .compute.model import Operations
from .formats import PLAIN, as_text, check_input, float32_origin, identity, is_whole, readable, replacing
from .jobs import BLEND_SUFFIX, Job
from .scene.provenance import CutFaces, Provenance, StockFaces, line_materials
from .scene.reading.path_warnings import path_warnings
from .scene.reading.read import is_path, own_radius, read_paths, read_stock, read_stock_faces
from .scene.units import meters_per_unit
from .scene.writing.keep import KeptStock, write_kept
from .scene.writing.write import write_report, write_result

# In bytes. Blender stores at most 1023 of a path; the temporary name beside it is up to 60 longer.
LONGEST_PATH = 960
# At most this much of an unknown name is compared with the names of objects.
LONGEST_NAME = 255
# Bytes written to a disk at most, and per block, to provoke its error message.
_MOST_TRIED, _BLOCK = 2**24, 2**20


def open_scene(job: Job) -> None:
    """Open the scene of a job: its .blend at its frame, or the open one, or an empty one.

    Raises:
        InputError: the file is missing or not a .blend, objects are named without a file, or the job would write to a
            file that the scene uses.
    """
    if job.output.suffix.lower() == BLEND_SUFFIX:
        _whole_path(job.output)
    if job.blend is not None:
        if not bpy.data.filepath or identity(Path(bpy.data.filepath)) != identity(job.blend):
            _open(job.blend)
    elif all(isinstance(source, Path) for source in (*job.stocks, *job.paths)):
        bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    elif bpy.data.filepath:
        raise InputError(
            "an earlier job has opened {filepath}: name this job's own file with --blend", filepath=bpy.data.filepath
        )
    parts = bpy.utils.blend_paths(absolute=True, packed=False, local=False)
    refuse_spoiled_inputs(job.outputs(), {identity(Path(part)): f"a part of the scene, {part}" for part in parts})
    if job.frame is not None:
        _scene().frame_set(job.frame)


def scene_unit() -> float:
    """The length of a Blender unit in meters."""
    return meters_per_unit(_scene())


def read_stock_object(name: str) -> TriMesh:
    """The mesh of the object with this name. Raises InputError like `find_object` and `read_stock`."""
    return read_stock(find_object(name), bpy.context.evaluated_depsgraph_get())


def read_stock_faces_of(name: str) -> StockFaces:
    """The same with the looks of its faces."""
    return read_stock_faces(find_object(name), bpy.context.evaluated_depsgraph_get())


def read_path_object(
    name: str, radius: float | None, chord_tolerance: float, own: float | None = None
) -> tuple[PathLine, ...]:
    """The polylines of the object with this name. A radius of its `own` in the job takes precedence over its bevel.

    Raises:
        InputError: as for `find_object` and `read_paths`, or neither the object nor the job has a radius.
    """
    obj, depsgraph = find_object(name), bpy.context.evaluated_depsgraph_get()
    if own is not None:
        return read_paths(obj, depsgraph, own, chord_tolerance, use_own_radius=False)
    if radius is None:
        if is_path(obj) and not own_radius(obj):
            read_paths(obj, depsgraph, 1.0, chord_tolerance)  # what has no points needs no radius
            raise InputError("path '{name}' has no radius of its own: give it with --radius", name=name)
        radius = 1.0  # not used, because the bevel depth takes precedence
    return read_paths(obj, depsgraph, radius, chord_tolerance)


def provenance(
    faces: StockFaces | None,
    mesh: TriMesh,
    sweep: Sweep,
    operations: Operations,
    paths: Sequence[Path | str],
    counts: Sequence[int],
) -> Provenance:
    """The provenance of a job's primitives.

    `operations` has that of each polyline, and `counts` the number of polylines of each path in the sweep.

    A stock from a file has a mesh and no faces; a path from a file has no material.
    """
    lines: list[tuple[int, bpy.types.Material | None]] = []
    for number, (source, count) in enumerate(zip(paths, counts, strict=True)):
        materials = line_materials(find_object(source), count) if isinstance(source, str) else [None] * count
        lines += [(number, material) for material in materials]
    shading = CutShading(sweep, operations, smooth=True)
    return Provenance(faces or StockFaces.plain(mesh), CutFaces.of(sweep, lines), shading)


def kept_stock(source: Path | str, mesh: TriMesh) -> KeptStock:
    """The faces of a stock to keep: of an object of the open scene, or of the mesh of a file.

    Raises:
        InputError: the object has shape keys, or holds instances.
    """
    if isinstance(source, Path):
        return KeptStock.of_mesh(mesh)
    return KeptStock.of(find_object(source), bpy.context.evaluated_depsgraph_get(), mesh)


def warnings(paths: Mapping[str, bool]) -> tuple[str, ...]:
    """Warnings about the file and about paths that are objects: their names, and whether each uses its own radius."""
    said = [line for name, own in paths.items() for line in path_warnings(find_object(name), use_own_radius=own)]
    return (*_drivers_left_off(), *said)


def _drivers_left_off() -> tuple[str, ...]:
    """A warning about drivers that Blender did not run, because their Python expressions might do harm."""
    if not bpy.app.autoexec_fail:
        return ()
    owners = (obj.animation_data for obj in bpy.data.user_map() if hasattr(obj, "animation_data"))
    drivers = [curve.driver for owner in owners if owner is not None for curve in owner.drivers]
    count = sum(driver is not None and driver.type == "SCRIPTED" and not driver.is_valid for driver in drivers)
    if not count:
        return ()
    return (
        f"{Path(bpy.data.filepath).name}: {count} {'driver was' if count == 1 else 'drivers were'} left off, whose "
        "expressions Blender runs only for files that you trust; what they drive is not where it should be: start "
        "blender with --enable-autoexec and this file, and leave --blend out",
    )


def find_object(name: str) -> bpy.types.Object:
    """The object with this name in the open scene.

    Raises:
        InputError: there is none; the message lists similar names, or some that exist.
    """
    scene = _scene()
    obj: bpy.types.Object | None = scene.objects.get(name) if _can_be_a_name(name) else None
    if obj is not None:
        return obj
    where = Path(bpy.data.filepath).name or "the open scene"
    names = sorted(obj.name for obj in scene.objects)
    near = difflib.get_close_matches(name[:LONGEST_NAME], names, n=3, cutoff=0.5)
    if near:
        hint = f"did you mean {' or '.join(repr(other) for other in near)}?"
    elif names:
        hint = f"it has {', '.join(repr(other) for other in names[:8])}{', ...' if len(names) > 8 else ''}"
    else:
        hint = "it has no objects"
    raise InputError(
        "'{name}' is no file, and no object of {where}: {hint}", name=readable(name), where=where, hint=hint
    )


def write_results(
    output: Path,
    stocks: Sequence[tuple[Path | str, TriMesh]],
    results: Sequence[CarveResult],
    provenances: Sequence[Provenance],
    kept_stocks: Sequence[KeptStock | None],
    overwrite: bool,
) -> None:
    """Save a copy of the open scene with the results in it; the scene itself is not changed.

    Args:
        output: the .blend to write.
        stocks: source and mesh of each stock; a stock from a file becomes a new object.
        results: one for each stock.
        provenances: one for each result.
        kept_stocks: one for each stock with Keep Stock, else None.
        overwrite: whether output may replace a file.

    Raises:
        InputError: the output cannot be written.
    """
    scene = _scene()
    with replacing(output, overwrite) as beside, _restored(scene):
        for (source, mesh), result, origin, kept in zip(stocks, results, provenances, kept_stocks, strict=True):
            obj = find_object(source) if isinstance(source, str) else _new_object(scene, as_text(source.stem), mesh)
            if kept and result.report.result == "keep":
                write_report(write_kept(scene, kept, obj, origin.cut), result.report)
            else:
                write_result(scene, result, obj, provenance=origin)
        _save(beside, output)


def _save(beside: Path, output: Path) -> None:
    """Save a copy of the open file to `beside`; messages call it `output`.

    Raises:
        InputError: Blender could not save; OSError: the disk could not.
    """
    said = ""
    try:
        bpy.ops.wm.save_as_mainfile(filepath=os.path.abspath(beside), copy=True, check_existing=False)
    except (RuntimeError, UnicodeError) as error:
        said = str(error)
    # If the disk took only a part of a file, Blender still says that it is saved.
    if said or not _is_saved(beside):
        free = shutil.disk_usage(beside.parent).free // 2**20
        _fill(beside)
        said = said or "Blender wrote half of it"
        raise InputError(
            "{output} could not be saved, with {free} MiB free: {said}", output=readable(output), free=free, said=said
        )


def _is_saved(file: Path) -> bool:
    """Whether the file is complete. An uncompressed file with an unknown layout counts as complete."""
    with open(file, "rb") as blend:
        is_plain = blend.read(len(PLAIN)) == PLAIN
    try:
        whole = is_whole(file)
    except ValueError:  # not even the header
        return False
    return whole is True or (whole is None and is_plain)


def _fill(file: Path) -> None:
    """Write to a file to provoke the disk's error, because Blender's own message only says that a file is missing.

    Raises:
        OSError: the disk's error.
    """
    with open(file, "ab", buffering=0) as filled:
        for _ in range(0, _MOST_TRIED, _BLOCK):
            filled.write(bytes(_BLOCK))


def _scene() -> bpy.types.Scene:
    scene = bpy.context.scene
    if scene is None:
        raise InputError("{filepath} has no scene: save it from Blender again", filepath=bpy.data.filepath)
    return scene


def _whole_path(file: Path) -> str:
    path = os.path.realpath(file)
    if len(os.fsencode(path)) > LONGEST_PATH:
        raise InputError("{file} is too long a path for Blender: choose another folder", file=readable(file))
    return path


def _can_be_a_name(text: str) -> bool:
    """Whether a text can be a name: Blender cuts a name at a NUL, and fails at a lone surrogate."""
    return "\0" not in text and text == as_text(text)


def _open(file: Path) -> None:
    check_input(file)
    try:
        whole = is_whole(file)
    except OSError as error:
        raise InputError("{file} cannot be read ({fault})", file=readable(file), fault=error.strerror) from error
    except ValueError as error:
        raise InputError("{file} is no .blend file: save it from Blender again", file=readable(file)) from error
    if whole is False:
        raise InputError("{file} is cut short: save it from Blender again", file=readable(file))
    path = _whole_path(file)
    try:
        bpy.ops.wm.open_mainfile(filepath=path, load_ui=False, use_scripts=False)
    except (RuntimeError, UnicodeError) as error:
        raise InputError("{file} cannot be opened: {error}", file=readable(file), error=error) from error


def _new_object(scene: bpy.types.Scene, name: str, mesh: TriMesh) -> bpy.types.Object:
    """An object for a stock from a file, with an origin that keeps its local coordinates small."""
    origin = float32_origin(mesh.bounds())
    data = bpy.data.meshes.new(name)
    data.vertices.add(len(mesh.points))
    data.vertices.foreach_set("co", (mesh.points - origin).astype(np.float32).ravel())
    data.loops.add(3 * len(mesh.triangles))
    data.loops.foreach_set("vertex_index", mesh.triangles.ravel())
    data.polygons.add(len(mesh.triangles))
    data.polygons.foreach_set("loop_start", np.arange(0, 3 * len(mesh.triangles), 3, dtype=np.int32))
    data.update(calc_edges=True)
    obj = bpy.data.objects.new(name, data)
    obj.location = Vector(origin.tolist())
    scene.collection.objects.link(obj)
    for layer in scene.view_layers:
        layer.update()  # needed before it can be hidden
    return obj


@contextmanager
def _restored(scene: bpy.types.Scene) -> Iterator[None]:
    """Restore the file at the end: remove what the `with` block added, and show what it hid."""
    before = set(bpy.data.user_map())
    renders = [(obj, obj.hide_render) for obj in scene.objects if obj.library is None]
    eyes = [
        (obj, layer, obj.hide_get(view_layer=layer))
        for layer in scene.view_layers
        for obj in layer.objects.values()
        if obj is not None
    ]
    try:
        yield
    finally:
        for obj, hidden in renders:
            obj.hide_render = hidden
        for seen, layer, hidden in eyes:
            seen.hide_set(hidden, view_layer=layer)
        bpy.data.batch_remove(set(bpy.data.user_map()) - before)
