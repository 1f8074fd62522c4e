"""A text engraved into a slab, with all settings as they are."""

from drivers.day.hands import CARVE, add, new_scene, press_button, select, transform
from inside.facts import note
from inside.scenes import body, grooves, lines
from inside.user import look

THICKNESS = 0.2


def steps():
    yield from new_scene()
    yield from transform("s 2")
    yield from transform(f"s z {THICKNESS / 4}")
    text = yield from add("text")
    yield from transform(f"g z {THICKNESS / 2}")
    yield from select((1, -1.5, THICKNESS / 2), more=True)
    yield from look("text_1_before")
    yield from press_button(CARVE)
    yield from look("text_2_engraved")
    note(
        text={
            "letters": len(text.data.body),
            "stock": body("Cube"),
            "paths": lines(text.name),
            "result": body("Cube Carved"),
            **grooves("Cube Carved", below=THICKNESS / 2),
        }
    )
