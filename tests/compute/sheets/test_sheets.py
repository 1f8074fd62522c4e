"""Sheets are carved as solid behind their faces, and stay as open as they are."""

import math
import time
from functools import partial

import numpy as np
import pytest

from tests import shapes
from tests.compute.sheets.reliefs import MOEBIUS, RAMP, RELIEFS, grid_sheet, path, road
from tests.fuzz.__main__ import backend_of
from voxel_carve.compute import (
    InputError,
    Path,
    Source,
    Sweep,
    TriMesh,
    carve,
    keep_stock,
    verify,
)
from voxel_carve.compute.primitives.half_edges import border, connected, face_sides
from voxel_carve.compute.sheets import has_sheets, solid, solid_of

pytest.importorskip("manifold3d")

VOXEL_SIZE = 0.02
RADIUS = 0.1
RNG = np.random.default_rng(7)
JOBS = {
    "remesh": partial(carve, voxel_size=VOXEL_SIZE, backend="cpu"),
    "warp": partial(carve, voxel_size=VOXEL_SIZE, backend=backend_of("warp")),
    "keep": partial(keep_stock, voxel_size=VOXEL_SIZE, backend="cpu"),
}


def loops(triangles) -> int:
    """The number of loops of a border."""
    tail, head = border(triangles)
    return len(np.unique(connected(tail, head, int(triangles.max()) + 1)[tail])) if len(tail) else 0


def parts(triangles) -> int:
    """The number of connected parts."""
    part = connected(*face_sides(triangles), int(triangles.max()) + 1)
    return len(np.unique(part[triangles[:, 0]]))


def assert_is_sheet(surface, count=1):
    """An oriented manifold in one part, with so many loops of border."""
    triangles = surface.triangles()
    assert not surface.is_closed()
    assert (parts(triangles), loops(triangles)) == (1, count)
    edges = np.sort(np.concatenate([triangles[:, [0, 1]], triangles[:, [1, 2]], triangles[:, [2, 0]]]), axis=1)
    assert np.unique(edges, axis=0, return_counts=True)[1].max() == 2
    assert set(np.unique(surface.source)) <= {Source.STOCK, Source.PATH}


@pytest.mark.parametrize("job", JOBS)
@pytest.mark.parametrize("turned", [False, True])
def test_a_trench_over_the_border_is_half_a_cylinder(job, turned):
    stock = grid_sheet()
    if turned:  # behind it is now above
        stock = TriMesh(stock.points, stock.triangles[:, ::-1], "turned")
    result = JOBS[job](stock, path((-2, 0.03, 0), (2, 0.03, 0), RADIUS))
    assert_is_sheet(result.surface)
    assert result.report.removed_volume == pytest.approx(math.pi * RADIUS**2, rel=6e-3)
    cut = result.surface.points[np.unique(result.surface.faces[result.surface.source == Source.PATH])]
    assert ((-1 if turned else 1) * cut[:, 2] < 1e-9).all()
    assert np.abs(np.hypot(cut[:, 1] - 0.03, cut[:, 2]) - RADIUS).max() < 0.05 * VOXEL_SIZE
    # The trench ends in the planes of the border, and the rest of the border is where it was.
    tail, _ = border(result.surface.triangles())
    assert np.abs(np.abs(result.surface.points[tail, :2]).max(axis=1) - 1).max() < 1e-9
    clear = result.surface.points[tail][np.abs(result.surface.points[tail, 1] - 0.03) > RADIUS + VOXEL_SIZE]
    assert np.abs(clear[:, 2]).max() < 1e-9
    normals = result.surface.face_normals()[result.surface.source == Source.STOCK]
    assert ((-1 if turned else 1) * normals[:, 2]).min() > 0.999


@pytest.mark.parametrize("job", JOBS)
def test_a_hole_is_as_deep_as_its_path(job):
    result = JOBS[job](grid_sheet(), path((0, 0, 0.2), (0, 0, -1), RADIUS))
    assert_is_sheet(result.surface)
    assert result.report.removed_volume == pytest.approx(math.pi * RADIUS**2 * (1 + 2 / 3 * RADIUS), rel=6e-3)


