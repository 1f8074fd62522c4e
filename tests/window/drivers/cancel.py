"""A long carve: the view is rotated while it runs, Esc cancels it, and everything is as it was before."""

import time

import bpy
from inside.facts import note
from inside.fingerprint import differences, fingerprint
from inside.jobs import press_again, running_job, suzanne_and_walk, threads
from inside.pauses import during, redrawn, rest
from inside.places import find_operator, open_sidebar, rectangle
from inside.scenes import objects, reports
from inside.user import click, drag, look, press, until


def steps():
    yield from scenario("CPU", segments=20_000, resolution=700)


def scenario(backend, segments, resolution):
    """The whole scenario, with a job that takes more than half a minute."""
    yield from suzanne_and_walk(segments, resolution)
    bpy.context.scene.voxel_carve.backend = backend
    sidebar = yield from open_sidebar("Voxel Carve")
    button = yield from find_operator("bpy.ops.object.voxel_carve(", sidebar)
    view = rectangle()
    idle = yield from during(rest(5))
    idle_redrawn = yield from during(redrawn(15, every_s=0.5))
    turning = yield from during(orbit(view))
    before = fingerprint()
    note(entries=len(before), changed_by_idling=differences(before, fingerprint()))

    yield from press_again(button)
    seen = [progress()]
    beside = yield from during(rest(20))
    seen.append(progress())
    yield from look("1_running")
    turning_beside = yield from during(orbit(view))
    yield from look("2_turned")
    seen.append(progress())
    note(progress=seen, objects_meanwhile=objects(), changed_meanwhile=differences(before, fingerprint()))

    began = time.monotonic()
    yield from press("Escape", settle_s=0)
    yield from until(lambda: running_job() is None, 10, "no job")
    note(cancelled_s=round(time.monotonic() - began, 2), changed_by_cancelling=differences(before, fingerprint()))
    yield from look("3_cancelled")
    yield from until(lambda: threads() == 0, 60, "the thread at its end")
    note(thread_ended_s=round(time.monotonic() - began, 2), changed_later=differences(before, fingerprint()))
    turning_after = yield from during(orbit(view))
    note(idle=idle, idle_redrawn=idle_redrawn, turning=turning, job=beside, job_turning=turning_beside)
    note(turning_after=turning_after, reports=reports())

    bpy.context.scene.voxel_carve.resolution = 48
    yield 1.0  # a note on the radius makes the panel longer
    button = yield from find_operator("bpy.ops.object.voxel_carve(", sidebar)
    yield from click(*button)
    yield from until(lambda: "Suzanne Carved" in objects(), 120, "a result")
    yield from look("4_carved_after_all")
    note(objects_in_the_end=objects())


def orbit(view):
    """Orbit the view to the right and back."""
    left, right = view.at(0.2, 0.7), view.at(0.5, 0.75)
    for start, end in ((left, right), (right, left)):
        yield from drag(start, end, button=2, steps=30)


def progress():
    job = running_job()
    return {"stage": job.stage, "fraction": job.fraction} if job else None
