"""Dense operations: against brute force over all voxels, and where the count of voxels is known exactly."""

import itertools
from functools import cache, partial

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.brute_force import segment_distances
from tests.shapes import box, hemisphere, joined, keep_triangles, lidless_box, solid_angle_winding, sphere, tube
from voxel_carve.compute import DenseBackend, Grid, InputError, Path, Sweep, TriMesh, get_backend
from voxel_carve.compute.engines.numba.field import dense as numba_dense
from voxel_carve.compute.engines.scipy import dense as scipy_dense
from voxel_carve.compute.engines.scipy.dense import ScipyBackend
from voxel_carve.compute.engines.warp.backend import WarpBackend
from voxel_carve.compute.model.bricks import BrickTable
from voxel_carve.compute.primitives.segments import Segments

BACKENDS = {"scipy": ScipyBackend, "cpu": partial(get_backend, "cpu"), "warp": partial(WarpBackend, "cpu")}


@pytest.fixture(scope="module", params=BACKENDS)
def backend(request) -> DenseBackend:
    return BACKENDS[request.param]()


def centres(grid):
    """(Z, Y, X, 3): the voxel centres, written out from the definition."""
    z, y, x = np.meshgrid(*map(np.arange, grid.shape), indexing="ij")
    return grid.origin + (np.stack([x, y, z], axis=-1) + 0.5) * grid.voxel_size


def sweep_distance(sweep, points):
    """(...) distance of points (..., 3) to a sweep."""
    return segment_distances(points, sweep).min(axis=0)


class TestBoolean:
    a = np.array([[[False, False, True, True]]])
    b = np.array([[[False, True, False, True]]])

    @pytest.mark.parametrize(
        ("operation", "expected"), [("union", [0, 1, 1, 1]), ("intersect", [0, 0, 0, 1]), ("subtract", [0, 0, 1, 0])]
    )
    def test_truth_table(self, backend, operation, expected):
        result = backend.boolean(operation, self.a, self.b)
        assert result.dtype == np.bool_
        assert result.tolist() == [[[bool(voxel) for voxel in expected]]]
        assert not np.shares_memory(result, self.a)

    def test_views_with_strides(self, backend):
        whole = np.random.default_rng(0).random((6, 8, 10)) < 0.5
        a, b = whole[::2, ::-1, 1::3], whole[1::2, :, :9:3]
        assert np.array_equal(backend.boolean("subtract", a, b), a & ~b)

    def test_bad_input(self, backend):
        with pytest.raises(InputError, match=r"shapes \(1, 1, 4\) and \(1, 4, 1\)"):
            backend.boolean("union", self.a, self.b.reshape(1, 4, 1))
        with pytest.raises(InputError, match="choose union, intersect, subtract"):
            backend.boolean("xor", self.a, self.b)
        with pytest.raises(InputError, match="uint8"):
            backend.boolean("union", self.a, self.b.astype(np.uint8))


def dilated(occupancy, kernel):
    """Every voxel by itself."""
    out = np.zeros_like(occupancy)
    middle = np.array(kernel.shape) // 2
    for voxel in np.argwhere(occupancy):
        for step in np.argwhere(kernel) - middle:
            place = voxel + step
            if (place >= 0).all() and (place < occupancy.shape).all():
                out[tuple(place)] = True
    return out


def ball_kernel(radius):
    steps = np.arange(-radius, radius + 1)
    z, y, x = np.meshgrid(steps, steps, steps, indexing="ij")
    return x * x + y * y + z * z <= radius * radius


