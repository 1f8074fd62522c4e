"""Toolpath files dropped into the view: the handler takes them there, asks for their unit, and Return imports them.

The drop itself is the system's: the operator is started with what Blender fills in.
"""

from pathlib import Path

import bpy
from inside.facts import note
from inside.places import rectangle, view3d
from inside.scenes import objects, reports
from inside.user import look, move, press, until

TOOL = "path,x,y,z,radius\na,-1000,0,900,100\na,1000,0,900,200\n" + "".join(
    f"{number},{900 - 90 * number},500,1000,{20 + 8 * number}\n" for number in range(20)
)


def steps():
    folder = Path(__file__).parents[1]
    for name in ("one.csv", "two.csv"):
        (folder / name).write_text(TOOL)
    handler = bpy.types.VIEW3D_FH_voxel_carve_toolpath
    with bpy.context.temp_override(**view3d()):
        in_view = handler.poll_drop(bpy.context)
    with bpy.context.temp_override(**rectangle("WINDOW", "PROPERTIES").context):
        note(taken=[in_view, handler.poll_drop(bpy.context)])
    before = objects()
    yield from move(*rectangle().at(0.4, 0.5))
    for names in (["one.csv"], ["one.csv", "two.csv"]):
        with bpy.context.temp_override(**view3d()):
            bpy.ops.import_curve.voxel_carve_toolpath(
                "INVOKE_DEFAULT",
                filepath=str(folder / names[0]),
                directory=str(folder),
                files=[{"name": name} for name in names],
                unit="MILLIMETERS",
            )
        yield from look(f"asked_for_{len(names)}")
        count = len(objects())
        yield from press("Return")
        yield from until(lambda count=count: len(objects()) > count, what="a curve")
    yield from look("imported")
    note(made=[name for name in objects() if name not in before], reports=reports())
    note(selected=sorted(obj.name for obj in bpy.context.view_layer.objects.selected))
