"""Three channels in a slab in one carve; then one of their paths is deleted, and the result is updated."""

import bpy
from drivers.day.hands import (
    CARVE,
    UPDATE,
    add,
    delete,
    new_scene,
    outdated,
    press_button,
    recipes,
    select,
    transform,
)
from inside.facts import note
from inside.scenes import body, lines
from inside.user import look, press

APART, RESULT = 0.6, "Cube Carved"


def steps():
    yield from new_scene()
    yield from transform("s z 0.2")
    path = yield from add("path")
    names = [path.name]
    yield from transform("g z 0.2")
    for distance in (APART, -2 * APART):
        yield from transform(f"shift+d y {distance}")
        names.append(bpy.context.object.name)
    yield from press("a")
    yield from look("channels_1_all_selected")
    yield from press_button(CARVE)
    yield from look("channels_2_carved")
    note(channels={"stock": body("Cube"), "paths": lines(*names), "result": body(RESULT)})

    yield from delete((1.5, APART, 0.2))
    yield from select((0.9, -0.3, 0.2))
    yield from look("channels_3_one_path_deleted")
    (gone,) = set(names) - set(bpy.context.scene.objects.keys())
    names.remove(gone)
    told = recipes().deleted_paths(bpy.data.objects[RESULT])
    note(path_deleted={"gone": gone, "told": list(told), "outdated": (yield from outdated(RESULT))})
    yield from press_button(UPDATE)
    yield from look("channels_4_updated")
    note(two_channels={"stock": body("Cube"), "paths": lines(*names), "result": body(RESULT)})