class TestDilate:
    @settings(deadline=None, max_examples=60)
    @given(
        st.tuples(*[st.integers(1, 11)] * 3),
        st.tuples(*[st.integers(0, 4)] * 3),
        st.floats(0, 1),
        st.integers(0, 2**32 - 1),
    )
    def test_any_structuring_element(self, backend, shape, half, density, seed):
        rng = np.random.default_rng(seed)
        occupancy = rng.random(shape) < 0.1
        kernel = rng.random([2 * side + 1 for side in half]) < density
        assert np.array_equal(backend.dilate(occupancy, kernel), dilated(occupancy, kernel))

    def test_in_blocks_of_layers(self, backend, monkeypatch):
        occupancy = np.random.default_rng(1).random((13, 9, 17)) < 0.02
        whole = backend.dilate(occupancy, ball_kernel(3))
        monkeypatch.setattr(numba_dense, "VOXELS_PER_BLOCK", 3 * 9 * 17)
        assert np.array_equal(backend.dilate(occupancy, ball_kernel(3)), whole)
        assert np.array_equal(whole, dilated(occupancy, ball_kernel(3)))

    def test_one_voxel_becomes_the_element(self, backend):
        kernel = np.random.default_rng(2).random((3, 5, 7)) < 0.5
        occupancy = np.zeros((9, 9, 9), dtype=bool)
        occupancy[4, 4, 4] = True
        result = backend.dilate(occupancy, kernel)
        assert np.array_equal(result[3:6, 2:7, 1:8], kernel)
        assert result.sum() == kernel.sum()

    def test_bad_input(self, backend):
        occupancy = np.zeros((4, 4, 4), dtype=bool)
        with pytest.raises(InputError, match="odd sides"):
            backend.dilate(occupancy, np.ones((3, 2, 3), dtype=bool))
        with pytest.raises(InputError, match="axes"):
            backend.dilate(occupancy, np.ones((3, 3), dtype=bool))


def with_fin():
    """A box with a wall on one of its edges: three triangles share the edge."""
    whole = box()
    points = np.vstack([whole.points, [[1.8, 1.7, 0.1]]])
    edge = [int(np.flatnonzero((points == corner).all(axis=1))[0]) for corner in ((1, 1, -1), (1, 1, 1))]
    return TriMesh(points, np.vstack([whole.triangles, [[*edge, len(points) - 1]]]), "box with a fin")


def spindle_torus():
    """A torus that crosses itself around its axis."""
    u, v = np.meshgrid(np.arange(24), np.arange(16), indexing="ij")
    a, b = 2 * np.pi * u.ravel() / 24, 2 * np.pi * v.ravel() / 16
    ring = 0.4 + 0.8 * np.cos(b)
    points = np.column_stack([ring * np.cos(a), ring * np.sin(a), 0.8 * np.sin(b)])
    here, right = (u * 16 + v).ravel(), ((u + 1) % 24 * 16 + v).ravel()
    up, both = (u * 16 + (v + 1) % 16).ravel(), ((u + 1) % 24 * 16 + (v + 1) % 16).ravel()
    return TriMesh(
        points, np.vstack([np.column_stack([here, right, both]), np.column_stack([here, both, up])]), "spindle"
    )


def inverted(mesh):
    return TriMesh(mesh.points, mesh.triangles[:, ::-1], f"inverted {mesh.name}")


def doubled(mesh, kept):
    """Some of the faces twice: their edges are open, with multiplicity."""
    return TriMesh(mesh.points, np.vstack([mesh.triangles, mesh.triangles[kept]]), f"doubled {mesh.name}")


MESHES = [
    sphere(1.1, subdivisions=2),
    box(),
    hemisphere(1.1, subdivisions=2),
    tube(sides=16),
    lidless_box(),
    spindle_torus(),
    joined(sphere(0.9, subdivisions=2), sphere(0.8, (0.6, 0.3, 0.2), 2), name="overlapping"),
    joined(sphere(1.2, subdivisions=2), inverted(sphere(0.7, subdivisions=2)), name="hollow"),
    joined(hemisphere(1.1, subdivisions=2), box((-0.5, -0.6, -1.4), (0.7, 0.4, 0.6)), name="open and closed"),
    inverted(sphere(1.1, subdivisions=2)),
    inverted(lidless_box()),
    with_fin(),
    joined(box(), box(), name="box twice"),
    doubled(sphere(1.1, subdivisions=2), slice(0, 40)),
    keep_triangles(sphere(1.1, subdivisions=2), np.arange(128) % 7 > 0, "with many holes"),
]

# No voxel centre lies on a triangle.
GRIDS = {
    "around it": Grid([-1.473, -1.391, -1.457], 0.1417, (21, 20, 22)),
    "in whole bricks": Grid([-1.473, -1.391, -1.457], 0.1841, (16, 16, 16)),
    "within it": Grid([-0.513, -0.431, -0.347], 0.1017, (9, 7, 11)),
    "under its upper half": Grid([-1.513, -1.531, -1.547], 0.1317, (12, 23, 25)),
    "one corner": Grid([0.213, 0.131, 0.147], 0.1317, (17, 13, 19)),
    "above it": Grid([-0.513, -0.531, 1.647], 0.1317, (5, 9, 8)),
    "below it": Grid([-0.513, -0.531, -2.647], 0.1317, (5, 9, 8)),
    "a column": Grid([0.0913, 0.0731, -2.147], 0.0317, (131, 1, 2)),
    "coarse": Grid([-1.513, -1.531, -1.547], 0.7317, (5, 4, 5)),
}


