"""The benchmarks: the cases are what they claim, and the tables show what was measured. Nothing is timed."""

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from scipy.spatial import cKDTree

from benchmarks import cases, document, machine, runs, tables
from benchmarks.results import OPENVDB, PEER, Measurement, Results, ResultsError, load, merge
from benchmarks.series import by_resolution, by_segments
from benchmarks.targets import BARS, DEFAULT, ONCE, Target, TargetError, parse
from voxel_carve.compute import Path as PathLine
from voxel_carve.compute import TriMesh, carve
from voxel_carve.compute.model.sweep import Sweep

ROOT = Path(__file__).resolve().parents[2]


def needs_blender_5():
    """Skip if this Blender has no SDF grid nodes."""
    bpy = pytest.importorskip("bpy")
    if bpy.app.version < (5, 0):
        pytest.skip("the peer needs Blender 5")


# The cases


@pytest.mark.parametrize("name", [name for name in cases.CASES if not name.startswith("W2")])
def test_a_case_has_the_segments_that_its_name_says(name):
    case = cases.make(name)
    segments = len(Sweep.from_paths([case.path]))
    assert segments == len(case.path.points) - 1 == Target(name, 1).segments


@pytest.mark.parametrize("segments", [500, 5000])
def test_the_helix_winds_on_an_ellipse_and_tapers(segments):
    path = cases.helix(segments)
    assert len(path.points) == segments + 1
    np.testing.assert_allclose(np.hypot(path.points[:, 0] / 30, path.points[:, 1] / 20), 1)
    assert np.unwrap(np.arctan2(path.points[:, 1] / 20, path.points[:, 0] / 30))[-1] == pytest.approx(12 * np.pi)
    np.testing.assert_allclose(path.points[[0, -1], 2], [-34, 34])
    np.testing.assert_allclose(path.radii[[0, -1]], [4, 1])


@pytest.mark.parametrize(("stock", "volume"), [(cases.block(), 100 * 100 * 20), (cases.plate(), 300 * 300 * 20)])
def test_boxes_have_their_volume_and_face_outward(stock, volume):
    assert stock.volume() == pytest.approx(volume)
    assert len(stock.triangles) == 12 and is_closed(stock)
    assert stock.bounds()[1, 2] == 0


def test_the_sphere_is_closed_and_round():
    sphere = cases.sphere()
    assert len(sphere.triangles) == 199_680 and is_closed(sphere)
    np.testing.assert_allclose(np.linalg.norm(sphere.points, axis=1), 50)
    # The flat triangles lose about the square of their angle, a hundredth of a radian.
    assert sphere.volume() == pytest.approx(4 / 3 * np.pi * 50**3, rel=2e-4)
    assert sphere.volume() < 4 / 3 * np.pi * 50**3


def test_suzanne_is_100_long_and_open():
    pytest.importorskip("bpy")
    suzanne = cases.suzanne()
    low, high = suzanne.bounds()
    assert (high - low).max() == pytest.approx(100)
    np.testing.assert_allclose(low + high, 0, atol=1e-9)
    assert not is_closed(suzanne) and suzanne.volume() > 0


@pytest.mark.parametrize("segments", [100, 1000, 10000])
def test_the_facing_pass_stays_in_the_block(segments):
    points = cases.facing(segments).points
    assert (points[:-1, :2] >= 2).all() and (points[:-1, :2] <= 98).all()
    tip = points[:, 2] - 3
    assert (tip >= -8).all() and (tip <= -2).all()
    assert {2.0, 98.0} == {points[:-1, 1].min(), points[:-1, 1].max()}
    # Rows are straight, and each continues where the previous one ended.
    steps = np.diff(points[:-1], axis=0)
    assert ((steps[:, 0] == 0) | (steps[:, 1] == 0)).all()


