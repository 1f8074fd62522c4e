"""An afternoon: ten carves of different kinds, five updates, Live Update, undo and redo, save, reopen, bake, remove.

After each step the facts say what the panel shows: which button, and whether a result is out of date that is not.
"""

import time
from collections.abc import Iterator
from importlib import import_module

import bpy
import numpy as np
from inside.facts import note
from inside.jobs import kernels_are_ready, running_job
from inside.places import find_operator, open_sidebar, rectangle, view3d
from inside.scenes import objects, reports
from inside.user import STAGE, click, look, move, press, until

EXTENSION = "bl_ext.user_default.voxel_carve"
CARVE, UPDATE = "bpy.ops.object.voxel_carve(", "bpy.ops.object.voxel_carve_update("
SPACING = 3.0
LONGEST_S = 300


def steps():
    spent = watch_main_thread()
    sidebar = yield from open_sidebar("Voxel Carve")
    prepare()
    start = objects()
    button = yield from find_operator(CARVE, sidebar)
    made = []
    for number, (kind, begin) in enumerate(KINDS.items()):
        names, before = begin(number * SPACING), set(objects())
        bpy.ops.ed.undo_push(message=kind)
        choose(*names)
        yield from click(*button)
        yield from until(lambda before=before: set(objects()) - before and not running_job(), LONGEST_S, kind)
        made.append(bpy.context.view_layer.objects.active.name)
        note(**{f"outdated_after_{kind}": (yield from is_outdated(made[-1]))})
        if number == 0:
            yield from until(kernels_are_ready, LONGEST_S, "compiled kernels")
            yield from look("1_first")
    note(made=made)
    yield from look("2_ten_carves")

    yield from update_five_times(made, button)
    yield from follow_live(made[0])
    end = objects()
    yield from undo_and_redo(start, end, made)
    yield from save_and_reopen(made)
    yield from bake(made[0])
    note(reports=reports(), spent=spent)
    yield from remove()


# Ten kinds of carves. Each function adds its objects around x, and returns their names, the stock first.


def cube(x: float, **values: object) -> str:
    bpy.ops.mesh.primitive_cube_add(location=(x, 0, 0))
    return bpy.context.object.name


def curve(x: float, bevel: float = 0.15, height: float = 0.9) -> str:
    bpy.ops.curve.primitive_bezier_curve_add(location=(x, 0, height))
    bpy.context.object.data.bevel_depth = bevel
    return bpy.context.object.name


def settings(**values: object) -> None:
    own = bpy.context.scene.voxel_carve
    for name in ("operation", "result", "radius_mode", "size_mode", "adaptivity"):
        own.property_unset(name)
    own.resolution = 64
    for name, value in values.items():
        setattr(own, name, value)


def groove(x: float) -> tuple[str, ...]:
    settings()
    return cube(x), curve(x)


def rib(x: float) -> tuple[str, ...]:
    settings(operation="UNION")
    return cube(x), curve(x, height=1.0)


def common(x: float) -> tuple[str, ...]:
    settings(operation="INTERSECT")
    return cube(x), curve(x, bevel=0.4, height=0.0)


def kept(x: float) -> tuple[str, ...]:
    settings(result="KEEP")
    return cube(x), curve(x)


def letters(x: float) -> tuple[str, ...]:
    settings(resolution=128)
    stock = cube(x)
    bpy.ops.object.text_add(location=(x - 0.8, -0.3, 1))
    return stock, bpy.context.object.name


def edges(x: float) -> tuple[str, ...]:
    settings(radius_mode="VALUE", radius=0.1)
    stock, mesh = cube(x), bpy.data.meshes.new("Edges")
    mesh.from_pydata([(x - 2, 0, 1), (x, 0.5, 0.8), (x + 2, 0, 1)], [(0, 1), (1, 2)], [])
    path = bpy.data.objects.new("Edges", mesh)
    bpy.context.collection.objects.link(path)
    return stock, path.name


