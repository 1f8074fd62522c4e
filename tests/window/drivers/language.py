"""The panel and a report in German: our words, and not what Blender's own catalogue has for them."""

import bpy
from inside.facts import note
from inside.places import find_operator, open_sidebar
from inside.scenes import objects, reports, sphere_and_curve
from inside.user import click, look, until


def steps():
    bpy.context.preferences.view.language = "de_DE"
    yield from sphere_and_curve()
    sidebar = yield from open_sidebar("Voxel Carve")
    yield from look("panel")
    carve = yield from find_operator("bpy.ops.object.voxel_carve(", sidebar)
    yield from click(*carve)
    yield from until(lambda: len(objects()) > 4, 300, "a result")
    yield from look("carved")
    note(reports=reports())