@pytest.mark.parametrize("segments", [2000, 20000])
def test_the_tunnels_wander_in_the_sphere_and_cross(segments):
    path = cases.tunnels(segments)
    distance = np.linalg.norm(path.points, axis=1)
    # Turning back at the sphere takes one step at most.
    assert distance.max() < 53 + 8 and (distance < 50).mean() > 0.9
    knots = path.points[::16][:-1]
    spans = np.linalg.norm(np.diff(knots[1:], axis=0), axis=1)
    np.testing.assert_allclose(spans, 8)
    near = cKDTree(path.points).query_pairs(2 * path.radii[0], output_type="ndarray")
    assert (np.abs(near[:, 0] - near[:, 1]) > 32).any()


def test_a_longer_random_walk_starts_like_a_shorter_one():
    np.testing.assert_array_equal(cases.tunnels(20000).points[:2000], cases.tunnels(2000).points[:2000])


def test_the_finishing_pass_touches_the_wavy_surface_and_does_not_gouge_it():
    path = cases.finishing(1_000_000)
    rows = path.points[:-1].reshape(3125, 320, 3)
    assert np.diff(rows[:, 160, 1]).mean() == pytest.approx(0.1)
    assert rows[..., :2].min() < -3 and rows[..., :2].max() > 303
    random = np.random.default_rng(5)
    surface, _ = cases.wavy_surface(*random.uniform(0, 300, (2, 20_000)))
    distance, _ = cKDTree(path.points).query(surface)
    # At most half a segment, 0.48, and half a row away from the nearest centre.
    assert distance.min() > 3 - 1e-6 and distance.max() < np.hypot(3, 0.5)


def test_the_wavy_surface_lies_3_deep_on_average():
    place = (np.arange(600) + 0.5) / 2
    surface, normals = cases.wavy_surface(*(grid.ravel() for grid in np.meshgrid(place, place)))
    assert surface[:, 2].mean() == pytest.approx(-3)
    assert (surface[:, 2] > -5.001).all() and (surface[:, 2] < -0.999).all()
    ahead, _ = cases.wavy_surface(surface[:, 0] + 1e-5, surface[:, 1] - 1e-5)
    np.testing.assert_allclose(np.einsum("ij,ij->i", ahead - surface, normals), 0, atol=1e-9)


def test_a_case_survives_writing_and_reading(tmp_path):
    case = cases.make("W1-100")
    cases.write(case, "W1-100", tmp_path)
    again = cases.read(tmp_path / "W1-100.stock.ply", tmp_path / "W1-100.path.csv")
    np.testing.assert_array_equal(again.stock.points, case.stock.points)
    np.testing.assert_array_equal(again.stock.triangles, case.stock.triangles)
    np.testing.assert_allclose(again.path.points, case.path.points, atol=1e-6)
    np.testing.assert_array_equal(again.path.radii, case.path.radii)


def is_closed(mesh: TriMesh) -> bool:
    """Every directed edge has its opposite."""
    edges = np.concatenate([mesh.triangles[:, [i, (i + 1) % 3]] for i in range(3)]).astype(np.int64)
    keys, opposite = edges @ [1 << 32, 1], edges @ [1, 1 << 32]
    return len(np.unique(keys)) == len(keys) and bool(np.isin(keys, opposite).all())


# Targets


@pytest.mark.parametrize(
    ("text", "target"),
    [
        ("W1-100", Target("W1-100", 256)),
        ("W1-100@64", Target("W1-100", 64)),
        ("W3-2000@512:objects", Target("W3-2000", 512, objects=True)),
        ("W3-2000:objects", Target("W3-2000", 256, objects=True)),
    ],
)
def test_a_target_is_read(text, target):
    assert parse(text, cases.CASES) == target
    assert parse(str(target), cases.CASES) == target


@pytest.mark.parametrize("text", ["W1-100@", "W1-100@0", "W1-100@-5", "W1-100@1.5", "W1-100@64:mesh", "", "W1 100"])
def test_text_that_is_not_a_target_is_refused(text):
    with pytest.raises(TargetError, match="CASE@RESOLUTION"):
        parse(text, cases.CASES)


def test_an_unknown_case_is_refused_with_a_list_of_cases():
    with pytest.raises(TargetError, match=r"no case 'W9-1': there are .*W1-100"):
        parse("W9-1@64", cases.CASES)


