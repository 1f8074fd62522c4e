"""Paths with operations of their own: carved in their order, each step from the result of the one before."""

import math

import numpy as np
import pytest

from voxel_carve.compute import (
    CarveCall,
    EmptyResultError,
    InputError,
    Labels,
    Path,
    Source,
    Sweep,
    TriMesh,
    carve,
    forecast,
    keep_stock,
    run_apart,
    verify,
)
from voxel_carve.compute.attributes import CutShading, corner_normals
from voxel_carve.compute.model import steps_of
from voxel_carve.compute.model.grid import Grid
from voxel_carve.compute.primitives.segments import Segments

BOX = TriMesh.box(np.zeros(3), np.array([4.0, 3.0, 2.0]))
# Along the top: a groove, and a bead that crosses it.
GROOVE = Path([[-1.0, 1.5, 2.0], [5.0, 1.5, 2.0]], [0.5])
BEAD = Path([[2.0, -1.0, 2.0], [2.0, 4.0, 2.0]], [0.25])
WORLD = Grid(np.zeros(3), 1.0, (1, 1, 1))
# Of the bead: half of it lies in the box, and in the groove it fills the lower half too.
HALF_ROD = math.pi * 0.25**2 / 2
GROOVED = 24 - math.pi * 0.5**2 / 2 * 4


def bare_bytes(result):
    surface = result.surface
    return [each.tobytes() for each in (surface.points, surface.faces, surface.source, surface.primitive)]


def test_steps_are_runs_of_the_same_operation():
    sweep = Sweep.from_paths([GROOVE, BEAD, GROOVE, Path([[0, 0, 0]], [1.0])])
    steps = steps_of(sweep, ["subtract", "union", "union", "subtract"])
    assert [(step.operation, step.segments.tolist()) for step in steps] == [
        ("subtract", [0]),
        ("union", [1, 2]),
        ("subtract", [3]),
    ]
    assert np.array_equal(steps[1].sweep.start, sweep.start[1:3])
    (only,) = steps_of(sweep, "union")
    assert only.sweep is sweep


@pytest.mark.parametrize("operation", ["subtract", "union", "intersect"])
def test_alike_operations_are_one(operation):
    whole = carve(BOX, [GROOVE, BEAD], voxel_size=0.125, operation=operation)
    each = carve(BOX, [GROOVE, BEAD], voxel_size=0.125, operation=[operation, operation])
    assert bare_bytes(whole) == bare_bytes(each)
    assert each.report.operation == operation


def test_the_order_counts():
    """A bead laid across a groove bridges it; a groove cut through a bead parts it."""
    bead_last = carve(BOX, [GROOVE, BEAD], voxel_size=0.0625, operation=["subtract", "union"])
    groove_last = carve(BOX, [BEAD, GROOVE], voxel_size=0.0625, operation=["union", "subtract"])
    assert bead_last.report.operation == "subtract, union"
    for result in (bead_last, groove_last):
        assert result.surface.is_closed()
        assert result.report.volume == pytest.approx(result.surface.volume(), rel=1e-9)
        assert result.report.removed_volume == pytest.approx(24 - result.report.volume, abs=0.02)
        assert result.report.segments == 2 and result.report.stock_triangles == 12
    # Outside the box the bead has a rod of length 1 and half a ball at each end, above the box a half rod.
    outside = 2 * math.pi * 0.25**2 + 4 / 3 * math.pi * 0.25**3
    assert groove_last.report.volume == pytest.approx(GROOVED + outside + HALF_ROD * (3 - 1), abs=0.03)
    difference = bead_last.report.volume - groove_last.report.volume
    # Within the groove, of width 1, the bead is whole but for where its lower half meets the groove's sides.
    assert 2 * HALF_ROD * 0.9 < difference < 2 * HALF_ROD


