"""Formulas of the surface: the same bits on every engine, and known results."""

import functools
from typing import Any, NamedTuple

import numba
import numpy as np
import numpy.typing as npt
import pytest

from tests.compute.formulas import surface_probes
from voxel_carve.compute.engines.numba.compiler import formulas as numba_formulas
from voxel_carve.compute.engines.warp.device import formulas as warp_formulas
from voxel_carve.compute.formulas import hermite, language, quad_splitting, round_cone, vertex_placement, z_columns
from voxel_carve.compute.formulas.binding import Formula
from voxel_carve.compute.formulas.hermite import ON_SURFACE
from voxel_carve.compute.formulas.vertex_placement import FALLBACK, PARTLY, SHARP, SLOTS, SMOOTH
from voxel_carve.compute.model.bricks import LOWEST, NO_PRIMITIVE
from voxel_carve.compute.model.combining import Rule
from voxel_carve.compute.primitives.primitives import Primitives

Array = npt.NDArray[np.float64]

RULES = [Rule(True, True), Rule(False, False), Rule(False, True)]
BODIES, CASES = 60, 3000


class Cell(NamedTuple):
    """See `formulas.language.Cell`."""

    corner: Array
    around: npt.NDArray[np.int32]
    crossings: Array
    mean: Array
    codes: npt.NDArray[np.int32]
    signs: Array
    group: npt.NDArray[np.int64]
    normals: Array
    values: Array


def scratch(left: float) -> tuple[Cell, Array, Array]:
    """A cell, a ring and a point, filled with an old number."""
    floats = {name: np.full(shape, left) for name, shape in {"crossings": (12, 3), "values": (3, 4)}.items()}
    floats |= {"normals": np.full((SLOTS, 3), left), "signs": np.full(SLOTS, left)}
    whole = {name: np.full(SLOTS, left, np.int32) for name in ("around", "codes")}
    group, corner, mean, p = np.full(SLOTS, left, np.int64), *np.full((3, 3), left)
    return Cell(corner=corner, mean=mean, group=group, **floats, **whole), np.full((4, 3), left), p


@functools.cache
def bodies() -> Primitives:
    """Round cones, and triangles that share points, some with two equal corners."""
    rng = np.random.default_rng(0)
    axis = rng.normal(size=(BODIES, 3))
    axis /= np.linalg.norm(axis, axis=1, keepdims=True)
    slope, length = rng.uniform(-0.3, 0.3, BODIES), rng.uniform(0, 3, BODIES)
    start, radius = rng.uniform(-2, 3, (BODIES, 3)), rng.uniform(1, 2, BODIES)
    cones = np.column_stack([start, axis, length, radius, slope, slope / np.sqrt(1 - slope**2)])
    points, triangles = np.round(rng.uniform(-2, 3, (90, 3)), 1), rng.integers(0, 90, (BODIES, 3))
    a, b, c = points[triangles.T]
    normal = np.cross(b - a, c - a)
    normal /= np.maximum(np.linalg.norm(normal, axis=1, keepdims=True), 1e-9)
    return Primitives(cones, points, triangles, normal)


