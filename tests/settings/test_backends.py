"""Backends of other packages, chosen in Blender: listed, used, and still named when the package is gone."""

import json
import sys
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

bpy: Any = pytest.importorskip("bpy")
pytestmark = [pytest.mark.blender, pytest.mark.usefixtures("registered")]

from tests.scene_objects import box, poly_curve, select  # noqa: E402
from tests.settings.outside_package import install  # noqa: E402
from tests.ui.test_panel import Layout, drawn, joined  # noqa: E402
from voxel_carve.backend_status import forget_statuses  # noqa: E402
from voxel_carve.compute import register_backend  # noqa: E402
from voxel_carve.compute.engines import registry  # noqa: E402
from voxel_carve.compute.engines.numba.backend import NumbaBackend  # noqa: E402
from voxel_carve.operators.jobs import carving  # noqa: E402
from voxel_carve.operators.presets import WM_OT_voxel_carve_preset_add  # noqa: E402
from voxel_carve.preferences import Limits, VoxelCarvePreferences, limits  # noqa: E402
from voxel_carve.settings import scene_settings  # noqa: E402

ADVANCED = "VIEW3D_PT_voxel_carve_advanced"
BROUGHT = ["ABACUS", "LOST", "ODD", "RUSTY"]


@pytest.fixture(autouse=True)
def nothing_known(registered, monkeypatch):
    monkeypatch.setenv("VOXEL_CARVE_BACKEND", "cpu")
    bpy.ops.wm.read_factory_settings(use_empty=True)
    forget_statuses()
    yield
    forget_statuses()


@pytest.fixture
def package(tmp_path, monkeypatch):
    """The folder of an installed package."""
    folder = tmp_path / "installed"
    folder.mkdir()
    install(folder)
    monkeypatch.syspath_prepend(str(folder))
    return str(folder)


def choices(owner):
    """Identifiers and the rest of a property's choices, as Blender asks for them."""
    prop = next(each.__annotations__["backend"] for each in type(owner).__mro__ if "backend" in each.__annotations__)
    return {identifier: rest for identifier, *rest in prop.keywords["items"](owner, bpy.context)}


def carved(**properties):
    select(box(), poly_curve([(0, 0, -2), (0, 0, 2)]))
    assert bpy.ops.object.voxel_carve(resolution=16, radius_mode="VALUE", radius=0.5, **properties) == {"FINISHED"}
    obj = bpy.context.object
    points = np.empty(3 * len(obj.data.vertices), dtype=np.float32)
    obj.data.vertices.foreach_get("co", points)
    return obj, points, json.loads(obj["voxel_carve_report"])["backend"]


def test_the_backend_of_a_package_is_chosen_in_the_panel_and_carves(package):
    _, expected, used = carved()
    assert used == "cpu"
    settings = scene_settings(bpy.context)
    assert list(choices(settings)) == ["AUTO", "CPU", "CUDA", *BROUGHT]
    assert choices(settings)["ABACUS"][:2] == ["abacus", "Brought by abacus-backend 1.0"]
    settings.backend = "ABACUS"
    select()
    assert "abacus, Not Checked Yet" in drawn(getattr(bpy.types, ADVANCED)).labels
    obj, points, used = carved()
    select()
    assert used == "abacus" and points.tobytes() == expected.tobytes()
    assert "Uses abacus" in drawn(getattr(bpy.types, ADVANCED)).labels
    assert obj.voxel_carve.backend == "ABACUS"
    select(obj)
    assert bpy.ops.object.voxel_carve_update() == {"FINISHED"}
    assert json.loads(obj["voxel_carve_report"])["backend"] == "abacus"
    assert carved(backend="CPU")[2] == "cpu"


def test_another_process_finds_the_package(package, monkeypatch):
    monkeypatch.setattr("voxel_carve.operators.jobs.job.limits", lambda *_: Limits("abacus", None, use_process=True))
    ran, run_apart = [], carving.run_apart
    monkeypatch.setattr(carving, "run_apart", lambda *given: ran.append(1) or run_apart(*given))
    assert carved()[2] == "abacus" and ran


def test_drawing_lists_backends_without_loading_them(package):
    sys.modules.pop("abacus_backend", None)
    drawn(getattr(bpy.types, ADVANCED))
    assert "ABACUS" in choices(scene_settings(bpy.context))
    assert "abacus_backend" not in sys.modules


def test_why_a_backend_cannot_be_used_is_listed_once_it_was_tried(package):
    settings = scene_settings(bpy.context)
    settings.backend = "RUSTY"
    assert bpy.ops.wm.voxel_carve_check_backend(backend=settings.backend) == {"FINISHED"}
    _, description, icon, _ = choices(settings)["RUSTY"]
    assert "the frame is rusty" in description and icon == "ERROR"
    assert "the frame is rusty" in joined(drawn(getattr(bpy.types, ADVANCED)).labels)
    select(box(), poly_curve([(0, 0, -2), (0, 0, 2)]))
    with pytest.raises(RuntimeError, match="the frame is rusty"):
        bpy.ops.object.voxel_carve(resolution=16)


