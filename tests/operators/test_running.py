"""A job on a background thread, driven as by a modal operator, but without a window."""

import sys
import threading
import time
from types import SimpleNamespace
from typing import Any

import pytest

from tests.operators.test_operators import contents, volume
from tests.scene_objects import box, poly_curve, select

bpy: Any = pytest.importorskip("bpy")
pytestmark = [pytest.mark.blender, pytest.mark.usefixtures("registered")]

import voxel_carve  # noqa: E402
from voxel_carve.compute import CarveCancelled, InputError  # noqa: E402
from voxel_carve.operators.jobs import voxel_operator  # noqa: E402
from voxel_carve.operators.jobs.carve_reading import carve_options  # noqa: E402
from voxel_carve.operators.jobs.carving import read_carve_job  # noqa: E402
from voxel_carve.operators.jobs.job import Job  # noqa: E402
from voxel_carve.operators.jobs.progress import progress_text  # noqa: E402
from voxel_carve.operators.jobs.running import RunningJob, running_job  # noqa: E402
from voxel_carve.operators.jobs.voxel_operator import VoxelOperator, busy_refusal  # noqa: E402
from voxel_carve.operators.selection.selected import selection, selection_text  # noqa: E402
from voxel_carve.settings import scene_settings  # noqa: E402

LONGEST = 60.0  # seconds that a test waits for a thread


@pytest.fixture(autouse=True)
def empty_scene(registered, monkeypatch):
    monkeypatch.setenv("VOXEL_CARVE_BACKEND", "cpu")
    bpy.ops.wm.read_factory_settings(use_empty=True)
    yield
    if running_job():
        running_job().cancel()


def options(**properties):
    """The options of a carve from the scene's settings, some of them changed."""
    settings = scene_settings(bpy.context)
    settings.resolution, settings.radius_mode = 48, "VALUE"
    for name, value in properties.items():
        setattr(settings, name, value)
    return carve_options(settings, bpy.context)


def read(**properties):
    """A job that has read a box and a rod through it."""
    select(box(), poly_curve([(-2, 0, 0), (2, 0, 0)], [5, 5]))
    bpy.context.view_layer.update()
    return read_carve_job(bpy.context, selection(bpy.context), options(**properties))


def finish(running):
    """Wait for a job as a timer would, by polling."""
    deadline = time.monotonic() + LONGEST
    while not running.is_done():
        assert time.monotonic() < deadline
        time.sleep(0.01)
    return running.result()


@pytest.mark.parametrize("result", ["REMESH", "KEEP"])
def test_a_carve_on_a_background_thread_gives_the_same_result(result):
    job = read(result=result)
    running = RunningJob(job.compute, job.close)
    assert running_job() is running
    results = finish(running)
    outcome = job.write(bpy.context, results)[0]
    running.end()
    assert running_job() is None
    there = volume(outcome.obj)
    meshes = {mesh.name for mesh in bpy.data.meshes}
    assert meshes == {"Box", outcome.obj.data.name}

    bpy.data.objects.remove(outcome.obj)
    bpy.data.objects["Box"].hide_set(False)
    select(bpy.data.objects["Box"], bpy.data.objects["Path"])
    assert bpy.ops.object.voxel_carve(resolution=48, result=result) == {"FINISHED"}
    assert volume(bpy.context.object) == there


@pytest.mark.parametrize("result", ["REMESH", "KEEP"])
def test_a_cancelled_job_changes_nothing_and_its_thread_ends(result):
    before = None

    def slow(progress, ask):
        for number in range(10_000):
            progress("Sweep", number / 10_000)
            time.sleep(0.01)

    job = read(result=result)
    before = contents()
    running = RunningJob(slow, job.close)
    assert not running.is_done()
    running.cancel()
    assert running_job() is None and running.is_cancelled
    running.wait(LONGEST)
    assert running.is_done()
    with pytest.raises(CarveCancelled):
        running.result()
    assert {mesh.name for mesh in bpy.data.meshes} == {"Box"}
    assert contents()[1] == before[1]


def test_the_switch_interval_is_short_until_the_last_job_thread_has_ended():
    usual = sys.getswitchinterval()
    seen = []
    begins, ends = ([threading.Event(), threading.Event()] for _ in range(2))

    def compute(number):
        def wait(progress, ask):
            seen.append(sys.getswitchinterval())
            begins[number].set()
            ends[number].wait(LONGEST)

        return wait

    first = RunningJob(compute(0), lambda: None)
    assert begins[0].wait(LONGEST)
    first.cancel()  # without waiting for its thread
    second = RunningJob(compute(1), lambda: None)
    assert begins[1].wait(LONGEST)
    ends[0].set()
    assert first.wait(LONGEST)
    assert len(seen) == 2 and max(seen) < usual / 5
    assert sys.getswitchinterval() == seen[0]
    ends[1].set()
    finish(second)
    second.end()
    assert sys.getswitchinterval() == usual


