"""JAX's arrays on a card, without one: Warp's CPU device stands in for it, and programs are lowered for CUDA."""

import ctypes
import re
from contextlib import contextmanager
from functools import partial
from pathlib import Path as FilePath

import numpy as np
import pytest

from tests.frameworks.grooves import GRID, POINTS, RADII, box_field, query, swept_field, voxels
from voxel_carve import compute
from voxel_carve.compute import BackendError
from voxel_carve.compute.engines.warp.backend import WarpBackend
from voxel_carve.frameworks import host
from voxel_carve.jax import card, foreign_call, functions, sweep, sweep_distance, sweep_field
from voxel_carve.jax.card import Memory, Place

OPERATIONS = ("subtract", "union", "intersect")
WARP = Place("cpu", None)


@pytest.fixture(scope="module")
def jax():
    return pytest.importorskip("jax")


@pytest.fixture
def on_card(jax, monkeypatch):
    """JAX, whose arrays on the CPU are worked on as if Warp's CPU device were a card."""
    pytest.importorskip("warp")
    functions._distances.cache_clear()
    monkeypatch.setattr(foreign_call, "TARGET", "as_on_a_card")
    monkeypatch.setattr(foreign_call, "PLATFORMS", {"cpu": foreign_call.PLATFORMS["CUDA"]})
    monkeypatch.setattr(foreign_call, "_place", lambda frame: WARP)
    yield jax
    functions._distances.cache_clear()


@pytest.mark.parametrize("operation", OPERATIONS)
def test_an_occupancy_is_carved_as_by_compute(on_card, operation):
    expected = compute.sweep(voxels(1), GRID, (POINTS, RADII), operation)
    carve = on_card.jit(lambda part, first: sweep(part, GRID, POINTS, RADII, operation, first_layer=first))
    for first, stop in ((0, 24), (5, 10), (13, 24)):
        given = on_card.numpy.asarray(voxels(1)[first:stop])
        assert np.array_equal(carve(given, first), expected[first:stop])
        assert np.array_equal(given, voxels(1)[first:stop])


def test_a_batch_is_one_call(on_card, counted):
    calls = counted("sweep_each")
    paths = POINTS + np.random.default_rng(2).uniform(-2, 2, (3, 1, 3)).astype(np.float32)
    widths, many = np.array([1.0, 2.0], dtype=np.float32), np.stack([voxels(1), voxels(2)])

    def carve(occupancy, points, radius):
        return sweep(occupancy, GRID, points, radius)

    over = on_card.vmap(on_card.vmap(on_card.vmap(carve, (None, 0, None)), (None, None, 0)), (0, None, None))
    found = on_card.jit(over)(many, paths, widths)
    assert found.shape == (2, 2, 3, *GRID.shape)
    assert len(calls) == 1
    for (which, width, path), item in zip(np.ndindex(2, 2, 3), found.reshape(-1, *GRID.shape), strict=True):
        assert np.array_equal(item, compute.sweep(many[which], GRID, (paths[path], widths[width])))
    assert on_card.vmap(carve, (0, None, None))(many[:0], paths[0], 1.0).shape == (0, *GRID.shape)


def test_distances_and_their_derivatives_are_those_of_compute(jax, on_card, monkeypatch):
    searches, search = [], WarpBackend.nearest_segments
    monkeypatch.setattr(WarpBackend, "nearest_segments", lambda *given: searches.append(given) or search(*given))

    def squares(query, points, radii):
        return (sweep_distance(query, points, radii) ** 2).sum()

    paths = POINTS + np.random.default_rng(3).uniform(-1, 1, (4, 1, 3)).astype(np.float32)
    found = jax.vmap(jax.grad(squares, (0, 1, 2)), (None, 0, None))(query(), paths, RADII)
    for item, points in enumerate(paths):
        measured = compute.sweep_distance(query().astype(np.float32), (points, RADII))
        by_path = measured.vector_jacobian_product(2 * measured.distance)
        d_query = 2 * measured.distance[:, None] * measured.d_query
        for part, expected in zip(found, (d_query, by_path.d_points, by_path.d_radii), strict=True):
            np.testing.assert_allclose(part[item], expected, rtol=1e-4, atol=1e-4)
    assert len(searches) == 2 * len(paths)


def test_a_field_is_combined(jax, on_card):
    found = jax.jit(partial(sweep_field, grid=GRID))(box_field(), points=POINTS, radii=RADII)
    np.testing.assert_allclose(found, swept_field("subtract"), atol=1e-4)


def test_wrong_values_are_told(jax, on_card):
    with pytest.raises(jax.errors.JaxRuntimeError, match="3 points whose radius is not a positive number"):
        sweep(voxels(1), GRID, POINTS, -RADII).block_until_ready()


def test_without_warp_the_call_says_how_to_install_it(jax, on_card, monkeypatch):
    def missing(name):
        raise BackendError("Warp is not installed: install it")

    monkeypatch.setattr(card, "get_dense_backend", missing)
    with pytest.raises(jax.errors.JaxRuntimeError, match="Warp is not installed: install it"):
        sweep(voxels(1), GRID, POINTS, RADII).block_until_ready()


def memory(array):
    return Memory(array.__array_interface__["data"][0], array.shape, array.dtype)


OPTIONS = {
    "origin": GRID.origin.tolist(),
    "voxel_size": GRID.voxel_size,
    "shape": GRID.shape,
    "operation": "subtract",
    "cyclic": False,
    "joined": True,
}


