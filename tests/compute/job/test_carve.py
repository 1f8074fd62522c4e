"""The job as a whole, on the CPU: volumes against closed forms, sides against brute force, and what it refuses."""

import subprocess
import sys

import numpy as np
import pytest
from manifold3d import Error, Manifold, Mesh

from tests.shapes import ball_union_distance, box, hemisphere, joined, lidless_box, solid_angle_winding, sphere, tube
from voxel_carve.compute import (
    CarveCancelled,
    EmptyResultError,
    InputError,
    MemoryLimitError,
    Path,
    Source,
    Sweep,
    TriMesh,
    carve,
    prepare,
)
from voxel_carve.compute.model import voxel_size_for_resolution

DIAGONAL = Sweep.from_paths([Path([[-2, -0.3, 0.1], [2, 0.4, 0.6]], [0.4])])
TAPER = Sweep.from_paths([Path([[-0.2, 0.1, -0.5], [0.3, -0.1, 0.6]], [0.4, 0.15])])


def capsule_volume(length, radius):
    return np.pi * radius**2 * length + 4 / 3 * np.pi * radius**3


def round_cone_volume(length, a, b):
    """Two spherical caps and a frustum between the circles where the cone touches the balls."""
    sine = (a - b) / length
    cosine = np.sqrt(1 - sine**2)
    frustum = np.pi / 3 * (length + (b - a) * sine) * cosine**2 * (a * a + a * b + b * b)

    def cap(radius, height):
        return np.pi * height**2 * (3 * radius - height) / 3

    return frustum + cap(a, a * (1 + sine)) + cap(b, b * (1 - sine))


def as_manifold(surface):
    return Manifold(Mesh(surface.points.astype(np.float32), surface.triangles().astype(np.uint32)))


def check_sides(stock, sweep, voxel_size, operation):
    """The result is a manifold, and points farther than 1.5 voxels from both surfaces lie on the right side of it."""
    result = carve(stock, sweep, voxel_size, operation=operation, backend="cpu")
    solid = as_manifold(result.surface)
    assert solid.status() == Error.NoError
    assert result.report.closed
    assert solid.volume() == pytest.approx(result.report.volume, rel=1e-4)

    low, high = result.surface.points.min(axis=0), result.surface.points.max(axis=0)
    points = np.random.default_rng(5).uniform(low - voxel_size, high + voxel_size, (400, 3))
    winding = np.abs(solid_angle_winding(stock, points))
    swept = ball_union_distance(points, sweep, balls=400)
    in_stock, in_sweep = winding > 0.5, swept < 0
    expected = {"subtract": in_stock & ~in_sweep, "union": in_stock | in_sweep, "intersect": in_stock & in_sweep}
    found = solid_angle_winding(result.surface.to_tri_mesh(), points) > 0.5
    off = np.abs(np.linalg.norm(result.surface.points[None] - points[:, None], axis=2)).min(axis=1)
    far = off > 1.5 * voxel_size
    assert far.sum() > 100
    assert (found == expected[operation])[far].all()
    return result


