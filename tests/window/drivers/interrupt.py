"""Actions of a user while a job runs: undo, edit the stock, delete it, open a file."""

import bpy
from inside.facts import note
from inside.jobs import press_again, press_carve, running_job, suzanne_and_walk, threads
from inside.places import rectangle
from inside.scenes import objects, reports
from inside.user import STAGE, look, move, press, until


def steps():
    yield from suzanne_and_walk(segments=20_000, resolution=700)  # seconds, with kernels at hand
    file = str(STAGE / "scene.blend")
    bpy.ops.wm.save_as_mainfile(filepath=file)
    _, button = yield from press_carve()
    middle = rectangle().at(0.3, 0.6)

    yield from move(*middle)
    yield from press("ctrl+z")
    yield from no_job()
    note(undone=objects())
    yield from press("ctrl+shift+z")
    note(redone=objects())

    yield from press_again(button)
    yield from move(*middle)
    yield from press("Tab")
    note(mode=bpy.context.mode)
    yield from until(lambda: threads() == 0, 200, "the thread at its end")
    yield from look("1_edit_mode")
    note(in_edit_mode=objects(), waits=running_job() is not None)
    yield from press("Tab")
    yield from no_job()
    note(out_of_edit_mode=objects())
    yield from press("ctrl+z")
    note(undone_again=objects())

    yield from press_again(button)
    bpy.data.objects["Walk"].select_set(False)
    yield from move(*middle)
    yield from press("Delete")
    note(deleted=objects())
    yield from no_job()
    yield from look("2_stock_deleted")
    note(job_without_stock=objects(), reports=reports())

    bpy.ops.wm.open_mainfile(filepath=file)
    yield 2.0
    yield from press_carve()  # the sidebar of the opened file is closed
    bpy.ops.wm.open_mainfile(filepath=file)
    yield from no_job()
    yield from until(lambda: threads() == 0, 200, "the thread at its end")
    yield from look("3_loaded")
    note(loaded=objects())


def no_job():
    yield from until(lambda: running_job() is None, 200, "no job")
    yield 1.0
