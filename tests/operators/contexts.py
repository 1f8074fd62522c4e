"""Every operator of the extension in contexts of every kind: a program, so that a crash ends it and not the tests.

usage: python -m tests.operators.contexts GROUP

It prints one line for each call that ended in a way that users must not see, and a last line with the number of calls
and of those that Blender let run.
On stderr are the calls, each as it begins, and what Blender prints if a poll fails.
"""

import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Any

import bpy

import voxel_carve
from tests.scene_objects import (
    box,
    collection_of,
    curves_object,
    grease_pencil,
    instancer,
    link,
    mesh_object,
    nodes_modifier,
    poly_curve,
)
from voxel_carve.compute.engines.numba.compiler import SETS, load_kernels
from voxel_carve.operators import CLASSES
from voxel_carve.process import skip_destructors

Maker = Callable[[], Any]
Case = tuple[str, Callable[[], AbstractContextManager[Any]]]

CALLS = ("EXEC_DEFAULT", "INVOKE_DEFAULT")
ENDS = {"FINISHED", "CANCELLED", "RUNNING_MODAL", "PASS_THROUGH", "INTERFACE"}
RESOLUTION = 8
# In the folder where the program was started.
EMPTY_FILE = str(Path("empty.blend").resolve())
# Types that Blender still lists but that can no longer be created.
OBSOLETE = {"GPENCIL"}


def edges() -> Any:
    return mesh_object("Edges", [(-2, 0, 0), (2, 0, 0)], edges=[(0, 1)])


def path() -> Any:
    return poly_curve([(-2, 0, 0), (2, 0, 0)])


def added(operator: Callable[..., Any], **options: Any) -> Maker:
    """An object that one of Blender's operators adds."""

    def make() -> Any:
        operator(**options)
        context: Any = bpy.context
        return context.object

    return make


def of_data(collection: str, *arguments: Any) -> Maker:
    """An object with new data of one type."""
    return lambda: link(collection, getattr(bpy.data, collection).new(collection, *arguments))


def instances_of_nodes() -> Any:
    obj = mesh_object("Points", [(0, 0, 0), (3, 0, 0)])
    group, source, sink = nodes_modifier(obj)
    scatter, cube = group.nodes.new("GeometryNodeInstanceOnPoints"), group.nodes.new("GeometryNodeMeshCube")
    group.links.new(source.outputs[0], scatter.inputs["Points"])
    group.links.new(cube.outputs["Mesh"], scatter.inputs["Instance"])
    group.links.new(scatter.outputs[0], sink.inputs[0])
    return obj


MAKERS: dict[str, Maker] = {
    "mesh": box,
    "mesh without faces": edges,
    "mesh without anything": lambda: mesh_object("Nothing", []),
    "curve": path,
    "curve without points": of_data("curves", "CURVE"),
    "surface": added(bpy.ops.surface.primitive_nurbs_surface_sphere_add),
    "meta": added(bpy.ops.object.metaball_add),
    "font": added(bpy.ops.object.text_add),
    "curves": lambda: curves_object([(-2, 0, 0), (2, 0, 0)]),
    "pointcloud": of_data("pointclouds"),
    "volume": of_data("volumes"),
    "grease pencil": lambda: grease_pencil([[(-2, 0, 0), (2, 0, 0)]], [[0.3, 0.2]]),
    "armature": added(bpy.ops.object.armature_add),
    "lattice": of_data("lattices"),
    "empty": lambda: link("Empty", None),
    "instance of a collection": lambda: instancer(collection_of(box(), path())),
    "instances of nodes": instances_of_nodes,
    "light": of_data("lights", "AREA"),
    "light probe": of_data("lightprobes", "SPHERE"),
    "camera": of_data("cameras"),
    "speaker": of_data("speakers"),
}


def select_active(active: Any, *others: Any) -> None:
    context: Any = bpy.context
    context.view_layer.update()  # needed before objects count as visible and can be selected
    for obj in context.view_layer.objects:
        obj.select_set(obj == active or obj in others)
    context.view_layer.objects.active = active
    context.view_layer.update()


def alone() -> Iterator[Case]:
    """Each kind of object, active and selected, by itself."""
    made = set()
    for name, maker in MAKERS.items():

        def build(maker: Maker = maker) -> AbstractContextManager[Any]:
            obj = maker()
            made.add(obj.type)
            select_active(obj)
            return nullcontext()

        yield name, build
    kinds: Any = bpy.types.Object.bl_rna.properties["type"]
    missing = {item.identifier for item in kinds.enum_items} - made - OBSOLETE
    if missing:
        raise AssertionError(f"no object of type {sorted(missing)} was tried: add one to MAKERS")


def together() -> Iterator[Case]:
    """Each kind of object together with an active stock, and each one active together with a path."""
    for name, maker in MAKERS.items():

        def with_stock(maker: Maker = maker) -> AbstractContextManager[Any]:
            obj = maker()
            select_active(box("Stock"), obj)
            return nullcontext()

        def with_path(maker: Maker = maker) -> AbstractContextManager[Any]:
            obj = maker()
            select_active(obj, path())
            return nullcontext()

        yield f"{name} with a stock", with_stock
        yield f"{name} with a path", with_path