class TestVolume:
    @pytest.mark.parametrize(
        ("stock", "sweep", "removed"),
        [
            (box(), Sweep.from_paths([Path([[-0.4, 0, 0], [0.4, 0, 0]], [0.3])]), capsule_volume(0.8, 0.3)),
            (
                box(),
                Sweep.from_paths([Path([[-0.3, -0.2, 0], [0.3, 0.2, 0.4]], [0.3])]),
                capsule_volume(np.sqrt(0.68), 0.3),
            ),
            (sphere(subdivisions=6), Sweep.from_paths([Path([[0, 0, 0.1]], [0.5])]), 4 / 3 * np.pi * 0.125),
            (
                box(),
                Sweep.from_paths([Path([[-0.3, 0, 0], [0.4, 0, 0]], [0.5, 0.2])]),
                round_cone_volume(0.7, 0.5, 0.2),
            ),
            (box(), Sweep.from_paths([Path([[-2, 0, 1], [2, 0, 1]], [0.4])]), np.pi * 0.16),
        ],
        ids=["capsule", "diagonal capsule", "ball in a sphere", "round cone", "half round groove"],
    )
    def test_removed_volume_comes_nearer_with_finer_voxels(self, stock, sweep, removed):
        errors = []
        for resolution in (32, 64, 128):
            result = carve(stock, sweep, voxel_size_for_resolution(stock, resolution), backend="cpu")
            errors.append(abs(result.report.removed_volume / removed - 1))
            whole = np.prod(stock.bounds()[1] - stock.bounds()[0]) if stock.name == "box" else 4 / 3 * np.pi
            assert result.report.volume == pytest.approx(whole - removed, rel=1.2 / resolution)
        assert errors[0] < 0.03
        assert errors[1] < 0.01
        assert errors[2] < 0.003

    @pytest.mark.parametrize("voxels", [1e5, 1e7, 1e9, 1e12])
    @pytest.mark.parametrize("lean", [None, 0.0, 0.4], ids=["ball", "capsule", "round cone"])
    def test_a_giant_takes_half_of_a_box(self, lean, voxels):
        """Its side passes the box's middle, and is a plane there: where a segment leans on it, its radius shrinks."""
        normal, across = np.array([2, 3, 6]) / 7, np.array([6, 2, -3]) / 7
        radius = voxels / 16
        axis = 10 * (np.sqrt(1 - lean**2) * across - lean * normal) if lean is not None else np.zeros(3)
        shrinks = 10 * (lean or 0)
        giant = Sweep(radius * normal - axis, radius * normal + axis, radius + shrinks, radius - shrinks)
        result = carve(box(), giant, 1 / 16, backend="cpu")
        assert result.report.volume == pytest.approx(4, rel=1e-3)
        assert result.report.removed_volume == pytest.approx(4, rel=1e-3)

    @pytest.mark.parametrize("length", [1e4, 1e7, 1e10])
    def test_a_long_segment_is_as_thick_everywhere(self, length):
        result = carve(box(), Sweep([-0.7 * length, 0.1, 0.2], [length, 0.1, 0.2], 0.3, 0.3), 1 / 32, backend="cpu")
        assert result.report.volume == pytest.approx(8 - 2 * np.pi * 0.3**2, rel=1e-3)

    def test_union_and_intersect_share_out_the_volume(self):
        stock, sweep = box(), Sweep.from_paths([Path([[0, 0, 0], [2, 0, 0]], [0.5])])
        inside, whole = np.pi * 0.25 + 2 / 3 * np.pi * 0.125, capsule_volume(2, 0.5)
        union = carve(stock, sweep, 2 / 96, operation="union", backend="cpu")
        intersect = carve(stock, sweep, 2 / 96, operation="intersect", backend="cpu")
        assert union.report.volume == pytest.approx(8 + whole - inside, rel=0.004)
        assert union.report.removed_volume == pytest.approx(inside - whole, rel=0.004)
        assert intersect.report.volume == pytest.approx(inside, rel=0.02)
        assert intersect.report.removed_volume == pytest.approx(8 - inside, rel=0.004)

    def test_voxel_centres_lie_at_half_indices(self):
        """A half-voxel error would move each side of the box by half a voxel: 2 % of the length at this size."""
        stock = box((0.0, 0.0, 0.0), (3.0, 2.0, 1.0))
        outside = Sweep.from_paths([Path([[9, 9, 9]], [1])])
        result = carve(stock, outside, 1 / 24, backend="cpu")
        low, high = result.surface.points.min(axis=0), result.surface.points.max(axis=0)
        assert low == pytest.approx([0, 0, 0], abs=1e-6)
        assert high == pytest.approx([3, 2, 1], abs=1e-6)


