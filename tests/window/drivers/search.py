"""The search of menus for the name of the extension: what it lists, and that Enter carves."""

import bpy
from inside.facts import note
from inside.places import rectangle
from inside.scenes import objects, sphere_and_curve
from inside.user import look, move, press, until, write


def steps():
    yield from sphere_and_curve()
    yield from move(*rectangle().at(0.4, 0.5))
    window = bpy.context.window_manager.windows[0]
    area = next(area for area in window.screen.areas if area.type == "VIEW_3D")
    region = next(region for region in area.regions if region.type == "WINDOW")
    # As F3 does, which a virtual keyboard need not have.
    with bpy.context.temp_override(window=window, area=area, region=region):
        bpy.ops.wm.search_menu("INVOKE_DEFAULT")
    yield 1.0
    yield from write("voxel carve")
    yield from look("listed")
    yield from press("Return")
    yield from until(lambda: "Icosphere Carved" in objects(), 300, "a result of Carve, the first in the list")
    note(report=bpy.data.objects["Icosphere Carved"]["voxel_carve_report"])
