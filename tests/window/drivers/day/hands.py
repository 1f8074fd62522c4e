"""What the user does at every station."""

from collections.abc import Iterator
from importlib import import_module

import bpy
from inside.jobs import running_job
from inside.places import find_operator, on_screen, open_sidebar, rectangle
from inside.user import click, move, press, scroll, shift_click, until, write

CARVE, UPDATE = "bpy.ops.object.voxel_carve(", "bpy.ops.object.voxel_carve_update("
ABOVE_THE_BUTTON = 260  # pixels of the sidebar
LONGEST_S = 600  # the first carve waits for compiled kernels
Point = tuple[float, float, float]


def new_scene() -> Iterator[float]:
    """A new file, with the sidebar open, and seen from nearer."""
    bpy.ops.wm.read_homefile(app_template="")
    yield 1.0
    yield from open_sidebar("Voxel Carve")
    yield from to_the_view()
    yield from scroll(-4)


def to_the_view() -> Iterator[float]:
    """Move the pointer over an empty place of the 3D view, which then gets the keys."""
    yield from move(*rectangle().at(0.15, 0.9))


def add(kind: str) -> Iterator[float]:
    """Shift A, a name, Enter; return the new object."""
    yield from to_the_view()
    yield from press("shift+a")
    yield from write(kind)
    yield from press("Return")
    return bpy.context.object


def transform(keys: str) -> Iterator[float]:
    """Keys of a transform and its number, such as "g z 1", and Enter."""
    *letters, number = keys.split()
    yield from to_the_view()
    yield from press(*letters, settle_s=0.2)
    yield from write(number)
    yield from press("Return")


def select(point: Point, more: bool = False) -> Iterator[float]:
    """Click on the object that is seen at a point of the scene, with Shift if there are to be more."""
    yield from (shift_click if more else click)(*on_screen(point))


def delete(point: Point) -> Iterator[float]:
    """Click on an object, and press Delete."""
    yield from select(point)
    yield from to_the_view()
    yield from press("Delete")


def selected() -> list[str]:
    """The names of the selected objects."""
    return sorted(each.name for each in bpy.context.selected_objects)


def press_button(command: str) -> Iterator[float]:
    """Press a button of the panel, and wait for the end of its job."""
    sidebar = rectangle("UI")
    yield from click(*(yield from find_operator(command, sidebar.below(sidebar.y + ABOVE_THE_BUTTON))))
    yield from job_done()
    yield from to_the_view()


def job_done() -> Iterator[float]:
    """Wait for the end of the running job."""
    yield from until(lambda: running_job() is None, LONGEST_S, "the end of a job")
    yield 1.0


def recipes() -> object:
    """The extension's module that knows what a result was carved from."""
    return import_module("bl_ext.user_default.voxel_carve.voxel_carve.recipes.recipe")


def outdated(*names: str) -> Iterator[float]:
    """Which of these results the panel says to be out of date, once it has compared their inputs."""
    watching = import_module("bl_ext.user_default.voxel_carve.voxel_carve.recipes.watching")
    results = [bpy.data.objects[name] for name in names]
    rectangle("UI").context["area"].tag_redraw()
    yield 0.3
    yield from until(lambda: not any(map(watching.is_unsure, results)), 30, "a comparison")
    return [each.name for each in results if watching.is_outdated(each)]
