"""The layers hold: nothing below the scene package uses Blender, and nothing imports Warp, JAX or PyTorch before it is
needed."""

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "voxel_carve"
MODULES = sorted(PACKAGE.rglob("*.py"))
LATE = {"warp", "jax", "torch"}
BLENDER = {"bpy", "mathutils", "bmesh", "gpu", "idprop", "bl_math", "bpy_extras", "addon_utils"}


def imports(tree: ast.AST, whole: bool) -> Iterator[str]:
    """Top-level names that a module imports: all of them, or only those imported when it is itself imported."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.Import):
            yield from (name.name.split(".")[0] for name in node.names)
        elif isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
            yield node.module.split(".")[0]
        elif whole or not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            yield from imports(node, whole)


def imported(path: Path, whole: bool) -> set[str]:
    return set(imports(ast.parse(path.read_text(encoding="utf-8")), whole))


def of_floor(*names: str) -> list[Path]:
    found = [path for path in MODULES if path.relative_to(PACKAGE).parts[0] in names]
    assert found, f"no modules in {names}"
    return found


def in_package(path: Path) -> str:
    return str(path.relative_to(PACKAGE))


@pytest.mark.parametrize(
    ("source", "at_import", "anywhere"),
    [
        ("import warp as wp", {"warp"}, {"warp"}),
        ("def kernel():\n    import warp.types", set(), {"warp"}),
        ("try:\n    from bpy.types import Object\nexcept ImportError:\n    pass", {"bpy"}, {"bpy"}),
        (
            "class Panel:\n    import bpy\n    def draw(self):\n        from mathutils import Vector",
            {"bpy"},
            {"bpy", "mathutils"},
        ),
        ("from .warp import kernels\nfrom . import bpy", set(), set()),
    ],
)
def test_import_reader_distinguishes_module_level_from_functions(source, at_import, anywhere):
    assert set(imports(ast.parse(source), whole=False)) == at_import
    assert set(imports(ast.parse(source), whole=True)) == anywhere


@pytest.mark.parametrize("path", MODULES, ids=in_package)
def test_warp_and_frameworks_are_imported_only_inside_functions(path):
    assert not imported(path, whole=False) & LATE


@pytest.mark.parametrize("path", [path for path in MODULES if path.parent.name not in LATE], ids=in_package)
def test_frameworks_are_imported_by_their_own_doors_alone(path):
    assert not imported(path, whole=True) & {"jax", "torch"}


@pytest.mark.parametrize("path", of_floor("compute", "formats", "frameworks", "jax", "torch"), ids=in_package)
def test_no_blender_below_the_scene(path):
    assert not imported(path, whole=True) & BLENDER


@pytest.mark.parametrize("path", of_floor("cli.py", "__init__.py"), ids=in_package)
def test_no_blender_before_it_is_needed(path):
    assert not imported(path, whole=False) & BLENDER


@pytest.mark.parametrize("path", MODULES, ids=in_package)
def test_package_imports_itself_relatively(path):
    assert "voxel_carve" not in imported(path, whole=True)


@pytest.mark.parametrize("module", ["", ".compute", ".formats", ".cli", ".jax", ".torch"])
def test_import_works_where_warp_numba_frameworks_and_bpy_cannot_be_imported(module):
    program = f"""
import sys
class Refuse:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in {sorted(BLENDER | LATE | {"numba"})!r}:
            raise ImportError(f"{{name}} was asked for")
sys.meta_path.insert(0, Refuse())
for refused in ("bpy", "jax", "numba", "torch", "warp"):
    try:
        __import__(refused)
    except ImportError:
        continue
    raise SystemExit(f"{{refused}} can be imported: this test would show nothing")
import voxel_carve{module}
"""
    answer = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=False)
    assert answer.returncode == 0, answer.stderr