def test_bars_and_defaults_name_existing_cases():
    for target in (*BARS, *DEFAULT, *ONCE):
        assert parse(str(target), cases.CASES) == target
    assert len(set(DEFAULT)) == len(DEFAULT) and not set(DEFAULT) & set(ONCE)


def test_family_and_segments_come_from_the_name():
    assert (Target("W1-100", 1).family, Target("W1-100", 1).segments) == ("W1", 100)
    assert (Target("my-bracket", 1).family, Target("my-bracket", 1).segments) == ("my", None)
    assert (Target("bracket", 1).family, Target("bracket", 1).segments) == ("bracket", None)


def test_every_pair_in_a_folder_is_a_case(tmp_path):
    for name in ("part.stock.ply", "part.path.csv", "a.b.stock.ply", "a.b.path.csv", "notes.csv"):
        (tmp_path / name).touch()
    found = runs.cases_in(tmp_path)
    assert set(found) == {"part", "a.b"}
    assert found["a.b"].path == tmp_path / "a.b.path.csv"


@pytest.mark.parametrize(
    ("there", "missing"), [("part.stock.ply", "part.path.csv"), ("part.path.csv", "part.stock.ply")]
)
def test_half_a_case_is_refused(tmp_path, there, missing):
    (tmp_path / there).touch()
    with pytest.raises(runs.RunError, match=f"half a case: {missing}"):
        runs.cases_in(tmp_path)


def test_a_folder_without_cases_is_refused(tmp_path):
    with pytest.raises(runs.RunError, match="has no cases"):
        runs.cases_in(tmp_path)


# Measurements


def figures(compute, volume=100.0, memory=512.0, **more):
    seconds = {"voxelize": compute / 2, "sweep": compute / 4, "compute": compute, "compile": 0.5, "total": compute + 1}
    memory_figures = {
        "volume": volume,
        "peak_memory_mb": memory,
        "memory_before_mb": memory - 90,
        "estimated_memory_mb": 81,
    }
    return {"seconds": seconds, **memory_figures, **more}


def measurement(target, *rounds):
    """A measurement of rounds (cpu, peer), each given as seconds or figures."""
    made = [one if isinstance(one, dict) else figures(one) for pair in rounds for one in pair]
    return Measurement(
        target, tuple({"cpu": ours, PEER: peer} for ours, peer in zip(made[::2], made[1::2], strict=True))
    )


TARGET = Target("W1-100", 512)


def test_the_ratio_is_taken_within_each_round():
    # The machine slows down: medians of either would give 4 / 8.
    one = measurement(TARGET, (1, 10), (4, 8), (9, 6))
    assert one.ratio("cpu") == pytest.approx(4 / 8)
    skewed = measurement(TARGET, (1, 10), (2, 4), (9, 6))
    assert skewed.seconds("cpu") == 2 and skewed.seconds(PEER) == 6
    assert skewed.ratio("cpu") == pytest.approx(0.5)  # of 0.1, 0.5, 1.5, and not 2 / 6


def test_a_failed_runner_has_no_figures_and_no_ratio():
    one = measurement(TARGET, (1, {"error": "out of memory"}))
    assert one.seconds(PEER) is None and one.ratio("cpu") is None and one.peak_memory_gib(PEER) is None
    assert one.error(PEER) == "out of memory" and one.error("cpu") is None
    assert one.seconds("cpu") == 1 and one.peer_volume_error() is None


def test_a_failed_round_is_left_out():
    one = measurement(TARGET, (1, 2), (5, {"error": "gone"}))
    assert one.ratio("cpu") == 0.5 and one.seconds(PEER) == 2


def test_an_operator_counts_from_the_call_to_the_object_without_compiling():
    ours = figures(1.0)
    ours["seconds"] |= {"wall": 2.5, "compile": 0.5}
    assert measurement(TARGET, (ours, 4.0)).ratio("cpu") == pytest.approx(0.5)