@pytest.mark.parametrize("kind", ["remesh", "keep"])
def test_faces_know_the_first_stock_and_the_segments_of_all_paths(kind):
    job = keep_stock if kind == "keep" else carve
    sweep = Sweep.from_paths([GROOVE, BEAD, Path([[1.0, 1.5, 1.5]], [0.5])])
    result = job(BOX, sweep, voxel_size=0.0625, operation=["subtract", "union", "subtract"])
    assert result.report.result == kind and result.surface.is_closed()
    surface, face = result.surface, result.surface.face_of_triangle()
    middle = surface.points[surface.triangles()].mean(axis=1)
    source, primitive = surface.source[face], surface.primitive[face]
    assert set(np.unique(primitive[source == Source.PATH])) == {0, 1, 2}
    assert primitive[source == Source.STOCK].max() < 12
    segments = Segments.on_grid(sweep, WORLD)
    place = np.argsort(segments.order)
    cut = source == Source.PATH
    assert np.abs(segments.distance(place[primitive[cut]], middle[cut])).max() < 0.0625
    corners = BOX.corners()[primitive[~cut]]
    normal = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    normal /= np.linalg.norm(normal, axis=1)[:, None]
    assert np.abs(np.einsum("ij,ij->i", normal, middle[~cut] - corners[:, 0])).max() < 0.0625
    shading = CutShading(sweep, ["subtract", "union", "subtract"], smooth=True)
    normals = corner_normals(surface, None, shading)
    agree = np.einsum("fi,fi->f", normals.mean(axis=1), surface.face_normals())
    assert np.median(agree[surface.source == Source.PATH]) > 0.95
    assert (agree[surface.source == Source.PATH] > 0).mean() > 0.995


def test_where_a_later_step_does_not_come_the_vertices_stay():
    one = carve(BOX, [GROOVE], voxel_size=0.0625)
    dent = Path([[3.5, 0.5, 1.75]], [0.125])  # inside, so that the grid of the union is the same
    two = carve(BOX, [GROOVE, dent, dent], voxel_size=0.0625, operation=["subtract", "union", "subtract"])
    assert two.report.grid_shape == one.report.grid_shape
    known = {point.tobytes() for point in one.surface.points}
    still = [point.tobytes() in known for point in two.surface.points if point[2] < 1]
    assert len(still) > 4000 and all(still)


def test_keep_stock_leaves_faces_that_no_step_touches():
    result = keep_stock(BOX, Sweep.from_paths([GROOVE, BEAD]), 0.0625, operation=["subtract", "union"])
    assert result.report.result == "keep" and result.surface.is_closed()
    bottom = BOX.corners()[(BOX.corners()[..., 2] == 0).all(axis=1)]
    corners = result.surface.points[result.surface.triangles()]
    kept = {np.sort(each, axis=0).tobytes() for each in corners}
    assert all(np.sort(each, axis=0).tobytes() in kept for each in bottom)
    assert result.cut_face is not None
    assert ((result.cut_face >= 0) == (result.surface.source == Source.PATH)).all()
    # No face of one tool has the number of a face of another.
    primitive = result.surface.primitive[result.cut_face >= 0]
    numbers = [set(result.cut_face[result.cut_face >= 0][primitive == segment]) for segment in (0, 1)]
    assert not numbers[0] & numbers[1]


def test_a_stock_that_a_step_cannot_keep_is_remeshed_in_all_steps():
    open_box = TriMesh(BOX.points, BOX.triangles[(BOX.corners()[..., 2] != 2).any(axis=1)])
    side = Path([[-1.0, 1.5, 0.5], [1.0, 1.5, 0.5]], [0.25])
    result = keep_stock(open_box, Sweep.from_paths([side, BEAD]), 0.125, operation=["subtract", "union"])
    assert result.report.result == "remesh" and result.surface.is_closed()
    assert "remeshed, not kept" in result.report.warnings[0]
    assert bare_bytes(result) == bare_bytes(
        carve(open_box, [side, BEAD], voxel_size=0.125, operation=["subtract", "union"])
    )


