"""Backend and memory limit: from the operator, the preferences, or neither."""

from types import SimpleNamespace
from typing import Any

import pytest

bpy: Any = pytest.importorskip("bpy")
pytestmark = pytest.mark.blender

from voxel_carve import preferences  # noqa: E402
from voxel_carve.preferences import Limits, limits  # noqa: E402


def context_with(backend="AUTO", memory_limit=0.0, use_process=False):
    """A context whose preferences have these values for an extension of the name 'bl_ext.here.voxel_carve'."""
    values = SimpleNamespace(backend=backend, memory_limit=memory_limit, use_process=use_process)
    addons = {"bl_ext.here.voxel_carve": SimpleNamespace(preferences=values)}
    return SimpleNamespace(preferences=SimpleNamespace(addons=addons))


@pytest.fixture
def installed(monkeypatch):
    monkeypatch.setattr(preferences, "EXTENSION", "bl_ext.here.voxel_carve")


def test_a_checkout_has_no_preferences_and_the_defaults_hold():
    assert preferences.EXTENSION == ""
    assert limits(bpy.context) == Limits(backend=None, memory_limit=None)
    assert limits(context_with("CPU", 3.0)) == Limits()
    assert limits(bpy.context, "CPU") == Limits(backend="cpu")


def test_the_preferences_decide_what_the_scene_leaves_open(installed):
    assert limits(context_with()) == Limits()
    assert limits(context_with("CPU", 1.5)) == Limits(backend="cpu", memory_limit=3 * 2**29)
    assert limits(context_with("CPU"), "CUDA") == Limits(backend="cuda")
    assert limits(context_with(use_process=True)) == Limits(use_process=True)


def test_preferences_that_are_not_there_yet_are_no_fault(installed):
    nothing = SimpleNamespace(preferences=SimpleNamespace(addons={}))
    assert limits(nothing, "CUDA") == Limits(backend="cuda")


def test_every_preference_is_shown():
    shown: list[str] = []
    layout = SimpleNamespace(prop=lambda data, name: shown.append(name))
    preferences.VoxelCarvePreferences.draw(SimpleNamespace(layout=layout), bpy.context)
    assert shown == ["backend", "memory_limit", "use_process"]
    assert set(shown) == set(preferences.VoxelCarvePreferences.__annotations__)
