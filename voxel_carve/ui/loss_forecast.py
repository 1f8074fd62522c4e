"""A forecast of what of a stock is too thin for its voxels, drawn before the carve as a sentence with the cure."""

from collections.abc import Hashable, Sequence

import bpy
import numpy as np
import numpy.typing as npt

from ..compute import InputError, TriMesh, plan_grid
from ..compute.losses import expected_loss, keeping_voxel_size, surface_of
from ..translations import interface_text
from .answers import Reading, ask
from .face_forecast import evaluated_mesh, read_stock_surface, stock_key
from .wording import length_text

Floats = npt.NDArray[np.float64]

TOLD = 0.03  # of a surface: less may be the doubt of the forecast


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
    """The share that would be lost, as far as that is known, and the voxel size that keeps all."""
    evaluated = evaluated_mesh(stock)
    if evaluated is None or not size > 0 or not np.ptp(box, axis=0).max() > size:
        return 0.0, size
    key, name, uid = stock_key(stock, evaluated), stock.name, stock.session_uid
    told = ask((*key, size, *np.ptp(box, axis=0)), lambda: _reading(name, uid, key, box, size))
    return told if isinstance(told, tuple) else (0.0, size)


def _reading(name: str, uid: int, key: Hashable, box: Floats, size: float) -> Reading:
    surface = read_stock_surface(name, uid, key)
    yield
    return lambda: _expected(surface.mesh(), box, size)


def _expected(mesh: TriMesh, box: Floats, size: float) -> tuple[float, float]:
    try:
        surface, grid = surface_of(mesh), plan_grid(box, size)
    except InputError:  # more voxels than there are numbers, which is refused
        return 0.0, size
    share = expected_loss(surface, grid)
    return share, keeping_voxel_size(surface, grid) if share > TOLD else size
