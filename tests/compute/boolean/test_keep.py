"""Keep Stock in plain Python: the command line and `keep_stock`, with manifold3d, and without it."""

import json
import math

import numpy as np
import pytest
import trimesh

from tests import shapes
from tests.command_line import BOX_VOLUME, CAPSULE_VOLUME, SCRIPT, box, environment, run, start, write_input
from tests.forks.forked import run_python
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
    get_backend,
    keep_stock,
)
from voxel_carve.compute.boolean import Cut
from voxel_carve.compute.boolean import keep as keeping
from voxel_carve.compute.boolean.manifold_boolean import ManifoldBoolean
from voxel_carve.compute.boolean.voxel_check import compare_voxels
from voxel_carve.compute.primitives.half_edges import face_sides, unpaired_edges
from voxel_carve.formats import write_meshes

JOB = ["--stock", "box.stl", "--path", "tool.csv", "--result", "keep"]


@pytest.fixture
def folder(tmp_path):
    write_input(tmp_path)
    return tmp_path


def rod(start=(-2.0, 0.03, 0.02), end=(2.0, 0.03, 0.02), radius=0.5) -> Sweep:
    return Sweep.from_paths([Path(np.array([start, end]), np.array([radius]))])


def keep(stock, sweep, voxel_size=0.04, **arguments):
    return keep_stock(stock, sweep, voxel_size, backend="cpu", **arguments)


def is_closed(surface):
    return len(unpaired_edges(*face_sides(surface.triangles()))) == 0


# Edges


def test_edges_of_a_closed_mesh_are_all_paired():
    assert len(unpaired_edges(*face_sides(shapes.sphere().triangles))) == 0


@pytest.mark.parametrize(
    ("triangles", "expected"),
    [
        ([(0, 1, 2)], [(0, 1), (0, 2), (1, 2)]),
        ([(0, 1, 2), (2, 1, 3)], [(0, 1), (0, 2), (1, 3), (2, 3)]),
        # the second runs the shared edge the same way
        ([(0, 1, 2), (1, 2, 3)], [(0, 1), (0, 2), (1, 2), (1, 3), (2, 3)]),
        ([(0, 1, 2), (2, 1, 0)], []),
        # four faces on each edge
        ([(0, 1, 2), (2, 1, 0)] * 2, [(0, 1), (0, 2), (1, 2)]),
    ],
)
def test_wrong_edges_are_found(triangles, expected):
    assert unpaired_edges(*face_sides(np.array(triangles))).tolist() == [list(edge) for edge in expected]


# What is kept


def test_a_tolerance_merges_faces_of_the_cut_and_none_of_the_stock():
    pytest.importorskip("numba")
    stock, sweep = shapes.sphere(), rod(radius=0.6)
    whole, fewer = keep(stock, sweep), keep(stock, sweep, tolerance=0.004)
    assert (fewer.report.result, fewer.report.tolerance, fewer.report.closed) == ("keep", 0.004, True)
    assert is_closed(fewer.surface)
    assert fewer.report.triangles == len(fewer.surface.faces)
    cut = [int((result.surface.source == Source.PATH).sum()) for result in (whole, fewer)]
    assert cut[1] < cut[0] / 3
    assert fewer.report.triangles_before > fewer.report.triangles
    assert whole.report.triangles_before == whole.report.triangles
    kept = [surviving(stock, result.surface) for result in (whole, fewer)]
    assert kept[0] and len(kept[0] & kept[1]) > 0.95 * len(kept[0])
    # The cut is a part of the rod's side: moved by the tolerance, it changes the volume by no more than this.
    assert abs(fewer.report.volume - whole.report.volume) < 0.004 * 2 * np.pi * 0.6 * 2


def surviving(stock, surface):
    """The triangles of a stock that stand in a result with all their corners."""
    before = {tuple(sorted(map(tuple, corners.tolist()))): i for i, corners in enumerate(stock.corners())}
    after = surface.points[surface.triangles()].tolist()
    return {before[key] for key in (tuple(sorted(map(tuple, corners))) for corners in after) if key in before}