def test_calls_of_a_job_run_on_the_thread_that_polls_it():
    def compute(progress, ask):
        return threading.current_thread(), ask(threading.current_thread)

    own, asked_for = finish(RunningJob(compute, lambda: None))
    assert asked_for is threading.current_thread() and own is not asked_for


def test_errors_on_either_thread_are_raised_by_result():
    def broken():
        raise InputError("the boolean is broken")

    running = RunningJob(lambda progress, ask: ask(broken), lambda: None)
    with pytest.raises(InputError, match="the boolean is broken"):
        finish(running)
    running.end()

    def out_of_memory(progress, ask):
        raise MemoryError

    with pytest.raises(MemoryError):
        finish(RunningJob(out_of_memory, lambda: None))


def test_a_job_that_waits_for_an_answer_can_be_cancelled():
    began = threading.Event()

    def compute(progress, ask):
        began.set()
        return ask(lambda: 1)

    running = RunningJob(compute, lambda: None)
    assert began.wait(LONGEST)
    running.cancel()
    running.wait(LONGEST)
    assert running.is_done()
    with pytest.raises(CarveCancelled):
        running.result()


def test_only_one_job_runs_and_operators_say_so():
    job = read()
    go_on = threading.Event()
    running = RunningJob(lambda progress, ask: go_on.wait(LONGEST), job.close)
    assert not bpy.ops.object.voxel_carve.poll()
    with pytest.raises(RuntimeError, match="Another job is running"):
        bpy.ops.object.voxel_carve()
    with pytest.raises(RuntimeError, match="running already"):
        RunningJob(job.compute, job.close)
    assert bpy.ops.wm.voxel_carve_cancel.poll()
    assert bpy.ops.wm.voxel_carve_cancel() == {"FINISHED"}
    assert running_job() is None and running.is_cancelled
    assert bpy.ops.object.voxel_carve.poll() and not bpy.ops.wm.voxel_carve_cancel.poll()
    go_on.set()


@pytest.mark.parametrize("what", ["undo", "load", "unregister"])
def test_undo_redo_and_loading_end_the_job(what):
    bpy.ops.ed.undo_push(message="before")
    job = read(result="KEEP")
    bpy.ops.ed.undo_push(message="objects")
    running = RunningJob(
        lambda progress, ask: [progress("Sweep", 0.5) or time.sleep(0.01) for _ in range(5000)], job.close
    )
    if what == "undo":
        bpy.ops.ed.undo()
    elif what == "load":
        bpy.ops.wm.read_homefile(use_empty=True)
    else:
        voxel_carve.unregister()
        voxel_carve.register()
    assert running_job() is None
    running.wait(LONGEST)
    with pytest.raises(CarveCancelled):
        running.result()


@pytest.mark.parametrize("gone", ["stock", "material", "scene"])
def test_a_result_whose_objects_were_deleted_meanwhile_is_not_written(gone):
    other = bpy.data.scenes.new("Other")
    select(box(), poly_curve([(-2, 0, 0), (2, 0, 0)], [5, 5]))
    material = bpy.data.materials.new("Steel")
    bpy.data.objects["Path"].data.materials.append(material)
    bpy.context.view_layer.update()
    job = read_carve_job(bpy.context, selection(bpy.context), options())
    results = finish(RunningJob(job.compute, job.close))
    running_job().end()
    if gone == "stock":
        bpy.data.objects.remove(bpy.data.objects["Box"])
    elif gone == "material":
        bpy.data.materials.remove(material)
    else:
        scene = bpy.context.scene
        bpy.context.window.scene = other
        bpy.data.scenes.remove(scene)
    before = {kind: len(getattr(bpy.data, kind)) for kind in ("objects", "meshes", "materials")}
    with pytest.raises(InputError, match="deleted meanwhile: nothing was changed"):
        job.write(bpy.context, results)
    assert before == {kind: len(getattr(bpy.data, kind)) for kind in before}