@pytest.mark.parametrize("job", ["remesh", "keep"])
@pytest.mark.parametrize("name", RELIEFS)
def test_a_relief_loses_what_a_block_of_the_same_relief_loses(job, name):
    pytest.importorskip("bpy")

    pytest.importorskip("bpy")
    from mathutils.bvhtree import BVHTree

    stock, sweep = RELIEFS[name], road(RELIEFS[name])
    result = JOBS[job](stock, sweep, voxel_size=0.01)
    assert_is_sheet(result.surface)
    block = carve(block_of(stock), sweep, 0.01, backend="cpu")
    assert block.report.closed
    assert result.report.removed_volume == pytest.approx(block.report.removed_volume, rel=5e-3)
    # Away from the path nothing is lost, and all looks where it looked.
    corners = stock.corners()
    middle, normal = corners.mean(axis=1), np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    triangles = result.surface.triangles()
    tree = BVHTree.FromPolygons(result.surface.points.tolist(), triangles.tolist(), all_triangles=True)
    for triangle in np.flatnonzero(shapes.ball_union_distance(middle, sweep, 300) > 0.03)[::7]:
        _, found, _, distance = tree.find_nearest(middle[triangle])
        assert distance < 0.002
        assert np.dot(found, normal[triangle]) > 0.9 * np.linalg.norm(normal[triangle])


def block_of(stock: TriMesh) -> TriMesh:
    """A relief over a square with walls and a flat floor far below."""
    tail, head = border(stock.triangles)
    low = stock.points.copy()
    low[:, 2] = -3
    count = len(stock.points)
    walls = [np.stack([head, tail, tail + count], axis=1), np.stack([head, tail + count, head + count], axis=1)]
    floor = stock.triangles[:, ::-1] + count
    return TriMesh(np.concatenate([stock.points, low]), np.concatenate([stock.triangles, *walls, floor]), "block")


@pytest.mark.parametrize("job", ["remesh", "keep"])
def test_a_closed_sheet_is_a_solid(job):
    stock = RELIEFS["hills"]
    result = JOBS[job](stock, road(stock), close=True)
    assert result.surface.is_closed() and result.report.closed
    assert set(np.unique(result.surface.source)) == {Source.STOCK, Source.PATH, Source.CLOSURE}
    assert result.report.volume == pytest.approx(result.surface.volume(), rel=1e-9) and result.report.volume > 0


@pytest.mark.parametrize("job", ["remesh", "keep"])
def test_other_operations(job):
    stock, half = grid_sheet(), path((-0.5, 0.03, 0), (0.5, 0.03, 0), RADIUS)
    volume = (math.pi * RADIUS**2 + 4 / 3 * math.pi * RADIUS**3) / 2
    added = JOBS[job](stock, half, operation="union")
    assert_is_sheet(added.surface)
    assert added.report.removed_volume == pytest.approx(-volume, rel=1e-2)
    shared = JOBS[job](stock, half, operation="intersect")
    assert shared.surface.is_closed()
    assert shared.report.volume == pytest.approx(volume, rel=1e-2)


def test_steps_of_both_operations():
    stock = grid_sheet()
    lines = [Path(np.array([[-2, y, 0], [2, y, 0]]), np.array([RADIUS])) for y in (-0.5, 0.5)]
    sweep = Sweep.from_paths(lines)
    result = carve(stock, sweep, VOXEL_SIZE, operation=["subtract", "union"], backend="cpu")
    assert_is_sheet(result.surface)
    heights = result.surface.points[:, 2]
    assert heights.min() == pytest.approx(-RADIUS, abs=0.1 * VOXEL_SIZE)
    assert heights.max() == pytest.approx(RADIUS, abs=0.1 * VOXEL_SIZE)


@pytest.mark.parametrize("job", ["remesh", "keep"])
def test_the_report_counts_the_time_that_closing_a_sheet_takes(job, monkeypatch):
    def slowly(*arguments):
        time.sleep(1)
        return closing(*arguments)

    closing = solid._closed
    monkeypatch.setattr(solid, "_closed", slowly)
    seconds = JOBS[job](grid_sheet(), path((-0.5, 0, 0), (0.5, 0, 0), RADIUS)).report.seconds
    assert seconds["voxelize"] >= 1 and seconds["compute"] >= 1


