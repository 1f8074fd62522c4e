"""The structure of the package: imports between rooms go down the floors only, without cycles, and folders stay small.

An arrow is an import, including lazy ones. A room is a folder, or a module beside such folders.
"""

import ast
from collections import defaultdict
from collections.abc import Collection, Iterator
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "voxel_carve"
MOST_FILES = 16

# From the top floor to the ground floor. Rooms on the same floor do not import each other.
FLOORS = [
    ["__init__"],
    ["__main__", "registration"],
    ["cli", "former_backends"],
    ["commands"],
    ["farm"],
    ["batch", "ui"],
    ["headless", "operators", "updating"],
    ["blend_file", "operators.jobs"],
    ["clashes", "operators.selection", "scene.writing"],
    ["jobs", "preferences", "recipes"],
    ["jobs_file"],
    ["scene.reading"],
    ["process", "scene"],
    ["settings"],
    ["backend_status", "distributed", "translations"],
    ["jax", "torch"],
    ["frameworks"],
    ["compute"],
    ["compute.forecasts"],
    ["compute.boolean", "compute.gradients", "compute.slabs", "compute.verification"],
    ["compute.dense", "compute.job", "compute.neighbours"],
    ["formats", "compute.engines"],
    ["formats.paths"],
    ["formats.files"],
    ["compute.engines.warp"],
    ["compute.engines.numba", "compute.engines.warp.contouring"],
    ["compute.engines.numba.contouring"],
    ["compute.engines.numba.field", "compute.engines.warp.field"],
    ["compute.engines.scipy", "compute.level_set", "compute.losses"],
    ["compute.field", "compute.sheets"],
    ["compute.adaptivity", "compute.attributes", "compute.exact", "compute.repair"],
    ["compute.engines.numba.compiler", "compute.engines.warp.device", "compute.primitives"],
    ["compute.contouring"],
    ["compute.formulas"],
    ["compute.model"],
    ["compute.arrays"],
    ["compute.runtime"],
    ["interrupts", "printing"],
]
HEIGHT = {room: len(FLOORS) - floor for floor, rooms in enumerate(FLOORS) for room in rooms}

# Packages that others import only through the `__init__` of their rooms.
ENTERED_BY_THE_FACE = ("compute", "formats")


def modules() -> dict[str, Path]:
    """All modules by name, such as `compute.model.grid`. A package has the name of its folder."""
    found = {}
    for path in PACKAGE.rglob("*.py"):
        parts = path.relative_to(PACKAGE).with_suffix("").parts
        if parts[0] != "presets":  # scripts that Blender runs
            found[".".join(parts[:-1] if parts[-1] == "__init__" and len(parts) > 1 else parts)] = path
    return found


MODULES = modules()


def imported(name: str, path: Path, known: dict[str, Path]) -> Iterator[str]:
    """The modules of the package that a module imports, anywhere in its code."""
    package = name.split(".") if path.name == "__init__.py" else name.split(".")[:-1]
    package = [] if name == "__init__" else package
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.level:
            base = package[: len(package) + 1 - node.level] + (node.module.split(".") if node.module else [])
            face = ".".join(base) or "__init__"
            for alias in node.names:
                whole = ".".join([*base, alias.name])
                yield whole if whole in known and alias.name not in handed_on(known[face]) else face


@cache
def handed_on(face: Path) -> frozenset[str]:
    """The names that an `__init__` imports from its modules. A function may have the name of its module."""
    if face.name != "__init__.py":
        return frozenset()
    tree = ast.parse(face.read_text(encoding="utf-8"))
    from_modules = [node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) and node.module]
    return frozenset(alias.name for node in from_modules for alias in node.names)


@cache
def arrows() -> frozenset[tuple[str, str]]:
    """From each module to those that it imports."""
    return frozenset(
        (name, other) for name, path in MODULES.items() for other in imported(name, path, MODULES) if other != name
    )


def room(name: str) -> str:
    """The innermost room that contains a module."""
    parts = name.split(".")
    return next(found for end in range(len(parts), 0, -1) if (found := ".".join(parts[:end])) in HEIGHT)


def circles(among: Collection[tuple[str, str]]) -> list[list[str]]:
    """The arrows on or between cycles: others are removed one layer at a time (Kahn 1962)."""
    left = set(among)
    while True:
        starts, ends = {start for start, _ in left}, {end for _, end in left}
        inner = {(start, end) for start, end in left if start in ends and end in starts}
        if inner == left:
            return sorted([start, end] for start, end in left)
        left = inner


def test_every_module_is_in_a_room():
    homeless = [name for name in MODULES if not any(name == room or name.startswith(f"{room}.") for room in HEIGHT)]
    assert homeless == []


def test_every_room_is_there():
    assert [room for room in HEIGHT if room not in MODULES] == []


def test_arrows_run_down():
    up = [f"{a} -> {b}" for a, b in arrows() if room(a) != room(b) and HEIGHT[room(a)] <= HEIGHT[room(b)]]
    assert sorted(up) == []


def test_nothing_runs_in_a_circle():
    assert circles(arrows()) == []


def test_a_circle_is_found():
    assert circles({("a", "b"), ("b", "c"), ("c", "b"), ("c", "d")}) == [["b", "c"], ["c", "b"]]
    assert circles({("a", "b"), ("b", "c"), ("a", "c")}) == []


@pytest.mark.parametrize("house", ENTERED_BY_THE_FACE)
def test_a_house_is_entered_by_the_faces_of_its_rooms(house):
    inside = [name for name in MODULES if name == house or name.startswith(f"{house}.")]
    faces = {name for name in inside if MODULES[name].name == "__init__.py"}
    past = [f"{a} -> {b}" for a, b in arrows() if a not in inside and b in inside and b not in faces]
    assert sorted(past) == []


def test_no_folder_is_crowded():
    files = defaultdict(int)
    for top in ("voxel_carve", "benchmarks", "scripts", "tests"):
        for path in (ROOT / top).rglob("*.py"):
            files[path.parent.relative_to(ROOT).as_posix()] += 1
    assert {folder: count for folder, count in files.items() if count > MOST_FILES} == {}