def test_a_path_may_be_deleted_after_reading():
    job = read()
    results = finish(RunningJob(job.compute, job.close))
    running_job().end()
    bpy.data.objects.remove(bpy.data.objects["Path"])
    assert job.write(bpy.context, results)[0].obj.name == "Box Carved"


def test_time_left_is_shown_once_it_is_known():
    job = SimpleNamespace(stage="Surface", fraction=0.5, remaining=None)
    assert progress_text(job) == "Surface, 50%"
    job.remaining = 12.4
    assert progress_text(job) == "Surface, 50%, 12 s left"
    job.remaining = 125
    assert progress_text(job) == "Surface, 50%, 2 min 5 s left"


# The modal operator of a job, with a mock window manager that only records timers


class Carver(VoxelOperator):
    """An operator with a given job that records its reports."""

    @classmethod
    def refusal(cls, context):
        return None

    def __init__(self, read):
        self.read, self.reports = read, []
        self.subject = ""

    def report(self, kind, message):
        self.reports.append((*kind, message))


@pytest.fixture
def window(monkeypatch):
    """A mock context with a window; `timers` are the running ones."""
    timers = []
    manager = SimpleNamespace(
        windows=(),
        timers=timers,
        event_timer_add=lambda seconds, window: timers.append(seconds) or seconds,
        event_timer_remove=timers.remove,
        modal_handler_add=lambda operator: True,
    )
    monkeypatch.setattr(voxel_operator, "take_settings", lambda *_: None)
    monkeypatch.setattr(
        voxel_operator, "bpy", SimpleNamespace(app=SimpleNamespace(background=False), data=bpy.data, types=bpy.types)
    )
    return SimpleNamespace(
        window=SimpleNamespace(modal_operators=()), window_manager=manager, mode="OBJECT", workspace=None
    )


TIMER, ESCAPE = SimpleNamespace(type="TIMER", value="NOTHING"), SimpleNamespace(type="ESC", value="PRESS")


def quick(close=lambda: None):
    """A job that finishes at once and writes nothing."""
    return Job(lambda progress, ask: None, lambda context, done: [], close)


def until_done(operator, window):
    running_job().wait(LONGEST)
    return operator.modal(window, TIMER)


def test_nothing_is_written_while_blender_renders(window, monkeypatch):
    operator = Carver(lambda context: quick())
    assert operator.invoke(window, None) == {"RUNNING_MODAL"}
    monkeypatch.setattr(voxel_operator, "is_rendering", lambda: True)
    assert until_done(operator, window) == {"PASS_THROUGH"} and running_job()
    monkeypatch.setattr(voxel_operator, "is_rendering", lambda: False)
    assert operator.modal(window, TIMER) == {"FINISHED"}
    assert not running_job() and not window.window_manager.timers


def test_nothing_starts_while_blender_renders(monkeypatch):
    monkeypatch.setattr(voxel_operator, "is_rendering", lambda: True)
    select(box(), poly_curve([(-2, 0, 0), (2, 0, 0)]))
    assert busy_refusal() == "A render is running: wait for it, or cancel it"
    assert not bpy.ops.object.voxel_carve.poll()


@pytest.mark.parametrize("by", ["its end", "Esc"])
def test_no_timer_stays_if_clean_up_fails(by, window):
    def broken():
        raise ReferenceError("gone")

    operator = Carver(lambda context: quick(broken))
    operator.invoke(window, None)
    with pytest.raises(ReferenceError):
        until_done(operator, window) if by == "its end" else operator.modal(window, ESCAPE)
    assert not running_job() and not window.window_manager.timers


def test_too_little_memory_for_reading_is_reported(window):
    def read(context):
        raise MemoryError

    operator = Carver(read)
    assert operator.invoke(window, None) == {"CANCELLED"}
    assert operator.reports == [("ERROR", "Out of memory: use larger voxels, or set a memory limit in the preferences")]
    assert not window.window_manager.timers


@pytest.mark.parametrize("adjusted", [True, False])
def test_adjusting_an_operation_uses_the_original_selection(adjusted, window):
    """Adjust Last Operation undoes to a state in which other objects may be selected."""
    first, second, seen = box("First"), box("Second"), []

    def read(context):
        seen.extend(selection(bpy.context).stocks)
        return quick()

    operator = Carver(read)
    select(first)
    operator.subject = selection_text(bpy.context)
    select(second)
    operator.options = SimpleNamespace(is_repeat=adjusted)
    assert operator.execute(bpy.context) == {"FINISHED"}
    assert seen == [first if adjusted else second]
    assert bpy.context.object == seen[0]
