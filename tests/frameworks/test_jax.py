"""The functions for JAX: what its transformations make of them, beside `compute` and finite differences."""

import os
import subprocess
import sys
from functools import partial
from pathlib import Path as FilePath

import numpy as np
import pytest

from tests.frameworks.grooves import GRID, POINTS, RADII, box_field, query, swept_field, voxels
from voxel_carve import compute
from voxel_carve.compute import BackendError, InputError
from voxel_carve.jax import sweep, sweep_distance, sweep_field

ROOT = FilePath(__file__).resolve().parents[2]
OPERATIONS = ("subtract", "union", "intersect")

# On one core, a callback that waited for another thread of JAX would wait for ever.
SHARDED = """
import os
if hasattr(os, "sched_setaffinity"):
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
import jax, numpy as np
from jax.sharding import Mesh, PartitionSpec as P
from tests.frameworks.grooves import GRID, POINTS, RADII, box_field, query, swept_field, voxels
from voxel_carve import compute
from voxel_carve.jax import sweep, sweep_distance, sweep_field

mesh = Mesh(np.array(jax.devices()), ("z",))
assert mesh.size == 8 and GRID.shape[0] % 8 == 0 and GRID.shape[0] // 8 % 8 != 0

def carved(operation):
    def part(occupancy, points, radii):
        first = jax.lax.axis_index("z") * len(occupancy)
        return sweep(occupancy, GRID, points, radii, operation, first_layer=first)
    return jax.jit(jax.shard_map(part, mesh=mesh, in_specs=(P("z"), P(), P()), out_specs=P("z")))

for operation in ("subtract", "union", "intersect"):
    found = carved(operation)(voxels(1), POINTS, RADII)
    assert len(found.sharding.device_set) == 8
    assert np.array_equal(found, compute.sweep(voxels(1), GRID, (POINTS, RADII), operation)), operation

def fields(layers, points, radii):
    return sweep_field(layers, GRID, points, radii, first_layer=jax.lax.axis_index("z") * len(layers))

over_layers = jax.jit(jax.shard_map(fields, mesh=mesh, in_specs=(P("z"), P(), P()), out_specs=P("z")))
np.testing.assert_allclose(over_layers(box_field(), POINTS, RADII), swept_field("subtract"), atol=1e-4)

def loss(query, points, radii):
    return (sweep_distance(query, points, radii) ** 2).sum()

def shared(query, points, radii):
    return jax.lax.psum(loss(query, points, radii), "z")

arguments = (query(64).astype(np.float32), POINTS, RADII)
over_devices = jax.jit(jax.shard_map(shared, mesh=mesh, in_specs=(P("z"), P(), P()), out_specs=P()))
np.testing.assert_allclose(over_devices(*arguments), loss(*arguments), rtol=1e-5)
for one, other in zip(*(jax.grad(f, (0, 1, 2))(*arguments) for f in (over_devices, loss))):
    np.testing.assert_allclose(one, other, rtol=1e-4, atol=1e-3)

many = query(160_000).astype(np.float32)
for _ in range(4):
    over_devices(many, POINTS, RADII).block_until_ready()
print("equal")
"""


@pytest.fixture(scope="module")
def jax():
    return pytest.importorskip("jax")


@pytest.fixture
def in_doubles(jax):
    with jax.enable_x64(True) if hasattr(jax, "enable_x64") else jax.experimental.enable_x64():
        yield jax


@pytest.mark.parametrize("operation", OPERATIONS)
def test_a_field_is_combined_and_has_derivatives(in_doubles, operation):
    from jax.test_util import check_grads

    combine = in_doubles.jit(partial(sweep_field, grid=GRID, operation=operation))
    np.testing.assert_allclose(combine(box_field(), points=POINTS, radii=RADII), swept_field(operation), atol=1e-9)

    def some(field, points, radii):
        return combine(field, points=points, radii=radii)[::5, ::4, ::3]

    check_grads(some, (box_field(), POINTS.astype(float), RADII.astype(float)), order=1, modes=["rev"], eps=1e-6)


@pytest.mark.parametrize("operation", OPERATIONS)
def test_a_sweep_is_that_of_compute_with_and_without_jit(jax, operation):
    expected = compute.sweep(voxels(1), GRID, (POINTS, RADII), operation)
    carve = partial(sweep, grid=GRID, operation=operation)
    for function in (carve, jax.jit(carve)):
        found = function(voxels(1), points=POINTS, radii=RADII)
        assert isinstance(found, jax.Array)
        assert np.array_equal(found, expected)


