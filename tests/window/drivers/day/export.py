"""File > Export of what the scene shows, as STL and as OBJ, by Blender's own exporters."""

from collections.abc import Iterator
from pathlib import Path

from drivers.day.hands import to_the_view
from inside.places import Rectangle, find_operator, rectangle, window
from inside.user import STAGE, click, look, press, until, write

FILE_MENU = (42, 14)
ENTRIES = Rectangle(230, 300, 160, 330, {})


def steps():
    for kind, command in (("stl", "bpy.ops.wm.stl_export("), ("obj", "bpy.ops.wm.obj_export(")):
        yield from export(STAGE / f"day.{kind}", command)


def export(file: Path, command: str) -> Iterator[float]:
    yield from click(*FILE_MENU)
    yield from press("e")
    yield from look(f"export_{file.suffix[1:]}_1_menu")
    yield from click(*(yield from find_operator(command, ENTRIES)))
    yield from until(lambda: window().screen.areas[0].type == "FILE_BROWSER", what="the file browser")
    yield 1.0
    below = rectangle("EXECUTE", "FILE_BROWSER")
    yield from fill_in(rectangle("UI", "FILE_BROWSER").at(0.3, 0.5), str(file.parent))
    yield from fill_in(below.at(0.3, 0.5), file.name)
    yield from look(f"export_{file.suffix[1:]}_2_file")
    yield from click(below.x + below.width - 70, below.y + below.height / 2)
    yield from until(lambda: file.exists() and len(window().screen.areas) > 1, 30, file.name)
    yield 1.0
    yield from to_the_view()


def fill_in(field: tuple[float, float], text: str) -> Iterator[float]:
    yield from click(*rectangle("WINDOW", "FILE_BROWSER").at(0.5, 0.9))  # takes the focus from another field
    yield from click(*field)
    yield from press("ctrl+a")
    yield from write(text)
    yield from press("Return")
