"""Messages can be translated, because none is made of an f-string, and each door speaks of what is there."""

import ast
import re

from tests.house.test_rooms import PACKAGE
from voxel_carve.compute import CarveError, MemoryLimitError
from voxel_carve.compute.runtime import Sentence, SentenceByDoor
from voxel_carve.formats import NoRadiusError


def said(cls: type = CarveError) -> set[str]:
    """The names of all that takes a template."""
    return {cls.__name__, *(name for each in cls.__subclasses__() for name in said(each))}


def test_every_template_is_written_out():
    names = {*said(), Sentence.__name__, SentenceByDoor.__name__} - {MemoryLimitError.__name__}  # it makes its own
    assert NoRadiusError.__name__ in names
    calls = 0
    for path in sorted(PACKAGE.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") in names and node.args:
                calls += 1
                where = f"{path.relative_to(PACKAGE)}:{node.lineno}"
                assert isinstance(node.args[0], ast.Constant | ast.Name | ast.Attribute | ast.Call), where
                assert not isinstance(getattr(node.args[0], "func", None), ast.Attribute), where
    assert calls > 200


# What only one door has: options, and what is clicked and named in a window.
OPTION = r"(?<!\w)--[a-z]"
WINDOW = r"\b(select|draw|panel|preferences|Remesh|Keep Stock|flip|flavour|adaptivity|the object|Blender units?)\b"
FOREIGN = {
    "python": f"{OPTION}|{WINDOW}",
    "command_line": r"\b(select|panel|Remesh|Keep Stock)\b|=True",
    "window": OPTION,
}
# The rooms that all doors lead to, and those of Python alone.
ROOMS = ("compute", "formats", "frameworks", "jax", "torch")


def test_each_door_has_words_of_its_own():
    """What a room below the doors says is Python's, unless it is said by door."""
    names, by_door, foreign = {*said(), Sentence.__name__, SentenceByDoor.__name__}, 0, []
    for path in sorted(path for room in ROOMS for path in (PACKAGE / room).rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") in names and node.args:
                by_door += node.func.id == SentenceByDoor.__name__
                said_at = {"python": node.args[0]} | {each.arg: each.value for each in node.keywords}
                foreign += [
                    f"{path.relative_to(PACKAGE)}:{node.lineno} {door}: {said_at[door].value}"
                    for door in FOREIGN.keys() & said_at.keys()
                    if isinstance(said_at[door], ast.Constant) and re.search(FOREIGN[door], str(said_at[door].value))
                ]
    assert foreign == []
    assert by_door > 8
