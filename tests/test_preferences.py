"""Backend and memory limit: from the operator, the preferences, or neither."""

import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

bpy: Any = pytest.importorskip("bpy")
pytestmark = [pytest.mark.blender, pytest.mark.usefixtures("registered")]

from tests.scene_objects import box, poly_curve, select  # noqa: E402
from tests.ui.test_panel import Layout, drawn, joined  # noqa: E402
from voxel_carve import backend_status, former_backends, preferences  # noqa: E402
from voxel_carve.backend_status import BackendStatus, check_backend, forget_statuses, likely_backend  # noqa: E402
from voxel_carve.compute.runtime.cache import cache_folder, compiling_in, set_cache_folder  # noqa: E402
from voxel_carve.preferences import Limits, VoxelCarvePreferences, limits  # noqa: E402
from voxel_carve.settings import scene_settings  # noqa: E402

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture(autouse=True)
def nothing_known(registered):
    bpy.ops.wm.read_factory_settings(use_empty=True)
    forget_statuses()
    yield
    forget_statuses()


@pytest.fixture
def kernels(tmp_path):
    """A folder for compiled kernels with something in it."""
    set_cache_folder(str(tmp_path / "kernels"))
    inner = cache_folder() / "numba-0123456789abcdef" / "code"
    inner.mkdir(parents=True)
    (inner / "kernel.nbc").write_bytes(bytes(3 * 2**20))
    (cache_folder() / "compiled-0").touch()
    yield cache_folder()
    set_cache_folder(None)


def context_with(backend="AUTO", memory_limit=0.0, device="AUTO", use_process=False):
    """A context whose preferences have these values for an extension named 'bl_ext.here.voxel_carve'."""
    values = SimpleNamespace(backend=backend, memory_limit=memory_limit, device=device, use_process=use_process)
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


def test_the_preferences_decide_if_the_scene_does_not(installed):
    assert limits(context_with()) == Limits()
    assert limits(context_with("CPU", 1.5)) == Limits(backend="cpu", memory_limit=3 * 2**29)
    assert limits(context_with("CPU"), "CUDA") == Limits(backend="cuda")
    assert limits(context_with(use_process=True)) == Limits(use_process=True)


def test_missing_preferences_are_no_error(installed):
    nothing = SimpleNamespace(preferences=SimpleNamespace(addons={}))
    assert limits(nothing, "CUDA") == Limits(backend="cuda")


def test_a_device_applies_to_cuda_only(installed):
    assert limits(context_with("CUDA", device="cuda:1")) == Limits(backend="cuda:1")
    assert limits(context_with("AUTO", device="cuda:1"), "CUDA") == Limits(backend="cuda:1")
    assert limits(context_with("CPU", device="cuda:1")) == Limits(backend="cpu")
    assert limits(context_with(device="cuda:1")) == Limits()


def test_the_preferences_select_a_separate_process(installed):
    assert limits(context_with(use_process=True)).use_process
    assert not limits(context_with()).use_process


def preferences_drawn(backend="AUTO", device="AUTO"):
    layout = Layout()
    bl_rna = SimpleNamespace(properties=dict.fromkeys(VoxelCarvePreferences.__annotations__))
    VoxelCarvePreferences.draw(
        SimpleNamespace(layout=layout, backend=backend, device=device, bl_rna=bl_rna), bpy.context
    )
    return layout.whole


def test_every_preference_is_shown(kernels):
    assert set(preferences_drawn().props) == set(VoxelCarvePreferences.__annotations__) - {
        "device_alias",
        "backend_name",
    }


def test_the_manual_opens_from_the_preferences(kernels, monkeypatch):
    opened = []
    monkeypatch.setattr("webbrowser.open", opened.append)
    layout = preferences_drawn()
    given = layout.arguments[layout.operators.index("wm.doc_view_manual")]
    assert bpy.ops.wm.doc_view_manual(**vars(given)) == {"FINISHED"}
    assert opened == [(ROOT / "docs" / "manual" / "index.md").as_uri()]


def test_the_check_of_a_device_is_shown(kernels, monkeypatch):
    status = BackendStatus("cuda", "NVIDIA H200", ())
    monkeypatch.setattr("voxel_carve.backend_status._statuses", {"cuda:1": status})
    assert "CUDA on NVIDIA H200" in preferences_drawn("CUDA", "cuda:1").labels
    assert "Not Checked Yet" in preferences_drawn("CUDA", "cuda:0").labels


