"""A scene with a long carve, and the running job."""

import threading
from collections.abc import Iterator
from importlib import import_module

import bpy
import numpy as np

from inside.places import find_operator, open_sidebar, view3d
from inside.user import click, until

THREAD = "Voxel Carve"


def running_job() -> object | None:
    """The extension's job that is running."""
    return import_module("bl_ext.user_default.voxel_carve.voxel_carve.operators.jobs.running").running_job()


def kernels_are_ready() -> bool:
    """Whether no kernel has still to be compiled."""
    compiler = import_module("bl_ext.user_default.voxel_carve.voxel_carve.compute.engines.numba.compiler")
    return compiler.compiled_fraction() == 1.0 and not compiler.is_compiling()


def threads() -> int:
    """The number of job threads, including those of cancelled jobs."""
    return sum(thread.name == THREAD for thread in threading.enumerate())


def suzanne_and_walk(segments: int, resolution: int) -> Iterator[float]:
    """Suzanne, smooth, and a random walk through her, both selected."""
    rng = np.random.default_rng(5)
    walk = np.cumsum(rng.normal(0, 0.08, (segments + 1, 3)), axis=0)
    walk = np.abs((walk + 1) % 4 - 2) - 1  # between -1 and 1, reflected at the borders
    with bpy.context.temp_override(**view3d()):
        bpy.data.objects.remove(bpy.data.objects["Cube"])
        bpy.ops.mesh.primitive_monkey_add()
        suzanne = bpy.context.object
        suzanne.modifiers.new("Subdivision", "SUBSURF").levels = 2
        curve = bpy.data.curves.new("Walk", "CURVE")
        curve.dimensions, curve.bevel_depth, curve.bevel_resolution = "3D", 0.01, 0
        spline = curve.splines.new("POLY")
        spline.points.add(segments)
        spline.points.foreach_set("co", np.column_stack([walk, np.ones(len(walk))]).ravel())
        path = bpy.data.objects.new("Walk", curve)
        path.display_type = "BOUNDS"  # because software drawing is slow
        bpy.context.collection.objects.link(path)
        path.select_set(True)
        bpy.ops.view3d.view_selected()
        bpy.context.scene.voxel_carve.resolution = resolution
        bpy.ops.ed.undo_push(message="Suzanne and a walk")
    yield 1.0


def press_carve() -> Iterator[float]:
    """Find the button and press it; return the sidebar's rectangle and the button's position."""
    sidebar = yield from open_sidebar("Voxel Carve")
    button = yield from find_operator("bpy.ops.object.voxel_carve(", sidebar)
    yield from press_again(button)
    return sidebar, button


def press_again(button: tuple[float, float]) -> Iterator[float]:
    """Press a button that starts a job."""
    yield from click(*button)
    yield from until(running_job, what="a job that runs")