@pytest.mark.parametrize("operation", ["subtract", "intersect", "union"])
def test_a_sphere_keeps_the_triangles_that_a_rod_does_not_touch(operation):
    stock, sweep = shapes.sphere(), rod(radius=0.6)
    result = keep(stock, sweep, operation=operation)
    surface, report = result.surface, result.report
    assert (report.result, report.warnings, report.closed) == ("keep", (), True)
    assert is_closed(surface)
    # Corners are at most 0.11 apart: what lies clear of the sweep, or wholly in it, is there with the same numbers.
    corners = stock.corners()
    distance = shapes.ball_union_distance(corners.reshape(-1, 3), sweep, 400).reshape(-1, 3)
    stays = corners[distance.max(axis=1) < -0.2 if operation == "intersect" else distance.min(axis=1) > 0.2]
    assert len(stays) > 10
    kept = surface.source == Source.STOCK
    points, primitive = surface.points[surface.triangles()[kept]], surface.primitive[kept]
    there = {np.roll(triangle, turn, axis=0).tobytes() for triangle in points for turn in range(3)}
    assert all(triangle.tobytes() in there for triangle in stays)
    # Each says which triangle it was: it lies in that one's plane.
    first, second = np.moveaxis(corners[primitive, 1:] - corners[primitive, :1], 1, 0)
    off = np.einsum("ijk,ik->ij", points - corners[primitive, :1], np.cross(first, second))
    assert np.abs(off).max() < 1e-9
    # Cut faces come from the one segment, and lie on it.
    cut = surface.points[surface.triangles()[~kept]]
    assert set(surface.source[~kept].tolist()) == {Source.PATH} and set(surface.primitive[~kept].tolist()) == {0}
    assert np.abs(shapes.ball_union_distance(cut.mean(axis=1), sweep, 400)).max() < 0.1 * report.voxel_size


def test_the_volume_is_that_of_another_boolean_with_another_capsule():
    stock, sweep = shapes.sphere(), rod(radius=0.3)
    report = keep(stock, sweep, 0.02).report
    capsule = trimesh.creation.capsule(4.0, 0.3, count=[128, 128])
    capsule.apply_transform(trimesh.geometry.align_vectors([0, 0, 1], [1, 0, 0]))
    capsule.apply_translation(np.array([0, 0.03, 0.02]) - capsule.bounds.mean(axis=0))
    whole = trimesh.Trimesh(stock.points, stock.triangles)
    truth = trimesh.boolean.difference([whole, capsule], engine="manifold").volume
    assert report.volume == pytest.approx(truth, rel=1e-3)
    assert report.removed_volume == pytest.approx(whole.volume - truth, rel=5e-3)


@pytest.mark.slow
def test_thousands_of_crossing_segments_are_one_tool():
    random = np.random.default_rng(3)
    line = np.cumsum(random.normal(0, 0.12, (2000, 3)), axis=0)
    line = 0.9 * np.sin(line)  # to and fro in the box
    stock, sweep = shapes.box(), Sweep.from_paths([Path(line, np.array([0.05]))])
    result = keep(stock, sweep, 0.02)
    assert result.report.result == "keep" and is_closed(result.surface)
    remeshed = carve(stock, sweep, 0.02, backend="cpu").report
    assert result.report.removed_volume == pytest.approx(remeshed.removed_volume, rel=0.03)


def test_nothing_is_left_is_an_error_as_it_is_without_keep():
    with pytest.raises(EmptyResultError, match="nothing is left of 'sphere': the paths carve all of it away"):
        keep(shapes.sphere(), rod(radius=3.0), 0.1)
    with pytest.raises(EmptyResultError, match="nothing is left of 'sphere': the paths do not reach it"):
        keep(shapes.sphere(), rod((5, 5, 5), (6, 6, 6)), 0.1, operation="intersect")


@pytest.mark.parametrize("start", [(5, 5, 5), (0.9, 0.9, 0.0)])
def test_paths_that_miss_leave_every_triangle(start):
    stock = shapes.sphere()
    result = keep(stock, rod(start, np.add(start, 0.1), 0.1))
    assert result.report.warnings == ("the paths do not touch 'sphere': it comes back whole",)
    assert result.report.removed_volume == pytest.approx(0, abs=1e-12)
    assert len(result.surface.faces) == len(stock.triangles)
    assert (result.surface.source == Source.STOCK).all()


