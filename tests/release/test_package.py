"""The package for plain Python, as one would publish it: built from its own sources, installed alone, and used."""

import ast
import re
import sys
import zipfile
from email.message import Message
from email.parser import Parser
from pathlib import Path

import pytest

import voxel_carve
from tests.command_line import ROOT
from tests.house.test_rooms import MODULES, arrows
from tests.release.fresh import new_environment, run

pytestmark = pytest.mark.packaging

INTERFACE = {"operators", "presets", "recipes", "registration", "settings", "preferences", "translations", "ui"}
# What is imported, with what it brings along; and what is not there.
USE = """
import sys, voxel_carve
assert "voxel_carve.compute" not in sys.modules
assert {"carve", "TriMesh", "register", "__version__"} <= set(dir(voxel_carve))
from voxel_carve import InputError, TriMesh, carve
import voxel_carve.compute, voxel_carve.jax, voxel_carve.torch
assert carve is voxel_carve.compute.carve
assert not {"bpy", "warp", "trimesh", "jax", "torch"} & set(sys.modules)
from importlib.metadata import version
assert version("voxel-carve") == voxel_carve.__version__
try:
    voxel_carve.register()
except ImportError as error:
    print(error)
try:
    voxel_carve.crave
except AttributeError as error:
    print(error)
print(voxel_carve.get_backend().name, voxel_carve.__file__)
"""


@pytest.fixture(scope="module")
def python(wheel) -> Path:
    """The Python of an environment in which the wheel was installed, with what it needs and nothing else."""
    python = new_environment(wheel.parent / "user")
    run([python, "-m", "pip", "install", "--quiet", wheel], wheel.parent)
    return python


def metadata(wheel: Path) -> Message:
    with zipfile.ZipFile(wheel) as archive:
        (name,) = (name for name in archive.namelist() if name.endswith(".dist-info/METADATA"))
        return Parser().parsestr(archive.read(name).decode())


def test_the_wheel_has_what_plain_python_runs_and_all_that_this_imports(wheel):
    with zipfile.ZipFile(wheel) as archive:
        names = [name for name in archive.namelist() if ".dist-info/" not in name]
    assert {name.split("/")[0] for name in names} == {"voxel_carve"}
    assert not INTERFACE & {re.split(r"[/.]", name)[1] for name in names}
    assert {"voxel_carve/py.typed", "voxel_carve/jax/functions.py", "voxel_carve/scene/reading/read.py"} <= set(names)
    there = {
        module for module, path in MODULES.items() if f"voxel_carve/{path.relative_to(ROOT / 'voxel_carve')}" in names
    }
    missing = [f"{a} -> {b}" for a, b in arrows() if a in there and b not in there and a != "__init__"]
    assert sorted(missing) == []


def test_the_page_of_the_package_stands_alone(wheel):
    found = metadata(wheel)
    assert found["Version"] == voxel_carve.__version__
    assert "Typing :: Typed" in found.get_all("Classifier") and "toolpath" in found["Keywords"]
    text = found.get_payload()
    assert text.startswith("# Voxel Carve")
    assert re.findall(r"\]\((?!https://)[^)]*\)|<img", text) == []


def test_the_package_is_used_from_its_name(python, tmp_path):
    *told, where = run([python, "-c", USE], tmp_path).splitlines()
    assert told[0].endswith("comes with the extension's zip: install that")
    assert told[1] == "module 'voxel_carve' has no attribute 'crave'"
    name, file = where.split(maxsplit=1)
    assert name == "cpu"
    assert Path(file).is_relative_to(python.parents[1])
    assert "--stock" in run([python.parent / "voxel-carve", "--help"], tmp_path)


def test_the_example_of_the_page_runs_twice(wheel, python, tmp_path):
    (example,) = re.findall(r"```python\n(.*?)```", metadata(wheel).get_payload(), flags=re.DOTALL)
    for _ in range(2):
        removed = float(run([python, "-c", example], tmp_path).split()[0])
    assert removed == pytest.approx(0.5 * 3.14159 * 0.5**2 * 2 + 2 / 3 * 3.14159 * 0.5**3, rel=0.01)
    assert (tmp_path / "carved.ply").stat().st_size > 1000


def test_the_sources_test_themselves(sources):
    """In the environment that their dev.py makes: all tests are found, and some are run."""
    for name in ("scripts/dev.py", "requirements/dev.lock", "docs/manual/python.md", ".ci/run", "wheels/wheels.lock"):
        assert (sources / name).is_file()
    collected = run([sys.executable, "-m", "pytest", "-q", "--collect-only", "-m", ""], sources)
    here = run([sys.executable, "-m", "pytest", "-q", "--collect-only", "-m", ""], ROOT)
    assert [line for line in collected.splitlines() if "::" in line] == [
        line for line in here.splitlines() if "::" in line
    ]
    tests = ["tests/compute/test_python_door.py", "tests/compute/model", "tests/house", "tests/test_manual.py"]
    told = run([sys.executable, "-m", "pytest", "-q", "-m", "not slow and not compiled", *tests], sources)
    (passed,) = re.findall(r"(\d+) passed", told)
    assert int(passed) > 1000


def test_interface_modules_are_those_that_nothing_reaches():
    """What setup.py and pyproject.toml leave out is what neither the command line nor the library imports."""
    reached, todo = set(), ["__main__", "cli", "compute", "jax", "torch"]
    while todo:
        module = todo.pop()
        if module not in reached:
            reached.add(module)
            todo += [other for one, other in arrows() if one == module]
    assert not {module.split(".")[0] for module in reached} & INTERFACE
    tree = ast.parse((ROOT / "setup.py").read_text(encoding="utf-8"))
    assigned = {ast.unparse(node.targets[0]): node.value for node in tree.body if isinstance(node, ast.Assign)}
    named = ast.literal_eval(assigned["INTERFACE_MODULES"])
    assert not {f"{package}.{module}".removeprefix("voxel_carve.") for package, module in named} & reached