def test_paths_may_be_cyclic_clouds_of_one_radius_and_single_balls(jax):
    for points, options in ((POINTS, {"cyclic": True}), (POINTS, {"joined": False}), (POINTS[:1], {})):
        expected = compute.sweep(voxels(1), GRID, compute.Path(points, [2.5], **options))
        assert np.array_equal(sweep(voxels(1), GRID, points, 2.5, **options), expected)
        distance = compute.sweep_distance(query(), compute.Path(points, [2.5], **options)).distance
        np.testing.assert_allclose(sweep_distance(query(), points, 2.5, **options), distance, atol=1e-5)


def test_layers_are_carved_as_in_the_whole(jax):
    expected = compute.sweep(voxels(1), GRID, (POINTS, RADII))
    carve = jax.jit(lambda part, first: sweep(part, GRID, POINTS, RADII, first_layer=first))
    for first, stop in ((0, 5), (5, 10), (13, 24)):
        assert np.array_equal(carve(voxels(1)[first:stop], first), expected[first:stop])


def test_a_batch_of_sweeps_is_one_call(jax, counted):
    calls = counted("swept")
    paths = POINTS + np.random.default_rng(2).uniform(-2, 2, (5, 1, 3)).astype(np.float32)
    widths = np.array([1.0, 2.0, 3.0], dtype=np.float32)

    def carve(points, radius):
        return sweep(voxels(1), GRID, points, radius)

    found = jax.jit(jax.vmap(jax.vmap(carve, (None, 0)), (0, None)))(paths, widths)
    assert found.shape == (5, 3, *GRID.shape)
    assert len(calls) == 1
    for row, points in enumerate(paths):
        for column, radius in enumerate(widths):
            assert np.array_equal(found[row, column], compute.sweep(voxels(1), GRID, (points, radius)))
    many = np.stack([voxels(1), voxels(2)])
    found = jax.vmap(lambda occupancy: sweep(occupancy, GRID, POINTS, RADII, "union"))(many)
    for one, occupancy in zip(found, many, strict=True):
        assert np.array_equal(one, compute.sweep(occupancy, GRID, (POINTS, RADII), "union"))


def test_a_batch_of_distances_is_one_call_and_one_search_where_the_path_is_one(jax, counted):
    calls, searches = counted("distances"), counted("sweep_distance")
    expected = compute.sweep_distance(query(), (POINTS, RADII)).distance
    found = jax.vmap(lambda point: sweep_distance(point, POINTS, RADII))(query().astype(np.float32))
    np.testing.assert_allclose(found, expected, atol=1e-5)
    assert (len(calls), len(searches)) == (1, 1)
    found = jax.vmap(lambda radius: sweep_distance(query().reshape(5, 8, 3), POINTS, radius))(np.array([1.0, 2.0]))
    for one, radius in zip(found, (1.0, 2.0), strict=True):
        expected = compute.sweep_distance(query(), (POINTS, radius)).distance
        np.testing.assert_allclose(one, expected.reshape(5, 8), atol=1e-5)
    assert (len(calls), len(searches)) == (2, 3)


@pytest.mark.parametrize("options", [{}, {"cyclic": True}, {"joined": False}], ids=["open", "cyclic", "cloud"])
def test_derivatives_of_distances_are_finite_differences(in_doubles, options):
    from jax.test_util import check_grads

    measure = partial(sweep_distance, **options)
    given = (query(), POINTS.astype(np.float64), RADII.astype(np.float64))
    check_grads(measure, given, order=1, modes=("rev",), atol=1e-5, rtol=1e-5, eps=1e-6)
    check_grads(
        in_doubles.jit(lambda query, points: measure(query, points, 2.5)), given[:2], 1, "rev", 1e-5, 1e-5, 1e-6
    )


def test_derivatives_of_a_batch_are_those_of_its_items(in_doubles):
    jax = in_doubles
    gradient = jax.grad(lambda query, points, radii: (sweep_distance(query, points, radii) ** 2).sum(), (0, 1, 2))
    paths = POINTS + np.random.default_rng(3).uniform(-1, 1, (4, 1, 3))
    for axes, given in (
        ((None, 0, None), (query(), paths, RADII)),
        ((0, None, None), (query(), POINTS, RADII)),
        ((0, 0, 0), (query()[:4], paths, np.tile(RADII, (4, 1)))),
    ):
        found = jax.jit(jax.vmap(gradient, axes))(*given)
        for item in range(len(found[0])):
            one = gradient(*(each if axis is None else each[item] for each, axis in zip(given, axes, strict=True)))
            for part, expected in zip(found, one, strict=True):
                np.testing.assert_allclose(part[item], expected, rtol=1e-9, atol=1e-12)


