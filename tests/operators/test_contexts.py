"""Operators in every context: refused, done, or a readable error; and registration that leaves nothing behind."""

import os
import shutil
import subprocess
import sys
from pathlib import Path
from types import FunctionType
from typing import Any

import pytest

bpy: Any = pytest.importorskip("bpy")
pytestmark = pytest.mark.blender

import voxel_carve  # noqa: E402
from voxel_carve.compute.engines.numba.compiler import SETS  # noqa: E402
from voxel_carve.compute.engines.numba.compiler.signatures import kernels_of  # noqa: E402
from voxel_carve.compute.runtime import cache_folder  # noqa: E402

ROOT = Path(__file__).resolve().parents[2]
HANDLERS = [name for name in dir(bpy.app.handlers) if isinstance(getattr(bpy.app.handlers, name), list)]


@pytest.mark.parametrize("group", ["alone", "together", "modes", "bare"])
def test_every_operator_in_every_context(group, tmp_path):
    copy_kernels(tmp_path)
    surroundings = os.environ | {
        "PYTHONPATH": str(ROOT),
        "VOXEL_CARVE_BACKEND": "cpu",
        "BLENDER_USER_RESOURCES": str(tmp_path),
        "XDG_CACHE_HOME": str(tmp_path),
    }
    done = subprocess.run(
        [sys.executable, "-X", "faulthandler", "-m", "tests.operators.contexts", group],
        cwd=tmp_path,
        env=surroundings,
        capture_output=True,
        text=True,
        timeout=900,
        check=False,
    )
    lines = [line for line in done.stdout.splitlines() if line.startswith(("FAULT", "CALLS"))]
    assert done.returncode == 0, done.stderr[-5000:]
    assert "Traceback" not in done.stderr, done.stderr[-5000:]
    word, calls, let_run = lines[-1].split()
    assert (word, len(lines)) == ("CALLS", 1), "\n".join(lines)
    assert int(calls) > int(let_run) > 0


def copy_kernels(cache):
    """Copy the compiled kernels into a user's cache folder, because one of the operators deletes them."""
    folder = cache / "voxel_carve" / "kernels"
    folder.mkdir(mode=0o700, parents=True)
    for kernel in (kernel for name in SETS for kernel in kernels_of(name)):
        shutil.copy(cache_folder() / kernel.cache_name, folder)


def added():
    """Everything that an extension can add to Blender, by name."""
    found = {f"type {name}" for name in dir(bpy.types)}
    for name in dir(bpy.types):
        kind = getattr(bpy.types, name, None)
        functions = getattr(getattr(kind, "draw", None), "_draw_funcs", ())
        # On the first append, Blender itself creates a list with its own function.
        ours = [function for function in functions if not function.__module__.startswith("bl_ui")]
        found |= {f"{name} draws {function.__module__}.{function.__name__} {i}" for i, function in enumerate(ours)}
    for handlers in HANDLERS:
        functions = getattr(bpy.app.handlers, handlers)
        found |= {f"{handlers} {each.__module__}.{each.__name__} {i}" for i, each in enumerate(functions)}
    for kind in (bpy.types.Scene, bpy.types.Object, bpy.types.WindowManager, bpy.types.Collection, bpy.types.Curve):
        found |= {f"{kind.__name__}.{name}" for name in dir(kind)}
    keys = bpy.context.window_manager.keyconfigs.addon
    for keymap in keys.keymaps if keys else ():
        found |= {f"{keymap.name} {item.idname} {i}" for i, item in enumerate(keymap.keymap_items)}
    # Timers cannot be listed, only queried one by one.
    for module in [module for name, module in sys.modules.items() if name.startswith("voxel_carve")]:
        functions = [each for each in vars(module).values() if isinstance(each, FunctionType)]
        found |= {f"timer {each.__name__}" for each in functions if bpy.app.timers.is_registered(each)}
    return found


def test_registering_many_times_leaves_nothing_behind():
    bpy.ops.wm.read_factory_settings(use_empty=True)
    before = added()
    voxel_carve.register()
    with_it = added()
    for _ in range(20):
        voxel_carve.unregister()
        assert added() == before
        voxel_carve.register()
        assert added() == with_it
    voxel_carve.unregister()
    bpy.ops.wm.read_homefile(use_factory_startup=True)
    assert added() == before
    assert len(with_it) > len(before)
