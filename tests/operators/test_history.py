"""The history of how long jobs took, kept between sessions of Blender."""

import json
from typing import Any

import pytest

bpy: Any = pytest.importorskip("bpy")
pytestmark = pytest.mark.blender

from voxel_carve.operators.jobs.history import (  # noqa: E402
    MOST_RUNS,
    bricks_estimate,
    expected_seconds,
    job_kind,
    last_report,
    remember,
    remember_report,
    set_history_file,
)


@pytest.fixture(autouse=True)
def history(tmp_path):
    """A file for the history, in a folder that does not exist yet."""
    file = tmp_path / "user" / "history.json"
    set_history_file(str(file))
    yield file
    set_history_file(None)


def test_nothing_is_predicted_without_history():
    assert expected_seconds("cpu", 1000) is None
    remember("cpu", 1000, 2.0)
    assert expected_seconds("cuda", 1000) is None


def test_predicted_time_grows_with_size_and_is_the_median_of_earlier_runs():
    for seconds in (1.0, 2.0, 90.0):
        remember("cpu", 1000, seconds)
    assert expected_seconds("cpu", 1000) == pytest.approx(2.0)
    assert expected_seconds("cpu", 3000) == pytest.approx(6.0)


def test_jobs_of_similar_size_count_more():
    remember("cpu", 10, 1.0)
    remember("cpu", 20, 1.0)
    remember("cpu", 10_000, 20.0)
    assert expected_seconds("cpu", 20_000) == pytest.approx(40.0)
    assert expected_seconds("cpu", 15) == pytest.approx(15 * (1 / 10 + 1 / 20) / 2)


def test_only_the_last_runs_are_kept(history):
    for number in range(3 * MOST_RUNS):
        remember("cpu", 1000, 100.0 if number < 2 * MOST_RUNS else 1.0)
    assert expected_seconds("cpu", 1000) == pytest.approx(1.0)
    assert len(json.loads(history.read_text())["cpu"]) == MOST_RUNS


def test_the_history_survives_a_restart(history):
    remember("cuda", 1000, 2.0)
    set_history_file(str(history))
    assert expected_seconds("cuda", 2000) == pytest.approx(4.0)
    assert [file.name for file in history.parent.iterdir()] == [history.name]


def test_without_a_file_the_history_ends_with_the_process(history):
    set_history_file(None)
    remember("cpu", 1000, 2.0)
    assert expected_seconds("cpu", 1000) == pytest.approx(2.0)
    assert not history.exists()


@pytest.mark.parametrize("text", ["", "{", "[1]", '{"cpu": 1}', '{"cpu": [[0, 1]]}', '{"cpu": [["a", "b"]]}', "\x00"])
def test_a_damaged_file_counts_as_empty(history, text):
    history.parent.mkdir()
    history.write_text(text)
    assert expected_seconds("cpu", 1000) is None
    remember("cpu", 1000, 2.0)
    set_history_file(str(history))
    assert expected_seconds("cpu", 1000) == pytest.approx(2.0)


def test_an_unwritable_folder_is_no_error(history):
    history.parent.write_text("a file where the folder should be")
    remember("cpu", 1000, 2.0)
    assert expected_seconds("cpu", 1000) == pytest.approx(2.0)


@pytest.mark.parametrize(("bricks", "seconds"), [(0, 1.0), (1000, 0.0), (1000, float("nan")), (1000, float("inf"))])
def test_meaningless_runs_are_not_remembered(bricks, seconds):
    remember("cpu", bricks, seconds)
    assert expected_seconds("cpu", 1000) is None


def test_a_report_is_remembered():
    report = {"operation": "subtract", "backend": "cpu", "grid_shape": [80, 64, 104], "seconds": {"compute": 1.7}}
    report["tolerance"] = 0.0
    remember_report(report)
    assert expected_seconds("cpu", bricks_estimate((104, 64, 80))) == pytest.approx(1.7)
    assert last_report() == report


def test_jobs_with_and_without_merged_faces_say_nothing_about_each_other():
    report = {"operation": "subtract", "backend": "cpu", "grid_shape": [80, 64, 104], "seconds": {"compute": 1.7}}
    report["tolerance"] = 0.0
    bricks = bricks_estimate(report["grid_shape"])
    remember_report(report)
    assert expected_seconds(job_kind("cpu", merges_faces=True), bricks) is None
    remember_report(report | {"seconds": {"compute": 5.0}, "tolerance": 0.01})
    assert expected_seconds(job_kind("cpu", merges_faces=True), bricks) == pytest.approx(5.0)
    assert expected_seconds(job_kind("cpu", merges_faces=False), bricks) == pytest.approx(1.7)


def test_an_estimate_is_never_more_than_all_bricks():
    assert bricks_estimate((8, 8, 8)) == 1
    assert bricks_estimate((16, 16, 8)) == 4
    assert bricks_estimate((1024, 1024, 1024)) < 128**3 / 4