def true_winding(mesh, grid):
    w = np.abs(solid_angle_winding(mesh, centres(grid).reshape(-1, 3))).reshape(grid.shape)
    w.flags.writeable = False
    return w


@cache
def known_winding(number, name):
    """That of one of the meshes in one of the grids, which all backends share."""
    return true_winding(MESHES[number], GRIDS[name])


def check_winding(backend, mesh, grid, w):
    sure = np.abs(w - 0.5) > 1e-7
    assert sure.mean() > 0.98
    wrong = (backend.voxelize_mesh(mesh, grid) != (w > 0.5)) & sure
    assert not wrong.any(), f"{wrong.sum()} of {wrong.size} voxels differ, the first at {np.argwhere(wrong)[0]}"


class TestVoxelizeMesh:
    @pytest.mark.parametrize("number", range(len(MESHES)), ids=lambda number: MESHES[number].name)
    def test_winding_number(self, backend, number):
        check_winding(backend, MESHES[number], GRIDS["around it"], known_winding(number, "around it"))

    @pytest.mark.parametrize("grid", GRIDS)
    @pytest.mark.parametrize("number", [0, 1, 2, 3, 8], ids=lambda number: MESHES[number].name)
    def test_grids_anywhere(self, backend, number, grid):
        check_winding(backend, MESHES[number], GRIDS[grid], known_winding(number, grid))

    @settings(deadline=None, max_examples=40)
    @given(st.integers(0, 2**32 - 1), st.integers(1, 9))
    def test_any_triangles(self, backend, seed, count):
        corners = np.random.default_rng(seed).uniform(-1.5, 1.5, (3 * count, 3))
        soup = TriMesh(corners, np.arange(3 * count).reshape(-1, 3))
        grid = Grid([-1.2, -1.1, -1.3], 0.173, (13, 15, 14))
        check_winding(backend, soup, grid, true_winding(soup, grid))

    def test_far_from_the_origin(self, backend):
        far, grid = np.array([1e6, -2e6, 3e6]), GRIDS["around it"]
        moved = TriMesh(MESHES[8].points + far, MESHES[8].triangles)
        there = Grid(grid.origin + far, grid.voxel_size, grid.shape)
        assert np.array_equal(backend.voxelize_mesh(moved, there), backend.voxelize_mesh(MESHES[8], grid))

    def test_box_on_voxel_borders(self, backend):
        grid = Grid([-1.0, 2.0, 0.5], 0.25, (11, 12, 13))
        low, high = grid.origin + 0.25 * np.array([3, 2, 1]), grid.origin + 0.25 * np.array([9, 11, 6])
        occupancy = backend.voxelize_mesh(box(low, high), grid)
        expected = np.zeros(grid.shape, dtype=bool)
        expected[1:6, 2:11, 3:9] = True
        assert np.array_equal(occupancy, expected)

    def test_box_as_large_as_the_grid(self, backend):
        grid = Grid([0.0, 0.0, 0.0], 0.5, (5, 9, 6))
        assert backend.voxelize_mesh(box((0, 0, 0), (3.0, 4.5, 2.5)), grid).all()

    def test_fill_holes(self, backend):
        hollow = joined(sphere(1.2, subdivisions=2), inverted(sphere(0.7, subdivisions=2)))
        grid = GRIDS["around it"]
        filled = backend.voxelize_mesh(hollow, grid, fill_holes=True)
        assert np.array_equal(filled, backend.voxelize_mesh(sphere(1.2, subdivisions=2), grid))
        # A tunnel that opens at the side of the grid is no hole.
        cut = Grid(grid.origin, grid.voxel_size, (10, *grid.shape[1:]))
        assert np.array_equal(backend.voxelize_mesh(hollow, cut, fill_holes=True), backend.voxelize_mesh(hollow, cut))


def lattice_points(radius, odd):
    """How many points of the integer lattice, or of the one half a step off it, are within a whole radius of 0."""
    steps = np.arange(-2 * radius - 2, 2 * radius + 3) if odd else np.arange(-2 * radius, 2 * radius + 1)
    doubled_steps = steps[steps % 2 == 1] if odd else steps[steps % 2 == 0]
    return sum(a * a + b * b + c * c <= 4 * radius * radius for a, b, c in itertools.product(doubled_steps, repeat=3))


