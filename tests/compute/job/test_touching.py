"""Paths that leave no trace in the voxels: told from those that are nowhere near the stock."""

import numpy as np
import pytest

from tests.command_line import run
from tests.shapes import box, joined, sphere
from voxel_carve.compute import EmptyResultError, Path, Source, Sweep, carve, keep_stock
from voxel_carve.compute.exact.touching import thickness
from voxel_carve.compute.model.grid import Grid
from voxel_carve.compute.primitives.segments import Segments
from voxel_carve.compute.primitives.triangles import Triangles
from voxel_carve.formats import write_meshes

VOXEL = 1 / 16


def sweep(points, *radii) -> Sweep:
    return Sweep.from_paths([Path(points, radii)])


def thick(stock, body, operation="subtract") -> float:
    """In Blender units."""
    grid = Grid(np.zeros(3), VOXEL, (1, 1, 1))
    return VOXEL * thickness(Triangles.on_grid(stock, grid), Segments.on_grid(body, grid), operation)


def traces(result) -> bool:
    return bool((result.surface.source == Source.PATH).any())


ACROSS = [[-2, 0.03, 0.02], [2, 0.03, 0.02]]


@pytest.mark.parametrize(
    ("body", "shared", "added"),
    [
        (sweep(ACROSS, 0.01), 0.02, 0.02),
        (sweep([[-0.5, 0, 0], [0.5, 0, 0]], 0.01), 0.02, 0),
        (sweep([[0, 0, 3]], 0.5), 0, 0.1),
        (sweep([[-3, 0, 1.3], [3, 0, 1.3]], 0.31), 0.01, 0.1),
        (sweep([[-3, 0, 1.3], [3, 0, 1.3]], 0.29), 0, 0.1),
        (sweep([[-1, 0, 0.99], [1, 0, 0.99]], 0.03), 0.04, 0.03),
        # Resting on the top, to the last digit of its coordinates.
        (sweep([[-3, 0, 1.25], [3, 0, 1.25]], 0.25), 0, 0.1),
        # Past a corner, in its nearest point only 0.002 deep.
        (sweep([[3, -1, 1.1], [-1, 3, 1.1]], np.sqrt(0.01) + 0.002), 0.002, 0.1),
        # A cone that is thick enough for the top only just before it is past the box.
        (sweep([[-3, 0, 1.18], [3, 0, 1.18]], 0.05, 0.25), 0.0034, 0.1),
    ],
    ids=["through", "inside", "far", "groove", "above", "on the face", "resting", "corner", "cone"],
)
def test_thickness(body, shared, added):
    """Where it is more than a voxel's diagonal, only that is known."""
    enough = 3**0.5 * VOXEL
    for operation, expected in (("subtract", shared), ("intersect", shared), ("union", added)):
        found = thick(box(), body, operation)
        assert found >= enough if expected == 0.1 else found == pytest.approx(expected, abs=0.02 * VOXEL)