def test_union_with_paths_elsewhere_has_both():
    report = keep(shapes.box(), rod((5, 0, 0), (7, 0, 0)), operation="union").report
    assert report.result == "keep"
    assert report.volume == pytest.approx(8 + CAPSULE_VOLUME, rel=2e-3)


def test_a_file_without_shared_corners_is_kept_too():
    stock = shapes.sphere()
    loose = TriMesh(stock.corners().reshape(-1, 3), np.arange(3 * len(stock.triangles)).reshape(-1, 3), "loose")
    result = keep(loose, rod(radius=0.3))
    assert (result.report.result, result.report.warnings) == ("keep", ())
    assert result.report.volume == pytest.approx(keep(stock, rod(radius=0.3)).report.volume, rel=1e-9)


# What is not believed


class Broken(ManifoldBoolean):
    """A boolean that gives back something else."""

    def __init__(self, change):
        super().__init__()
        self.change = change

    def __call__(self, stock, tool, operation):
        return self.change(super().__call__(stock, tool, operation), super().__call__(stock, tool, "intersect"))


def without(cut, which):
    return Cut(cut.points, cut.triangles[which], cut.of_stock[which], cut.number[which])


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (lambda cut, other: None, "it is no manifold"),
        (lambda cut, other: without(cut, slice(0)), "the boolean left nothing of it"),
        (lambda cut, other: without(cut, slice(1, None)), "the boolean left 3 edges that are not between two faces"),
        (lambda cut, other: other, "the boolean was wrong in"),
    ],
)
def test_a_wrong_boolean_is_found_out(change, reason, monkeypatch):
    monkeypatch.setattr(keeping, "ManifoldBoolean", lambda: Broken(change))
    stock = shapes.box()
    result = keep(stock, rod())
    assert result.report.result == "remesh"
    assert reason in result.report.warnings[0]
    assert result.report.removed_volume == pytest.approx(math.pi * 0.5**2 * 2, rel=0.01)


def test_columns_count_what_is_wrong():
    """A tool that is not cut out is wrong in its own volume, one moved by half a voxel in a part of it."""
    stock, tool, backend = shapes.box(), shapes.sphere(0.5, (0.1, 0.2, 0.3)), get_backend("cpu")
    whole = trimesh.Trimesh(stock.points, stock.triangles)

    def found(centre, of=tool):
        ball = shapes.sphere(0.5, centre)
        cut = trimesh.boolean.difference([whole, trimesh.Trimesh(ball.points, ball.triangles)], engine="manifold")
        return compare_voxels(stock, of, TriMesh(cut.vertices, cut.faces), "subtract", 0.01, backend)

    right = found((0.1, 0.2, 0.3))
    size = 2 / 128
    assert right.holds() and right.wrong == 0
    assert right.stock * size**3 == pytest.approx(8, rel=0.01)
    assert right.shared * size**3 == pytest.approx(tool.volume(), rel=0.01)
    assert not found((0.1, 0.2, 0.3 + size)).holds()
    # Seen from above, a disk of radius 0.5 moves by the shift: that volume is wrong below, and again above.
    assert found((0.1, 0.2, 0.3 + 2 * size)).wrong * size**3 == pytest.approx(2 * math.pi * 0.25 * 2 * size, rel=0.05)
    uncut = compare_voxels(stock, tool, stock, "subtract", 0.01, backend)
    assert uncut.wrong == uncut.shared == right.shared and not uncut.holds()


# Limits, progress, bad input


def test_bad_input_is_refused_as_by_carve():
    stock = shapes.box()
    with pytest.raises(InputError, match="voxel size 5 is larger than 'box'"):
        keep(stock, rod(), 5.0)
    with pytest.raises(InputError, match="unknown operation 'add'"):
        keep(stock, rod(), operation="add")


def test_the_boolean_has_a_memory_limit_too():
    stock = shapes.sphere(subdivisions=7)
    with pytest.raises(MemoryLimitError, match="no voxel size would fit") as error:
        keep(stock, rod(), 0.1, memory_limit=100 << 20)
    assert error.value.estimate_bytes > error.value.limit_bytes
    # The voxels may be the first to need too much, and then the boolean: what the last error says fits.
    voxel_size, tries = 0.01, 0
    while tries < 3:
        try:
            keep(shapes.box(), rod(radius=0.9), voxel_size, memory_limit=200 << 20)
            break
        except MemoryLimitError as error:
            voxel_size, tries = error.fitting_voxel_size, tries + 1
    assert 1 <= tries < 3 and 0.01 < voxel_size < 0.03