def test_a_sheet_with_a_hole_keeps_it():
    stock = grid_sheet()
    middle = stock.corners().mean(axis=1)
    stock = shapes.keep_triangles(stock, np.hypot(middle[:, 0] - 0.5, middle[:, 1] - 0.5) > 0.2, "holed")
    for job in ("remesh", "keep"):
        assert_is_sheet(JOBS[job](stock, path((-2, 0, 0), (2, 0, 0), RADIUS)).surface, count=2)


def test_corners_of_their_own_and_faces_of_both_sides_change_nothing():
    stock, sweep = grid_sheet(), path((-2, 0.03, 0), (2, 0.03, 0), RADIUS)
    expected = carve(stock, sweep, VOXEL_SIZE, backend="cpu").surface
    soup = TriMesh(stock.corners().reshape(-1, 3), np.arange(3 * len(stock.triangles)).reshape(-1, 3), "soup")
    both = TriMesh(stock.points, np.concatenate([stock.triangles, stock.triangles[:, ::-1]]), "both sides")
    for other in (soup, both):
        found = carve(other, sweep, VOXEL_SIZE, backend="cpu").surface
        assert np.array_equal(found.points, expected.points) and np.array_equal(found.faces, expected.faces)


def test_the_result_is_as_exact_as_that_of_a_block():
    stock, sweep = RELIEFS["hills"], road(RELIEFS["hills"])
    surface = carve(stock, sweep, VOXEL_SIZE, backend="cpu").surface
    whole = solid_of(stock, sweep, VOXEL_SIZE, "automatic").mesh
    assert verify(surface, whole, sweep, VOXEL_SIZE).vertices.largest < 0.1 * VOXEL_SIZE


# What a sheet is


def dish(angle) -> TriMesh:
    """The bottom of a ball, up to an angle from its middle, in degrees."""
    ball = shapes.sphere(1.0, subdivisions=5)
    return shapes.keep_triangles(ball, ball.corners().mean(axis=1)[:, 2] < -math.cos(math.radians(angle)), "dish")


def lidless() -> TriMesh:
    """A box without its lid."""
    box = shapes.box()
    return shapes.keep_triangles(box, box.corners()[:, :, 2].min(axis=1) < 1, "lidless")


def moved(way) -> TriMesh:
    """A flat sheet elsewhere."""
    return TriMesh(grid_sheet().points + np.array(way), grid_sheet().triangles)


SHEETS = {
    "flat": grid_sheet(),
    **RELIEFS,
    "shallow dish": dish(45),
    "with a body": shapes.joined(grid_sheet(), shapes.sphere(0.2, (0, 0, 2))),
    "two": shapes.joined(grid_sheet(), moved((3, 0, 0.5))),
}
BODIES = {
    "ball": shapes.sphere(),
    "deep dish": dish(75),
    "half a ball": shapes.hemisphere(),
    "box without a lid": lidless(),
    "tube": shapes.tube(),
    "one bowl in another": shapes.joined(shapes.hemisphere(1.0, 5), shapes.hemisphere(0.98, 5)),
    "loose triangles": TriMesh(RNG.uniform(size=(900, 3)), np.arange(900).reshape(-1, 3), "soup"),
    "two sides of a plate": shapes.joined(
        grid_sheet(), TriMesh(grid_sheet().points - [0, 0, 0.1], grid_sheet().triangles[:, ::-1])
    ),
}


@pytest.mark.parametrize("name", SHEETS)
def test_these_are_sheets(name):
    assert has_sheets(SHEETS[name])


@pytest.mark.parametrize("name", BODIES)
def test_these_are_not(name):
    assert not has_sheets(BODIES[name])


def test_suzanne_is_a_body_though_her_eyes_are_flat_bowls():
    pytest.importorskip("bpy")
    from benchmarks.cases import make

    assert not has_sheets(make("W2-5000").stock)


def test_a_choice_is_followed():
    flat, sweep = grid_sheet(lambda x, y: 0.2 * x * y), path((0, 0, 0), (0.3, 0, 0), RADIUS)
    assert carve(flat, sweep, VOXEL_SIZE, open_stock="fill", backend="cpu").report.closed
    bowl = shapes.hemisphere()
    assert not carve(
        bowl, path((0, 0, -1), (0.3, 0, -1), RADIUS), 0.04, open_stock="sheet", backend="cpu"
    ).report.closed
    with pytest.raises(InputError, match="unknown open_stock 'cloth': choose automatic, sheet, fill"):
        carve(flat, sweep, VOXEL_SIZE, open_stock="cloth", backend="cpu")


