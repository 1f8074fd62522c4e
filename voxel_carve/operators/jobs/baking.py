"""The job that bakes a result: one object per frame, each read, computed and created in turn."""

import time
from contextlib import ExitStack, suppress
from functools import partial
from typing import Any, cast

import bpy
from bpy_extras.anim_utils import action_get_channelbag_for_slot
from mathutils import Matrix

from ...compute import EmptyResultError, InputError, Progress
from ...compute.runtime import Sentence
from ...recipes.recipe import forget, ingredients, recipe_of, refuse_writing
from ...recipes.watching import held
from ...scene.presence import is_deleted
from ...scene.reading.evaluation import context_of
from ...scene.writing.rewrite import descends
from ...scene.writing.write import drop_report, hide
from ...translations import interface_text
from .carve_reading import carve_options
from .carving import Carved, report_outcome
from .job import Job, Outcome, refuse_deleted
from .prepared import StockCache
from .progress import part_of
from .recarving import Recarve, compute_recarve, read_recarve, replace_mesh
from .running import Ask

VISIBILITY = ("hide_viewport", "hide_render")


def read_bake_job(context: bpy.types.Context, obj: bpy.types.Object, frames: range) -> Job[None]:
    """The job that carves a result at frames (at least one, ascending), and keeps each as a separate object.

    Raises:
        CarveError: the recipe is broken, or the result is edited or linked.
    """
    refuse_writing(obj)
    ingredients(obj)
    return _Bake(cast(bpy.types.Scene, context.scene), obj, frames).job()


class _Bake:
    """The objects made so far, until they are linked to the scene or removed."""

    def __init__(self, scene: bpy.types.Scene, obj: bpy.types.Object, frames: range) -> None:
        self._scene, self._obj, self._frames = scene, obj, frames
        self._name, self._uid = obj.name, obj.session_uid
        self._was = scene.frame_current, scene.frame_subframe
        self._made: list[bpy.types.Object] = []
        self._materials = {material.session_uid for material in bpy.data.materials}
        self._prepared, self._began, self._kept = StockCache(), time.perf_counter(), False
        self._copies, self._warnings = ExitStack(), cast(tuple[str, ...], ())
        self._part = interface_text("Frame {number} of {count}")

    def job(self) -> Job[None]:
        """The job."""
        return Job(self._compute, self._write, self._close)

    def _compute(self, progress: Progress, ask: Ask) -> None:
        for number, frame in enumerate(self._frames):
            name = self._part.format(number=number + 1, count=len(self._frames))
            part = part_of(progress, number, len(self._frames), name)
            carved: Carved | None = None
            try:
                recarve: Recarve = ask(partial(self._read, frame))
                with suppress(EmptyResultError):
                    carved = compute_recarve(recarve, part, self._prepared)
            except InputError as error:
                raise InputError("frame {frame}: {error}", frame=frame, error=error) from error
            ask(partial(self._make, frame, recarve, carved))

    def _read(self, frame: int) -> Recarve:
        """Read stock and paths of the recipe at a frame, on the main thread."""
        self._refuse_deleted()
        self._copies.close()
        with held(self._uid):
            self._scene.frame_set(frame)
        with context_of(self._scene) as context:
            options = carve_options(recipe_of(self._obj), context)
            return read_recarve(context, self._obj, options, self._copies)

    def _refuse_deleted(self) -> None:
        refuse_deleted([self._scene, self._obj], [Sentence("the scene"), f"'{self._name}'"])

    def _make(self, frame: int, recarve: Recarve, carved: Carved | None) -> None:
        """Create the object of a frame, on the main thread; one without faces if nothing is left."""
        self._refuse_deleted()
        began, name, stock = time.perf_counter(), f"{self._name} {frame:04d}", recarve.read.obj
        obj = self._obj.copy()
        self._made.append(obj)
        obj.name, obj.data = name, bpy.data.meshes.new(name)
        obj.animation_data_clear()
        obj.constraints.clear()
        obj.parent = None
        # The result's transform at this frame. A descendant of the stock moves with it, and has the place of its mesh.
        on_stock = descends(self._obj, stock)
        obj.matrix_basis = Matrix(recipe_of(obj).place) if on_stock else self._obj.matrix_world
        if carved is None:
            drop_report(obj)
            forget(obj)
            return
        replace_mesh(obj, recarve.read, carved)
        forget(obj)
        spent = time.perf_counter() - began
        self._warnings += report_outcome(obj, recarve.read, carved.result, spent, recarve.notes).warnings

    def _write(self, context: bpy.types.Context, done: None) -> list[Outcome]:
        refuse_deleted(
            [self._scene, self._obj, *self._made],
            [Sentence("the scene")] + [Sentence("a result")] * (1 + len(self._made)),
        )
        collection = bpy.data.collections.new(f"{self._name} Frames")
        self._scene.collection.children.link(collection)
        shown_until = [*self._frames[1:], self._frames[-1] + self._frames.step]
        for obj, frame, after in zip(self._made, self._frames, shown_until, strict=True):
            collection.objects.link(obj)
            show_only(obj, frame, after)
        hide(self._scene, self._obj)
        self._kept = True
        seconds = time.perf_counter() - self._began
        template = Sentence("'{name}' made: {count} frames, {seconds:.2f} s")
        if len(self._made) == 1:
            template = Sentence("'{name}' made: one frame, {seconds:.2f} s")
        message = Sentence(template, name=collection.name, count=len(self._made), seconds=seconds)
        return [Outcome(self._obj, message, tuple(dict.fromkeys(self._warnings)))]

    def _close(self) -> None:
        """Return to the original frame; remove everything made, unless the bake was completed."""
        self._copies.close()
        if not self._kept:
            made = [obj for obj in self._made if not is_deleted(obj)]
            bpy.data.batch_remove([*made, *(cast(bpy.types.Mesh, obj.data) for obj in made)])
            new = [each for each in bpy.data.materials if each.session_uid not in self._materials and not each.users]
            bpy.data.batch_remove(new)
        if not is_deleted(self._scene):
            with held(self._uid):
                self._scene.frame_set(self._was[0], subframe=self._was[1])


def show_only(obj: bpy.types.Object, frame: int, after: int) -> None:
    """Keyframe an object to be visible, in viewports and renders, from `frame` until just before `after`."""
    for name in VISIBILITY:
        for at, hidden in ((frame - 1, True), (frame, False), (after, True)):
            setattr(obj, name, hidden)
            obj.keyframe_insert(name, frame=at)
    data = cast(bpy.types.AnimData, obj.animation_data)
    bag = cast(Any, action_get_channelbag_for_slot)(data.action, data.action_slot)
    for curve in bag.fcurves:
        for key in curve.keyframe_points:
            key.interpolation = "CONSTANT"
