"""Keep Stock on open stocks: cut exactly where the holes are clear of the paths, and as open as before."""

import math
import os
from collections import Counter
from pathlib import Path as File

import numpy as np
import pytest
import trimesh

from tests import shapes
from tests.command_line import run
from tests.compute.sheets.reliefs import grid_sheet, path
from voxel_carve.compute import (
    CarveCancelled,
    CarveError,
    Path,
    Source,
    Sweep,
    TriMesh,
    keep_stock,
)
from voxel_carve.compute.boolean import keep as keeping
from voxel_carve.compute.boolean.manifold_boolean import ManifoldBoolean
from voxel_carve.formats import write_meshes

pytest.importorskip("manifold3d")

ENDS, RADIUS = ((-0.5, 0.03, 0.0), (0.5, 0.03, 0.0)), 0.1
HALF_CAPSULE = (math.pi * RADIUS**2 + 4 / 3 * math.pi * RADIUS**3) / 2


def keep(stock, sweep, voxel_size=0.02, **arguments):
    return keep_stock(stock, sweep, voxel_size, backend="cpu", **arguments)


def open_edges(points, triangles) -> Counter[tuple[bytes, bytes]]:
    """The half-edges without an opposite, by the coordinates of their ends."""
    ends = [point.tobytes() for point in points + 0.0]  # -0 becomes 0
    tails, heads = triangles.ravel(), np.roll(triangles, -1, axis=1).ravel()
    sides = Counter((ends[tail], ends[head]) for tail, head in zip(tails, heads, strict=True))
    return sides - Counter({side[::-1]: count for side, count in sides.items()})


def assert_as_open(stock, result):
    assert open_edges(result.surface.points, result.surface.faces) == open_edges(stock.points, stock.triangles)
    assert not result.report.closed


def assert_rest_is_same(stock, sweep, result, least):
    """The triangles of a stock that are clear of a sweep are in the result, to the bit."""
    corners = stock.corners()
    far = shapes.ball_union_distance(corners.reshape(-1, 3), sweep, 400).reshape(-1, 3).min(axis=1)
    longest = np.linalg.norm(corners - np.roll(corners, 1, axis=1), axis=2).max()
    clear = corners[far > longest + result.report.voxel_size]
    found = {
        three.tobytes() for turn in range(3) for three in np.roll(result.surface.points[result.surface.faces], turn, 1)
    }
    assert len(clear) >= least and all(three.tobytes() in found for three in clear)


def removed(stock, result):
    """The volume between two meshes with the same border, by the divergence theorem."""
    return stock.volume() - trimesh.Trimesh(result.surface.points, result.surface.faces, process=False).volume


@pytest.mark.parametrize("turned", [False, True])
def test_a_groove_in_a_sheet_is_half_a_capsule(turned):
    stock, sweep = grid_sheet(), path(*ENDS, RADIUS)
    if turned:  # behind it is now above
        stock = TriMesh(stock.points, stock.triangles[:, ::-1], "sheet")
    result = keep(stock, sweep, 0.01)
    assert (result.report.result, result.report.warnings) == ("keep", ())
    assert_as_open(stock, result)
    assert_rest_is_same(stock, sweep, result, 2000)
    volume = removed(TriMesh(stock.points - stock.points[0], stock.triangles), result)
    assert volume == pytest.approx(HALF_CAPSULE, rel=3e-3)
    assert result.report.removed_volume == pytest.approx(volume, rel=1e-9)
    cut = result.surface.faces[result.surface.source == Source.PATH]
    points = result.surface.points[np.unique(cut)]
    assert np.abs(shapes.ball_union_distance(points, sweep, 4000)).max() < 0.03 * result.report.voxel_size
    assert (points[:, 2] <= 1e-9).all() if not turned else (points[:, 2] >= -1e-9).all()


@pytest.mark.parametrize("operation", ["union", "intersect"])
def test_other_operations_on_a_sheet(operation):
    stock, sweep = grid_sheet(), path(*ENDS, RADIUS)
    result = keep(stock, sweep, 0.01, operation=operation)
    assert result.report.result == "keep"
    side = 1 if operation == "union" else -1
    cut = result.surface.points[np.unique(result.surface.faces[result.surface.source == Source.PATH])]
    assert (side * cut[:, 2] >= -1e-9).all()
    if operation == "union":
        assert_as_open(stock, result)
        assert removed(stock, result) == pytest.approx(-HALF_CAPSULE, rel=3e-3)
    else:
        assert result.report.closed and result.report.volume == pytest.approx(HALF_CAPSULE, rel=3e-3)


