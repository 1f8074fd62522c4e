"""Messages can be translated: no error of ours, and no sentence, is made of an f-string."""

import ast

from tests.house.test_rooms import PACKAGE
from voxel_carve.compute import CarveError, MemoryLimitError
from voxel_carve.compute.runtime import Sentence
from voxel_carve.formats import NoRadiusError


def said(cls: type = CarveError) -> set[str]:
    """The names of all that takes a template."""
    return {cls.__name__, *(name for each in cls.__subclasses__() for name in said(each))}


def test_every_template_is_written_out():
    names = {*said(), Sentence.__name__} - {MemoryLimitError.__name__}  # it makes its own
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
