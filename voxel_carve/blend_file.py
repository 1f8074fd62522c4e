"""The .blend of a headless job: opened, its objects found by name, the results saved as a copy."""

import difflib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import bpy
import numpy as np
from mathutils import Vector

from .compute import CarveResult, InputError, Sweep, TriMesh
from .compute import Path as PathLine
from .compute.precision import float32_origin
from .formats import replacing
from .jobs import Job
from .scene.keep import BlenderBoolean, write_kept
from .scene.provenance import CutFaces, Provenance, StockFaces, line_materials
from .scene.read import is_path, own_radius, path_warnings, read_paths, read_stock, read_stock_faces
from .scene.write import write_report, write_result

# How a .blend begins: plain, compressed by zstd, compressed by gzip.
_MAGIC = (b"BLENDER", b"\x28\xb5\x2f\xfd", b"\x1f\x8b")


def open_scene(job: Job) -> None:
    """Bring up the scene that a job is about: its .blend at its frame, or the open one, or an empty one.

    Raises:
        InputError: the file is not there or is no .blend, or objects are named and no file is.
    """
    if job.blend is not None:
        if not bpy.data.filepath or Path(bpy.data.filepath).resolve() != job.blend.resolve():
            _open(job.blend)
    elif all(isinstance(source, Path) for source in (*job.stocks, *job.paths)):
        bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    elif bpy.data.filepath:
        raise InputError(f"an earlier job has opened {bpy.data.filepath}: name this job's own file with --blend")
    if job.frame is not None:
        _scene().frame_set(job.frame)


def read_stock_object(name: str) -> TriMesh:
    """The mesh of the object of that name. Raises InputError as `find_object` and `read_stock` do."""
    return read_stock(find_object(name), bpy.context.evaluated_depsgraph_get())


def read_stock_faces_of(name: str) -> StockFaces:
    """The same with what its faces are like."""
    return read_stock_faces(find_object(name), bpy.context.evaluated_depsgraph_get())


def read_path_object(name: str, radius: float | None, chord_tolerance: float) -> tuple[PathLine, ...]:
    """The polylines of the object of that name.

    Raises:
        InputError: as `find_object` and `read_paths` do, and where neither it nor the job has a radius.
    """
    thing = find_object(name)
    if radius is None:
        if is_path(thing) and not own_radius(thing):
            raise InputError(f"path '{name}' has no bevel depth: give its radius with --radius")
        radius = 1.0  # not used: the bevel depth goes before
    return read_paths(thing, bpy.context.evaluated_depsgraph_get(), radius, chord_tolerance)


def provenance(
    faces: StockFaces | None, mesh: TriMesh, sweep: Sweep, paths: Sequence[Path | str], counts: Sequence[int]
) -> Provenance:
    """What the primitives of a job are: of a stock, and of paths that have each a count of polylines in the sweep.

    A stock from a file has its mesh alone and no faces, a path from a file has no material.
    """
    lines: list[tuple[int, bpy.types.Material | None]] = []
    for number, (source, count) in enumerate(zip(paths, counts, strict=True)):
        materials = line_materials(find_object(source), count) if isinstance(source, str) else [None] * count
        lines += [(number, material) for material in materials]
    return Provenance(faces or StockFaces.plain(mesh), CutFaces.of(sweep, lines))


def stock_boolean(source: Path | str, mesh: TriMesh) -> BlenderBoolean:
    """Blender's boolean of a stock, an object of the open scene or the mesh of a file.

    Raises:
        InputError: the object has shape keys.
    """
    if isinstance(source, Path):
        return BlenderBoolean.of_mesh(mesh)
    return BlenderBoolean.of(find_object(source), bpy.context.evaluated_depsgraph_get())


def warnings(paths: Sequence[Path | str]) -> tuple[str, ...]:
    """What is to be said of the paths that are objects."""
    return tuple(line for name in paths if isinstance(name, str) for line in path_warnings(find_object(name)))