def test_the_result_is_carved_where_it_lies_in_the_order_of_the_stream(monkeypatch):
    pytest.importorskip("warp")
    log, arguments = [], [voxels(1), POINTS, RADII, np.array(0, dtype=np.int32)]
    result = np.zeros(GRID.shape, dtype=bool)

    class Backend:
        @contextmanager
        def in_order(self, arrays, stream):
            log.append(("begin", arrays[0].ptr, stream))
            yield
            log.append("end")

    def swept(items, *given, backend, **options):
        log.append((items.ptr, items.shape, type(backend), np.array_equal(items.numpy()[0], voxels(1))))

    monkeypatch.setattr(card, "get_dense_backend", lambda name: log.append(name) or Backend())
    monkeypatch.setattr(host, "sweep_each", swept)
    card.work(Place("cpu", 7), "swept", [memory(each) for each in arguments], [memory(result)], OPTIONS)
    address = memory(result).address
    assert log == ["cpu", ("begin", address, 7), (address, (1, *GRID.shape), Backend, True), "end"]


def test_a_call_is_worked_on_by_the_card_and_the_stream_that_xla_tells():
    frame, api = foreign_call.CallFrame(context=4096), foreign_call.Api()
    asked = []

    def tell(name, value):
        def answer(question):
            asked.append(question.contents.context)
            setattr(question.contents, name, value)

        return answer

    kinds = dict(foreign_call.Api._fields_[3:])
    api.get_stream = kinds["get_stream"](tell("stream", 71))
    api.get_ordinal = kinds["get_ordinal"](tell("ordinal", 3))
    frame.api = ctypes.pointer(api)
    assert foreign_call._place(frame) == Place("cuda:3", 71)
    assert foreign_call._place(frame).backend == "cuda:3"
    assert asked == [4096] * 4
    api.get_stream = kinds["get_stream"](lambda question: 4096)  # an error
    with pytest.raises(RuntimeError, match="does not tell the card"):
        foreign_call._place(frame)


def test_xla_itself_is_asked_for_them(jax, monkeypatch):
    # JAX's CPU has no streams, and XLA says so.
    monkeypatch.setattr(foreign_call, "TARGET", "as_on_a_card_without_streams")
    monkeypatch.setattr(foreign_call, "PLATFORMS", {"cpu": foreign_call.PLATFORMS["CUDA"]})
    with pytest.raises(jax.errors.JaxRuntimeError, match="XLA does not tell the card and the stream"):
        sweep(voxels(1), GRID, POINTS, RADII).block_until_ready()


def test_functions_of_xla_lie_where_its_own_header_has_them(jax):
    header = FilePath(jax.ffi.include_dir(), "xla/ffi/api/c_api.h").read_text()
    names = re.findall(r"_XLA_FFI_API_STRUCT_FIELD\(XLA_FFI_(\w+)\)", header.partition("struct XLA_FFI_Api {")[2])
    for field, name in (
        ("create_error", "Error_Create"),
        ("get_stream", "Stream_Get"),
        ("get_ordinal", "DeviceOrdinal_Get"),
    ):
        first = foreign_call.Api.create_error.offset
        assert getattr(foreign_call.Api, field).offset == first + names.index(name) * ctypes.sizeof(ctypes.c_void_p)


@pytest.mark.parametrize("platforms", [["cuda"], ["cpu", "cuda"]], ids=["cuda", "both"])
def test_programs_are_lowered_for_cuda(jax, platforms):
    def carve(occupancy, points, radius):
        return sweep(occupancy, GRID, points, radius)

    def loss(field, points, radii):
        return (sweep_field(field, GRID, points, radii) ** 2).sum()

    from jax import export

    known = [export.DisabledSafetyCheck.custom_call(foreign_call.TARGET)]
    for function, given, calls in (
        (carve, (voxels(1), POINTS, RADII), 1),
        (jax.vmap(carve, (None, None, 0)), (voxels(1), POINTS, RADII), 1),
        (loss, (box_field(), POINTS, RADII), 1),
        (jax.grad(loss, (0, 1, 2)), (box_field(), POINTS, RADII), 2),
    ):
        shapes = jax.tree.map(lambda array: jax.ShapeDtypeStruct(array.shape, jax.numpy.asarray(array).dtype), given)
        lowered = export.export(jax.jit(function), platforms=platforms, disabled_checks=known)(*shapes)
        assert lowered.platforms == tuple(platforms)
        assert lowered.mlir_module().count(f"@{foreign_call.TARGET}(") == calls


@pytest.mark.cuda
def test_programs_run_on_a_card(jax):
    try:
        place = jax.devices("cuda")[0]
    except RuntimeError as error:
        pytest.skip(f"JAX without CUDA: {error}")
    occupancy, points, radii, asked = jax.device_put((voxels(1), POINTS, RADII, query()), place)
    for operation in OPERATIONS:
        carve = jax.jit(partial(sweep, grid=GRID, operation=operation))
        expected = compute.sweep(voxels(1), GRID, (POINTS, RADII), operation, backend="cpu")
        for found in (carve(occupancy, points=points, radii=radii), sweep(occupancy, GRID, points, radii, operation)):
            assert found.devices() == {place}
            assert np.array_equal(found, expected)
    between = jax.jit(lambda occupancy: jax.numpy.logical_not(sweep(~occupancy, GRID, points * 1.0, radii)))(occupancy)
    assert np.array_equal(between, ~compute.sweep(~voxels(1), GRID, (POINTS, RADII), backend="cpu"))
    found = jax.grad(lambda points: (sweep_distance(asked, points, radii) ** 2).sum())(points)
    measured = compute.sweep_distance(query().astype(np.float32), (POINTS, RADII))
    expected = measured.vector_jacobian_product(2 * measured.distance).d_points
    np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-4)
