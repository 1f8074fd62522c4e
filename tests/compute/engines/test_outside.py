"""Backends from outside: registered by a program, or brought by an installed package."""

import numpy as np
import pytest

from tests.settings.outside_package import install
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


@pytest.fixture
def package(tmp_path, monkeypatch):
    install(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))


@pytest.fixture
def registered_names(monkeypatch):
    """What is registered in a test is forgotten after it."""
    monkeypatch.setattr(registry, "_factories", dict(registry._factories))


@pytest.mark.usefixtures("package")
def test_a_package_brings_a_backend():
    assert backend_names() == ["cpu", "cuda", "warp", "abacus", "lost", "odd", "rusty"]
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
    with pytest.raises(BackendError, match="'rusty' cannot be started: the frame is rusty"):
        get_backend("rusty")
    with pytest.raises(UnknownBackendError, match=r"choose auto, cpu, .*, abacus, lost, odd, rusty"):
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
