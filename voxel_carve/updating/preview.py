"""A coarse preview of a result, while its inputs are being changed."""

import time
from contextlib import ExitStack
from dataclasses import dataclass, field, replace

import bpy
import numpy as np

from ..compute.adaptivity import Adaptivity
from ..operators.jobs.carve_reading import CarveOptions, carve_options
from ..operators.jobs.carving import compute_carve
from ..operators.jobs.prepared import StockCache
from ..operators.jobs.recarving import read_recarve, replace_mesh
from ..recipes.recipe import recipe_of, set_message, set_shown_fingerprint
from .known_stock import KnownStock

# Seconds that computing and writing a preview should take. The resolution changes only if two previews in a row are off
# by more than a factor of SLACK, or one by more than its square, because the stock then has to be prepared again.
WISHED_SECONDS, SLACK = 0.05, 1.6
# A preview that took longer than this has held the user up: there is no other one for REST times as long.
MOST_SECONDS, REST = 0.5, 30.0
FIRST_RESOLUTION, LEAST_RESOLUTION, MOST_RESOLUTION = 40, 24, 512


@dataclass
class Preview:
    """The state kept from one preview of a result to the next.

    Attributes:
        resolution: voxels along the longest side of the stock, as many as fit the time on this machine.
        shape: fingerprint of the inputs of the last preview.
        seconds: the time it took, by stage.
    """

    resolution: int = FIRST_RESOLUTION
    shape: str = ""
    seconds: dict[str, float] = field(default_factory=dict)
    _known: KnownStock = field(default_factory=KnownStock)
    _prepared: StockCache = field(default_factory=StockCache)
    _factor: float = 1.0
    _rests_until: float = 0.0

    def forget_stock(self) -> None:
        """Drop the stock, because it may have changed since it was read."""
        self._known.forget()

    def show(self, context: bpy.types.Context, obj: bpy.types.Object) -> None:
        """Fill an object's mesh with the preview, unless it shows that already, or the last preview was too slow.

        Raises:
            CarveError: something cannot be read, or nothing is left at this resolution.
        """
        began = time.perf_counter()
        if began < self._rests_until:
            return
        with ExitStack() as copies:
            options = coarse(carve_options(recipe_of(obj), context), self.resolution)
            recarve = read_recarve(context, obj, options, copies, self._known.faces())
        self._known.keep(recarve.read.provenance.stock)
        shape = recarve.fingerprint(self._known.digest())
        if shape == self.shape:
            return
        read = time.perf_counter()
        prepared = self._prepared.stock(recarve.read, options)
        ready = time.perf_counter()
        result = compute_carve(recarve.read, options, lambda *_: None, prepared)
        computed = time.perf_counter()
        replace_mesh(obj, recarve.read, result)
        set_shown_fingerprint(obj, "")
        set_message(obj, "")
        done = time.perf_counter()
        self.shape = shape
        self.seconds = {"read": read - began, "prepare": ready - read, "compute": computed - ready}
        self.seconds["write"] = done - computed
        self._learn(done - ready)

    def _learn(self, seconds: float) -> None:
        """Choose the time and the resolution of the next preview. Faces, and so seconds, grow with its square."""
        if seconds > MOST_SECONDS:
            self._rests_until = time.perf_counter() + REST * seconds
        factor, before = WISHED_SECONDS / seconds, self._factor
        self._factor = factor
        off = [max(each, 1 / each) for each in (factor, before)]
        same_way = (factor > 1) == (before > 1)
        if off[0] > SLACK**2 or (same_way and min(off) > SLACK):
            resolution = round(self.resolution * np.sqrt(factor))
            self.resolution = int(np.clip(resolution, LEAST_RESOLUTION, MOST_RESOLUTION))
            self._factor = 1.0


def coarse(options: CarveOptions, resolution: int) -> CarveOptions:
    """The options of a preview: a remesh with at most this many voxels along the stock, and with materials only."""
    return replace(
        options,
        result="remesh",
        adaptivity=Adaptivity(0.0, 0.0),
        transfer_attributes=False,
        verify=False,
        most_voxels=resolution,
        limits=replace(options.limits, use_process=False),
    )
