"""Bake Frames asks first: its dialog with and without animation, left by Esc; then frames baked in the background."""

import bpy
from inside.facts import note
from inside.jobs import running_job
from inside.places import open_sidebar, rectangle, view3d
from inside.scenes import objects, reports, sphere_and_curve
from inside.user import click, look, move, press, until

FRAMES = 12


def steps():
    yield from sphere_and_curve()
    yield from open_sidebar("Voxel Carve")
    scene = bpy.context.scene
    scene.frame_start, scene.frame_end = 1, FRAMES
    with bpy.context.temp_override(**view3d()):
        bpy.ops.object.voxel_carve(resolution=256, radius_mode="VALUE", radius=0.1)
    before = objects()

    yield from ask()
    yield from look("1_nothing_animated")
    yield from press("Escape")
    note(job_after_escape=running_job() is not None, objects_after_escape=objects() == before)

    curve = bpy.data.objects["BézierCurve" if "BézierCurve" in bpy.data.objects else "BezierCurve"]
    for frame, height in ((1, -0.5), (FRAMES, 0.5)):
        curve.location.z = height
        curve.keyframe_insert("location", index=2, frame=frame)
    yield from ask()
    yield from look("2_animated")
    yield from press("Return", settle_s=0)
    yield from until(running_job, what="a job that runs")
    stages = []

    def has_ended():
        job = running_job()
        if job is not None and job.stage not in stages:
            stages.append(job.stage)
        return job is None

    yield from until(lambda: has_ended() or len(stages) > 3, 60, "the third frame")
    yield from look("3_progress")
    yield from until(has_ended, 180, "the end")
    note(stages=stages, made=sorted(set(objects()) - set(before)), reports=reports())
    yield from look("4_baked")
    yield from move(*rectangle().at(0.3, 0.6))
    yield from press("ctrl+z")
    yield from until(lambda: objects() == before, what="as before the bake")


def ask():
    """Open the dialog in the middle of the view, as from the menu."""
    yield from click(*rectangle().at(0.4, 0.95))  # leave what has the focus
    yield from move(*rectangle().at(0.4, 0.5))
    with bpy.context.temp_override(**view3d()):
        bpy.ops.object.voxel_carve_bake("INVOKE_DEFAULT")
    yield 1.0