def test_rows_of_a_jacobian_share_one_search(in_doubles, counted):
    searches = counted("sweep_distance")
    found = in_doubles.jacrev(sweep_distance, 1)(query(), POINTS.astype(np.float64), RADII)
    assert len(searches) == 2
    measured = compute.sweep_distance(query(), (POINTS, RADII))
    for row, weights in enumerate(np.eye(len(query()))):
        np.testing.assert_allclose(found[row], measured.vector_jacobian_product(weights).d_points, atol=1e-12)


def test_an_occupancy_has_derivatives_of_zero(jax):
    count = jax.grad(lambda points: (sweep(voxels(1), GRID, points, RADII) * 1.0).sum())(POINTS)
    assert not np.any(count)


def test_second_derivatives_are_refused(jax):
    with pytest.raises(ValueError, match="cannot be differentiated"):
        jax.hessian(lambda points: sweep_distance(query(), points, RADII).sum())(POINTS)


def test_a_carving_program_learns_the_radius_of_a_groove(jax):
    found = 1.0
    measured = sweep_distance(query(), POINTS, 2.75)
    descend = jax.jit(jax.grad(lambda radius: ((sweep_distance(query(), POINTS, radius) - measured) ** 2).mean()))
    for _ in range(40):
        found = found - 0.3 * descend(found)
    assert found == pytest.approx(2.75, abs=1e-4)


def test_eight_devices_give_the_same_voxels_as_one():
    pytest.importorskip("jax")
    environment = os.environ | {"XLA_FLAGS": "--xla_force_host_platform_device_count=8", "JAX_PLATFORMS": "cpu"}
    answer = subprocess.run(
        [sys.executable, "-c", SHARDED],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert answer.stdout.endswith("equal\n"), answer.stderr


@pytest.mark.parametrize(
    ("ask", "message"),
    [
        (lambda a: sweep(a[1:], GRID, POINTS, RADII), "does not fit .* some layers of it and their first_layer"),
        (lambda a: sweep(a[:, 1:], GRID, POINTS, RADII, first_layer=0), "does not fit"),
        (lambda a: sweep(a[0], GRID, POINTS, RADII), "does not fit"),
        (lambda a: sweep(a * 1.0, GRID, POINTS, RADII), "must be of bool here, and this one is of float32: compare"),
        (lambda a: sweep(a, (0, 0, 0), POINTS, RADII), "a grid is a voxel_carve.compute.Grid, and this one is a tuple"),
        (lambda a: sweep(a, GRID, POINTS, RADII, "minus"), "unknown operation 'minus': choose subtract"),
        (lambda a: sweep(a, GRID, POINTS[:, :2], RADII), r"points of shape \(3, 2\): give \(N, 3\)"),
        (lambda a: sweep(a, GRID, POINTS[:0], 1.0), r"points of shape \(0, 3\)"),
        (
            lambda a: sweep(a, GRID, POINTS, RADII[1:]),
            r"points of shape \(3, 3\) and radii of shape \(2,\): give one for each",
        ),
        (lambda a: sweep_distance(RADII[:2], POINTS, RADII), r"points of shape \(2,\) have no distances"),
        (lambda a: sweep_distance(POINTS, POINTS[0], 1.0), r"points of shape \(3,\): give \(N, 3\)"),
    ],
)
def test_wrong_shapes_and_types_are_told_while_a_program_is_traced(jax, ask, message):
    with pytest.raises(InputError, match=message):
        jax.jit(ask)(voxels(1))


@pytest.mark.parametrize(
    ("ask", "message"),
    [
        (lambda a: sweep(a, GRID, POINTS, -RADII), "3 points whose radius is not a positive number"),
        (lambda a: sweep(a[1:], GRID, POINTS, RADII, first_layer=2), "does not fit .* from layer 2 on"),
        (lambda a: sweep_distance(POINTS * np.nan, POINTS, RADII), "coordinates that are not numbers"),
    ],
)
def test_wrong_values_are_told_when_a_program_runs(jax, ask, message):
    with pytest.raises(jax.errors.JaxRuntimeError, match=message):
        jax.block_until_ready(jax.jit(ask)(voxels(1)))


def test_without_jax_a_call_says_how_to_install_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "jax", None)
    for ask in (lambda: sweep(voxels(1), GRID, POINTS, RADII), lambda: sweep_distance(query(), POINTS, RADII)):
        with pytest.raises(BackendError, match=r"JAX cannot be imported .*pip install 'voxel-carve\[jax\]'"):
            ask()