class TestVoxelCentres:
    """Voxel centres lie at index + 0.5, and a distance of exactly 0 is inside."""

    grid = Grid([-3.0, 1.0, 7.0], 0.5, (23, 22, 21))

    @pytest.mark.parametrize(("radius", "known"), [(1, 7), (2, 33), (3, 123), (8, 2109)])
    def test_ball_around_a_voxel_centre(self, backend, radius, known):
        assert lattice_points(radius, odd=False) == known
        occupancy = np.ones(self.grid.shape, dtype=bool)
        centre = self.grid.origin + 0.5 * np.array([10.5, 11.5, 12.5])
        assert backend.subtract_swept_capsule(occupancy, self.grid, centre, centre, 0.5 * radius) == known
        assert not occupancy[12, 11, 10 - radius : 11 + radius].any()
        assert occupancy[12, 11, [9 - radius, 11 + radius]].all()

    @pytest.mark.parametrize("radius", [1, 2, 3, 8])
    def test_ball_around_a_voxel_corner(self, backend, radius):
        occupancy = np.ones(self.grid.shape, dtype=bool)
        corner = self.grid.origin + 0.5 * np.array([10.0, 11.0, 12.0])
        removed = backend.subtract_swept_capsule(occupancy, self.grid, corner, corner, 0.5 * radius)
        assert removed == lattice_points(radius, odd=True)
        assert np.array_equal(occupancy[4:20, 3:19, 2:18], occupancy[19:3:-1, 18:2:-1, 17:1:-1])

    def test_capsule_along_voxel_centres(self, backend):
        """Seven layers of the thirteen voxels in a disc, and the two halves of a ball."""
        occupancy = np.ones(self.grid.shape, dtype=bool)
        p0, p1 = (self.grid.origin + 0.5 * np.array([x, 11.5, 12.5]) for x in (6.5, 13.5))
        removed = backend.subtract_swept_capsule(occupancy, self.grid, p0, p1, 1.0)
        assert removed == 7 * 13 + lattice_points(2, odd=False)


def capsules(points, radii):
    return Sweep.from_paths([Path(points, radii)])


UNIT_GRID = Grid([0.0, 0.0, 0.0], 1.0, (21, 18, 27))
SWEEPS = {
    "along x": Sweep([[4.2, 9.1, 8.3]], [[20.7, 9.1, 8.3]], [3.3], [3.3]),
    "along z": Sweep([[14.2, 9.1, 2.3]], [[14.2, 9.1, 17.3]], [3.3], [3.3]),
    "diagonal": Sweep([[2.2, 3.1, 4.3]], [[21.7, 14.1, 17.3]], [2.7], [2.7]),
    "zero length": Sweep([[12.2, 9.1, 8.3]], [[12.2, 9.1, 8.3]], [5.13], [5.13]),
    "thinner than a voxel": Sweep([[2.2, 3.1, 4.3]], [[21.7, 14.1, 17.3]], [0.43], [0.43]),
    "between voxel centres": Sweep([[10.0, 9.0, 8.0]], [[10.0, 9.0, 8.0]], [0.2], [0.2]),
    "tapering": Sweep([[4.2, 5.1, 6.3]], [[20.7, 12.1, 13.3]], [5.2], [0.31]),
    "tapering steeply": Sweep([[10.2, 5.1, 6.3]], [[16.7, 8.1, 9.3]], [1.1], [7.9]),
    "ball in ball": Sweep([[10.2, 8.1, 9.3]], [[11.7, 8.6, 9.9]], [6.1], [1.3]),
    "ends on voxel centres": Sweep([[4.5, 5.5, 6.5]], [[20.5, 12.5, 13.5]], [3.17], [3.17]),
    "across the sides": Sweep([[-9.2, 9.1, 8.3]], [[40.7, 2.1, 25.3]], [4.3], [9.3]),
    "with large balls": Sweep([[-90.2, 9.1, 8.3]], [[-91.7, 2.1, 25.3]], [100.3], [99.3]),
    "many": capsules(np.random.default_rng(3).uniform(0, 20, (12, 3)), np.random.default_rng(4).uniform(0.3, 3, 12)),
}


