"""A result is carved again along another path; the first path moves, and Update carves both."""

from drivers.day.hands import CARVE, UPDATE, add, new_scene, outdated, press_button, select, transform
from inside.facts import note
from inside.scenes import body, lines, objects
from inside.user import look

FIRST, SECOND = "Cube Carved", "Cube Carved.001"


def steps():
    yield from new_scene()
    first = (yield from add("path")).name
    yield from transform("g z 1")
    yield from select((0.6, -1, 0), more=True)
    yield from press_button(CARVE)
    second = (yield from add("path")).name
    yield from transform("r z 90")
    yield from transform("g z 0.9")
    yield from select((0.6, -1, 0), more=True)
    yield from look("chain_1_the_result_and_another_path")
    yield from press_button(CARVE)
    yield from look("chain_2_carved_again")
    note(chain={"stock": body("Cube"), "paths": lines(first, second), "result": body(SECOND)})

    yield from select((1.8, 0, 1))
    yield from transform("g z -0.06")
    yield from select((0.6, -1, 0))
    yield from look("chain_3_first_path_moved")
    note(outdated_by_the_move=(yield from outdated(FIRST, SECOND)))
    yield from press_button(UPDATE)
    yield from look("chain_4_updated")
    note(first_of_chain={"stock": body("Cube"), "paths": lines(first), "result": body(FIRST)})
    note(second_of_chain={"stock": body("Cube"), "paths": lines(first, second), "result": body(SECOND)})
    note(outdated_after_update=(yield from outdated(FIRST, SECOND)), objects=objects())
