"""Formulas: one source, the same numbers on every engine."""

import functools
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pytest

from tests.compute.engines.uncached import call_for_rows
from tests.compute.formulas import formula_probes
from voxel_carve.compute.engines.numba.compiler import formulas as numba_formulas
from voxel_carve.compute.engines.numba.compiler.decorators import Callee
from voxel_carve.compute.engines.warp.device import formulas as warp_formulas
from voxel_carve.compute.formulas import combining, language, round_cone, triangle
from voxel_carve.compute.formulas.binding import ON_ARRAYS, Binder, Formula

Array = npt.NDArray[np.float64]

READERS = {
    "double": (numba_formulas.DOUBLE, warp_formulas.double),
    "single": (numba_formulas.SINGLE, warp_formulas.single),
}


class Bodies(NamedTuple):
    """See `formulas.language.Primitives`."""

    segments: Array
    points: Array
    triangles: npt.NDArray[np.int64]
    normal: Array


@functools.cache
def bodies() -> Bodies:
    """60 round cones, with cylinders, balls and needles; 60 triangles, with slivers and collinear corners."""
    rng, count = np.random.default_rng(1), 60
    slope, length = rng.choice([0.0, 0.3, -0.6, 0.999], count), rng.choice([0.0, 1e-9, 3.0, 50.0], count)
    axis = rng.normal(size=(count, 3))
    axis[::5] = [0, 0, 1]
    axis /= np.linalg.norm(axis, axis=1, keepdims=True)
    radius = np.maximum(length * slope, 0) + rng.choice([0.0, 2.0, 5e4], count)
    tangent = slope / np.sqrt((1 - slope) * (1 + slope))
    cones = np.column_stack([rng.normal(size=(count, 3)) * 4, axis, length, radius, slope, tangent])
    corners = np.round(rng.normal(size=(count, 3, 3)) * 3, 1)
    corners[::7, 2] = corners[::7, 1] + 1e-6
    corners[::9, 2] = 2 * corners[::9, 1] - corners[::9, 0]
    normal = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    normal /= np.maximum(np.linalg.norm(normal, axis=1, keepdims=True), 1e-9)
    normal[::9] = 0
    return Bodies(cones, corners.reshape(-1, 3), np.arange(3 * count).reshape(-1, 3), normal)


@functools.cache
def places() -> Array:
    """(N, 3) points for body n % K: random, far away, on axes and their ends, on corners, on sides and in planes."""
    rng, made = np.random.default_rng(2), bodies()
    start, axis, length = made.segments[:, :3], made.segments[:, 3:6], made.segments[:, 6:7]
    a, b, c = (made.points[made.triangles[:, i]] for i in range(3))
    near, far = rng.normal(size=(240, 3)) * 5, rng.normal(size=(60, 3)) * 1e6
    return np.concatenate([near, far, start, start + axis * length, start + axis, a, b, (a + b) / 2, (a + b + c) / 3])


@functools.cache
def numbers() -> Array:
    """(N, 13) random numbers, with zeros, integers and equal numbers among them."""
    values = np.random.default_rng(3).normal(size=(2000, 13)) * 3
    values[::3] = np.round(values[::3])
    values[1::7, :3] = 0
    return values


def on_numba(probe: Formula, read: Callable[[Formula], Callee], values: Array, out: Array, *mesh: Bodies) -> Array:
    return np.asarray(call_for_rows(read(probe), values, out, *mesh))


