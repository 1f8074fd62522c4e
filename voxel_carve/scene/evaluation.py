"""A depsgraph in which objects are evaluated."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import bpy


@contextmanager
def evaluated_depsgraph_for(
    context: bpy.types.Context, things: Sequence[bpy.types.Object]
) -> Iterator[bpy.types.Depsgraph]:
    """Give a depsgraph that has evaluated these objects: the context's own."""
    yield context.evaluated_depsgraph_get()