def suzanne(x: float) -> tuple[str, ...]:
    settings()
    bpy.ops.mesh.primitive_monkey_add(location=(x, 0, 0))
    bpy.context.object.modifiers.new("Subdivision", "SUBSURF").levels = 1
    return bpy.context.object.name, curve(x, height=0.5)


def points(x: float) -> tuple[str, ...]:
    settings(radius_mode="VALUE", radius=0.2)
    stock, mesh = cube(x), bpy.data.meshes.new("Points")
    rng = np.random.default_rng(1)
    mesh.from_pydata(rng.uniform((x - 1, -1, 0.8), (x + 1, 1, 1), (12, 3)).tolist(), [], [])
    path = bpy.data.objects.new("Points", mesh)
    bpy.context.collection.objects.link(path)
    return stock, path.name


def few_faces(x: float) -> tuple[str, ...]:
    settings(adaptivity=0.05)
    return cube(x), curve(x)


def by_size(x: float) -> tuple[str, ...]:
    settings(size_mode="SIZE", voxel_size=0.04)
    return cube(x), curve(x)


KINDS = {
    each.__name__: each for each in (groove, rib, common, kept, letters, edges, suzanne, points, few_faces, by_size)
}


# What the user does with them.


def update_five_times(made: list[str], button: tuple[float, float]) -> Iterator[float]:
    """Press the button again, each time with another setting: it carves the same object again."""
    names, faces = objects(), []
    for number, name in enumerate(made[:5]):
        choose(name)
        yield 0.5
        shown = yield from command_at(button)
        if number == 0:
            note(button_after_carve=shown)
        result = bpy.data.objects[name]
        before = len(result.data.polygons)
        result.voxel_carve.resolution = 160
        yield from click(*button)
        yield from until(lambda n=name, b=before: len(mesh_of(n).polygons) != b and not running_job(), LONGEST_S, name)
        faces.append(len(mesh_of(name).polygons) > before)
        note(**{f"outdated_after_update_{number}": (yield from is_outdated(name))})
    note(finer=faces, objects_after_updates=objects() == names)
    yield from look("3_updated")


def follow_live(name: str) -> Iterator[float]:
    """Switch Live Update on, move the path, and switch it off again."""
    choose(name)
    recipe = bpy.data.objects[name].voxel_carve
    recipe.live = True
    bpy.ops.ed.undo_push(message="Live Update")
    before = lowest(name)
    recipe.paths[0].path.location.z -= 0.3
    bpy.ops.ed.undo_push(message="Move")
    yield from until(lambda: lowest(name) != before, LONGEST_S, "a preview")
    yield from until(lambda: bool(mesh_of(name).voxel_carve_shows), LONGEST_S, "the full result")
    bpy.data.objects[name].voxel_carve.live = False
    bpy.ops.ed.undo_push(message="Live Update off")
    note(outdated_after_live=(yield from is_outdated(name)))


def undo_and_redo(start: list[str], end: list[str], made: list[str]) -> Iterator[float]:
    yield from move(*rectangle().at(0.3, 0.6))
    for key, goal, what in (("ctrl+z", start, "undone"), ("ctrl+shift+z", end, "redone")):
        for _ in range(100):
            yield from press(key, settle_s=0.3)
            if objects() == goal and (what == "undone" or not can_redo()):
                break
        note(**{what: objects() == goal})
        yield from look(f"4_{what}")
    outdated = []
    for name in made:
        choose(name)
        if (yield from is_outdated(name)):
            outdated.append(name)
    note(outdated_after_redo=outdated)


def save_and_reopen(made: list[str]) -> Iterator[float]:
    file = str(STAGE / "afternoon.blend")
    with bpy.context.temp_override(**view3d()):
        bpy.ops.wm.save_as_mainfile(filepath=file)
        bpy.ops.wm.open_mainfile(filepath=file)
    yield 2.0
    yield from open_sidebar("Voxel Carve")
    outdated = []
    for name in made:
        choose(name)
        if (yield from is_outdated(name)):
            outdated.append(name)
    note(outdated_after_reopening=outdated, recipes=[bpy.data.objects[name].voxel_carve.is_made for name in made])
    yield from look("5_reopened")


