"""Kernels are compiled in advance: the panel shows the progress, and the processes end with the extension."""

import time
from typing import Any

import pytest

from tests.ui.test_panel import drawn

bpy: Any = pytest.importorskip("bpy")
pytestmark = [pytest.mark.blender, pytest.mark.usefixtures("registered")]

from voxel_carve.compute.engines.numba.compiler import loading as numba_loading  # noqa: E402
from voxel_carve.compute.runtime import child_process as child  # noqa: E402
from voxel_carve.compute.runtime.cache import set_cache_folder  # noqa: E402
from voxel_carve.operators.jobs import compiling  # noqa: E402

# Takes some time for each kernel, but compiles none.
SLOWLY = "import sys, time\nfor line in sys.stdin:\n    time.sleep(0.2)\n    print(flush=True)"


@pytest.fixture
def begun(monkeypatch, tmp_path):
    """The state one second after the extension was enabled for the first time."""
    bpy.ops.wm.read_factory_settings(use_empty=True)
    monkeypatch.setattr(child, "START", SLOWLY)
    monkeypatch.setattr(numba_loading, "_loaded", set())
    monkeypatch.setattr(numba_loading, "_compilers", [])
    set_cache_folder(str(tmp_path / "kernels"))
    compiling.register()
    (begin,) = [timer for timer in (compiling._begin,) if bpy.app.timers.is_registered(timer)]
    begin()
    yield
    compiling.unregister()
    for compiler in numba_loading._compilers:
        compiler.wait(60)
    set_cache_folder(None)


def test_the_panel_shows_the_progress_beside_the_button(begun):
    assert numba_loading.is_compiling()
    shown = drawn()
    assert shown.progress == [("Preparing, First Use Only", 0.0)]
    assert shown.operators == ["object.voxel_carve"]
    assert bpy.app.timers.is_registered(compiling._show)


def test_panels_are_redrawn_until_compiling_ends_whoever_began_it(begun, monkeypatch):
    """A job begins it too, and ends before it: without a redraw the panel would go on saying that it lasts."""
    redrawn = []
    monkeypatch.setattr(compiling, "redraw_sidebars", redrawn.append)
    assert not bpy.app.timers.is_registered(compiling._show)
    assert drawn().progress and bpy.app.timers.is_registered(compiling._show)
    assert compiling._show() is not None
    numba_loading.end_compilers()
    for compiler in numba_loading._compilers:
        compiler.wait(60)
    assert compiling._show() is None and len(redrawn) == 2
    assert drawn().progress == []


def test_compiling_ends_with_the_extension_and_is_no_longer_shown(begun):
    handed_out = len(numba_loading._queue)
    assert handed_out > 20
    compiling.unregister()
    deadline = time.monotonic() + 60
    while numba_loading.is_compiling() and time.monotonic() < deadline:
        time.sleep(0.05)
    assert [compiler.wait(60) for compiler in numba_loading._compilers] == [0] * len(numba_loading._compilers)
    assert drawn().progress == []
    assert not any(bpy.app.timers.is_registered(timer) for timer in (compiling._begin, compiling._show))