class TestSides:
    @pytest.mark.parametrize("operation", ["subtract", "union", "intersect"])
    @pytest.mark.parametrize("sweep", [DIAGONAL, TAPER], ids=["through", "taper"])
    def test_box(self, sweep, operation):
        check_sides(box(), sweep, 1 / 16, operation)

    @pytest.mark.parametrize(
        "stock",
        [hemisphere(subdivisions=3), tube(), lidless_box()],
        ids=["hemisphere", "tube", "lidless box"],
    )
    def test_open_stock_is_closed_by_the_winding_number(self, stock):
        result = check_sides(stock, TAPER, 1 / 16, "subtract")
        assert (result.surface.source == Source.CLOSURE).sum() > 50
        assert any("open edges" in warning for warning in result.report.warnings)

    def test_the_sheet_can_lie_far_from_every_triangle(self):
        """The middle of the sheet over a hemisphere is many voxels away from any triangle."""
        stock, voxel_size = hemisphere(subdivisions=4), 2 / 96
        surface = carve(stock, TAPER, voxel_size, backend="cpu").surface
        points = surface.points[np.unique(surface.faces[surface.source == Source.CLOSURE])]
        reach = np.linalg.norm(points[:, None] - stock.points, axis=2).min(axis=1) / voxel_size
        assert reach.max() > 30
        assert np.abs(np.abs(solid_angle_winding(stock, points[reach > 4])) - 0.5).max() < 0.01

    def test_crossing_shells_unite(self):
        stock = joined(sphere(subdivisions=3), sphere(centre=(0.8, 0.1, 0), subdivisions=3))
        check_sides(stock, TAPER, 1 / 16, "subtract")

    def test_shell_inside_a_shell_makes_no_hole(self):
        stock = joined(box(), sphere(0.5, subdivisions=3))
        result = carve(stock, Sweep.from_paths([Path([[9, 9, 9]], [1])]), 1 / 16, backend="cpu")
        assert result.report.volume == pytest.approx(8, rel=0.01)

    def test_inverted_stock_counts_and_warns(self):
        stock = box()
        turned = TriMesh(stock.points, stock.triangles[:, ::-1], "turned")
        result = check_sides(turned, DIAGONAL, 1 / 16, "subtract")
        assert any("inverted" in warning for warning in result.report.warnings)

    @pytest.mark.parametrize("apart", [0.1, 0.02])
    def test_sheets_over_each_other_get_a_larger_grid(self, apart):
        """Two parallel squares that look the same way enclose a bulge above and below them."""
        square = TriMesh([[-1, -1, 0], [1, -1, 0], [1, 1, 0], [-1, 1, 0]], [[0, 1, 2], [0, 2, 3]])
        stock = joined(square, TriMesh(square.points + np.array([0, 0, apart]), square.triangles), name="squares")
        outside = Sweep.from_paths([Path([[9, 9, 9]], [0.5])])
        result = carve(stock, outside, 1 / 16, open_stock="fill", backend="cpu")
        assert result.report.closed
        assert result.surface.points[:, 2].max() > 0.3
        assert (
            np.abs(np.abs(solid_angle_winding(stock, result.surface.points)) - 0.5)[
                np.abs(result.surface.points[:, 2] - 0.05) > 0.15
            ].max()
            < 0.03
        )

    @pytest.mark.parametrize("shift", [(0, 0), (0.13, 0.07)])
    @pytest.mark.parametrize("side", [-1, 1])
    def test_a_small_bump_of_the_sheet_over_a_side_is_not_cut_off(self, side, shift):
        """Three small open discs over each other, just outside of a box: the sheet bulges beyond them."""
        angle = 2 * np.pi * np.arange(24) / 24
        rim = np.column_stack([0.1 * np.cos(angle) + shift[0], 0.1 * np.sin(angle) + shift[1], np.zeros(24)])
        fan = np.array([(0, i, i + 1) for i in range(1, 23)])
        discs = [TriMesh(rim + np.array([0, 0, side * (1.05 + 0.002 * i)]), fan) for i in range(3)]
        result = carve(joined(box(), *discs), Sweep.from_paths([Path([[9, 9, 9]], [1])]), 2 / 128, backend="cpu")
        assert result.report.closed
        assert (side * result.surface.points[:, 2]).max() == pytest.approx(1.14, abs=0.01)


