"""Crossings of columns: the same bits on every engine, and known results."""

import numpy as np
import numpy.typing as npt

from tests.compute.engines.uncached import call_for_rows
from tests.compute.formulas.column_probe import from_column
from voxel_carve.compute.engines.numba.compiler import formulas as numba_formulas
from voxel_carve.compute.engines.warp.device import formulas as warp_formulas
from voxel_carve.compute.formulas import language, z_columns
from voxel_carve.compute.primitives.primitives import Primitives

Array = npt.NDArray[np.float64]

CASES = 3000


def mesh_and_columns() -> tuple[Primitives, Array]:
    """Triangles that share points, some with two equal corners; and (CASES, 5) three of the points and a column."""
    rng = np.random.default_rng(1)
    points, triangles = np.round(rng.uniform(-2, 3, (90, 3)), 1), rng.integers(0, 90, (60, 3))
    mesh = Primitives(np.empty((0, 10)), points, triangles, np.zeros((60, 3)))
    return mesh, np.column_stack([rng.integers(0, 90, (CASES, 3)), np.round(rng.random((CASES, 2)) * 5 - 2, 1)])


def on_numba(mesh: Primitives, at: Array) -> Array:
    return np.asarray(call_for_rows(numba_formulas.DOUBLE(from_column), at, np.full((CASES, 2), np.nan), mesh))


def on_warp(mesh: Primitives, at: Array) -> Array:
    import warp as wp

    call, Mesh = warp_formulas.double()(from_column), warp_formulas.warp_type(language.Primitives)  # noqa: N806

    @wp.kernel(module="unique", enable_backward=False)
    def run(mesh: Mesh, at: wp.array2d[wp.float64], out: wp.array2d[wp.float64]) -> None:  # type: ignore[valid-type,name-defined]
        call(mesh, at, wp.tid(), out)

    run.module.options |= {"fuse_fp": False, "fast_math": False, "max_unroll": 1}
    there, out = Mesh(), wp.zeros((CASES, 2), dtype=wp.float64, device="cpu")
    for name, array in mesh._asdict().items():
        setattr(there, name, wp.array(array, dtype=wp.int32 if name == "triangles" else wp.float64, device="cpu"))
    wp.launch(run, dim=CASES, inputs=[there, wp.array(at, device="cpu"), out], device="cpu")
    return np.asarray(out.numpy())


def test_every_engine_gives_the_same_bits() -> None:
    mesh, at = mesh_and_columns()
    compiled, plain = on_numba(mesh, at), np.full((CASES, 2), np.nan)
    np.testing.assert_array_equal(compiled, on_warp(mesh, at))
    for n in range(0, CASES, 10):
        from_column(mesh, at, n, plain)
    np.testing.assert_array_equal(compiled[::10], plain[::10])
    assert set(compiled[:, 0]) == {-1, 0, 1}


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
