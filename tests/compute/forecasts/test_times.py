"""How long a carve will take: what earlier jobs tell, kept between processes, whatever became of the file."""

import json

import numpy as np
import pytest

from tests import shapes
from voxel_carve import carve, forecast
from voxel_carve.compute.engines.numba.compiler.loading import load_kernels
from voxel_carve.compute.forecasts import Kind, expected_seconds, history, keep_history, remember, seconds_texts
from voxel_carve.compute.runtime import cache, cache_folder, set_cache_folder
from voxel_carve.headless import run_job
from voxel_carve.jobs import read_options

CPU = Kind("cpu")
FACES = 100_000


@pytest.fixture(autouse=True)
def kept(tmp_path, monkeypatch):
    """A history that is kept, in a folder of its own, where no kernels are: they are loaded before."""
    for name in ("carve", "exact"):
        load_kernels(name)
    monkeypatch.delenv(history.ENVIRONMENT_VARIABLE)
    set_cache_folder(str(tmp_path / "kernels"))
    keep_history(True)
    yield
    set_cache_folder(None)
    keep_history(False)


def report(seconds, faces=FACES, **more):
    """A report of a job that took so many seconds, and ten more to compile kernels."""
    figures = {
        "operation": "subtract",
        "backend": "cpu",
        "result": "remesh",
        "tolerance": 0.0,
        "faces": faces,
        "triangles_before": 0,
    }
    return figures | {"seconds": {"compute": 0.9 * seconds, "total": seconds + 10.0, "compile": 10.0}} | more


def next_process():
    """Forget all but what is kept."""
    keep_history(True)


def test_before_any_job_the_range_is_wide_and_grows_with_the_faces():
    low, high = expected_seconds(CPU, [FACES])
    assert low > 0 and high == pytest.approx(10 * low)
    assert expected_seconds(CPU, [10 * FACES]) > (5 * low, 5 * high)


def test_the_range_is_that_of_the_last_jobs():
    usual = CPU.usual_seconds(FACES)
    for factor in (4.0, 5.0, 4.5):
        remember(report(factor * usual))
    low, high = expected_seconds(CPU, [FACES])
    assert 2.9 * usual < low < 4 * usual and 5 * usual < high < 6.7 * usual


def test_one_job_out_of_many_does_not_count():
    for seconds in (2.0, 2.0, 2.1, 1.9, 90.0, 2.0):
        remember(report(seconds))
    low, high = expected_seconds(CPU, [FACES])
    assert 1.5 < low < 2 < high < 3


def test_the_range_narrows_with_the_number_of_equal_jobs():
    spans = []
    for _ in range(4):
        remember(report(2.0))
        low, high = expected_seconds(CPU, [FACES])
        assert low < 2 < high
        spans.append(high / low)
    assert spans == sorted(spans, reverse=True)


def test_compiling_does_not_count():
    remember(report(2.0))
    learnt = expected_seconds(CPU, [FACES])
    keep_history(False)
    remember(report(2.0) | {"seconds": {"compute": 1.8, "total": 2.0, "compile": 0.0}})
    assert expected_seconds(CPU, [FACES]) == pytest.approx(learnt)


def test_several_jobs_take_the_sum():
    remember(report(2.0))
    one = expected_seconds(CPU, [FACES])
    assert expected_seconds(CPU, [FACES] * 3) == pytest.approx([3 * each for each in one])


def test_each_step_counts_as_a_job():
    remember(report(6.0, operation="subtract, union, subtract"))
    in_steps = expected_seconds(CPU, [3 * FACES])
    cache.throw_away(history.ENTRY, "of a test")
    keep_history(True)
    remember(report(6.0, faces=3 * FACES))
    assert expected_seconds(CPU, [3 * FACES]) == in_steps


def test_jobs_of_similar_size_count_more():
    for _ in range(3):
        remember(report(10 * CPU.usual_seconds(1000), faces=1000))
    remember(report(2 * CPU.usual_seconds(FACES)))
    assert expected_seconds(CPU, [FACES])[1] < 5 * CPU.usual_seconds(FACES)
    assert expected_seconds(CPU, [1000])[0] > 5 * CPU.usual_seconds(1000)


@pytest.mark.parametrize(
    ("more", "kind"),
    [
        ({"backend": "cuda"}, Kind("cuda")),
        ({"result": "keep"}, Kind("cpu", keeps=True)),
        ({"tolerance": 0.1, "triangles_before": 2 * FACES}, Kind("cpu", merges=True)),
        ({"accuracy": {}}, Kind("cpu", verified=True)),
    ],
)
def test_kinds_of_jobs_say_nothing_about_each_other(more, kind):
    before = expected_seconds(CPU, [FACES])
    remember(report(1000.0, **more))
    assert expected_seconds(CPU, [FACES]) == before
    assert expected_seconds(kind, [FACES])[1] > 1000


def test_only_the_last_jobs_are_kept_and_the_next_process_knows_them():
    for number in range(3 * history.MOST_RUNS):
        remember(report(100.0 if number < 2 * history.MOST_RUNS else 1.0))
    learnt = expected_seconds(CPU, [FACES])
    assert learnt[1] < 2
    next_process()
    assert expected_seconds(CPU, [FACES]) == learnt
    assert len(json.loads(cache.kept(history.ENTRY))["cpu"]) == history.MOST_RUNS


