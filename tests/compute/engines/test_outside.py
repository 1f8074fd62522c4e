"""Backends from outside: registered by a program, or brought by an installed package."""

import textwrap
from typing import Any

import numpy as np
import pytest

from tests.scene_objects import box as box_object
from tests.scene_objects import poly_curve, select
from tests.shapes import box
from voxel_carve.compute import (
    BackendError,
    InputError,
    UnknownBackendError,
    backend_names,
    boolean,
    carve,
    get_backend,
    get_dense_backend,
    register_backend,
)
from voxel_carve.compute.engines import registry
from voxel_carve.compute.engines.numba.backend import NumbaBackend
from voxel_carve.compute.engines.scipy.dense import ScipyBackend

PATH = ([[0.0, 0.0, -2.0], [0.0, 0.0, 2.0]], 0.5)
ABACUS = """
    from voxel_carve.compute import BackendError
    from voxel_carve.compute.engines.numba.backend import NumbaBackend

    class Abacus(NumbaBackend):
        name = "abacus"

        def __init__(self, device):
            if device == "broken":
                raise BackendError("a bead is missing: buy another abacus")
            self.device = device or "wood"

    """


@pytest.fixture
def package(tmp_path, monkeypatch):
    """An installed package with three backends, of which two cannot be used."""
    (tmp_path / "abacus_backend.py").write_text(textwrap.dedent(ABACUS), encoding="utf-8")
    metadata = tmp_path / "abacus_backend-1.0.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: abacus-backend\nVersion: 1.0\n", encoding="utf-8")
    (metadata / "entry_points.txt").write_text(
        "[voxel_carve.backends]\n"
        "abacus = abacus_backend:Abacus\nlost = abacus_backend:Missing\nodd = builtins:str\ncuda = builtins:str\n",
        encoding="utf-8",
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    return "abacus"


@pytest.fixture
def registered_names(monkeypatch):
    """What is registered in a test is forgotten after it."""
    monkeypatch.setattr(registry, "_factories", dict(registry._factories))


def test_a_package_brings_a_backend(package):
    assert backend_names() == ["cpu", "cuda", "warp", "abacus", "lost", "odd"]
    assert get_backend("abacus").device == "wood"
    result = carve(box(), PATH, 0.1, backend="abacus:ivory")
    assert (result.report.backend, result.report.device) == ("abacus", "ivory")
    expected = carve(box(), PATH, 0.1, backend="cpu").surface
    assert result.surface.points.tobytes() == expected.points.tobytes()


@pytest.mark.usefixtures("package")
def test_why_a_backend_cannot_be_used_is_told():
    with pytest.raises(BackendError, match="a bead is missing"):
        get_backend("abacus:broken")
    with pytest.raises(BackendError, match=r"'lost' cannot be loaded: .*Missing"):
        get_backend("lost")
    with pytest.raises(BackendError, match="'odd' is no backend: its factory gave a str"):
        get_backend("odd")
    with pytest.raises(UnknownBackendError, match=r"choose auto, cpu, .*, abacus, lost, odd"):
        get_backend("sand")
    with pytest.raises(UnknownBackendError):
        get_backend("abacus:")


@pytest.mark.usefixtures("registered_names")
def test_a_program_registers_a_backend():
    register_backend("mine", lambda _: NumbaBackend())
    register_backend("dense", lambda _: ScipyBackend())
    assert type(get_backend("mine")) is NumbaBackend
    voxels = np.ones((2, 2, 2), dtype=bool)
    assert type(get_dense_backend("dense")) is ScipyBackend
    assert boolean("union", voxels, voxels, backend="dense").all()
    with pytest.raises(BackendError, match="operations on occupancies alone"):
        get_backend("dense")


@pytest.mark.parametrize(
    ("name", "factory", "message"),
    [
        ("cpu", NumbaBackend, "there is a backend 'cpu' already"),
        ("auto", NumbaBackend, "'auto' is no name"),
        ("my backend", NumbaBackend, "is no name"),
        ("mine", "factory", "is no function"),
    ],
)
@pytest.mark.usefixtures("registered_names")
def test_what_cannot_be_registered(name, factory, message):
    with pytest.raises(InputError, match=message):
        register_backend(name, factory)


def test_warps_device_on_the_cpu_has_a_name():
    assert get_backend("warp:cpu").name == "warp"
    with pytest.raises(UnknownBackendError):
        get_backend("warp")


@pytest.mark.blender
@pytest.mark.usefixtures("registered", "package")
def test_blender_carves_with_the_backend_of_a_package(monkeypatch):
    bpy: Any = pytest.importorskip("bpy")
    monkeypatch.setenv("VOXEL_CARVE_BACKEND", "abacus")
    bpy.ops.wm.read_factory_settings(use_empty=True)
    select(box_object(), poly_curve([(0, 0, -2), (0, 0, 2)]))
    assert bpy.ops.object.voxel_carve(resolution=16, radius_mode="VALUE", radius=0.5) == {"FINISHED"}
    assert '"backend": "abacus"' in bpy.context.object["voxel_carve_report"]