def on_warp(probe: Formula, read: Binder, values: Array, out: Array, *mesh: Bodies) -> Array:
    import warp as wp

    real, kept = (wp.float64 if array.dtype == np.float64 else wp.float32 for array in (values, out))
    call, Mesh = read(probe), warp_formulas.warp_type(language.Primitives)  # noqa: N806 - a struct
    there = wp.zeros(out.shape, dtype=kept, device="cpu")
    inputs = [wp.array(values, dtype=real, device="cpu"), there]
    if mesh:

        @wp.kernel(module="unique", enable_backward=False)
        def run(mesh: Mesh, values: wp.array2d[real], out: wp.array2d[kept]) -> None:  # type: ignore[valid-type]
            call(mesh, values, wp.tid(), out)

        struct = Mesh()
        for name, array in mesh[0]._asdict().items():
            setattr(struct, name, wp.array(array, dtype=wp.int32 if name == "triangles" else real, device="cpu"))
        inputs.insert(0, struct)
    else:

        @wp.kernel(module="unique", enable_backward=False)
        def run(values: wp.array2d[real], out: wp.array2d[kept]) -> None:  # type: ignore[valid-type]
            call(values, wp.tid(), out)

    run.module.options |= {"fuse_fp": False, "fast_math": False, "max_unroll": 1}
    wp.launch(run, dim=len(values), inputs=inputs, device="cpu")
    return np.asarray(there.numpy())


def in_python(probe: Formula, values: Array, out: Array, *mesh: Bodies) -> Array:
    for n in range(len(values)):
        probe(*mesh, values, n, out)
    return out


@pytest.mark.parametrize(
    ("probe", "columns", "kind"),
    [(formula_probes.from_bodies, 22, "double"), (formula_probes.from_numbers, 6, "single")],
)
def test_engines_give_the_same_bits_and_nearly_those_of_python(probe: Formula, columns: int, kind: str) -> None:
    values, mesh = (places(), (bodies(),)) if kind == "double" else (numbers(), ())
    numba_reader, warp_reader = READERS[kind]
    dtype = np.float64 if kind == "double" else np.float32
    values = values.astype(dtype)
    plain = in_python(probe, values.astype(np.float64), np.full((len(values), columns), np.nan), *mesh)
    compiled = on_numba(probe, numba_reader, values, np.full(plain.shape, np.nan, dtype), *mesh)
    there = on_warp(probe, warp_reader(), values, np.full(plain.shape, np.nan, dtype), *mesh)
    assert np.isfinite(plain).all()
    np.testing.assert_array_equal(compiled, there)
    slack = 1e-9 if kind == "double" else 1e-3
    np.testing.assert_allclose(compiled, plain, rtol=slack, atol=slack * np.abs(values).max())


def test_engines_anchor_bodies_with_the_same_bits() -> None:
    probe, at = formula_probes.from_brick, places()
    at = at[np.abs(at).max(axis=1) < 1e3]  # no brick is farther from its bodies
    shape, mesh = (34, 2 * len(at)), bodies()
    plain = in_python(probe, at, np.zeros(shape), mesh)
    compiled = on_numba(probe, READERS["double"][0], at, np.zeros(shape, np.float32), mesh)
    there = on_warp(probe, READERS["double"][1](), at, np.zeros(shape, np.float32), mesh)
    assert (plain != 0).any(axis=1).all()
    np.testing.assert_array_equal(compiled, there)
    np.testing.assert_allclose(compiled, plain, rtol=1e-6, atol=1e-6)


def test_whole_arrays_give_the_bits_of_scalars() -> None:
    mesh, at = bodies(), places()
    which = np.arange(len(at)) % len(mesh.segments)
    for formula in (round_cone.value, round_cone.nearest_ball, triangle.squared_distance, triangle.plane_value):
        of = mesh.segments if formula.__module__ == round_cone.__name__ else mesh
        columns = np.transpose(np.atleast_2d(ON_ARRAYS(formula)(of, which, *at.T)))
        rows = [np.atleast_1d(formula(of, j, *place)) for j, place in zip(which, at, strict=True)]
        np.testing.assert_array_equal(columns, rows)


