"""Replace some faces and vertices of a mesh, and leave the others where they are.

A large mesh is not copied for that: its arrays are made with room behind them, which takes no memory until it is used.
"""

from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from ....model.mesh import DualMesh
from ....runtime.threads import over_rows
from ..compiler.decorators import kernel
from .overlaps import QUADS_PER_RUN

Indices = npt.NDArray[np.int64]
T = TypeVar("T", bound=np.generic)

ROOM = 4  # rows for each row of room behind them


@dataclass(frozen=True)
class Slots:
    """Where rows go when some of N are replaced by A others, which take their places. The last rows fill what is left.

    Attributes:
        count: the number of rows then.    added: (A,) places of the new rows.
        source, target: (M,) rows at the end, and the places that they move to.
    """

    count: int
    added: Indices
    source: Indices
    target: Indices

    @classmethod
    def of(cls, rows: int, gone: Indices, added: int) -> "Slots":
        """Where rows go when those that are gone (G,), ascending, are replaced."""
        count = rows - len(gone) + added
        places = np.concatenate([gone, np.arange(rows, count)])
        holes = places[added:]
        inner = np.searchsorted(holes, count)
        return cls(count, places[:added], np.setdiff1d(np.arange(count, rows), holes[inner:]), holes[:inner])

    def fill(self, rows: npt.NDArray[T], new: npt.NDArray[T]) -> npt.NDArray[T]:
        """Rows (count, ...): those given (N, ...), which change, and the new ones (A, ...)."""
        out = _whole(rows)[: self.count]
        if self.count > len(out):
            out = with_room((self.count, *rows.shape[1:]), rows.dtype)
            out[: len(rows)] = rows
        out[self.added] = new
        out[self.target] = rows[self.source]
        return out


def with_room(shape: tuple[int, ...], dtype: npt.DTypeLike) -> npt.NDArray[Any]:
    """An array that is not set yet, and that more rows can be added to in place."""
    return np.empty((shape[0] + shape[0] // ROOM, *shape[1:]), dtype=dtype)[: shape[0]]


def _whole(rows: npt.NDArray[T]) -> npt.NDArray[T]:
    """The rows, and the room behind them if there is some."""
    base = rows.base
    if (
        isinstance(base, np.ndarray)
        and (base.dtype, base.shape[1:], base.strides) == (rows.dtype, rows.shape[1:], rows.strides)
        and base.ctypes.data == rows.ctypes.data
    ):
        return base
    return rows


def replace_faces(mesh: DualMesh, quads: Indices, vertices: Indices, new: DualMesh) -> tuple[DualMesh, Slots, Slots]:
    """The mesh without some quads and vertices, ascending, and with the faces and vertices of another instead.

    Args:
        mesh: its arrays change, and the room behind them.
        new: its faces name vertices of the mesh, and from `len(mesh.points)` on its own.

    Returns:
        The mesh, and the slots of its vertices and of its quads.
    """
    slots = Slots.of(len(mesh.points), vertices, len(new.points))
    quad_slots = Slots.of(len(mesh.quads), quads, len(new.quads))
    own = new.quads >= len(mesh.points)
    added = new.quads.copy()
    added[own] = slots.added[added[own] - len(mesh.points)]
    faces = quad_slots.fill(mesh.quads, added)
    name = np.full(max(len(mesh.points) - slots.count, 0), -1, dtype=np.int32)
    name[slots.source - slots.count] = slots.target
    over_rows(rename_corners, len(faces) if len(name) else 0, QUADS_PER_RUN, faces, slots.count, name)
    filled = DualMesh(
        slots.fill(mesh.points, new.points),
        faces,
        quad_slots.fill(mesh.codes, new.codes),
        slots.fill(mesh.kinds, new.kinds),
        slots.fill(mesh.cells, new.cells),
    )
    return filled, slots, quad_slots


@kernel
def rename_corners(start, stop, quads, first, names):  # type: ignore[no-untyped-def]
    """Give vertex first + i of quads (Q, 4) the name names[i]."""
    for q in range(start, stop):
        for k in range(4):
            if quads[q, k] >= first:
                quads[q, k] = names[quads[q, k] - first]
