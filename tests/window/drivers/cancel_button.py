"""A job is cancelled by the button beside its progress in the panel."""

from inside.facts import note
from inside.fingerprint import differences, fingerprint
from inside.jobs import press_again, running_job, suzanne_and_walk
from inside.places import find_operator, open_sidebar
from inside.scenes import reports
from inside.user import click, look, until


def steps():
    yield from suzanne_and_walk(segments=20_000, resolution=700)
    sidebar = yield from open_sidebar("Voxel Carve")
    button = yield from find_operator("bpy.ops.object.voxel_carve(", sidebar)
    before = fingerprint()
    yield from press_again(button)
    yield from look("1_running")
    # it takes the place of the one that started the job
    cancel = yield from find_operator("bpy.ops.wm.voxel_carve_cancel(", sidebar.below(button[1] - 80), right=0.83)
    yield from click(*cancel)
    yield from until(lambda: running_job() is None, 10, "no job")
    note(changed=differences(before, fingerprint()))
    yield from look("2_cancelled")
    note(reports=reports())
