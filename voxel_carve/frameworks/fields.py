"""Distance fields on grids, in the arrays of a framework."""

from typing import Any

from ..compute import Grid, Operation
from ..compute.model import Rule


def centres(space: Any, grid: Grid, shape: tuple[int, ...], first_layer: Any, kind: Any) -> Any:
    """(L, Y, X, 3): the centres (x, y, z) of the voxels in some layers of a grid.

    Args:
        space: the framework's functions of arrays: `jax.numpy`, or `torch`.
        grid: where the voxels lie.    shape: (L, Y, X).
        first_layer: the index z of the lowest layer.
        kind: the type of the coordinates.
    """
    z, y, x = (
        (space.arange(side, dtype=kind) + (first + 0.5)) * grid.voxel_size + float(origin)
        for side, first, origin in zip(shape, (first_layer, 0, 0), grid.origin[::-1], strict=True)
    )
    z, y, x = space.meshgrid(z, y, x, indexing="ij")
    return space.stack([x, y, z], -1)


def combined(space: Any, field: Any, swept: Any, operation: Operation) -> Any:
    """A field combined with the distances from a sweep in its voxels: see `compute.model.combining`."""
    rule = Rule.of(operation)
    return (space.maximum if rule.greatest else space.minimum)(field, -swept if rule.carves else swept)
