"""The manual's pictures: screenshots for each of its pages."""

from dataclasses import replace

import bpy
from inside.jobs import kernels_are_ready, running_job
from inside.places import Rectangle, find_operator, find_property, open_sidebar, rectangle
from inside.preferences import open_preferences
from inside.scenes import objects, suzanne_and_curve, terrain_and_road
from inside.user import click, look_at, move, press, scroll, until, write

LAST_RESULT = 327  # pixels from the Update button down to the header, past the forecast and four panels


def steps():
    yield from until(kernels_are_ready, 400, "compiled kernels")  # as in every session but the first
    yield from terrain_and_road()
    sidebar = yield from open_sidebar("Voxel Carve")
    carve = yield from find_operator("bpy.ops.object.voxel_carve(", sidebar)
    yield from click(*carve)
    yield from until(lambda: "Terrain Carved" in objects() and not running_job(), 300, "a carved terrain")
    yield 1.0
    yield from picture("terrain", rectangle(), width=sidebar.x + sidebar.width - rectangle().x)

    yield from suzanne_and_curve()
    stock, curve = bpy.data.objects["Suzanne"], bpy.data.objects["BézierCurve"]
    stock.modifiers.new("Subdivision", "SUBSURF").levels = 2
    curve.data.bevel_depth = 0.09
    settings = bpy.context.scene.voxel_carve
    yield 1.0
    yield from picture("panel", sidebar)
    settings.resolution, settings.show_overlay = 48, True
    yield from move(*rectangle().at(0.3, 0.8))
    yield from picture("overlay", rectangle(), width=sidebar.x - rectangle().x)
    settings.resolution, settings.show_overlay = 1024, False  # long enough to be seen running

    carve = yield from find_operator("bpy.ops.object.voxel_carve(", sidebar)
    yield from click(*carve)
    yield from until(lambda: running_job() and running_job().fraction > 0.1, 60, "a job under way")
    yield from picture("running", sidebar)
    yield from until(lambda: "Suzanne Carved" in objects(), 300, "a result")
    yield from move(*sidebar.at(0.5, 0.5))
    yield 1.0
    yield from picture("recipe", sidebar)
    update = yield from find_operator("bpy.ops.object.voxel_carve_update(", sidebar)
    yield from click(update[0], update[1] + LAST_RESULT)
    yield from scroll(40)
    yield from picture("result", sidebar)

    yield from open_preferences("ADDONS")
    page = rectangle("WINDOW", "PREFERENCES")
    yield from click(page.x + 120, page.y + 18)
    yield from write("Voxel Carve")
    yield from press("Return")
    yield from click(page.x + 24, page.y + 50)
    yield from find_property("backend", page.below(page.y + 200))
    # Crop the lines that name a folder of this machine.
    yield from picture("preferences", replace(page.below(page.y + 226), height=240))


def picture(name: str, where: Rectangle, width: int | None = None):
    yield from look_at(name, where.x, where.y, width or where.width, where.height)