def test_the_preferences_list_each_backend_with_its_state(package):
    assert bpy.ops.wm.voxel_carve_check_backend(backend="ABACUS") == {"FINISHED"}
    assert bpy.ops.wm.voxel_carve_check_backend(backend="LOST") == {"FINISHED"}
    layout = Layout()
    bl_rna = SimpleNamespace(properties=dict.fromkeys(VoxelCarvePreferences.__annotations__))
    own = SimpleNamespace(layout=layout, backend="AUTO", device="AUTO", bl_rna=bl_rna)
    VoxelCarvePreferences.draw(own, bpy.context)
    labels = layout.whole.labels
    states = {name: labels[labels.index(name) + 1] for name in ("CPU", "CUDA", "abacus", "lost", "odd", "rusty")}
    assert {states[name] for name in ("CPU", "CUDA", "odd", "rusty")} == {"Not Checked Yet"}
    assert states["abacus"] == "Abacus on wood" and "'lost' cannot be loaded" in states["lost"]
    checks = [each.backend for each in layout.whole.arguments if hasattr(each, "backend")]
    assert checks == ["CPU", "CUDA", *BROUGHT]


def test_a_backend_that_is_gone_is_named_and_refused_and_another_can_be_chosen(package, tmp_path, monkeypatch):
    settings = scene_settings(bpy.context)
    settings.backend = "ABACUS"
    carved()
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "scene.blend"))
    monkeypatch.setattr(sys, "path", [folder for folder in sys.path if folder != package])
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "scene.blend"))
    settings, obj = scene_settings(bpy.context), bpy.context.object
    for owner in (settings, obj.voxel_carve):
        assert owner.backend == "ABACUS"
        assert list(choices(owner)) == ["AUTO", "CPU", "CUDA", "ABACUS"]
        assert choices(owner)["ABACUS"][0] == "abacus, Not Installed"
    select(obj)
    obj.voxel_carve.resolution = 20
    with pytest.raises(RuntimeError, match="nknown backend 'abacus'"):
        bpy.ops.object.voxel_carve_update()
    select(box("Other"), poly_curve([(0, 0, -2), (0, 0, 2)]))
    with pytest.raises(RuntimeError, match="nknown backend 'abacus'"):
        bpy.ops.object.voxel_carve(resolution=16)
    for owner in (settings, obj.voxel_carve):
        owner.backend = "CPU"
        assert list(choices(owner)) == ["AUTO", "CPU", "CUDA"]
        with pytest.raises(TypeError):
            owner.backend = "ABACUS"
    select(obj)
    assert bpy.ops.object.voxel_carve_update() == {"FINISHED"}


@pytest.mark.parametrize("is_installed", [True, False])
def test_a_preset_names_a_backend_that_may_be_gone(package, is_installed, monkeypatch):
    settings = scene_settings(bpy.context)
    settings.backend = "ABACUS"
    values = WM_OT_voxel_carve_preset_add.preset_values.fget(None)
    lines = [f"{value} = {eval(value, {'settings': settings})!r}" for value in values]
    if not is_installed:
        monkeypatch.setattr(sys, "path", [folder for folder in sys.path if folder != package])
    settings.backend = "CPU"
    exec("\n".join(lines), {"settings": settings})
    assert settings.backend == "ABACUS" and limits(bpy.context, settings.backend).backend == "abacus"
    settings.backend = "AUTO"
    assert settings.backend_name == "" and limits(bpy.context, settings.backend).backend is None


def test_a_backend_that_a_program_registers_can_be_chosen_at_once(monkeypatch):
    monkeypatch.setattr(registry, "_factories", dict(registry._factories))
    settings = scene_settings(bpy.context)
    assert "MINE" not in choices(settings)
    register_backend("mine", lambda _: NumbaBackend())
    settings.backend = "MINE"
    assert choices(settings)["MINE"][1] == "Registered by a program"
    carved()


def test_choices_are_kept_for_blender_and_their_numbers_never_change(package):
    """Blender keeps no reference to the texts, and files keep the numbers."""
    settings = scene_settings(bpy.context)
    first, second = choices(settings), choices(settings)
    assert all(first[name][0] is second[name][0] and first[name][1] is second[name][1] for name in BROUGHT)
    assert [first[name][-1] for name in ("AUTO", "CPU", "CUDA", "ABACUS")] == [0, 2, 3, 1138168187]
