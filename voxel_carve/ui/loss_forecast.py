"""A forecast of what of a stock is too thin for its voxels, drawn before the carve as a sentence with the cure."""

from collections.abc import Sequence

import bpy
import numpy as np
import numpy.typing as npt

from ..compute import InputError, TriMesh, plan_grid
from ..compute.losses import can_expect_losses, expected_loss, keeping_voxel_size, surface_of
from ..operators.jobs.progress import redraw_sidebars
from ..scene.reading.surfaces import surface_mesh
from ..translations import interface_text
from .face_forecast import evaluated_mesh, stock_key
from .wording import length_text

Floats = npt.NDArray[np.float64]

TOLD = 0.03  # of a surface: less may be the doubt of the forecast

# The share that would be lost, and the voxel size that keeps all, by stock and voxel size.
_known: dict[tuple[float, ...], tuple[float, float]] = {}
MOST_KNOWN = 256
# What to find out next: the name of the stock, its box, and the voxel size.
_asked: dict[tuple[float, ...], tuple[str, Floats, float]] = {}
LATER = 2.0  # seconds, while kernels are compiled


def loss_cautions(stocks: Sequence[bpy.types.Object], boxes: Floats, sizes: Sequence[float]) -> list[str]:
    """A sentence on each stock that would lose more than a little of its surface.

    Args:
        stocks, boxes: (N, 2, 3) the boxes of the N stocks.
        sizes: the voxel size of each.
    """
    sentences = []
    for stock, box, size in zip(stocks, boxes, sizes, strict=True):
        share, keeping = _loss(stock, box, size)
        if share > TOLD and bpy.context.scene:
            sentence = interface_text("Up to {share} of '{name}' is too thin: use voxels of {size}, or Keep Stock")
            length = length_text(bpy.context.scene, keeping)
            sentences.append(sentence.format(share=f"{share:.0%}", name=stock.name, size=length))
    return sentences


def _loss(stock: bpy.types.Object, box: Floats, size: float) -> tuple[float, float]:
    """See `_known`. What is not known yet is asked for, because it takes kernels and some milliseconds."""
    evaluated = evaluated_mesh(stock)
    if evaluated is None or not size > 0 or not np.ptp(box, axis=0).max() > size:
        return 0.0, size
    key = (*stock_key(stock, evaluated), size, *np.ptp(box, axis=0))
    if key not in _known:
        _asked[key] = stock.name, box, size
        if not bpy.app.timers.is_registered(answer):
            bpy.app.timers.register(answer, first_interval=0.0)
    return _known.get(key, (0.0, size))


def answer() -> float | None:
    """Find what was asked for while a panel was drawn, and draw that again. A timer: returns when to try again."""
    if not can_expect_losses():
        return LATER
    while _asked:
        key, (name, box, size) = _asked.popitem()
        stock = bpy.data.objects.get(name)
        evaluated = evaluated_mesh(stock) if stock else None
        if stock is None or evaluated is None or stock_key(stock, evaluated) != key[: len(stock_key(stock, evaluated))]:
            continue
        while len(_known) >= MOST_KNOWN:
            del _known[next(iter(_known))]
        _known[key] = _expected(surface_mesh(evaluated), box, size)
    redraw_sidebars(bpy.context)
    return None


def forget() -> None:
    """Ask for nothing more."""
    _asked.clear()
    if bpy.app.timers.is_registered(answer):
        bpy.app.timers.unregister(answer)


def _expected(mesh: TriMesh, box: Floats, size: float) -> tuple[float, float]:
    try:
        surface, grid = surface_of(mesh), plan_grid(box, size)
    except InputError:  # more voxels than there are numbers, which is refused
        return 0.0, size
    share = expected_loss(surface, grid)
    return share, keeping_voxel_size(surface, grid) if share > TOLD else size