@pytest.mark.parametrize(("volume", "lost"), [(100.5, False), (99.0, False), (0.0, True), (2.0, True), (120.0, True)])
def test_the_stock_is_lost_if_the_volume_differs(volume, lost):
    one = measurement(TARGET, (1, figures(1, volume)))
    assert one.peer_volume_error() == pytest.approx(volume / 100 - 1)
    assert one.peer_lost_the_stock() == lost


def test_memory_is_the_greatest_of_all_rounds():
    one = measurement(TARGET, (figures(1, memory=1024), 1), (figures(1, memory=2048), 1), (figures(1, memory=512), 1))
    assert one.peak_memory_gib("cpu") == 2


def test_results_survive_writing_and_reading(tmp_path):
    results = Results({"date": "today"}, (measurement(TARGET, (1, 2)), measurement(Target("a", 8, True), (3, 4))))
    results.save(tmp_path / "results.json")
    assert load(tmp_path / "results.json") == results


@pytest.mark.parametrize("text", ["", "[]", '{"facts": {}}', '{"facts": {}, "measurements": [{"rounds": []}]}'])
def test_a_file_without_results_is_refused(tmp_path, text):
    file = tmp_path / "other.json"
    with pytest.raises(ResultsError, match="cannot be read"):
        load(file)
    file.write_text(text, encoding="utf-8")
    with pytest.raises(ResultsError, match="has no results"):
        load(file)


def test_results_of_several_runs_are_merged():
    other = Target("W1-1000", 512)
    first = Results({"processor": "A", "date": "1"}, (measurement(TARGET, (1, 2)), measurement(other, (1, 2))))
    second = Results({"processor": "A", "date": "2"}, (measurement(TARGET, (3, 4)),))
    merged = merge([first, second])
    assert merged.facts == {"processor": "A", "date": "1 / 2"}
    assert [one.seconds("cpu") for one in merged.measurements] == [3, 1]
    assert merge([merged, second]).facts["date"] == "1 / 2"


def test_a_backend_measured_in_a_separate_run_joins_the_others():
    slow = Measurement(TARGET, ({"cuda": {"seconds": {"compute": 8.0}}, PEER: {"seconds": {"compute": 2.0}}},))
    facts = {"date": "1"}
    both = merge([Results(facts, (measurement(TARGET, (1, 2)),)), Results(facts, (slow,))]).measurements[0]
    assert both.backends() == ("cpu", "cuda")
    assert (both.ratio("cpu"), both.ratio("cuda")) == (0.5, 4.0)


# Tables


def cells(text):
    """The rows of one table in Markdown, as lists of stripped cells."""
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in text.splitlines()]


def test_a_row_compares_us_with_the_peer():
    results = [measurement(TARGET, (figures(1, memory=1024), 20), (2, 20), (3, 20))]
    head, _, row = cells(tables.against_the_peer(results))
    pairs = list(zip(head, row, strict=True))
    assert ("seconds", "2.00") in pairs and ("peer", "20.0") in pairs and ("ratio", "0.10") in pairs
    assert pairs[6] == ("bar", "0.12 held") and pairs[8] == ("bar", "0.3 MISSED")
    assert ("GiB", "1.00") in pairs and ("peer's volume", "+0.00%") in pairs


def test_a_missed_bar_a_lost_stock_and_a_failed_peer_are_shown():
    slow = tables.against_the_peer([measurement(TARGET, (3, figures(8, volume=0.0)))])
    assert "0.12 MISSED" in slow and "(stock lost)" in slow and "-100.00%" in slow
    failed = tables.against_the_peer([measurement(TARGET, (3, {"error": "gone"}))])
    assert "failed" in failed and "held" not in failed.split("0.3")[0]


def test_a_target_without_a_bar_has_none():
    assert "held" not in tables.against_the_peer([measurement(Target("part", 64), (1, 2))])


def test_columns_are_aligned_with_numbers_at_the_right():
    lines = tables.table(["name", "n"], [["a", "1"], ["a long one", "1000"]]).splitlines()
    assert len({len(line) for line in lines}) == 1
    assert lines[1].endswith(":|") is False and lines[1].endswith("---: |")
    assert lines[2].endswith("|    1 |") and lines[2].startswith("| a  ")
    assert tables.table(["name"], []) == ""


