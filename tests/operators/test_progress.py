"""The progress shown while an operator runs: started once, advanced, and ended however the job ends."""

from types import SimpleNamespace
from typing import Any

import pytest

from tests.scene_objects import box, poly_curve, select

bpy: Any = pytest.importorskip("bpy")
pytestmark = [pytest.mark.blender, pytest.mark.usefixtures("registered")]

from voxel_carve.compute import CarveCancelled  # noqa: E402
from voxel_carve.compute import separate_process as apart  # noqa: E402
from voxel_carve.compute.engines.numba.field import dense as numba_dense  # noqa: E402
from voxel_carve.compute.runtime import progress_range  # noqa: E402
from voxel_carve.operators.jobs import voxel_operator  # noqa: E402
from voxel_carve.operators.jobs.carving import BARE_ARRAYS_SHARE  # noqa: E402
from voxel_carve.operators.jobs.progress import part_of, shown_progress  # noqa: E402


@pytest.fixture(autouse=True)
def empty_scene(registered, monkeypatch):
    monkeypatch.setenv("VOXEL_CARVE_BACKEND", "cpu")
    bpy.ops.wm.read_factory_settings(use_empty=True)


@pytest.fixture
def calls(monkeypatch):
    """The calls of operators to a mock window manager and workspace, as (name, argument)."""
    made: list[tuple[str, Any]] = []

    def remember(name):
        return lambda *arguments: made.append((name, arguments[-1] if arguments else None))

    manager = SimpleNamespace(
        **{name: remember(name) for name in ("progress_begin", "progress_update", "progress_end")}
    )
    workspace = SimpleNamespace(status_text_set=remember("status"))
    for fake_part, real in ((manager, bpy.data.window_managers[0]), (workspace, bpy.data.workspaces[0])):
        assert all(hasattr(real, name) for name in vars(fake_part))
    fake = SimpleNamespace(window_manager=manager, workspace=workspace)
    monkeypatch.setattr(voxel_operator, "shown_progress", lambda context: shown_progress(fake))
    return made


def begun_and_ended(calls):
    """Whether progress began first, ended once and last, and left no text."""
    names = [name for name, _ in calls]
    return (
        calls[0] == ("progress_begin", 100)
        and names.count("progress_begin") == names.count("progress_end") == 1
        and calls[-2:] == [("progress_end", None), ("status", None)]
    )


def select_stock_and_path(*more):
    select(box(), *more, poly_curve([(-2, 0, 0), (2, 0, 0)]))


@pytest.mark.parametrize(
    "operator", ["voxel_carve", "voxel_carve_voxelize", "voxel_carve_offset", "voxel_carve_boolean"]
)
def test_a_job_shows_its_progress(operator, calls):
    select_stock_and_path(box("Other", centre=(1, 1, 1)))
    assert getattr(bpy.ops.object, operator)(voxel_size=0.1) == {"FINISHED"}
    assert begun_and_ended(calls)
    updates = [value for name, value in calls if name == "progress_update"]
    assert updates == sorted(updates) and len(set(updates)) > 1 and 0 <= updates[0] and updates[-1] <= 100
    texts = [value for name, value in calls if name == "status"][:-1]
    assert len(texts) == len(updates)
    for text, update in zip(texts, updates, strict=True):
        assert text.startswith("Voxel Carve: ") and text.endswith(f", {update}%")


@pytest.mark.parametrize("operator", ["voxel_carve_voxelize", "voxel_carve_offset", "voxel_carve_boolean"])
def test_a_voxel_tool_shows_progress_within_its_stages(operator, calls, monkeypatch):
    monkeypatch.setattr(numba_dense, "VOXELS_PER_BLOCK", 1 << 11)
    select(box(), box("Other", centre=(1, 1, 1)))
    assert getattr(bpy.ops.object, operator)(voxel_size=0.05) == {"FINISHED"}
    shown = {text for name, text in calls if name == "status" and text and "Voxelize" in text}
    assert len(shown) > 10


def test_a_refused_job_ends_its_progress(calls):
    select_stock_and_path()
    with pytest.raises(RuntimeError, match=r"[Nn]othing is left of 'Box'"):
        bpy.ops.object.voxel_carve(radius=5, resolution=16)
    assert begun_and_ended(calls)
    assert "progress_update" in dict(calls)


@pytest.mark.parametrize("error", [CarveCancelled(), ZeroDivisionError("a defect"), KeyboardInterrupt()])
def test_a_failing_job_ends_its_progress(error, calls, monkeypatch):
    def broken(*arguments, **options):
        with progress_range(0.5, 1.0, "Sweep"):
            raise error

    monkeypatch.setattr(apart, "carve", broken)
    select_stock_and_path()
    if isinstance(error, CarveCancelled):
        assert bpy.ops.object.voxel_carve() == {"CANCELLED"}
    else:
        with pytest.raises(RuntimeError, match=type(error).__name__):
            bpy.ops.object.voxel_carve()
    assert begun_and_ended(calls)
    half = round(50 * (1 - BARE_ARRAYS_SHARE))
    assert ("progress_update", half) in calls and ("status", f"Voxel Carve: Sweep, {half}%") in calls


def test_a_job_without_a_window_shows_nothing_and_runs():
    with shown_progress(SimpleNamespace(window_manager=None, workspace=None)) as progress:
        assert progress("Sweep", 0.5) is None


def test_progress_of_a_part():
    reported: list[tuple[str, float]] = []
    part_of(lambda stage, fraction: reported.append((stage, fraction)), 1, 4)("Sweep", 0.5)
    assert reported == [("Sweep", 0.375)]


def told_by_parts(*names):
    """What is told of two equal parts, each with two stages and its end."""
    told: list[tuple[str, float]] = []
    for number, name in enumerate(names):
        part = part_of(lambda stage, fraction: told.append((stage, fraction)), number, len(names), name)
        for stage, fraction in (("Sweep", 0.0), ("Surface", 0.5), ("Done", 1.0)):
            part(stage, fraction)
    return told


def test_only_the_last_part_ends_with_done():
    assert told_by_parts("", "") == [
        *(("Sweep", 0.0), ("Surface", 0.25), ("Surface", 0.5)),
        *(("Sweep", 0.5), ("Surface", 0.75), ("Done", 1.0)),
    ]


def test_a_part_with_a_name_is_called_so():
    stages = [stage for stage, _ in told_by_parts("Frame 1 of 2", "Frame 2 of 2")]
    assert stages == ["Frame 1 of 2"] * 3 + ["Frame 2 of 2"] * 3


def test_no_job_with_several_stocks_is_done_before_its_end(calls):
    select(box(), box("Other", centre=(4, 0, 0)), poly_curve([(-2, 0, 0), (6, 0, 0)]))
    assert bpy.ops.object.voxel_carve(voxel_size=0.1) == {"FINISHED"}
    texts = [value for name, value in calls if name == "status"][:-1]
    assert [text for text in texts if "Done" in text] == ["Voxel Carve: Done, 100%"]
    assert texts[-1] == "Voxel Carve: Done, 100%"