def find_object(name: str) -> bpy.types.Object:
    """The object of that name in the open scene.

    Raises:
        InputError: there is none; the message names those that look alike, or some that are there.
    """
    scene = _scene()
    thing: bpy.types.Object | None = scene.objects.get(name)
    if thing is not None:
        return thing
    where = Path(bpy.data.filepath).name or "the open scene"
    names = sorted(thing.name for thing in scene.objects)
    near = difflib.get_close_matches(name, names, n=3, cutoff=0.5)
    if near:
        hint = f"did you mean {' or '.join(repr(other) for other in near)}?"
    elif names:
        hint = f"it has {', '.join(repr(other) for other in names[:8])}{', ...' if len(names) > 8 else ''}"
    else:
        hint = "it has no objects"
    raise InputError(f"'{name}' is no file, and no object of {where}: {hint}")


def write_results(
    output: Path,
    stocks: Sequence[tuple[Path | str, TriMesh]],
    results: Sequence[CarveResult],
    provenances: Sequence[Provenance],
    booleans: Sequence[BlenderBoolean | None],
    overwrite: bool,
) -> None:
    """Save a copy of the open scene with the results in it; the scene itself stays as it is.

    Args:
        output: the .blend to write.
        stocks: source and mesh of each stock; one from a file becomes an object of its own.
        results: of each stock.
        provenances: of each result.
        booleans: of each stock that is to be kept.
        overwrite: whether output may replace a file.

    Raises:
        InputError: the output cannot be written.
    """
    scene = _scene()
    with replacing(output, overwrite) as beside, _restored(scene):
        for (source, mesh), result, origin, boolean in zip(stocks, results, provenances, booleans, strict=True):
            thing = find_object(source) if isinstance(source, str) else _new_object(scene, source.stem, mesh)
            if boolean and result.report.result == "keep":
                write_report(write_kept(scene, boolean, thing, origin.cut), result.report)
            else:
                write_result(scene, result, thing, provenance=origin)
        try:
            bpy.ops.wm.save_as_mainfile(filepath=str(beside.resolve()), copy=True, check_existing=False)
        except RuntimeError as error:
            raise InputError(f"{output} could not be saved: {error}") from error


def _scene() -> bpy.types.Scene:
    scene = bpy.context.scene
    if scene is None:
        raise InputError(f"{bpy.data.filepath} has no scene: save it from Blender again")
    return scene


def _open(file: Path) -> None:
    try:
        with open(file, "rb") as opened:
            start = opened.read(8)
    except OSError as error:
        raise InputError(f"{file} cannot be read ({error.strerror})") from error
    if not start.startswith(_MAGIC):
        raise InputError(f"{file} is no .blend file: save it from Blender again")
    try:
        bpy.ops.wm.open_mainfile(filepath=str(file.resolve()), load_ui=False, use_scripts=False)
    except RuntimeError as error:
        raise InputError(f"{file} cannot be opened: {error}") from error


def _new_object(scene: bpy.types.Scene, name: str, mesh: TriMesh) -> bpy.types.Object:
    """An object for a stock that came from a file, with an origin that keeps its local coordinates small."""
    origin = float32_origin(mesh.bounds())
    data = bpy.data.meshes.new(name)
    data.vertices.add(len(mesh.points))
    data.vertices.foreach_set("co", (mesh.points - origin).astype(np.float32).ravel())
    data.loops.add(3 * len(mesh.triangles))
    data.loops.foreach_set("vertex_index", mesh.triangles.ravel())
    data.polygons.add(len(mesh.triangles))
    data.polygons.foreach_set("loop_start", np.arange(0, 3 * len(mesh.triangles), 3, dtype=np.int32))
    data.update(calc_edges=True)
    thing = bpy.data.objects.new(name, data)
    thing.location = Vector(origin.tolist())
    scene.collection.objects.link(thing)
    for layer in scene.view_layers:
        layer.update()  # or it could not be hidden yet
    return thing


@contextmanager
def _restored(scene: bpy.types.Scene) -> Iterator[None]:
    """At the end remove what was added to the file in the `with` block, and show again what it hid."""
    before = set(bpy.data.user_map())
    renders = [(thing, thing.hide_render) for thing in scene.objects if thing.library is None]
    eyes = [
        (thing, layer, thing.hide_get(view_layer=layer))
        for layer in scene.view_layers
        for thing in layer.objects.values()
        if thing is not None
    ]
    try:
        yield
    finally:
        for thing, hidden in renders:
            thing.hide_render = hidden
        for seen, layer, hidden in eyes:
            seen.hide_set(hidden, view_layer=layer)
        bpy.data.batch_remove(set(bpy.data.user_map()) - before)