def test_stages_are_medians_and_sums_come_last():
    text = tables.stages([measurement(TARGET, (1, 1), (2, 1), (4, 1))])
    head, _, row = cells(text)
    assert head == ["target", "backend", "voxelize", "sweep", "compile", "compute", "total"]
    assert row[2:] == ["1.000", "0.500", "0.500", "2.000", "3.000"]


def test_counts_are_shown_if_reports_have_them():
    with_counts = measurement(TARGET, (figures(1, counts={"near_bricks": 7, "pairs": 9}), 1))
    head, _, row = cells(tables.counts([with_counts, measurement(TARGET, (1, 1))]))
    assert head[2:] == ["near_bricks", "pairs"] and row[2:] == ["7", "9"]
    assert tables.counts([measurement(TARGET, (1, 1))]) == ""


def with_openvdb(one, *figures_of_rounds):
    """A measurement where OpenVDB in C++ ran too."""
    pairs = zip(one.rounds, figures_of_rounds, strict=True)
    return Measurement(one.target, tuple(rounds | {OPENVDB: theirs} for rounds, theirs in pairs))


def test_openvdb_has_a_table_of_its_own_and_leaves_the_first_peers_as_it_was():
    alone = measurement(TARGET, (1, 8), (2, 8), (3, 8))
    both = with_openvdb(alone, figures(5, memory=256), figures(4, volume=101), figures(10))
    assert both.backends() == ("cpu",)
    assert tables.against_the_peer([both]) == tables.against_the_peer([alone])
    head, _, row = cells(tables.against_openvdb([both]))
    assert dict(zip(head, row, strict=True)) == {
        "target": "W1-100@512",
        "backend": "cpu",
        "seconds": "2.00",
        "OpenVDB": "5.00",
        "ratio": "0.30",  # of 0.2, 0.5 and 0.3, and not 2 / 5
        "GiB": "0.50",
        "OpenVDB's GiB": "0.50",
        "OpenVDB's volume": "+0.00%",
    }
    assert tables.against_openvdb([alone]) == ""


def test_openvdb_that_failed_or_lost_the_stock_is_shown():
    failed = with_openvdb(measurement(TARGET, (1, 8)), {"error": "no library"})
    assert "no library" in tables.failures([failed]) and tables.against_openvdb([failed]) == ""
    lost = with_openvdb(measurement(TARGET, (1, 8)), figures(2, volume=0.0))
    assert "(stock lost)" in tables.against_openvdb([lost]) and "lost" not in tables.against_the_peer([lost])


def test_openvdb_grows_in_a_column_of_its_own():
    one, other = (measurement(Target("W1-100", size), (1, 2)) for size in (256, 512))
    assert "openvdb" not in tables.growth(by_resolution([one, other]), "resolution")
    row = [with_openvdb(one, figures(2)), with_openvdb(other, figures(9))]
    head, _, *body = cells(tables.growth(by_resolution(row), "resolution"))
    assert head[-2:] == ["openvdb", "times"] and body[1][-2:] == ["9.00", "4.5"]


def test_growth_is_the_ratio_to_the_previous_row():
    row = [
        measurement(Target("W1-100", size), (seconds, 4 * seconds)) for size, seconds in ((1024, 9), (256, 1), (512, 3))
    ]
    head, _, *body = cells(tables.growth(by_resolution(row), "resolution"))
    assert head == ["", "resolution", "cpu", "times", "peer", "times"]
    assert [line[1] for line in body] == ["256", "512", "1024"]
    assert [line[3] for line in body] == ["", "3.0", "3.0"] and body[2][5] == "3.0"


def test_only_one_quantity_changes_within_a_series():
    def of(name, resolution, objects=False):
        return measurement(Target(name, resolution, objects), (1, 2))

    measured = [of("W1-100", 512), of("W1-1000", 512), of("W3-2000", 512), of("W3-2000", 256), of("W1-10", 512, True)]
    assert [(one.title, one.places) for one in by_segments(measured)] == [("W1 at 512", (100, 1000))]
    assert [(one.title, one.places) for one in by_resolution(measured)] == [("W3-2000", (256, 512))]


