"""The benchmark of the accuracy: its reference volumes against closed forms, and its tables. Nothing is timed."""

import json
import subprocess
import sys
from dataclasses import asdict
from pathlib import Path

import numpy as np
import pytest

from benchmarks import accuracy, accuracy_tables, cases, document, volumes
from benchmarks.results import PEER, Measurement, Results
from benchmarks.targets import ACCURACY_BARS, AccuracyBar, Target
from voxel_carve.compute import Accuracy, Deviation

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize(
    ("a", "b"), [((1, 2, 3), (4, 2, 3)), ((0, 0, 0), (1, -2, 2)), ((1, 1, 1), (1, 1, 4)), ((2, 1, 0), (2, 1, 0))]
)
def test_a_capsule_by_columns_has_the_volume_of_the_closed_form(a, b):
    a, b, radius, spacing = np.array(a, float), np.array(b, float), 0.8, 0.01
    x, y = (side.ravel() for side in np.mgrid[-3.0037:6:spacing, -4.0037:4:spacing])
    low, high = volumes.capsule_interval(a, b, radius, x, y)
    volume = np.maximum(high - low, 0).sum() * spacing**2
    length = np.linalg.norm(b - a)
    assert volume == pytest.approx(np.pi * radius**2 * (length + 4 / 3 * radius), rel=3e-4)


def test_only_intervals_of_the_same_place_unite():
    start, stop = np.array([0.0, 0.5, 3.0, 0.0]), np.array([1.0, 2.0, 4.0, 10.0])
    assert volumes.union_length(start, stop, np.array([5, 5, 5, 6])) == pytest.approx(2 + 1 + 10)
    assert volumes.union_length(np.empty(0), np.empty(0), np.empty(0, int)) == 0


@pytest.mark.parametrize("name", ["W1-1000", "W3-2000", "S1-12"])
@pytest.mark.slow
def test_reference_volumes_agree_with_random_points(name):
    case, random = cases.make(name), np.random.default_rng(6)
    low, high = case.path.points.min(axis=0) - 5, case.path.points.max(axis=0) + 5
    points = random.uniform(low, high, (200_000, 3))
    stock = (
        (points > [0, 0, -20]).all(axis=1) & (points < [100, 100, 0]).all(axis=1)
        if name.startswith("W1")
        else np.linalg.norm(points, axis=1) < 50
    )
    points, inside = points[stock], np.zeros(int(stock.sum()), dtype=bool)
    for a, b, radius in zip(case.path.points[:-1], case.path.points[1:], case.path.radii[:-1], strict=True):
        near = np.flatnonzero((np.abs(points - (a + b) / 2) < np.abs(b - a) / 2 + radius).all(axis=1))
        place = np.clip((points[near] - a) @ (b - a) / max((b - a) @ (b - a), 1e-300), 0, 1)
        inside[near] |= np.linalg.norm(points[near] - a - place[:, None] * (b - a), axis=1) < radius
    share = inside.sum() / 200_000
    box = np.prod(high - low)
    assert volumes.REMOVED[name] == pytest.approx(share * box, abs=4 * box * np.sqrt(share / 200_000))


@pytest.mark.slow
@pytest.mark.parametrize("name", list(volumes.REMOVED))
def test_reference_volumes_come_from_the_columns(name):
    assert volumes.removed_volume(name) == pytest.approx(volumes.REMOVED[name], rel=2e-5)


def test_a_changing_radius_is_refused(monkeypatch):
    monkeypatch.setitem(volumes.STOCKS, "W2", volumes.STOCKS["W3"])
    monkeypatch.setattr(volumes, "make", lambda name: cases.Case(cases.block(), cases.helix(500)))
    with pytest.raises(ValueError, match="radius"):
        volumes.removed_volume("W2-500", 1.0)


def test_the_chords_cross_in_the_sphere_and_bend_sharply():
    points = cases.chords(12).points
    np.testing.assert_allclose(np.linalg.norm(points, axis=1), 44)
    steps = np.diff(points, axis=0)
    bends = np.degrees(np.arccos([a @ b / np.linalg.norm(a) / np.linalg.norm(b) for a, b in zip(steps, steps[1:])]))  # noqa: B905, RUF007
    assert bends.min() > 20


# Tables


def figures(vertex=0.004, edge=0.02, volume=1000.0, **more):
    """The figures of a run, with lengths for voxels of 0.5."""
    surface, edges = Deviation(10, vertex / 2, vertex, 2 * vertex), Deviation(5, edge / 2, edge, 2 * edge)
    found = Accuracy(
        0.5,
        *(Deviation(p.count, p.rms / 2, p.percentile_99 / 2, p.largest / 2) for p in (surface, surface, edges, edges)),
        closure_faces=0,
        stray_edges=3,
        lost_points=7,
    )
    return {"accuracy": found.to_dict(), "volume": volume, "stock_volume": 200000.0, **more}