@pytest.mark.parametrize("job", ["remesh", "keep"])
def test_what_cannot_be_solid_is_refused(job):
    sweep = path((-2, 0, 0), (2, 0, 0), RADIUS)
    with pytest.raises(InputError, match="sides cannot be told apart"):
        JOBS[job](MOEBIUS, sweep)
    with pytest.raises(InputError, match="sides cannot be told apart"):
        JOBS[job](shapes.tube(), sweep, open_stock="sheet")
    for hidden in (shapes.joined(grid_sheet(), moved((0, 0, 1))), RAMP):
        with pytest.raises(InputError, match="faces behind its sheets"):
            JOBS[job](hidden, sweep)


# From an attack on the first version.


@pytest.mark.parametrize("job", ["remesh", "keep"])
@pytest.mark.parametrize("degrees", [30, 60, 85, 89.5, 90, 135, 180])
def test_a_tilted_sheet_loses_as_much(job, degrees):
    turn = np.radians(degrees)
    turn = np.array([[1, 0, 0], [0, math.cos(turn), -math.sin(turn)], [0, math.sin(turn), math.cos(turn)]])
    stock = TriMesh(grid_sheet().points @ turn.T, grid_sheet().triangles, "tilted")
    result = JOBS[job](stock, path((-2, 0, 0), (2, 0, 0), RADIUS))
    assert_is_sheet(result.surface)
    assert result.report.removed_volume == pytest.approx(math.pi * RADIUS**2, rel=1e-2)


@pytest.mark.parametrize("job", ["remesh", "keep"])
def test_a_cliff_stays(job):
    stock = grid_sheet()
    points = stock.points.copy()
    points[:, 2] = np.where(points[:, 0] > 0, 0.5, 0.0)
    points[:, 0] -= np.where((points[:, 0] > 0) & (points[:, 0] < 0.06), points[:, 0], 0)  # upright
    surface = JOBS[job](TriMesh(points, stock.triangles, "cliff"), path((0.6, -2, 0.5), (0.6, 2, 0.5), RADIUS)).surface
    assert_is_sheet(surface)
    is_wall = (surface.source == Source.STOCK) & (np.abs(surface.face_normals()[:, 0]) > 0.99)
    corners = surface.points[surface.faces[is_wall]]
    # By their diagonals; a triangle's are two sides.
    across = np.cross(corners[:, 2] - corners[:, 0], corners[:, -1] - corners[:, 1])
    assert np.linalg.norm(across, axis=1).sum() / 2 == pytest.approx(1.0, rel=0.05)


def test_steps_of_keep_stock_have_one_floor():
    lines = [Path(np.array(ends, dtype=float), np.array([RADIUS])) for ends in (
        [[-2, -0.5, 0], [2, -0.5, 0]], [[0, 0.5, 0], [0.3, 0.5, 0]], [[0.5, 0, 0.3], [0.5, 0, -0.9]],
    )]  # fmt: skip
    kinds = ["subtract", "union", "subtract"]
    kept, made = (
        JOBS[job](grid_sheet(), Sweep.from_paths(lines), operation=kinds, close=True) for job in ("keep", "remesh")
    )
    assert kept.report.result == "keep" and kept.report.closed
    assert kept.report.removed_volume == pytest.approx(made.report.removed_volume, rel=1e-2)


@pytest.mark.parametrize("job", ["remesh", "keep"])
def test_what_no_face_uses_and_what_looks_inward_changes_nothing(job):
    stock, sweep = grid_sheet(), path((-2, 0, 0), (2, 0, 0), RADIUS)
    far = TriMesh(np.concatenate([stock.points, [[0, 0, 1e6]]]), stock.triangles, "far")
    assert JOBS[job](far, sweep).report.removed_volume == pytest.approx(math.pi * RADIUS**2, rel=1e-2)
    ball = shapes.sphere(0.2, (0, 0, 0.5))
    inward = shapes.joined(stock, TriMesh(ball.points, ball.triangles[:, ::-1]))
    assert JOBS[job](inward, sweep).report.removed_volume == pytest.approx(math.pi * RADIUS**2, rel=1e-2)
