"""How long the window is blocked beside a job, five times, and without one, as a user feels it who works on."""

import os

import bpy
from inside.facts import note
from inside.jobs import kernels_are_ready, press_again, running_job, suzanne_and_walk, threads
from inside.pauses import during, redrawn, rest
from inside.places import find_operator, open_sidebar
from inside.user import press, until

SECONDS = 12


def steps():
    yield from suzanne_and_walk(segments=60_000, resolution=1000)
    yield from until(kernels_are_ready, 1200, "compiled kernels")
    sidebar = yield from open_sidebar("Voxel Carve")
    button = yield from find_operator("bpy.ops.object.voxel_carve(", sidebar)
    runs = []
    for _ in range(5):
        idle = yield from during(redrawn(SECONDS, every_s=0.5))
        yield from press_again(button)
        yield from until(lambda: running_job().stage not in ("Read", "Compile"), 60, "the carve itself")
        beside = yield from during(rest(SECONDS))
        stage = running_job().stage if running_job() else ""
        yield from press("Escape", settle_s=0)
        yield from until(lambda: threads() == 0, 60, "the thread at its end")
        runs.append({"idle": idle, "job": beside, "stage": stage, "load": os.getloadavg()[0]})
        note(runs=runs)
    note(objects=len(bpy.data.objects))