def row(text, case, who):
    """The cells of one row by their headings; of equal headings, the last."""
    lines = [[cell.strip() for cell in line.strip("|\n").split("|")] for line in text.splitlines()]
    return next(line for line in lines if line[0] == case and line[2] == who), lines[0]


def test_bars_are_held_or_missed_and_the_peer_has_none():
    target = Target("W1-1000", 256)
    one = Measurement(target, ({"cuda": figures(), "cpu": figures(0.03, 0.06), PEER: figures(0.03)},))
    cells, head = row(accuracy_tables.surfaces([one]), "W1-1000", "cuda")
    by_head = dict(zip(head, cells, strict=False))
    assert by_head["vertices"] == "10"
    assert cells[4:8] == ["0.0020", "0.01 held", "0.0080", "0.05 held"]
    cells, _ = row(accuracy_tables.surfaces([one]), "W1-1000", "cpu")
    assert cells[4:8] == ["0.0150", "0.01 MISSED", "0.0600", "0.05 MISSED"]
    cells, _ = row(accuracy_tables.surfaces([one]), "W1-1000", PEER)
    assert cells[5] == cells[7] == ""
    cells, _ = row(accuracy_tables.edges([one]), "W1-1000", "cpu")
    assert cells[3:7] == ["5", "0.0300", "0.0600", "0.05 MISSED"] and cells[-2:] == ["3", "7"]


def test_volumes_are_compared_with_the_true_ones():
    removed = volumes.REMOVED["W1-1000"]
    carved = Measurement(Target("W1-1000", 256), ({"cuda": figures(volume=200000 - 1.004 * removed)},))
    whole = Measurement(Target("B1-1", 64), ({"cuda": figures(volume=0.99 * volumes.WHOLE["B1-1"])},))
    cells, _ = row(accuracy_tables.volumes([carved, whole]), "W1-1000", "cuda")
    assert cells[-2:] == ["+0.400%", "0.50% held"]
    cells, _ = row(accuracy_tables.volumes([carved, whole]), "B1-1", "cuda")
    assert cells[-2:] == ["-1.000%", "0.01% MISSED"]


def test_a_failure_is_shown_with_the_other_results():
    one = Measurement(Target("W1-1000", 256), ({"cuda": figures(), "cpu": {"error": "gone"}},))
    text = accuracy_tables.render(Results({"date": "today"}, (one,)))
    assert "### Failed" in text and "gone" in text and "### Volumes" in text


def test_every_bar_belongs_to_a_case_and_distances_with_a_bar_are_measured():
    assert {target.case for target in ACCURACY_BARS} <= set(cases.CASES)
    for target, bar in ACCURACY_BARS.items():
        lengths = {name: value for name, value in asdict(bar).items() if name != "volume" and value is not None}
        assert accuracy.wants_distances(target) == bool(lengths)
    assert accuracy.wants_distances(Target("W2-500", 64))
    assert ACCURACY_BARS[Target("W3-2000", 512)] == AccuracyBar(volume=0.004)


def test_the_page_has_a_place_for_the_figures():
    text = accuracy.DOCUMENT.read_text(encoding="utf-8")
    assert "figures here" in document.with_measured(text, "figures here", accuracy.BEGIN)


def test_a_case_is_measured_from_the_command_line(tmp_path):
    saved = tmp_path / "saved.json"
    command = [sys.executable, str(ROOT / "benchmarks" / "accuracy.py"), "B1-1@24", "--backend", "cpu", "--no-peer"]
    done = subprocess.run([*command, "--json", str(saved)], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "### From edge to edge" in done.stdout
    found = json.loads(saved.read_text())["measurements"][0]["rounds"][0]["cpu"]
    assert found["accuracy"]["voxels"]["vertices"]["largest"] < 1
    assert found["volume"] == pytest.approx(volumes.WHOLE["B1-1"], rel=0.03)
    again = subprocess.run(
        [sys.executable, str(ROOT / "benchmarks" / "accuracy.py"), "--from", str(saved)],
        cwd=ROOT, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert again.stdout == done.stdout


def test_an_unknown_case_is_named():
    command = [sys.executable, str(ROOT / "benchmarks" / "accuracy.py"), "W9-1@64", "--no-peer"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 2 and "no case 'W9-1'" in done.stderr