def test_the_choice_of_automatic_is_shown_with_its_reason_after_a_check(kernels, monkeypatch):
    monkeypatch.setenv("VOXEL_CARVE_BACKEND", "cpu")
    assert "Not Checked Yet" in preferences_drawn().labels
    assert bpy.ops.wm.voxel_carve_check_backend() == {"FINISHED"}
    assert any(label.startswith("CPU on ") for label in preferences_drawn().labels)
    assert "Uses CPU" in drawn(bpy.types.VIEW3D_PT_voxel_carve_advanced).labels


def test_why_no_backend_works_is_shown(kernels, monkeypatch):
    monkeypatch.setattr("voxel_carve.compute.engines.warp.device.driver.LIBRARIES", ("no such library",))
    scene_settings(bpy.context).backend = "CUDA"
    assert bpy.ops.wm.voxel_carve_check_backend(backend="CUDA") == {"FINISHED"}
    for shown in (preferences_drawn("CUDA"), drawn(bpy.types.VIEW3D_PT_voxel_carve_advanced)):
        assert "No Backend Works" in shown.labels
        assert "CUDA needs an NVIDIA driver: install version 580 or newer" in joined(shown.labels)


def test_the_likely_backend_is_shown_before_it_is_started(monkeypatch):
    monkeypatch.delenv("VOXEL_CARVE_BACKEND", raising=False)
    names = (None, "cpu", "numba", "cuda:1")
    assert [likely_backend(name) for name in names] == ["cpu", "cpu", "cpu", "cuda"]
    monkeypatch.setenv("VOXEL_CARVE_BACKEND", "cuda")
    assert likely_backend(None) == "cuda"


def test_what_a_carve_has_run_on_is_known_without_a_check(monkeypatch):
    """A check that failed before, or none at all, says nothing any more."""
    monkeypatch.setenv("VOXEL_CARVE_BACKEND", "cpu")
    failed = BackendStatus("", "", ("the fast kernels could not be compiled",))
    for before in ({}, {None: failed}):
        monkeypatch.setattr("voxel_carve.backend_status._statuses", dict(before))
        select(box(), poly_curve([(-9, 0, 0), (9, 0, 0)]))
        scene_settings(bpy.context).resolution = 16
        assert bpy.ops.object.voxel_carve() == {"FINISHED"}
        assert "Uses CPU" in drawn(bpy.types.VIEW3D_PT_voxel_carve_advanced).labels
        assert any(label.startswith("CPU on ") for label in preferences_drawn().labels)


def test_devices_and_their_free_memory_are_shown_once_warp_runs(monkeypatch):
    asked = []

    def get_cuda_devices():
        asked.append(1)
        return [SimpleNamespace(alias="cuda:0", name="NVIDIA H200", free_memory=139 * 2**30)]

    monkeypatch.setitem(sys.modules, "warp", SimpleNamespace(get_cuda_devices=get_cuda_devices))
    advanced = bpy.types.VIEW3D_PT_voxel_carve_advanced
    drawn(advanced)
    assert not asked
    works = SimpleNamespace(name="cuda", device="NVIDIA H200", notes=())
    monkeypatch.setattr(backend_status, "get_backend", lambda name: works)
    bpy.ops.wm.voxel_carve_check_backend(backend="CUDA")
    assert "NVIDIA H200 (cuda:0): 139.0 GiB free" in joined(drawn(advanced).labels)
    drawn(advanced)
    assert len(asked) == 1


class Devices:
    """The device property of the preferences, in a group that Blender accepts without an installed extension."""

    __annotations__ = {name: VoxelCarvePreferences.__annotations__[name] for name in ("device", "device_alias")}
    _items_of_device = VoxelCarvePreferences._items_of_device


def test_a_chosen_device_stays_chosen_before_it_is_known(monkeypatch):
    group = type("DevicesGroup", (bpy.types.PropertyGroup,), dict(vars(Devices)))
    bpy.utils.register_class(group)
    bpy.types.Scene.devices = bpy.props.PointerProperty(type=group)
    devices = bpy.context.scene.devices
    assert devices.device == "AUTO"
    with pytest.raises(TypeError):
        devices.device = "cuda:1"
    known = (("cuda:0", "NVIDIA H200", 1), ("cuda:1", "NVIDIA L4", 1))
    monkeypatch.setattr(preferences, "cuda_devices", lambda: known)
    devices.device = "cuda:1"
    assert devices.device == "cuda:1"
    monkeypatch.setattr(preferences, "cuda_devices", lambda: ())
    assert devices.device == "cuda:1"
    devices.device = "AUTO"
    assert devices.device == "AUTO"
    del bpy.types.Scene.devices
    bpy.utils.unregister_class(group)