def test_a_boolean_that_is_too_large_is_refused_before_its_tool_is_made():
    """The tool of 50 million triangles fits, and the boolean does not."""
    stages = {"small": set(), "large": set()}
    keep(shapes.box(), rod(), 0.05, progress=lambda stage, _: stages["small"].add(stage))
    with pytest.raises(MemoryLimitError, match="would fit"):
        keep(
            shapes.box(),
            rod(),
            2 / 4000,
            memory_limit=7 << 30,
            progress=lambda stage, _: stages["large"].add(stage),
        )
    assert "Surface" in stages["small"] and "Surface" not in stages["large"]


def test_progress_runs_forward_and_can_stop_the_job():
    told = []
    keep(shapes.box(), rod(), progress=lambda stage, fraction: told.append((stage, fraction)))
    fractions = [fraction for _, fraction in told]
    assert fractions == sorted(fractions) and fractions[-1] == 1.0
    assert {"Boolean", "Judge", "Done"} <= {stage for stage, _ in told}

    def stop(stage, fraction):
        if stage == "Boolean":
            raise CarveCancelled

    with pytest.raises(CarveCancelled):
        keep(shapes.box(), rod(), progress=stop)


# The command line


def test_a_box_keeps_its_sides(folder):
    done = start([*JOB, "--resolution", 96, "--output", "out.ply", "--report", "out.json"], folder)
    assert (done.status, done.err) == (0, "")
    report = json.loads((folder / "out.json").read_text())
    assert (report["result"], report["closed"], report["warnings"]) == ("keep", True, [])
    assert report["removed_volume"] == pytest.approx(CAPSULE_VOLUME, rel=0.005)
    result = trimesh.load_mesh(folder / "out.ply", process=False)
    assert result.is_watertight and result.is_winding_consistent
    assert result.volume == pytest.approx(BOX_VOLUME - CAPSULE_VOLUME, rel=1e-3)
    assert report["triangles"] == len(result.faces)
    # The capsule is well inside: the box has its twelve triangles still.
    found = {frozenset(map(tuple, triangle)) for triangle in result.triangles.round(6)}
    assert all(frozenset(map(tuple, triangle)) in found for triangle in box().corners().round(6))
    assert {"boolean", "judge"} <= set(report["seconds"])


def test_a_jobs_file_knows_it_too(folder):
    common = {"stock": ["box.stl"], "path": ["tool.csv"], "resolution": 32}
    jobs = [{**common, "result": result, "output": f"{result}.ply"} for result in ("keep", "remesh")]
    (folder / "jobs.json").write_text(json.dumps(jobs))
    done = run(["--jobs", "jobs.json", "--report", "all.json"], folder)
    assert done.status == 0
    reports = [job["report"] for job in json.loads((folder / "all.json").read_text())["jobs"]]
    assert [report["result"] for report in reports] == ["keep", "remesh"]


def test_another_result_is_refused(folder):
    done = run(
        ["--stock", "box.stl", "--path", "tool.csv", "--result", "new", "--resolution", 8, "--output", "o.ply"], folder
    )
    assert (done.status, done.err) == (2, "voxel_carve: --result new: choose remesh, keep\n")


def test_without_manifold3d_the_extra_is_named(folder):
    write_meshes(folder / "box.ply", [box()])
    program = f"""
import runpy, sys
class Refuse:
    def find_spec(self, name, path=None, target=None):
        if name == "manifold3d":
            raise ModuleNotFoundError("gone", name=name)
sys.meta_path.insert(0, Refuse())
sys.argv = ["carve.py", *{["--stock", "box.ply", *JOB[2:], "--resolution", "16", "--output", "out.ply"]!r}]
runpy.run_path({str(SCRIPT)!r}, run_name="__main__")
"""
    done = run_python(["-c", program], folder, environment())
    said = done.stderr.decode()
    assert done.returncode == 2
    assert said.startswith("voxel_carve: to keep the stock takes manifold3d, which the extension's zip brings along: ")
    assert len(said.splitlines()) == 1 and "voxel-carve[keep]" in said
    assert not (folder / "out.ply").exists()