class TestDeterminism:
    def test_same_bytes_twice_and_in_another_order(self):
        rng = np.random.default_rng(2)
        paths = [Path(rng.uniform(-1, 1, (5, 3)), rng.uniform(0.05, 0.2, 5)) for _ in range(8)]
        stock = sphere(subdivisions=3)
        first, *others = (
            carve(stock, Sweep.from_paths(order), 1 / 24, backend="cpu").surface
            for order in (paths, paths, paths[::-1], paths[3:] + paths[:3])
        )
        for other in others:
            assert first.points.tobytes() == other.points.tobytes()
            assert first.faces.tobytes() == other.faces.tobytes()
            assert first.source.tobytes() == other.source.tobytes()

    def test_a_path_and_its_reverse_give_the_same_bytes(self):
        points, radii = np.random.default_rng(3).uniform(-1, 1, (6, 3)), np.linspace(0.1, 0.3, 6)
        there = carve(box(), Sweep.from_paths([Path(points, radii)]), 1 / 16, backend="cpu").surface
        back = carve(box(), Sweep.from_paths([Path(points[::-1], radii[::-1])]), 1 / 16, backend="cpu").surface
        assert there.points.tobytes() == back.points.tobytes()

    @pytest.mark.parametrize(
        "stock",
        [sphere(subdivisions=3), pytest.param(hemisphere(subdivisions=2), marks=pytest.mark.slow)],
        ids=["closed", "open"],
    )
    def test_result_does_not_depend_on_the_chunks(self, monkeypatch, stock):
        whole = carve(stock, DIAGONAL, 1 / 24, backend="cpu").surface
        for size in (1, 7, 64):
            monkeypatch.setattr("voxel_carve.compute.field.fields.BRICKS_PER_CHUNK", size)
            monkeypatch.setattr("voxel_carve.compute.field.hole_caps.BRICKS_PER_RUN", size)
            part = carve(stock, DIAGONAL, 1 / 24, backend="cpu").surface
            assert whole.points.tobytes() == part.points.tobytes()
            assert whole.faces.tobytes() == part.faces.tobytes()

    def test_far_from_the_origin_gives_the_same_shape(self):
        near = carve(box(), DIAGONAL, 1 / 32, backend="cpu")
        shift = np.array([2.0**20, -(2.0**21), 2.0**19])
        stock = TriMesh(box().points + shift, box().triangles)
        sweep = Sweep(DIAGONAL.start + shift, DIAGONAL.end + shift, DIAGONAL.start_radius, DIAGONAL.end_radius)
        far = carve(stock, sweep, 1 / 32, backend="cpu")
        assert far.surface.points - shift == pytest.approx(near.surface.points, abs=1e-6)


