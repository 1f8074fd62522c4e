"""Backends from outside: registered by a program, or brought by an installed package."""

import re
from pathlib import Path as FilePath
from typing import Protocol

import numpy as np
import pytest

from tests.settings.outside_package import install
from tests.shapes import box
from voxel_carve import compute
from voxel_carve.compute import (
    BackendError,
    Grid,
    InputError,
    UnknownBackendError,
    backend_names,
    boolean,
    carve,
    get_backend,
    get_dense_backend,
    register_backend,
    sweep,
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


class Without:
    """A backend without some operations."""

    def __init__(self, whole, *lacking):
        self._whole, self._lacking = whole, lacking

    def __getattr__(self, name):
        if name in self._lacking:
            raise AttributeError(name)
        return getattr(self._whole, name)

    def __dir__(self):
        return [name for name in dir(self._whole) if name not in self._lacking]


@pytest.mark.usefixtures("registered_names")
def test_what_a_backend_lacks_is_named():
    voxels, path = np.ones((8, 8, 8), dtype=bool), ([[0, 0, 0], [1, 1, 1]], 0.5)
    grid = Grid([0, 0, 0], 1.0, voxels.shape)
    register_backend("mine", lambda _: Without(NumbaBackend(), "measure", "contour"))
    register_backend("dense", lambda _: Without(ScipyBackend(), "subtract_segments", "device"))
    lacks = r"lacks contour, measure, of the protocol Backend: update what brings it, or choose another"
    for backend in ("mine", Without(NumbaBackend(), "measure", "contour")):
        with pytest.raises(BackendError, match=lacks):
            carve(box(), PATH, 0.1, backend=backend)
        assert sweep(voxels, grid, path, backend=backend).sum() < voxels.size
    with pytest.raises(BackendError, match="'dense' lacks device, subtract_segments, of the protocol DenseBackend"):
        sweep(voxels, grid, path, backend="dense")
    with pytest.raises(BackendError, match="'Without' lacks boolean, of the protocol DenseBackend"):
        sweep(voxels, grid, path, backend=Without(ScipyBackend(), "boolean"))


def test_the_protocols_and_the_design_name_the_same_operations():
    """All protocols of backends are public, and docs/design.md lists what they have."""
    text = (FilePath(__file__).resolve().parents[3] / "docs" / "design.md").read_text(encoding="utf-8")
    start = text.index("Backends work on numpy's arrays of bool.")
    listed = set(re.findall(r"`(\w+)`", text[start : text.index("`get_backend(name=None)`", start)]))
    protocols = {
        name: each for name, each in vars(compute).items() if isinstance(each, type) and Protocol in each.__bases__
    } | {"Backend": compute.Backend}
    assert {"DenseBackend", "HoldingBackend", "LendingBackend", "Searching", "SegmentSearching"} <= set(protocols)
    del protocols["HeldSlab"]  # what `hold` gives
    assert set(protocols) <= set(compute.__all__)
    operations = {name for each in protocols.values() for name in registry._members(each)}
    assert listed == operations | set(protocols) | {"ScipyBackend"}


@pytest.mark.usefixtures("package")
def test_a_name_that_is_taken_is_said(caplog, tmp_path):
    metadata = tmp_path / "second-1.0.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: second\nVersion: 1.0\n", encoding="utf-8")
    (metadata / "entry_points.txt").write_text("[voxel_carve.backends]\nodd = builtins:int\n", encoding="utf-8")
    registry._warn_once.cache_clear()
    for _ in range(2):
        backend_names()
    told = sorted(record.getMessage() for record in caplog.records if record.name == registry.__name__)
    assert len(told) == 4
    assert told[0] == "backend 'Two Words' of abacus-backend is left out: that is no name for a backend"
    assert told[1] == "backend 'cuda' of abacus-backend is left out: there is one of that name already"
    assert told[2] == "backend 'numba' of abacus-backend is left out: that is no name for a backend"
    assert re.fullmatch(r"backend 'odd' of \S+ is left out: \S+ brings one of that name", told[3])


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