# A few segments: two ends, and a radius at each.
SEGMENTS = st.lists(st.tuples(*[st.floats(-4, 20)] * 6, st.floats(0.02, 7), st.floats(0.02, 7)), min_size=1, max_size=5)


def sweep_of(rows):
    table = np.array(rows)
    return Sweep(table[:, :3], table[:, 3:6], table[:, 6], table[:, 7])


# Arrays and views of them that have the grid's shape.
VIEWS = {
    "reversed": ((21, 18, 27), lambda whole: whole[::-1, :, ::-1]),
    "every second": ((42, 36, 54), lambda whole: whole[::2, ::2, ::2]),
    "transposed": ((18, 27, 21), lambda whole: whole.transpose(2, 0, 1)),
    "part": ((26, 24, 36), lambda whole: whole[3:-2, 5:-1, 2:-7]),
}


@cache
def known_distance(name, origin, size):
    """That of the voxel centres to one of the sweeps, in voxels, which all backends share."""
    distance = sweep_distance(placed(name, origin, size), centres(Grid(origin, size, UNIT_GRID.shape))) / size
    distance.flags.writeable = False
    return distance


def placed(name, origin, size):
    """One of the sweeps in a grid with this origin and this size of voxels."""
    sweep, origin = SWEEPS[name], np.array(origin)
    return Sweep(
        origin + size * sweep.start, origin + size * sweep.end, size * sweep.start_radius, size * sweep.end_radius
    )


def check_sweep(backend, sweep, grid, distance, margin=1e-5):
    rng = np.random.default_rng(5)
    before = rng.random(grid.shape) < 0.7
    occupancy = before.copy()
    removed = backend.subtract_sweep(occupancy, grid, sweep)
    sure = np.abs(distance) > margin
    assert sure.mean() > 0.99
    assert np.array_equal(occupancy[sure], (before & (distance > 0))[sure])
    assert removed == before.sum() - occupancy.sum()
    assert type(removed) is int
    return removed