def numbers(case: str) -> Array:
    """Inputs of a probe, (CASES, ...)."""
    rng = np.random.default_rng(1)
    codes = rng.integers(-BODIES, BODIES, (CASES, 12)).astype(np.float64)
    codes[::50, 0], codes[1::50, 1] = NO_PRIMITIVE, LOWEST
    codes[: CASES // 4, 1:4] = codes[: CASES // 4, :1]
    codes[CASES // 4 : CASES // 2, 2:4] = codes[CASES // 4 : CASES // 2, :2]
    corner, near = rng.integers(-1, 2, (CASES, 3)), rng.random((CASES, 14))
    if case == "from_patch":
        sides = rng.integers(0, 2, (CASES, 4))
        edges = [(rng.integers(0, 8, CASES), rng.integers(0, 3, CASES), near[:, e], codes[:, e], sides[:, e])
                 for e in range(4)]  # fmt: skip
        return np.column_stack([corner, codes[:, 4:], *sum(edges, ())])
    if case == "from_edge":
        ends = np.column_stack([near[:, 0], near[:, 0] - 1])
        ends[::2] = ends[::2, ::-1]
        return np.column_stack([ends, codes[:, :2], corner + near[:, 1:4], rng.integers(0, 3, CASES)])
    if case == "from_ring":
        return np.column_stack([np.round(near[:, :12] * 2 - 1, 1), rng.integers(0, 3, CASES), near[:, 13]])
    return np.column_stack([rng.integers(0, 90, (CASES, 3)), np.round(near[:, :2] * 5 - 2, 1)])


@functools.cache
def on_numba(probe: Formula) -> Any:
    call = numba_formulas.DOUBLE(probe).dispatcher

    @numba.njit(error_model="numpy")  # type: ignore[untyped-decorator]
    def run(mesh: Any, rule: Any, cell: Any, ring: Any, p: Any, at: Any, out: Any) -> None:
        for n in range(len(at)):
            call(mesh, rule, cell, ring, p, at, n, out)

    def launched(rule: Rule, at: Array, out: Array) -> Array:
        run(bodies(), rule, *scratch(7.0), at, out)
        return out

    return launched


@functools.cache
def on_warp(probe: Formula) -> Any:
    import warp as wp

    call, types = warp_formulas.double()(probe), (language.Primitives, language.Cell, language.Ring, language.Rule)
    Mesh, Cell, Ring, How = map(warp_formulas.warp_type, types)  # noqa: N806 - structs

    @wp.kernel(module="unique", enable_backward=False)
    def run(mesh: Mesh, rule: How, at: wp.array2d[wp.float64], out: wp.array2d[wp.float64]) -> None:  # type: ignore[valid-type,name-defined]
        cell = Cell()
        ring = Ring()
        p = wp.vec3d()
        call(mesh, rule, cell, ring, p, at, wp.tid(), out)

    run.module.options |= {"fuse_fp": False, "fast_math": False, "max_unroll": 1}
    mesh = Mesh()
    for name, array in bodies()._asdict().items():
        setattr(mesh, name, wp.array(array, dtype=wp.int32 if name == "triangles" else wp.float64, device="cpu"))

    def launched(rule: Rule, at: Array, out: Array) -> Array:
        how, there = How(), wp.array(out, device="cpu")
        how.carves, how.greatest = rule
        wp.launch(run, dim=len(at), inputs=[mesh, how, wp.array(at, device="cpu"), there], device="cpu")
        return np.asarray(there.numpy())

    return launched


@pytest.mark.parametrize(("case", "width"), [("from_patch", 4), ("from_edge", 2), ("from_ring", 1), ("from_column", 2)])
def test_every_engine_gives_the_same_bits(case: str, width: int) -> None:
    probe, at = getattr(surface_probes, case), numbers(case)
    for rule in RULES if case in ("from_patch", "from_edge") else RULES[:1]:
        compiled = on_numba(probe)(rule, at, np.full((CASES, width), np.nan))
        np.testing.assert_array_equal(compiled, on_warp(probe)(rule, at, np.full((CASES, width), np.nan)))
        plain, spaces = np.full((CASES, width), np.nan), scratch(0.0)
        for n in range(0, CASES, 10):
            probe(bodies(), rule, *spaces, at, n, plain)
        np.testing.assert_array_equal(compiled[::10], plain[::10])
        if case == "from_patch":
            assert set(compiled[:, 3]) == {SMOOTH, SHARP, PARTLY, FALLBACK}
            corner = at[:, :3]
            assert (compiled[:, :3] > corner).all() and (compiled[:, :3] < corner + 1).all()
        else:
            assert len(np.unique(compiled[:, 0])) > 1


def test_an_edge_is_crossed_on_the_surface() -> None:
    mesh, rng = bodies(), np.random.default_rng(2)
    met = 0
    for _ in range(2000):
        j, axis, at = int(rng.integers(BODIES)), int(rng.integers(3)), rng.uniform(-2, 3, 3)
        ends = [round_cone.distance(mesh.segments, j, *(at + step)) for step in (0 * at, np.eye(3)[axis])]
        if (ends[0] <= 0) != (ends[1] <= 0):
            place, code = hermite.cross_edge(mesh, RULES[1], *ends, -1 - j, -1 - j, *at, axis)
            assert code == -1 - j
            assert abs(round_cone.distance(mesh.segments, j, *(at + place * np.eye(3)[axis]))) < ON_SURFACE
            met += 1
    assert met > 100


def test_a_vertex_lies_in_the_corner_of_three_planes() -> None:
    corner = np.array([0.3, 0.6, 0.4])
    points = corner + np.array([[0, 0, 0], [3, 0, 0], [0, 3, 0], [0, 0, 3]])
    mesh = Primitives(np.empty((0, 10)), points, np.array([[0, 2, 3], [0, 3, 1], [0, 1, 2]]), np.eye(3))
    cell, _, p = scratch(0.0)
    cell.around[:] = NO_PRIMITIVE
    members, p[:] = 0, 0
    for axis in range(3):
        members = vertex_placement.join_crossing(
            mesh, RULES[2], cell, axis, members, 0, axis, corner[axis], axis, False, p
        )
    assert vertex_placement.place_patch(mesh, RULES[2], 3, members, cell, p) == SHARP
    np.testing.assert_allclose(p, corner, atol=1e-12)


@pytest.mark.parametrize("first", [0, 1])
def test_a_quad_is_split_along_its_ridge(first: int) -> None:
    ring = np.array([[-0.5, -0.5, 0], [0.5, -0.5, 0], [0.5, 0.5, 0], [-0.5, 0.5, 0]])
    ring[first::2, 2] = 0.4
    assert quad_splitting.choose_split(ring, 0, 1, 2, 0.4) == first


def test_columns_pass_through_one_triangle_of_a_square_each() -> None:
    """For any triangulation. All corners and many columns lie on a coarse grid, where ties are broken."""
    rng, size = np.random.default_rng(3), 6
    y, x = np.divmod(np.arange(size * size), size)
    points = np.column_stack([x, y, x + 2.0 * y])[rng.permutation(size * size)]
    place = {(x, y): n for n, (x, y, _) in enumerate(points.tolist())}
    triangles = []
    for y in range(size - 1):
        for x in range(size - 1):
            a, b, c, d = (place[x + i, y + j] for i, j in ((0, 0), (1, 0), (1, 1), (0, 1)))
            triangles += [(a, b, c), (a, c, d)] if rng.random() < 0.5 else [(a, b, d), (b, c, d)]
    for px in np.arange(0.25, size - 1, 0.25):
        for py in np.arange(0.25, size - 1, 0.25):
            found = [z_columns.column_crossing(points, *triangle, px, py) for triangle in triangles]
            assert [above for sign, above in found if sign] == [np.floor(px + 2 * py - 0.5) + 1]
            assert sum(sign for sign, _ in found) == 1
            found = [z_columns.column_crossing(points, *triangle[::-1], px, py) for triangle in triangles]
            assert [above for sign, above in found if sign] == [np.ceil(px + 2 * py - 0.5)]
            assert sum(sign for sign, _ in found) == -1