class TestMessages:
    @pytest.mark.parametrize("height", [0.0, 0.02])
    def test_a_path_thinner_than_a_voxel_is_not_said_to_miss(self, height):
        """Whether some voxel's volume counts it or none does: no face shows it."""
        body = sweep([[-2, height, height], [2, height, height]], 0.004)
        result = carve(box(), body, VOXEL, backend="cpu")
        assert result.report.warnings == (
            "what the paths take out of 'box' is thinner than a voxel: it comes back whole; "
            "use voxels of at most 0.004, or a larger radius",
        )
        assert not traces(result)

    @pytest.mark.parametrize("carving", [carve, keep_stock])
    def test_of_several_steps_the_one_without_a_trace_is_named(self, carving):
        """The others change the stock, so it does not come back whole."""
        groove, far = Path([[-2, 0, 1], [2, 0, 1]], [0.25]), Path([[9, 9, 9]], [0.5])
        inside = Path([[-0.5, 0, -0.5], [0.5, 0, -0.5]], [0.1])
        result = carving(
            box(), [groove, inside, far], VOXEL, operation=["subtract", "union", "subtract"], backend="cpu"
        )
        assert result.report.warnings == (
            "the paths of step 2 lie inside 'box': it changes nothing",
            "the paths of step 3 do not touch 'box': it changes nothing",
        )

    def test_a_step_that_is_too_thin_for_the_voxels_is_named(self):
        bead, thin = Path([[-2, 0, 1], [2, 0, 1]], [0.25]), Path(ACROSS, [0.004])
        result = carve(box(), [bead, thin], VOXEL, operation=["union", "subtract"], backend="cpu")
        assert result.report.warnings == (
            "what step 2 takes out of 'box' is thinner than a voxel: it changes nothing; use voxels of at most 0.004, "
            "or a larger radius",
        )

    @pytest.mark.parametrize("operation", ["subtract", "union", "intersect"])
    def test_the_voxel_size_that_is_named_shows_it(self, operation):
        body = sweep([[0.8, 0.01, 0.02], [1.2, 0.01, 0.02]], 0.02)
        try:
            told = carve(box(), body, VOXEL, operation=operation, backend="cpu").report.warnings[0]
        except EmptyResultError as error:
            told = str(error)
        assert "is thinner than a voxel" in told
        size = float(told.split("at most ")[1].split(",")[0])
        assert size == pytest.approx(0.02)
        small = box((0.6, -0.2, -0.2), (1, 0.2, 0.2))
        assert traces(carve(small, body, size, operation=operation, backend="cpu"))

    def test_union_says_where_nothing_is_added(self):
        inside = carve(box(), sweep([[0, 0, 0]], 0.3), VOXEL, operation="union", backend="cpu")
        assert inside.report.warnings == ("the paths lie inside 'box': it comes back whole",)
        thin = carve(box(), sweep(ACROSS, 0.004), VOXEL, operation="union", backend="cpu")
        assert thin.report.warnings[0].startswith("what the paths add to 'box' is thinner than a voxel")

    def test_intersect_says_why_nothing_is_left(self):
        with pytest.raises(EmptyResultError, match="what the paths share with it is thinner than a voxel; use voxels"):
            carve(box(), sweep([[-2, 0.06, 0.06], [2, 0.06, 0.06]], 0.001), VOXEL, operation="intersect", backend="cpu")
        with pytest.raises(EmptyResultError, match="the paths do not reach it"):
            carve(box(), sweep([[5, 5, 5]], 0.1), VOXEL, operation="intersect", backend="cpu")

    def test_a_body_that_is_swallowed_leaves_no_trace_either(self):
        two = joined(box(), box((3, 0, 0), (3.3, 0.3, 0.3)))
        result = carve(two, sweep([[3.1, 0.1, 0.1]], 0.6), VOXEL, backend="cpu")
        assert not traces(result)
        assert result.report.warnings == ()

    @pytest.mark.parametrize("operation", ["subtract", "union"])
    def test_keep_stock_says_the_same(self, operation):
        stock = sphere()
        for body in (sweep(ACROSS, 0.004), sweep([[5, 5, 5]], 0.1), sweep([[0, 0, 0]], 0.3)):
            kept = keep_stock(stock, body, VOXEL, operation=operation, backend="cpu")
            assert kept.report.result == "keep"
            if not traces(kept):
                remeshed = carve(stock, body, VOXEL, operation=operation, backend="cpu")
                assert kept.report.warnings == remeshed.report.warnings

    def test_progress_keeps_its_stage_and_does_not_run_back(self):
        seen = []
        carve(box(), sweep(ACROSS, 0.004), VOXEL, backend="cpu", progress=lambda *at: seen.append(at))
        assert all(stage for stage, _ in seen)
        assert [at for _, at in seen] == sorted(at for _, at in seen)

    def test_the_command_line_says_it(self, tmp_path):
        write_meshes(tmp_path / "box.stl", [box()])
        (tmp_path / "tool.csv").write_text("x,y,z,radius\n-2,0.03,0.02,0.004\n2,0.03,0.02,0.004\n")
        done = run(["--stock", "box.stl", "--path", "tool.csv", "--resolution", "32", "--output", "out.stl"], tmp_path)
        assert done.status == 0
        assert "'box.stl' is thinner than a voxel: it comes back whole; use voxels of at most 0.004" in done.err