def test_whole_arrays_are_anchored_with_the_bits_of_numba() -> None:
    cones, centre, voxels = bodies().segments, np.array([3.0, -2.0, 1.0]), np.random.default_rng(4).normal(size=(3, 50))
    numbers = np.zeros((round_cone.NUMBERS, len(cones)), np.float32)
    ON_ARRAYS(round_cone.anchor)(cones, np.arange(len(cones)), *centre, numbers, slice(None))
    both = np.zeros((triangle.NUMBERS, 2 * len(cones)), np.float32)
    on_numba(formula_probes.from_brick, READERS["double"][0], np.tile(centre, (len(cones), 1)), both, bodies())
    np.testing.assert_array_equal(numbers, both[: round_cone.NUMBERS, : len(cones)])
    near = ON_ARRAYS(round_cone.distance_from)(numbers[..., None], slice(None), *voxels.astype(np.float32))[0]
    exact = np.array([[round_cone.distance(cones, j, *centre + v) for v in voxels.T] for j in range(len(cones))])
    shallow = exact > -round_cone.LARGEST_RADIUS / 2  # deeper inside a large ball, only the sign is exact
    np.testing.assert_allclose(near[shallow], exact[shallow], atol=2e-2)
    assert (near[~shallow] < 0).all()


def test_a_cone_is_as_near_as_the_nearest_of_its_balls() -> None:
    mesh, at = bodies(), places()
    t = np.linspace(0, 1, 4001)
    for n, place in enumerate(at):
        row = mesh.segments[n % len(mesh.segments)]
        s = t * row[6]
        centre = row[:3] + s[:, None] * row[3:6]
        least = (np.linalg.norm(place - centre, axis=1) - (row[7] - s * row[8])).min()
        found = round_cone.distance(mesh.segments, n % len(mesh.segments), *place)
        step = row[6] / (len(t) - 1)
        assert least - step - 1e-6 <= found <= least + 1e-6


def test_a_triangle_is_as_near_as_the_nearest_of_its_points() -> None:
    mesh, at = bodies(), places()
    side = np.linspace(0, 1, 60)
    u, v = (part.ravel() for part in np.meshgrid(side, side))
    u, v = u[u + v <= 1], v[u + v <= 1]
    for n, place in enumerate(at):
        k = n % len(mesh.triangles)
        a, b, c = mesh.points[mesh.triangles[k]]
        spread = a + u[:, None] * (b - a) + v[:, None] * (c - a)
        least = np.linalg.norm(place - spread, axis=1).min()
        found = np.sqrt(triangle.squared_distance(mesh, k, *place))
        step = max(np.linalg.norm(b - a), np.linalg.norm(c - a)) / 59
        assert least - step - 1e-6 <= found <= least + 1e-6


@pytest.mark.parametrize("axis", range(3))
def test_the_box_of_a_cone_holds_its_balls_and_touches_them(axis: int) -> None:
    cones = bodies().segments
    which = np.arange(len(cones))
    low, high = ON_ARRAYS(round_cone.lowest)(cones, which, axis), ON_ARRAYS(round_cone.highest)(cones, which, axis)
    s = np.linspace(0, 1, 11)[:, None] * cones[:, 6]
    centre, radius = cones[:, axis] + s * cones[:, 3 + axis], cones[:, 7] - s * cones[:, 8]
    np.testing.assert_allclose(low, (centre - radius).min(axis=0), atol=1e-9)
    np.testing.assert_allclose(high, (centre + radius).max(axis=0), atol=1e-9)


def outer_name(x: float) -> float:
    return np.hypot(x, x)


def test_a_formula_that_no_engine_could_read_is_refused() -> None:
    with pytest.raises(TypeError, match="outer_name uses np"):
        ON_ARRAYS(outer_name)
    with pytest.raises(TypeError, match="is no formula"):
        ON_ARRAYS(np.sqrt)


def test_a_voxel_on_the_sweep_is_carved_and_a_tie_goes_to_the_stock() -> None:
    assert 0 < combining.sweep_operand(0.0, -1.0) < np.finfo(np.float32).tiny * 1.01
    assert (
        combining.sweep_operand(0.0, 1.0),
        combining.sweep_operand(0.5, -1.0),
        combining.sweep_operand(-0.5, 1.0),
    ) == (0, -0.5, -0.5)
    assert combining.is_from_sweep(0.2, 0.1, True) and combining.is_from_sweep(0.1, 0.2, False)
    assert not combining.is_from_sweep(0.2, 0.2, True) and not combining.is_from_sweep(0.2, 0.2, False)
