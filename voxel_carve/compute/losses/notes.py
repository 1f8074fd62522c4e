"""What the user is told of a loss, with its cure."""

from collections.abc import Iterable

import numpy as np

from ..exact.touching import thinness
from ..field.stock import PreparedStock
from ..model.grid import Grid
from ..model.mesh import Source, Surface
from ..model.parts import SurfacePart
from ..model.sweep import Sweep
from ..runtime.sentences import Length, Sentence, SentenceByDoor
from .expected import expected_loss, keeping_voxel_size

FEW = 0.01  # of the faces of all paths


def lost_note(share: float, stock: PreparedStock) -> Sentence:
    """The note on a share of a stock's surface that is lost."""
    name, size, unit = stock.mesh.name, stock.grid.voxel_size, Grid(np.zeros(3), 1.0, stock.grid.shape)
    if len(stock.boundary) and expected_loss(stock.triangles, unit) < share / 2:
        return SentenceByDoor(
            "'{name}' lost {share:.0%} of its surface away from the paths, because its holes had to be filled: close "
            "them, or give open_stock='sheet'",
            command_line="'{name}' lost {share:.0%} of its surface away from the paths, because its holes had to be "
            "filled: close them, or give --open-stock sheet",
            window="'{name}' lost {share:.0%} of its surface away from the paths, because its holes had to be filled: "
            "close them, or take it as a sheet",
            name=name,
            share=share,
        )
    keeping = keeping_voxel_size(stock.triangles, unit)
    return SentenceByDoor(
        "'{name}' lost {share:.0%} of its surface away from the paths, because it is thinner than a voxel there: use "
        "voxels of at most {voxel_size}, or keep_stock instead of carve",
        command_line="'{name}' lost {share:.0%} of its surface away from the paths, because it is thinner than a voxel "
        "there: use voxels of at most {voxel_size}, or --result keep",
        window="'{name}' lost {share:.0%} of its surface away from the paths, because it is thinner than a voxel "
        "there: use voxels of at most {voxel_size}, or keep the stock",
        name=name,
        share=share,
        voxel_size=Length(size * keeping),
    )


def small_radius_notes(parts: Iterable[Surface | SurfacePart], sweep: Sweep, voxel_size: float) -> tuple[Sentence, ...]:
    """A note on paths in a result, or the parts of one, whose radius is less than a voxel: see `Surface.primitive` for
    what they have cut."""
    radius = np.maximum(sweep.start_radius, sweep.end_radius)
    if not (radius < voxel_size).any():
        return ()
    cut, small, least_radius = 0, 0, np.inf
    for part in parts:
        own = radius[part.primitive[(part.source == Source.PATH) & (part.primitive >= 0)]]
        least_radius = own.min(initial=least_radius)
        cut, small = cut + len(own), small + int((own < voxel_size).sum())
    if small <= FEW * cut:
        return ()
    least = Length(least_radius)
    template = Sentence("a radius of {radius} is less than a voxel, so the cut is smaller than the path: {remedy}")
    return (Sentence(template, radius=least, remedy=thinness(least / voxel_size, voxel_size)),)