class TestSubtractSweep:
    @pytest.mark.parametrize("name", SWEEPS)
    def test_against_brute_force(self, backend, name):
        distance = known_distance(name, (0.0, 0.0, 0.0), 1.0)
        margin = 2e-4 if name == "with large balls" else 1e-5
        removed = check_sweep(backend, SWEEPS[name], UNIT_GRID, distance, margin)
        assert (removed > 0) == (name != "between voxel centres")

    @pytest.mark.parametrize("name", SWEEPS)
    def test_far_from_the_origin(self, backend, name):
        there = (1e6, -1e6, 1e6), 0.37
        grid = Grid(*there, UNIT_GRID.shape)
        check_sweep(backend, placed(name, *there), grid, known_distance(name, *there), margin=2e-4)

    @settings(deadline=None, max_examples=80)
    @given(SEGMENTS)
    def test_any_sweep(self, backend, rows):
        sweep, grid = sweep_of(rows), Grid(np.zeros(3), 1.0, (9, 17, 12))
        check_sweep(backend, sweep, grid, sweep_distance(sweep, centres(grid)), margin=5e-5)

    @settings(deadline=None, max_examples=30)
    @given(st.permutations(range(7)), st.lists(st.booleans(), min_size=7, max_size=7))
    def test_order_does_not_matter(self, backend, order, turned):
        """Of segments on the lattice, where many voxels lie exactly on the surface, or as near to two segments."""
        rng = np.random.default_rng(6)
        start, end = rng.integers(3, 15, (7, 3)) + 0.5, rng.integers(3, 15, (7, 3)) + 0.5
        radius = rng.integers(1, 5, (7, 2)).astype(float)
        sweep = Sweep(start, end, radius[:, 0], radius[:, 1])
        turned = np.array(turned)[:, None]
        start, end = np.where(turned, end, start)[order], np.where(turned, start, end)[order]
        radius = np.where(turned, radius[:, ::-1], radius)[order]
        one, two = np.ones((2, *UNIT_GRID.shape), dtype=bool)
        removed = backend.subtract_sweep(one, UNIT_GRID, sweep)
        assert backend.subtract_sweep(two, UNIT_GRID, Sweep(start, end, radius[:, 0], radius[:, 1])) == removed
        assert np.array_equal(one, two)

    def test_capsule_is_a_sweep_of_one_segment(self, backend):
        one, two = np.ones((2, *UNIT_GRID.shape), dtype=bool)
        removed = backend.subtract_swept_capsule(one, UNIT_GRID, (4.2, 5.1, 6.3), (20.7, 12.1, 13.3), 3.3)
        sweep = Sweep([[4.2, 5.1, 6.3]], [[20.7, 12.1, 13.3]], [3.3], [3.3])
        assert backend.subtract_sweep(two, UNIT_GRID, sweep) == removed > 0
        assert np.array_equal(one, two)

    def test_twice_takes_nothing_more(self, backend):
        occupancy = np.ones(UNIT_GRID.shape, dtype=bool)
        assert backend.subtract_sweep(occupancy, UNIT_GRID, SWEEPS["many"]) == (~occupancy).sum()
        assert backend.subtract_sweep(occupancy, UNIT_GRID, SWEEPS["many"]) == 0

    def test_outside_of_the_grid(self, backend):
        occupancy = np.ones(UNIT_GRID.shape, dtype=bool)
        assert backend.subtract_sweep(occupancy, UNIT_GRID, Sweep([[60, 60, 60]], [[90, 60, 60]], [9], [9])) == 0
        assert occupancy.all()

    @pytest.mark.parametrize("name", VIEWS)
    def test_views_with_strides(self, backend, name):
        shape, view_of = VIEWS[name]
        whole, plain = np.ones(shape, dtype=bool), np.ones(UNIT_GRID.shape, dtype=bool)
        view = view_of(whole)
        removed = backend.subtract_sweep(view, UNIT_GRID, SWEEPS["many"])
        assert removed == backend.subtract_sweep(plain, UNIT_GRID, SWEEPS["many"]) > 0
        assert np.array_equal(view, plain)
        assert (~whole).sum() == removed

    @pytest.mark.parametrize("height", [1, 3, 8, 13])
    def test_slabs(self, backend, height):
        segments, table = Segments.on_grid(SWEEPS["many"], UNIT_GRID), BrickTable.over(UNIT_GRID)
        binned = backend.bin_segments(segments, UNIT_GRID)
        whole, slabs = np.ones((2, *UNIT_GRID.shape), dtype=bool)
        removed = sum(
            backend.subtract_segments(slabs[first : first + height], first, segments, binned, table)
            for first in range(0, UNIT_GRID.shape[0], height)
        )
        assert removed == backend.subtract_segments(whole, 0, segments, binned, table) > 0
        assert np.array_equal(whole, slabs)

    def test_in_blocks_of_bricks(self, backend, monkeypatch):
        whole, blocks = np.ones((2, *UNIT_GRID.shape), dtype=bool)
        removed = backend.subtract_sweep(whole, UNIT_GRID, SWEEPS["many"])
        monkeypatch.setattr(scipy_dense, "VOXELS_PER_BLOCK", 1)
        assert backend.subtract_sweep(blocks, UNIT_GRID, SWEEPS["many"]) == removed
        assert np.array_equal(whole, blocks)

    def test_bad_input(self, backend):
        occupancy, sweep = np.ones(UNIT_GRID.shape, dtype=bool), SWEEPS["many"]
        with pytest.raises(InputError, match="does not fit"):
            backend.subtract_sweep(occupancy[1:], UNIT_GRID, sweep)
        with pytest.raises(InputError, match="nothing but 0 and 1"):
            backend.subtract_sweep(occupancy.astype(np.uint8) + 1, UNIT_GRID, sweep)
        with pytest.raises(InputError, match="float32"):
            backend.subtract_sweep(occupancy.astype(np.float32), UNIT_GRID, sweep)
        with pytest.raises(InputError, match="list"):
            backend.subtract_sweep(occupancy.tolist(), UNIT_GRID, sweep)
        with pytest.raises(InputError, match=r"points of shape \(2,\)"):
            backend.subtract_swept_capsule(occupancy, UNIT_GRID, (0, 0), (1, 1, 1), 1.0)
        for radius in (0.0, -1.0, np.nan, np.inf):
            with pytest.raises(InputError, match="radii"):
                backend.subtract_swept_capsule(occupancy, UNIT_GRID, (0, 0, 0), (1, 1, 1), radius)
        with pytest.raises(InputError, match="finite"):
            backend.subtract_swept_capsule(occupancy, UNIT_GRID, (0, 0, np.nan), (1, 1, 1), 1.0)
        occupancy.flags.writeable = False
        with pytest.raises(InputError, match="read-only"):
            backend.subtract_sweep(occupancy, UNIT_GRID, sweep)
        assert occupancy.all()