def test_a_series_leaves_out_a_peer_that_lost_the_stock():
    lost = measurement(Target("W2-500", 512), (1, figures(2, volume=0.0)))
    (series,) = by_resolution([measurement(Target("W2-500", 256), (1, 2)), lost])
    assert series.seconds(PEER) == [(256, 2)] and series.seconds("cpu") == [(256, 1), (512, 1)]


def test_all_tables_have_headings():
    results = Results(
        {"processor": "of sand"}, (measurement(TARGET, (1, 2)), measurement(Target("W3-2000", 512, True), (1, 2)))
    )
    text = tables.render(results)
    headings = [line for line in text.splitlines() if line.startswith("#")]
    assert headings == [
        "### Measured on",
        "### From arrays to triangles",
        "### From object to object, in Blender",
        "### Seconds by stage",
        "### Memory",
    ]
    assert " 81 |        90 |   -10% |" in text
    assert "of sand" in text


# The document


def test_only_the_generated_part_changes():
    text = f"prose\n{document.BEGIN}\nold\n{document.END}\nmore\n"
    once = document.with_measured(text, "\nnew\n")
    assert once.startswith("prose\n") and once.endswith("\nmore\n") and "old" not in once and "\nnew\n" in once
    assert document.with_measured(once, "new") == once


@pytest.mark.parametrize(
    "text", ["", document.BEGIN, f"{document.END}\n{document.BEGIN}", document.BEGIN * 2 + document.END]
)
def test_a_document_without_a_place_is_refused(text):
    with pytest.raises(document.DocumentError):
        document.with_measured(text, "new")


def test_the_page_has_a_place_for_the_generated_part():
    page = (ROOT / "docs" / "benchmarks.md").read_text(encoding="utf-8")
    assert "new figures" in document.with_measured(page, "new figures")


def test_pictures_are_drawn_if_there_is_growth(tmp_path):
    plots = pytest.importorskip("benchmarks.plots")
    row = [measurement(Target("W1-100", size), (size / 256, size / 64)) for size in (256, 512)]
    assert plots.draw(row[:1], tmp_path) == {} and not list(tmp_path.iterdir())
    (file,) = plots.draw(row, tmp_path).values()
    first = file.read_bytes()
    assert b"W1-100, cpu" in first and b"SDF nodes" in first and len(first) < 100_000
    plots.draw(row, tmp_path)
    assert file.read_bytes() == first
    assert document.measured_part("TABLES", {"Seconds": file}, tmp_path).startswith(f"![Seconds]({file.name})\n")


def test_the_machine_is_described():
    facts = machine.facts(ROOT, "5.2", machine.load())
    assert {"processor", "system", "versions", "date"} <= set(facts) and facts["peer"] == "Blender 5.2"
    assert f"numpy {np.__version__}" in facts["versions"]
    alone = machine.facts(ROOT, None, "0.5 processes")
    assert "peer" not in alone and alone["load before"] == "0.5 processes"
    assert machine.facts(ROOT, None, "", "13.0.0")["second peer"] == "OpenVDB 13.0.0 in C++"


# The front door


def bench(*arguments):
    command = [sys.executable, str(ROOT / "benchmarks"), *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT)


def tiny_case(folder):
    """Write and return the case of a block with one groove, for few voxels."""
    stock = cases.box((0, 0, 0), (8, 4, 4))
    path = PathLine(np.array([[-3.0, 2, 4], [4, 2, 4], [11, 2, 4]]), np.array([1.0]))
    case = cases.Case(stock, path)
    cases.write(case, "groove", folder)
    return case


def test_saved_results_are_shown_again(tmp_path):
    Results({"date": "today"}, (measurement(TARGET, (1, 10)),)).save(tmp_path / "results.json")
    done = bench("--from", tmp_path / "results.json", "--json", tmp_path / "again.json")
    assert done.returncode == 0, done.stderr
    assert "0.12 held" in done.stdout and load(tmp_path / "again.json") == load(tmp_path / "results.json")