class TestRefusals:
    def test_everything_carved_away(self):
        with pytest.raises(EmptyResultError, match="carve all of it away"):
            carve(box(), Sweep.from_paths([Path([[0, 0, 0]], [3.0])]), 1 / 16, backend="cpu")

    def test_stock_without_volume(self):
        square = TriMesh([[-1, -1, 0], [1, -1, 0], [1, 1, 0], [-1, 1, 0]], [[0, 1, 2], [0, 2, 3]], "Plane")
        with pytest.raises(EmptyResultError, match="'Plane' encloses no volume"):
            carve(square, DIAGONAL, 1 / 16, open_stock="fill", backend="cpu")

    def test_stock_that_lies_between_the_lines_of_the_grid(self):
        rod = box((-1, 0.001, 0.001), (1, 0.002, 0.002), "Rod")
        for operation in ("subtract", "intersect"):
            with pytest.raises(EmptyResultError, match=r"'Rod' encloses no volume of a voxel.*smaller voxels"):
                carve(rod, Sweep.from_paths([Path([[0, 0, 3]], [0.5])]), 2 / 64, operation=operation, backend="cpu")

    def test_a_stock_thinner_than_a_voxel_is_carved(self):
        plate = box((-1, -1, 0), (1, 1, 0.002))
        ball = Sweep.from_paths([Path([[0, 0, 0]], [0.5])])
        report = carve(plate, ball, 2 / 64, operation="intersect", backend="cpu").report
        assert report.volume == pytest.approx(0.002 * np.pi * 0.25, rel=0.01)

    def test_stock_without_size(self):
        point = TriMesh(np.ones((3, 3)), [[0, 1, 2]], "Dot")
        with pytest.raises(InputError, match="'Dot' has no size"):
            voxel_size_for_resolution(point, 64)

    def test_path_outside_warns_and_the_stock_comes_back_whole(self):
        outside = Sweep.from_paths([Path([[9, 9, 9], [9, 9, 8]], [0.5])])
        result = carve(box(), outside, 1 / 16, backend="cpu")
        assert result.report.removed_volume == 0
        assert result.report.volume == pytest.approx(8, rel=0.01)
        assert result.report.warnings == ("the paths do not touch 'box': it comes back whole",)

    def test_intersection_with_a_path_outside_is_empty(self):
        with pytest.raises(EmptyResultError, match="do not reach"):
            carve(box(), Sweep.from_paths([Path([[9, 9, 9]], [0.5])]), 1 / 16, operation="intersect", backend="cpu")

    @pytest.mark.parametrize("voxel_size", [0.0, -1.0, float("nan"), float("inf")])
    def test_voxel_size_must_be_a_positive_length(self, voxel_size):
        with pytest.raises(InputError, match="positive length"):
            carve(box(), DIAGONAL, voxel_size, backend="cpu")

    def test_voxel_size_larger_than_the_stock(self):
        with pytest.raises(InputError, match="larger than 'box', whose longest side is 2"):
            carve(box(), DIAGONAL, 2.5, backend="cpu")

    @pytest.mark.parametrize("voxel_size", [1e-5, 1e-7])
    def test_over_the_memory_limit(self, voxel_size):
        with pytest.raises(MemoryLimitError) as caught:
            carve(box(), DIAGONAL, voxel_size, backend="cpu", memory_limit=2**26)
        error = caught.value
        assert error.estimate_bytes > error.limit_bytes == 2**26
        carve(box(), DIAGONAL, error.fitting_voxel_size, backend="cpu", memory_limit=2**26)
        assert f"{error.fitting_voxel_size:.4g} would fit" in str(error)

    def test_where_no_voxel_size_fits(self):
        with pytest.raises(MemoryLimitError, match=r"needs about .* MiB and may take 1 MiB: no voxel size would fit"):
            carve(sphere(subdivisions=6), DIAGONAL, 1 / 16, backend="cpu", memory_limit=2**20)

    def test_voxel_size_beyond_all_limits(self):
        with pytest.raises(InputError, match="too small"):
            carve(box(), DIAGONAL, 1e-30, backend="cpu")

    def test_unknown_operation(self):
        with pytest.raises(InputError, match="subtract, union, intersect"):
            carve(box(), DIAGONAL, 1 / 16, operation="cut", backend="cpu")  # type: ignore[arg-type]

    def test_bad_meshes(self):
        good = box()
        with pytest.raises(InputError, match="'Cube' has no faces"):
            TriMesh(good.points, np.empty((0, 3)), "Cube")
        for bad in (np.nan, np.inf, 3e38):
            points = good.points.copy()
            points[2, 1] = points[5, 0] = bad
            with pytest.raises(InputError, match="'Cube' has 2 of 8 vertices"):
                TriMesh(points, good.triangles, "Cube")
        with pytest.raises(InputError, match="missing vertices"):
            TriMesh(good.points, good.triangles + 1, "Cube")

    def test_bad_paths(self):
        with pytest.raises(InputError, match="'Curve' has no points"):
            Path(np.empty((0, 3)), [1.0], name="Curve")
        with pytest.raises(InputError, match="no point of the paths has a radius"):
            Sweep.from_paths([Path([[0, 0, 0], [1, 0, 0]], [0.0, 0.0], name="Curve")])
        with pytest.raises(InputError, match="1 of 2 points whose radius"):
            Path([[0, 0, 0], [1, 0, 0]], [1.0, -2.0], name="Curve")
        with pytest.raises(InputError, match="1 of 2 points whose coordinates"):
            Path([[0, 0, 0], [np.nan, 0, 0]], [1.0], name="Curve")
        with pytest.raises(InputError, match="no path"):
            Sweep.from_paths([])


class TestProgress:
    def test_fractions_rise_to_one(self):
        seen = []
        carve(box(), DIAGONAL, 1 / 32, backend="cpu", progress=lambda stage, fraction: seen.append((stage, fraction)))
        fractions = [fraction for _, fraction in seen]
        assert fractions == sorted(fractions)
        assert fractions[-1] == 1.0
        assert {stage for stage, _ in seen} >= {"Voxelize", "Sweep", "Surface"}

    def test_cancel_from_the_callback(self):
        def stop(stage, fraction):
            if fraction > 0.2:
                raise CarveCancelled("stopped")

        with pytest.raises(CarveCancelled):
            carve(box(), DIAGONAL, 1 / 32, backend="cpu", progress=stop)