def test_a_relief_is_cut_behind_its_faces_in_hills_and_valleys():
    stock = grid_sheet(lambda x, y: 0.1 * np.sin(4 * x) * np.cos(3 * y), 121)
    line = np.linspace(-0.7, 0.7, 60)
    line = np.stack([line, 0.2 * line, 0.1 * np.sin(4 * line) * np.cos(0.6 * line)], axis=1)
    sweep = Sweep.from_paths([Path(line, np.array([0.06]))])
    result = keep(stock, sweep, 0.012)
    assert (result.report.result, result.report.warnings) == ("keep", ())
    assert_as_open(stock, result)
    # Made a block by walls and a floor, the same relief loses the same.
    tall = trimesh.Trimesh(stock.points, stock.triangles, process=False)
    rim = np.array([[side[0], side[1]] for side in tall.edges[trimesh.grouping.group_rows(tall.edges_sorted, 1)]])
    low = stock.points[np.unique(rim)].copy()
    low[:, 2] = -1
    at = {number: len(stock.points) + place for place, number in enumerate(np.unique(rim).tolist())}
    walls = [
        t
        for a, b in rim.tolist()
        for t in ((b, a, at[a]), (b, at[a], at[b]), (at[b], at[a], len(stock.points) + len(low)))
    ]
    block = TriMesh(
        np.concatenate([stock.points, low, [[0, 0, -1]]]), np.concatenate([stock.triangles, walls]), "block"
    )
    whole = keep(block, sweep, 0.012)
    assert (whole.report.result, whole.report.closed) == ("keep", True)
    assert result.report.removed_volume == pytest.approx(whole.report.removed_volume, rel=1e-3)


def test_a_groove_in_a_hemisphere_is_that_of_the_closed_one():
    stock, sweep = shapes.hemisphere(), path((-0.2, 0.1, -0.95), (0.25, -0.1, -0.95), 0.1)
    result = keep(stock, sweep)
    assert (result.report.result, result.report.warnings) == ("keep", ())
    assert_as_open(stock, result)
    assert_rest_is_same(stock, sweep, result, 500)
    closed = keep(shapes.sphere(), sweep)
    assert result.report.removed_volume == pytest.approx(closed.report.removed_volume, rel=1e-3)


def test_a_rod_across_a_box_leaves_its_lid_off():
    stock, sweep = shapes.lidless_box(), path((-2, 0.03, 0.02), (2, 0.03, 0.02), 0.5)
    result = keep(stock, sweep, 0.04)
    assert (result.report.result, result.report.warnings) == ("keep", ())
    assert_as_open(stock, result)
    assert result.report.removed_volume == pytest.approx(math.pi * 0.5**2 * 2, rel=0.005)
    assert result.report.volume == pytest.approx(8 - math.pi * 0.5**2 * 2, rel=0.005)


@pytest.mark.parametrize(
    ("stock", "sweep"),
    [
        (shapes.lidless_box(), path((-2, 0, 0.8), (2, 0, 0.8), 0.5)),  # over the edge of the hole
        (shapes.lidless_box(), path((0, 0, 3), (0, 0, 0.5), 0.3)),  # through it
        (shapes.lidless_box(), path((0, 0, 1.2), (0, 0, 0.8), 0.2)),  # within it
        (shapes.tube(), path((0, 0, -2), (0, 0, 2), 0.4)),  # through both ends
    ],
)
def test_near_a_hole_the_stock_is_remeshed(stock, sweep):
    reason = f"'{stock.name}' was remeshed, not kept: it is open, and the paths come near a hole of it"
    result = keep(stock, sweep, 0.04)
    assert result.report.result == "remesh" and result.report.warnings[0] == reason
    assert result.report.closed


def test_a_hole_within_the_sweep_is_gone():
    stock = shapes.sphere()
    stock = shapes.keep_triangles(stock, stock.corners()[:, :, 2].mean(axis=1) < 0.97, "holed")
    assert open_edges(stock.points, stock.triangles)
    result = keep(stock, path((0, 0, 0.9), (0, 0, 2), 0.5))
    assert (result.report.result, result.report.closed) == ("keep", True)


def test_no_process_is_left(tmp_path):
    def children():
        return File(f"/proc/self/task/{os.getpid()}/children").read_text().split()

    if not File("/proc/self/task").exists():
        pytest.skip("asks Linux which processes there are")
    before, seen = children(), []

    def stop(stage, fraction):
        if stage == "Boolean":
            seen.extend(set(children()) - set(before))
            raise CarveCancelled

    with pytest.raises(CarveCancelled):
        keep(shapes.box(), path(*ENDS, RADIUS), progress=stop)
    assert len(seen) == 1 and not set(children()) & set(seen)
    keep(shapes.box(), path(*ENDS, RADIUS))
    assert set(children()) <= set(before)


def test_a_process_that_ends_is_named(monkeypatch):
    class Killed(ManifoldBoolean):
        def __call__(self, stock, tool, operation):
            self._process.kill()
            return super().__call__(stock, tool, operation)

    monkeypatch.setattr(keeping, "ManifoldBoolean", Killed)
    with pytest.raises(CarveError, match="the process of the boolean ended with status"):
        keep(shapes.box(), path(*ENDS, RADIUS), 0.05)


def test_an_open_file_stays_open(tmp_path):
    write_meshes(tmp_path / "open.ply", [shapes.lidless_box()])
    (tmp_path / "rod.csv").write_text("x,y,z,radius\n-2,0,0,0.5\n2,0,0,0.5\n")
    words = ["--stock", "open.ply", "--path", "rod.csv", "--result", "keep", "--resolution", 32, "--output", "out.ply"]
    done = run(words, tmp_path)
    assert (done.status, done.err) == (0, "")
    assert "not closed" in done.out
    found = trimesh.load_mesh(tmp_path / "out.ply")
    assert not found.is_watertight and len(trimesh.grouping.group_rows(found.edges_sorted, 1)) == 4