def test_what_another_process_adds_meanwhile_stays():
    remember(report(1.0))
    ours = json.loads(cache.kept(history.ENTRY))
    theirs = ours | {"cuda": [[FACES, 5.0]]}
    cache.keep(history.ENTRY, json.dumps(theirs).encode())
    remember(report(1.0))
    assert set(json.loads(cache.kept(history.ENTRY))) == {"cpu", "cuda"}


def test_nothing_is_kept_where_the_environment_says_so(monkeypatch):
    monkeypatch.setenv(history.ENVIRONMENT_VARIABLE, "1")
    keep_history(True)
    before = expected_seconds(CPU, [FACES])
    remember(report(50.0))
    assert expected_seconds(CPU, [FACES])[0] > 10
    assert cache.kept(history.ENTRY) is None
    next_process()
    assert expected_seconds(CPU, [FACES]) == before


@pytest.mark.parametrize(
    "text",
    ["", "{", "[1]", '{"cpu": 1}', '{"cpu": [[0, 1]]}', '{"cpu": [["a", "b"]]}', "\x00", "[" * 100_000,
     '{"cpu": [[1e999, 1]]}', '{"cpu": [[5, NaN]]}', '{"cpu": [[5, -1]]}', '{"cpu": [[5]]}'],
)  # fmt: skip
def test_what_makes_no_sense_counts_as_nothing(text):
    before = expected_seconds(CPU, [FACES])
    cache.keep(history.ENTRY, text.encode())
    next_process()
    assert expected_seconds(CPU, [FACES]) == before
    remember(report(50.0))
    next_process()
    assert expected_seconds(CPU, [FACES])[0] > 10


def test_a_damaged_file_counts_as_nothing():
    before = expected_seconds(CPU, [FACES])
    remember(report(50.0))
    file = cache_folder() / history.ENTRY
    file.write_bytes(file.read_bytes()[:-1] + b"!")
    next_process()
    assert expected_seconds(CPU, [FACES]) == before
    remember(report(50.0))
    assert expected_seconds(CPU, [FACES])[0] > 10


def test_a_folder_that_cannot_be_written_is_no_error(tmp_path):
    (tmp_path / "file").write_text("no folder")
    set_cache_folder(str(tmp_path / "file" / "kernels"))
    next_process()
    remember(report(50.0))
    assert expected_seconds(CPU, [FACES])[0] > 10


@pytest.mark.parametrize("seconds", [0.0, -1.0, float("nan"), float("inf")])
def test_meaningless_runs_are_not_remembered(seconds):
    before = expected_seconds(CPU, [FACES])
    remember(report(seconds))
    remember(report(1.0, faces=0))
    assert expected_seconds(CPU, [FACES]) == before


def test_a_job_of_the_command_line_is_remembered(tmp_path):
    stock, path = tmp_path / "stock.obj", tmp_path / "path.csv"
    mesh = shapes.box()
    lines = [f"v {x} {y} {z}" for x, y, z in mesh.points] + [f"f {a} {b} {c}" for a, b, c in mesh.triangles + 1]
    stock.write_text("\n".join(lines))
    path.write_text("x,y,z\n-2,0,1\n2,0,1\n")
    options = {"stock": [str(stock)], "path": [str(path)], "radius": "0.2", "resolution": "32", "backend": "cpu"}
    job = read_options(options | {"output": str(tmp_path / "out.stl")}, open_blend=None)[0]
    figures = run_job(job)
    runs = history.runs("cpu")
    assert [run.faces for run in runs] == [figures["faces"]]
    assert runs[0].seconds == pytest.approx(figures["seconds"]["total"] - figures["seconds"]["compile"])


def test_the_forecast_of_the_library_reads_the_same(tmp_path):
    stock, path = shapes.box(), [(np.array([(-2.0, 0, 1), (2, 0, 1)]), 0.2)]
    told = forecast(stock, path, resolution=48, backend="cpu")
    made = carve(stock, path, resolution=48, backend="cpu").report
    assert told.grid_shape == made.grid_shape
    assert told.faces == pytest.approx(made.faces, rel=0.25)
    assert told.seconds == expected_seconds(CPU, [told.faces])
    for _ in range(5):
        remember(report(50.0, faces=told.faces))
    assert forecast(stock, path, resolution=48, backend="cpu").seconds_text() == "42 s to 1 min"
    kept = forecast(stock, path, resolution=48, backend="cpu", result="keep")
    assert kept.faces < told.faces and kept.seconds[1] < 40


def test_seconds_as_text():
    texts = {
        (0.01, 0.04): ("0.1 s", "0.1 s"),
        (0.02, 0.3): ("0.1", "0.3 s"),
        (0.31, 0.34): ("0.3 s", "0.3 s"),
        (0.4, 1.04): ("0.4", "1 s"),
        (1.2, 3.3): ("1", "3 s"),
        (8, 12): ("8", "12 s"),
        (40, 90): ("40 s", "2 min"),
        (4000, 9000): ("1 h", "2 h"),
        (40_000, 90_000): ("11 h", "25 h"),
    }
    assert {seconds: seconds_texts(*seconds) for seconds in texts} == texts