def test_report_holds_the_figures():
    stock = box()
    report = carve(stock, DIAGONAL, 1 / 16, backend="cpu").report
    figures = report.to_dict()
    assert figures["operation"] == "subtract"
    assert figures["backend"] == "cpu"
    assert figures["segments"] == 1
    assert figures["stock_triangles"] == 12
    assert figures["faces"] < figures["triangles"] <= 2 * figures["faces"]
    assert set(figures["seconds"]) >= {"voxelize", "sweep", "surface", "compute", "compile"}
    assert figures["seconds"]["compute"] >= figures["seconds"]["surface"]
    assert figures["peak_memory_mb"] > 10
    # Euler: the hole goes through, so the surface is a torus.
    assert figures["vertices"] - figures["triangles"] / 2 == 0


def test_counts_of_a_job_do_not_grow_unseen():
    """Work that an algorithm does in vain shows here, on every machine alike. A better one may lower these."""
    ball = sphere(0.9, subdivisions=5)
    walk = Sweep.from_paths([Path(np.random.default_rng(7).uniform(-0.8, 0.8, (200, 3)), [0.06])])
    counts = carve(ball, walk, 2 / 96, backend="cpu").report.counts
    assert counts["triangles"] == 2 * 4**6
    assert counts["segments"] == 199
    assert counts["table_bricks"] == 12**3
    assert counts["boundary_edges"] == 0
    assert counts["bricks"] <= 1070
    assert counts["stock_bricks"] <= 685
    assert counts["sweep_bricks"] <= 885
    assert counts["triangle_pairs"] <= 30_000
    assert counts["segment_pairs"] <= 7500


class TestPreparedStock:
    @pytest.mark.parametrize("operation", ["subtract", "union", "intersect"])
    @pytest.mark.parametrize("stock", [sphere(subdivisions=4), hemisphere(subdivisions=4)], ids=["closed", "open"])
    def test_gives_what_the_mesh_gives(self, stock, operation):
        prepared = prepare(stock, 1 / 20, backend="cpu")
        for sweep in (TAPER, DIAGONAL):
            expected = carve(stock, sweep, 1 / 20, operation=operation, backend="cpu")
            found = carve(prepared, sweep, 1 / 20, operation=operation, backend="cpu")
            assert np.array_equal(found.surface.points, expected.surface.points)
            assert np.array_equal(found.surface.faces, expected.surface.faces)
            assert found.report.warnings == expected.report.warnings

    def test_is_refused_where_no_job_could_be_done(self):
        with pytest.raises(MemoryLimitError, match="a voxel size of"):
            prepare(box(), 1e-5, backend="cpu")

    def test_is_for_its_own_voxel_size(self):
        prepared = prepare(box(), 1 / 16, backend="cpu")
        with pytest.raises(InputError, match=r"prepared for a voxel size of 0.0625, not 0.1: prepare it anew"):
            carve(prepared, DIAGONAL, 0.1, backend="cpu")


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells the peak of a part of a process")
@pytest.mark.parametrize(("triangles", "segments"), [(8, 5), (4, 400)])
def test_estimate_is_near_the_memory_taken(triangles, segments):
    """In a process of its own, in which kernels are loaded before."""
    script = f"""
import numpy as np, pathlib
from tests.shapes import sphere
from voxel_carve.compute import Path, Sweep, carve, get_backend
walk = Sweep.from_paths([Path(np.random.default_rng(7).uniform(-0.8, 0.8, ({segments}, 3)), [0.05])])
ball, backend = sphere(0.9, subdivisions={triangles}), get_backend("cpu")
carve(sphere(0.9), walk, 1 / 10, backend=backend)  # a small one, or its memory would be there already
pathlib.Path("/proc/self/clear_refs").write_text("5")  # the peak so far is forgotten
report = carve(ball, walk, 1 / 110, backend=backend).report
print(report.estimated_memory_mb, report.peak_memory_mb - report.memory_before_mb)
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    estimate, taken = map(float, done.stdout.split())
    assert 0.7 * taken <= estimate <= 1.3 * taken