def test_kernels_are_not_deleted_while_some_are_being_compiled(kernels):
    assert "3 MiB" in preferences_drawn().labels and str(kernels) in preferences_drawn().labels
    with compiling_in(kernels), pytest.raises(RuntimeError, match="being compiled"):
        bpy.ops.wm.voxel_carve_clear_kernels()
    assert (kernels / "numba-0123456789abcdef" / "code" / "kernel.nbc").exists()
    assert bpy.ops.wm.voxel_carve_clear_kernels() == {"FINISHED"}
    assert {entry.name for entry in kernels.iterdir()} == {"compile.lock", "compile-2.lock"}
    assert "0 MiB" in preferences_drawn().labels


@pytest.mark.skipif(sys.platform == "win32", reason="Windows lets few users make links")
def test_clearing_kernels_follows_no_link(kernels, tmp_path):
    precious = tmp_path / "precious"
    precious.mkdir()
    (precious / "work.blend").touch()
    (kernels / "link").symlink_to(precious)
    bpy.ops.wm.voxel_carve_clear_kernels()
    assert (precious / "work.blend").exists() and not (kernels / "link").is_symlink()


def test_an_untrusted_folder_for_kernels_is_reported(tmp_path):
    (tmp_path / "kernels").touch()
    set_cache_folder(str(tmp_path / "kernels"))
    assert "is not a folder" in joined(preferences_drawn().labels)
    with pytest.raises(RuntimeError, match="is not a folder"):
        bpy.ops.wm.voxel_carve_clear_kernels()
    set_cache_folder(None)


def test_drawing_loads_neither_numba_nor_warp():
    program = """
import sys
import voxel_carve
voxel_carve.register()
from tests.scene_objects import box, poly_curve, select
from tests.ui.test_panel import drawn
from tests.test_preferences import preferences_drawn
import bpy
select(box(), poly_curve([(0, 0, 0), (1, 0, 0)]))
for name in ("voxel_carve", "voxel_carve_tools", "voxel_carve_advanced"):
    drawn(getattr(bpy.types, "VIEW3D_PT_" + name))
preferences_drawn()
loaded = {name.partition(".")[0] for name in set(sys.modules)}
assert not loaded & {"numba", "warp", "llvmlite"}, loaded
"""
    answer = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=False)
    assert answer.returncode == 0, answer.stderr


def test_a_backend_that_is_unknown_is_refused_when_checked(monkeypatch):
    monkeypatch.setenv("VOXEL_CARVE_BACKEND", "abacus")
    status = check_backend(None)
    assert status.name == "" and "abacus" in status.notes[0]


@pytest.mark.parametrize("number", [1, 2], ids=["numpy", "numba"])
def test_files_of_a_former_backend_say_cpu(number, tmp_path):
    """Files keep the number of a backend, not its name."""
    cube = bpy.data.objects.new("Recipe", bpy.data.meshes.new("Recipe"))
    bpy.context.collection.objects.link(cube)
    for settings in (scene_settings(bpy.context), cube.voxel_carve):
        settings.backend = "CUDA"
        stored = settings.bl_system_properties_get() if bpy.app.version >= (5, 0) else settings
        stored["backend"] = number
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "former.blend"))
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "former.blend"))
    assert scene_settings(bpy.context).backend == bpy.data.objects["Recipe"].voxel_carve.backend == "CPU"
    assert limits(bpy.context, "CPU") == Limits(backend="cpu")


def test_a_preset_of_numba_becomes_one_of_cpu(tmp_path, monkeypatch):
    monkeypatch.setattr(bpy.utils, "user_resource", lambda *_, **__: str(tmp_path))
    text = "settings = bpy.context.scene.voxel_carve\nsettings.resolution = 31\nsettings.backend = 'NUMBA'\n"
    for name in ("Mine", "Other"):
        (tmp_path / f"{name}.py").write_text(text.replace("NUMBA", "CUDA" if name == "Other" else "NUMBA"))
    former_backends.renew_presets()
    exec((tmp_path / "Mine.py").read_text())
    assert (scene_settings(bpy.context).resolution, scene_settings(bpy.context).backend) == (31, "CPU")
    assert "'CUDA'" in (tmp_path / "Other.py").read_text()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["Mine.py", "Other.py"]