def test_a_failed_run_shows_in_the_exit_status(tmp_path):
    Results({}, (measurement(TARGET, (1, {"error": "gone"})),)).save(tmp_path / "results.json")
    done = bench("--from", tmp_path / "results.json")
    assert done.returncode == 1 and "gone" in done.stdout


def test_bad_input_is_named(tmp_path):
    for arguments, message in (
        (["W9@64"], "no case 'W9'"),
        (["--cases", tmp_path], "has no cases"),
        (["--from", tmp_path / "none.json"], "cannot be read"),
    ):
        done = bench(*arguments)
        assert done.returncode == 2 and message in done.stderr and "Traceback" not in done.stderr


def test_cases_of_a_folder_are_measured_by_the_command_line(tmp_path):
    case = tiny_case(tmp_path)
    done = bench(
        "--cases", tmp_path, "groove@32", "--no-peer", "--backend", "cpu", "--repeat", 2, "--json", tmp_path / "r.json"
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    results = load(tmp_path / "r.json")
    assert [one.target for one in results.measurements] == [Target("groove", 32)]
    (one,) = results.measurements
    assert len(one.rounds) == 2 and one.backends() == ("cpu",) and one.ratio("cpu") is None
    half_rod = np.pi / 2 * 8
    assert one.done("cpu")[1]["removed_volume"] == pytest.approx(half_rod, rel=0.02)
    assert case.stock.volume() == pytest.approx(8 * 4 * 4)


def test_a_refused_job_is_a_failed_run(tmp_path):
    tiny_case(tmp_path)
    done = bench("--cases", tmp_path, "groove@32", "--no-peer", "--backend", "abacus", "--repeat", 2)
    assert done.returncode == 1 and "abacus" in done.stdout and "nobody is left" in done.stderr


# The peer


def test_balls_follow_the_path_and_leave_low_ridges():
    pytest.importorskip("bpy")
    from benchmarks.peer import balls

    path = PathLine(np.array([[0.0, 0, 0], [10, 0, 0], [10, 0.01, 0], [10, 5, 0]]), np.array([2.0, 1, 1, 3]))
    centres, radii = balls(path, 0.01)
    for point, radius in zip(path.points, path.radii, strict=True):
        nearest = np.linalg.norm(centres - point, axis=1).argmin()
        np.testing.assert_allclose(centres[nearest], point, atol=1e-12)
        assert radii[nearest] == pytest.approx(radius)
    gaps, smaller = np.linalg.norm(np.diff(centres, axis=0), axis=1), np.minimum(radii[1:], radii[:-1])
    ridges = smaller - np.sqrt(smaller**2 - gaps**2 / 4)
    assert ridges.max() < 0.0101 and ridges.max() > 0.005
    assert (np.linalg.norm(centres[-1] - path.points[-1])) == 0


@pytest.mark.slow
def test_the_peer_and_the_operator_agree_with_the_command_line(tmp_path):
    needs_blender_5()
    case = tiny_case(tmp_path)
    arguments = ["groove@64", "groove@64:objects", "--backend", "cpu", "--repeat", "1", "--json", tmp_path / "r.json"]
    done = bench("--cases", tmp_path, *arguments)
    assert done.returncode == 0, done.stdout + done.stderr
    ours = carve(case.stock, Sweep.from_paths([case.path]), 8 / 64, backend="cpu").surface
    for one in load(tmp_path / "r.json").measurements:
        (peer,), (report,) = one.done(PEER), one.done("cpu")
        assert report["volume"] == pytest.approx(ours.volume(), rel=1e-4)
        assert peer["volume"] == pytest.approx(ours.volume(), rel=0.02)
        assert peer["triangles"] > 1000 and peer["peak_memory_mb"] > 10
        assert one.ratio("cpu") > 0
        assert ("wall" in report["seconds"]) == one.target.objects


def test_the_answer_of_a_process_is_its_last_line():
    done = runs._run([sys.executable, "-c", "import json; print('hello'); print(json.dumps({'a': 1}))"])
    assert json.loads(done.stdout.splitlines()[-1]) == {"a": 1}