def modes() -> Iterator[Case]:
    """Each kind of object in each mode that it can enter, with a stock and a path selected."""
    every: Any = bpy.types.Object.bl_rna.properties["mode"]
    for name, maker in MAKERS.items():
        for item in every.enum_items:

            def build(maker: Maker = maker, mode: str = item.identifier) -> AbstractContextManager[Any]:
                obj, others = maker(), (box("Other"), path())
                select_active(obj, *others)
                try:
                    bpy.ops.object.mode_set(mode=mode)
                except (RuntimeError, TypeError) as error:
                    raise NotPossibleError from error
                if obj.mode == "OBJECT":
                    raise NotPossibleError
                return nullcontext()

            yield f"{name} in {item.identifier}", build


def bare() -> Iterator[Case]:
    """Contexts that lack something, or have something that no longer exists."""
    context: Any = bpy.context

    def with_stock_and_path(**members: Any) -> AbstractContextManager[Any]:
        select_active(box(), path())
        return context.temp_override(**members)  # type: ignore[no-any-return]

    def nothing() -> AbstractContextManager[Any]:
        return nullcontext()

    def no_active() -> AbstractContextManager[Any]:
        with_stock_and_path()
        context.view_layer.objects.active = None
        return nullcontext()

    def active_not_selected() -> AbstractContextManager[Any]:
        with_stock_and_path()
        for obj in context.view_layer.objects:
            obj.select_set(False)
        return nullcontext()

    def other_scene() -> AbstractContextManager[Any]:
        return with_stock_and_path(scene=bpy.data.scenes.new("Other"))

    def other_layer() -> AbstractContextManager[Any]:
        return with_stock_and_path(view_layer=context.scene.view_layers.new("Other"))

    def excluded() -> AbstractContextManager[Any]:
        part = collection_of(box(), path())
        context.scene.collection.children.link(part)
        select_active(*part.objects)
        context.view_layer.layer_collection.children[0].exclude = True
        return nullcontext()

    def hidden() -> AbstractContextManager[Any]:
        with_stock_and_path()
        for obj in context.view_layer.objects:
            obj.hide_set(True)
        return nullcontext()

    yield "an empty scene", nothing
    yield "no active object", no_active
    yield "nothing selected", active_not_selected
    yield "another scene", other_scene
    yield "another view layer", other_layer
    yield "all hidden", hidden
    yield "all in an excluded collection", excluded
    # Without a scene Blender itself crashes, whatever the operator.
    for member in ("view_layer", "window", "area", "region", "collection", "active_object", "object"):
        yield f"no {member}", lambda member=member: with_stock_and_path(**{member: None})  # type: ignore[misc]
    yield "no selected objects", lambda: with_stock_and_path(selected_objects=[])


class NotPossibleError(Exception):
    """A case that Blender does not have."""


def idnames() -> list[str]:
    return [cls.bl_idname for cls in CLASSES if issubclass(cls, bpy.types.Operator)]


def begin(build: Callable[[], AbstractContextManager[Any]]) -> AbstractContextManager[Any]:
    """A case in an empty file, which opens much faster than Blender reads its own settings."""
    bpy.ops.wm.open_mainfile(filepath=EMPTY_FILE, load_ui=False)
    return build()


def call(idname: str, how: str) -> tuple[bool, str | None]:
    """Call an operator. Return whether its poll let it run, and what is wrong with how it ended."""
    module, _, name = idname.partition(".")
    try:
        end = getattr(getattr(bpy.ops, module), name)(how)
    except RuntimeError as error:
        text = str(error)
        print(text, file=sys.stderr, flush=True)
        return ".poll()" not in text, text if "Traceback" in text or not text.strip() else None
    except Exception as error:
        return True, repr(error)
    return True, None if isinstance(end, set) and end and end <= ENDS else repr(end)


def run(cases: Iterator[Case]) -> None:
    """Run each operator in each case, in a file in which no other operator has run."""
    count = let_run = 0
    for case, build in cases:
        context: AbstractContextManager[Any] | None = None
        for idname, how in ((idname, how) for idname in idnames() for how in CALLS):
            try:
                context = context or begin(build)
            except NotPossibleError:
                break
            with context:
                print(f"{idname} {how}, {case}", file=sys.stderr, flush=True)
                ran, wrong = call(idname, how)
            count, let_run = count + 1, let_run + ran
            # A context that was exited cannot be entered again.
            if ran or not isinstance(context, nullcontext):
                context = None
            if wrong:
                print(f"FAULT {idname} {how}, {case}: {wrong}", flush=True)
    print(f"CALLS {count} {let_run}", flush=True)


if __name__ == "__main__":
    skip_destructors()
    for kernels in SETS:  # before one of the operators deletes them: to compile them again takes a minute
        load_kernels(kernels)
    voxel_carve.register()
    bpy.ops.wm.read_factory_settings(use_empty=True)
    bpy.context.scene.voxel_carve.resolution = RESOLUTION  # type: ignore[attr-defined,union-attr]
    bpy.ops.wm.save_as_mainfile(filepath=EMPTY_FILE)
    cases = {"alone": alone, "together": together, "modes": modes, "bare": bare}[sys.argv[1]]
    run(cases())