def bake(name: str) -> Iterator[float]:
    scene, path = bpy.context.scene, bpy.data.objects[name].voxel_carve.paths[0].path
    scene.frame_start, scene.frame_end = 1, 3
    for frame in (1, 3):
        path.location.y = 0.2 * frame
        path.keyframe_insert("location", frame=frame)
    choose(name)
    before = set(objects())
    yield from move(*rectangle().at(0.4, 0.5))
    with bpy.context.temp_override(**view3d()):
        bpy.ops.object.voxel_carve_bake("INVOKE_DEFAULT")
    yield 1.0
    yield from press("Return")
    yield from until(lambda: len(set(objects()) - before) == 3 and not running_job(), LONGEST_S, "three frames")
    yield from look("6_baked")


def remove() -> Iterator[float]:
    bpy.ops.preferences.addon_disable(module=EXTENSION)
    yield 1.0
    note(removed=not hasattr(bpy.types.Scene, "voxel_carve"))
    yield from look("7_removed")


# What is seen.


def prepare() -> None:
    bpy.context.preferences.edit.undo_steps = 256
    bpy.data.objects.remove(bpy.data.objects["Cube"])
    bpy.ops.ed.undo_push(message="Empty")


def choose(*names: str) -> None:
    """Select objects as clicks do; the first is active."""
    for obj in bpy.context.view_layer.objects:
        obj.select_set(obj.name in names)
    bpy.context.view_layer.objects.active = bpy.data.objects[names[0]]
    rectangle("UI").context["area"].tag_redraw()


def mesh_of(name: str) -> bpy.types.Mesh:
    return bpy.data.objects[name].data


def lowest(name: str) -> tuple[int, float]:
    """Something that changes with the path."""
    mesh = mesh_of(name)
    return len(mesh.vertices), sum(vertex.co.z for vertex in mesh.vertices)


def is_outdated(name: str) -> Iterator[float]:
    """Whether the panel, once it is drawn and the inputs are compared, says that a result is out of date."""
    watching = import_module(f"{EXTENSION}.voxel_carve.recipes.watching")
    rectangle("UI").context["area"].tag_redraw()
    yield 0.3
    yield from until(lambda: not watching.is_unsure(bpy.data.objects[name]), 30, f"a comparison of {name}")
    return watching.is_outdated(bpy.data.objects[name]) or bool(bpy.data.objects[name].voxel_carve.message)


def command_at(position: tuple[float, float]) -> Iterator[float]:
    """The operator of the button at a position."""
    manager = bpy.context.window_manager
    manager.clipboard = ""
    yield from move(*position)
    yield from press("ctrl+c", settle_s=0.3)
    return manager.clipboard.partition("(")[0] + "("


def can_redo() -> bool:
    return bpy.ops.ed.redo.poll()


def watch_main_thread() -> dict[str, float]:
    """The longest time, in milliseconds, that the main thread's processor has worked in each of our functions."""
    package = f"{EXTENSION}.voxel_carve"
    longest: dict[str, float] = {}
    panel = import_module(f"{package}.ui.panel").VIEW3D_PT_voxel_carve
    draw = timed(panel.draw, "draw", longest)
    panel.draw = lambda self, context: draw(self, context)  # noqa: PLW0108 - Blender counts the arguments
    operator = import_module(f"{package}.operators.jobs.voxel_operator").VoxelOperator
    invoke, modal = timed(operator.invoke, "invoke", longest), timed(operator.modal, "modal", longest)
    operator.invoke = lambda self, context, event: invoke(self, context, event)  # noqa: PLW0108
    operator.modal = lambda self, context, event: modal(self, context, event)  # noqa: PLW0108
    for module, name in (("comparing", "compare"), ("live", "tick")):
        owner = import_module(f"{package}.updating.{module}")
        setattr(owner, name, timed(getattr(owner, name), name, longest))
    return longest


def timed(function, name, longest):
    def measured(*arguments, **named):
        began = time.thread_time()
        try:
            return function(*arguments, **named)
        finally:
            longest[name] = max(longest.get(name, 0.0), round(1e3 * (time.thread_time() - began), 1))

    return measured
