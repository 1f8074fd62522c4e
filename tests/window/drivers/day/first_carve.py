"""The first carve of a cube along a Bézier curve, from the menu Object; undo, redo, and deleting the result."""

from drivers.day.hands import add, delete, job_done, new_scene, select, selected, to_the_view, transform
from inside.facts import note
from inside.places import Rectangle, find_operator
from inside.scenes import body, is_seen, lines, objects
from inside.user import click, look, move, press

MENU, FIRST_ENTRY = (330, 40), (350, 64)
SUBMENU = Rectangle(520, 50, 180, 240, {})
STOCK, RESULT = "Cube", "Cube Carved"


def steps():
    yield from new_scene()
    curve = yield from add("bezier")
    yield from transform("g z 1")
    yield from select((0.6, -1, 0), more=True)
    before, chosen = objects(), selected()
    yield from look("first_1_selected")
    yield from click(*MENU)
    yield from move(*FIRST_ENTRY)
    yield from look("first_2_menu")
    yield from click(*(yield from find_operator("bpy.ops.object.voxel_carve(", SUBMENU)))
    yield from job_done()
    yield from to_the_view()
    yield from look("first_3_carved")
    result = body(RESULT)
    note(first={"stock": body(STOCK), "paths": lines(curve.name), "result": result, "selected": chosen})

    yield from press("ctrl+z")
    yield from look("first_4_undone")
    note(undone=objects() == before and selected() == chosen and is_seen(STOCK))
    yield from press("ctrl+shift+z")
    yield from look("first_5_redone")
    note(redone=body(RESULT) == result and not is_seen(STOCK))
    yield from delete((0.6, -1, 0))
    yield from look("first_6_deleted")
    note(deleted=objects() == before and is_seen(STOCK))