def test_faces_are_merged_at_the_end_and_not_across_labels():
    labels = Labels(np.zeros(12, dtype=np.int32), np.array([1, 2], dtype=np.int32))
    arguments = {"voxel_size": 0.0625, "operation": ["subtract", "union"]}
    whole = carve(BOX, [GROOVE, BEAD], **arguments)
    few = carve(BOX, [GROOVE, BEAD], **arguments, tolerance=0.003, labels=labels)
    assert few.surface.is_closed()
    assert few.report.triangles_before == whole.surface.triangle_count() > 3 * few.report.triangles
    assert few.report.triangles == len(few.surface.faces) and few.report.tolerance == 0.003
    assert few.report.volume == pytest.approx(whole.report.volume, rel=2e-3)
    assert few.report.seconds["simplify"] > 0


def test_a_step_that_touches_nothing_is_told():
    far = Path([[9.0, 9.0, 9.0]], [0.5])
    result = carve(BOX, [GROOVE, BEAD, far], voxel_size=0.25, operation=["subtract", "union", "subtract"])
    assert any("do not touch" in warning for warning in result.report.warnings)


@pytest.mark.parametrize("work", [carve, keep_stock])
def test_the_last_path_may_have_no_radius(work):
    unseen = Path(BEAD.points, [0.0])
    result = work(BOX, [GROOVE, unseen], voxel_size=0.25, operation=["subtract", "union"])
    assert result.report.volume == pytest.approx(work(BOX, GROOVE, voxel_size=0.25).report.volume)
    assert result.report.warnings == ("2 points of the paths have a radius of 0: they were left out",)


@pytest.mark.parametrize("work", [carve, keep_stock])
def test_a_sweep_of_nothing_leaves_the_stock_whole_and_shares_nothing_with_it(work):
    for operation in ("subtract", "union"):
        result = work(BOX, Sweep.nothing(), voxel_size=0.25, operation=operation, verified=True)
        assert result.report.volume == pytest.approx(24) and result.report.removed_volume == 0
        assert verify(result.surface, BOX, Sweep.nothing(), 0.25, operation).vertices.largest < 1e-6
    told = forecast(BOX, Sweep.nothing(), 0.25, result="keep" if work is keep_stock else "remesh")
    assert told.faces == pytest.approx(result.report.faces, rel=0.25)
    with pytest.raises(EmptyResultError, match="the paths do not reach it"):
        work(BOX, Sweep.nothing(), voxel_size=0.25, operation="intersect")


@pytest.mark.parametrize(
    ("operations", "message"),
    [
        (["subtract"], "operations and paths differ in number, 1 and 2: give one for each, or one for all"),
        (["subtract", "add"], "unknown operation 'add'"),
        ("cut", "unknown operation 'cut'"),
    ],
)
def test_bad_operations_are_refused(operations, message):
    with pytest.raises(InputError, match=message):
        carve(BOX, [GROOVE, BEAD], voxel_size=0.25, operation=operations)
    with pytest.raises(InputError, match=message):
        keep_stock(BOX, Sweep.from_paths([GROOVE, BEAD]), 0.25, operation=operations)


def call(**more):
    sweep = Sweep.from_paths([GROOVE, BEAD])
    return CarveCall(BOX, sweep, 0.125, ("subtract", "union"), 0.0, None, "cpu", None, **more)


def test_verify_measures_all_steps():
    accuracy = call(verify=True).run(None).report.accuracy
    assert accuracy is not None and accuracy.vertices.count > 1000
    assert accuracy.vertices.largest < 0.125 and accuracy.vertices.rms < 0.0125


def test_a_separate_process_carves_the_same():
    fractions = []
    apart = run_apart(call(), lambda stage, done: fractions.append(done))
    assert bare_bytes(apart) == bare_bytes(call().run(None))
    assert fractions == sorted(fractions)
